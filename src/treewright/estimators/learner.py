"""What all estimators share that learn from a table: a fit that leaves nothing behind where it fails."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray

from treewright.table import TargetSchema


class Learner:
    """An estimator whose ``_fit`` learns."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            NumPy array, pandas or polars frame, Arrow table. Text and categories are nominal, NaN and None missing.
        y : array or series of shape (n_rows,), or array or frame of shape (n_rows, n_numbers)
            The classes, or the numbers of a regressor (several a row where it says that it takes them). A categorical series
            keeps its declared order for ties and printing.
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

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        raise NotImplementedError  # pragma: no cover

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)

    def _read_target(self, y: Any, keep: Any) -> tuple[TargetSchema, NDArray[Any]]:
        raise NotImplementedError  # pragma: no cover
