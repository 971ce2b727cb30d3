"""Trees with models do not depend on the order of rows: ties and nothing at all are told from what rounding makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw

Numbers = np.ndarray[Any, Any]
GRID = np.array(np.meshgrid(*[range(4)] * 3)).reshape(3, -1).T.astype(float)


def terms_of(tree: tw.Tree) -> list[Any]:
    """What the models of all nodes are made of, and where rows go."""
    out: list[Any] = []
    for node in tree.nodes():
        split = None if node.split is None else (node.split.column, tuple(node.split.cuts))
        said = [node.equation] if node.scores is None else [equation for _, equation in node.scores.of]
        out.append((split, [[term.name for term in each.terms] for each in said if each is not None]))
    return out


def weights_of(kind: str, rng: np.random.Generator, n: int) -> Numbers | None:
    return {"none": None, "tenths": rng.integers(5, 15, n) / 10, "any": 0.5 + rng.random(n)}[kind]


def alike(one: Any, other: Any, said: Any) -> None:
    assert terms_of(one.tree_) == terms_of(other.tree_)
    assert said(one) == pytest.approx(said(other), rel=1e-7, abs=1e-7)
    assert np.array_equal(one.apply(GRID), other.apply(GRID))


@pytest.mark.parametrize("kind", ["none", "tenths", "any"])
def test_logistic_trees(kind: str) -> None:
    for seed in [158, 424, 2146, 2391, *range(20)]:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 80))
        X, y, p = rng.integers(0, 3, (n, 3)).astype(float), rng.integers(0, 3, n), rng.permutation(n)
        w = weights_of(kind, rng, n)
        one = tw.LogisticTreeClassifier().fit(X, y, sample_weight=w)
        other = tw.LogisticTreeClassifier().fit(X[p], y[p], sample_weight=None if w is None else w[p])
        assert one.n_iterations_ == other.n_iterations_
        alike(one, other, lambda est: est.predict_proba(GRID))
        assert np.array_equal(one.predict(GRID), other.predict(GRID))


def test_logistic_trees_of_columns_that_tell_nothing() -> None:
    X = np.repeat(np.array(np.meshgrid(*[[0.1, 0.7]] * 3)).reshape(3, -1).T, 6, axis=0)
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    for seed in range(10):
        p = np.random.default_rng(seed).permutation(len(y))
        one, other = (tw.LogisticTreeClassifier(iterations=5, pruned=False).fit(X[o], y[o]) for o in (np.arange(len(y)), p))
        alike(one, other, lambda est: est.predict_proba(GRID))


def test_logistic_trees_of_equal_weights_are_those_of_none() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 3, (60, 3)).astype(float), rng.integers(0, 3, 60)
        one = tw.LogisticTreeClassifier(min_samples_split=14, min_samples_leaf=7).fit(X, y, sample_weight=np.full(60, 0.7))
        other = tw.LogisticTreeClassifier(min_samples_split=20, min_samples_leaf=10).fit(X, y)
        alike(one, other, lambda est: est.predict_proba(GRID))
