"""PART (Frank and Witten 1998): an ordered list of rules, each a leaf of a C4.5 tree that is grown only as far as needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treewright import _core
from treewright.estimators.c45 import C45Classifier
from treewright.estimators.rules import RuleClassifier
from treewright.estimators.settings import flag
from treewright.estimators.training import Training
from treewright.model.node import Node
from treewright.model.rule import Rule, together
from treewright.model.rules import RuleSet
from treewright.progress import Bar
from treewright.table import TableSchema

_DIGITS = 9  # of the share of a missing cell that a condition takes


class PartClassifier(RuleClassifier):
    """PART (Frank and Witten 1998): rules from partial C4.5 trees, without global optimisation.

    Of the rows that are left a tree is grown as J48 grows one, but only as far as it takes: the branches of a node are looked at
    in the order of their entropy, until one of them turns out not to be a leaf; where all of them are leaves, the node becomes
    one if it is not expected to err more. Of the leaves that were found the one of most weight becomes a rule, and its rows
    leave. A missing cell goes down all branches in part: a rule takes its part of such a row, and the rules behind it the rest.

    Parameters
    ----------
    confidence : float, default 0.25
        Confidence of the error estimates (WEKA's ``-C``).
    min_samples_leaf : int or float, default 2
        At least two branches of a split must hold this weight (``-M``).
    pruned : bool, default True
        Whether nodes become leaves again (``-U`` for False).
    penalty : bool, default True
        Thresholds pay log2(cuts tried) / weight (``-J`` for False).
    categorical_features, unseen
        As in :class:`TreeClassifier`. Ordered categories count as nominal.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    ruleset_ : RuleSet
        The rules, an ordered list.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import treewright as tw
    >>> data = tw.datasets.load_play_tennis()
    >>> print(tw.PartClassifier().fit(data.X, data.y).ruleset_)
    if outlook = overcast then play = yes  (4 rows, 100% right)
    else if humidity = high then play = no  (5 rows, 80% right)
    else play = yes  (5 rows, 80% right)
    """

    _by_level = ("ordered", "bool")
    _knows_declared = True

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_samples_leaf: float = 2,
        pruned: bool = True,
        penalty: bool = True,
        categorical_features: Any = None,
        unseen: str = "missing",
        verbose: bool = False,
    ) -> None:
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.pruned = pruned
        self.penalty = penalty
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.verbose = verbose

    def _learned(self, training: Training, schema: TableSchema) -> RuleSet:
        options = {name: getattr(self, name) for name in ("confidence", "min_samples_leaf", "penalty")}
        grower = C45Classifier(variant="j48", **options)
        grower.classes_ = self.classes_
        settings = grower._settings(training, grower._parameters())
        how = (flag("pruned", self.pruned), grower._confidence(), settings.min_leaf)
        if self.verbose:
            with Bar("covering") as bar:
                found = _core.cover_by_trees(training.table(), settings, *how, bar)
        else:
            found = _core.cover_by_trees(training.table(), settings, *how)
        classes = training.target.classes
        assert classes is not None
        rules = []
        for core, leaf in found:
            end = Node(training.tree(core, "fraction"), leaf)
            # Parts of rows are kept to 2^-46 of all weight: what a missing cell's share is off by that is rounded away.
            path = (replace(turn, missing_share=round(turn.missing_share, _DIGITS)) for turn in end.path)
            rules.append(Rule(together(path), end.prediction))
        return RuleSet(tuple(rules[:-1]), schema, training.target, True, rules[-1])
