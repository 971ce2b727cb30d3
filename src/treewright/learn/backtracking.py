"""Trees that look ahead: splits are tried several levels deep, and the tries taken back, before one is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright import _core
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.training import Rows, Training
from treewright.learn.values import whole

DEEPEST = 32
FILLING = ("most_common", "most_common_in_class")


@dataclass(kw_only=True, eq=False, repr=False)
class BacktrackingTreeParameters:
    """Parameters of ``BacktrackingTreeClassifier``, which describes them."""

    depth: int = 2
    criterion: str = "info_gain"
    nominal: str = "multiway"
    max_thresholds: int | None = None
    max_steps: int = 1_000_000_000
    missing: str | None = None
    ties: Any = "first"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_gain: float = 0.0
    categorical_features: Any = None
    unseen: str = "missing"
    keep_candidates: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


class BacktrackingTreeLearner(ClassTreeLearner[BacktrackingTreeParameters]):
    """ID3 with a look ahead."""

    name = "BacktrackingTreeClassifier"
    Parameters = BacktrackingTreeParameters
    recipe = "id3"

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""
        self._look()

    def _look(self) -> tuple[int, int, int]:
        depth = whole("depth", self.params.depth, 1, DEEPEST)
        cuts = 0 if self.params.max_thresholds is None else whole("max_thresholds", self.params.max_thresholds, 1)
        if depth > 1 and self.missing in (*FILLING, "surrogate"):
            remedy = "use e.g. missing='learned' or 'majority', or depth=1"
            raise ValueError(
                f"looking ahead compares divisions of whole nodes, missing={self.missing!r} does not fit them: {remedy}"
            )
        return depth, min(cuts, 2**32 - 1), min(whole("max_steps", self.params.max_steps, 1), 2**63)

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        settings = super().settings(training, rows)
        depth, cuts, steps = self._look()
        if depth > 1:
            training.check_all(settings.missing, "missing='learned' or missing='majority'")
            settings.look_ahead(depth, cuts, steps)
        return settings
