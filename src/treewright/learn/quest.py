"""QUEST (Loh and Shih 1997), one column per node: the column by tests, the place by a quadratic discriminant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright import _core, parts
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.held_out import HeldOutPruning
from treewright.learn.training import Rows, Training

MISSING = ("majority", "learned", "own", "fraction", "spread", "ignore", "refuse", "surrogate")


@dataclass(kw_only=True, eq=False, repr=False)
class QuestTreeParameters:
    """Parameters of ``QuestTreeClassifier``, which describes them."""

    pruned: bool = True
    holdout: float = 0.1
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float | None = None
    min_samples_leaf: float | None = None
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    class_weight: Any = None
    missing: str = "majority"
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


class QuestTreeLearner(HeldOutPruning[QuestTreeParameters], ClassTreeLearner[QuestTreeParameters]):
    """QUEST's trees of single columns."""

    name = "QuestTreeClassifier"
    Parameters = QuestTreeParameters

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        settings = super().settings(training, rows)
        settings.proposers = ["quest-columns"]
        return settings

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""
        super().check_own()
        parts.check_name("missing", self.params.missing, MISSING)
