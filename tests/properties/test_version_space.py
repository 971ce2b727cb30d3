"""Version spaces against all conjunctions written out."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import modest
from treewright.course.conjunction import most_general

Codes = tuple[int | None, ...]


def covers(one: Codes | None, row: tuple[int, ...]) -> bool:
    return one is not None and all(code in (None, cell) for code, cell in zip(one, row, strict=True))


def above(one: Codes | None, other: Codes | None) -> bool:
    if one is None or other is None:
        return other is None
    return all(a in (None, b) for a, b in zip(one, other, strict=True))


def space_of(levels: list[int], rows: list[tuple[int, ...]], signs: list[bool]) -> list[Codes | None]:
    every: list[Codes | None] = [None, *itertools.product(*[[None, *range(k)] for k in levels])]
    return [one for one in every if all(covers(one, row) == sign for row, sign in zip(rows, signs, strict=True))]


@st.composite
def examples(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, ...]], list[bool]]:
    levels = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    row = st.tuples(*[st.integers(0, k - 1) for k in levels])
    rows = draw(st.lists(row, min_size=1, max_size=8))
    hidden = draw(st.tuples(*[st.sampled_from([None, *range(k)]) for k in levels]))
    signs = [covers(hidden, one) if draw(st.integers(0, 9)) else draw(st.booleans()) for one in rows]
    return levels, rows, signs


def frame(levels: list[int], rows: list[tuple[int, ...]]) -> pd.DataFrame:
    cells = {f"c{j}": [f"v{row[j]}" for row in rows] for j in range(len(levels))}
    return pd.DataFrame(
        {
            name: pd.Categorical(column, [f"v{i}" for i in range(k)])
            for (name, column), k in zip(cells.items(), levels, strict=True)
        }
    )


def learned(levels: list[int], rows: list[tuple[int, ...]], signs: list[bool]) -> tw.VersionSpace:
    said = pd.Categorical(["yes" if sign else "no" for sign in signs], ["no", "yes"])
    return tw.VersionSpace(frame(levels, rows), said, "yes")


def same(boundary: Any, members: list[Codes | None]) -> bool:
    return {one.codes for one in boundary} == set(members) and len(boundary) == len(members)


@modest(150)
@given(examples())
def test_boundaries_after_every_row(given_: tuple[list[int], list[tuple[int, ...]], list[bool]]) -> None:
    levels, rows, signs = given_
    space = learned(levels, rows, signs)
    assert len(space.steps) == len(rows)
    for n, step in enumerate(space.steps, 1):
        members = space_of(levels, rows[:n], signs[:n])
        assert same(step.specific, [one for one in members if not any(o != one and above(one, o) for o in members)])
        assert same(step.general, [one for one in members if not any(o != one and above(o, one) for o in members)])
        assert (step.row, step.positive) == (n - 1, signs[n - 1])
    members = space_of(levels, rows, signs)
    assert space.count == len(members)
    assert {one.codes for one in space.hypotheses()} == set(members)
    assert space.is_empty == (not members)
    every = list(itertools.product(*[range(k) for k in levels]))
    votes = space.votes(frame(levels, every))
    if members:
        assert votes == pytest.approx([sum(covers(one, row) for one in members) / len(members) for row in every])
        told = space.predict(frame(levels, every)).tolist()
        assert [None if 0 < vote < 1 else vote == 1 for vote in votes] == told
    else:
        assert np.isnan(votes).all()


@modest(60)
@given(examples(), st.randoms(use_true_random=False))
def test_no_order_of_rows_changes_the_space(given_: tuple[list[int], list[tuple[int, ...]], list[bool]], random: Any) -> None:
    levels, rows, signs = given_
    space = learned(levels, rows, signs)
    order = list(range(len(rows)))
    random.shuffle(order)
    other = learned(levels, [rows[i] for i in order], [signs[i] for i in order])
    for one, two in ((space.specific, other.specific), (space.general, other.general)):
        assert {each.codes for each in one} == {each.codes for each in two}


@pytest.mark.parametrize("columns", [1, 4, 12, 13, 40])
def test_the_most_general_of_many(columns: int) -> None:
    """Literals are bits: of five levels a column, below, at and beyond those of a word."""
    rng = np.random.default_rng(columns)
    cells = np.where(rng.random((300, columns)) < 4 / (columns + 4), rng.integers(0, 5, (300, columns)), -1)
    cells = np.vstack([cells, np.where(rng.random(cells.shape) < 0.4, -1, cells)])
    rows = cells[(cells >= 0).any(axis=1)].tolist()  # any of all columns is above everything
    every = list(dict.fromkeys(tuple(None if code < 0 else code for code in row) for row in rows))
    some = every[len(every) // 3 :]
    wanted = [one for one in some if not any(other != one and above(other, one) for other in every)]
    assert most_general(some, every) == wanted
    assert columns == 1 or 0 < len(wanted) < len(some)


def test_it_is_written_as_courses_write_it() -> None:
    data = tw.datasets.load_colour_shape_2()
    space = tw.VersionSpace(data.X, data.y)
    assert space.positive == "yes"
    assert space.trace().splitlines()[:3] == ["0 + [red, circle]", "    S = {[red, circle]}", "    G = {[any, any]}"]
    assert str(space) == "S = {[red, circle]}\nG = {[red, circle]}\n1 conjunction"
    assert "red, circle" in repr(space)
    only_other = tw.VersionSpace(data.X.iloc[1:2], ["no"], "no")
    assert str(only_other.specific[0]) == "[red, square]"
    nothing = tw.VersionSpace(data.X, data.y, "no")
    assert nothing.is_empty
    assert str(nothing).endswith("no conjunction agrees with the rows")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": pd.DataFrame({"a": [1.0, 2, 3]})}, "column 'a' is not nominal"),
        ({"X": pd.DataFrame({"a": ["u", None, "v"]})}, "column 'a'"),
        ({"positive": "maybe"}, "positive='maybe' is no class"),
        ({"y": ["p", "q", "r"]}, "3 classes"),
        ({"y": ["p", "p", "p"]}, "1 class, "),
    ],
)
def test_what_makes_no_version_space(change: dict[str, Any], message: str) -> None:
    options: dict[str, Any] = {"X": pd.DataFrame({"a": ["u", "v", "w"]}), "y": ["p", "q", "q"], **change}
    with pytest.raises(ValueError, match=message):
        tw.VersionSpace(**options)


def test_numbers_may_be_named_as_levels() -> None:
    space = tw.VersionSpace([[1, 2], [1, 3], [2, 2]], [True, False, False], categorical_features=[0, 1])
    assert [str(one) for one in space.general] == ["[1, 2]"]


def test_a_boundary_that_grows_without_end_is_refused() -> None:
    # Every counterexample differs from all others in columns of its own: each way to choose one of these is a conjunction.
    rows = [["T" if j // 3 == i else "F" for j in range(21)] for i in range(7)]
    y = pd.Categorical(["no"] * 7, ["no", "yes"])
    with pytest.raises(ValueError, match=r"the general boundary has up to [0-9,]+ members, more than 2,000"):
        tw.VersionSpace(pd.DataFrame(rows).astype(pd.CategoricalDtype(["F", "T"])), y, "yes")
    # Rows of the class first rule nearly all of them out.
    first = pd.DataFrame([["T"] * 21, *rows]).astype(pd.CategoricalDtype(["F", "T"]))
    space = tw.VersionSpace(first, pd.Categorical(["yes"] + ["no"] * 7, ["no", "yes"]), "yes")
    assert not space.is_empty
