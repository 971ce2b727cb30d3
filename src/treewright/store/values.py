"""Single values of users (levels, classes, parameters) as JSON values; what JSON has no form for is a list [type, ...]."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from treewright.errors import shown
from treewright.store.columns import array_form, array_of
from treewright.store.damage import Damage, need, take

_DTYPES = "biufUOmM"  # kinds of NumPy arrays that are written


# Values without a form, which a pickle carries beside the bytes; None in files.
_BESIDE: ContextVar[list[Any] | None] = ContextVar("beside", default=None)


class Unwritable(TypeError):
    """A value that has no form in a model file."""


@contextmanager
def beside(values: list[Any]) -> Iterator[list[Any]]:
    """Values that have no form are put into this list, and read from it."""
    token = _BESIDE.set(values)
    try:
        yield values
    finally:
        _BESIDE.reset(token)


def written(value: Any) -> Any:
    """Return a value as JSON can hold it; refuse what has no form."""
    if isinstance(value, np.generic) and not isinstance(value, (float, np.datetime64, np.timedelta64)):
        value = value.item()
    if value is None or type(value) in (bool, int):
        return value
    if isinstance(value, str):
        return _checked_text(str(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else ["float", repr(float(value))]
    for kind, (type_, write, _) in _FORMS.items():
        if type(value) is type_ or (isinstance(value, type_) and type_ is dt.datetime and not getattr(value, "nanosecond", 0)):
            return [kind, *write(value)]
    if (beside := _BESIDE.get()) is not None:
        beside.append(value)
        return ["beside", len(beside) - 1]
    raise Unwritable(f"{shown(value)} of type {type(value).__name__} has no form in a model file")


def read(form: Any) -> Any:
    """Return the value that a form stands for."""
    if form is None or isinstance(form, (bool, int)):
        return form
    if isinstance(form, float):
        return need(form, math.isfinite(form), "a number beyond the largest")
    if isinstance(form, str):
        return _readable_text(form)
    if not isinstance(form, list) or not form or form[0] not in (*_FORMS, "float", "beside"):
        raise Damage(f"{shown(form)} is no value")
    if form[0] == "float":
        return float(need(form[-1], form[1:] in (["nan"], ["inf"], ["-inf"]), f"{shown(form)} is no number"))
    if form[0] == "beside":
        values = _BESIDE.get()
        need(
            form,
            values is not None and len(form) == 2 and type(form[1]) is int and 0 <= form[1] < len(values),
            "a value is not there",
        )
        return (values or [])[form[1]]
    try:
        return _FORMS[form[0]][2](*form[1:])
    except (TypeError, ValueError, OverflowError, InvalidOperation) as error:
        raise Damage(f"{shown(form)} is no {form[0]}") from error


def _checked_text(text: str) -> str:
    if _BESIDE.get() is not None:
        return text  # Python's own text may hold what UTF-8 does not
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Unwritable(f"the text {shown(text)} holds half a character (a lone surrogate)") from error
    return text


def _readable_text(text: str) -> str:
    try:
        return _checked_text(text)
    except Unwritable as error:
        raise Damage(str(error)) from error


def _array(value: Any) -> list[Any]:
    if value.dtype.kind not in _DTYPES:
        raise Unwritable(f"an array of {value.dtype} has no form in a model file")
    flat = np.ascontiguousarray(value).reshape(-1)
    if value.dtype.kind in "iuf":
        return [value.dtype.str, list(value.shape), array_form(flat)]
    entries = flat.view(np.int64).tolist() if value.dtype.kind in "mM" else flat.tolist()
    return [value.dtype.str, list(value.shape), [written(entry) for entry in entries]]


def _read_array(name: Any, shape: Any, entries: Any) -> Any:
    dtype = np.dtype(take(name, str))
    need(dtype, dtype.kind in _DTYPES and (not dtype.hasobject or name == "|O"), f"{shown(name)} is no type of arrays")
    flat = array_of(entries, dtype, "array") if dtype.kind in "iuf" else _read_entries(dtype, take(entries, list))
    for side in take(shape, list):
        need(side, type(side) is int and side >= 0, f"{shown(shape)} is no shape")
    need(shape, math.prod(shape) == len(flat), f"an array of {len(flat)} entries has not the shape {shown(shape)}")
    return flat.reshape(shape)


def _read_entries(dtype: Any, entries: list[Any]) -> Any:
    values = [read(entry) for entry in entries]
    out = np.empty(len(values), object)
    out[:] = values
    if dtype.kind == "O":
        return out
    whole = bool if dtype.kind == "b" else int if dtype.kind in "mM" else str
    need(values, all(type(value) is whole for value in values), f"an array of {dtype} holds other values")
    if dtype.kind == "U":
        longest = max([1, *map(len, values)])
        need(dtype, dtype.itemsize == 4 * longest, f"texts of {longest} signs are not an array of {dtype}")
    return np.array(values, np.int64).view(dtype) if dtype.kind in "mM" else out.astype(dtype)


def _in_order(value: Any) -> list[Any]:
    """The entries of a set, always in the same order."""
    return [written(entry) for entry in sorted(value, key=repr)]


_FORMS: dict[str, tuple[type, Callable[[Any], list[Any]], Callable[..., Any]]] = {
    "datetime": (
        dt.datetime,
        lambda value: [dt.datetime.isoformat(value)],
        lambda text: dt.datetime.fromisoformat(take(text, str)),
    ),
    "date": (dt.date, lambda value: [value.isoformat()], lambda text: dt.date.fromisoformat(take(text, str))),
    "time": (dt.time, lambda value: [value.isoformat()], lambda text: dt.time.fromisoformat(take(text, str))),
    "timedelta": (
        dt.timedelta,
        lambda value: [value // dt.timedelta(microseconds=1)],
        lambda micro: dt.timedelta(microseconds=take(micro, int)),
    ),
    "decimal": (Decimal, lambda value: [str(value)], lambda text: Decimal(take(text, str))),
    "bytes": (bytes, lambda value: [value.hex()], lambda text: bytes.fromhex(take(text, str))),
    "list": (list, lambda value: [written(entry) for entry in value], lambda *entries: [read(entry) for entry in entries]),
    "tuple": (tuple, lambda value: [written(entry) for entry in value], lambda *entries: tuple(read(entry) for entry in entries)),
    "set": (set, _in_order, lambda *entries: {read(entry) for entry in entries}),
    "frozenset": (frozenset, _in_order, lambda *entries: frozenset(read(entry) for entry in entries)),
    "dict": (
        dict,
        lambda value: [[written(key), written(entry)] for key, entry in value.items()],
        lambda *pairs: {read(key): read(entry) for key, entry in pairs},
    ),
    "array": (np.ndarray, _array, _read_array),
}
