"""Reads the weights of rows, and decides what one row weighs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown

Array = NDArray[Any]
KEPT = 2.0**-46  # of all weight: the smallest that the core keeps of a row, see ``table.hpp``


def checked_weights(sample_weight: Any, n_rows: int) -> Array:
    """Return the weight of every row; refuse what cannot be weights."""
    if isinstance(sample_weight, np.ma.MaskedArray) and np.any(np.ma.getmaskarray(sample_weight)):
        raise ValueError("sample_weight contains masked (missing) entries: give such rows the weight 0")
    try:
        weights = np.asarray(sample_weight)
    except ValueError:
        weights = np.empty(0, object)
    if weights.dtype.kind not in "biufc":
        raise ValueError(f"sample_weight={shown(sample_weight)} is not allowed: weights must be finite numbers from 0 up")
    if weights.dtype.kind == "c":
        raise ValueError("Complex data not supported: sample_weight must be real")
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array.")
    if len(weights) != n_rows:
        raise ValueError(f"sample_weight has {len(weights)} entries, X has {n_rows} rows")
    weights = weights.astype(np.float64)
    bad = ~np.isfinite(weights) | (weights < 0)
    if np.any(bad):
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"sample_weight[{row}]={float(weights[row])!r} is not allowed: weights must be finite numbers from 0 up")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError("the sum of sample_weight overflows: divide the weights by their largest")
    return weights


def row_weight(weights: Array) -> float:
    """What one row weighs: 1 where all weights are whole numbers, which are copies of rows; else the mean of the positive ones.

    Whatever counts rows (least weights, description lengths, pessimistic estimates) divides weights by this number.
    """
    if np.all(weights == np.floor(weights)):
        return 1.0
    positive = weights[weights > 0]
    if np.all(positive == positive[0]):
        return float(positive[0])  # of which the mean may be off by rounding
    # The exact sum, rounded once: it does not depend on the order of rows, and halved weights halve it.
    return math.fsum(positive) / len(positive)


@dataclass(frozen=True)
class ReadWeights:
    """The rows of positive weight, and what they weigh."""

    given: Array | None = None  # as the user gave them; None where all are 1
    keep: Array | None = None  # which rows have a weight; None where all have
    each: float = 1.0  # what one row weighs, see ``row_weight``

    @property
    def counted(self) -> Array | None:
        """The weights in rows: those given over what one row weighs."""
        return self.given if self.given is None or self.each == 1 else self.given / self.each


def read_weights(sample_weight: Any, n_rows: int) -> ReadWeights:
    """Read the weights of rows, which may be None: one each."""
    if sample_weight is None:
        return ReadWeights()
    weights = checked_weights(sample_weight, n_rows)
    keep = weights > 0
    if not np.any(keep):
        raise ValueError("all entries of sample_weight are zero: no row is left")
    kept = weights if np.all(keep) else weights[keep]
    return ReadWeights(None if np.all(kept == 1) else kept, None if np.all(keep) else keep, row_weight(kept))
