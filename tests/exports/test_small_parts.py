"""Parts of exports at their edges: where lists grow long, numbers large, levels many, and names run out of letters."""

from __future__ import annotations

import math
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.export.condition_nodes import FAILS, HOLDS, condition_nodes
from treewright.export.dialects import DIALECTS, joined
from treewright.export.dialects import _vanishing as vanishing
from treewright.export.labels import Label, label_of
from treewright.export.nodes import level_jumps
from treewright.export.prolog import _name as variable_name
from treewright.export.scripts import _docstring_text as docstring_text
from treewright.export.sql_cells import Cells
from treewright.export.tree_program import flat_program
from treewright.model.condition import Bound, Condition
from treewright.table.schema import ColumnSchema, TableSchema

LARGEST = sys.float_info.max


def test_neighbouring_levels_lead_on_together() -> None:
    assert level_jumps([(0, 5), (1, 5), (2, 7), (4, 7), (5, 5)], 9) == ((1.0, 4.0), (5, 7, 5))
    assert level_jumps([(3, 5)], 9) == ((), (5,))
    assert level_jumps([], 9) == ((), (9,))


@pytest.mark.parametrize("sign", [1, -1])
def test_whole_numbers_beyond_floats_are_digits(sign: int) -> None:
    assert label_of(sign * 2**53, "class") == Label("n", sign * 2**53)
    assert label_of(sign * (2**53 + 1), "class") == Label("w", str(sign * (2**53 + 1)))


def test_no_cut_stands_where_no_number_fails() -> None:
    """Minus infinity as a cut is a number that SQL cannot write."""
    column = ColumnSchema("x", "number")
    schema = TableSchema((column,))

    def from_up(at: float) -> Condition:
        return Condition(column, 0, low=Bound(column, at, at, at, strict=True, inclusive=True))

    (node,) = condition_nodes(schema, from_up(-LARGEST))
    assert (node.cuts, node.to) == ((), (HOLDS,))
    second = math.nextafter(-LARGEST, 0)
    (node,) = condition_nodes(schema, from_up(second))
    assert (node.cuts, node.to) == ((-LARGEST,), (FAILS, HOLDS))


def test_long_names_are_cut_inside_docstrings() -> None:
    assert docstring_text("a" * 200) == "a" * 200
    assert docstring_text("a" * 201) == "a" * 199 + "..."
    assert docstring_text("abc", limit=3) == "abc"


def test_variables_are_letters_and_then_letters_with_numbers() -> None:
    assert [variable_name(i) for i in (0, 25, 26, 51, 52)] == ["A", "Z", "A1", "Z1", "A2"]
    assert len({variable_name(i) for i in range(500)}) == 500


def test_many_terms_are_joined_in_pairs_of_pairs() -> None:
    terms = [f"x = {k}" for k in range(51)]
    assert joined("OR", terms[:50]) == " OR ".join(terms[:50])
    assert joined("OR", terms) == f"({' OR '.join(terms[:25])}) OR ({' OR '.join(terms[25:])})"


def test_cells_whose_product_vanishes_are_those_that_are_not_multiplied() -> None:
    rng = np.random.default_rng(0)
    factors = [1.0, 0.5, 3.0, 5e-324, LARGEST, 1 / 3, *(rng.random(300) * 10.0 ** rng.integers(-300, 300, 300)).tolist()]
    for factor in (*factors, *(-factor for factor in factors)):
        most = vanishing(factor)
        assert most * factor == 0 != math.nextafter(most, math.inf) * factor
    assert vanishing(0.0) == 0
    assert DIALECTS["postgresql"].product(0.0, "c") == "0.0e0 * c"


@pytest.mark.parametrize("name", ["ansi", "duckdb", "postgresql"])
def test_numbers_of_many_digits_are_not_decimals(name: str) -> None:
    compared = DIALECTS[name].compared
    assert [compared(value) for value in (0.123456789012345, -12345678.9012345, 1e-4)] == [
        "0.123456789012345",
        "-12345678.9012345",
        "0.0001",
    ]
    assert [compared(value) for value in (0.1234567890123456, 1e15, 1e-5)] == [
        "0.1234567890123456e0",
        "1000000000000000.0e0",
        "1e-05",
    ]


@pytest.mark.parametrize("n", [32, 33])
def test_many_levels_are_looked_up_in_a_table(n: int) -> None:
    levels = [f"l{k:02}" for k in range(n)]
    tree = tw.CARTClassifier().fit(pd.DataFrame({"c": levels * 2}), np.arange(2 * n) % n % 2).tree_
    told = tree.to_sql("duckdb")
    assert ("levels_0(label, code)" in told) == (n > 32)
    assert ("WHEN t.\"c\" = 'l31' THEN 31" in told) == (n == 32)


def test_levels_beside_each_other_are_a_range() -> None:
    X = pd.DataFrame({"c": pd.Categorical(list("abdefh") * 3, list("abcdefgh"))})  # c and g never occur
    program = flat_program(tw.CARTClassifier().fit(X, ["in" if level in "adh" else "out" for level in X["c"]]).tree_)
    cells, one = Cells(program, DIALECTS["ansi"], "tw_"), program.inputs[0]
    assert [code for code, _ in one.labels] == [0, 1, 3, 4, 5, 7]
    for codes, told in (
        ({0, 1, 3}, "x BETWEEN 0 AND 3"),
        ({0, 3, 4, 7}, "(x = 0 OR x BETWEEN 3 AND 4 OR x = 7)"),
        ({5}, "x = 5"),
        ({1, 4, 5, 7}, "(x = 1 OR x BETWEEN 4 AND 7)"),
    ):
        assert cells.among(one, "x", frozenset(codes)) == told
    assert all(a < b for a, b in pairwise(code for code, _ in one.labels))
