"""Votes of the nearest points, whatever their order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model.ties import settled

_AT_ONCE = 256  # points whose neighbours are found together: they may be many
_ROUNDING = 1e-9  # distances that differ by less than this fraction are equal
_MANY = 12  # where one place in so many may vote, all distances are computed: a search tree would sort the nearest ones


class Neighbors:
    """Points with classes and weights, of which the nearest vote, up to a weight of ``k``.

    All points as near as the last that is needed share what is left of the votes.
    """

    def __init__(
        self, points: NDArray[np.float64], answers: NDArray[np.int64], weights: NDArray[np.float64], k: int, n_classes: int
    ) -> None:
        places, own = np.unique(points, axis=0, return_inverse=True)
        cells = np.bincount(own.reshape(-1) * n_classes + answers, weights, len(places) * n_classes)
        self._counts = np.ascontiguousarray(cells.reshape(len(places), n_classes).T)  # classes x places
        self._weights = self._counts.sum(axis=0)
        # So many places weigh enough, whichever they are.
        enough = int(np.searchsorted(np.cumsum(np.sort(self._weights)), k)) + 1
        self._k, self._needed = k, min(enough, len(places))
        self._tree = None
        self._columns = np.ascontiguousarray(places.T)
        if self._needed * _MANY < len(places):
            from sklearn.neighbors import KDTree  # which loads much, and only this needs it

            self._tree = KDTree(places)

    def shares(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Share of every class in the votes about some points."""
        total = self._weights.sum()
        if not len(points) or total <= self._k:  # all vote
            return np.tile(self._counts.sum(axis=1) / total, (len(points), 1))
        different, own = np.unique(points, axis=0, return_inverse=True)
        blocks = [self._block(different[at : at + _AT_ONCE]) for at in range(0, len(different), _AT_ONCE)]
        return settled(np.concatenate(blocks))[own.reshape(-1)]

    def _block(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        votes = self._by_tree(points) if self._tree is not None else np.array([self._by_all(point) for point in points])
        return votes / votes.sum(axis=1, keepdims=True)

    def _by_tree(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self._tree is not None
        away, which = self._tree.query(points, self._needed)
        reached = np.cumsum(self._weights[which], axis=1) >= self._k
        last = np.where(reached.any(axis=1), reached.argmax(axis=1), self._needed - 1)
        radius = away[np.arange(len(points)), last]
        found, far = self._tree.query_radius(points, radius * (1 + _ROUNDING) + np.finfo(float).tiny, return_distance=True)
        voters = zip(found, far, radius.tolist(), strict=True)
        return np.array([self._votes(places, distances, reach) for places, distances, reach in voters])

    def _by_all(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        away = np.zeros(self._columns.shape[1])
        for cells, cell in zip(self._columns, point.tolist(), strict=True):
            away += (cells - cell) ** 2
        away = np.sqrt(away)
        radius = float(np.partition(away, self._needed - 1)[self._needed - 1])
        near = np.flatnonzero(away <= radius * (1 + _ROUNDING))
        if self._weights[near].sum() > self._k and np.ptp(self._weights) > 0:  # fewer, if they weigh much
            order = near[np.argsort(away[near])]
            radius = float(away[order[np.argmax(np.cumsum(self._weights[order]) >= self._k)]])
            near = near[away[near] <= radius * (1 + _ROUNDING)]
        return self._votes(near, away[near], radius)

    def _votes(self, places: NDArray[np.int64], distances: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
        """What the places within a distance say: all of those that are nearer, and so much of the others as is left."""
        nearer = distances < radius * (1 - _ROUNDING)
        sure = self._counts.take(places[nearer], axis=1).sum(axis=1)
        tied = self._counts.take(places[~nearer], axis=1).sum(axis=1)
        votes: NDArray[np.float64] = sure + tied * min((self._k - sure.sum()) / tied.sum(), 1.0)
        return votes
