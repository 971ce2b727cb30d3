"""Rows dealt out inside learners: copies one by one, whatever their order, their weights and the order of the columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import modest
from treewright.table import dealing
from treewright.table.dealing import Dealt, deal, hold_out
from treewright.table.keys import row_keys

Numbers = np.ndarray[Any, Any]


def few_rows(seed: int, n: int = 120) -> tuple[Numbers, Numbers]:
    """Cells of few values, so that many rows are equal, and classes."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, 3)).astype(float), rng.integers(0, 2, n)


def tally(dealt: Dealt, cells: Numbers, classes: Numbers) -> dict[tuple[Any, ...], float]:
    """What every fold holds of every kind of row."""
    out: dict[tuple[Any, ...], float] = {}
    weights = np.ones(len(dealt.row)) if dealt.weight is None else dealt.weight
    for row, fold, weight in zip(dealt.row, dealt.fold, weights, strict=True):
        kind = (int(fold), *cells[row].tolist(), int(classes[row]))
        out[kind] = out.get(kind, 0.0) + float(weight)
    return out


def dealt_out(cells: Numbers, classes: Numbers, weights: Numbers | None, seed: int) -> list[dict[tuple[Any, ...], float]]:
    keys = row_keys([cells], classes, weights, seed)
    return [tally(to(keys, weights, classes), cells, classes) for to in (lambda *a: deal(*a, 5), lambda *a: hold_out(*a, 1 / 3))]


@given(seed=st.integers(0, 10_000))
@modest(30)
def test_a_weight_is_copies_and_no_order_matters(seed: int) -> None:
    cells, classes = few_rows(seed)
    rng = np.random.default_rng(seed + 1)
    weights = rng.integers(1, 4, len(classes)).astype(float)
    rows = rng.permutation(np.repeat(np.arange(len(classes)), weights.astype(int)))
    assert dealt_out(cells, classes, weights, seed) == dealt_out(cells[rows], classes[rows], None, seed)


@given(seed=st.integers(0, 10_000))
@modest(30)
def test_rows_of_fractional_weight_are_one_copy_each(seed: int) -> None:
    cells, classes = few_rows(seed)
    rng = np.random.default_rng(seed + 1)
    weights = rng.choice([0.25, 0.5, 1.5, 2.0], len(classes))
    order = rng.permutation(len(classes))
    said = dealt_out(cells, classes, weights, seed)
    assert said == dealt_out(cells[order], classes[order], weights[order], seed)
    assert said == [{kind: 4 * w for kind, w in one.items()} for one in dealt_out(cells, classes, weights / 4, seed)]
    dealt = deal(row_keys([cells], classes, weights, seed), weights, classes, 5)
    assert np.array_equal(dealt.row, np.arange(len(classes))) and np.array_equal(dealt.weight, weights)


@given(seed=st.integers(0, 10_000), binary=st.booleans())
@modest(30)
def test_the_order_of_columns_does_not_matter(seed: int, binary: bool) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 2 if binary else 50, (90, 5)).astype(float)
    cells[rng.random(cells.shape) < 0.1] = np.nan
    classes = rng.integers(0, 3, 90)
    weights = rng.integers(1, 4, 90).astype(float)
    order = rng.permutation(5)
    for counts in (None, weights, weights / 7):
        assert np.array_equal(row_keys([cells], classes, counts, seed), row_keys([cells[:, order]], classes, counts, seed))


def test_rows_that_differ_have_keys_that_differ() -> None:
    """In the table of all combinations every column is like every other."""
    cells = np.array(np.meshgrid(*[[0.0, 1.0]] * 5)).reshape(5, -1).T
    classes = cells.sum(axis=1).astype(int) % 2
    assert len(np.unique(row_keys([cells], classes, None, 3))) == 32
    assert len(np.unique(row_keys([cells[:, :2], cells[:, 2:]], np.zeros(32), None, 3))) == 32


def test_equal_rows_are_dealt_apart() -> None:
    """Numbers of copies held out of groups of equal rows scatter as those of draws without replacement do."""
    group = np.repeat(np.arange(200.0), 30).reshape(-1, 1)
    keys = row_keys([group], np.zeros(6000), None, 1)
    dealt = hold_out(keys, None, None, 1 / 3)
    held = np.bincount(group[dealt.row[dealt.fold == 0], 0].astype(int), weights=np.asarray(dealt.of(0)[1]), minlength=200)
    assert held.sum() == 2000
    assert 0.7 < held.var() / (30 * (1 / 3) * (2 / 3)) < 1.4
    folds = deal(keys, None, None, 4)
    assert np.bincount(folds.fold, weights=folds.weight).tolist() == [1500] * 4


@given(seed=st.integers(0, 10_000), share=st.sampled_from([1 / 2, 1 / 3, 1 / 10]))
@modest(25)
def test_a_share_of_every_class_is_held_out(seed: int, share: float) -> None:
    cells, classes = few_rows(seed, 200)
    keys = row_keys([cells], classes, None, seed)
    dealt = hold_out(keys, None, classes, share)
    weight = np.ones(len(dealt.row)) if dealt.weight is None else dealt.weight
    for label in np.unique(classes):
        held = weight[(classes[dealt.row] == label) & (dealt.fold == 0)].sum()
        assert abs(held - share * np.sum(classes == label)) <= 0.5 + 1e-9
    other = hold_out(row_keys([cells], classes, None, seed + 1), None, classes, share)
    assert tally(dealt, cells, classes) != tally(other, cells, classes)


@pytest.mark.parametrize("heavy", [7, 90_000_000])
def test_very_many_copies_go_in_bundles(heavy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealing, "MANY", 50)
    cells, classes = few_rows(4, 60)
    weights = np.where(np.arange(60) % 3 == 0, float(heavy), 1.0)
    said = dealt_out(cells, classes, weights, 1)
    for one in said:
        assert sum(one.values()) == weights.sum() and all(w == int(w) for w in one.values())
    if heavy == 7:
        rows = np.repeat(np.arange(60), weights.astype(int))
        assert said == dealt_out(cells[rows], classes[rows], None, 1)


def test_levels_of_equal_rows_are_told_apart() -> None:
    """Six levels of eight equal rows each: rows of a level are on both sides, so that pruning has no cause to join them."""
    X = pd.DataFrame({"level": np.repeat(list("abcdef"), 8)})
    y = np.repeat(list("uvwxyz"), 8)
    assert tw.REPTreeClassifier().fit(X, y).tree_.n_leaves == 6
    means = np.repeat(np.arange(6.0), 8)
    assert tw.REPTreeRegressor().fit(X, means).tree_.n_leaves == 6
    once = tw.REPTreeClassifier().fit(X.iloc[::8], y[::8], sample_weight=np.full(6, 8.0))
    assert once.tree_.n_leaves == 6


@pytest.mark.parametrize("learner", [tw.REPTreeClassifier, tw.REPTreeRegressor])
def test_importances_do_not_move_with_the_order_of_columns(learner: Any) -> None:
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(400, 4)), columns=list("abcd"))
    X["e"] = rng.choice(["p", "q", "r"], 400)
    y = (X["a"] + X["b"] ** 2 + (X["e"] == "q") + rng.normal(size=400) > 1.2).astype(int)
    X.loc[rng.random(400) < 0.1, "b"] = np.nan
    first = learner(random_state=4).fit(X, y)
    found = dict(zip(X.columns, first.feature_importances_, strict=True))
    assert np.count_nonzero(list(found.values())) > 2
    for order in (list("edcba"), list("caebd")):
        again = learner(random_state=4).fit(X[order], y)
        assert dict(zip(order, again.feature_importances_, strict=True)) == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("name", ["iris", "glass", "diabetes", "car"])
def test_only_ties_know_the_order_of_columns(shared: Path, name: str) -> None:
    """Where columns are equally good the first is taken; decided by their names, nothing moves."""
    frame = pd.read_parquet(shared / "data" / f"{name}.parquet")
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    found = []
    for order in (list(X.columns), list(X.columns[::-1])):
        est = tw.REPTreeClassifier(ties=lambda names, path: min(names)).fit(X[order], y)
        found.append(dict(zip(order, est.feature_importances_, strict=True)))
    assert found[0] == pytest.approx(found[1], rel=1e-9)
