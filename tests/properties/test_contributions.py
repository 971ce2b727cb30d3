"""Contributions add up to the answer, whatever the table, the depth, the threads and the instruction set; and are fair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright import _core

from .tables import POLICIES, Case, cases, make_case, modest

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*a split needs:treewright.TreewrightWarning"),
    pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning"),
]


def answered(est: Any, X: Any) -> Any:
    return est.predict_proba(X) if hasattr(est, "predict_proba") else est.predict(X)


def assert_additive(est: Any, X: Any, background: Any = None) -> Any:
    found = est.contributions(X, background)
    np.testing.assert_allclose(found.answers, answered(est, X), rtol=1e-9, atol=1e-9)
    if background is not None:
        np.testing.assert_allclose(found.base, answered(est, background).mean(axis=0), rtol=1e-9, atol=1e-9)
    return found


@modest(60)
@given(cases(), st.sampled_from(POLICIES), st.sampled_from(["subset", "multiway"]), st.booleans())
def test_single_trees(case: Case, missing: str, nominal: str, against: bool) -> None:
    nominal = "subset" if missing == "surrogate" else nominal
    est = tw.TreeClassifier(missing=missing, nominal=nominal).fit(case.X, case.classes)
    rows = make_case(case.seed + 1, 20).X
    found = assert_additive(est, rows, make_case(case.seed + 2, 9).X if against else None)
    unused = [j for j, name in enumerate(est.tree_.schema.names) if name not in est.tree_.used_columns]
    if missing != "surrogate":
        assert not np.any(found.values[:, unused])


@modest(20)
@given(cases(), st.booleans())
def test_forests(case: Case, against: bool) -> None:
    est = tw.RandomForestRegressor(n_estimators=4, random_state=1).fit(case.X, case.numbers)
    found = assert_additive(est, case.X, case.X.iloc[::3] if against else None)
    each = [member.contributions(case.X, case.X.iloc[::3] if against else None).values for member in est.forest_]
    np.testing.assert_allclose(found.values, np.mean(each, axis=0), rtol=1e-12, atol=1e-12)


def test_threads_and_instruction_sets_give_the_same_bytes() -> None:
    case = make_case(1, 300)
    forest = tw.RandomForestClassifier(n_estimators=7, random_state=1).fit(case.X, case.classes).forest_
    others = make_case(2, 21).X
    before, best = _core.kernel_levels()
    try:
        for background in (None, others):
            found = set()
            for level in range(best + 1):
                _core.use_kernel_level(level)
                found |= {forest.contributions(case.X, background, threads).values.tobytes() for threads in (1, 2, 5)}
            assert len(found) == 1
    finally:
        _core.use_kernel_level(before)


def test_rows_do_not_depend_on_their_neighbours() -> None:
    case = make_case(3, 70)
    est = tw.RandomForestClassifier(n_estimators=5, random_state=1).fit(case.X, case.classes)
    whole = est.contributions(case.X).values
    for at in (0, 7, 8, 63, 64, 69):
        assert np.array_equal(est.contributions(case.X.iloc[[at]]).values[0], whole[at])


def chain(depth: int) -> tuple[Any, Any]:
    """A table whose tree asks for one column after the other: all must be 1."""
    X = np.vstack([np.ones(depth)] * depth + [np.where(np.arange(depth) == j, 0.0, 1.0) for j in range(depth)])
    return X, (X.min(axis=1) > 0).astype(float)


@pytest.mark.parametrize("depth", [1, 2, 7, 60, 150])
def test_every_column_of_a_deep_tree_contributes_the_same(depth: int) -> None:
    X, y = chain(depth)
    est = tw.CARTRegressor().fit(X, y)
    assert est.get_depth() == depth
    found = assert_additive(est, X[:1], np.zeros((1, depth)))
    np.testing.assert_allclose(found.values, np.full((1, depth), 1 / depth), rtol=1e-12)
    assert_additive(est, X)


def test_a_deep_tree_that_asks_for_few_columns_again_and_again() -> None:
    rng = np.random.default_rng(1)
    X = np.exp(3 * rng.normal(size=(4000, 5)))
    y = np.exp(X.min(axis=1)) + rng.normal(size=4000) ** 9
    est = tw.CARTRegressor(min_samples_leaf=1).fit(X, y)
    assert est.get_depth() > 40
    found = est.contributions(X[:200])
    assert np.abs(found.answers - est.predict(X[:200])).max() <= 1e-12 * np.abs(y).max()


@pytest.mark.parametrize("against", [False, True])
def test_columns_that_play_the_same_part_contribute_the_same(against: bool) -> None:
    grid = np.array([[a, b, c] for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)] * 5)
    y = np.where(grid[:, 0] != grid[:, 1], 3.0, grid[:, 0] + grid[:, 1])
    est = tw.CARTRegressor().fit(grid, y)
    found = assert_additive(est, grid, grid if against else None).values
    same = grid[:, 0] == grid[:, 1]
    assert same.any()
    np.testing.assert_allclose(found[same, 0], found[same, 1], rtol=0, atol=1e-14)
    assert not found[:, 2].any()


def test_a_leaf_alone_and_tables_without_rows() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
    est = tw.CARTClassifier().fit(X, ["p", "p", "p"])
    found = est.contributions(X)
    assert found.values.shape == (3, 2, 1)
    assert not found.values.any()
    assert found.base.tolist() == [1.0]
    empty = tw.CARTRegressor().fit(X, [1.0, 2.0, 3.0]).contributions(X.iloc[:0])
    assert empty.values.shape == (0, 2)
    assert len(empty) == 0
