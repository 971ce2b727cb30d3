"""Numbers of Arrow arrays, read from their buffers: Arrow's own conversion loads pandas, which takes longer than a small fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.table.raw import Array

_TYPES: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    **{f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def numbers_of(array: Any, hole: float | None = None) -> Array | None:
    """The numbers of an Arrow array, in one piece; None if they are of another type.

    ``hole``: what nulls become; by default NaN, and whole numbers with nulls become floats.
    """
    dtype = _TYPES.get(str(array.type))
    if dtype is None:
        return None
    pieces = [_piece(chunk, dtype, hole) for chunk in getattr(array, "chunks", [array])]
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces) if pieces else np.empty(0, dtype)


def _piece(chunk: Any, dtype: np.dtype[Any], hole: float | None) -> Array:
    if len(chunk) == 0:
        return np.empty(0, dtype)
    valid, data = chunk.buffers()
    values: Array = np.frombuffer(data, dtype, len(chunk), chunk.offset * dtype.itemsize)
    if chunk.null_count == 0:
        return values
    known = bits_of(valid, chunk.offset, len(chunk))
    if hole is None and dtype.kind != "f":
        values = values.astype(np.float64)
    return np.where(known, values, np.asarray(np.nan if hole is None else hole, values.dtype))


def bits_of(buffer: Any, offset: int, count: int) -> Array:
    """Truth values that Arrow keeps as bits."""
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), count=offset + count, bitorder="little")
    return bits[offset:].view(bool)
