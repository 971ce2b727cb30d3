"""Votes of neighbours: by a search tree or by all distances, they are those of a plain enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.learn import neighbors
from treewright.learn.neighbors import Neighbors


def enumerated(points: np.ndarray, answers: np.ndarray, weights: np.ndarray, k: int, asked: np.ndarray) -> np.ndarray:
    """Distance by distance, the nearest first; those equally near share what is left."""
    out = np.zeros((len(asked), 3))
    for row, point in enumerate(asked):
        away = np.round(np.sqrt(((points - point) ** 2).sum(axis=1)), 9)
        left = float(k)
        for distance in np.unique(away):
            here = np.bincount(answers[away == distance], weights[away == distance], 3)
            out[row] += here * min(1.0, left / here.sum())
            left -= here.sum()
            if left <= 0:
                break
    return out / out.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("many", [0, 10**9])
@pytest.mark.parametrize("seed", range(24))
def test_votes_are_those_of_an_enumeration(seed: int, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbors, "_MANY", many)
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 120)), int(rng.integers(1, 4))
    points, asked = (rng.integers(0, 4, (m, d)).astype(float) if seed % 2 else rng.normal(size=(m, d)) for m in (n, 20))
    weights = rng.integers(1, 4, n).astype(float) if seed % 3 else np.ones(n)
    answers, k = rng.integers(0, 3, n), int(rng.integers(1, n + 1))
    found = Neighbors(points, answers, weights, k, 3)
    assert (found._tree is None) == (many > 0)
    assert found.shares(asked) == pytest.approx(enumerated(points, answers, weights, k, asked), abs=1e-7)
