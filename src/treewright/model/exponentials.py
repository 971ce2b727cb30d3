"""Powers of e and shares of scores by the model's own operations, as the core and all exports have them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SHIFT = 6755399441055744.0  # adding and subtracting it rounds to a whole number
_LEAST = -708.0  # the power of what lies below is 0
_LIMIT = 1e300  # scores beyond it are cut
_ALIKE = -(2.0**-27)  # scores this near the largest are as large


def powers(x: Floats) -> Floats:
    """E to the power of numbers not above 0; 0 below -708."""
    near = np.maximum(x, _LEAST)
    k = (near * 1.4426950408889634 + _SHIFT) - _SHIFT
    r = (near - k * 0.6931471805582987) - k * 1.6465949582897082e-12
    z = r * r
    even = 1 + z * (1 / 2 + z * (1 / 24 + z * (1 / 720 + z * (1 / 40320 + z * (1 / 3628800 + z * (1 / 479001600))))))
    odd = 1 + z * (1 / 6 + z * (1 / 120 + z * (1 / 5040 + z * (1 / 362880 + z * (1 / 39916800 + z * (1 / 6227020800))))))
    return np.asarray(np.where(x < _LEAST, 0.0, np.ldexp(even + odd * r, k.astype(np.int32))))


def powers_of_scores(scores: Floats) -> Floats:
    """E to the power of scores of any sign, which are cut at 708: all powers are finite."""
    inside = np.minimum(scores, -_LEAST)
    each = powers(-np.abs(inside))
    return np.where(inside > 0, 1 / np.maximum(each, np.finfo(np.float64).tiny), each)


def shares_of_scores(scores: Floats, never: float) -> Floats:
    """The shares that scores of classes stand for (rows x classes); ``never`` is that of a class without any."""
    inside = np.where(scores == never, scores, np.clip(np.nan_to_num(scores, nan=0.0), -_LIMIT, _LIMIT))
    away = inside - inside.max(axis=1, keepdims=True)
    each = np.where(away >= _ALIKE, 1.0, powers(np.minimum(away, 0.0)))
    total = np.zeros(len(each))
    for k in range(each.shape[1]):  # in their order, as programs add
        total += each[:, k]
    return np.asarray(each / total[:, None])
