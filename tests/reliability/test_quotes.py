"""What the quotes of a CSV file do decides how fast it is read, never what is read."""

from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright import _core
from treewright.errors import DataFormatError
from treewright.table.files import delimited, read_table
from treewright.table.files.records import records


@given(st.text('",\n\ra', max_size=24), st.integers(1, 25))
@settings(max_examples=400, deadline=None)
def test_quotes_are_told_apart_wherever_the_parts_end(text: str, size: int) -> None:
    quotes = _core.Quotes(",")
    for at in range(0, len(text), size):
        part = text[at : at + size].encode()
        quotes.feed(bytearray(part) if at % 2 else part)
    assert quotes.count == text.count('"')
    # The slow reader: a record goes on over lines only inside quotes.
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)
    cells = [each for _, each in records(lines, ",")]
    assert quotes.open == (cells[-1:] == [None])
    if not quotes.open:
        held = "".join(cell for each in cells for cell in each)
        assert quotes.hold_lines == ("\n" in held or "\r" in held)
        assert quotes.hold_returns == ("\r" in held)


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


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("border", range(24, 40))
def test_returns_between_quotes_are_kept_wherever_a_block_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, border: int, packed: bool
) -> None:
    monkeypatch.setattr(delimited, "_BLOCK", border)
    text = "a,b\r\nx,1\r\n" + '"v\r\nw",2\r\n"\r\r\n",3\r\n' * 3
    (tmp_path / "t.csv").write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert read_table(tmp_path / "t.csv").column("a").to_pylist() == ["x", *["v\r\nw", "\r\r\n"] * 3]


def test_a_quote_that_is_never_closed_is_found_after_one_that_is_just_a_sign(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,b\nx"y,1\nz,"2\n3,4\n')
    with pytest.raises(DataFormatError, match="a quote opened here is not closed") as caught:
        read_table(tmp_path / "t.csv")
    assert caught.value.line == 3


def test_signs_within_cells_hold_no_lines_together(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,b\n5" pipe,x\n7" pipe,y\n"8"" ""pipe",z\n')
    assert read_table(tmp_path / "t.csv").to_pydict() == {"a": ['5" pipe', '7" pipe', '8" "pipe'], "b": ["x", "y", "z"]}


def test_lines_longer_than_a_block_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "_BLOCK", 64)
    (tmp_path / "t.csv").write_text(f"a,b\nx,1\n{'y' * 1000},2\n")
    assert read_table(tmp_path / "t.csv").column("a").to_pylist() == ["x", "y" * 1000]
