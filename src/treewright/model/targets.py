"""The training targets of the leaves of a tree, as flat columns: what quantiles are read from."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown


def shares_of(q: Any) -> NDArray[np.float64]:
    """Return the shares that quantiles are asked for, which must lie between 0 and 1."""
    try:
        shares = np.atleast_1d(np.asarray(q, np.float64))
    except (TypeError, ValueError):
        raise ValueError(f"q={shown(q)} must be numbers from 0 to 1") from None
    if shares.ndim != 1 or not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError(f"q={shown(q)} must be numbers from 0 to 1")
    return shares


@dataclass(frozen=True)
class LeafTargets:
    """Targets by node, ascending within each: node i owns [begin[i], begin[i + 1]).

    Attributes
    ----------
    begin : array of int
        Offsets, one more than there are nodes.
    value : array of float
        The targets.
    weight : array of float or None
        Their weights; None where every row weighs 1.
    """

    begin: NDArray[np.int64]
    value: NDArray[np.float64]
    weight: NDArray[np.float64] | None

    def quantiles(self, leaves: NDArray[np.int64], q: Any) -> NDArray[np.float64]:
        """Quantiles of the targets of the given leaves."""
        shares = shares_of(q)
        which, at = np.unique(leaves, return_inverse=True)
        table = np.array([self._of_leaf(int(leaf), shares) for leaf in which]).reshape(len(which), len(shares))
        out = table[at]
        return out[:, 0] if isinstance(q, numbers.Real) else out

    def _of_leaf(self, leaf: int, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        begin, end = int(self.begin[leaf]), int(self.begin[leaf + 1])
        value = self.value[begin:end]
        if not len(value):
            return np.full(len(shares), np.nan)
        cumulated = np.arange(1, len(value) + 1) if self.weight is None else np.cumsum(self.weight[begin:end])
        place = np.searchsorted(cumulated, shares * cumulated[-1] * (1 - 1e-12))
        return value[np.minimum(place, len(value) - 1)]

    def moved(self, to: NDArray[np.int64], n_nodes: int) -> LeafTargets:
        """The targets in the nodes of another tree: those of node i in node ``to[i]``."""
        return leaf_targets(np.repeat(to, np.diff(self.begin)), self.value, self.weight, n_nodes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LeafTargets):
            return NotImplemented
        same = np.array_equal(self.begin, other.begin) and np.array_equal(self.value, other.value)
        if self.weight is None or other.weight is None:
            return same and self.weight is other.weight
        return same and np.array_equal(self.weight, other.weight)

    __hash__ = None  # type: ignore[assignment]


def leaf_targets(
    leaf: NDArray[np.int64], target: NDArray[np.float64], weight: NDArray[np.float64] | None, n_nodes: int
) -> LeafTargets:
    """Collect the targets of rows by the leaf they end in."""
    order = np.lexsort((target, leaf))
    begin = np.zeros(n_nodes + 1, np.int64)
    np.cumsum(np.bincount(leaf, minlength=n_nodes), out=begin[1:])
    return LeafTargets(begin, target[order], None if weight is None else weight[order])
