"""Reads targets: classes in declared order where the target declares one, numbers checked to be finite."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreewrightWarning, outside, shown
from treewright.table.frames import is_frame, shape_of
from treewright.table.learn import beyond_exact
from treewright.table.objects import as_floats, kinds_of, mixture
from treewright.table.raw import is_missing, refuse_half_characters
from treewright.table.schema import WIDEST, TargetSchema, name_text
from treewright.table.written import Written

Array = NDArray[Any]


def target_name(y: Any) -> str:
    """Return the name of a target series, or "target"."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "target"


def _written(y: Any) -> Written | None:
    """How a target that was a column of a file was written in it."""
    return written if isinstance(written := getattr(y, "written", None), Written) else None


def _one_dimensional(y: Any) -> Array:
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if isinstance(y, np.ma.MaskedArray) and np.any(np.ma.getmaskarray(y)):
        raise ValueError("Input y contains masked (missing) entries: drop such rows first")
    if is_frame(y) or (isinstance(y, np.ndarray) and y.ndim == 2):
        from sklearn.utils import column_or_1d

        values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
        return _real(np.asarray(column_or_1d(values, warn=True)))
    array = _as_array(y)
    if array.ndim == 0:
        raise ValueError(f"y should be a 1d array, got {shown(y)}: pass one class or number per row, such as a list")
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return _real(array)


def _as_array(y: Any) -> Array:
    library = type(y).__module__.partition(".")[0]
    if library in ("pyarrow", "polars"):
        # Through Python objects: fixed-width NumPy text would lose trailing NULs, and nulls stay None.
        values = y.to_pylist() if library == "pyarrow" else y.to_list()
        return _objects(values) if any(isinstance(v, (str, bytes)) or v is None for v in values) else np.asarray(values)
    if isinstance(y, (list, tuple)) and len(set(map(type, y))) > 1 and len(kinds_of(y)) > 1:
        return _objects(list(y))  # NumPy would turn numbers into text beside text, and booleans into numbers
    try:
        return np.asarray(y)
    except ValueError as error:
        raise ValueError(f"y should be a 1d array of classes or numbers, got {shown(y)}") from error


def _objects(values: list[Any]) -> Array:
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _real(values: Array) -> Array:
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be real")
    return values


def declared_classes(y: Any) -> list[Any] | None:
    """Return the categories of a categorical target in their declared order, None where it declares none."""
    dtype = getattr(y, "dtype", None)
    categories = getattr(dtype, "categories", None)
    # A polars Categorical keeps its levels in a pool of the whole process: their order declares nothing. An Enum does.
    pooled = type(y).__module__.startswith("polars") and type(dtype).__name__ == "Categorical"
    if categories is not None and not pooled:
        return [v.item() if isinstance(v, np.generic) else v for v in list(categories)]
    if type(y).__module__.startswith("pyarrow") and hasattr(y, "type") and hasattr(y.type, "index_type"):
        chunk = y.unify_dictionaries().chunk(0) if hasattr(y, "unify_dictionaries") else y
        return list(chunk.dictionary.to_pylist())
    return None


def _distinct(values: Array) -> tuple[Array, Array]:
    """Return the distinct values, sorted, and the position of every cell among them."""
    if values.dtype.kind not in "biu" or len(values) == 0:
        return np.unique(values, return_inverse=True)
    low, high = int(values.min()), int(values.max())
    if high - low >= max(1024, len(values)):
        return np.unique(values, return_inverse=True)
    # Whole numbers that lie close together are counted, which is ten times as fast as sorting them.
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64, copy=False)
    offset = (wide - wide.dtype.type(low)).astype(np.int64)
    occurs = np.bincount(offset) > 0
    found = np.flatnonzero(occurs).astype(wide.dtype) + wide.dtype.type(low)
    return found.astype(values.dtype), (np.cumsum(occurs, dtype=np.int32) - 1).take(offset)


def read_classes(y: Any, keep: Array | None) -> tuple[TargetSchema, Array, Array]:
    """Return the target's schema, the class of every row as a position in it, and the sorted classes that occur."""
    values = _one_dimensional(y)
    return _read_classes(y, values if keep is None else values[keep], declared_classes(y))


def read_some_classes(y: Any) -> tuple[TargetSchema, Array, Array]:
    """The same of a target that is known of some rows only: -1 is the code of the others, which are missing, or -1.

    So is the text "-1", which NumPy makes of -1 among text.
    """
    values = _one_dimensional(y)
    unknown = _missing(values)
    holes = bool(unknown.any())
    if values.dtype.kind in "iuf":
        unknown = unknown | (values == -1)
    elif values.dtype.kind in "US":
        unknown = unknown | (values == np.array("-1", values.dtype.kind))
    elif values.dtype.kind == "O":
        unknown = unknown | np.array([_says_unknown(v) for v in values], bool)
    known = values[~unknown]
    if not len(known):
        raise ValueError("y has no class in any row: at least some rows must be labelled; -1 and missing cells are unlabelled")
    if holes and known.dtype.kind == "f" and bool(np.all(known == np.floor(known))):
        known = known.astype(np.int64)  # whole numbers, which a missing cell among them made floats
    declared = declared_classes(y)
    if values.dtype.kind == "O":
        _one_kind(_objects([None if hole else v for v, hole in zip(values, unknown, strict=True)]))
    target, codes, found = _read_classes(
        y, known, None if declared is None else [label for label in declared if not _says_unknown(label)]
    )
    out = np.full(len(values), -1, np.int64)
    out[~unknown] = codes
    return target, out, found


def _says_unknown(label: Any) -> bool:
    return (
        label == "-1" if isinstance(label, str) else type(label) is not bool and isinstance(label, numbers.Real) and label == -1
    )


def _read_classes(y: Any, values: Array, declared: list[Any] | None) -> tuple[TargetSchema, Array, Array]:
    texts = _distinct_texts(values)
    if texts is None:
        found, codes = _checked_classes(values, declared)
    else:
        found, codes = texts
    if declared is None:
        refuse_half_characters("y holds the class", found.tolist())
        return TargetSchema(target_name(y), tuple(_labels(found)), written=_written(y)), codes, found
    place = {label: i for i, label in enumerate(declared)}
    order = np.array([place[v] for v in found.tolist()], np.int64)
    return TargetSchema(target_name(y), tuple(declared), written=_written(y)), order[codes], found


def _distinct_texts(values: Array) -> tuple[Array, Array] | None:
    """The distinct classes and the position of every cell where all are text, which needs no look at every cell; else None."""
    if values.dtype.kind != "O":
        return None
    cells = values.tolist()
    try:
        distinct = set(cells)
    except TypeError:
        return None
    if not all(type(label) is str for label in distinct):
        return None
    ordered = sorted(distinct)
    place = {label: i for i, label in enumerate(ordered)}
    return _objects(ordered), np.fromiter(map(place.__getitem__, cells), np.int64, len(cells))


def _checked_classes(values: Array, declared: list[Any] | None) -> tuple[Array, Array]:
    """The distinct classes and the position of every cell; refuse what cannot be classes."""
    _refuse_missing(values)
    if values.dtype.kind == "f" and declared is None:
        from sklearn.utils.multiclass import check_classification_targets

        check_classification_targets(values)
    if values.dtype.kind == "O":
        _one_kind(values)
    try:
        return _distinct(values)
    except TypeError as error:
        raise ValueError(f"y holds {shown(values[0])}, which cannot be sorted: classes must be text, numbers or dates") from error


def _one_kind(values: Array) -> None:
    """Refuse classes of several kinds, or of one that has no order."""
    kinds = kinds_of(values)
    if len(kinds) > 1:
        raise ValueError(f"y mixes {mixture(kinds, 'row')}: the classes must be of one type")
    if (odd := next((kind for kind in kinds if kind.startswith("type ")), None)) is not None:
        raise ValueError(f"y holds {shown(kinds[odd].cell)} of {odd}: classes must be text, numbers, truth values or dates")


def _labels(found: Array) -> list[Any]:
    """Classes as Python objects; NumPy makes whole numbers of nanoseconds."""
    if found.dtype.kind in "mM":
        coarse = found.astype(f"{found.dtype.kind}8[us]")
        if np.all(coarse == found):
            found = coarse
    return list(found.tolist())


def read_numbers(y: Any, keep: Array | None) -> tuple[TargetSchema, Array]:
    """Return the target's schema and its values."""
    if several_numbers(y):
        raise ValueError("y should be a 1d array, one number a row, got several: CARTRegressor and TreeRegressor predict several")
    values = _one_dimensional(y)
    if keep is not None:
        values = values[keep]
    exact = values.dtype.kind in "iu"
    if values.dtype.kind not in "iufb":
        _refuse_times(values)
        if values.dtype.kind == "O" and kinds_of(values).keys() <= {"numbers", "booleans"}:
            values, exact = as_floats("y", values)
        try:
            values = values.astype(np.float64, copy=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"y must be numeric for regression, got {shown(values[:3].tolist())}") from error
    if exact and beyond_exact(values):
        warnings.warn(
            "y holds whole numbers beyond 2**53, read as 64-bit floats: neighbours may count as equal; subtract a constant",
            TreewrightWarning,
            stacklevel=outside(),
        )
    values = np.ascontiguousarray(values, np.float64)
    if not np.all(np.isfinite(values)):
        what = "NaN" if np.any(np.isnan(values)) else "infinity"
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"Input y contains {what} (row {row}): drop such rows first")
    return TargetSchema(target_name(y), None, written=_written(y)), values


def several_numbers(y: Any) -> bool:
    """Whether a target has more than one number per row."""
    if is_frame(y):
        return int(shape_of(y)[1]) > 1
    if isinstance(y, (list, tuple)) and len(y) and isinstance(y[0], (list, tuple)):
        return len(y[0]) > 1
    return isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] > 1


def read_vectors(y: Any, keep: Array | None) -> tuple[TargetSchema, Array]:
    """Return the schema of a target of several numbers per row, and its values, row by row."""
    named: Any = getattr(y, "column_names", None) or getattr(y, "columns", ()) if is_frame(y) else ()
    names = list(named)
    try:
        values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y.to_pandas() if hasattr(y, "to_pandas") else y)
        values = np.ascontiguousarray(_real(values).astype(np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError("y must be numeric for regression, the same number of numbers in every row") from error
    if values.ndim != 2:
        raise ValueError(f"y should have one number a row, or as many in every row, got an array of shape {values.shape}")
    if keep is not None:
        values = values[keep]
    if not np.all(np.isfinite(values)):
        what = "NaN" if np.any(np.isnan(values)) else "infinity"
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise ValueError(f"Input y contains {what} (row {row}): drop such rows before fitting")
    if len(names) != values.shape[1]:
        return TargetSchema("target", None, outputs=tuple(f"y{j}" for j in range(values.shape[1]))), values
    outputs = tuple(map(str, names))
    return TargetSchema(f"({', '.join(map(name_text, outputs))})", None, outputs=outputs), values


def match_target(y: Any, target: TargetSchema, keep: Array | None = None) -> Array:
    """Return targets of further rows: numbers, or positions of classes, where an unknown class is one past the last."""
    if target.classes is None:
        return read_numbers(y, keep)[1]
    found, codes, _ = read_classes(y, keep)
    place = {label: i for i, label in enumerate(target.classes)}
    assert found.classes is not None
    if not any(label in place for label in found.classes) and not kinds_of(found.classes).keys() & kinds_of(place).keys():
        raise ValueError(
            f"the classes of the model are such as {shown(target.classes[0])}, y holds {shown(found.classes[0])}: "
            "pass the classes as they were in training"
        )
    return np.array([place.get(label, len(place)) for label in found.classes], np.int64)[codes]


def _refuse_times(values: Array) -> None:
    """Refuse moments: their mean would be one, but an error needs a unit, which the user has to choose."""
    kinds = {"M": {"dates"}, "m": {"durations"}}.get(values.dtype.kind, set())
    kinds = set(kinds_of(values)) if values.dtype.kind == "O" else kinds
    for kind, remedy in _IN_NUMBERS.items():
        if kind in kinds:
            raise ValueError(f"y holds {kind}, and regression predicts numbers: choose a unit, such as {remedy}")


_IN_NUMBERS = {
    "dates": "days since the first, (y - y.min()) / pandas.Timedelta(days=1)",
    "durations": "hours, y / pandas.Timedelta(hours=1)",
    "times of day": "hours since midnight",
}


def _missing(values: Array) -> NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind == "O":
        return np.array([is_missing(v) for v in values], bool)
    return np.isnat(values) if values.dtype.kind in "mM" else np.zeros(len(values), bool)


def _refuse_missing(values: Array) -> None:
    bad = ~np.isfinite(values) if values.dtype.kind == "f" else _missing(values)
    if np.any(bad):
        row = int(np.flatnonzero(bad)[0])
        what = "infinity" if values.dtype.kind == "f" and np.isinf(values[row]) else "NaN"
        raise ValueError(f"Input y contains {what} (row {row}): drop rows without a class first")


def check_squares(values: Array, who: str) -> None:
    """Refuse targets so far apart that squares of their deviations overflow."""
    high, low = float(values.max()), float(values.min())
    if high / 2 - low / 2 >= WIDEST / 2:
        unit = 10.0 ** np.floor(np.log10(max(abs(high), abs(low))))
        raise ValueError(
            f"y reaches from {low:.3g} to {high:.3g}, and {who} computes with squares, which are beyond 64-bit floats there: "
            f"divide y by {unit:g}"
        )


_HEAVIEST = 1e100


def check_heavy_squares(values: Array, weights: Array | None, who: str) -> None:
    """Refuse targets, or weights, so large that weighted squares of deviations overflow."""
    check_squares(values, who)
    total = 1.0 if weights is None else float(weights.sum())
    if total > _HEAVIEST or (total > 1 and float(np.ptp(values)) >= WIDEST / np.sqrt(total)):
        unit = 10.0 ** np.floor(np.log10(total))
        raise ValueError(
            f"sample_weight sums to {total:.3g}, and {who} computes with squares times weights, "
            f"which are beyond 64-bit floats there: divide the weights by {unit:g}"
        )


def check_counts(values: Array) -> None:
    """Refuse targets that are no counts or rates."""
    if np.any(values < 0):
        row = int(np.flatnonzero(values < 0)[0])
        raise ValueError(f"criterion 'poisson' needs targets from 0 up, y[{row}]={float(values[row])!r}: use e.g. 'variance'")
    if not np.any(values > 0):
        raise ValueError("criterion 'poisson' needs a target above 0, all are 0")


def class_array(classes: Sequence[Any]) -> NDArray[Any]:
    """The classes as an array: of their own type where that keeps them as they are, otherwise of objects."""
    labels = np.asarray(classes)
    if labels.ndim != 1 or labels.tolist() != list(classes):
        labels = np.empty(len(classes), object)
        labels[:] = classes
    return labels
