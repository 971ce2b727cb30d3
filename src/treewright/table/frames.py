"""Reads pandas, polars, Arrow and NumPy tables into plain arrays, one at a time. Never changes what it reads.

Numbers stay in their precision, text and categories become codes and a list of levels, dates become microseconds. Frames
go through narwhals; what is not a number is read through Arrow, which every frame library speaks.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping
from typing import Any

import numpy as np

from treewright.errors import counted, shown
from treewright.table import arrow, times
from treewright.table.objects import as_text, object_column, only_kind, plain
from treewright.table.raw import Array, Raw, is_missing, refuse_half_characters
from treewright.table.sparse import is_sparse
from treewright.table.streams import as_table

_MACHINE = {np.dtype(t) for t in ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]}


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns; refuses frames that hold no rows yet."""
    if hasattr(X, "collect") and hasattr(X, "collect_schema") and not hasattr(X, "to_numpy"):
        raise TypeError("lazy frames are not read: call .collect() first")
    return hasattr(X, "columns") or hasattr(X, "__dataframe__")


def shape_of(X: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns of a table."""
    if is_sparse(X):
        n_rows, n_columns = X.shape
    elif not is_frame(X):
        n_rows, n_columns = as_matrix(X).shape
    elif hasattr(X, "num_rows"):
        n_rows, n_columns = X.num_rows, X.num_columns
    else:
        n_rows, n_columns = X.shape
    return int(n_rows), int(n_columns)


def column_names(X: Any) -> list[str]:
    """Return the column names of a frame as text (x0, x1, ... for an array); refuse double ones."""
    if not is_frame(X):
        return [f"x{j}" for j in range(shape_of(X)[1])]
    if hasattr(X, "num_rows"):  # Arrow
        names = [str(name) for name in X.schema.names]
    else:
        names = [str(name) for name in X.columns]
        odd = [name for name in X.columns if not isinstance(name, str)]
        if odd and len(odd) < len(names):
            raise TypeError(
                "Feature names are only supported if all input features have string names: "
                f"{shown(odd[0])} is of type {type(odd[0]).__name__}; use X.columns = X.columns.astype(str)"
            )
    if len(set(names)) < len(names):
        double = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"column names must be unique; {shown(double)} occur more than once")
    refuse_half_characters("a column is named", names)
    return names


_FEW = 1000  # rows whose numbers are put together in one matrix sooner than they are looked at column by column


def matrix_of_frame(X: Any, names: list[str] | None) -> Array | None:
    """The numbers of a pandas frame with these columns as one matrix, where that is the shortest way to read it; else None.

    The core compares numbers as 64-bit floats, so that nothing is lost by making such of all of them.
    """
    if type(X).__name__ != "DataFrame" or type(X).__module__.partition(".")[0] != "pandas":
        return None
    kinds = set(X.dtypes.tolist())
    if not all(isinstance(kind, np.dtype) and kind.kind in "iuf" and kind.itemsize <= 8 for kind in kinds):
        return None
    if names is None or X.columns.tolist() != names or (len(kinds) > 1 and len(X) > _FEW):
        return None
    return native(X.to_numpy() if len(kinds) == 1 else X.to_numpy(np.float64))


def take_rows(X: Any, rows: Array) -> Any:
    """Return some rows of a table or a target, by position, in the form it has: a frame, a series, an Arrow column, an array."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and not isinstance(X, np.ndarray):
        return X.take(rows)
    if isinstance(X, (list, tuple)):
        return [X[row] for row in rows.tolist()]
    return X[rows]


def as_matrix(X: Any) -> Array:
    """Return X, which is not a frame, as a two-dimensional array; refuse what cannot be one."""
    _refuse_no_table(X)
    if isinstance(X, np.ma.MaskedArray):
        X = np.where(np.ma.getmaskarray(X), np.nan, X.data) if np.any(np.ma.getmaskarray(X)) else X.data
    array = X if isinstance(X, np.ndarray) else _of_rows(X)
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.asarray(X, dtype=object)  # NumPy would make text of the numbers beside it
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: pass the real and the imaginary part as two columns")
    if array.dtype.kind == "V":
        raise TypeError("structured arrays are not supported: pass a frame, or a two-dimensional array")
    if array.ndim != 2:
        if array.size == 0:
            raise ValueError(f"X={shown(X)} is empty: pass a table of at least one row and one column")
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: X.reshape(-1, 1) for one column, "
            "X.reshape(1, -1) for one row."
        )
    return array


def _refuse_no_table(X: Any) -> None:
    if isinstance(X, (np.ndarray, list, tuple)):
        return
    if is_sparse(X):
        raise TypeError("Sparse data was passed, but dense data is required here: use X.toarray(), or pass a frame")
    if isinstance(X, Mapping):
        raise TypeError(f"a {type(X).__name__} of columns was passed: make a table of it first, such as pandas.DataFrame(X)")
    if X is None:
        raise TypeError("X is None: pass a table, such as a frame or a two-dimensional array")
    if isinstance(X, (str, bytes, os.PathLike)):
        raise TypeError(f"X={shown(X)} is a name, not a table: read the file first, such as by treewright.read_table")
    if hasattr(X, "to_frame"):
        raise ValueError(
            "Expected 2D array, got 1D array instead: a Series was passed as X. Reshape your data: X.to_frame() is a table of "
            "one column; for one row take it as a table, such as table.iloc[[0]]"
        )
    if not hasattr(X, "__array__") and not hasattr(X, "__len__"):
        raise TypeError(f"X={shown(X)} is no table: pass a frame, a two-dimensional array or a list of rows")


def _of_rows(X: Any) -> Array:
    """A list of rows, or what else NumPy reads, as an array."""
    rows = X if isinstance(X, (list, tuple)) else ()
    if rows and isinstance(rows[0], Mapping):
        raise TypeError("a list of dicts was passed: make a table of it first, such as pandas.DataFrame(X)")
    try:
        return np.asarray(X)
    except ValueError as error:
        sizes = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1 for row in rows]
        odd = next((i for i, size in enumerate(sizes) if size != sizes[0]), None)
        if odd is None:
            raise ValueError(f"X={shown(X)} is no table: every row must hold numbers and text only, no lists") from error
        raise ValueError(
            f"row {odd} of X has {counted(sizes[odd], 'cell')}, row 0 has {sizes[0]}: all rows must be as long, with None where "
            "a cell is missing"
        ) from error


def native(array: Array) -> Array:
    """Return the array in a type the core reads, without copying where it already is in one."""
    if array.dtype in _MACHINE and array.dtype.isnative:
        return array
    if array.dtype.kind == "b":
        return array.view(np.uint8) if array.flags.contiguous else array.astype(np.uint8)
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype.kind in "iu":
        return array.astype(array.dtype.newbyteorder("="))
    return array.astype(np.float64 if array.dtype.itemsize > 4 else np.float32)


def raw_columns(X: Any, coded: Container[int] = ()) -> list[Raw]:
    """Return the columns of any supported table; those at the positions ``coded`` with levels whatever their type."""
    if is_frame(X):
        return list(_frame_columns(X, coded))
    array = as_matrix(X)
    return [_array_column(f"x{j}", array[:, j], j in coded) for j in range(array.shape[1])]


def _array_column(name: str, values: Array, coded: bool) -> Raw:
    kind = values.dtype.kind
    if kind == "b":
        return Raw(name, "bool", native(values))
    if kind in "iuf":
        return Raw(name, "number", native(values))
    if kind in "mM":
        return times.from_numpy(name, values)
    return object_column(name, values.astype(object), coded)


def _frame_columns(X: Any, coded: Container[int]) -> Iterator[Raw]:
    import narwhals as nw

    names = column_names(X)
    X = as_table(X)
    # pandas may have column labels that are not strings; narwhals reads those frames too, by position.
    frame = nw.from_native(X, eager_only=True)
    for j, (name, series) in enumerate(zip(names, frame.iter_columns(), strict=True)):
        yield _series_column(name, series, j in coded)


def _series_column(name: str, series: Any, coded: bool) -> Raw:
    import narwhals as nw

    found = getattr(series.to_native(), "dtype", None)
    if type(found).__name__ in _PANDAS:
        return _pandas_column(name, series.to_native(), type(found).__name__, coded)
    dtype = series.dtype
    if coded and (dtype.is_integer() or dtype == nw.Decimal):
        return _coded_column(name, "text", series.to_arrow())
    if dtype.is_float() or dtype.is_integer():
        native_series = series.to_native()
        values = arrow.numbers_of(native_series) if hasattr(native_series, "chunks") else None
        values = series.to_numpy() if values is None else values
        if values.dtype.kind not in "iuf":
            values = np.asarray([np.nan if is_missing(v) else v for v in values], np.float64)
        return Raw(name, "number", native(values), whole=dtype.is_integer())
    if dtype == nw.Boolean:
        values = series.to_numpy()
        return Raw(name, "bool", native(values)) if values.dtype.kind in "bf" else _as_bool(name, values)
    if dtype == nw.Decimal:
        return Raw(name, "number", series.cast(nw.Float64).to_numpy(), whole=True)
    if dtype == nw.Object:
        return object_column(name, series.to_numpy(), coded)
    if dtype == nw.String:
        return _text_column(name, series)
    if dtype in (nw.Categorical, nw.Enum):
        ordered = nw.is_ordered_categorical(series)
        kind = "ordered" if ordered and _really_ordered(series) else "category"
        # The levels of a polars Categorical are in order of appearance, which declares nothing.
        appearance = dtype == nw.Categorical and type(series.to_native()).__module__.startswith("polars")
        return _coded_column(name, "text" if appearance else kind, series.to_arrow())
    return _arrow_column(name, series, coded)


def _text_column(name: str, series: Any) -> Raw:
    try:
        array = series.to_arrow()
    except UnicodeEncodeError:
        return object_column(name, series.to_numpy())  # whose error names the cell
    return _coded_column(name, "text", array)


# Types that narwhals does not distinguish, or Arrow cannot hold.
_PANDAS = ("CategoricalDtype", "DatetimeTZDtype", "IntervalDtype", "PeriodDtype", "SparseDtype")


def _pandas_column(name: str, series: Any, dtype: str, coded: bool) -> Raw:
    if dtype == "DatetimeTZDtype":
        return times.from_arrow(name, _as_arrow(series))
    if dtype == "PeriodDtype":  # the moment at which it begins
        return times.from_numpy(name, series.dt.to_timestamp().to_numpy())
    if dtype == "SparseDtype":
        return _array_column(name, series.sparse.to_dense().to_numpy(), coded)
    if dtype == "IntervalDtype":
        raise _unknown_type(name, series.dtype, "use one end, such as column.array.left, or make it nominal by astype(str)")
    levels = series.cat.categories.tolist()
    if type(series.cat.categories.dtype).__name__ == "IntervalDtype":  # of pandas.cut
        levels = [str(level) for level in levels]
    only_kind(name, levels, "level")
    kind = "ordered" if series.cat.ordered else "category"
    return Raw(name, kind, series.cat.codes.to_numpy(), as_text(name, [plain(level) for level in levels]))


def _as_arrow(series: Any) -> Any:
    import pyarrow as pa

    return pa.array(series, from_pandas=True)


def _arrow_column(name: str, series: Any, coded: bool) -> Raw:
    """Read columns by their Arrow type: dates and the like, bytes, only nulls."""
    import pyarrow as pa

    try:
        array = series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise _unknown_type(name, getattr(series.to_native(), "dtype", series.dtype)) from error
    found = array.type
    if pa.types.is_temporal(found) and not pa.types.is_interval(found):
        return times.from_arrow(name, array)
    if pa.types.is_binary(found) or pa.types.is_large_binary(found) or pa.types.is_fixed_size_binary(found):
        return _coded_column(name, "text", array)
    if pa.types.is_floating(found):
        return _array_column(name, array.to_numpy(), coded)
    if array.null_count == len(array):
        return Raw(name, "number", np.full(len(array), np.nan))
    raise _unknown_type(name, found)


def _unknown_type(name: str, found: Any, remedy: str = "leave it out, or make columns of its parts") -> Exception:
    text = str(found)
    if text.startswith("complex"):
        return ValueError(
            f"Complex data not supported: column {name!r} has type {text}; pass the real and the imaginary part as two columns"
        )
    return TypeError(
        f"column {name!r} has type {shown_type(text)}, which is neither numbers, text, categories nor dates: {remedy}"
    )


def shown_type(text: str) -> str:
    """The name of a type, cut where it lists many parts."""
    return text if len(text) <= 80 else text[:79] + "…"


def _really_ordered(series: Any) -> bool:
    # A polars Enum lists its levels, but their order need not have a meaning.
    native_series = series.to_native()
    return bool(getattr(getattr(native_series, "cat", None), "ordered", False)) or bool(
        getattr(getattr(native_series, "type", None), "ordered", False)
    )


def _as_bool(name: str, values: Array) -> Raw:
    return Raw(name, "bool", np.asarray([np.nan if is_missing(v) else float(v) for v in values], np.float64))


def _coded_column(name: str, kind: str, array: Any) -> Raw:
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # no chunks at all
            array = pa.array([], array.type)
    if pa.types.is_dictionary(array.type):
        only_kind(name, array.dictionary.to_pylist(), "level")
    else:
        array = array.dictionary_encode()
    levels = as_text(name, array.dictionary.to_pylist())
    indices = array.indices
    if not pa.types.is_signed_integer(indices.type):
        indices = indices.cast(pa.int32())
    codes = arrow.numbers_of(indices, -1)
    assert codes is not None
    if len(set(levels)) < len(levels) or any(is_missing(level) for level in levels):
        # Arrow allows repeated and null dictionary entries.
        index: dict[Any, int] = {}
        new = np.array([-1 if is_missing(v) else index.setdefault(v, len(index)) for v in levels] + [-1], np.int32)
        codes, levels = new[codes], list(index)
    return Raw(name, kind, codes, levels)
