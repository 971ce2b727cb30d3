"""Trees with models do not depend on the order of rows: ties and nothing at all are told from what rounding makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

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
    sizes = set()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        cells = rng.integers(0, 3, (60, 3))
        X, y = pd.DataFrame(cells).astype("category"), (cells[:, 0] == 1) ^ (cells[:, 1] == 2) ^ (rng.random(60) < 0.1)
        one, other = (
            tw.LogisticTreeClassifier(min_samples_split=20, min_samples_leaf=10).fit(X, y, weights)
            for weights in (np.full(60, 0.7), None)
        )
        sizes.add(one.tree_.n_leaves)
        assert terms_of(one.tree_) == terms_of(other.tree_)
        assert one.predict_proba(X) == pytest.approx(other.predict_proba(X), rel=1e-7, abs=1e-7)
    assert len(sizes) > 1


def m5_table(kind: str, rng: np.random.Generator) -> tuple[Any, Numbers, Numbers | None]:
    n = int(rng.integers(8, 40 if kind == "plain" else 60))
    X = rng.integers(0, 4, (n, 3)).astype(float)
    y, w = rng.integers(0, 5, n) / 10, None
    if kind == "exact":
        y = X[:, 0] * 0.1 + X[:, 1] * 0.3
    elif kind == "steps":
        y = np.where(X[:, 0] > 1, X[:, 1] * 0.1, 0.7 - X[:, 2] * 0.3)
    elif kind == "levels":  # whose means are equal
        two = rng.integers(0, 9, (12, 2))
        y = np.column_stack([two, 15 - two.sum(axis=1)]).ravel() / 10
        X = pd.DataFrame({"a": pd.Categorical(np.repeat(list("uvwz"), 9)), "b": rng.integers(0, 4, 36)})
    elif kind == "twins":  # the first two columns tell the same of the target
        X[:, 1] = X[:, 0] + rng.integers(0, 2, n) * 0.1
        X, y = np.vstack([X, X[:, [1, 0, 2]]]), np.concatenate([y, y])
    elif kind == "mirrored":  # and here the contrary, and both are needed
        X[:, 0] *= 0.2
        X[:, 1] = X[:, 0] + rng.integers(-1, 2, n) * 0.1
        y += 3 * (X[:, 0] - X[:, 1])
        X, y = np.vstack([X, X[:, [1, 0, 2]]]), np.concatenate([y, -y])
    elif kind == "weights":
        w = rng.integers(1, 9, n) / 3
    return X, y, w


@pytest.mark.parametrize("variant", ["m5", "m5p"])
@pytest.mark.parametrize(
    ("kind", "seeds"),
    [
        ("plain", [2024]),
        ("exact", [5, 15, 29]),
        ("steps", [3, 5, 21, 89]),
        ("levels", []),
        ("twins", []),
        ("mirrored", []),
        ("weights", []),
    ],
)
def test_model_trees(kind: str, seeds: list[int], variant: str) -> None:
    for seed in [*seeds, *range(20)]:
        rng = np.random.default_rng(seed)
        X, y, w = m5_table(kind, rng)
        p = rng.permutation(len(y))
        est = tw.M5Regressor(variant=variant, pruned=seed % 2 == 0)
        one = clone(est).fit(X, y, sample_weight=w)
        other = clone(est).fit(X.iloc[p] if kind == "levels" else X[p], y[p], sample_weight=None if w is None else w[p])
        assert terms_of(one.tree_) == terms_of(other.tree_)
        assert one.predict(X) == pytest.approx(other.predict(X), rel=1e-7, abs=1e-7)


def of_the_second(tree: tw.Tree) -> bool:
    assert tree.root.equation is not None
    return not tree.root.is_leaf and [term.column for term in tree.root.equation.terms] == ["x1"]


def edges() -> list[Any]:
    """Tables in which one comparison of M5's is one of equals, and what then holds of the tree."""
    x = np.repeat([-1.0, 1.0], 8)
    other = 0.75 * x + np.sqrt(7) / 4 * np.tile([-1, 1], 8)
    # Standardised, the first coefficient is 1.5: not yet one of collinear terms.
    collinear = np.column_stack([x, other]), 1.5 * x - other, {}, lambda tree: len(tree.root.equation.terms) == 2
    # Without the term the squared error is larger by 2 / 6, and Akaike's criterion is what it was: the term stays.
    e = np.array([1, -1, 1, -1, 1, -1, 0, 0])
    akaike = x[4:12].reshape(-1, 1), (0.5 * x[4:12] + e) / 10, {}, lambda tree: len(tree.root.equation.terms) == 1
    # Both coefficients are 2.5 and of contrary sign: the first of them goes as collinear, and the other stays.
    u = np.random.default_rng(0).normal(size=60)
    v = u + 0.4 * np.random.default_rng(1).normal(size=60)
    contrary = np.vstack([np.column_stack([u, v]), np.column_stack([v, u])]), np.concatenate([u - v, v - u]) * 3
    # The deviation of the first half is half of that of all.
    parts = np.array([2.5, 0.5, 2.5, 0.5, -0.5, -2.5, 0.5, -3.5]) / 10
    two = np.column_stack([x[4:12], np.tile([0.0, 1.0], 4)])
    return [
        pytest.param("m5p", *collinear, id="collinear"),
        pytest.param("m5p", *akaike, id="akaike"),
        pytest.param("m5p", *contrary, {"min_deviation": 0.9}, of_the_second, id="contrary"),
        pytest.param("m5", two, parts, {"min_deviation": 0.5}, lambda tree: tree.n_leaves == 4, id="deviation"),
    ]


@pytest.mark.parametrize(("variant", "X", "y", "how", "holds"), edges())
def test_equals_in_model_trees(variant: str, X: Numbers, y: Numbers, how: dict[str, Any], holds: Any) -> None:
    for seed in range(30):
        p = np.random.default_rng(seed).permutation(len(y))
        scale = 1 + seed / 7
        assert holds(tw.M5Regressor(variant=variant, pruned=False, **how).fit(X[p] * scale, y[p] * scale).tree_)
