"""Files that declare their columns, ARFF (reliability D3) and C4.5's pairs: read as declared, or refused with the place."""

from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from tests.reliability.folder import Folder
from treewright.errors import DataFormatError

# -- D3: ARFF --------------------------------------------------------------------------------------------------------------

ARFF = """\
% a comment
@RELATION 'days of play'
@attribute 'out look' {sunny, 'over cast', rain}
@attribute temperature\tnumeric
@attribute note string
@attribute day date yyyy-MM-dd
@attribute play{no,yes}

@data
sunny, 85.5, 'a, b % c', 2024-01-02, no
'over cast', ?, '?', ?, yes
% another comment
{0 rain, 1 7, 4 yes}
rain,1e3,it\\'s,"2024-02-03",?
"""


def test_d3_arff_is_read_as_declared(folder: Folder) -> None:
    table = tw.read_table(folder.write(ARFF, "t.arff"))
    assert table.to_pydict() == {
        "out look": ["sunny", "over cast", "rain", "rain"],
        "temperature": [85.5, None, 7.0, 1000.0],
        "note": ["a, b % c", "?", None, "it's"],
        "day": [dt.datetime(2024, 1, 2), None, None, dt.datetime(2024, 2, 3)],
        "play": ["no", "yes", "yes", None],
    }
    assert table.column("play").chunk(0).dictionary.to_pylist() == ["no", "yes"]
    assert table.column("out look").chunk(0).dictionary.to_pylist() == ["sunny", "over cast", "rain"]


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "what"),
    [
        ("85.5", "x", 10, 2, "column 'temperature': 'x' is not a number"),
        ("85.5", "1_0", 10, 2, "'1_0' is not a number"),
        ("85.5", "1e999", 10, 2, "'1e999' is not a number"),
        ("85.5", "nan", 10, 2, "'nan' is not a number"),
        ("sunny, 85", "suny, 85", 10, 1, "column 'out look': 'suny' is not one of the declared levels"),
        ("2024-01-02", "02.01.2024", 10, 4, "'02.01.2024' is not a date"),
        (", no\n", "\n", 10, 4, "the row has 4 cells, 5 attributes are declared"),
        ("{0 rain", "{999999999 rain", 13, None, "index '999999999' of the sparse row is not one of the 5 attributes"),
        ("{0 rain", "{-1 rain", 13, None, "index '-1' of the sparse row"),
        ("{0 rain", "{1 3", 13, None, "index 1 occurs twice"),
        ("4 yes}", "4 yes", 13, None, "the sparse row is not closed"),
        ("'a, b % c'", "'a, b", 10, None, "a quote is not closed"),
        ("@data", "", 10, None, "is neither @relation, @attribute nor @data"),
        ("temperature\tnumeric", "temperature complex", 4, None, "attribute 'temperature' has the type 'complex'"),
        ("{no,yes}", "{no,yes", 7, None, "the levels of 'play' are not closed by }"),
        ("{no,yes}", "{no,no}", 7, None, "level 'no' of 'play' is declared twice"),
        ("note string", "temperature string", 5, None, "was declared in line 4 already"),
        ("yyyy-MM-dd", "EEE", 6, None, "date pattern 'EEE' is not understood"),
        ("yyyy-MM-dd", "yyyy-dd-dd", 6, None, "date pattern 'yyyy-dd-dd' has dd twice"),
    ],
)
def test_d3_faults_of_arff_have_a_place(
    folder: Folder, old: str, new: str, line: int | None, column: int | None, what: str
) -> None:
    assert old in ARFF
    found = folder.refusal(ARFF.replace(old, new, 1), "t.arff")
    assert found[0] == line
    assert column is None or found[1] == column
    assert what in found[2]


NUMBERS = st.sampled_from(["1", "-2.5", " 3 ", "?", " ? ", "1e3", "+5", ".5", "5.", "0", "inf", "nan", "0x1", "1_0", "", "٣"])
WORDS = st.sampled_from(["p", " q", "r s", "t  u", "?", "v.", "é", "", "1"])
LEVELS = st.sampled_from(["a", "b", " a", "b ", "?", "a.", "c"])


@settings(max_examples=400)
@given(
    st.lists(st.tuples(NUMBERS, WORDS, LEVELS), min_size=1, max_size=3), st.sampled_from(["\n", "\r\n", "\n\n", " \n", ",x\n"])
)
def test_the_quick_way_reads_what_the_exact_one_reads(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], end: str
) -> None:
    """ARFF and C4.5: the same table or the same refusal, whether Arrow or the exact reader divides the rows."""
    body = "".join(",".join(row) + end for row in rows)
    folder = tmp_path_factory.mktemp("quick")
    (folder / "t.arff").write_text("@attribute n numeric\n@attribute s string\n@attribute c {a, b}\n@data\n" + body, newline="")
    (folder / "t.names").write_text("a, b.\nn: continuous.\ns: discrete 9.\n")
    (folder / "t.data").write_text(body, newline="")
    for name in ("t.arff", "t.data"):
        quick = outcome(folder / name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("treewright.table.files.arff.plain_columns", lambda *_: None)
            patch.setattr("treewright.table.files.c45.plain_columns", lambda *_: None)
            assert quick == outcome(folder / name)


def test_the_quick_way_is_taken(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def exact(*_: object) -> None:
        raise AssertionError("the exact reader was asked")

    monkeypatch.setattr("treewright.table.files.arff._maker", exact)
    monkeypatch.setattr("treewright.table.files.c45._row", exact)
    assert folder.read("@attribute n numeric\n@attribute c {a, b}\n@data\n1,a\n?, b\n", "t.arff") == {
        "n": [1, None],
        "c": ["a", "b"],
    }
    folder.write("a, b.\nn: continuous.\nid: ignore.\n", "t.names")
    assert folder.read("1, x, a\n?, y, b\n", "t.data") == {"n": [1, None], "class": ["a", "b"]}


def outcome(path: Path) -> Any:
    try:
        table = tw.read_table(path)
    except DataFormatError as error:
        return error.line, error.column, error.what
    return table.to_pydict(), [str(kind) for kind in table.schema.types]


def test_d3_hard_headers_take_linear_time(folder: Folder) -> None:
    """A regular expression with backtracking would not end."""
    hard = "@attribute a {" + '"a' * 50_000 + "\n@data\n"
    assert "not closed" in folder.refusal(hard, "t.arff")[2]
    many = "@attribute a {" + ",".join(f"'l{i}'" for i in range(50_000)) + "}\n@data\n'l49999'\n"
    assert folder.read(many, "u.arff") == {"a": ["l49999"]}
    assert folder.read("@relation r\n@attribute '@data' numeric\n@data\n1\n", "v.arff") == {"@data": [1.0]}
    assert "ends before @data" in folder.refusal("@relation r\n@attribute a numeric\n", "w.arff")[2]
    assert "no row after @data" in folder.refusal("@relation r\n@attribute a numeric\n@data\n", "x.arff")[2]
    assert "no attribute is declared" in folder.refusal("@data\n1\n", "y.arff")[2]


# -- C4.5 ------------------------------------------------------------------------------------------------------------------

NAMES = """\
| Golf, with everything the format allows
don't play, play.     | the classes

outlook: sunny, overcast,
         rain.
temperature: continuous.
day id: ignore.
odd\\: name: a\\,b, c.d, e
free: discrete 5.
"""


def test_c45_pairs_are_read_from_either_half(folder: Folder) -> None:
    folder.write(NAMES, "golf.names")
    rows = "sunny, 75, d1, a\\,b, q, play\novercast, ?, d2, c.d, r, don't play.\n\nrain,1e2,d3,e,q,play | a comment\n"
    table = folder.read(rows, "golf.data")
    assert table == {
        "outlook": ["sunny", "overcast", "rain"],
        "temperature": [75.0, None, 100.0],
        "odd: name": ["a,b", "c.d", "e"],
        "free": ["q", "r", "q"],
        "class": ["play", "don't play", "play"],
    }
    assert tw.read_table(folder.path / "golf.names").to_pydict() == table
    folder.write(gzip.compress(rows.encode()), "golf.test.gz")
    assert tw.read_table(folder.path / "golf.test.gz").to_pydict() == table
    declared = tw.read_table(folder.path / "golf.data").column("class").chunk(0).dictionary.to_pylist()
    assert declared == ["don't play", "play"]


@pytest.mark.parametrize(
    ("row", "line", "column", "what"),
    [
        ("sunny, 75, d1, zz, q, play\n", 1, 4, "column 'odd: name': 'zz' is not one of the declared levels"),
        ("\nsunny, warm, d1, e, q, play\n", 2, 2, "column 'temperature': 'warm' is not a number"),
        ("sunny, 75, d1, e, q\n", 1, 5, "the row has 5 cells, 6 are declared"),
        ("sunny, 75, d1, e, q, maybe\n", 1, 6, "column 'class': 'maybe' is not one of the declared levels"),
        ("", None, None, "there is no row"),
    ],
)
def test_c45_faults_have_a_place(folder: Folder, row: str, line: int | None, column: int | None, what: str) -> None:
    folder.write(NAMES, "golf.names")
    found = folder.refusal(row, "golf.data")
    assert found[:2] == (line, column)
    assert what in found[2]


def test_c45_names_that_declare_nothing(folder: Folder) -> None:
    folder.write("", "a.names")
    assert "nothing is declared" in folder.refusal("1\n", "a.data")[2]
    folder.write("yes, no.\nage.\n", "b.names")
    assert "'age' declares no values" in folder.refusal("1,yes\n", "b.data")[2]
    folder.write("yes, no.\nage: continuous.\nage: continuous.\n", "c.names")
    assert "'age' is declared twice" in folder.refusal("1,1,yes\n", "c.data")[2]
