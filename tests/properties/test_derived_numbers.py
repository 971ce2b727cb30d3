"""A test may cut a number derived from several columns: such a tree is the tree of that number as a column of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.tables import modest
from treewright import _core

LEVELS = 3
TERMS = ((0, -1, 0.5), (1, -1, -2.0), (2, 1, 1.5))  # column, level or -1 for the number itself, coefficient


def made(seed: int, n: int) -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    a, b, codes = rng.normal(size=n), rng.integers(-4, 5, n).astype(float), rng.integers(0, LEVELS, n)
    labels = ((0.5 * a - 2 * b + 1.5 * (codes == 1) + rng.normal(size=n)) > 0).astype(np.int32)
    a[rng.random(n) < 0.1] = np.nan
    b[rng.random(n) < 0.1] = np.nan
    codes[rng.random(n) < 0.1] = -1
    return [a, b, codes.astype(np.int32)], labels


def derived(cells: list[np.ndarray], fill: list[float]) -> np.ndarray:
    """The sum of the terms in their order, which is how the core adds them up."""
    total = np.zeros(len(cells[0]))
    for (column, level, coefficient), missing in zip(TERMS, fill, strict=True):
        x = cells[column].astype(np.float64)
        gone = np.isnan(x) if level < 0 else x < 0
        total = total + coefficient * np.where(gone, missing, x if level < 0 else (x == level).astype(float))
    return total


def tree_of_one(x: np.ndarray, labels: np.ndarray, **options: Any) -> _core.Tree:
    table = _core.TableInput(len(x))
    table.add_numeric(x, ["x"])
    table.set_classes(labels, 2)
    settings = _core.GrowSettings()
    for name, value in options.items():
        setattr(settings, name, value)
    return _core.grow(table, settings)


def over_several(tree: _core.Tree, fill: list[float]) -> dict[str, Any]:
    """The columns of the same tree whose splits on x cut the derived number instead."""
    state = dict(tree.state())
    inner = np.asarray(state["n_children"]) > 0
    count = np.where(inner, len(TERMS), 0)
    splits = int(inner.sum())
    state["column_kind"] = np.array([0, 0, 1], np.uint8)
    state["column_levels"] = np.array([0, 0, LEVELS], np.uint32)
    state["column_seen"] = np.ones(LEVELS, np.uint8)
    if splits:
        state["term_begin"] = np.concatenate([[0], np.cumsum(count)]).astype(np.uint32)
    state["term_column"] = np.array([column for column, _, _ in TERMS] * splits, np.uint32)
    state["term_level"] = np.array([level for _, level, _ in TERMS] * splits, np.int32)
    state["term_coefficient"] = np.array([coefficient for *_, coefficient in TERMS] * splits)
    state["term_missing"] = np.array(fill * splits, np.float64)
    return state


@modest(60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 80),
    fill=st.sampled_from([[np.nan] * 3, [0.25, 1.0, 0.0]]),
    missing=st.sampled_from(["learned", "fraction", "majority"]),
    relation=st.booleans(),
)
def test_rows_go_where_the_number_as_a_column_sends_them(
    seed: int, n: int, fill: list[float], missing: str, relation: bool
) -> None:
    cells, labels = made(seed, n)
    x = derived(cells, fill)
    plain = tree_of_one(x, labels, missing=missing, strict=relation, max_depth=4)
    several = _core.Tree.from_state(over_several(plain, fill))
    for ours, expected in zip(several.route(cells, n), plain.route([x], n), strict=True):
        assert (ours is None and expected is None) or np.array_equal(ours, expected)
    assert several.is_compact() == (plain.size == 1)  # the general walk computes the number
    cut = np.zeros(plain.size, np.uint8)
    cut[1:] = 1
    once = several.cut_back(cut)
    once.validate()
    assert len(once.state()["term_column"]) == (len(TERMS) if plain.size > 1 else 0)


WRONG = {
    "a term names no column": {"term_column": 7},
    "a term does not fit its column": {"term_level": 2},
    "a figure of a term is not finite": {"term_coefficient": np.inf},
    "its column is not that of its first term": {"term_column": 1},
    "some terms say what a missing cell counts as": {"term_missing": np.nan},
}


@pytest.mark.parametrize("why", WRONG)
def test_damaged_terms_are_refused(why: str) -> None:
    cells, labels = made(1, 60)
    fill = [0.0, 0.0, 0.0]
    state = over_several(tree_of_one(derived(cells, fill), labels, max_depth=2), fill)
    _core.Tree.from_state(state)
    for name, value in WRONG[why].items():
        state[name] = state[name].copy()
        state[name][0] = value
    with pytest.raises(ValueError, match=why):
        _core.Tree.from_state(state)


def test_levels_do_not_divide_a_derived_number() -> None:
    cells, labels = made(2, 60)
    fill = [0.0, 0.0, 0.0]
    state = over_several(tree_of_one(derived(cells, fill), labels, max_depth=1), fill)
    state["family"] = np.where(state["n_children"] > 0, _core.families().index("subset"), 0).astype(np.uint8)
    with pytest.raises(ValueError, match="levels of a derived number"):
        _core.Tree.from_state(state)
