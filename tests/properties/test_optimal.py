"""No tree within the limits loses less than the one that an exact search calls the best: greedy, pruned and look-ahead trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import Case, cases, modest

TESTS = {"missing": "learned", "nominal": "subset"}


def lost(est: Any, case: Case) -> float:
    """Errors by weight, or squared errors."""
    said, y = est.predict(case.X), case.target(est)
    off = (said - y) ** 2 if y is case.numbers else said != y
    return float(np.sum(case.weights * off))


def others(case: Case, depth: int, regress: bool, seed: int) -> list[Any]:
    """Trees of all kinds that ask what the search asks."""
    if regress:
        made = [
            tw.CARTRegressor(max_depth=depth),
            tw.CARTRegressor(max_depth=depth, cp=0.05),
            tw.TreeRegressor(max_depth=depth, splitter="random", random_state=seed, **TESTS),
        ]
    else:
        made = [
            tw.CARTClassifier(max_depth=depth),
            tw.CARTClassifier(max_depth=depth, cp=0.05),
            tw.TreeClassifier(max_depth=depth, criterion="error", **TESTS),
            tw.TreeClassifier(max_depth=depth, splitter="random", random_state=seed, **TESTS),
            tw.BacktrackingTreeClassifier(max_depth=depth, depth=2, **TESTS),
            tw.BacktrackingTreeClassifier(max_depth=depth, depth=3, max_thresholds=2, **TESTS),
        ]
    return [each.fit(case.X, case.target(each), sample_weight=case.weights) for each in made]


@modest(40)
@given(cases(max_rows=30), st.integers(1, 3), st.booleans())
def test_no_tree_as_small_loses_less(case: Case, depth: int, regress: bool) -> None:
    case = case.rows(np.flatnonzero(case.weights))  # levels of rows that weigh nothing are unknown
    assume(len(case.weights) > 0)
    est = (tw.OptimalTreeRegressor if regress else tw.OptimalTreeClassifier)(max_depth=depth, **TESTS)
    y = case.target(est)
    best = est.fit(case.X, y, sample_weight=case.weights).objective_
    assert lost(est, case) <= best * (1 + 1e-9) + 1e-9
    for other in others(case, depth, regress, case.seed):
        assert lost(other, case) >= best * (1 - 1e-6) - 1e-9
        est.set_params(max_splits=other.tree_.n_leaves - 1).fit(case.X, y, sample_weight=case.weights)
        assert lost(other, case) >= est.objective_ * (1 - 1e-6) - 1e-9
