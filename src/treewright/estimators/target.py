"""What is said about the weights of a table."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import TreewrightWarning, outside

_VISIBLE = 0.01  # a weight that is off by more than this part of itself


def warn_if_rounded(weights: NDArray[Any] | None) -> None:
    """Warn when the lightest rows weigh so little beside all others that their weights are kept only roughly."""
    off = 0.0 if weights is None else _core.weight_rounding(np.ascontiguousarray(weights))
    if off > _VISIBLE:
        assert weights is not None
        if off < 0.5:
            about = f"are off by up to {100 * 10 ** math.ceil(math.log10(off)):.4g} %"
        else:
            about = f"count as {float(np.sum(weights)) / 2**46:.1g}"
        warnings.warn(
            f"sample_weight reaches from {float(np.min(weights)):.3g} to {float(np.max(weights)):.3g}, and weights are kept to "
            f"2^-46 of their sum: the lightest {about}; drop such rows, or raise their weights",
            TreewrightWarning,
            stacklevel=outside(),
        )


def warn_if_light(total: float, split: float, leaf: float) -> None:
    """Warn when the whole table weighs too little for even one split."""
    needed = max(split, 2 * leaf)
    if total < needed:
        warnings.warn(
            f"the weights sum to {total:g}, a split needs {needed:g} (min_samples_split, min_samples_leaf count weight): "
            "the tree is a single leaf; scale the weights or lower the limits",
            TreewrightWarning,
            stacklevel=outside(),
        )


def warn_of_rows_beyond(count: int, bound: float, worst: float) -> None:
    """Say how many rows are off by more than the bound of the worst case."""
    if count:
        warnings.warn(
            f"{count} training {'row is' if count == 1 else 'rows are'} off by more than min_impurity={bound:g}, "
            f"by up to {worst:.6g}: "
            "rows of their leaves are equal in all columns, or a limit such as max_depth stopped the growth",
            TreewrightWarning,
            stacklevel=outside(),
        )
