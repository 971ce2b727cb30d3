"""C4.5rules (Quinlan 1993): the paths of an unpruned C4.5 tree, generalised, chosen by description length, put in order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from treewright import _core, parts
from treewright.errors import out_of_range, real
from treewright.learn.c45 import C45Learner, C45Parameters
from treewright.learn.jobs import Progress
from treewright.learn.rules import ClassRuleLearner
from treewright.learn.training import Training
from treewright.learn.values import seed_of
from treewright.model.branches import branch_conditions
from treewright.model.condition import Condition
from treewright.model.node import Node
from treewright.model.rule import Rule, together
from treewright.model.rules import RuleSet
from treewright.table import TableSchema

CHOICES = ("climb", "anneal")


@dataclass(kw_only=True, eq=False, repr=False)
class C45RulesParameters:
    """Parameters of ``C45RulesClassifier``, which describes them."""

    confidence: float = 0.25
    min_samples_leaf: float = 2
    criterion: str = "gain_ratio"
    grouped: bool = False
    significance: float | None = None
    redundancy: float = 1.0
    choice: str = "climb"
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None


class C45RulesLearner(ClassRuleLearner[C45RulesParameters]):
    """C4.5rules."""

    name = "C45RulesClassifier"
    Parameters = C45RulesParameters
    by_level = ("ordered", "bool")
    stored: ClassVar[dict[str, str]] = {**ClassRuleLearner.stored, "estimated_errors_": "value"}

    def _selection(self, confidence: float) -> _core.SelectSettings:
        given, how = self.params, _core.SelectSettings()
        how.confidence = confidence
        how.seed = seed_of(given.random_state)
        how.significance = 1.0 if given.significance is None else real("significance", given.significance, 0.0, 1.0)
        how.redundancy = real("redundancy", given.redundancy, 0.0)
        if how.redundancy == 0:
            raise out_of_range("redundancy", given.redundancy, "a number above 0")
        how.annealed = parts.check_name("choice", given.choice, CHOICES) == "anneal"
        return how

    def find(self, training: Training, schema: TableSchema) -> tuple[RuleSet, dict[str, Any]]:
        """The rules of the training rows, and the pessimistic error of each."""
        options = {name: self.given[name] for name in ("confidence", "min_samples_leaf", "criterion", "grouped")}
        grower = C45Learner(C45Parameters(pruned=False, **options))
        confidence = grower.confidence
        core = grower.grow(training, grower.settings(training), Progress()).core
        with Progress().shown("selecting") as tell:
            state = _core.select_rules(core, training.table(), self._selection(confidence), tell)
        tree = training.tree(core, "fraction")
        begin, labels = state["rule_begin"].tolist(), state["says"].tolist()
        turns = list(zip(state["node"].tolist(), state["branch"].tolist(), strict=True))
        classes = training.target.classes
        assert classes is not None

        def condition(turn: tuple[int, int]) -> Condition:
            found = branch_conditions(Node(tree, turn[0]))[turn[1]]
            return replace(found, missing=False, missing_share=0.0, missing_seen=False)

        rules = []
        for r, label in enumerate(labels):
            rules.append(Rule(together(condition(turn) for turn in turns[begin[r] : begin[r + 1]]), classes[label]))
        found = RuleSet(tuple(rules), schema, training.target, True, Rule((), classes[state["otherwise"]]))
        return found, {"estimated_errors_": state["error"].tolist()}
