"""The same table with other equals first: what a learner may answer that settles ties in another way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def reordered(X: pd.DataFrame, y: pd.Series, count: int) -> Iterator[tuple[pd.DataFrame, pd.Series]]:
    """The table, and so many others that say the same: columns, levels and classes in other orders, numbers from above."""
    rng = np.random.default_rng(0)
    yield X, y
    for turn in range(count):
        names = rng.permutation(X.columns) if turn else X.columns[::-1]
        out = X[list(names)].copy()
        for name in names:
            if rng.random() < 0.5:
                out[name] = _turned(out[name], rng)
        other = y
        if isinstance(y.dtype, pd.CategoricalDtype) and rng.random() < 0.5:
            other = _turned(y, rng)
        yield out, other


def _turned(column: pd.Series, rng: np.random.Generator) -> pd.Series:
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return -column.astype(float) if column.dtype.kind in "fiu" else column
    if column.dtype.ordered:
        return column
    return column.cat.reorder_categories(list(rng.permutation(np.array(list(column.cat.categories), object))))


def sums_to(parts: list[list[NDArray[Any]]], goal: NDArray[Any]) -> bool:
    """Whether one vector of each list can be taken so that they sum to the goal, but for rounding."""
    halves = []
    for half in (parts[: len(parts) // 2], parts[len(parts) // 2 :]):
        sums = np.zeros((1, len(goal)))
        for options in half:
            sums = (sums[:, None, :] + np.array(options)[None, :, :]).reshape(-1, len(goal))
        halves.append(sums)
    first, second = halves
    # Compared by a sum of the entries, each with a factor of its own, and only where that agrees entry by entry.
    factors = np.random.default_rng(1).random(len(goal))
    slack = 1e-9 * (1 + np.abs(goal))
    second = second[np.argsort(second @ factors)]
    keys, wanted, near = second @ factors, (goal - first) @ factors, float(slack @ factors)
    begin, end = np.searchsorted(keys, wanted - near), np.searchsorted(keys, wanted + near)
    return any(
        np.any(np.all(np.abs(second[begin[k] : end[k]] - (goal - first[k])) <= slack, axis=1))
        for k in np.flatnonzero(end > begin)
    )
