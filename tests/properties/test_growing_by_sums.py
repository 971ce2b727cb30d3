"""Growing by sums over several columns: the tree of those sums as columns, whoever offers them and however often."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.tables import modest
from tests.properties.test_derived_numbers import TERMS, derived, made
from treewright import _core

NAN = [np.nan] * 3
FILL = [0.25, 1.0, 0.0]
SAME = ("weight", "gain", "cut_at", "cut_below", "cut_above", "missing_to", "n_children", "impurity", "label", "value")


def several_columns(cells: list[np.ndarray]) -> _core.TableInput:
    table = _core.TableInput(len(cells[0]))
    table.add_numeric(np.column_stack(cells[:2]), ["a", "b"])
    table.add_nominal(cells[2], 3, "c")
    return table


def one_column(x: np.ndarray) -> _core.TableInput:
    table = _core.TableInput(len(x))
    table.add_numeric(x, ["x"])
    return table


def grown(table: _core.TableInput, target: np.ndarray, fill: list[float] | None = None, **options: Any) -> _core.Tree:
    if target.dtype.kind == "i":
        table.set_classes(target, 2)
    else:
        table.set_numbers(target)
    settings = _core.GrowSettings()
    if target.dtype.kind != "i":
        settings.criterion = "variance"
    for name, value in options.items():
        setattr(settings, name, value)
    if fill is not None:
        settings.proposers = ["sums"]
        settings.sums(lambda rows, weights: [[(*term, missing) for term, missing in zip(TERMS, fill, strict=True)]])
    return _core.grow(table, settings)


@modest(80)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 90),
    fill=st.sampled_from([NAN, FILL]),
    missing=st.sampled_from(["fraction", "majority", "spread", "ignore"]),
    criterion=st.sampled_from(["gini", "gain_ratio", "variance"]),
    cuts=st.sampled_from(["all", "quinlan"]),
    max_leaves=st.sampled_from([0, 5]),
)
def test_the_tree_of_the_sum_as_a_column(
    seed: int, n: int, fill: list[float], missing: str, criterion: str, cuts: str, max_leaves: int
) -> None:
    cells, labels = made(seed, n)
    target = labels if criterion != "variance" else np.random.default_rng(seed).normal(size=n).round(1)
    options: dict[str, Any] = {"missing": missing, "max_depth": 4, "max_leaves": max_leaves, "criterion": criterion}
    if criterion != "variance":
        options["cuts"] = cuts
    x = derived(cells, fill)
    expected = grown(one_column(x), target, **options).state()
    tree = grown(several_columns(cells), target, fill, **options)
    for name in SAME:
        if name in expected:  # weights are in other quanta where a column has missing cells
            np.testing.assert_allclose(tree.state()[name], expected[name], rtol=1e-9, atol=1e-12, err_msg=name)
    # Rows go where they went while growing.
    if missing != "ignore":
        leaf = np.asarray(tree.route(cells, n, 1)[0])
        assert np.bincount(leaf, minlength=tree.size).max() <= n
        if not np.isnan(x).any():
            leaves = np.asarray(expected["n_children"]) == 0
            np.testing.assert_array_equal(np.bincount(leaf, minlength=tree.size)[leaves], np.asarray(expected["weight"])[leaves])


def test_surrogates_of_a_sum_take_its_side() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 400))
    stand_in = a + b + rng.normal(size=400) / 10
    labels = (a + b > 0).astype(np.int32)
    a[rng.random(400) < 0.2] = np.nan
    table = _core.TableInput(400)
    table.add_numeric(np.column_stack([a, b, stand_in]), ["a", "b", "s"])
    table.set_classes(labels, 2)
    settings = _core.GrowSettings()
    settings.missing, settings.max_depth, settings.max_surrogates = "surrogate", 1, 5
    settings.proposers = ["sums"]
    settings.sums(lambda rows, weights: [[(0, -1, 1.0, np.nan), (1, -1, 1.0, np.nan)]])
    state = _core.grow(table, settings).state()
    # Neither term stands in for the sum; the third column does, for nearly all rows.
    assert np.asarray(state["surrogate_column"]).tolist() == [2]
    assert np.asarray(state["surrogate_agreement"])[0] > 0.9 * np.mean(~np.isnan(a))
    assert abs(np.asarray(state["surrogate_at"])[0]) < 0.5


def test_every_proposer_is_heard() -> None:
    """Columns and sums together are never worse at the root than either alone; and twice the columns are the columns."""
    cells, _ = made(7, 200)
    labels = (np.nan_to_num(cells[0]) + np.nan_to_num(cells[1]) / 2 > 0).astype(np.int32)
    gains = {}
    for proposers in (["columns"], ["sums"], ["columns", "sums"], ["columns", "columns"]):
        table = several_columns(cells)
        table.set_classes(labels, 2)
        settings = _core.GrowSettings()
        settings.missing, settings.proposers = "majority", proposers
        settings.sums(lambda rows, weights: [[(0, -1, 1.0, 0.0), (1, -1, 0.5, 0.0)]])
        gains[tuple(proposers)] = float(np.asarray(_core.grow(table, settings).state()["gain"])[0])
    assert gains["columns", "sums"] == max(gains["columns",], gains["sums",]) > gains["columns",]
    assert gains["columns", "columns"] == gains["columns",]


@pytest.mark.parametrize("chooser", ["best", "above_average", "quinlan", "weka"])
@pytest.mark.parametrize("early", [False, True])
def test_the_same_candidates_twice_change_nothing(chooser: str, early: bool) -> None:
    rng = np.random.default_rng(1)
    x, c = rng.normal(size=(600, 3)), rng.integers(0, 4, 600).astype(np.int32)
    labels = ((x[:, 0] + c - 1.5 + rng.normal(size=600)) > 0).astype(np.int32)
    trees = []
    for proposers in (["columns"], ["columns", "columns"]):
        table = _core.TableInput(600)
        table.add_numeric(x, ["x", "y", "z"])
        table.add_nominal(c, 4, "c")
        table.set_classes(labels, 2)
        settings = _core.GrowSettings()
        settings.criterion, settings.nominal, settings.missing, settings.chooser = "gain_ratio", "multiway", "fraction", chooser
        settings.cuts = "quinlan" if chooser != "weka" else "weka"
        settings.proposers = proposers
        if early:
            settings.early_pruning(True, 0.25, "quinlan", True)
        trees.append(_core.grow(table, settings).state())
    for name in SAME:
        if name in trees[0]:
            np.testing.assert_array_equal(trees[1][name], trees[0][name])


@pytest.mark.parametrize(
    ("sums", "why"),
    [
        ([[]], "has no terms"),
        ([[(9, -1, 1.0, 0.0)]], "names no column: 9"),
        ([[(2, -1, 1.0, 0.0)]], "does not fit its column"),
        ([[(0, 1, 1.0, 0.0)]], "does not fit its column"),
        ([[(2, 3, 1.0, 0.0)]], "does not fit its column"),
        ([[(0, -1, np.inf, 0.0)]], "not finite"),
        ([[(0, -1, 1.0, 0.0), (1, -1, 1.0, np.nan)]], "says alone"),
    ],
)
def test_sums_that_are_none(sums: Any, why: str) -> None:
    cells, labels = made(7, 30)
    table = several_columns(cells)
    table.set_classes(labels, 2)
    settings = _core.GrowSettings()
    settings.proposers = ["sums"]
    settings.sums(lambda rows, weights: sums)
    with pytest.raises(ValueError, match=why):
        _core.grow(table, settings)


@pytest.mark.parametrize(
    ("set_", "why"),
    [
        (lambda s: setattr(s, "proposers", []), "no proposers"),
        (lambda s: setattr(s, "proposers", ["rows"]), "rows"),
        (lambda s: setattr(s, "proposers", ["sums"]), "needs somebody"),
        (
            lambda s: (s.sums(lambda rows, weights: []), setattr(s, "proposers", ["sums"]), setattr(s, "missing", "most_common")),
            "filled",
        ),
    ],
)
def test_proposers_that_cannot_be_asked(set_: Any, why: str) -> None:
    cells, labels = made(7, 30)
    table = several_columns(cells)
    table.set_classes(labels, 2)
    settings = _core.GrowSettings()
    set_(settings)
    with pytest.raises(ValueError, match=why):
        _core.grow(table, settings)
