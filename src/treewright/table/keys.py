"""Numbers that tell what stands in a row, wherever it stands: neither rows, columns nor labels have to be in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import as_float

Keys = NDArray[np.uint64]


def label_keys(labels: Sequence[Any]) -> Keys:
    """A number per label that depends on the label alone, wherever it was declared; after the last that of a missing one."""
    texts = (repr(as_float(label)) if isinstance(label, Real) and not isinstance(label, bool) else str(label) for label in labels)
    keys = [int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) for text in texts]
    return np.array([*keys, 0], np.uint64)


def row_keys(arrays: Sequence[NDArray[Any]], target: NDArray[Any], weights: NDArray[Any] | None, seed: int) -> Keys:
    """A number per row that depends on the seed and on the cells of the row, not on its index nor on the order of the columns.

    Columns of labels are given by the keys of their labels.
    """
    seeds = np.full(1, seed % 2**64, np.uint64)
    plain = mixed(_bits(target), seeds)  # cells added up: the same in any order of the columns
    for column in _columns(arrays):
        plain += _stirred(column)
    counted = (
        plain
        if weights is None or not np.all(weights == np.floor(weights))
        else plain * np.fmod(weights, 2.0**64).astype(np.uint64)
    )
    # What a column holds beside the others, summed over all rows, is its own in any place; columns that are alike are numbered.
    key, taken = plain.copy(), Counter[int]()
    for column in _columns(arrays):
        cells = _stirred(column)
        own = int(np.dot(cells, counted))
        cells ^= np.uint64((own + taken[own]) % 2**64)
        taken[own] += 1
        key += _stirred(cells)
    return mixed(key, seeds)


def mixed(key: Keys, number: Keys) -> Keys:
    """A hash of both."""
    out = key ^ (number * np.uint64(0x9E3779B97F4A7C15))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        out = (out ^ (out >> np.uint64(shift))) * np.uint64(factor)
    return out ^ (out >> np.uint64(31))


def _columns(arrays: Sequence[NDArray[Any]]) -> Iterator[Keys]:
    for array in arrays:
        yield from (_bits(column) for column in (array.T if array.ndim == 2 else [array]))


def _bits(column: NDArray[Any]) -> Keys:
    if column.dtype == np.uint64:
        return column
    values = column.astype(np.float64) + 0.0  # one zero
    values[np.isnan(values)] = np.nan  # and one NaN
    return values.view(np.uint64)


def _stirred(bits: Keys) -> Keys:
    out = (bits ^ np.uint64(0x632BE59BD9B4E019)) * np.uint64(0xBF58476D1CE4E5B9)
    out ^= out >> np.uint64(29)
    out *= np.uint64(0x94D049BB133111EB)
    out ^= out >> np.uint64(32)
    return out
