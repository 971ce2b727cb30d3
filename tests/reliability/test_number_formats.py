"""Formatted numbers and dates: read where the column determines the format, left as text with a hint where it does not."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

from tests.reliability.folder import Folder
from treewright.table.files import read_file, read_table
from treewright.table.files.describe import column_facts

DAY = dt.date(2024, 12, 31)


@pytest.mark.parametrize(
    ("cells", "values", "note"),
    [
        (["1,234.50", "7"], [1234.5, 7], "thousands separators"),
        (["1.234,50", "7,5"], [1234.5, 7.5], "decimal comma, thousands separators"),
        (["1,234,567", "7"], [1234567, 7], "thousands separators"),
        (["1 234,5", "-1 000"], [1234.5, -1000], "decimal comma, thousands separators"),
        (["1'234.5", "7"], [1234.5, 7], "thousands separators"),
        (["12 %", "-3.5%"], [12, -3.5], "% sign removed"),
        (["$5", "-$1,000.5"], [5, -1000.5], "$ sign removed, thousands separators"),
        (["5 €", "€ .5"], [5, 0.5], "€ sign removed"),
        (["31.12.2024", "1.2.2024"], [DAY, dt.date(2024, 2, 1)], "day, month, year"),
        (["1.2.2024", "3.4.2024"], [dt.date(2024, 2, 1), dt.date(2024, 4, 3)], "day, month, year"),
        (["12/31/2024", "1/2/2024"], [DAY, dt.date(2024, 1, 2)], "month, day, year"),
        (["31/12/2024", "1/2/2024"], [DAY, dt.date(2024, 2, 1)], "day, month, year"),
        (["2024/12/31", "2024/2/1"], [DAY, dt.date(2024, 2, 1)], "year, month, day"),
        (["31.12.2024 10:30", "1.2.2024"], [dt.datetime(2024, 12, 31, 10, 30), dt.datetime(2024, 2, 1)], "day, month, year"),
    ],
)
def test_a_column_that_tells_how_it_is_written_is_read(folder: Folder, cells: list[str], values: list[Any], note: str) -> None:
    for order in (cells, cells[::-1]):
        file = read_file(folder.write("a\n" + "".join(f'"{cell}"\n' for cell in [*order, ""])))
        found = file.table.column("a").to_pylist()
        assert found[2] is None
        assert found[:2] == (values if order is cells else values[::-1])
        assert file.notes == {"a": note}


@pytest.mark.parametrize(
    ("cells", "hint", "option", "values"),
    [
        (["1,234", "2,345"], "--decimal", {"decimal": "."}, [1234, 2345]),
        (["1,234", "2,345"], "--decimal", {"decimal": ","}, [1.234, 2.345]),
        (["03/04/2024", "05/06/2024"], "--dates", {"dates": "dmy"}, [dt.date(2024, 4, 3), dt.date(2024, 6, 5)]),
        (["03-04-2024", "05-06-2024"], "--dates", {"dates": "mdy"}, [dt.date(2024, 3, 4), dt.date(2024, 5, 6)]),
    ],
)
def test_what_is_open_stays_text_with_a_hint(
    folder: Folder, cells: list[str], hint: str, option: dict[str, str], values: list[Any]
) -> None:
    text = "a\n" + "".join(f'"{cell}"\n' for cell in cells)
    column = read_file(folder.write(text)).table.column("a")
    assert column.to_pylist() == cells
    assert hint in column_facts("a", column).hint
    assert folder.read(text, **option)["a"] == values


@pytest.mark.parametrize(
    "cells",
    [
        ["1.234.567", "2.345.678"],
        ["10.0.0.1", "10.0.0.2"],
        ["$5", "€5"],
        ["12 %", "0.5"],
        ["3-5", "6-9"],
        ["31/31/2024", "1/2/2024"],
    ],
)
def test_what_is_neither_stays_text(folder: Folder, cells: list[str]) -> None:
    column = read_file(folder.write("a\n" + "".join(f'"{cell}"\n' for cell in cells))).table.column("a")
    assert column.to_pylist() == cells


def test_dates_in_words_and_names_get_a_hint(folder: Folder) -> None:
    words = read_file(folder.write("a\n31-Dec-2024\n1-Jan-2024\n")).table.column("a")
    assert column_facts("a", words).hint == "dates? write them as 2024-12-31 to have them compared"
    names = read_file(folder.write("id,b\n" + "".join(f"n{i},k\n" for i in range(30)))).table
    assert "--ignore 'id'" in column_facts("id", names.column("id")).hint
    assert column_facts("b", names.column("b")).hint == ""


def test_a_few_cells_among_dates_that_are_none_are_refused(folder: Folder) -> None:
    days = "".join(f"2024-01-{day:02},k\n" for day in range(1, 31))
    assert folder.refusal(f"a,b\n{days}soon,k\n") == (
        32,
        1,
        "column 'a': 'soon' is not a date, 30 other cells of this column are",
    )
    assert folder.refusal(f"a,b\n2024-02-30,k\n{days}")[:2] == (2, 1)
    assert folder.read(f"a,b\n{days}soon,k\n", missing=["soon"])["a"][-1] is None


def test_whole_numbers_that_count_the_rows_get_a_hint() -> None:
    counted = column_facts("id", pa.chunked_array([list(range(150, 100, -1))]))
    assert (counted.kind, "--ignore 'id'" in counted.hint) == ("number", True)
    for others in ([*range(49), 60], [*range(49), 48], list(range(19)), [1.5 * k for k in range(50)]):
        assert column_facts("id", pa.chunked_array([others])).hint == ""


def test_moments_are_read_from_json_as_from_csv(folder: Folder) -> None:
    for cells in (
        ["2024-01-03T10:00:00.250", "2024-02-29T00:00:00.000"],
        ["2024-01-03T10:00:00.000Z", "2024-02-29T00:00:00.125Z"],
    ):
        rows = "".join(f'{{"a": "{cell}", "b": "x"}}\n' for cell in cells)
        table = read_table(folder.write(rows, "t.jsonl"))
        same = folder.read("a,b\n" + "".join(f"{cell},x\n" for cell in cells))["a"]
        assert [moment.timestamp() for moment in table.to_pydict()["a"]] == [moment.timestamp() for moment in same]
        assert table.to_pydict()["a"][0].year == 2024
    assert folder.read('{"a": "2024"}\n{"a": "5"}\n', "t.jsonl") == {"a": ["2024", "5"]}  # text in quotes is text
    words = pa.table({"a": ["x", "y"], "b": ["x", "y"]})
    assert folder.read(rows, "t.jsonl", like=words)["a"] == cells


def test_moments_that_are_days_are_shown_as_days() -> None:
    days = pa.chunked_array([pa.array([0, 86_400_000_000, None], pa.timestamp("us"))])
    assert column_facts("a", days).text() == "1970-01-01 to 1970-01-02   1 missing"
    moments = pa.chunked_array([pa.array([0, 86_400_000_000, 1], pa.timestamp("us"))])
    assert column_facts("a", moments).text() == "1970-01-01 00:00:00 to 1970-01-02 00:00:00"
