"""Reads pandas, polars, Arrow and NumPy tables into plain arrays, one at a time. Never changes what it reads.

Numbers stay in their precision, text and categories become codes and a list of levels, dates become microseconds. Frames
go through narwhals; what is not a number is read through Arrow, which every frame library speaks.
"""

from __future__ import annotations

import datetime as dt
import numbers
import warnings
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreewrightWarning, outside, shown

Array = NDArray[Any]

_MACHINE = {np.dtype(t) for t in ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]}


@dataclass(slots=True)
class Raw:
    """A column as found: numbers (``levels`` is None), or codes into ``levels`` with -1 for missing.

    ``kind`` is number, bool, date, duration, text (levels as found), category (levels as declared) or ordered. ``whole`` says
    that the numbers were whole before they became floats.
    """

    name: str
    kind: str
    values: Array
    levels: list[Any] | None = None
    whole: bool = False

    def rows(self, keep: Array) -> Raw:
        """Return the column with only the rows where ``keep`` is true."""
        return Raw(self.name, self.kind, self.values[keep], self.levels, self.whole)


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns; refuses frames that hold no rows yet."""
    if hasattr(X, "collect") and hasattr(X, "collect_schema") and not hasattr(X, "to_numpy"):
        raise TypeError("lazy frames are not read: call .collect() first")
    return hasattr(X, "columns") or hasattr(X, "__dataframe__")


def shape_of(X: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns of a table."""
    if not is_frame(X):
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
    if len(set(names)) < len(names):
        double = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"column names must be unique; {shown(double)} occur more than once")
    return names


def as_table(X: Any) -> Any:
    """Return X, an Arrow record batch as the table it is a part of."""
    if type(X).__name__ == "RecordBatch" and hasattr(X, "schema"):
        import pyarrow as pa

        return pa.Table.from_batches([X])
    return X


def as_matrix(X: Any) -> Array:
    """Return X, which is not a frame, as a two-dimensional array; refuse what cannot be one."""
    if hasattr(X, "tocsr") and hasattr(X, "nnz"):
        raise TypeError("Sparse data was passed, but dense data is required: use X.toarray(), or pass a frame")
    if isinstance(X, Mapping):
        raise TypeError(f"a {type(X).__name__} of columns was passed: make a table of it first, such as pandas.DataFrame(X)")
    if isinstance(X, np.ma.MaskedArray):
        X = np.where(np.ma.getmaskarray(X), np.nan, X.data) if np.any(np.ma.getmaskarray(X)) else X.data
    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        array = np.asarray(X, dtype=object)  # NumPy would make text of the numbers beside it
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: pass the real and the imaginary part as two columns")
    if array.dtype.kind == "V":
        raise TypeError("structured arrays are not supported: pass a frame, or a two-dimensional array")
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: X.reshape(-1, 1) for one column, "
            "X.reshape(1, -1) for one row."
        )
    return array


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
        step = values.astype(f"{kind}8[us]")
        if np.any((step != values) & ~np.isnat(step)):
            _warn_nanoseconds(name)
        micro = step.view(np.int64).astype(np.float64)
        micro[np.isnat(step)] = np.nan
        return Raw(name, "date" if kind == "M" else "duration", micro)
    if kind in "UST":
        return object_column(name, values.astype(object), coded)
    return object_column(name, values, coded)


def is_missing(value: Any) -> bool:
    """Whether a Python object stands for a missing cell."""
    if value is None:
        return True
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)


def object_column(name: str, values: Array, coded: bool = False) -> Raw:
    """Read a column of Python objects: all numbers, all booleans, or all text; anything else is refused by name."""
    found: set[str] = set()
    for value in values:
        if is_missing(value):
            continue
        if isinstance(value, (bool, np.bool_)):
            found.add("booleans")
        elif isinstance(value, (str, bytes)):
            found.add("text")
        elif isinstance(value, (dt.date, np.datetime64)):
            found.add("dates")
        elif isinstance(value, (dt.timedelta, np.timedelta64)):
            found.add("durations")
        elif isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real):
            raise ValueError(f"Complex data not supported: column {name!r} holds {shown(value)}")
        elif isinstance(value, numbers.Number) or type(value).__name__ == "Decimal":
            found.add("numbers")
        else:
            raise TypeError(
                f"column {name!r} holds {shown(value)} of type {type(value).__name__}: each cell of a column "
                "argument must be a string or a number, not an object; convert it or leave it out"
            )
    if len(found) > 1:
        raise ValueError(
            f"column {name!r} mixes {' and '.join(sorted(found))}: convert it to one type (astype(str) makes it nominal)"
        )
    if found in ({"dates"}, {"durations"}):
        kind = "M8[us]" if found == {"dates"} else "m8[us]"
        return _array_column(name, np.array([None if is_missing(v) else v for v in values], kind), coded)
    if found <= {"numbers", "booleans"} and not (coded and found):
        out = np.empty(len(values), np.float64)
        for i, value in enumerate(values):
            out[i] = np.nan if is_missing(value) else float(value)
        return Raw(name, "bool" if found == {"booleans"} else "number", out)
    index: dict[Any, int] = {}
    codes = np.empty(len(values), np.int32)
    for i, value in enumerate(values):
        codes[i] = -1 if is_missing(value) else index.setdefault(_plain(value), len(index))
    return Raw(name, "text", codes, list(index))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


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

    dtype = series.dtype
    if coded and (dtype.is_integer() or dtype == nw.Decimal):
        return _coded_column(name, "text", series.to_arrow())
    if dtype.is_float() or dtype.is_integer():
        values = series.to_numpy()
        if values.dtype.kind not in "iuf":
            values = np.asarray([np.nan if is_missing(v) else v for v in values], np.float64)
        return Raw(name, "number", native(values), whole=dtype.is_integer())
    if dtype == nw.Boolean:
        values = series.to_numpy()
        return Raw(name, "bool", native(values)) if values.dtype.kind in "bf" else _as_bool(name, values)
    if dtype == nw.Decimal:
        return Raw(name, "number", series.cast(nw.Float64).to_numpy())
    if dtype == nw.Object:
        return object_column(name, series.to_numpy(), coded)
    if dtype in (nw.Datetime, nw.Date, nw.Duration, nw.Time):
        return _time_column(name, dtype, series)
    if dtype == nw.String:
        return _coded_column(name, "text", series.to_arrow())
    if dtype in (nw.Categorical, nw.Enum):
        ordered = nw.is_ordered_categorical(series)
        kind = "ordered" if ordered and _really_ordered(series) else "category"
        # The levels of a polars Categorical stand in the order in which they were met, which declares nothing.
        appearance = dtype == nw.Categorical and type(series.to_native()).__module__.startswith("polars")
        return _coded_column(name, "text" if appearance else kind, series.to_arrow())
    if series.null_count() == len(series):
        return Raw(name, "number", np.full(len(series), np.nan))
    raise TypeError(
        f"column {name!r} has type {dtype}, which is neither numbers, text, categories nor dates: leave it out or convert it"
    )


def _really_ordered(series: Any) -> bool:
    # A polars Enum lists its levels but says nothing about their order having a meaning.
    native_series = series.to_native()
    return bool(getattr(getattr(native_series, "cat", None), "ordered", False)) or bool(
        getattr(getattr(native_series, "type", None), "ordered", False)
    )


def _as_bool(name: str, values: Array) -> Raw:
    return Raw(name, "bool", np.asarray([np.nan if is_missing(v) else float(v) for v in values], np.float64))


def _warn_nanoseconds(name: str) -> None:
    warnings.warn(
        f"column {name!r} has moments closer than a microsecond, which count as equal: convert it to numbers to tell them apart",
        TreewrightWarning,
        stacklevel=outside(),
    )


def _time_column(name: str, dtype: Any, series: Any) -> Raw:
    import narwhals as nw
    import pyarrow as pa

    array = series.to_arrow()
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if dtype == nw.Duration:
        micro = array.cast(pa.duration("us"), safe=False).cast(pa.int64())
    elif dtype == nw.Time:
        micro = array.cast(pa.time64("us"), safe=False).cast(pa.int64())
    else:
        zone = getattr(array.type, "tz", None)
        micro = array.cast(pa.timestamp("us", tz=zone), safe=False).cast(pa.int64())
    values = micro.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    if getattr(array.type, "unit", "us") == "ns":
        exact = array.cast(pa.int64()).to_numpy(zero_copy_only=False)
        if np.any(np.nan_to_num(np.mod(exact, 1000)) != 0):
            _warn_nanoseconds(name)
    return Raw(name, "date" if dtype in (nw.Datetime, nw.Date) else "duration", values)


def _coded_column(name: str, kind: str, array: Any) -> Raw:
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # no chunks at all
            array = pa.array([], array.type)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    levels = array.dictionary.to_pylist()
    indices = array.indices
    if not pa.types.is_signed_integer(indices.type):
        indices = indices.cast(pa.int32())
    codes = indices.fill_null(-1).to_numpy(zero_copy_only=False)
    if len(set(levels)) < len(levels) or any(is_missing(level) for level in levels):
        # Arrow allows repeated and null dictionary entries.
        index: dict[Any, int] = {}
        new = np.array([-1 if is_missing(v) else index.setdefault(v, len(index)) for v in levels] + [-1], np.int32)
        codes, levels = new[codes], list(index)
    return Raw(name, kind, codes, levels)
