"""ID3 (Quinlan 1979, 1983, 1986)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.settings import seed_of, weight_limit
from treewright.estimators.training import Training
from treewright.estimators.windowing import KEPT, Cycles, Grown, exact

CYCLES = 100  # of a window that stays as large, before it grows after all


class ID3Classifier(ClassifyingTree):
    """ID3 (Quinlan 1986): multiway splits on nominal columns by information gain, each used once on a path.

    Numeric columns are cut in two halfway between values (``x < t``) and may be tested again. Declared levels without
    rows get an empty branch that repeats the majority above it. Missing cells are refused unless ``missing`` says otherwise.

    Parameters
    ----------
    missing : str, default "refuse"
        Policy for missing cells; see :class:`TreeClassifier`.
    ties : {"first", "seeded"} or callable, default "first"
        Which of several equally good columns is taken; the paper does not say. A callable gets the tied names and the path.
    window : int or float, optional
        Windowing: the tree is grown from this many rows (or this share of them), drawn at random, and again with rows it got
        wrong, until it is right about every row outside the window. Without it all rows are used at once.
    window_keeps : {"all", "keys"}, default "all"
        Whether the window grows, or stays as large by keeping only key rows, one of each leaf of the current tree (Quinlan 1983).
    significance : float, optional
        Columns whose chi-square test of irrelevance has a larger p-value are not considered (the paper's 99 % is 0.01).
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_impurity, min_gain, purity
        When to stop early; see :class:`TreeClassifier`. The algorithm as published has none of these.
    categorical_features, unseen, keep_candidates, random_state, n_jobs, verbose
        As in :class:`TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.
    windows_ : array of int, shape (trees, 3)
        With ``window``, of every tree that was grown: 0, the rows of its window, and how many of all rows it gets wrong.

    Examples
    --------
    >>> import treewright as tw
    >>> tennis = tw.datasets.load_play_tennis()
    >>> print(tw.ID3Classifier().fit(tennis.X, tennis.y).tree_.to_rules())
    if outlook = sunny and humidity = high then play = no  (3 rows, 100% right)
    if outlook = sunny and humidity = normal then play = yes  (2 rows, 100% right)
    if outlook = overcast then play = yes  (4 rows, 100% right)
    if outlook = rain and wind = weak then play = yes  (3 rows, 100% right)
    if outlook = rain and wind = strong then play = no  (2 rows, 100% right)
    """

    _recipe = "id3"
    _stored: ClassVar[dict[str, str]] = {**ClassifyingTree._stored, "windows_": "value"}

    windows_: NDArray[np.int64]

    def __init__(
        self,
        *,
        missing: str | None = None,
        ties: Any = "first",
        window: float | None = None,
        window_keeps: str = "all",
        significance: float | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity: float | None = None,
        min_gain: float = 0.0,
        purity: float | None = None,
        categorical_features: Any = None,
        unseen: str = "missing",
        keep_candidates: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.missing = missing
        self.ties = ties
        self.window = window
        self.window_keeps = window_keeps
        self.significance = significance
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity = min_impurity
        self.min_gain = min_gain
        self.purity = purity
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.keep_candidates = keep_candidates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _learned(self, training: Training, params: dict[str, Any], settings: _core.GrowSettings) -> _core.Tree:
        kept = parts.check_name("window_keeps", self.window_keeps, KEPT)
        if self.window is None:
            return super()._learned(training, params, settings)
        training.check_all(settings.missing)
        n = len(training.codes)
        size = max(1, min(n, int(weight_limit("window", self.window, n))))
        order = np.random.default_rng(seed_of(self.random_state)).permutation(n)

        def grow(rows: NDArray[np.int64]) -> Grown:
            core = self._grow(params, training.table(rows), settings)
            return Grown(core, *training.answers(core, settings.missing))

        cycles: Cycles = []
        core = exact(grow, training.codes, order, size, max(1, size // 5), kept, CYCLES, cycles)
        self.windows_ = np.array([(0, *cycle) for cycle in cycles], np.int64)
        return core
