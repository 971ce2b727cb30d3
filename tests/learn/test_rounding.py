"""Targets that differ by rounding only: told apart as ever, with a hint that names the option which ends it."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import treewright as tw

LEARNERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "cart": (tw.CARTRegressor, {}),
    "absolute": (tw.CARTRegressor, {"criterion": "absolute_error"}),
    "worst": (tw.CARTRegressor, {"criterion": "worst_case"}),
    "poisson": (tw.CARTRegressor, {"criterion": "poisson"}),
    "tree": (tw.TreeRegressor, {}),
    "several": (tw.CARTRegressor, {}),
    "reptree": (tw.REPTreeRegressor, {"pruned": False}),
    "m5": (tw.M5Regressor, {"pruned": False}),
    "m5 means": (tw.M5Regressor, {"pruned": False, "leaf": "constant"}),
    "m5rules": (tw.M5RulesRegressor, {"pruned": False}),
}
OPTION = re.compile(r"use (min_\w+)=(\S+)$")


def table(scale: float) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(300, 3))
    unit = np.spacing(0.3 * scale)
    return X, 0.3 * scale + unit * ((X[:, 0] > 0).astype(int) + draw.integers(0, 3, 300))


def fitted(learner: Any, X: np.ndarray, y: np.ndarray, **options: Any) -> tuple[int, list[str]]:
    """How many leaves or rules there are, and the hints at rounding."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        est = learner(**options).fit(X, y)
    size = est.tree_.n_leaves if hasattr(est, "tree_") else len(list(est.ruleset_)) + 1
    return size, [str(each.message) for each in caught if "units of their rounding" in str(each.message)]


@pytest.mark.parametrize("scale", [1, 1e-3, 1e12])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_hint_names_the_option_that_ends_it(name: str, scale: float) -> None:
    learner, options = LEARNERS[name]
    X, y = table(scale)
    y = np.column_stack([y, y[::-1]]) if name == "several" else y
    size, hints = fitted(learner, X, y, **options)
    assert size > 1
    assert len(hints) == 1
    assert f"{size} " in hints[0] or "rules" in hints[0]
    found = OPTION.search(hints[0])
    assert found is not None
    ended, none = fitted(learner, X, y, **options, **{found[1]: float(found[2])})
    assert ended == 1 or (name == "m5rules" and ended < size)
    assert none == []


@pytest.mark.parametrize("name", LEARNERS)
def test_no_hint_where_targets_differ_by_more_or_not_at_all(name: str) -> None:
    learner, options = LEARNERS[name]
    X, y = table(1)
    other = np.round(X[:, 0], 1) + 10
    for target in (other, np.full(len(y), 0.3), np.where(np.arange(len(y)) == 7, 0.4, y)):
        target = np.column_stack([target, y]) if name == "several" else target
        if name == "several" and np.ptp(target[:, 0]) == 0:
            continue
        assert fitted(learner, X, target, **options)[1] == []


def test_nothing_else_changes() -> None:
    X, y = table(1)
    size, _ = fitted(tw.CARTRegressor, X, y)
    assert size > 100
    with pytest.warns(tw.TreewrightWarning, match="units of their rounding"):
        est = tw.CARTRegressor().fit(X, y)
    assert np.array_equal(est.predict(X), y)  # exactness is promised
