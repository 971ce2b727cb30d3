"""ID3 (Quinlan 1979, 1983, 1986)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from treewright import _core, parts
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.growing import Grown, grow
from treewright.learn.jobs import Progress
from treewright.learn.training import Rows, Training
from treewright.learn.values import seed_of, weight_limit
from treewright.learn.windowing import KEPT, Cycles, WindowTree, exact

CYCLES = 100  # of a window that stays as large, before it grows after all


@dataclass(kw_only=True, eq=False, repr=False)
class ID3Parameters:
    """Parameters of ``ID3Classifier``, which describes them."""

    missing: str | None = None
    ties: Any = "first"
    window: float | None = None
    window_keeps: str = "all"
    significance: float | None = None
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_impurity: float | None = None
    min_gain: float = 0.0
    purity: float | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    keep_candidates: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


class ID3Learner(ClassTreeLearner[ID3Parameters]):
    """ID3, from all rows or from a window of them."""

    name = "ID3Classifier"
    Parameters = ID3Parameters
    recipe = "id3"
    stored: ClassVar[dict[str, str]] = {**ClassTreeLearner.stored, "windows_": "value"}

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of the training rows."""
        kept = parts.check_name("window_keeps", self.params.window_keeps, KEPT)
        if self.params.window is None:
            return super().grow(training, settings, progress)
        training.check_all(settings.missing)
        n = len(training.codes)
        size = max(1, min(n, int(weight_limit("window", self.params.window, n))))
        order = np.random.default_rng(seed_of(self.params.random_state)).permutation(n)

        def grow_window(rows: Rows) -> WindowTree:
            core = grow(training.table(rows), settings, progress)
            return WindowTree(core, *training.answers(core, settings.missing))

        cycles: Cycles = []
        core = exact(grow_window, training.codes, order, size, max(1, size // 5), kept, CYCLES, cycles)
        return Grown(core, facts={"windows_": np.array([(0, *cycle) for cycle in cycles], np.int64)})
