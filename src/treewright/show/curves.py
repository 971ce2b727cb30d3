"""Tables behind textbook figures: impurity of two classes, and how often a committee of independent members is wrong."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright.errors import out_of_range


def impurity_curves(n: int = 201) -> dict[str, NDArray[np.float64]]:
    """Impurity of two classes by the share ``p`` of the first: entropy in bits, Gini, error."""
    p = np.arange(n) / (n - 1)
    q = p[::-1]  # 1 - p, exactly symmetric
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(p > 0, p * np.log2(p), 0.0) - np.where(q > 0, q * np.log2(q), 0.0)
    return {"p": p, "entropy": entropy + 0.0, "gini": 2 * p * q, "error": np.minimum(p, q)}


def vote_errors(members: int, error: float) -> NDArray[np.float64]:
    """Probability that exactly 0, 1, ... of so many independent members err, each with the same probability."""
    if not isinstance(members, int) or members < 1:
        raise out_of_range("members", members, "a whole number from 1 up")
    if not 0 <= error <= 1:
        raise out_of_range("error", error, "a probability")
    chances = [math.comb(members, k) * error**k * (1 - error) ** (members - k) for k in range(members + 1)]
    return np.array(chances)
