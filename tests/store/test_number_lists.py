"""Long lists of numbers are written and read by the core as Python's own JSON would."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright import _core
from treewright.store.damage import Damage
from treewright.store.document import _parsed, _plain

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
EDGES = [0.0, -0.0, 1.0, 0.1, 1e-4, 9.999e-5, 1e16, 9999999999999998.0, 1e22, 5e-324, 1.7976931348623157e308, 123456789.125, 1e-5]


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.lists(FLOATS, min_size=1, max_size=70))
def test_floats_are_written_as_python_writes_them(numbers: list[float]) -> None:
    assert _core.number_lines(np.array(numbers), 1000) == json.dumps(numbers, separators=(",", ":"))[1:-1]


def test_numbers_at_the_ends_of_the_forms() -> None:
    around = [
        step(x) for x in EDGES for step in (float, lambda x: math.nextafter(x, math.inf), lambda x: math.nextafter(x, -math.inf))
    ]
    finite = [x for x in around if math.isfinite(x)]
    both = [*finite, *(-x for x in finite)]
    assert _core.number_lines(np.array(both), 1000) == json.dumps(both, separators=(",", ":"))[1:-1]
    whole = [0, -1, 2**63 - 1, -(2**63)]
    assert _core.number_lines(np.array(whole), 3) == "0,-1,9223372036854775807,\n-9223372036854775808"


NUMBERS = st.one_of(FLOATS, st.integers(-(2**63), 2**63 - 1))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.text(max_size=5), st.lists(NUMBERS, min_size=30, max_size=90)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(VALUES, st.sampled_from([None, 1]))
def test_lists_are_read_as_python_reads_them(value: Any, indent: int | None) -> None:
    text = json.dumps({"model": value, "numbers": "[1]"}, indent=indent).encode()
    assert repr(_parsed(text)) == repr(_plain(text))  # 1 is not 1.0


def test_columns_are_arrays() -> None:
    listed = list(range(100))
    read = _parsed(json.dumps({"columns": {"a": listed, "b": {"splits": [x / 4 for x in listed]}}, "c": listed}).encode())
    assert read["columns"]["a"].tolist() == listed
    assert read["columns"]["b"]["splits"].dtype == np.float64
    assert read["c"] == listed
    assert type(read["c"]) is list
    # The columns of a table are a list, and their levels are read as values.
    assert _parsed(json.dumps({"columns": [{"levels": listed}]}).encode()) == {"columns": [{"levels": listed}]}


def said(read: Any, text: bytes) -> Any:
    try:
        return read(text)
    except Damage as error:
        return str(error)


@pytest.mark.parametrize(
    "entry",
    ["01", "1.", ".5", "+1", "1e", "- 1", "--1", "NaN", "Infinity", "0x10", "1 2", "1,,2", "1e999", "\u0661", "1;2", "true"],
)
def test_what_is_no_number_is_refused_in_its_place(entry: str) -> None:
    text = ('{"columns": {"a": [' + "1,\n" * 50 + entry + "]}}").encode()
    assert said(_parsed, text) == said(_plain, text)


def test_a_list_that_never_ends() -> None:
    text = b'{"columns": {"a": [' + b"1," * 1000
    with pytest.raises(Damage, match="line 1, column 2020"):
        _parsed(text)


def test_a_text_that_holds_the_mark() -> None:
    listed = list(range(100))
    for mark in ("numbers", "numbers'", "numbers''"):
        text = json.dumps({mark: 0, "columns": {"a": listed, "b": {mark: 0}}}).encode()
        read = _parsed(text)
        assert read[mark] == 0
        assert read["columns"]["b"] == {mark: 0}
        assert read["columns"]["a"].tolist() == listed


def test_numbers_beyond_64_bits_stay_numbers() -> None:
    for entry in (2**63, -(2**63) - 1, 10**30):
        text = json.dumps({"columns": {"a": [*range(60), entry]}}).encode()
        assert _parsed(text)["columns"]["a"] == [*range(60), entry]


def test_a_mark_in_other_signs_of_json() -> None:
    listed = list(range(100))
    for forged in (
        '{"\\u006eumbers": 0}',
        '{"\\u006eumbers": "x"}',
        '{"\\u006eumbers": 7}',
        '{"\\u006eumbers": null}',
        '{"\\u006eumbers": true}',
    ):
        text = ('{"a": ' + forged + ', "columns": {"b": ' + json.dumps(listed) + ', "c": ' + forged + "}}").encode()
        read = _parsed(text)
        wanted = json.loads(text)
        assert read["a"] == read["columns"]["c"] == wanted["a"]
        assert list(read["columns"]["b"]) == listed


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_numbers_that_json_has_not_are_refused(odd: float) -> None:
    with pytest.raises(ValueError, match="JSON has no number"):
        _core.number_lines(np.array([1.0, odd]), 10)
