"""Which class wins where shares are equal: the first that was declared, and sums that differ by rounding only are equal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

# Parts of rows with missing cells are rounded; the core takes class weights for equal that differ by 2^-27 of a node's weight.
ROUNDING = 1e-8
_AT_ONCE = 1 << 22  # shares


def settled(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares, along the last axis, of which those that differ from the largest by rounding only are as large."""
    most = shares.max(axis=-1, keepdims=True)
    return np.where(shares >= most - ROUNDING, most, shares)


def capped(shares: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares at a place whose answer has the share ``said``: none that differs from it by rounding only is larger."""
    return np.where((shares > own) & (shares <= own + ROUNDING), own, shares)


def leading(shares: NDArray[np.float64], at: int) -> NDArray[np.float64]:
    """Shares of which the one at a position is the largest, changed as little as possible.

    It and those above it become their mean (least squares), it larger by a rounding so that it is found.
    """
    others = np.delete(shares, at)
    if shares[at] > others.max(initial=-1.0):
        return shares
    above = np.sort(others)[::-1]
    means = (shares[at] + np.cumsum(above)) / np.arange(2, len(shares) + 1)
    below = np.append(above[1:], -1.0)
    mean = means[np.argmax(means >= below)]
    out = np.minimum(shares, mean)
    out[at] = np.nextafter(mean, 2.0)
    return out


def winner(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Position of the largest share, along the last axis; of those that differ by rounding only, the first."""
    return np.argmax(settled(shares), axis=-1)


def in_blocks(
    rows: NDArray[np.int64], width: int, decided: Callable[[NDArray[np.int64]], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """What is decided of every row by ``width`` shares, some rows at a time: the shares of all may be more than memory holds."""
    step = max(_AT_ONCE // max(width, 1), 1)
    blocks = [decided(rows[at : at + step]) for at in range(0, len(rows), step)]
    return np.concatenate([np.zeros(0, np.int64), *blocks])
