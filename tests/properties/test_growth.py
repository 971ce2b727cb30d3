"""Seams of growing: the order of nodes changes no tree, summaries of rows add up, shared columns stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import LEVELS, Case, cases, modest
from treewright import _core

NUMBERS = ("few", "many", "smooth", "flat")
NOMINAL = {"text": ["u", "v", "w"], "cat": LEVELS}
FILLED = ("most_common", "most_common_in_class")
CLASS_CRITERIA = [one["name"] for one in _core.criteria() if one["classes"] and not one["two_branches"]]


def table_of(case: Case, classes: bool) -> _core.TableInput:
    table = _core.TableInput(len(case.X))
    for name in NUMBERS:
        table.add_numeric(case.X[name].to_numpy(np.float64), [name])
    for name, levels in NOMINAL.items():
        table.add_nominal(pd.Categorical(case.X[name], categories=levels).codes.astype(np.int32), len(levels), name)
    if classes:
        labels = np.unique(case.classes)
        table.set_classes(np.searchsorted(labels, case.classes).astype(np.int32), len(labels))
    else:
        table.set_numbers(case.numbers)
    return table


def settings_of(classes: bool, **options: Any) -> _core.GrowSettings:
    settings = _core.GrowSettings()
    settings.criterion = "gini" if classes else "variance"
    for name, value in options.items():
        setattr(settings, name, value)
    return settings


def same(one: _core.Tree, two: _core.Tree) -> bool:
    a, b = one.state(), two.state()
    return all(np.array_equal(a[name], b[name], equal_nan=name.endswith("cut")) for name in a)


@modest(60)
@given(
    case=cases(),
    classes=st.booleans(),
    engine=st.sampled_from(["plain", "automatic"]),
    missing=st.sampled_from(["learned", "fraction", "own"]),
)
def test_level_by_level_grows_the_same_tree_as_depth_first(case: Case, classes: bool, engine: str, missing: str) -> None:
    table = table_of(case, classes)
    deep = _core.grow(table, settings_of(classes, engine=engine, missing=missing))
    assert same(deep, _core.grow(table, settings_of(classes, engine=engine, missing=missing, by_level=True)))


@modest(60)
@given(case=cases(), data=st.data(), classes=st.booleans())
def test_the_split_chosen_from_summaries_of_pieces_is_that_of_all_rows(case: Case, data: st.DataObject, classes: bool) -> None:
    options: dict[str, Any] = {
        "missing": data.draw(st.sampled_from(["learned", "own", "fraction", "spread", "majority", "ignore"])),
        "numeric": data.draw(st.sampled_from(["threshold", "ternary"])),
        "nominal": data.draw(st.sampled_from(["subset", "one_vs_rest", "multiway"])),
        "criterion": data.draw(st.sampled_from(CLASS_CRITERIA)) if classes else "variance",
    }
    settings = settings_of(classes, **options)
    n = len(case.X)
    pieces = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int64)
    table, column = table_of(case, classes), data.draw(st.integers(0, len(NUMBERS) + len(NOMINAL) - 1))
    whole = _core.best_of_pieces(table, settings, column, np.empty(0, np.int64))
    assert _core.best_of_pieces(table, settings, column, pieces) == whole


@pytest.mark.parametrize("missing", FILLED)
def test_cells_that_a_whole_node_fills_are_not_summarised_in_pieces(missing: str) -> None:
    table = _core.TableInput(3)
    table.add_numeric(np.array([1.0, np.nan, 2.0]), ["x"])
    table.set_classes(np.array([0, 1, 0], np.int32), 2)
    with pytest.raises(ValueError, match="filled by all rows of a node"):
        _core.best_of_pieces(table, settings_of(True, missing=missing), 0, np.array([0, 1, 1], np.int64))


@modest(40)
@given(
    case=cases(),
    classes=st.booleans(),
    options=st.fixed_dictionaries(
        {"missing": st.sampled_from(["learned", "fraction", "surrogate"]), "engine": st.sampled_from(["plain", "automatic"])}
    ),
)
def test_columns_that_are_shared_are_not_changed_by_growing(case: Case, classes: bool, options: dict[str, str]) -> None:
    settings = settings_of(classes, **options)
    fresh = _core.grow(table_of(case, classes), settings)
    table = table_of(case, classes)
    table.prepare(settings)
    discretised = settings_of(classes, missing="learned", numeric="discretised", nominal="multiway")
    discretised.discretise("equal_width", 3)
    for other in (settings, discretised, settings_of(classes, engine="plain"), settings_of(classes, engine="automatic")):
        _core.grow(table, other)
    assert same(fresh, _core.grow(table, settings))


@modest(40)
@given(case=cases(), engine=st.sampled_from(["plain", "automatic"]), data=st.data())
def test_other_weights_and_another_target_need_no_other_encoding(case: Case, engine: str, data: st.DataObject) -> None:
    settings = settings_of(True, engine=engine)
    table = table_of(case, True)
    table.prepare(settings)
    n = len(case.X)
    weights = np.array(data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)), np.float64)
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int32)
    for shared in (table, table_of(case, True)):
        shared.set_weights(weights)
        shared.set_classes(labels, 3)
    assert same(_core.grow(table, settings), _core.grow(shared, settings))


def test_an_engine_that_is_unknown_or_does_not_apply_is_refused() -> None:
    table = _core.TableInput(2)
    table.add_numeric(np.array([1.0, 2.0]), ["x"])
    table.set_classes(np.array([0, 1], np.int32), 2)
    assert _core.engines() == ["binned", "drawn", "plain", "sorted", "vectors"]
    with pytest.raises(ValueError, match="engine 'fast' is unknown"):
        _core.grow(table, settings_of(True, engine="fast"))
    with pytest.raises(ValueError, match="the sorted engine does not apply"):
        _core.grow(table, settings_of(True, engine="sorted", numeric="ternary"))
    with pytest.raises(ValueError, match="proposer 'oracle' is unknown"):
        _core.grow(table, settings_of(True, proposers=["oracle"]))
    with pytest.raises(ValueError, match="chooser 'luck' is unknown"):
        settings_of(True, chooser="luck")


def test_pieces_that_are_not_those_of_the_rows() -> None:
    table = _core.TableInput(6)
    table.add_numeric(np.arange(6.0), ["x"])
    table.set_classes(np.array([0, 1] * 3, np.int32), 2)
    with pytest.raises(ValueError, match="as many pieces as rows"):
        _core.best_of_pieces(table, settings_of(True), 0, np.array([0, 1, 1], np.int64))
    with pytest.raises(ValueError, match="no column 7"):
        _core.best_of_pieces(table, settings_of(True), 7, np.zeros(6, np.int64))


@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 6}, {"max_leaf_nodes": 40}])
def test_branches_are_examined_from_the_first(options: dict[str, int]) -> None:
    """Whoever breaks ties is asked about a node before its later siblings, in every order of growing."""
    rng = np.random.default_rng(0)
    X, y = np.tile(rng.integers(0, 3, (80, 4)), 2), rng.integers(0, 2, 80)  # every column twice: a tie at every node
    asked: list[tuple[tuple[str, int], ...]] = []

    def first(tied: Any, path: Any) -> int:
        asked.append(tuple(path))
        return 0

    tw.TreeClassifier(ties=first, **options).fit(X, y)
    siblings = [(a, b) for a in asked for b in asked if a and len(a) == len(b) and a[:-1] == b[:-1] and a[-1][1] < b[-1][1]]
    assert siblings
    assert all(asked.index(a) < asked.index(b) for a, b in siblings)
