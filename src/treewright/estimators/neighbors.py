"""Votes of the nearest points, whatever their order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model.ties import settled

_AT_ONCE = 256  # points that are asked about together: their neighbours may be many
_ROUNDING = 1e-9  # distances that differ by less than this part are equal


class Neighbors:
    """Points with classes and weights, of which the nearest vote, up to a weight of ``k``.

    All points as near as the last that is needed share what is left of the votes.
    """

    def __init__(
        self, points: NDArray[np.float64], answers: NDArray[np.int64], weights: NDArray[np.float64], k: int, n_classes: int
    ) -> None:
        from sklearn.neighbors import KDTree  # which loads much, and only this needs it

        places, own = np.unique(points, axis=0, return_inverse=True)
        cells = np.bincount(own.reshape(-1) * n_classes + answers, weights, len(places) * n_classes)
        self._counts = cells.reshape(len(places), n_classes)
        self._weights = self._counts.sum(axis=1)
        # So many places weigh enough, whichever they are.
        enough = int(np.searchsorted(np.cumsum(np.sort(self._weights)), k)) + 1
        self._tree, self._k, self._needed = KDTree(places), k, min(enough, len(places))

    def shares(self, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        """Share of every class in the votes about some points."""
        total = self._weights.sum()
        if not len(asked) or total <= self._k:  # all vote
            return np.tile(self._counts.sum(axis=0) / total, (len(asked), 1))
        different, own = np.unique(asked, axis=0, return_inverse=True)
        blocks = [self._block(different[at : at + _AT_ONCE]) for at in range(0, len(different), _AT_ONCE)]
        return settled(np.concatenate(blocks))[own.reshape(-1)]

    def _block(self, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        away, which = self._tree.query(asked, self._needed)
        reached = np.cumsum(self._weights[which], axis=1) >= self._k
        last = np.where(reached.any(axis=1), reached.argmax(axis=1), self._needed - 1)
        radius = away[np.arange(len(asked)), last]
        found, far = self._tree.query_radius(asked, radius * (1 + _ROUNDING) + np.finfo(float).tiny, return_distance=True)
        out = np.empty((len(asked), self._counts.shape[1]))
        for at, (places, distances) in enumerate(zip(found, far, strict=True)):
            nearer = distances < radius[at] * (1 - _ROUNDING)
            sure = self._counts[places[nearer]].sum(axis=0)
            tied = self._counts[places[~nearer]].sum(axis=0)
            out[at] = sure + tied * min((self._k - sure.sum()) / tied.sum(), 1.0)
        return out / out.sum(axis=1, keepdims=True)
