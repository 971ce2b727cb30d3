"""LMT (Landwehr, Hall and Frank 2005): trees with logistic models in their leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import out_of_range, real
from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.jobs import Watch, run_jobs
from treewright.estimators.settings import is_whole, seed_of, whole
from treewright.estimators.training import Training
from treewright.model import Tree
from treewright.model.leaves import ClassScores
from treewright.recipes import LMT
from treewright.table import TableSchema, TargetSchema
from treewright.table.folds import fold_rows, folds_by_key

IMPURITIES = ("classes", "posteriors")
ITERATIONS = ("root", "nodes")

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class _Grown:
    """A tree, its models, and the trees that pruning nests in it."""

    tree: _core.Tree
    fit: _core.LogisticFit
    total: float  # weight of its rows
    alphas: NDArray[np.float64]
    errors: NDArray[np.float64]  # shares of the judging rows
    gone: NDArray[np.uint8]


class LogisticTreeClassifier(ClassifyingTree):
    """Logistic model trees: a score for every class in every leaf, linear in the columns.

    A tree is grown as C4.5 does (as WEKA has it), and every node goes on with the model of its parent on its own rows:
    LogitBoost,
    which adds a regression on one column a class and step. Then the tree is pruned by cost and complexity, with the errors of the
    models; often the root is all that is left, a plain logistic regression of few columns. The share of a class is the
    exponential of its score over the sum of all. A nominal column of three or more levels counts as a column of 0 and 1 a level;
    missing cells are read as the mean, or the most common level, of the training rows.

    Parameters
    ----------
    iterations : int, "root" or "nodes", default "root"
        Steps of boosting in every node. "root": as many as have the least error in cross-validation at the root; where that is
        none, "nodes". "nodes": found in every node for itself (WEKA's ``-C``).
    max_iterations : int, default 200
        How many steps cross-validation tries.
    min_samples_split : int or float, default 16
        Nodes of less weight are leaves (WEKA's ``-M`` and one more). A float below 1 is a share of the total weight.
    min_samples_leaf : int or float, default 2
        Least weight of two branches of a split.
    max_depth : int, optional
        Limit of the tree.
    impurity : {"classes", "posteriors"}, default "classes"
        What the impurity of a node is: the entropy of its classes, or the mean entropy of what its model says of its rows. A node
        whose model is sure of its rows is then as good as pure, whatever classes they are of.
    min_impurity : float, optional
        A node of at most this impurity is a leaf.
    pruned : bool, default True
        Whether the tree is pruned.
    folds : int, array or splitter, default 5
        Folds of both cross-validations. Of a number equal rows stay together, and which rows go together does not depend on
        their order. An array tells the fold of every row.
    categorical_features, unseen
        As in :class:`TreeClassifier`.
    random_state : int, RandomState instance or None, default None
        Which rows go together; None is the seed 0.
    n_jobs : int, optional
        Threads; -1 for all. The tree is the same for any number.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree; ``tree_.models`` holds its scores, and text, rules and explanations write them.
    classes_ : array
        The classes that occur, sorted.
    n_iterations_ : int
        Steps of boosting in every node; 0 where they were found in every node.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> model = tw.LogisticTreeClassifier().fit(iris.X, iris.y)
    >>> int((model.predict(iris.X) != iris.y).sum()) < 5
    True
    """

    _by_nodes = False
    _recipe = LMT
    _stored: ClassVar[dict[str, str]] = {**ClassifyingTree._stored, "n_iterations_": "value"}

    n_iterations_: int

    def __init__(
        self,
        *,
        iterations: int | str = "root",
        max_iterations: int = 200,
        min_samples_split: float = 16,
        min_samples_leaf: float = 2,
        max_depth: int | None = None,
        impurity: str = "classes",
        min_impurity: float | None = None,
        pruned: bool = True,
        folds: Any = 5,
        categorical_features: Any = None,
        unseen: str = "missing",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.iterations = iterations
        self.max_iterations = max_iterations
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.impurity = impurity
        self.min_impurity = min_impurity
        self.pruned = pruned
        self.folds = folds
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _parameters(self) -> dict[str, Any]:
        params = super()._parameters()
        if parts.check_name("impurity", self.impurity, IMPURITIES) == "posteriors" and self.min_impurity is not None:
            real("min_impurity", self.min_impurity, 0.0)
            params["min_impurity"] = None  # that of the classes does not end a node
        return params

    def _warn_if_light(self, training: Training, settings: _core.GrowSettings) -> None:
        if training.weights is not None:  # of few rows a single model is what is wanted
            super()._warn_if_light(training, settings)

    def _how(self) -> _core.LogisticSettings:
        how = _core.LogisticSettings()
        how.most = min(whole("max_iterations", self.max_iterations, 1), 2**32 - 1)
        if is_whole(self.iterations):
            how.iterations = min(whole("iterations", self.iterations, 1), 2**32 - 1)
        elif not isinstance(self.iterations, str) or self.iterations not in ITERATIONS:
            raise out_of_range("iterations", self.iterations, '"root", "nodes" or a whole number from 1 up')
        if self.impurity == "posteriors" and self.min_impurity is not None:
            how.min_impurity = float(self.min_impurity)
        return how

    def _fold_of(self, training: Training) -> Whole:
        """The fold of every row."""
        n = len(training.codes)
        if is_whole(self.folds):
            k = max(2, min(whole("folds", self.folds, 2), n))
            keys, label = training.keys(seed_of(self.random_state))
            return folds_by_key(keys, training.weights, label, k)
        fold = np.zeros(n, np.int64)
        for k, (_, judging) in enumerate(fold_rows(self.folds, n, training.codes, 0, training.kept)):
            fold[judging] = k
        return fold

    def _learned(self, training: Training, params: dict[str, Any], settings: _core.GrowSettings) -> _core.Tree:
        how, fold = self._how(), self._fold_of(training)
        table = _core.LogisticTable(training.table(), fold)
        if how.iterations is None and self.iterations == "root":
            how.iterations = table.best_steps(how, params.get("watch")) or None  # a root that wants none leaves it to the nodes
        self.n_iterations_ = how.iterations or 0
        grower = _Grower(self, _filled(training, table.fill), table, params, settings, how)
        folds = [np.flatnonzero(fold == k) for k in np.unique(fold)] if self.pruned else []
        folds = [judging for judging in folds if len(judging) < len(fold)]
        jobs = [partial(grower.grow, np.arange(len(fold)), None)]
        jobs += [partial(grower.grow, np.setdiff1d(np.arange(len(fold)), judging), judging) for judging in folds]
        grown, *tried = run_jobs(jobs, self._threads(), "growing" if self.verbose else None)
        cut = np.zeros(grown.tree.size, np.uint8)
        if tried:
            alpha = _best_alpha(grown, tried)
            cut = np.asarray(_core.logistic_cut(grown.tree, grown.fit, grown.total, grown.gone, alpha))
        core, self._models = table.finished(grown.tree, grown.fit, cut, self.impurity == "posteriors")
        done: _core.Tree = core
        return done

    def _tree_of(self, core: _core.Tree, schema: TableSchema, target: TargetSchema) -> Tree:
        return Tree(core, schema, target, ClassScores(core, schema, target, self.__dict__.pop("_models")))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class by the scores of the leaf, in the order of ``classes_``."""
        return super().predict_proba(X)


class _Grower:
    """Trees of some of the rows, with models in all nodes."""

    def __init__(
        self,
        est: LogisticTreeClassifier,
        training: Training,
        table: _core.LogisticTable,
        params: dict[str, Any],
        settings: _core.GrowSettings,
        how: _core.LogisticSettings,
    ) -> None:
        self.est, self.training, self.table, self.params, self.how = est, training, table, params, how
        self.whole = training.table()
        self.whole.prepare(settings)

    def grow(self, rows: Whole, judging: Whole | None, watch: Watch | None) -> _Grown:
        """The tree of some rows, judged by others."""
        settings = self.est._settings(self.training, self.params, rows)
        settings.threads = 1
        settings.wide_share = 0.3 * len(self.training.codes) / len(rows)  # of the whole table
        part = self.whole if len(rows) == len(self.training.codes) else self.whole.part(rows)
        settings.at_training_values = False  # of the part; here those of the whole table are meant
        tree = _core.at_training_values(_core.grow(part, settings, watch), self.whole)
        fit = self.table.fit(tree, rows, self.how, watch)
        total = self.table.weight_of(rows)
        judged = None if judging is None else self.table.wrong_at(tree, fit, judging)
        alphas, errors, gone = _core.logistic_path(tree, fit, total, judged)
        share = np.asarray(errors) / (1.0 if judging is None else self.table.weight_of(judging))
        return _Grown(tree, fit, total, np.asarray(alphas), share, np.asarray(gone))


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
    return replace(training, arrays=arrays)


def _best_alpha(grown: _Grown, tried: list[_Grown]) -> float:
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
