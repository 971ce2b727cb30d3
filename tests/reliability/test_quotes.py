"""What the quotes of a CSV file do decides how fast it is read, never what is read."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright import _core
from treewright.table.files import delimited, read_table

# Cells are quoted as a whole, quotes inside are doubled, and no line ends between quotes.
_PLAIN = re.compile(r'(?:(?:"(?:[^"\r\n]|"")*"|[^",\r\n]*)(?:[,\r\n]|\Z))*')


@given(st.text('",\n\ra', max_size=24), st.integers(1, 25))
@settings(max_examples=400, deadline=None)
def test_quotes_are_told_apart_wherever_the_parts_end(text: str, size: int) -> None:
    quotes = _core.Quotes(",")
    for at in range(0, len(text), size):
        part = text[at : at + size].encode()
        quotes.feed(bytearray(part) if at % 2 else part)
    assert quotes.count == text.count('"')
    if quotes.count % 2 == 0:  # else one is never closed, or is just a sign
        assert quotes.may_hold_lines == (_PLAIN.fullmatch(text) is None)


@pytest.mark.parametrize("odd", ["two\nlines", 'a "quoted" word', "plain"])
@pytest.mark.parametrize("cores", [1, 2])
def test_long_files_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: str, cores: int) -> None:
    import pyarrow as pa

    monkeypatch.setattr(delimited, "_BLOCK", 256)
    monkeypatch.setattr(pa, "cpu_count", lambda: cores)
    rows = [[f"r{i}", "yes, no" if i % 3 else "no"] for i in range(500)]
    for i in range(400, 500, 7):
        rows[i][1] = odd
    with open(tmp_path / "t.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *rows])
    assert list(map(list, zip(*read_table(tmp_path / "t.csv").to_pydict().values(), strict=True))) == rows
