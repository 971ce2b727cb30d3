"""Optimal trees against all trees of tiny tables, for every loss, policy for missing cells, kind of weights and limit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.oracle.optimal import Problem

LEVELS = "abc"


def table(rng: np.random.Generator, n: int, holes: bool) -> tuple[pd.DataFrame, list[list[Any]]]:
    """A table of one to three columns, for pandas and for the oracle."""
    frame, cells = {}, []
    for j in range(rng.integers(1, 4)):
        numeric = rng.random() < 0.6
        kinds = int(rng.integers(2, 5))
        column: list[Any] = (
            [float(v) for v in rng.integers(0, kinds, n)] if numeric else [LEVELS[v % 3] for v in rng.integers(0, kinds, n)]
        )
        if holes:
            column = [None if rng.random() < 0.25 else cell for cell in column]
        cells.append(column)
        if numeric:
            frame[f"x{j}"] = pd.Series([np.nan if cell is None else cell for cell in column], dtype=float)
        else:
            frame[f"x{j}"] = pd.Series(column, dtype="category")
    return pd.DataFrame(frame), cells


def limits(rng: np.random.Generator) -> tuple[int, int | None]:
    """A depth, and perhaps a number of splits."""
    depth = int(rng.integers(1, 4))
    return depth, None if rng.random() < 0.5 else int(rng.integers(0, 5))


def check(est: Any, X: Any, y: Any, weights: Any, problem: Problem, limit: tuple[int, int | None], exact: float) -> None:
    """Fit, and compare with the best of all trees."""
    depth, splits = limit
    est.set_params(max_depth=depth, max_splits=splits, missing=problem.missing, nominal=problem.nominal)
    est.fit(X, y, sample_weight=weights)
    best = float(problem.optimum(depth, 2**depth - 1 if splits is None else splits))
    assert est.optimal_ and est.ended_ == "proven" and est.gap_ == 0
    assert est.objective_ == pytest.approx(best, rel=exact, abs=exact)
    assert est.lower_bound_ == est.objective_
    assert est.tree_.depth <= depth and est.tree_.n_leaves - 1 <= (2**depth if splits is None else splits)
    # The tree is what it is said to be: rows that are sent down it cost as much.
    assert float(problem.cost_of(est.apply(X).tolist())) == pytest.approx(best, rel=exact, abs=exact)
    # Ended before, it claims no more than is so.
    for steps in {est.steps_ // 3, est.steps_ - 1} - {0, -1}:
        est.set_params(max_steps=steps).fit(X, y, sample_weight=weights)
        assert est.lower_bound_ <= best + exact * max(best, 1) and est.objective_ >= best - exact * max(best, 1)
        assert est.optimal_ == (est.gap_ == 0) == (est.ended_ == "proven") and est.steps_ <= steps
    est.set_params(max_steps=None)


POLICIES = ["learned", "majority", "refuse"]


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("nominal", ["one_vs_rest", "subset"])
@pytest.mark.parametrize("kind", ["plain", "weights", "fractions", "class_weight", "loss", "leaves", "digits"])
def test_classes(kind: str, nominal: str, missing: str) -> None:
    rng = np.random.default_rng(len(kind + nominal + missing))
    for _ in range(50):
        n, k = int(rng.integers(2, 10)), int(rng.integers(2, 5))
        X, cells = table(rng, n, missing != "refuse")
        y = np.concatenate([np.arange(k), rng.integers(0, k, n)])[:n]
        y = np.unique(y, return_inverse=True)[1]
        k = int(y.max()) + 1
        weights = [Fraction(1)] * n
        factor = [Fraction(1)] * k
        loss = [[Fraction(i != j) for j in range(k)] for i in range(k)]
        est = tw.OptimalTreeClassifier()
        leaf_cost = Fraction()
        if kind == "weights":
            weights = [Fraction(int(w)) for w in rng.integers(1, 6, n)]
        if kind == "fractions":
            weights = [Fraction(int(w), 8) for w in rng.integers(1, 40, n)]
        if kind == "digits":  # of weights and losses, so many that their products do not fit 64 bits
            weights = [Fraction(float(w)) for w in rng.random(n) * 10 ** rng.uniform(-2, 2)]
            costs = rng.random((k, k)) * 10 ** rng.uniform(-2, 2)
            np.fill_diagonal(costs, 0)
            est.set_params(loss=costs)
            loss = [[Fraction(float(c)) for c in row] for row in costs]
        if kind == "class_weight":
            given = rng.integers(1, 5, k)
            est.set_params(class_weight={i: int(w) for i, w in enumerate(given)})
            total = Fraction(int(sum(int(given[c]) for c in y)), n)
            factor = [Fraction(int(w)) / total for w in given]
        if kind == "loss":
            costs = rng.integers(0, 4, (k, k))
            np.fill_diagonal(costs, 0)
            est.set_params(loss=costs)
            loss = [[Fraction(int(c)) for c in row] for row in costs]
        if kind == "leaves":
            est.set_params(cost_per_leaf=1 if rng.random() < 0.5 else 0.125)
            leaf_cost = Fraction(1) if est.cost_per_leaf == 1 else Fraction(n, 8)
        loss = [[factor[i] * loss[i][j] for j in range(k)] for i in range(k)]
        problem = Problem(cells, y.tolist(), weights, loss, missing, nominal, leaf_cost)
        given_weights = None if kind not in ("weights", "fractions", "digits") else np.array([float(w) for w in weights])
        check(est, X, y, given_weights, problem, limits(rng), 1e-9)


@pytest.mark.parametrize("k", [8, 9, 17])
@pytest.mark.parametrize("leaf", [0.0, 0.01, 0.05, 1, 1.5])
def test_many_classes(k: int, leaf: float) -> None:
    """Eight are counted row by row, more are added up as costs: a leaf costs as much of either."""
    rng = np.random.default_rng(k)
    for _ in range(4):
        n = k + int(rng.integers(0, 3))
        X, cells = table(rng, n, False)
        y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
        loss = [[Fraction(i != j) for j in range(k)] for i in range(k)]
        cost = Fraction(leaf) * (n if leaf < 1 else 1)
        problem = Problem(cells, y.tolist(), [Fraction(1)] * n, loss, "refuse", "one_vs_rest", cost)
        check(tw.OptimalTreeClassifier(cost_per_leaf=leaf), X, y, None, problem, limits(rng), 1e-9)


@pytest.mark.parametrize("far", [1e3, 1e7, 1e9])
def test_a_number_far_from_all_others(far: float) -> None:
    """Beside it the errors of all other rows may be less than rounding: what is proven is told, and no more."""
    ended = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, cells = table(rng, 8, False)
        y = rng.normal(size=8)
        y[rng.integers(8)] = far
        problem = Problem(cells, y.tolist(), [Fraction(1)] * 8, None, "refuse", "one_vs_rest")
        best = float(problem.optimum(2, 3))
        est = tw.OptimalTreeRegressor(max_depth=2).fit(X, y)
        assert est.lower_bound_ <= best * (1 + 1e-6) and est.objective_ >= best * (1 - 1e-6)
        assert est.optimal_ == (est.ended_ == "proven") == (est.gap_ == 0)
        ended.add(est.ended_)
    assert ended == {1e3: {"proven"}, 1e7: {"proven", "rounding"}, 1e9: {"proven", "rounding"}}[far]


@pytest.mark.parametrize("missing", POLICIES)
@pytest.mark.parametrize("nominal", ["one_vs_rest", "subset"])
@pytest.mark.parametrize("kind", ["plain", "weights", "leaves"])
def test_numbers(kind: str, nominal: str, missing: str) -> None:
    rng = np.random.default_rng(len(kind + nominal + missing))
    for _ in range(40):
        n = int(rng.integers(2, 9))
        X, cells = table(rng, n, missing != "refuse")
        y = rng.integers(0, 6, n) / 4 + (1000 if rng.random() < 0.3 else 0)
        weights = [Fraction(int(w)) for w in rng.integers(1, 6, n)] if kind == "weights" else [Fraction(1)] * n
        est = tw.OptimalTreeRegressor()
        leaf_cost = Fraction()
        problem = Problem(cells, y.tolist(), weights, None, missing, nominal)
        if kind == "leaves":
            est.set_params(cost_per_leaf=0.125)
            leaf_cost = problem.leaf(frozenset(range(n))) / 8
        problem = Problem(cells, y.tolist(), weights, None, missing, nominal, leaf_cost)
        check(est, X, y, np.array([float(w) for w in weights]) if kind == "weights" else None, problem, limits(rng), 1e-9)
