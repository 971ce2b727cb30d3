"""Which rows validate which in logistic model trees: copies are dealt, not groups of equal rows, and units do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.table.dealing import deal

Numbers = np.ndarray[Any, Any]


def test_a_row_of_fractional_weight_is_one_copy() -> None:
    keys, classes = np.array([3, 3, 3, 5, 5, 9], np.uint64), np.zeros(6, np.int64)
    weights = np.array([2.0, 0.5, 1.0, 3.0, 1.5, 4.0])
    dealt, halved = deal(keys, weights, classes, 3), deal(keys, weights / 2, classes, 3)
    assert np.array_equal(dealt.row, np.arange(6))
    assert np.array_equal(dealt.weight, weights)
    assert np.bincount(dealt.fold).tolist() == [2, 2, 2]
    assert np.array_equal(halved.fold, dealt.fold)


def test_levels_of_few_equal_rows_are_told_apart() -> None:
    """Held out together, the rows of a level would be judged by models that have never seen it."""
    X = pd.DataFrame({"level": np.repeat(list("abcdef"), 8)})
    y = np.repeat([0, 1, 2, 2, 0, 1], 8)
    est = tw.LogisticTreeClassifier().fit(X, y)
    assert np.array_equal(est.predict(X), y)
    assert est.n_iterations_ > 0


def a_table(seed: int) -> tuple[pd.DataFrame, Numbers]:
    rng = np.random.default_rng(seed)
    n = 200
    X = pd.DataFrame(
        {
            "a": np.round(rng.normal(size=n), 3),
            "b": rng.integers(-40, 40, n).astype(float),
            "n": rng.integers(0, 500, n),
            "c": rng.choice(list("uvw"), n),
        }
    )
    score = np.where(X["a"] > 0, X["b"] / 20, -X["b"] / 15) + (X["c"] == "v") + X["n"] / 250 + 0.5 * rng.normal(size=n)
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    return X, np.digitize(score, [0.5, 2.0])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("column", ["a", "b", "n"])
@pytest.mark.parametrize("power", [-3, 1, 20])
def test_a_power_of_two_as_the_unit_changes_nothing(seed: int, column: str, power: int) -> None:
    X, y = a_table(seed)
    factor = 2.0**power
    scaled = X.assign(**{column: X[column] * factor})
    one, other = (tw.LogisticTreeClassifier(max_iterations=60).fit(each, y) for each in (X, scaled))
    assert one.n_iterations_ == other.n_iterations_ > 0
    assert np.array_equal(one.predict_proba(X), other.predict_proba(scaled))
    nodes = list(zip(one.tree_.nodes(), other.tree_.nodes(), strict=True))
    for mine, theirs in nodes:
        assert mine.weight == theirs.weight
        if mine.split is not None and theirs.split is not None:
            assert mine.split.column == theirs.split.column
            unit = factor if mine.split.column == column else 1.0
            assert [cut * unit for cut in mine.split.cuts] == list(theirs.split.cuts)
        for (_, here), (_, there) in zip(mine.scores.of, theirs.scores.of, strict=True):
            assert here.intercept == there.intercept
            assert [term.name for term in here.terms] == [term.name for term in there.terms]
            units = [factor if term.name == column else 1.0 for term in here.terms]
            assert [term.coefficient / unit for term, unit in zip(here.terms, units, strict=True)] == [
                term.coefficient for term in there.terms
            ]
