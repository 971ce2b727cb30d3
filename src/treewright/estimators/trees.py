"""Tree estimators: scikit-learn's interface and parameter names over any recipe of parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from treewright import _core, parts
from treewright.errors import shown
from treewright.estimators.asked import PythonCriterion
from treewright.estimators.costs import class_factors, set_class_costs
from treewright.estimators.pruning import Prunable
from treewright.estimators.settings import chosen, flag, make_settings, real, threads, whole
from treewright.estimators.stability import Resampled
from treewright.estimators.stored import Stored
from treewright.estimators.target import (
    node_means,
    set_vectors,
    takes_several,
    warn_if_light,
    warn_if_rounded,
    warn_of_rows_beyond,
)
from treewright.inspect import Explanation, explain
from treewright.model import Tree
from treewright.model.exports import Exports
from treewright.model.targets import LeafTargets, leaf_targets
from treewright.progress import Bar
from treewright.prune.rpart import rpart_ends
from treewright.recipe import Recipe
from treewright.recipes import find
from treewright.store.damage import need
from treewright.table import ColumnSchema, TableSchema, TargetSchema, learn_schema
from treewright.table.core import core_table
from treewright.table.frames import as_matrix, as_table, is_frame, shape_of
from treewright.table.target import check_counts, read_classes, read_numbers, read_vectors, read_weights, several_numbers


def count_rows(X: Any) -> int:
    """Return the number of rows of a table, refusing what has none or no columns."""
    n_rows, n_columns = shape_of(X)
    if n_columns == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required.")
    if n_rows == 0:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    return n_rows


def known_levels(state: dict[str, Any], declared: bool) -> tuple[tuple[int, ...], ...]:
    """Return per column the codes of the levels that occurred in training, or of all that were declared."""
    out, at = [], 0
    for kind, count in zip(state["column_kind"].tolist(), state["column_levels"].tolist(), strict=True):
        n = count if kind == 1 else 0
        seen = np.flatnonzero(state["column_seen"][at : at + n]).tolist()
        out.append(tuple(range(n)) if declared else tuple(seen))
        at += n
    return tuple(out)


@dataclass(frozen=True)
class Training:
    """The training rows as the core reads them."""

    columns: list[ColumnSchema]
    arrays: list[NDArray[Any]]
    target: TargetSchema
    codes: NDArray[Any]
    weights: NDArray[Any] | None
    kept: NDArray[Any] | None = None  # which of the rows that were given these are; None: all
    factors: NDArray[np.float64] | None = None  # of the classes, where they are part of the weights

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(len(self.codes)) if self.weights is None else float(np.sum(self.weights))

    def total_of(self, rows: NDArray[np.int64]) -> float:
        """Weight of some of the rows."""
        return float(len(rows)) if self.weights is None else float(np.sum(self.weights[rows]))

    def part(self, rows: NDArray[np.int64]) -> Training:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return Training(self.columns, [array[rows] for array in self.arrays], self.target, self.codes[rows], weights)

    def table(self, rows: NDArray[np.int64] | None = None) -> _core.TableInput:
        """All rows, or the given ones, for the core."""
        if rows is not None:
            return self.part(rows).table()
        return core_table(self.columns, self.arrays, self.target, self.codes, self.weights)

    def tree(self, core: _core.Tree, policy: str) -> Tree:
        """A tree of these rows as a value, before its schema is final."""
        schema = TableSchema(tuple(self.columns), False, known_levels(core.state(), declared=True), "missing", policy)
        return Tree(core, schema, self.target)

    def answers(self, core: _core.Tree, policy: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The class a tree gives every training row, as a position, and the leaf it ends in."""
        routes: Any = core.route(self.arrays, len(self.codes), 1)
        return self.tree(core, policy).classes_said(routes), np.asarray(routes[0], np.int64)


def read_training(
    X: Any, y: Any, sample_weight: Any, nominal: Any, ordered_as_nominal: bool, read: Callable[..., tuple[TargetSchema, Any]]
) -> Training:
    """Read the rows to learn from; those of weight 0 are none. ``read`` reads the target."""
    n_rows = count_rows(X)
    if isinstance(y, str):
        raise ValueError(f"y={y!r} is a name, not values: pass the column itself, such as X.drop(columns={y!r}) and X[{y!r}]")
    if y is not None and hasattr(y, "__len__") and len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(y)}: inconsistent numbers of samples")
    weights, keep = read_weights(sample_weight, n_rows)
    columns, arrays = learn_schema(X, nominal, ordered_as_nominal, keep)
    target, codes = read(y, keep)
    return Training(columns, arrays, target, codes, weights, keep)


class TreeEstimator(Exports, Prunable, Resampled, Stored):
    """What tree classifiers and regressors share: reading the table, growing, and the answers that need no class."""

    # Parameters every tree estimator has, whatever its recipe; a subclass may not list all of them in its constructor.
    _recipe: ClassVar[str | Recipe] = "cart"
    _stored: ClassVar[dict[str, str]] = {**Stored._stored, "tree_": "tree"}
    # Nodes answer by their own training rows, so that a tree can be judged node by node; models in leaves do not.
    _by_nodes: ClassVar[bool] = True

    tree_: Tree

    def _parameters(self) -> dict[str, Any]:
        params: dict[str, Any] = self.get_params(deep=False)
        params.setdefault("recipe", self._recipe)
        return params

    def _missing(self) -> str:
        params = self._parameters()
        policy = params.get("missing")
        return find(params["recipe"]).missing if policy is None else policy

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._missing() != "refuse"
        tags.input_tags.sparse = False
        return tags

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)

    def _read_target(self, y: Any, keep: Any) -> tuple[TargetSchema, NDArray[Any]]:
        raise NotImplementedError  # pragma: no cover

    def _occurring(self) -> list[Any]:
        """Classes that occur, where there are classes."""
        return []

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._forget()
        X = as_table(X)
        params = self._parameters()
        unseen = parts.check_name("unseen", params.get("unseen", "missing"), parts.UNSEEN)
        if not isinstance(params.get("verbose", False), (bool, np.bool_)):
            whole("verbose", params["verbose"], 0)
        training = self._training(X, y, sample_weight, params)
        settings = self._settings(training, params)
        warn_if_rounded(training.weights)
        self._warn_if_light(training, settings)
        if settings.criterion == "poisson":
            check_counts(training.codes)
        core = self._learned(training, params, settings)
        validate_data(self, X, reset=True, skip_check_array=True)
        known = known_levels(core.state(), declared=settings.nominal in ("multiway", "grouped"))
        schema = TableSchema(tuple(training.columns), is_frame(X), known, unseen, settings.missing)
        self.tree_ = self._tree_of(core, schema, self._judged(training, settings))
        self._look_back(training, settings)
        return self

    def _warn_if_light(self, training: Training, settings: _core.GrowSettings) -> None:
        warn_if_light(training.total, settings.min_split, settings.min_leaf)

    def _judged(self, training: Training, settings: _core.GrowSettings) -> TargetSchema:
        """The target with what errors cost."""
        return replace(training.target, measure=parts.MEASURES.get(settings.criterion, "variance"))

    def _pruned_at(self) -> float:
        params = self._parameters()
        return float(chosen(params, "cp", find(params["recipe"]).cp) or 0.0)

    def _look_back(self, training: Training, settings: _core.GrowSettings) -> None:
        """What is to be said of the training rows once the tree is there."""

    def _training(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> Training:
        """The rows to learn from; those of weight 0 are none."""
        recipe = find(params["recipe"])
        return read_training(
            X, y, sample_weight, params.get("categorical_features"), recipe.ordered_as_nominal, self._read_target
        )

    def _settings(self, training: Training, params: dict[str, Any], rows: NDArray[np.int64] | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        total = training.total if rows is None else training.total_of(rows)
        settings, _ = make_settings(params, training.target.classes, self._occurring(), len(training.columns), total)
        self._set_ties(settings, params, training.columns)
        return settings

    def _tree_of(self, core: _core.Tree, schema: TableSchema, target: TargetSchema) -> Tree:
        """The learned tree as a value."""
        return Tree(core, schema, target)

    def _learned(self, training: Training, params: dict[str, Any], settings: _core.GrowSettings) -> _core.Tree:
        """The tree of the training rows."""
        table = training.table()
        return self._finished(self._grow(params, table, settings), table, params, settings)

    def _regrown(
        self, training: Training, whole: _core.TableInput, rows: NDArray[np.int64], params: dict[str, Any]
    ) -> _core.Tree:
        """The tree of some of the training rows; ``whole`` is their table, encoded once for all such trees."""
        settings = self._settings(training, params, rows)
        settings.threads = 1
        if type(self)._learned is not TreeEstimator._learned:
            return self._learned(training.part(rows), params, settings)
        table = whole.part(rows)
        return self._finished(self._grow(params, table, settings), table, params, settings)

    @staticmethod
    def _grow(params: dict[str, Any], table: _core.TableInput, settings: _core.GrowSettings) -> _core.Tree:
        if not params.get("verbose"):
            return _core.grow(table, settings, params.get("watch"))
        with Bar("growing") as bar:
            return _core.grow(table, settings, bar)

    def _finished(
        self, core: _core.Tree, table: _core.TableInput, params: dict[str, Any], settings: _core.GrowSettings
    ) -> _core.Tree:
        """What a recipe does with the grown tree."""
        recipe = find(params["recipe"])
        if flag("collapse", chosen(params, "collapse", recipe.collapse)):
            core = core.cut_back(_core.useless_splits(core))
        if chosen(params, "threshold_at", recipe.threshold_at) == "training":
            core = _core.at_training_values(core, table)
        complexity = chosen(params, "cp", recipe.cp)
        if complexity is not None:
            cp = real("cp", complexity, 0.0)
            risk = np.asarray(_core.own_risk(core, "error", _core.Stakes([], settings.loss, "variance")))
            if recipe.as_rpart:
                ends, _ = rpart_ends(core.state(), risk, cp, np.asarray(settings.loss_sums) if settings.loss_sums else None)
            else:
                ends = np.asarray(_core.cost_complexity(core, risk)) <= cp * risk[0]
            core = core.cut_back(np.ascontiguousarray(ends, np.uint8))
        return core

    @staticmethod
    def _set_ties(settings: _core.GrowSettings, params: dict[str, Any], columns: list[ColumnSchema]) -> None:
        ties = params.get("ties", "first")
        if not callable(ties):
            settings.ties = parts.check_name("ties", ties, ("first", "seeded"))
            return

        def ask(tied: list[tuple[int, float, float]], path: list[tuple[int, int]]) -> int:
            names = [columns[column].name for column, _, _ in tied]
            said = ties(names, [(columns[column].name, branch) for column, branch in path])
            if said in names:
                return names.index(said)
            if isinstance(said, (int, np.integer)) and 0 <= said < len(names):
                return int(said)
            raise ValueError(f"ties: the callable returned {shown(said)}; it must return one of {names} or its position")

        settings.ask(ask)

    def _checked(self, X: Any) -> Any:
        own = vars(self)
        plain = type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiu"
        if plain and "tree_" in own and "feature_names_in_" not in own and X.shape[1] == self.n_features_in_:
            return X  # all that is looked for below is known to be well
        check_is_fitted(self, "tree_")
        X = as_table(X) if is_frame(X) else as_matrix(X)
        try:
            validate_data(self, X, reset=False, skip_check_array=True)
        except ValueError as error:
            if "same order" in str(error):
                raise ValueError(f"{error}Use X[list(model.feature_names_in_)].") from None
            raise
        return X

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Leaf of every row.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows with the columns of the training table.

        Returns
        -------
        array of int
            Number of the leaf; where missing cells are followed down all branches, the leaf with the largest share.
        """
        X = self._checked(X)
        return self.tree_.apply(X, self._threads())

    def decision_path(self, X: Any) -> Any:
        """Sparse indicator matrix (rows x nodes) of the nodes each row passes."""
        X = self._checked(X)
        return self.tree_.decision_path(X, self._threads())

    def explain(self, X: Any) -> Explanation:
        """Explain what the tree says of one row: its way, where missing cells lead, and what single changes would alter it.

        Parameters
        ----------
        X : table of one row
            The row, such as ``X.iloc[[0]]``.

        Returns
        -------
        Explanation
        """
        return explain(self.tree_, self._checked(X), getattr(self, "soft_thresholds_", None))

    def _exported(self) -> dict[str, Any]:
        check_is_fitted(self, "tree_")
        declared = self.tree_.target.classes
        place = {label: i for i, label in enumerate(declared or ())}
        order = None if declared is None else [place[label] for label in self._occurring()]
        return {"tree": self.tree_, "order": order, "soft": getattr(self, "soft_thresholds_", None)}

    def get_depth(self) -> int:
        """Length of the longest path of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Number of leaves of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the total fall of weighted impurity."""
        check_is_fitted(self, "tree_")
        return self.tree_.feature_importances

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return parts.writer("beside")(super()._repr_mimebundle_(**kwargs), getattr(self, "tree_", None))

    def _threads(self) -> int:
        return threads(getattr(self, "n_jobs", None))

    def _check_stored(self) -> None:
        super()._check_stored()
        need(self, "tree_" in vars(self), "it has no 'tree_'")
        schema = self.tree_.schema
        names = vars(self).get("feature_names_in_")
        need(self, self.n_features_in_ == len(schema.columns), "n_features_in_ is not the number of columns")
        need(self, names is None or names.tolist() == schema.names, "feature_names_in_ are not the names of the columns")


class ClassifyingTree(ClassifierMixin, TreeEstimator):
    """Tree estimators for classes."""

    _stored: ClassVar[dict[str, str]] = {**TreeEstimator._stored, "classes_": "value"}

    classes_: NDArray[Any]

    def _check_stored(self) -> None:
        super()._check_stored()
        classes, declared = vars(self).get("classes_"), self.tree_.target.classes
        need(declared, declared is not None, "its tree predicts numbers")
        fits = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0
        labels = classes.tolist() if isinstance(classes, np.ndarray) and fits else []
        need(
            labels,
            fits and len(set(labels)) == len(labels) and set(labels) <= set(declared or ()),
            "classes_ are not its classes",
        )

    def _training(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> Training:
        training = super()._training(X, y, sample_weight, params)
        if not self._weighs_rows(params):
            return training
        costs = _core.GrowSettings()
        set_class_costs(costs, params, "gini", training.target.classes, self._occurring())
        factors = class_factors(costs, training)
        assert factors is not None
        weights = factors[training.codes] * (1.0 if training.weights is None else training.weights)
        return replace(training, weights=weights, factors=factors)

    def _settings(self, training: Training, params: dict[str, Any], rows: NDArray[np.int64] | None = None) -> _core.GrowSettings:
        return super()._settings(training, {**params, "class_weight": None} if self._weighs_rows(params) else params, rows)

    @staticmethod
    def _weighs_rows(params: dict[str, Any]) -> bool:
        """Whether class weights are made weights of rows: where a limit counts them."""
        return params.get("class_weight") is not None and params.get("min_weight_fraction_leaf", 0.0) != 0.0

    def _judged(self, training: Training, settings: _core.GrowSettings) -> TargetSchema:
        factors = class_factors(settings, training) if training.factors is None else training.factors
        return replace(training.target, factors=() if factors is None else tuple(factors.tolist()), losses=tuple(settings.loss))

    def _read_target(self, y: Any, keep: Any) -> tuple[TargetSchema, NDArray[Any]]:
        target, codes, self.classes_ = read_classes(y, keep)
        return target, codes

    def _occurring(self) -> list[Any]:
        return list(self.classes_.tolist())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            NumPy array, pandas or polars frame, Arrow table. Text and categories are nominal, NaN and None missing.
        y : array or series of shape (n_rows,)
            The classes. A categorical series keeps its declared order for ties and printing.
        sample_weight : array of shape (n_rows,), optional
            Weights from 0 up; weight 2 is the same as the row twice, weight 0 as no row.

        Returns
        -------
        self
        """
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            self._forget()
            raise

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row."""
        X = self._checked(X)
        return self.tree_.predict(X, self._threads()).astype(self.classes_.dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the training rows of the leaf, in the order of ``classes_``."""
        X = self._checked(X)
        return self._in_order(self.tree_.predict_proba(X, self._threads()))

    def _in_order(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shares of the declared classes in the order of ``classes_``."""
        declared = self.tree_.target.classes
        assert declared is not None
        if list(declared) == self.classes_.tolist():
            return shares
        place = {label: i for i, label in enumerate(declared)}
        return shares[:, [place[label] for label in self.classes_.tolist()]]


class RegressionTree(RegressorMixin, TreeEstimator):
    """Tree estimators for numbers."""

    _stored: ClassVar[dict[str, str]] = {**TreeEstimator._stored, "leaf_targets_": "leaf_targets", "beyond_bound_": "value"}

    leaf_targets_: LeafTargets
    beyond_bound_: int
    # Whether the target may be several numbers a row.
    _several: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several and takes_several(self._parameters())
        return tags

    def _check_stored(self) -> None:
        super()._check_stored()
        need(self, self.tree_.target.classes is None, "its tree predicts classes")

    def _read_target(self, y: Any, keep: Any) -> tuple[TargetSchema, NDArray[Any]]:
        return read_vectors(y, keep) if self._several and several_numbers(y) else read_numbers(y, keep)

    def _settings(self, training: Training, params: dict[str, Any], rows: NDArray[np.int64] | None = None) -> _core.GrowSettings:
        settings = super()._settings(training, params, rows)
        if training.target.outputs:
            set_vectors(settings, bool(getattr(self, "keep_targets", False)))
        return settings

    def _judged(self, training: Training, settings: _core.GrowSettings) -> TargetSchema:
        """The target with what errors cost."""
        return replace(training.target, measure=parts.MEASURES.get(settings.criterion, "variance"))

    def _pruned_at(self) -> float:
        params = self._parameters()
        return float(chosen(params, "cp", find(params["recipe"]).cp) or 0.0)

    def _look_back(self, training: Training, settings: _core.GrowSettings) -> None:
        core = self.tree_._core
        if training.target.outputs:
            tree = self.tree_
            means = node_means(core, training.arrays, training.codes, training.weights)
            self.tree_ = Tree(core, tree.schema, tree.target, vectors=means)
            return
        if not self._looks_back(settings):
            return
        routes: Any = core.route(training.arrays, len(training.codes), 1)
        leaf = np.asarray(routes[0])
        if getattr(self, "keep_targets", False):
            self.leaf_targets_ = leaf_targets(leaf, training.codes, training.weights, self.tree_.n_nodes)
        if settings.criterion == "worst_case" and settings.min_impurity is not None:
            off = np.abs(training.codes - self.tree_._state["value"][leaf])
            beyond = off > settings.min_impurity * (1 + 1e-12)
            self.beyond_bound_ = int(np.count_nonzero(beyond))
            warn_of_rows_beyond(self.beyond_bound_, settings.min_impurity, float(off.max()))

    def _looks_back(self, settings: _core.GrowSettings) -> bool:
        bounded = settings.criterion == "worst_case" and settings.min_impurity is not None
        return bool(getattr(self, "keep_targets", False)) or bounded

    def predict_quantiles(self, X: Any, q: Any = (0.05, 0.5, 0.95)) -> NDArray[np.float64]:
        """Quantiles of the training targets in the leaf of every row; fit with ``keep_targets=True``.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows with the columns of the training table.
        q : float or list of float, default (0.05, 0.5, 0.95)
            Shares from 0 to 1. A quantile is the lowest target at which the cumulated weight of the leaf reaches that share.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, number of shares)
        """
        X = self._checked(X)
        kept = getattr(self, "leaf_targets_", None)
        if kept is None:
            raise ValueError("the targets of the leaves were not kept: fit with keep_targets=True")
        return kept.quantiles(self.tree_.apply(X, self._threads()), q)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Interval that holds this share of the training targets in the leaf of every row, as many below as above it.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows with the columns of the training table.
        coverage : float, default 0.9
            Share of the leaf's weight inside.

        Returns
        -------
        array of shape (n_rows, 2)
            Lower and upper end.
        """
        rest = (1 - real("coverage", coverage, 0.0, 1.0)) / 2
        return self.predict_quantiles(X, (rest, 1 - rest))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            NumPy array, pandas or polars frame, Arrow table. Text and categories are nominal, NaN and None missing.
        y : array or series of shape (n_rows,), or array or frame of shape (n_rows, n_numbers)
            The numbers to predict; several a row where the estimator says that it takes them.
        sample_weight : array of shape (n_rows,), optional
            Weights from 0 up; weight 2 is the same as the row twice, weight 0 as no row.

        Returns
        -------
        self
        """
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            self._forget()
            raise

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the mean of the leaf of every row; a column a number where the target had several."""
        X = self._checked(X)
        return self.tree_.predict(X, self._threads())


class TreeClassifier(ClassifyingTree):
    """A classification tree of any recipe, any part of which can be replaced.

    Parameters
    ----------
    recipe : str or Recipe, default "cart"
        The named algorithm whose parts are used where nothing else is said.
    criterion : str or callable, optional
        How candidates are judged: "gini", "info_gain", "gain_ratio", "error", "risk", "generalised_gini", "twoing",
        "gain_over_rest". A function ``criterion(node, branches)`` of class weights (of the node, and a row a branch, in
        the order of ``classes_``) returns how good a division is, or None to refuse it; see ``docs/criteria.md``.
    numeric : {"threshold", "ternary", "discretised"}, optional
        How numeric columns are split.
    nominal : {"subset", "one_vs_rest", "multiway", "grouped"}, optional
        How nominal columns are split.
    threshold_at : {"midpoint", "observed"}, optional
        Where a threshold lies between neighbouring values.
    relation : {"<=", "<"}, optional
        How a value is compared with a threshold.
    missing : str, optional
        Policy for missing cells: learned, own, fraction, spread, majority, ignore, most_common, most_common_in_class, refuse.
    chooser : {"best", "above_average"}, optional
        How one candidate is picked among those of all columns.
    ties : {"first", "seeded"} or callable, default "first"
        Which of several equally good columns is taken. A callable gets the tied names and the path, and returns a name.
    discretise : {"mdlp", "equal_width", "equal_frequency"}, optional
        Method for ``numeric="discretised"``.
    bins : int, default 10
        Intervals of the two equal methods.
    loss : array of shape (n_classes, n_classes), optional
        What each answer costs: rows are the truth, columns what is said, in the order of ``classes_``.
    priors, class_weight, max_surrogates, agreement, max_competitors, cp
        As in :class:`CARTClassifier`.
    max_depth, max_leaf_nodes : int, optional
        Limits of the tree. With ``max_leaf_nodes`` it grows best-first.
    min_samples_split, min_samples_leaf : int or float, optional
        Least weight of a node to be split, and of a leaf; by default those of the recipe (2 and 1 unless it says otherwise).
        A float below 1 is a share of the total weight.
    min_weight_fraction_leaf : float, default 0
        Least share of the total weight in a leaf. With ``class_weight`` that weight is meant; rows then weigh that much in all.
    min_impurity : float, optional
        A node of at most this impurity is a leaf.
    min_gain, min_impurity_decrease : float, default 0
        Least gain of a split, as such and weighted by the node's share of all rows.
    purity : float, optional
        A node in which one class has at least this share is a leaf.
    significance : float, optional
        Splits whose chi-square test has a larger p-value are not considered.
    max_features : int, float, "sqrt" or "log2", optional
        How many columns are looked at per node, drawn anew at each.
    categorical_features : sequence of names, positions or a mask, optional
        Columns to be read as nominal whatever their type.
    unseen : {"missing", "error"}, default "missing"
        What happens to levels at predict that never occurred in training.
    keep_candidates : bool, default False
        Keep the candidates of every node for ``node.candidates``.
    random_state : int, RandomState instance or None, default None
        Seed of ``ties="seeded"`` and ``max_features``; None is the seed 0.
    n_jobs : int, optional
        Threads; -1 for all. The tree is the same for any number.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if they have any.
    feature_importances_ : array
        Share of each column in the total fall of weighted impurity.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> tw.TreeClassifier(recipe="cart", criterion="twoing", max_depth=2).fit(iris.X, iris.y).tree_.n_leaves
    3
    """

    def __init__(
        self,
        recipe: Any = "cart",
        *,
        criterion: str | PythonCriterion | None = None,
        numeric: str | None = None,
        nominal: str | None = None,
        threshold_at: str | None = None,
        relation: str | None = None,
        missing: str | None = None,
        chooser: str | None = None,
        ties: Any = "first",
        discretise: str | None = None,
        bins: int = 10,
        loss: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        max_surrogates: int | None = None,
        agreement: str | None = None,
        max_competitors: int | None = None,
        cp: float | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float | None = None,
        min_gain: float = 0.0,
        min_impurity_decrease: float = 0.0,
        purity: float | None = None,
        significance: float | None = None,
        max_features: Any = None,
        categorical_features: Any = None,
        unseen: str = "missing",
        keep_candidates: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.recipe = recipe
        self.criterion = criterion
        self.numeric = numeric
        self.nominal = nominal
        self.threshold_at = threshold_at
        self.relation = relation
        self.missing = missing
        self.chooser = chooser
        self.ties = ties
        self.discretise = discretise
        self.bins = bins
        self.loss = loss
        self.priors = priors
        self.class_weight = class_weight
        self.max_surrogates = max_surrogates
        self.agreement = agreement
        self.max_competitors = max_competitors
        self.cp = cp
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity = min_impurity
        self.min_gain = min_gain
        self.min_impurity_decrease = min_impurity_decrease
        self.purity = purity
        self.significance = significance
        self.max_features = max_features
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.keep_candidates = keep_candidates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class TreeRegressor(RegressionTree):
    """A regression tree of any recipe, any part of which can be replaced.

    The target may be several numbers a row: leaves say their means, and splits are judged by the sum of their variances
    (``criterion="variance"``, thresholds and two sets of levels, rows that go one way).

    Parameters
    ----------
    recipe : str or Recipe, default "cart"
        The named algorithm whose parts are used where nothing else is said.
    criterion : {"variance", "absolute_error", "worst_case", "poisson"}, optional
        How candidates are judged, and what leaves say: the mean; the median ("absolute_error"); the middle of the range
        ("worst_case": with ``min_impurity`` no training row is off by more than that, but for rows equal in all columns, which
        are counted in ``beyond_bound_`` and warned about). "poisson" is for counts and rates.
    numeric, nominal, threshold_at, relation, missing, chooser, ties, discretise, bins
        As in :class:`TreeClassifier`.
    max_surrogates, agreement, max_competitors, cp
        As in :class:`CARTRegressor`.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_impurity, min_gain, min_impurity_decrease
        As in :class:`TreeClassifier`; impurity is what the criterion measures, so that growth stops at an
        acceptable error: variance, mean or largest deviation, or deviance.
    max_features, categorical_features, unseen, keep_candidates, random_state, n_jobs, verbose
        As in :class:`TreeClassifier`.
    keep_targets : bool, default False
        Keep the training targets of every leaf, for ``predict_quantiles`` and ``predict_interval``.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if they have any.
    feature_importances_ : array
        Share of each column in the total fall of weighted variance.
    """

    _several = True

    def __init__(
        self,
        recipe: Any = "cart",
        *,
        criterion: str | None = None,
        numeric: str | None = None,
        nominal: str | None = None,
        threshold_at: str | None = None,
        relation: str | None = None,
        missing: str | None = None,
        chooser: str | None = None,
        ties: Any = "first",
        discretise: str | None = None,
        bins: int = 10,
        max_surrogates: int | None = None,
        agreement: str | None = None,
        max_competitors: int | None = None,
        cp: float | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity: float | None = None,
        min_gain: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: Any = None,
        categorical_features: Any = None,
        unseen: str = "missing",
        keep_candidates: bool = False,
        keep_targets: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.recipe = recipe
        self.criterion = criterion
        self.numeric = numeric
        self.nominal = nominal
        self.threshold_at = threshold_at
        self.relation = relation
        self.missing = missing
        self.chooser = chooser
        self.ties = ties
        self.discretise = discretise
        self.bins = bins
        self.max_surrogates = max_surrogates
        self.agreement = agreement
        self.max_competitors = max_competitors
        self.cp = cp
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity = min_impurity
        self.min_gain = min_gain
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.keep_candidates = keep_candidates
        self.keep_targets = keep_targets
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
