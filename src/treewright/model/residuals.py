"""How far targets lie from what is said of them: the root of the mean square, weights counted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LARGEST = float(np.finfo(np.float64).max)
_ROUNDING = 1e-13  # of the size of the targets; who is off by less says them exactly


def deviation(target: Floats, predicted: Any, weights: Floats | None) -> float:
    """Of all rows together; 0 where nothing weighs."""
    return float(deviations(np.zeros(len(target), np.int64), target, predicted, weights, 1)[0])


def deviations(place: NDArray[Any], target: Floats, predicted: Any, weights: Floats | None, places: int) -> Floats:
    """Of the rows at every place; 0 where nothing weighs."""
    heaviest = 1.0 if weights is None else float(np.max(weights, initial=0.0))
    if heaviest == 0:
        return np.zeros(places)
    shares = np.ones(len(target)) if weights is None else weights / heaviest
    total = np.bincount(place, shares, places)

    def root(sizes: Floats) -> Floats:
        # In a unit in which squares and their sums are finite.
        unit = float(np.max(sizes, initial=0.0))
        square = np.bincount(place, shares * (sizes / unit) ** 2, places) if unit > 0 else np.zeros(places)
        mean: Floats = np.divide(square, total, out=np.zeros(places), where=total > 0)
        return np.sqrt(np.minimum(mean, 1.0)) * unit

    with np.errstate(over="ignore"):
        off = root(np.minimum(np.abs(target - predicted), LARGEST))
    return np.where(off <= _ROUNDING * root(np.abs(target)), 0.0, off)
