"""SciPy's sparse tables: at fit the cells that are not 0, at predict blocks of rows; never all cells at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from treewright.table.raw import Array

# A column of which a larger part is stored is not kept sparse: it takes as much room, and time, as all its cells.
LARGEST_PART = 1 / 4
_MOST_DENSE = 2**31  # bytes that a sparse table may take where all its cells are needed
_BLOCK = 2**22  # cells of the rows that are answered together

Answer = TypeVar("Answer", bound=Callable[..., Any])


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array of SciPy."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


class SparseColumns:
    """Columns of numbers of which the cells that are not 0 are stored, none of them missing: one of the arrays of a table."""

    ndim = 2
    dtype = np.dtype(np.float64)

    def __init__(self, values: NDArray[np.float64], rows: NDArray[np.int32], begin: NDArray[np.int64], n_rows: int) -> None:
        self.values, self.rows, self.begin = values, rows, begin
        self.shape = (n_rows, len(begin) - 1)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, chosen: Array) -> SparseColumns:
        """Some of the rows."""
        part = self._matrix().tocsr()[chosen].tocsc()
        return _stored(part)

    def first_infinite(self) -> tuple[int, int] | None:
        """Row and column of an infinite cell, if there is one."""
        at = np.flatnonzero(np.isinf(self.values))[:1]
        return (int(self.rows[at[0]]), int(np.searchsorted(self.begin, at[0], "right")) - 1) if len(at) else None

    @property
    def T(self) -> Array:  # noqa: N802 - as of the arrays it stands among
        """All cells, a row per column, where they are few enough."""
        return dense(self._matrix()).T

    def _matrix(self) -> Any:
        from scipy.sparse import csc_array

        return csc_array((self.values, self.rows, self.begin), shape=self.shape)


def _stored(matrix: Any) -> SparseColumns:
    matrix.sort_indices()
    values = np.ascontiguousarray(matrix.data, np.float64)
    return SparseColumns(values, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64), matrix.shape[0])


def checked(X: Any) -> Any:
    """Return a sparse table of numbers without stored zeros, column by column; refuse any other."""
    matrix = X.tocsc(copy=True)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise TypeError(f"X is sparse and holds {matrix.dtype}: only numbers and truth values are read")
    if matrix.dtype.kind == "b":
        matrix = matrix.astype(np.uint8)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def sparse_arrays(X: Any, keep: Array | None = None) -> list[Any]:
    """The columns of a sparse table as arrays for the core: sparse ones, and one each for columns that are not."""
    matrix = checked(X)
    if keep is not None:
        matrix = matrix.tocsr()[keep].tocsc()
    n_rows, n_columns = matrix.shape
    stored = np.diff(matrix.indptr)
    full = stored > LARGEST_PART * n_rows
    if matrix.dtype.kind == "f":  # a missing cell is stored, and lists of sparse columns have no place for it
        missing = np.flatnonzero(np.isnan(matrix.data))
        full[np.searchsorted(matrix.indptr, missing, side="right") - 1] = True
    arrays: list[Any] = []
    at = 0
    while at < n_columns:
        if full[at]:
            arrays.append(matrix[:, [at]].toarray().ravel())
            at += 1
            continue
        rest = np.flatnonzero(full[at:])
        end = at + int(rest[0]) if len(rest) else n_columns
        arrays.append(_stored(matrix[:, at:end] if (at, end) != (0, n_columns) else matrix))
        at = end
    return arrays


def dense(X: Any) -> Array:
    """All cells of a sparse table, where they are few enough; in a smaller type where that loses nothing."""
    matrix = checked(X)
    smallest = matrix.dtype
    for kind in (np.int8, np.int16, np.float32):
        if matrix.dtype.itemsize > np.dtype(kind).itemsize and np.array_equal(matrix.data.astype(kind), matrix.data):
            smallest = np.dtype(kind)
            break
    if matrix.shape[0] * matrix.shape[1] * smallest.itemsize > _MOST_DENSE:
        raise MemoryError(
            f"X is sparse, {matrix.shape[0]} rows of {matrix.shape[1]} columns, and this looks at all of its cells, "
            f"{matrix.shape[0] * matrix.shape[1] * smallest.itemsize >> 30} GiB: choose fewer columns, or use CARTClassifier, "
            "CARTRegressor, TreeClassifier, TreeRegressor or a random forest, which learn from the cells that are not 0"
        )
    cells: Array = matrix.astype(smallest).toarray(order="F")
    return cells


def dense_arrays(arrays: list[Any]) -> list[Array]:
    """Arrays of a table with all cells."""
    return [array.T.T if isinstance(array, SparseColumns) else array for array in arrays]


def in_blocks(answer: Answer) -> Answer:
    """Let a method that answers for every row of its first argument take a sparse table, some rows at a time."""

    @wraps(answer)
    def answered(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_sparse(X):
            return answer(self, X, *args, **kwargs)
        if X.ndim != 2 or X.dtype.kind not in "biuf":
            raise TypeError(f"X is sparse and holds {X.dtype}: only tables of numbers and truth values are read")
        rows = X.tocsr()
        step = max(_BLOCK // max(rows.shape[1], 1), 1)
        found = [answer(self, rows[at : at + step].toarray(), *args, **kwargs) for at in range(0, rows.shape[0], step)]
        if not found:
            return answer(self, np.zeros(rows.shape, rows.dtype), *args, **kwargs)
        if is_sparse(found[0]):
            from scipy.sparse import vstack

            return vstack(found, format="csr")
        return np.concatenate(found)

    return cast("Answer", answered)
