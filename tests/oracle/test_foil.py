"""Gains of literals against nested loops over all bindings and tuples, on small random relations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from tests.oracle.foil import argument_lists, extensions, gain
from treewright import _core

CONSTANTS = 5


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], int, list[tuple[int, ...]], int]:
    """Bindings, how many of them are positive, a relation and its arity."""
    n_variables, arity = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    cell = st.integers(0, CONSTANTS - 1)
    rows = draw(st.lists(st.tuples(*[cell] * n_variables), min_size=2, max_size=12))
    tuples = draw(st.lists(st.tuples(*[cell] * arity), max_size=12, unique=True))
    return rows, draw(st.integers(1, len(rows) - 1)), tuples, arity


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_gains_are_those_of_nested_loops(world: tuple[list[tuple[int, ...]], int, list[tuple[int, ...]], int]) -> None:
    rows, n_positive, tuples, arity = world
    columns = [np.array([row[i] for row in rows], np.uint32) for i in range(len(rows[0]))]
    held = [np.array([row[i] for row in tuples], np.uint32) for i in range(arity)]
    types = [(CONSTANTS, False, [], None)]
    relations = [([0], [np.zeros(0, np.uint32)], [False], False), ([0] * arity, held, [False] * arity, False)]
    for args in argument_lists(len(rows[0]), arity):
        for negated in (False, True) if max(args) < len(rows[0]) else (False,):
            literal = (0, negated, 1, list(args), 0)
            kinds = [0] * len(rows[0])
            found = _core.weigh_literal(types, relations, 0, columns, kinds, n_positive, literal)
            want = gain(rows[:n_positive], rows[n_positive:], args, tuples, negated)
            assert found[:3] == want[:3], (args, negated)
            assert found[3] == pytest.approx(want[3], abs=1e-9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"literal": (0, False, 1, [1, 2], 0)}, "no variable that is bound"),
        ({"literal": (0, True, 1, [0, 1], 0)}, "only relations bring in"),
        ({"literal": (1, False, 0, [0, 1], 0)}, "only relations bring in"),
        ({"literal": (0, False, 1, [0], 0)}, "does not fit its relation"),
        ({"literal": (0, False, 7, [0, 1], 0)}, "does not fit its relation"),
        ({"kinds": [3]}, "unknown type"),
        ({"kinds": [1]}, "another type"),
        ({"cell": 5}, "unknown constant"),
        ({"n_positive": 3}, "do not fit"),
    ],
)
def test_what_cannot_be_weighed_is_refused(changes: dict[str, Any], message: str) -> None:
    """The core is asked by tests alone here, and yet reads nothing beyond its arrays."""
    types = [(CONSTANTS, False, [], None), (2, False, [], None)]
    relations = [
        ([0], [np.zeros(0, np.uint32)], [False], False),
        ([0, 0], [np.array([0, 1], np.uint32)] * 2, [False] * 2, False),
    ]
    own = {"literal": (0, False, 1, [0, 1], 0), "kinds": [0], "cell": 0, "n_positive": 1} | changes
    columns = [np.array([own["cell"], 1], np.uint32)]
    with pytest.raises(ValueError, match=message):
        _core.weigh_literal(types, relations, 0, columns, own["kinds"], own["n_positive"], own["literal"])


@pytest.mark.filterwarnings("ignore:nothing was learned")
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_traces_weigh_every_literal_with_its_gain(seed: int) -> None:
    """Every state of a fit: the literals are all there are, and gains those of nested loops over the bindings of the state."""
    rng = np.random.default_rng(seed)
    names = [f"c{i}" for i in range(5)]
    pairs = [(a, b) for a in names for b in names]
    edge = [pairs[i] for i in np.sort(rng.choice(25, 9, replace=False))]
    colour = [(names[i],) for i in np.sort(rng.choice(5, 2, replace=False))]
    target = [pairs[i] for i in np.sort(rng.choice(25, 7, replace=False))]
    foil = tw.Foil(trace=True, negation=True, reserves=0, max_depth=1, max_variables=4).fit(
        {"edge": edge, "colour": colour, "goal": target}, "goal"
    )
    held = {"edge": edge, "colour": colour}
    state = foil.trace_[0]
    positive, negative = list(target), [pair for pair in pairs if pair not in target]
    constants = sorted({cell for row in [*edge, *colour, *target] for cell in row})
    negative = [pair for pair in negative if set(pair) <= set(constants)]
    assert (state.positive, state.total) == (len(positive), len(positive) + len(negative))
    place = {name: i for i, name in enumerate(constants)}
    seen = set()
    for one in state.literals:
        if one.literal.compares:
            continue
        numbers: dict[str, int] = {"A": 0, "B": 1}
        args = [numbers.setdefault(variable.name, len(numbers)) for variable in one.literal.args]
        coded = [[tuple(place[c] for c in row) for row in rows] for rows in (positive, negative, held[one.literal.relation])]
        kept, extended, total, worth = gain(coded[0], coded[1], args, coded[2], one.literal.negated)
        assert (one.kept, one.positive, one.total) == (kept, extended, total)
        assert one.gain == pytest.approx(worth, abs=1e-9)
        seen.add((one.literal.relation, tuple(args), one.literal.negated))
    unary = {("colour", args, negated) for args in argument_lists(2, 1) for negated in (False, True) if max(args) < 2}
    assert unary <= seen
    # What is not there was left out below a general literal that cannot lead to a larger gain than the best.
    best = max(one.gain for one in state.literals)
    for args in argument_lists(2, 2):
        if ("edge", args, False) not in seen:
            coded = [[tuple(place[c] for c in row) for row in rows] for rows in (positive, negative, edge)]
            assert gain(coded[0], coded[1], args, coded[2], False)[3] <= best + 1e-9


def test_extensions_are_counted_once_for_a_positive_binding() -> None:
    """The classic mistake: the extended bindings are counted instead of the bindings that have an extension."""
    assert len(extensions((0,), (0, 1), [(0, 1), (0, 2), (1, 2)])) == 2
    assert gain([(0,)], [(1,)], (0, 1), [(0, 1), (0, 2), (1, 2)], False)[:3] == (1, 2, 3)
