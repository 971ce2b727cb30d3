"""The training targets of all leaves of a forest: what its quantiles are read from (Meinshausen 2006)."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.targets import LeafTargets, shares_of

_AT_ONCE = 1 << 21  # targets that are looked through at a time


@dataclass(frozen=True)
class ForestTargets:
    """The targets of the leaves of every member.

    Attributes
    ----------
    members : tuple of LeafTargets
        Of each tree, those of all training rows by the leaf they end in.
    """

    members: tuple[LeafTargets, ...]

    def quantiles(self, leaves: NDArray[np.int64], q: Any) -> NDArray[np.float64]:
        """Quantiles for rows that end in these leaves, rows x members.

        A training row weighs, in every tree, its share of the leaf that both end in; a quantile is the lowest target at which the
        cumulated weight reaches the share.
        """
        shares = shares_of(q)
        sizes = np.zeros(len(leaves), np.int64)
        for at, each in enumerate(self.members):
            sizes += np.diff(each.begin)[leaves[:, at]]
        ends = np.cumsum(sizes)
        out = np.empty((len(leaves), len(shares)))
        first = 0
        while first < len(leaves):
            last = max(first + 1, int(np.searchsorted(ends, (ends[first - 1] if first else 0) + _AT_ONCE, side="right")))
            out[first:last] = self._block(leaves[first:last], shares)
            first = last
        return out[:, 0] if isinstance(q, numbers.Real) else out

    def _block(self, leaves: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
        n_rows = len(leaves)
        rows, values, weights = [], [], []
        for at, each in enumerate(self.members):
            begin, count = each.begin[leaves[:, at]], np.diff(each.begin)[leaves[:, at]]
            row = np.repeat(np.arange(n_rows), count)
            place = np.arange(len(row)) + np.repeat(begin - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
            weight = np.ones(len(row)) if each.weight is None else each.weight[place]
            total = np.bincount(row, weight, n_rows)
            rows.append(row)
            values.append(each.value[place])
            weights.append(weight / total[row])
        row, value, weight = (np.concatenate(each) for each in (rows, values, weights))
        order = np.lexsort((value, row))
        row, value = row[order], value[order]
        begin = np.searchsorted(row, np.arange(n_rows + 1))
        cumulated = np.cumsum(weight[order])
        before = np.concatenate([[0.0], cumulated])[begin[:-1]]
        total = np.concatenate([[0.0], cumulated])[begin[1:]] - before
        out = np.empty((n_rows, len(shares)))
        for at, share in enumerate(shares):
            wanted = before + share * total * (1 - 1e-12)
            place = np.minimum(np.searchsorted(cumulated, wanted), begin[1:] - 1)
            out[:, at] = value[np.maximum(place, begin[:-1])]
        return out
