"""A hint where a numeric target differs by rounding only, of which exact trees grow large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreewrightWarning, warn_once

_UNITS = 8  # of rounding, as a few sums of a few numbers are off


def rounding_spread(target: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """How far the numbers of a target lie apart, by column, where they differ by a few units of rounding; None otherwise."""
    columns = target.reshape(len(target), -1)
    low, high = columns.min(axis=0), columns.max(axis=0)
    with np.errstate(over="ignore"):
        spread = high - low
        units = np.spacing(np.maximum(np.abs(low), np.abs(high)))
        return spread if np.any(spread > 0) and np.all(spread <= _UNITS * units) else None


def hint_at_rounding(spread: NDArray[np.float64], grown: str, option: str) -> None:
    """Warn of what has grown from a target that differs by rounding, with the option that ends it."""
    warn_once(
        f"all numbers of y lie within {float(spread.max()):.3g}, a few units of their rounding, and {grown} tell them apart; "
        f"if they are meant to be equal, round y, or use {option}",
        TreewrightWarning,
        ("rounding", option),
    )
