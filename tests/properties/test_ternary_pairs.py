"""The best pair of cuts among many is the one that looking at every pair finds."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import treewright as tw


def squares(y: np.ndarray, classes: int) -> float:
    counts = np.bincount(y, minlength=classes)
    return float((counts**2).sum()) / len(y)


def bits(y: np.ndarray, classes: int) -> float:
    shares = np.bincount(y, minlength=classes)
    shares = shares[shares > 0] / len(y)
    return float((shares * np.log2(shares)).sum()) * len(y)


def fall(y: np.ndarray, _: int) -> float:
    return float(y.sum()) ** 2 / len(y)


@pytest.mark.parametrize(("criterion", "worth"), [("gini", squares), ("info_gain", bits), ("variance", fall)])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_many_pairs(criterion: str, worth: Any, seed: int) -> None:
    """More than 16 places for cuts, so that whole blocks of pairs are passed over; some values are tied."""
    rng = np.random.default_rng(seed)
    n = 130
    x = np.round(rng.normal(size=n), 2 if seed % 2 else 6)
    middle = (np.abs(x) < 0.4) ^ (rng.random(n) < 0.3)
    least = 1 if seed < 2 else 9
    if criterion == "variance":
        y: Any = np.round(middle * 2 + rng.normal(size=n), 3)
        y -= y.mean()  # worths are of deviations
        kind: Any = tw.TreeRegressor
    else:
        y = (middle + (rng.random(n) < 0.1)).astype(int)
        kind = tw.TreeClassifier
    order = np.argsort(x, kind="stable")
    xs, ys = x[order], y[order]
    places = [i for i in range(1, n) if xs[i - 1] < xs[i]]

    def score(cuts: tuple[int, ...]) -> float:
        pieces = np.split(ys, cuts)
        return sum(worth(piece, 3) for piece in pieces) if min(map(len, pieces)) >= least else -np.inf

    best = max(map(score, combinations(places, 2)))
    tree = (
        kind(criterion=criterion, numeric="ternary", max_depth=1, min_samples_leaf=least, relation="<=").fit(x[:, None], y).tree_
    )
    split = tree.root.split
    assert split is not None
    assert len(split.cuts) == 2
    found = tuple(int(np.searchsorted(xs, cut, side="right")) for cut in split.cuts)
    assert score(found) == pytest.approx(best, rel=1e-12)
