"""LMT (Landwehr, Hall and Frank 2005): trees with logistic models in their leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import out_of_range, real
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.growing import Grown
from treewright.learn.jobs import Progress, Watch, run_jobs
from treewright.learn.training import Rows, Training
from treewright.learn.values import is_whole, seed_of, whole
from treewright.model import Tree
from treewright.model.leaves import ClassScores
from treewright.recipes import LMT
from treewright.table import TableSchema, TargetSchema
from treewright.table.dealing import deal
from treewright.table.folds import fold_rows

IMPURITIES = ("classes", "posteriors")
ITERATIONS = ("root", "nodes")
MOST_ITERATIONS = 100_000


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticTreeParameters:
    """Parameters of ``LogisticTreeClassifier``, which describes them."""

    iterations: int | str = "root"
    max_iterations: int = 200
    min_samples_split: float = 16
    min_samples_leaf: float = 2
    max_depth: int | None = None
    impurity: str = "classes"
    min_impurity: float | None = None
    pruned: bool = True
    folds: Any = 5
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


@dataclass(frozen=True)
class _Nested:
    """A tree, its models, and the trees that pruning nests in it."""

    tree: _core.Tree
    fit: _core.LogisticFit
    total: float  # weight of its rows
    alphas: NDArray[np.float64]
    errors: NDArray[np.float64]  # shares of the judging rows
    gone: NDArray[np.uint8]


class LogisticTreeLearner(ClassTreeLearner[LogisticTreeParameters]):
    """Logistic model trees."""

    name = "LogisticTreeClassifier"
    Parameters = LogisticTreeParameters
    recipe = LMT
    stored: ClassVar[dict[str, str]] = {**ClassTreeLearner.stored, "n_iterations_": "value"}

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """The parameters that trees are grown with."""
        given, params = self.params, {"recipe": self.recipe, **self.given}
        if parts.check_name("impurity", given.impurity, IMPURITIES) == "posteriors" and given.min_impurity is not None:
            real("min_impurity", given.min_impurity, 0.0)
            params["min_impurity"] = None  # that of the classes does not end a node
        return params

    @property
    def not_by_nodes(self) -> str | None:
        """Nodes do not answer by their own training rows."""
        return "models in its leaves"

    def warn_if_light(self, training: Training, settings: _core.GrowSettings) -> None:
        """Warn when the weights are too light for even one split; of few rows a single model is what is wanted."""
        if training.weights is not None:
            super().warn_if_light(training, settings)

    def boosting(self) -> _core.LogisticSettings:
        """What boosting needs to know."""
        given, how = self.params, _core.LogisticSettings()
        how.most = whole("max_iterations", given.max_iterations, 1, MOST_ITERATIONS)
        if is_whole(given.iterations):
            how.iterations = whole("iterations", given.iterations, 1, MOST_ITERATIONS)
        elif not isinstance(given.iterations, str) or given.iterations not in ITERATIONS:
            raise out_of_range("iterations", given.iterations, '"root", "nodes" or a whole number from 1 up')
        if given.impurity == "posteriors" and given.min_impurity is not None:
            how.min_impurity = float(given.min_impurity)
        return how

    def check_own(self) -> None:
        """Refuse wrong numbers of iterations."""
        self.boosting()

    def dealt(self, training: Training) -> tuple[Training, Rows]:
        """The rows, those in several folds once for each, and the fold of every one."""
        n, folds = len(training.codes), self.params.folds
        if is_whole(folds):
            k = max(2, min(whole("folds", folds, 2), n))
            keys, label = _without_units(training).keys(seed_of(self.params.random_state))
            dealt = deal(keys, training.weights, label, k)
            return replace(training.subset(dealt.row), weights=dealt.weight), dealt.fold
        fold = np.zeros(n, np.int64)
        for k, (_, judging) in enumerate(fold_rows(folds, n, training.codes, 0, training.kept)):
            fold[judging] = k
        return training, fold

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of the training rows, pruned by cross-validation, with models in all nodes."""
        how = self.boosting()
        training, fold = self.dealt(training)
        table = _core.LogisticTable(training.table(), fold)
        if how.iterations is None and self.params.iterations == "root":
            how.iterations = table.best_steps(how, progress.watch) or None  # a root that wants none leaves it to the nodes
        grower = _Grower(self, _filled(training, table.fill), table, settings, how)
        folds = [np.flatnonzero(fold == k) for k in np.unique(fold)] if self.params.pruned else []
        folds = [judging for judging in folds if len(judging) < len(fold)]
        jobs = [partial(grower.grow, np.arange(len(fold)), None)]
        jobs += [partial(grower.grow, np.setdiff1d(np.arange(len(fold)), judging), judging) for judging in folds]
        grown, *tried = run_jobs(jobs, self.threads, "growing" if progress.bar else None)
        cut = np.zeros(grown.tree.size, np.uint8)
        if tried:
            alpha = _best_alpha(grown, tried)
            cut = np.asarray(_core.logistic_cut(grown.tree, grown.fit, grown.total, grown.gone, alpha))
        core, models = table.finished(grown.tree, grown.fit, cut, self.params.impurity == "posteriors")
        return Grown(core, models, {"n_iterations_": how.iterations or 0})

    def tree_of(self, grown: Grown, schema: TableSchema, target: TargetSchema) -> Tree:
        """The grown tree as a value."""
        assert grown.models is not None
        return Tree(grown.core, schema, target, ClassScores(grown.core, schema, target, grown.models))


class _Grower:
    """Trees of some of the rows, with models in all nodes."""

    def __init__(
        self,
        learner: LogisticTreeLearner,
        training: Training,
        table: _core.LogisticTable,
        settings: _core.GrowSettings,
        how: _core.LogisticSettings,
    ) -> None:
        self.learner, self.training, self.table, self.how = learner, training, table, how
        self.whole = training.table()
        self.whole.prepare(settings)

    def grow(self, rows: Rows, judging: Rows | None, watch: Watch | None) -> _Nested:
        """The tree of some rows, judged by others."""
        settings = self.learner.settings(self.training, rows)
        settings.threads = 1
        settings.wide_share = 0.3 * self.training.total / self.training.total_of(rows)  # of the whole table
        subset = self.whole if len(rows) == len(self.training.codes) else self.whole.part(rows)
        settings.at_training_values = False  # of the subset; here those of the whole table are meant
        tree = _core.at_training_values(_core.grow(subset, settings, watch), self.whole)
        fit = self.table.fit(tree, rows, self.how, watch)
        total = self.table.weight_of(rows)
        judged = None if judging is None else self.table.wrong_at(tree, fit, judging)
        alphas, errors, gone = _core.logistic_path(tree, fit, total, judged)
        share = np.asarray(errors) / (1.0 if judging is None else self.table.weight_of(judging))
        return _Nested(tree, fit, total, np.asarray(alphas), share, np.asarray(gone))


def _without_units(training: Training) -> Training:
    """The rows with every column of numbers divided by a power of two as large as the largest of them."""
    arrays, at = [], 0
    for array in training.arrays:
        if not training.columns[at].nominal:
            numbers = array.astype(np.float64)
            largest = np.max(np.abs(numbers), axis=0, where=~np.isnan(numbers), initial=0.0)
            array = np.ldexp(numbers, -np.frexp(largest)[1])
        arrays.append(array)
        at += 1 if array.ndim == 1 else array.shape[1]
    return replace(training, given=arrays, drawn=None, encoded=None)


def _filled(training: Training, fill: NDArray[np.float64]) -> Training:
    """The rows with every missing cell filled."""
    arrays, at = [], 0
    for array in training.arrays:
        n = 1 if array.ndim == 1 else array.shape[1]
        here = fill[at : at + n]
        nominal = training.columns[at].nominal
        lost = array < 0 if nominal else np.isnan(array) if array.dtype.kind == "f" else np.zeros(1, bool)
        if lost.any():
            wide = array if nominal else array.astype(np.float64)
            array = np.where(lost, here if array.ndim == 2 else here[0], wide).astype(wide.dtype)
        arrays.append(array)
        at += n
    return replace(training, given=arrays, drawn=None, encoded=None)


def _best_alpha(grown: _Nested, tried: list[_Nested]) -> float:
    """The cost of a leaf that has the least error over the folds: halfway, geometrically, between those of two nested trees."""
    with np.errstate(invalid="ignore"):
        middle = np.nan_to_num(np.sqrt(grown.alphas[:-1] * grown.alphas[1:]))
    error = np.zeros(len(middle))
    for each in tried:
        # The largest tree of the fold that this alpha selects; alphas behind the last need not ascend.
        above = each.alphas[None, :-1] > middle[:, None]
        first = np.where(above.any(axis=1), above.argmax(axis=1), above.shape[1])
        error += each.errors[first - 1]
    best = len(error) - 1 - int(np.argmin(error[::-1]))  # of equals the smallest tree
    return float(middle[best])
