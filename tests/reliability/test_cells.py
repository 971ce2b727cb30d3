"""Cells of data files (reliability D5, D6, M8): what is a number, what is missing, and what is asked of columns."""

from __future__ import annotations

import datetime as dt
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import treewright as tw
from tests.reliability.folder import Folder
from treewright.errors import DataFormatError
from treewright.table.files.source import LONGEST_LINE

# -- D5, D6, M8: cells -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "kind", "value"),
    [
        ("+5", "number", 5),
        ("1 ", "number", 1),
        (" 1", "number", 1),
        (".5", "number", 0.5),
        ("1.", "number", 1),
        ("00123", "text", "00123"),
        ("-0", "number", 0),
        ("1e-400", "number", 0),
        ("0x1p3", "text", "0x1p3"),
        ("1_000", "text", "1_000"),
        ("٣", "text", "٣"),
        ("1.234.567", "text", "1.234.567"),
        ("true", "bool", True),
        ("2024-02-29", "date", dt.date(2024, 2, 29)),
        ("2024-02-30", "text", "2024-02-30"),
    ],
)
def test_d5_what_is_a_number(folder: Folder, cell: str, kind: str, value: Any) -> None:
    """The same wherever the cell stands, in one block or beyond the first."""
    for text in (f"a,b\n{cell},p\n", f"a,b\n{cell},p\n{cell},q\n"):
        found = folder.read(text)["a"][0]
        assert found == value
        assert isinstance(found, {"number": (int, float), "text": str, "bool": bool, "date": dt.date}[kind])


@pytest.mark.parametrize("cell", ["1e999", "Infinity", "-inf", "inf"])
def test_d5_infinite_numbers_are_refused_with_their_place(folder: Folder, cell: str) -> None:
    found = folder.refusal("a,b\n1,2\n" + f"{cell},3\n", "t.csv")
    assert found == (3, 1, f"column 'a': '{cell}' is beyond all numbers")


def test_d5_decimals_are_the_nearest_doubles(folder: Folder) -> None:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**64, 20_000, dtype=np.uint64)
    values = [struct.unpack("<d", struct.pack("<Q", int(b)))[0] for b in bits]
    texts = [repr(v) for v in values if np.isfinite(v)] + [f"0.{'0' * 40}{i}{'7' * 60}" for i in range(1, 1000)]
    found = folder.read("a,b\n" + "".join(f"{t},0\n" for t in texts))["a"]
    assert found == [float(t) for t in texts]


def test_d6_the_place_of_an_odd_cell_does_not_matter(folder: Folder) -> None:
    rows = f"1,{'k' * 200}\n" * 45_000
    assert len(rows) > LONGEST_LINE  # beyond the first block, by which Arrow decides
    for cell in ("x", "1.5", "2024-01-01", "true", ""):
        first = read_or_refusal(folder, f"a,b\n{cell},k\n{rows}")
        last = read_or_refusal(folder, f"a,b\n{rows}{cell},k\n")
        assert first == last


def read_or_refusal(folder: Folder, text: str) -> str:
    try:
        column = tw.read_table(folder.write(text)).column("a")
    except DataFormatError as error:
        return error.what
    kind = "number" if pa.types.is_floating(column.type) or pa.types.is_integer(column.type) else str(column.type)
    return f"{kind} {column.null_count} {len(column)}"


def test_d6_columns_of_many_kinds_are_typed_as_a_whole(folder: Folder) -> None:
    # Every column changes its mind in the second block: integers that become decimals, nothing that becomes something ...
    first = f"1,,2024-01-01,true,5,{'k' * 200}\n" * 40_000
    last = "1.5,7,2024-01-01T10:00:00,maybe,,k\n"
    assert len(first) > LONGEST_LINE
    table = tw.read_table(folder.write("a,b,c,d,e,f\n" + first + last))
    kinds = [str(column.type) for column in table.columns]
    assert kinds[0] == "double"
    assert kinds[1] in ("double", "int64")
    assert kinds[2].startswith("timestamp")
    assert kinds[3] == "string"
    assert kinds[4] in ("double", "int64")
    last_row = table.slice(table.num_rows - 1).to_pylist()[0]
    assert list(last_row.values()) == [1.5, 7, dt.datetime(2024, 1, 1, 10), "maybe", None, "k"]


def test_a_few_words_among_numbers_are_refused_and_the_remedies_work(folder: Folder) -> None:
    text = "price,b\n" + "12.5,k\n" * 50 + '"12,5",k\n'
    line, column, what = folder.refusal(text)
    assert (line, column) == (52, 1)
    assert what == "column 'price': '12,5' is not a number, 50 other cells of this column are"
    assert folder.read(text, categorical=["price"])["price"][-1] == "12,5"
    # Half words, half numbers: levels.
    assert folder.read("a\n1\nx\n2\ny\n")["a"] == ["1", "x", "2", "y"]
    assert folder.read("price,b\n" + "12.5,k\n" * 50 + "unknown,k\n", missing=["unknown"])["price"][-1] is None
    with pytest.raises(DataFormatError) as caught:
        tw.read_table(folder.write(text))
    assert "--decimal ," in caught.value.remedy


def test_m8_only_the_documented_cells_are_missing(folder: Folder) -> None:
    cells = ["", "NA", "N/A", "?", "null", "NULL", "nan", "NaN", "-", '"?"', '"NA"', '""', " ", "none", "n/a", "word"]
    found = folder.read("a,b\n" + "".join(f"{cell},k\n" for cell in cells))["a"]
    assert found == [None] * 8 + ["-", "?", "NA", "", " ", "none", "n/a", "word"]
    assert folder.read("a,b\n-,k\n1,k\n?,k\n", missing=["-"], categorical=["a"])["a"] == [None, "1", "?"]
    # In a column of numbers a quoted or blank nothing is nothing.
    assert folder.read('a,b\n"",k\n1,k\n ,k\n"2",k\n')["a"] == [None, 1, None, 2]


# -- what is asked of columns ----------------------------------------------------------------------------------------------


def test_columns_can_be_levels_ordered_or_left_out(folder: Folder) -> None:
    path = folder.write("id,zip,size\n1,007,M\n2,42,S\n3,007,L\n")
    table = tw.read_table(path, categorical=["zip"], ordered={"size": ["S", "M", "L"]}, ignore=["id"])
    assert table.to_pydict() == {"zip": ["007", "42", "007"], "size": ["M", "S", "L"]}
    model = tw.CARTClassifier().fit(table, ["a", "b", "a"])
    assert [column.kind for column in model.tree_.columns] == ["nominal", "ordered"]
    for options, what in [
        ({"categorical": ["zap"]}, "column 'zap' is unknown; did you mean 'zip'"),
        ({"ignore": ["ids"]}, "column 'ids' is unknown; did you mean 'id'"),
        ({"format": "cvs"}, "format 'cvs' is unknown; did you mean 'csv'"),
        ({"delimiter": ",,"}, "delimiter=',,' is not allowed"),
        ({"delimiter": "\0"}, "is not allowed: it must be one ASCII character that is no quote"),
        ({"delimiter": '"'}, "is not allowed: it must be one ASCII character that is no quote"),
        ({"decimal": "x"}, "decimal='x' is not allowed"),
    ]:
        with pytest.raises(ValueError, match=what):
            tw.read_table(path, **options)
    with pytest.raises(DataFormatError, match=r"'L' \(row 3\) is not one of the ordered levels"):
        tw.read_table(path, ordered={"size": ["S", "M"]})
