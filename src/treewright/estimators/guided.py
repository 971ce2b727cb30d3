"""What a tree knows, used by other learners: the columns it tests, and how many rows its leaves hold."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from treewright.estimators.c45 import C45Classifier
from treewright.estimators.settings import whole
from treewright.estimators.trees import count_rows
from treewright.model.rules import by_column
from treewright.model.tree import Tree
from treewright.table import TableSchema, read_cells
from treewright.table.frames import as_matrix, as_table, is_frame


def _fitted_tree(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Tree:
    """The tree of an estimator, or of a clone of it that is fitted here."""
    if "tree_" not in vars(estimator):
        estimator = clone(estimator).fit(X, y, sample_weight=sample_weight)
    tree: Tree = estimator.tree_
    return tree


class TreeColumns(TransformerMixin, BaseEstimator):
    """Keeps only the columns that a tree tests (Alpaydın: feature extraction through a tree).

    Parameters
    ----------
    estimator : tree estimator, optional
        Whose tree says which columns; fitted here unless it is fitted already. By default ``C45Classifier()``.

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

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        tags.requires_fit = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, or take that of a fitted estimator, and note which columns it tests."""
        X = as_table(X)
        count_rows(X)
        estimator = C45Classifier() if self.estimator is None else self.estimator
        tree = _fitted_tree(estimator, X, y, sample_weight)
        validate_data(self, X, reset=True, skip_check_array=True)
        self.tree_ = tree
        self.columns_ = [tree.schema.names.index(name) for name in tree.used_columns] or list(range(len(tree.columns)))
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns that the tree tests, as a table of the kind that was passed."""
        check_is_fitted(self, "columns_")
        X = as_table(X) if is_frame(X) else as_matrix(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        if isinstance(X, np.ndarray):
            return X[:, self.columns_]
        if hasattr(X, "iloc"):
            return X.iloc[:, self.columns_]
        names = [self.tree_.schema.names[j] for j in self.columns_]
        return X.select(names)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns that are kept."""
        check_is_fitted(self, "columns_")
        names = self.tree_.schema.names if input_features is None else list(input_features)
        return np.asarray([names[j] for j in self.columns_], dtype=object)


class TreeNeighborsClassifier(ClassifierMixin, BaseEstimator):
    """Nearest neighbours in the columns that a tree tests, as many as its leaves hold on average (Alpaydın, exercise 9.9).

    Numbers are divided by their standard deviation; two levels of a nominal column are 1 apart; a missing cell lies at the mean,
    or 1 from every level.

    Parameters
    ----------
    estimator : tree estimator, optional
        Whose tree says which columns; fitted here unless it is fitted already. By default ``C45Classifier()``.
    n_neighbors : int, optional
        How many neighbours vote; by default the rounded mean number of rows in a leaf.

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
    """

    def __init__(self, estimator: Any = None, n_neighbors: int | None = None) -> None:
        self.estimator = estimator
        self.n_neighbors = n_neighbors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree, or take that of a fitted estimator, and keep the rows."""
        X = as_table(X)
        n_rows = count_rows(X)
        estimator = C45Classifier() if self.estimator is None else self.estimator
        tree = _fitted_tree(estimator, X, y, None)
        asked = self.n_neighbors
        k = round(n_rows / tree.n_leaves) if asked is None else whole("n_neighbors", asked, 1)
        validate_data(self, X, reset=True, skip_check_array=True)
        self.tree_ = tree
        self.columns_ = [tree.schema.names.index(name) for name in tree.used_columns] or list(range(len(tree.columns)))
        self.n_neighbors_ = max(1, min(k, n_rows))
        numbers = self._numbers(X)
        self._centre, self._scale = _means(numbers), _spreads(numbers)
        self._neighbours = KNeighborsClassifier(self.n_neighbors_).fit(self._points(X), np.asarray(y))
        self.classes_ = self._neighbours.classes_
        return self

    def _cells(self, X: Any) -> list[NDArray[Any]]:
        schema: TableSchema = self.tree_.schema
        return by_column(read_cells(X, schema)[0])

    def _numbers(self, X: Any) -> NDArray[np.float64]:
        cells = self._cells(X)
        chosen = [cells[j].astype(np.float64) for j in self.columns_ if not self.tree_.columns[j].nominal]
        return np.column_stack(chosen) if chosen else np.empty((len(cells[0]), 0))

    def _points(self, X: Any) -> NDArray[np.float64]:
        cells = self._cells(X)
        numbers = (self._numbers(X) - self._centre) / self._scale
        parts = [np.where(np.isnan(numbers), 0.0, numbers)]
        for j in self.columns_:
            if self.tree_.columns[j].nominal:
                # Levels are corners of a simplex with edges of length 1.
                levels = np.arange(len(self.tree_.columns[j].levels))
                parts.append((cells[j][:, None] == levels[None, :]) / np.sqrt(2.0))
        return np.hstack(parts)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "columns_")
        X = as_table(X) if is_frame(X) else as_matrix(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most frequent class among the neighbours of every row."""
        X = self._checked(X)
        return np.asarray(self._neighbours.predict(self._points(X)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the neighbours, in the order of ``classes_``."""
        X = self._checked(X)
        return np.asarray(self._neighbours.predict_proba(self._points(X)))


def _means(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(numbers)
    return np.where(known, numbers, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)


def _spreads(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(numbers)
    squares = np.where(known, (numbers - _means(numbers)) ** 2, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    spread: NDArray[np.float64] = np.sqrt(squares)
    return np.where(spread > 0, spread, 1.0)
