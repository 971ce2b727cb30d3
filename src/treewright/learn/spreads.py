"""How much the columns of training rows vary: what coefficients of scores are compared by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learn.training import Training
from treewright.model import Tree
from treewright.model.rules import by_column

_DIGITS = 6  # fewer than the order of rows could change


def with_spreads(tree: Tree, training: Training) -> Tree:
    """The tree, knowing how much its columns vary where its nodes add columns up."""
    adds = len(tree.node_columns.term_column) > 0
    return tree.knowing(replace(tree.schema, spreads=spreads(training))) if adds else tree


def spreads(training: Training) -> tuple[tuple[float, ...], ...]:
    """The deviation of every numeric column, and of nominal ones the share of every level, among cells that are there."""
    weights = np.ones(len(training.codes)) if training.weights is None else np.asarray(training.weights, np.float64)
    shares = weights / weights.sum()
    return tuple(
        _of_levels(cells, shares, len(column.levels)) if column.nominal else (_deviation(np.asarray(cells, np.float64), shares),)
        for column, cells in zip(training.columns, by_column(training.arrays), strict=True)
    )


def _of_levels(codes: NDArray[Any], shares: NDArray[np.float64], n_levels: int) -> tuple[float, ...]:
    there = codes >= 0
    held = np.bincount(codes[there].astype(np.int64), weights=shares[there], minlength=n_levels)
    return tuple(map(_short, (held / max(held.sum(), 1e-300)).tolist()))


def _deviation(x: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    there = np.isfinite(x)
    largest = float(np.max(np.abs(x[there]), initial=0.0))
    if largest == 0:
        return 0.0
    unit = float(2.0 ** np.clip(np.frexp(largest)[1], -1000, 1000))  # so that no square overflows
    share = shares[there] / shares[there].sum()
    off = x[there] / unit - np.sum(share * (x[there] / unit))
    return min(_short(float(np.sqrt(np.sum(share * off**2))) * unit), np.finfo(np.float64).max.item())


def _short(x: float) -> float:
    return float(f"{x:.{_DIGITS}g}")
