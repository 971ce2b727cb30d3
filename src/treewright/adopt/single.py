"""Comparisons in single precision said in double precision: other libraries round a value to 32 bits before they compare it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


def last_below(low: Doubles, high: Doubles) -> Doubles:
    """Return the largest doubles that are rounded to the single ``low`` and not to its successor ``high``."""
    middle = low / 2 + high / 2  # exact: neighbouring singles
    even = (low.astype(np.float32).view(np.uint32) & 1) == 0  # halfway, the even neighbour is taken
    return np.where(even, middle, np.nextafter(middle, -np.inf))


def at_most(threshold: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Return cut, below, above of the test ``single(x) <= threshold``, as the test ``x <= cut`` of doubles."""
    with np.errstate(over="ignore"):
        low = threshold.astype(np.float32)
    low = np.where(low.astype(np.float64) > threshold, np.nextafter(low, np.float32(-np.inf)), low)
    high = np.nextafter(low, np.float32(np.inf))
    below, above = low.astype(np.float64), high.astype(np.float64)
    inside = np.isfinite(below) & np.isfinite(above)
    with np.errstate(invalid="ignore"):
        cut = np.where(inside, last_below(below, above), threshold)
    return cut, np.where(inside, below, threshold), np.where(inside, above, np.nextafter(threshold, np.inf))


def less_than(threshold: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Return cut, below, above of the test ``single(x) < threshold`` (a single), as the test ``x < cut`` of doubles."""
    before = np.nextafter(threshold.astype(np.float32), np.float32(-np.inf)).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        cut = np.nextafter(last_below(before, threshold), np.inf)
    inside = np.isfinite(before) & np.isfinite(threshold)
    return np.where(inside, cut, threshold), np.where(inside, before, np.nextafter(threshold, -np.inf)), threshold
