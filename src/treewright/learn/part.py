"""PART (Frank and Witten 1998): an ordered list of rules, each a leaf of a C4.5 tree that is grown only as far as needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from treewright import _core
from treewright.learn.c45 import C45Learner, C45Parameters
from treewright.learn.jobs import Progress
from treewright.learn.rules import ClassRuleLearner
from treewright.learn.training import Training
from treewright.learn.values import flag
from treewright.model.node import Node
from treewright.model.rule import Rule, together
from treewright.model.rules import RuleSet
from treewright.table import TableSchema

_DIGITS = 9  # of the share of a missing cell that a condition takes


@dataclass(kw_only=True, eq=False, repr=False)
class PartParameters:
    """Parameters of ``PartClassifier``, which describes them."""

    confidence: float = 0.25
    min_samples_leaf: float = 2
    pruned: bool = True
    penalty: bool = True
    categorical_features: Any = None
    unseen: str = "missing"
    verbose: bool = False


class PartLearner(ClassRuleLearner[PartParameters]):
    """PART."""

    name = "PartClassifier"
    Parameters = PartParameters
    by_level = ("ordered", "bool")
    sees_declared = True

    def find(self, training: Training, schema: TableSchema) -> tuple[RuleSet, dict[str, Any]]:
        """The rules of the training rows."""
        options = {name: self.given[name] for name in ("confidence", "min_samples_leaf", "penalty")}
        grower = C45Learner(C45Parameters(variant="j48", **options))
        settings = grower.settings(training)
        how = (flag("pruned", self.params.pruned), grower.confidence, settings.min_leaf)
        with Progress(bar=bool(self.params.verbose)).shown("covering") as tell:
            found = _core.cover_by_trees(training.table(), settings, *how, tell)
        classes = training.target.classes
        assert classes is not None
        rules = []
        for core, leaf in found:
            end = Node(training.tree(core, "fraction"), leaf)
            # Fractions of rows are kept to 2^-46 of all weight: what a missing cell's share is off by that is rounded away.
            path = (replace(turn, missing_share=round(turn.missing_share, _DIGITS)) for turn in end.path)
            rules.append(Rule(together(path), end.prediction))
        return RuleSet(tuple(rules[:-1]), schema, training.target, True, rules[-1]), {}
