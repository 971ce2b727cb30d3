"""REPTree (WEKA): information gain or variance, reduced-error pruning on rows held out, which then return to the counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import real
from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.regression import RegressionTree
from treewright.estimators.settings import is_whole, seed_of, weight_limit, whole
from treewright.estimators.training import Training
from treewright.estimators.tree import TreeEstimator
from treewright.prune.costs import costs_of
from treewright.prune.rows import held_out
from treewright.table.folds import fold_rows, held_out_rows
from treewright.table.target import check_squares

LEAST_GAIN = 1e-6  # WEKA's: a gain must be larger


class _REPTree(TreeEstimator):
    """What both kinds share."""

    _recipe = "reptree"

    min_samples_leaf: float
    pruned: bool
    folds: Any
    random_state: Any

    def _least_variance(self, training: Training, rows: NDArray[np.int64] | None) -> tuple[float, float] | None:
        """Variance below which a node is a leaf, and that of all rows; None for classes."""
        return None

    def _settings(self, training: Training, params: dict[str, Any], rows: NDArray[np.int64] | None = None) -> _core.GrowSettings:
        settings = super()._settings(training, params, rows)
        total = training.total if rows is None else training.total_of(rows)
        # The best split is found without regard to the least weight; if fewer than two of its branches hold that, it is not made.
        settings.min_branch = weight_limit("min_samples_leaf", self.min_samples_leaf, total)
        settings.min_leaf, settings.min_split = 0.0, 2 * settings.min_branch
        if not any(column.nominal for column in training.columns):
            settings.nominal = "one_vs_rest"  # there is nothing to split so, and thresholds alone are found faster
        least = self._least_variance(training, rows)
        if least is None:
            settings.min_gain = math.nextafter(LEAST_GAIN, 1)
        else:
            settings.min_impurity = math.nextafter(least[0], 0)
            # WEKA's least gain is in the unit of the target; of targets in a small unit nothing would exceed it.
            settings.min_decrease = math.nextafter(LEAST_GAIN * min(1.0, least[1]) / total, math.inf)
        return settings

    def _held_out(self, training: Training) -> Any:
        """Which rows are held out for pruning."""
        classes = training.codes if training.target.nominal else None
        if not is_whole(self.folds):
            test = fold_rows(self.folds, len(training.codes), classes, 0, training.kept)[0][1]
            return np.isin(np.arange(len(training.codes)), test)
        keys, label = training.keys(seed_of(self.random_state))
        return held_out_rows(keys, training.weights, label, 1 / whole("folds", self.folds, 2))

    def _learned(self, training: Training, params: dict[str, Any], settings: _core.GrowSettings) -> _core.Tree:
        if not self.pruned:
            return super()._learned(training, params, settings)
        training.check_all(settings.missing)
        held = self._held_out(training)
        if held.all() or not held.any():  # too few rows for both
            return super()._learned(training, params, settings)
        growing, judging = np.flatnonzero(~held), training.part(np.flatnonzero(held))
        core = super()._learned(training.part(growing), params, self._settings(training, params, growing))
        costs = costs_of(training.target)
        core = _core.prune("reduced_error", core, {}, costs, held_out(core, judging.table(), costs).loss)
        return _core.described_anew(core, training.table(), settings.criterion)


class REPTreeClassifier(_REPTree, ClassifyingTree):
    """REPTree of WEKA for classes: a fast tree by information gain, cut back by reduced-error pruning on rows held out.

    Nominal columns get a branch per declared level, numeric ones are cut in two (``x < t``), rows with a missing cell go down
    every branch in parts. A third of the rows is held out, balanced by class; they decide which nodes end, and then return:
    every node tells of all rows.

    Parameters
    ----------
    min_samples_leaf : int or float, default 2
        Two branches must hold this weight, and a node twice as much to be split (WEKA's ``-M``). The best split is found
        first; if it falls short, the node is a leaf. A float below 1 is a share of the total weight.
    pruned : bool, default True
        Hold rows out and prune (``-P`` for False).
    folds : int or array, default 3
        One of so many parts is held out (``-N``). Equal rows stay together, and which are held out does not depend on their
        order. An array tells the part of every row; the one of the lowest number is held out.
    max_depth : int, optional
        Limit of the tree (``-L``).
    random_state : int, RandomState instance or None, default None
        Which rows are held out (``-S``); None is the seed 0.
    missing, ties, categorical_features, unseen, keep_candidates, n_jobs, verbose
        As in :class:`TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> tw.REPTreeClassifier().fit(iris.X, iris.y).tree_.n_leaves
    3
    """

    def __init__(
        self,
        *,
        min_samples_leaf: float = 2,
        pruned: bool = True,
        folds: Any = 3,
        max_depth: int | None = None,
        random_state: Any = None,
        missing: str | None = None,
        ties: Any = "first",
        categorical_features: Any = None,
        unseen: str = "missing",
        keep_candidates: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.pruned = pruned
        self.folds = folds
        self.max_depth = max_depth
        self.random_state = random_state
        self.missing = missing
        self.ties = ties
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.keep_candidates = keep_candidates
        self.n_jobs = n_jobs
        self.verbose = verbose


class REPTreeRegressor(_REPTree, RegressionTree):
    """REPTree of WEKA for numbers: a fast tree by variance, cut back by reduced-error pruning on rows held out.

    As :class:`REPTreeClassifier`, but that a node is also a leaf when its variance is small.

    Parameters
    ----------
    min_samples_leaf, pruned, folds, max_depth, random_state
        As in :class:`REPTreeClassifier`.
    min_variance : float, default 0.001
        A node of less than this share of the variance of all growing rows is a leaf (``-V``).
    missing, ties, categorical_features, unseen, keep_candidates, n_jobs, verbose
        As in :class:`TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    """

    def __init__(
        self,
        *,
        min_samples_leaf: float = 2,
        min_variance: float = 1e-3,
        pruned: bool = True,
        folds: Any = 3,
        max_depth: int | None = None,
        random_state: Any = None,
        missing: str | None = None,
        ties: Any = "first",
        categorical_features: Any = None,
        unseen: str = "missing",
        keep_candidates: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.min_variance = min_variance
        self.pruned = pruned
        self.folds = folds
        self.max_depth = max_depth
        self.random_state = random_state
        self.missing = missing
        self.ties = ties
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.keep_candidates = keep_candidates
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _least_variance(self, training: Training, rows: NDArray[np.int64] | None) -> tuple[float, float]:
        y = training.codes if rows is None else training.codes[rows]
        weights = training.weights if rows is None or training.weights is None else training.weights[rows]
        check_squares(training.codes, "REPTree")
        mean = np.average(y, weights=weights)
        variance = float(np.average((y - mean) ** 2, weights=weights))
        return real("min_variance", self.min_variance, 0.0) * variance, variance
