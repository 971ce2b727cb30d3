"""C4.5rules (Quinlan 1993): the paths of an unpruned C4.5 tree, generalised, sifted by description length, put in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from treewright import _core, parts
from treewright.errors import out_of_range, real
from treewright.estimators.c45 import C45Classifier
from treewright.estimators.rules import RuleClassifier
from treewright.estimators.settings import seed_of
from treewright.estimators.training import Training
from treewright.model.branches import branch_conditions
from treewright.model.condition import Condition
from treewright.model.node import Node
from treewright.model.rule import Rule, together
from treewright.model.rules import RuleSet
from treewright.table import TableSchema

CHOICES = ("climb", "anneal")


class C45RulesClassifier(RuleClassifier):
    """C4.5rules (Quinlan 1993, release 8): an ordered list of rules made of the unpruned C4.5 tree.

    Every path loses the conditions whose absence does not raise its pessimistic error; of each class the set of rules with the
    shortest description is kept (all sets are tried for up to ten rules, otherwise see ``choice``); classes are ordered by their
    false positives, rules by their pessimistic error, and rules that do harm on the training rows are dropped. A missing cell
    satisfies no condition. Ordered categories count as nominal.

    Parameters
    ----------
    confidence : float, default 0.25
        Confidence of the error estimates (``-c``, there in per cent).
    min_samples_leaf : int or float, default 2
        Of the tree: at least two branches must hold this weight (``-m``).
    criterion : {"gain_ratio", "info_gain"}, default "gain_ratio"
        Of the tree.
    grouped : bool, default False
        Of the tree: levels are merged into groups (``-s``).
    significance : float, optional
        A path also loses a condition where Fisher's exact test finds one of its conditions not significant at this level
        (``-F``, there in per cent). Weights count as whole rows. By default the test is not asked.
    redundancy : float, default 1
        How many columns say the same as another: the choice of a column takes so many times fewer bits (``-r``).
    choice : {"climb", "anneal"}, default "climb"
        How the rules of a class with more than ten are chosen: by adding and dropping rules one at a time from eleven random
        beginnings, or by simulated annealing (``-a``).
    categorical_features, unseen, random_state
        As in :class:`TreeClassifier`. The seed draws beginnings, and changes where rules are annealed.

    Attributes
    ----------
    ruleset_ : RuleSet
        The rules, an ordered list.
    estimated_errors_ : list of float
        Pessimistic error of every rule, in their order.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import treewright as tw
    >>> data = tw.datasets.load_play_tennis()
    >>> len(tw.C45RulesClassifier().fit(data.X, data.y).ruleset_)
    5
    """

    _by_level = ("ordered", "bool")
    _stored: ClassVar[dict[str, str]] = {**RuleClassifier._stored, "estimated_errors_": "value"}

    estimated_errors_: list[float]

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_samples_leaf: float = 2,
        criterion: str = "gain_ratio",
        grouped: bool = False,
        significance: float | None = None,
        redundancy: float = 1.0,
        choice: str = "climb",
        categorical_features: Any = None,
        unseen: str = "missing",
        random_state: Any = None,
    ) -> None:
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.criterion = criterion
        self.grouped = grouped
        self.significance = significance
        self.redundancy = redundancy
        self.choice = choice
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.random_state = random_state

    def _selection(self, confidence: float) -> _core.SelectSettings:
        how = _core.SelectSettings()
        how.confidence = confidence
        how.seed = seed_of(self.random_state)
        how.significance = 1.0 if self.significance is None else real("significance", self.significance, 0.0, 1.0)
        how.redundancy = real("redundancy", self.redundancy, 0.0)
        if how.redundancy == 0:
            raise out_of_range("redundancy", self.redundancy, "a number above 0")
        how.annealed = parts.check_name("choice", self.choice, CHOICES) == "anneal"
        return how

    def _learned(self, training: Training, schema: TableSchema) -> RuleSet:
        options = {name: getattr(self, name) for name in ("confidence", "min_samples_leaf", "criterion", "grouped")}
        grower = C45Classifier(pruned=False, **options)
        confidence = grower._confidence()
        grower.classes_ = self.classes_
        params = grower._parameters()
        core = grower._learned(training, params, grower._settings(training, params))
        state = _core.select_rules(core, training.table(), self._selection(confidence))
        tree = training.tree(core, "fraction")
        begin, says = state["rule_begin"].tolist(), state["says"].tolist()
        turns = list(zip(state["node"].tolist(), state["branch"].tolist(), strict=True))
        classes = training.target.classes
        assert classes is not None

        def condition(turn: tuple[int, int]) -> Condition:
            found = branch_conditions(Node(tree, turn[0]))[turn[1]]
            return replace(found, missing=False, missing_share=0.0, missing_seen=False)

        rules = []
        for r, label in enumerate(says):
            rules.append(Rule(together(condition(turn) for turn in turns[begin[r] : begin[r + 1]]), classes[label]))
        self.estimated_errors_ = state["error"].tolist()
        return RuleSet(tuple(rules), schema, training.target, True, Rule((), classes[state["otherwise"]]))
