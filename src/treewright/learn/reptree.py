"""REPTree (WEKA): information gain or variance, reduced-error pruning on rows held out, which then return to the counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from treewright import _core
from treewright.errors import real
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.growing import Grown
from treewright.learn.jobs import Progress
from treewright.learn.number_tree import NumberTreeLearner
from treewright.learn.training import Rows, Training
from treewright.learn.tree import TreeLearner
from treewright.learn.values import is_whole, seed_of, weight_limit, whole
from treewright.model import Tree
from treewright.prune.costs import costs_of
from treewright.prune.rows import held_out
from treewright.table.dealing import Dealt, hold_out
from treewright.table.folds import fold_rows
from treewright.table.target import check_squares

LEAST_GAIN = 1e-6  # WEKA's: a gain must be larger


@dataclass(kw_only=True, eq=False, repr=False)
class REPTreeClassifierParameters:
    """Parameters of ``REPTreeClassifier``, which describes them."""

    min_samples_leaf: float = 2
    pruned: bool = True
    folds: Any = 3
    max_depth: int | None = None
    random_state: Any = None
    missing: str | None = None
    ties: Any = "first"
    categorical_features: Any = None
    unseen: str = "missing"
    keep_candidates: bool = False
    n_jobs: int | None = None
    verbose: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class REPTreeRegressorParameters:
    """Parameters of ``REPTreeRegressor``, which describes them."""

    min_samples_leaf: float = 2
    min_variance: float = 1e-3
    pruned: bool = True
    folds: Any = 3
    max_depth: int | None = None
    random_state: Any = None
    missing: str | None = None
    ties: Any = "first"
    categorical_features: Any = None
    unseen: str = "missing"
    keep_candidates: bool = False
    n_jobs: int | None = None
    verbose: bool = False


P = TypeVar("P", bound=REPTreeClassifierParameters | REPTreeRegressorParameters)


class REPTreeLearner(TreeLearner[P]):
    """What both kinds share."""

    recipe = "reptree"

    def least_variance(self, training: Training, rows: Rows | None) -> tuple[float, float] | None:
        """Variance below which a node is a leaf, and that of all rows; None for classes."""
        return None

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        settings = super().settings(training, rows)
        total = training.total_of(rows)
        # The best split is found without regard to the least weight; if fewer than two of its branches hold that, it is not made.
        settings.min_branch = weight_limit("min_samples_leaf", self.params.min_samples_leaf, total)
        settings.min_leaf, settings.min_split = 0.0, 2 * settings.min_branch
        if not any(column.nominal for column in training.columns):
            settings.nominal = "one_vs_rest"  # there is nothing to split so, and thresholds alone are found faster
        least = self.least_variance(training, rows)
        if least is None:
            settings.min_gain = math.nextafter(LEAST_GAIN, 1)
        else:
            settings.min_impurity = math.nextafter(least[0], 0)
            # WEKA's least fall of the squared error is in the unit of the target; in a small unit nothing would exceed it.
            settings.min_decrease = math.nextafter(LEAST_GAIN * min(1.0 / total, least[1]), math.inf)
        return settings

    def dealt(self, training: Training) -> Dealt:
        """The rows held out for pruning (fold 0), and the others."""
        folds = self.params.folds
        if is_whole(folds):
            keys, label = training.keys(seed_of(self.params.random_state))
            return hold_out(keys, training.weights, label, 1 / whole("folds", folds, 2))
        rows, classes = np.arange(len(training.codes)), training.codes if training.target.nominal else None
        test = fold_rows(folds, len(rows), classes, 0, training.kept)[0][1]
        return Dealt(rows, np.where(np.isin(rows, test), 0, 1), training.weights)

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of the training rows, some of which are held out for pruning and then counted, too."""
        if not self.params.pruned:
            return super().grow(training, settings, progress)
        training.check_all(settings.missing)
        dealt = self.dealt(training)
        judging, growing = (training.part(*dealt.of(fold)) for fold in (0, 1))
        if len(judging.codes) == 0 or len(growing.codes) == 0:  # too few rows for both
            return super().grow(training, settings, progress)
        core = super().grow(growing, self.settings(growing), progress).core
        costs = costs_of(training.target)
        losses = held_out(core, judging.table(), costs)
        core = _core.prune("reduced_error", core, {}, costs, losses.loss)
        return Grown(_core.described_anew(core, training.table(), settings.criterion))


class REPTreeClassifierLearner(REPTreeLearner[REPTreeClassifierParameters], ClassTreeLearner[REPTreeClassifierParameters]):
    """REPTree for classes."""

    name = "REPTreeClassifier"
    Parameters = REPTreeClassifierParameters


class REPTreeRegressorLearner(REPTreeLearner[REPTreeRegressorParameters], NumberTreeLearner[REPTreeRegressorParameters]):
    """REPTree for numbers."""

    name = "REPTreeRegressor"
    Parameters = REPTreeRegressorParameters

    def ends_at(self, tree: Tree) -> str:
        """The option that ends a tree at its root, which counts in variances of the whole target."""
        return "min_variance=2"

    def least_variance(self, training: Training, rows: Rows | None) -> tuple[float, float] | None:
        """Variance below which a node is a leaf, and that of all rows."""
        y = training.codes if rows is None else training.codes[rows]
        weights = training.weights if rows is None or training.weights is None else training.weights[rows]
        check_squares(training.codes, "REPTree")
        mean = np.average(y, weights=weights)
        variance = float(np.average((y - mean) ** 2, weights=weights))
        return real("min_variance", self.params.min_variance, 0.0) * variance, variance
