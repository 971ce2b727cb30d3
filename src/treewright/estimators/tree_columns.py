"""What a tree knows, used by other learners: the columns it tests, and how many rows its leaves hold."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from treewright.errors import shown
from treewright.estimators.classes import Classifier
from treewright.estimators.columns import match_columns
from treewright.estimators.stored import Stored, own_constructor
from treewright.estimators.tree import TreeEstimator
from treewright.learn.tree_columns import (
    TreeColumnsLearner,
    TreeColumnsParameters,
    TreeNeighborsLearner,
    TreeNeighborsParameters,
    Votes,
)
from treewright.model.tree import Tree
from treewright.table.sparse import in_blocks, is_sparse
from treewright.table.streams import as_table


class ByTree(Stored):
    """An estimator that uses the tree of another, which is fitted here unless it is fitted already."""

    estimator: Any

    tree_: Tree
    columns_: list[int]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table, by the tree."""
        X = as_table(X)
        learner = self._learner
        if isinstance(self.estimator, TreeEstimator) and "tree_" not in vars(self.estimator):
            learner = learner.changed(estimator=clone(self.estimator).fit(X, y, sample_weight=sample_weight))
        learned = learner.learn(X, y, sample_weight)
        validate_data(self, X, reset=True, skip_check_array=True)
        return self._take(learner.attributes(learned))

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "columns_")
        return match_columns(self, X)


@own_constructor
class TreeColumns(TransformerMixin, ByTree, TreeColumnsParameters):
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

    _learner_class = TreeColumnsLearner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.requires_fit = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, or take that of a fitted estimator, and note which columns it tests."""
        return super().fit(X, y, sample_weight)

    def transform(self, X: Any) -> Any:
        """Return the columns that the tree tests, as a table of the kind that was passed."""
        X = self._checked(X)
        if isinstance(X, np.ndarray):
            return X[:, self.columns_]
        if hasattr(X, "iloc"):
            return X.iloc[:, self.columns_]
        if is_sparse(X):
            return X.tocsc()[:, self.columns_].asformat(X.format)
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


class FittedNeighbors(ByTree):
    """What fitting neighbours sets besides the tree and its columns."""

    n_neighbors_: int
    classes_: NDArray[Any]
    points_: NDArray[np.float64]
    answers_: NDArray[np.int64]
    weights_: NDArray[np.float64]
    centre_: NDArray[np.float64]
    scale_: NDArray[np.float64]


@own_constructor
class TreeNeighborsClassifier(Classifier, FittedNeighbors, TreeNeighborsParameters):
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

    _learner_class = TreeNeighborsLearner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, or take that of a fitted estimator, and keep the rows."""
        return super().fit(X, y, sample_weight)

    def _take(self, learned: dict[str, Any]) -> Self:
        # Made of the rows whenever these come; files and pickles hold the rows alone.
        self._votes = Votes(learned)
        return super()._take(learned)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_votes", None)
        return state

    @in_blocks
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most frequent class among the neighbours of every row."""
        X = self._checked(X)
        return self._votes.labels(X)

    @in_blocks
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the neighbours, in the order of ``classes_``."""
        X = self._checked(X)
        return self._votes.shares(X)
