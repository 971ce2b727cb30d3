"""One thread or many: the same bytes, on tables large enough that subtrees are grown apart and grafted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw

from .tables import POLICIES, make_case, same_state

ROWS = 9000  # pieces are at least 1,024 rows


@pytest.fixture(scope="module")
def large() -> Any:
    return make_case(11, ROWS)


@pytest.mark.parametrize("regress", [False, True])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"max_leaf_nodes": 60},
        {"max_features": 2, "random_state": 5},
        {"ties": "seeded", "random_state": 7},
        {"numeric": "ternary", "nominal": "multiway", "max_depth": 4},
        {"numeric": "discretised", "nominal": "one_vs_rest", "min_samples_leaf": 5, "keep_candidates": True},
    ],
    ids=str,
)
def test_threads_do_not_change_the_tree(large: Any, regress: bool, params: dict[str, Any]) -> None:
    kind = tw.TreeRegressor if regress else tw.TreeClassifier
    y = large.numbers if regress else large.classes
    weights = (large.weights + 1) / 3
    one = kind(n_jobs=1, **params).fit(large.X, y, sample_weight=weights)
    assert one.tree_.n_nodes > 20
    for n_jobs in (2, 3, 7):
        same_state(one.tree_, kind(n_jobs=n_jobs, **params).fit(large.X, y, sample_weight=weights).tree_)


@pytest.mark.parametrize("missing", POLICIES)
def test_threads_do_not_change_the_tree_under_any_missing_policy(large: Any, missing: str) -> None:
    params: dict[str, Any] = {"missing": missing, "max_depth": 7}
    one = tw.TreeClassifier(n_jobs=1, **params).fit(large.X, large.classes)
    for n_jobs in (2, 7):
        same_state(one.tree_, tw.TreeClassifier(n_jobs=n_jobs, **params).fit(large.X, large.classes).tree_)


@pytest.mark.parametrize("missing", ["learned", "fraction"])
def test_threads_do_not_change_predictions(missing: str) -> None:
    case = make_case(2, 3000)
    est = tw.TreeClassifier(missing=missing, max_depth=6).fit(case.X, case.classes)
    many = case.rows(np.arange(70_000) % 3000)  # more rows than one thread is trusted with
    one = est.predict_proba(many.X)
    assert one.tobytes() == est.set_params(n_jobs=3).predict_proba(many.X).tobytes()
    assert np.array_equal(one[:3000], est.predict_proba(case.X))
