"""What a tree knows, used by other learners: the columns it tests, and how many rows its leaves hold."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, TransformerMixin, clone
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from treewright.errors import shown
from treewright.estimators.c45 import C45Classifier
from treewright.estimators.columns import match_columns
from treewright.estimators.neighbors import Neighbors
from treewright.estimators.reptree import REPTreeRegressor
from treewright.estimators.settings import whole
from treewright.estimators.stored import Stored
from treewright.estimators.training import count_rows
from treewright.estimators.tree import TreeEstimator
from treewright.model.rules import by_column
from treewright.model.tree import Tree
from treewright.store.damage import need
from treewright.table import TableSchema, read_cells
from treewright.table.frames import as_table
from treewright.table.target import read_weights


def _fitted_tree(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Tree:
    """The tree of an estimator, or of a clone of it that is fitted here."""
    if isinstance(estimator, TreeEstimator) and "tree_" not in vars(estimator):
        estimator = clone(estimator).fit(X, y, sample_weight=sample_weight)
    tree = getattr(estimator, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(f"estimator must grow a tree of this package, such as C45Classifier(), not {type(estimator).__name__}")
    return tree


class TreeColumns(TransformerMixin, Stored):
    """Keeps only the columns that a tree tests (Alpaydın: feature extraction through a tree).

    Parameters
    ----------
    estimator : tree estimator, optional
        Whose tree says which columns; fitted here unless it is fitted already. By default ``C45Classifier()``, or of a target of
        numbers that are not whole ``REPTreeRegressor()``.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    columns_ : list of int
        Positions of the columns it tests, in table order; all columns if it tests none.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import treewright as tw
    >>> X, y = load_iris(return_X_y=True)
    >>> tw.TreeColumns().fit(X, y).columns_
    [2, 3]
    """

    _stored: ClassVar[dict[str, str]] = {**Stored._stored, "tree_": "tree", "columns_": "value"}

    tree_: Tree
    columns_: list[int]

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        tags.requires_fit = True
        return tags

    def _check_stored(self) -> None:
        super()._check_stored()
        _check_columns(self)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, or take that of a fitted estimator, and note which columns it tests."""
        X = as_table(X)
        count_rows(X)
        estimator = self.estimator
        if estimator is None:
            if y is None:
                raise ValueError(
                    "TreeColumns requires y to be passed, but the target y is None: it keeps the columns that tell y apart"
                )
            numbers = type_of_target(y, input_name="y").startswith("continuous")
            estimator = REPTreeRegressor() if numbers else C45Classifier()
        tree = _fitted_tree(estimator, X, y, sample_weight)
        validate_data(self, X, reset=True, skip_check_array=True)
        self.tree_ = tree
        self.columns_ = [tree.schema.names.index(name) for name in tree.used_columns] or list(range(len(tree.columns)))
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns that the tree tests, as a table of the kind that was passed."""
        check_is_fitted(self, "columns_")
        X = match_columns(self, X)
        if isinstance(X, np.ndarray):
            return X[:, self.columns_]
        if hasattr(X, "iloc"):
            return X.iloc[:, self.columns_]
        names = [self.tree_.schema.names[j] for j in self.columns_]
        return X.select(names)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns that are kept."""
        check_is_fitted(self, "columns_")
        names = self.tree_.schema.names
        if input_features is not None:
            given = np.asarray(input_features, object).reshape(-1).tolist()
            if len(given) != len(names) or (self.tree_.schema.named and given != names):
                raise ValueError(f"input_features={shown(input_features)} are not the {len(names)} columns that were fitted")
            names = given
        return np.asarray([names[j] for j in self.columns_], dtype=object)


class TreeNeighborsClassifier(ClassifierMixin, Stored):
    """Nearest neighbours in the columns that a tree tests, as many as its leaves hold on average (Alpaydın, exercise 9.9).

    Numbers are divided by their standard deviation; two levels of a nominal column are 1 apart; a missing cell lies at the mean,
    or 1 from every level. Rows that are as near as the last neighbour share what is left of the votes, so that the order of rows
    does not matter; a row of weight 2 is the row twice.

    Parameters
    ----------
    estimator : tree estimator, optional
        Whose tree says which columns; fitted here unless it is fitted already. By default ``C45Classifier()``.
    n_neighbors : int, optional
        How many neighbours vote, by weight; by default the rounded mean weight of a leaf.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    columns_ : list of int
        Positions of the columns it tests.
    n_neighbors_ : int
        How many neighbours vote.
    classes_ : array
        The classes, sorted.
    points_ : array of shape (n_rows, n_coordinates)
        The training rows as points.
    answers_ : array of shape (n_rows,)
        Their classes, as positions in ``classes_``.
    weights_ : array of shape (n_rows,)
        Their weights; rows of weight 0 are left out.
    centre_, scale_ : array
        What numbers are moved and divided by.
    """

    _stored: ClassVar[dict[str, str]] = {
        **Stored._stored,
        "tree_": "tree",
        **dict.fromkeys(
            ("columns_", "n_neighbors_", "classes_", "points_", "answers_", "weights_", "centre_", "scale_"), "value"
        ),
    }

    tree_: Tree
    columns_: list[int]
    n_neighbors_: int
    classes_: NDArray[Any]
    points_: NDArray[np.float64]
    answers_: NDArray[np.int64]
    weights_: NDArray[np.float64]
    centre_: NDArray[np.float64]
    scale_: NDArray[np.float64]

    def __init__(self, estimator: Any = None, n_neighbors: int | None = None) -> None:
        self.estimator = estimator
        self.n_neighbors = n_neighbors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, or take that of a fitted estimator, and keep the rows."""
        X = as_table(X)
        n_rows = count_rows(X)
        estimator = C45Classifier() if self.estimator is None else self.estimator
        tree = _fitted_tree(estimator, X, y, sample_weight)
        asked = None if self.n_neighbors is None else whole("n_neighbors", self.n_neighbors, 1)
        weights, keep = read_weights(sample_weight, n_rows)
        kept = slice(None) if keep is None else keep
        validate_data(self, X, reset=True, skip_check_array=True)
        self.tree_ = tree
        self.columns_ = [tree.schema.names.index(name) for name in tree.used_columns] or list(range(len(tree.columns)))
        self.weights_ = np.ones(n_rows)[kept] if weights is None else weights
        total = float(self.weights_.sum())
        self.n_neighbors_ = max(1, min(round(total / tree.n_leaves) if asked is None else asked, math.floor(total)))
        numbers = self._numbers(X)[kept]
        self.centre_, self.scale_ = _means(numbers, self.weights_), _spreads(numbers, self.weights_)
        self.points_ = self._points(X)[kept]
        self.classes_, places = np.unique(column_or_1d(y, warn=True)[kept], return_inverse=True)
        self.answers_ = places.astype(np.int64)
        self._voters = self._made_ready()
        return self

    def _made_ready(self) -> Neighbors:
        """Neighbours are found by what is made of the rows; files and pickles hold the rows alone."""
        return Neighbors(self.points_, self.answers_, self.weights_, self.n_neighbors_, len(self.classes_))

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_voters", None)
        return state

    def _check_stored(self) -> None:
        super()._check_stored()
        _check_columns(self)
        for name in ("n_neighbors_", "classes_", "points_", "answers_", "weights_", "centre_", "scale_"):
            need(name, name in vars(self), f"it has no {name!r}")
        nominal = [self.tree_.columns[j].nominal for j in self.columns_]
        width = sum(len(self.tree_.columns[j].levels) + 1 if yes else 1 for j, yes in zip(self.columns_, nominal, strict=True))
        plain = len(nominal) - sum(nominal)
        for name, kind in (
            ("points_", np.float64),
            ("answers_", np.int64),
            ("weights_", np.float64),
            ("centre_", np.float64),
            ("scale_", np.float64),
        ):
            value = getattr(self, name)
            fits = isinstance(value, np.ndarray) and value.dtype == kind and bool(np.all(np.isfinite(value)))
            need(name, fits, f"{name} is no array of numbers")
        need(self, self.points_.ndim == 2 and self.points_.shape[1] == width, "points_ do not fit its columns")
        need(self, self.answers_.shape == (len(self.points_),), "answers_ are not those of its points")
        fits = self.weights_.shape == (len(self.points_),) and bool(np.all(self.weights_ > 0))
        need(self, len(self.points_) > 0 and fits, "weights_ are not those of its points")
        need(self, self.centre_.shape == self.scale_.shape == (plain,) and bool(np.all(self.scale_ > 0)), "its scale is damaged")
        classes, k = self.classes_, self.n_neighbors_
        need(self, isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0, "its classes are damaged")
        need(self, bool(np.all((self.answers_ >= 0) & (self.answers_ < len(classes)))), "answers_ are no classes")
        need(
            self, type(k) is int and 1 <= k <= max(1.0, float(self.weights_.sum())), "n_neighbors_ is not a number of its points"
        )
        self._voters = self._made_ready()

    def _cells(self, X: Any) -> list[NDArray[Any]]:
        schema: TableSchema = self.tree_.schema
        return by_column(read_cells(X, schema)[0])

    def _numbers(self, X: Any) -> NDArray[np.float64]:
        cells = self._cells(X)
        chosen = [cells[j].astype(np.float64) for j in self.columns_ if not self.tree_.columns[j].nominal]
        return np.column_stack(chosen) if chosen else np.empty((len(cells[0]), 0))

    def _points(self, X: Any) -> NDArray[np.float64]:
        cells = self._cells(X)
        numbers = (self._numbers(X) - self.centre_) / self.scale_
        parts = [np.where(np.isnan(numbers), 0.0, numbers)]
        for j in self.columns_:
            if self.tree_.columns[j].nominal:
                # Levels are corners of a simplex with edges of length 1, and so is what is missing.
                levels = np.arange(-1, len(self.tree_.columns[j].levels))
                parts.append((np.maximum(cells[j], -1)[:, None] == levels[None, :]) / np.sqrt(2.0))
        return np.hstack(parts)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "columns_")
        return match_columns(self, X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most frequent class among the neighbours of every row."""
        said = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[said])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the neighbours, in the order of ``classes_``."""
        X = self._checked(X)
        return self._voters.shares(self._points(X))


def _check_columns(estimator: Any) -> None:
    """Refuse a tree and columns that do not fit each other."""
    own = vars(estimator)
    need(own, "tree_" in own and "columns_" in own, "it has no 'tree_' or no 'columns_'")
    width = len(estimator.tree_.columns)
    need(width, width == estimator.n_features_in_, f"its tree is over {width} columns instead of {estimator.n_features_in_}")
    columns = estimator.columns_
    whole_ = isinstance(columns, list) and all(type(j) is int and 0 <= j < width for j in columns)
    need(columns, whole_ and sorted(set(columns)) == columns, "columns_ are no columns of its tree")


def _means(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(numbers) * weights[:, None]
    total = known.sum(axis=0)
    return (np.where(known > 0, numbers, 0.0) * known).sum(axis=0) / np.where(total > 0, total, 1.0)


def _spreads(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    spread: NDArray[np.float64] = np.sqrt(_means((numbers - _means(numbers, weights)) ** 2, weights))
    return np.where(spread > 0, spread, 1.0)
