"""Warnings about the weights of a table: kept only roughly, too heavy to divide, too light to split."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import TreewrightWarning, counted, warn_once

_VISIBLE = 0.01  # a weight that is off by more than this fraction of itself
_SAFE = 2.0**-36  # a weight of this share of the sum is never off by so much: they are kept to 2^-44 of it at the least
_HEAVY = 1000  # a row of this many times the lightest leaf: it may be divided among so many


def warn_if_rounded(weights: NDArray[Any] | None) -> None:
    """Warn when the lightest rows weigh so little beside all others that their weights are kept only roughly."""
    if weights is None or float(np.min(weights)) > _SAFE * float(np.sum(weights)):
        return
    off = _core.weight_rounding(np.ascontiguousarray(weights))
    if off > _VISIBLE:
        if off < 0.5:
            about = f"are off by up to {100 * 10 ** math.ceil(math.log10(off)):.4g} %"
        else:
            about = f"count as {float(np.sum(weights)) / 2**46:.1g}"
        warn_once(
            f"sample_weight reaches from {float(np.min(weights)):.3g} to {float(np.max(weights)):.3g}, and weights are kept to "
            f"2^-46 of their sum: the lightest {about}; drop such rows, or raise their weights",
            TreewrightWarning,
            ("rounded weights",),
        )


def warn_if_heavy(mean: float, leaf: float) -> None:
    """Warn when rows that are divided where cells are missing weigh so much that a leaf may hold a tiny fraction of one."""
    if mean > _HEAVY * leaf:
        warn_once(
            f"the rows weigh {mean:.3g} on average, and those with missing cells are divided down to min_samples_leaf={leaf:g}, "
            "which counts weight: the tree may become very large; divide sample_weight by its mean, or raise the limit",
            TreewrightWarning,
            ("heavy weights",),
        )


def warn_if_light(total: float, split: float, leaf: float, weighted: bool) -> None:
    """Warn when the whole table weighs too little for even one split."""
    needed = max(split, 2 * leaf)
    if total < needed:
        few = f"the weights sum to {total:g}" if weighted else f"the table has {counted(int(total), 'row')}"
        count, remedy = (" count weight", "scale the weights or lower the limits") if weighted else ("", "lower the limits")
        warn_once(
            f"{few}, a split needs {needed:g} (min_samples_split, min_samples_leaf{count}): the tree is a single leaf; {remedy}",
            TreewrightWarning,
            ("light weights",),
        )
