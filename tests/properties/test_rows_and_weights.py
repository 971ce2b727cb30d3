"""Weights are numbers of rows, and neither the order of rows nor that of columns matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw

from .tables import DIVIDED, ONE_BRANCH, POLICIES, Case, cases, close_state, estimators, make_case, modest, same_state

pytestmark = pytest.mark.filterwarnings("ignore:.*a split needs:treewright.TreewrightWarning")

WHOLE = [p for p in POLICIES if p not in DIVIDED]


@modest(60)
@given(case=cases(), est=estimators(WHOLE))
def test_weight_two_is_the_row_twice(case: Case, est: Any) -> None:
    weights = case.weights + 1
    weighted = est.fit(case.X, case.target(est), sample_weight=weights).tree_
    repeated = case.rows(np.repeat(np.arange(len(weights)), weights))
    same_state(weighted, est.fit(repeated.X, repeated.target(est)).tree_)


@modest(40)
@given(case=cases(), est=estimators(DIVIDED))
def test_weight_two_is_the_row_twice_where_rows_are_divided(case: Case, est: Any) -> None:
    weights = case.weights + 1
    weighted = est.fit(case.X, case.target(est), sample_weight=weights).tree_
    repeated = case.rows(np.repeat(np.arange(len(weights)), weights))
    close_state(weighted, est.fit(repeated.X, repeated.target(est)).tree_)


@modest(60)
@given(case=cases(), est=estimators(POLICIES))
def test_weight_zero_is_no_row(case: Case, est: Any) -> None:
    weights = case.weights.copy()
    weights[0] = 1
    weighted = est.fit(case.X, case.target(est), sample_weight=weights)
    tree, columns = weighted.tree_, weighted.tree_.columns
    kept = case.rows(np.flatnonzero(weights))
    again = est.fit(kept.X, kept.target(est), sample_weight=weights[weights > 0])
    assert again.tree_.columns == columns
    same_state(tree, again.tree_)


@modest(60)
@given(case=cases(), est=estimators(POLICIES), seed=st.integers(0, 1000), weighted=st.booleans())
def test_shuffled_rows_give_the_identical_tree(case: Case, est: Any, seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(case.X))
    weights = rng.random(len(case.X)) if weighted else None  # sums that rounding would tell apart
    tree = est.fit(case.X, case.target(est), sample_weight=weights).tree_
    moved = case.rows(order)
    again = est.fit(moved.X, moved.target(est), sample_weight=None if weights is None else weights[order]).tree_
    assert tree == again
    same_state(tree, again)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_shuffled_rows_with_targets_of_mixed_size(scale: float) -> None:
    """Plain sums of 1e12 and 1e-3 would depend on their order."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 50, (4000, 3)).astype(float)
    y = np.where(rng.random(4000) < 0.01, 1e12, rng.normal(size=4000) * 1e-3) * scale
    w = rng.random(4000) * 10.0 ** rng.integers(-3, 4, 4000)
    order = rng.permutation(4000)
    est = tw.CARTRegressor(max_depth=8)
    same_state(est.fit(X, y, sample_weight=w).tree_, est.fit(X[order], y[order], sample_weight=w[order]).tree_)


@modest(60)
@given(case=cases(), est=estimators(POLICIES, keep_candidates=True, chooser="best"), seed=st.integers(0, 1000))
def test_column_order_matters_at_exact_ties_only(case: Case, est: Any, seed: int) -> None:
    names = list(np.random.default_rng(seed).permutation(case.X.columns))
    est.set_params(max_leaf_nodes=None)
    one = est.fit(case.X, case.target(est)).tree_
    two = est.fit(case.X[names], case.target(est)).tree_
    pairs = [(one.root, two.root)]
    while pairs:
        a, b = pairs.pop()
        assert a.weight == pytest.approx(b.weight, rel=1e-12)
        assert a.impurity == pytest.approx(b.impurity, rel=1e-9, abs=1e-12)
        merits = {c.column: c.merit for c in a.candidates}
        others = {c.column: c.merit for c in b.candidates}
        assert merits.keys() == others.keys()
        for name, merit in merits.items():
            assert merit == pytest.approx(others[name], rel=1e-9, abs=1e-12), name
        if a.is_leaf or b.is_leaf:
            assert a.is_leaf == b.is_leaf
            continue
        if a.split.column == b.split.column:
            assert a.split == b.split
            pairs += zip(a.children, b.children, strict=True)
        else:
            assert merits[a.split.column] == pytest.approx(merits[b.split.column], rel=1e-9)


@modest(30)
@given(case=cases(holes=False), seed=st.integers(0, 1000))
def test_column_order_keeps_the_training_error_of_one_split(case: Case, seed: int) -> None:
    names = list(np.random.default_rng(seed).permutation(case.X.columns))
    est = tw.CARTRegressor(max_depth=1)
    one = est.fit(case.X, case.numbers).predict(case.X)
    two = est.fit(case.X[names], case.numbers).predict(case.X[names])
    assert np.mean((one - case.numbers) ** 2) == pytest.approx(np.mean((two - case.numbers) ** 2), rel=1e-9, abs=1e-12)


MONOTONE = {
    "cube": lambda x: x**3,
    "exp": lambda x: np.exp(x / 4),
    "tiny": lambda x: x * 1e-300,
    "huge": lambda x: x * 1e300,
    "atan": np.arctan,
}


@pytest.mark.parametrize("how", MONOTONE)
@modest(25)
@given(case=cases(), est=estimators(POLICIES, discretise="equal_frequency"))
def test_N10_monotone_transform_keeps_the_partition(how: str, case: Case, est: Any) -> None:
    changed = case.X.copy()
    changed["many"] = MONOTONE[how](changed["many"])
    changed["few"] = MONOTONE[how](changed["few"])
    one = est.fit(case.X, case.target(est))
    leaves, shape = one.apply(case.X), one.tree_.state()
    two = est.fit(changed, case.target(est))
    assert np.array_equal(leaves, two.apply(changed))
    for name in ("parent", "column", "missing_to", "weight", "label", "value", "impurity"):
        assert np.array_equal(shape[name], two.tree_.state()[name]), name


@pytest.mark.parametrize("missing", ONE_BRANCH)
def test_a_decreasing_transform_keeps_the_training_error_of_a_stump(missing: str) -> None:
    for seed in range(10):
        case = make_case(seed, 50)
        est = tw.TreeRegressor(max_depth=1, missing=missing)
        one = est.fit(case.X[["many"]], case.numbers).predict(case.X[["many"]])
        two = est.fit(-case.X[["many"]], case.numbers).predict(-case.X[["many"]])
        assert np.mean((one - case.numbers) ** 2) == pytest.approx(np.mean((two - case.numbers) ** 2), rel=1e-9)
