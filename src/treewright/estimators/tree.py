"""What all tree estimators share: reading rows to predict, and the answers that need no class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright import parts
from treewright.estimators.columns import match_columns
from treewright.estimators.contributing import Contributing
from treewright.estimators.editing import Editable
from treewright.estimators.softening import Softens
from treewright.estimators.stability import Resampled
from treewright.inspect import Explanation, explain, one_row
from treewright.learn.values import columns_to_draw, threads
from treewright.model.exports import Exports


class TreeEstimator(Contributing, Exports, Editable, Softens, Resampled):
    """What tree classifiers and regressors share: reading rows to predict, and the answers that need no class."""

    _regrows = True

    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._learner.missing != "refuse"
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any) -> Any:
        own = vars(self)
        plain = type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiu"
        if plain and "tree_" in own and "feature_names_in_" not in own and X.shape[1] == self.n_features_in_:
            return X  # nothing that is checked below can be wrong
        check_is_fitted(self, "tree_")
        return match_columns(self, X)

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

    def explain(self, X: Any, missing: str | None = None) -> Explanation:
        """Explain what the tree says of one row: its way, where missing cells lead, and what single changes would alter it.

        Parameters
        ----------
        X : table of one row, Series or dict
            The row, such as ``X.iloc[[0]]``, ``X.iloc[0]`` or ``{"outlook": "sunny", …}``: cells by column name.
        missing : str, optional
            Another way for missing cells than the tree's own, such as ``"most_common"``; see :meth:`Tree.with_missing`.

        Returns
        -------
        Explanation
        """
        check_is_fitted(self, "tree_")
        X = self._checked(one_row(X, self.tree_.schema.names))
        tree = self.tree_ if missing is None else self.tree_.with_missing(missing)
        return explain(tree, X)

    def get_depth(self) -> int:
        """Length of the longest path of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Number of leaves of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    @property
    def max_features_(self) -> int:
        """Number of columns that are looked at per node."""
        check_is_fitted(self, "tree_")
        return columns_to_draw(self._learner.chosen.get("max_features"), self.n_features_in_) or self.n_features_in_

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the total fall of weighted impurity."""
        check_is_fitted(self, "tree_")
        return self.tree_.feature_importances

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return parts.writer("beside")(super()._repr_mimebundle_(**kwargs), vars(self).get("tree_"))

    def _threads(self) -> int:
        return threads(self.n_jobs)
