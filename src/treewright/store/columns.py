"""Arrays of numbers in a document: as few signs as tell them exactly, and the same signs for the same numbers.

A column is a list; or one number where all entries are that number; or, over the nodes of a tree, {"leaves": number, "splits":
column} where all leaves hold the same. What JSON has no number for is null (not a number), "inf" or "-inf".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown
from treewright.store.damage import Damage, need

Array = NDArray[Any]
_SPECIAL = {None: np.nan, "inf": np.inf, "-inf": -np.inf}
_EXACT = 2.0**53


def array_form(array: Array) -> Array | list[Any]:
    """Return an array as a document holds it: whole numbers as such, special ones by name."""
    if array.dtype.kind != "f":
        return array
    if not np.all(np.isfinite(array)):
        return [_special_form(value) for value in array.tolist()]
    whole = (np.trunc(array) == array) & (np.abs(array) < _EXACT) & ~((array == 0) & np.signbit(array))
    return array.astype(np.int64) if array.size and bool(np.all(whole)) else array


def _special_form(value: float) -> Any:
    return value if np.isfinite(value) else None if value != value else repr(value)


def number_form(value: Any) -> Any:
    """Return one entry of an array as a document holds it."""
    form = array_form(np.array([value]))
    return form[0] if isinstance(form, list) else form[0].item()


def array_of(form: Any, dtype: Any, name: str) -> Array:
    """Return the array that a list (or an array, in packed bytes) stands for; refuse what does not fit its type."""
    dtype = np.dtype(dtype)
    if not isinstance(form, np.ndarray):
        form = _listed(form, dtype, name)
    need(form, form.ndim == 1 and form.dtype.kind in "iuf", f"{name}: not a list of numbers")
    if form.dtype == dtype:
        return form
    if dtype.kind == "f":
        return form.astype(dtype)
    need(form, form.dtype.kind in "iu" or form.size == 0, f"{name}: not whole numbers")
    if form.size:
        bounds = np.iinfo(dtype)
        low, high = int(form.min()), int(form.max())
        need(form, bounds.min <= low and high <= bounds.max, f"{name}: {low if low < bounds.min else high} is out of range")
    return form.astype(dtype)


def _listed(form: Any, dtype: Any, name: str) -> Array:
    if type(form) is not list:
        raise Damage(f"{name}: {shown(form)} is no list")
    if not form:
        return np.empty(0, dtype)
    try:
        array = np.array(form)
    except (ValueError, OverflowError) as error:
        raise Damage(f"{name}: not a list of numbers") from error
    if array.dtype.kind == "f" and not np.all(np.isfinite(array)):
        raise Damage(f"{name}: a number beyond the largest")
    if dtype.kind == "f" and array.ndim == 1 and array.dtype.kind in "OU":
        return np.array([_float(value, name) for value in form])
    return array


def _float(value: Any, name: str) -> float:
    if type(value) is float or (type(value) is int and abs(value) < 2**1000):
        return float(need(value, np.isfinite(float(value)), f"{name}: a number beyond the largest"))
    if value is None or (isinstance(value, str) and value in _SPECIAL):
        return _SPECIAL[value]
    raise Damage(f"{name}: {shown(value)} is no number")


def node_form(column: Array, leaf: NDArray[np.bool_]) -> Any:
    """Return a column over the nodes of a tree in its shortest form."""
    if len(column) == 0:
        return column
    if _all_same(column):
        return number_form(column[0])
    leaves = column[leaf]
    if len(leaves) > 1 and _all_same(leaves):
        splits = column[~leaf]
        inner = number_form(splits[0]) if _all_same(splits) else array_form(splits)
        return {"leaves": number_form(leaves[0]), "splits": inner}
    return array_form(column)


def _all_same(column: Array) -> bool:
    first = column[:1]
    return bool(np.all(column.view(f"u{column.itemsize}") == first.view(f"u{column.itemsize}")))


def node_column(form: Any, leaf: NDArray[np.bool_], dtype: Any, name: str) -> Array:
    """Return the column over the nodes of a tree that a form stands for."""
    if isinstance(form, dict):
        if form.keys() != {"leaves", "splits"} or isinstance(form["splits"], dict):
            raise Damage(f"{name}: {shown(form)} is no column")
        need(form, not isinstance(form["leaves"], (list, np.ndarray)), f"{name}: the leaves have one number")
        inner = ~leaf
        out = np.full(len(leaf), array_of([form["leaves"]], dtype, name)[0])
        np.place(out, inner, node_column(form["splits"], leaf[inner], dtype, name))
        return out
    if not isinstance(form, (list, np.ndarray)):
        return np.repeat(array_of([form], dtype, name), len(leaf))
    out = array_of(form, dtype, name)
    need(out, len(out) == len(leaf), f"{name}: {len(out)} entries instead of {len(leaf)}")
    return out
