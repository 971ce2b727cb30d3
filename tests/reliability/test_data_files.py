"""Data files (reliability group D and M8): read as documented, or one DataFormatError with file, line and column."""

from __future__ import annotations

import datetime as dt
import gzip
import os
import pickle
import resource
import struct
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather

import treewright as tw
from treewright.errors import DataFormatError
from treewright.table.files import FORMATS, read_file
from treewright.table.files.source import LONGEST_LINE


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, text: str | bytes, name: str = "t.csv") -> str:
        (self.path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return str(self.path / name)

    def read(self, text: str | bytes, name: str = "t.csv", **options: Any) -> dict[str, list[Any]]:
        table: dict[str, list[Any]] = tw.read_table(self.write(text, name), **options).to_pydict()
        return table

    def refusal(self, text: str | bytes, name: str = "t.csv", **options: Any) -> tuple[int | None, int | None, str]:
        path = self.write(text, name)
        with pytest.raises(DataFormatError) as caught:
            tw.read_table(path, **options)
        error = caught.value
        assert error.path.startswith(str(self.path))
        assert str(error).startswith(error.where)
        assert str(error).isprintable()
        assert len(error.what) < 300
        return error.line, error.column, error.what


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


# -- D1: what is written badly ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("a,b\n1,2\n3\n", 3, 1, "the line has 1 cell, the first has 2: '3'"),
        ("a,b\n1,2\n\n3,4,5\n", 4, 3, "the line has 3 cells, the first has 2: '3,4,5'"),
        ('a,b\n"x\ny",2\n3\n', 4, 1, "the line has 1 cell, the first has 2"),
        ('a,b\n1,"2\n3,4\n', 2, None, "a quote opened here is not closed"),
        ('"""""""', 1, None, "a quote opened here is not closed"),
        ("a,b\n1,2\x00\n3,4\n", 2, None, "there is a NUL byte"),
        (b"a,b\n1,\xff\n3,4\n", 2, None, "byte 0xff is not UTF-8 text"),
        (b"\xe9,b\n1,2\n", 1, None, "byte 0xe9 is not UTF-8 text"),
        ("", None, None, "the file is empty"),
        ("\n\n\n", None, None, "the file is empty"),
        ("a,b\n", None, None, "there is no row below the column names"),
        ("a,b,a\n1,2,3\n", 1, 3, "two columns are named 'a', the first is number 1"),
        ("a,b\n" + "1,2\n" * 5 + "1," + "x" * 1000 + ",3\n", 7, 3, "the line has 3 cells, the first has 2: '1,xxxx"),
    ],
)
def test_d1_faults_have_a_place(folder: Folder, text: str | bytes, line: int | None, column: int | None, what: str) -> None:
    found = folder.refusal(text)
    assert found[:2] == (line, column)
    assert what in found[2]
    # The same place in a packed file and behind a byte-order mark.
    raw = text.encode() if isinstance(text, str) else text
    assert folder.refusal(gzip.compress(raw), "t.csv.gz") == found
    if raw[:1] not in (b"", b"\xe9", b"\n"):
        assert folder.refusal(b"\xef\xbb\xbf" + raw, "u.csv") == found


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_d1_line_ends_and_encodings(folder: Folder, end: str) -> None:
    text = f"größe,b{end}1,x{end}2,y{end}"
    wanted = {"größe": [1, 2], "b": ["x", "y"]}
    assert folder.read(text) == wanted
    assert folder.read("\ufeff" + text) == wanted
    assert folder.read(text.rstrip(end)) == wanted
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"):
        mark = "\ufeff" if encoding.endswith("e") else ""
        assert folder.read((mark + text).encode(encoding), encoding="latin-1" if encoding == "latin-1" else None) == wanted
    assert folder.read("a,b\n1,2\r\n3,4\n5,6\r\n") == {"a": [1, 3, 5], "b": [2, 4, 6]}


def test_d1_empty_names_are_numbered(folder: Folder) -> None:
    assert folder.read(",a,\n1,2,3\n") == {"column 1": [1], "a": [2], "column 3": [3]}
    assert folder.read(",,,\n,,,\n") == {f"column {j}": [None] for j in (1, 2, 3, 4)}


def test_dialects_are_found_and_reported(folder: Folder) -> None:
    for text, about, wanted in [
        ("a,b\n1.5,x\n", "comma-separated", {"a": [1.5], "b": ["x"]}),
        ("a;b\n1,5;x\n", "semicolon-separated, decimal comma", {"a": [1.5], "b": ["x"]}),
        ("a;b\n1.5;x,y\n", "semicolon-separated", {"a": [1.5], "b": ["x,y"]}),
        ("a\tb\n1,5\tx y\n", "tab-separated, decimal comma", {"a": [1.5], "b": ["x y"]}),
        ("a|b\n1|2\n", "bar-separated", {"a": [1], "b": [2]}),
        ("1,2\n3,4\n", "comma-separated, no header", {"x0": [1, 3], "x1": [2, 4]}),
        ("only\nx\ny\n", "comma-separated", {"only": ["x", "y"]}),
        ("a, b\n1, x\n2, ?\n", "comma-separated", {"a": [1, 2], "b": ["x", None]}),
        ('"a\nb",c\n1,2\n', "comma-separated", {"a\nb": [1], "c": [2]}),
        ('a\n5" pipe\n"x""y"\n', "comma-separated", {"a": ['5" pipe', 'x"y']}),
    ]:
        file = read_file(folder.write(text))
        assert (file.about, file.table.to_pydict()) == (about, wanted)
    assert folder.read("1,2\n3,4\n", header=True) == {"1": [3], "2": [4]}
    assert folder.read("a:b\n1:2\n", delimiter=":") == {"a": [1], "b": [2]}


# -- D2: large and shapeless -----------------------------------------------------------------------------------------------


CHILD = """
import sys, time
sys.path.insert(0, {source!r})
from treewright.errors import DataFormatError
from treewright.table.files import read_table
import pyarrow.csv, resource
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    table = read_table({path!r})
    print("read", table.num_rows, table.num_columns)
except DataFormatError as error:
    print("refused", error.line, error.what)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def in_child(path: str) -> tuple[str, int]:
    """Read in a process of limited memory and time: what it says, and by how many MiB it grew."""
    source = str(Path(tw.__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(source=source, path=path)],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    assert done.returncode == 0, done.stderr
    said, grown = done.stdout.strip().split("\n")
    return said, int(grown)


def test_d2_shapeless_files_are_refused_with_the_limit(folder: Folder) -> None:
    long = folder.write(b"a,b\n1,2\n" + b"x" * (100 << 20), "long.csv")
    said, grown = in_child(long)
    assert said == "refused 3 the line is longer than 8 MiB"
    assert grown < 700
    said, _ = in_child(folder.write(b"x" * (60 << 20), "one.csv"))
    assert said == "refused 1 the line is longer than 8 MiB"
    wide = folder.write(b",".join(b"c%d" % i for i in range(10**6)) + b"\n" + b",".join([b"1"] * 10**6) + b"\n", "wide.csv")
    said, grown = in_child(wide)
    assert said == "refused 1 the first line has 1000000 cells, more than the 100000 columns a table may have"
    assert grown < 700


def test_d2_declared_files_without_line_ends_are_refused(folder: Folder) -> None:
    head = b"@relation r\n@attribute a numeric\n@data\n1\n"
    said, grown = in_child(folder.write(head + b"2" * (60 << 20), "long.arff"))
    assert (said.endswith("the line is longer than 8 MiB"), grown < 300) == (True, True)
    folder.write("yes, no.\na: continuous.\n", "long.names")
    said, grown = in_child(folder.write(b"1,yes\n" + b"2" * (60 << 20), "long.data"))
    assert (said, grown < 300) == ("refused 2 the line is longer than 8 MiB", True)


@pytest.mark.parametrize("fill", [b'"', b",", b"\n", b"\r"])
def test_d2_files_of_one_sign(folder: Folder, fill: bytes) -> None:
    said, grown = in_child(folder.write(fill * (5 << 20)))
    assert said.startswith("refused")
    assert grown < 900


def test_d2_a_cell_of_a_million_letters_is_read(folder: Folder) -> None:
    assert folder.read("a,b\n" + "y" * 1_000_000 + ",2\n")["a"] == ["y" * 1_000_000]


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


# -- JSON lines, Parquet, Feather ------------------------------------------------------------------------------------------


def test_json_lines(folder: Folder) -> None:
    text = '{"a": 1, "b": "x", "c": true}\n\n{"a": 2.5, "b": null, "c": false}\n'
    wanted = {"a": [1.0, 2.5], "b": ["x", None], "c": [True, False]}
    assert folder.read(text, "t.jsonl") == wanted
    assert folder.read(gzip.compress(text.encode()), "t.ndjson.gz") == wanted
    assert folder.read(text, "no ending") == wanted
    for bad, line, column, what in [
        ('{"a": 1}\n{"a": "x"}\n', 2, 1, "column 'a': 'x' is text, in line 1 there was a number"),
        ('{"a": "x"}\n{"a": 1}\n', 2, 1, "column 'a': 1 is a number, in line 1 there was text"),
        ('{"a": 1}\n{"a": \n', 2, 6, "this is not JSON"),
        ("[1]\n", 1, 1, "the line holds [1], not an object"),
        ("[" * 100_000, 1, None, "nested too deeply"),
        ("", None, None, "the file is empty"),
        ('{"a": [1]}\n', None, None, "column 'a' holds list"),
        ('{"a": {"b": 1}}\n', None, None, "column 'a' holds struct"),
    ]:
        found = folder.refusal(bad, "t.jsonl")
        assert found[0] == line
        assert column is None or found[1] == column
        assert what in found[2] or (what == "nested too deeply" and "not JSON" in found[2])


@pytest.mark.parametrize("text", ["null\n", '{"a": 1} null\n', '{"a": 1}\nnull\n', '{"a": 1}null{"a": 2}\n', " \tnull"])
def test_a_null_outside_an_object_is_refused(folder: Folder, text: str) -> None:
    """In a process of its own: Arrow's reader ends the process."""
    said, _ = in_child(folder.write(text, "t.jsonl"))
    assert said.startswith("refused")


def test_text_that_looks_like_such_a_null_is_read(folder: Folder) -> None:
    text = '{"a": "}n", "b": 1}\n{"a": "} null", "b": null}\n'
    assert folder.read(text, "t.jsonl") == {"a": ["}n", "} null"], "b": [1, None]}


def test_parquet_and_feather(folder: Folder) -> None:
    frame = pd.DataFrame({"x": [1.5, None], "c": pd.Categorical(["b", "a"], ["b", "a"]), "d": pd.to_datetime(["2024-01-01"] * 2)})
    table = pa.Table.from_pandas(frame)
    pq.write_table(table, folder.path / "t.parquet")
    feather.write_feather(table, str(folder.path / "t.feather"))
    for name in ("t.parquet", "t.feather"):
        path = folder.path / name
        assert tw.read_table(path).to_pydict() == table.to_pydict()
        contents = path.read_bytes()
        # Neither the ending nor packing matters: the first bytes tell.
        assert folder.read(contents, "odd.dat") == table.to_pydict()
        assert folder.read(gzip.compress(contents), "odd.dat.gz") == table.to_pydict()
        for cut in range(8, len(contents), max(1, len(contents) // 25)):
            folder.refusal(contents[:cut], f"cut{path.suffix}")


DAMAGE = """
import random, sys
sys.path.insert(0, {source!r})
from treewright.errors import DataFormatError
from treewright.table.files import read_table
raw, rng, refused = open({path!r}, "rb").read(), random.Random(0), 0
for _ in range(300):
    damaged = bytearray(raw)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(6, len(damaged))
        damaged[at] = rng.choice([0, 255, damaged[at] ^ (1 << rng.randrange(8))])
    open({path!r}, "wb").write(bytes(damaged))
    try:
        table = read_table({path!r})
    except DataFormatError:
        refused += 1
    else:
        for column in table.columns:
            column.drop_null().unique()
print(refused)
"""


@pytest.mark.parametrize("kind", ["parquet", "lz4", "uncompressed"])
def test_damaged_binary_files_do_not_end_the_process(folder: Folder, kind: str) -> None:
    """Arrow trusts the offsets of a file; reading checks them all."""
    frame = pd.DataFrame({"x": [1.5, None, 3.0] * 20, "c": pd.Categorical(["b", "a", "b"] * 20), "s": ["p", "qq", None] * 20})
    path = str(folder.path / "t.bin")
    if kind == "parquet":
        frame.to_parquet(path)
    else:
        feather.write_feather(pa.Table.from_pandas(frame), path, compression=kind)
    source = str(Path(tw.__file__).resolve().parents[1])
    code = DAMAGE.format(source=source, path=path)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 30


# -- D5, D6, M8: cells -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "kind", "value"),
    [
        ("+5", "number", 5),
        ("1 ", "number", 1),
        (" 1", "number", 1),
        (".5", "number", 0.5),
        ("1.", "number", 1),
        ("00123", "number", 123),
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
        ({"decimal": "x"}, "decimal='x' is not allowed"),
    ]:
        with pytest.raises(ValueError, match=what):
            tw.read_table(path, **options)
    with pytest.raises(DataFormatError, match=r"'L' \(row 3\) is not one of the ordered levels"):
        tw.read_table(path, ordered={"size": ["S", "M"]})


# -- where files come from -------------------------------------------------------------------------------------------------


def test_things_that_are_no_files(folder: Folder) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        tw.read_table(folder.path / "nothing.csv")
    with pytest.raises(FileNotFoundError):
        tw.read_table("a\0b")
    with pytest.raises(DataFormatError, match="this is a directory"):
        tw.read_table(folder.path)
    with pytest.raises(DataFormatError, match="this is a device"):
        tw.read_table("/dev/zero")


def test_pipes_are_read(folder: Folder) -> None:
    pipe = str(folder.path / "pipe")
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: Path(pipe).write_text("a,b\n1,2\n"))
    writer.start()
    assert tw.read_table(pipe).to_pydict() == {"a": [1], "b": [2]}
    writer.join()


def test_damaged_gzip(folder: Folder) -> None:
    packed = gzip.compress(("a,b\n" + "1,2\n" * 1000).encode())
    for cut in (5, 15, len(packed) - 9, len(packed) - 1):
        folder.refusal(packed[:cut], "t.csv.gz")
    wrong = bytearray(packed)
    wrong[len(wrong) // 2] ^= 0xFF
    folder.refusal(bytes(wrong), "t.csv.gz")


def test_the_error_survives_pickling() -> None:
    error = DataFormatError("what", "a\nb.csv", 3, 4, remedy="do that")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "a\\nb.csv:3:4: what; do that"
    assert (again.line, again.column, again.remedy) == (3, 4, "do that")


@settings(max_examples=150)
@given(st.data())
def test_d1_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    signs = [
        "|",
        ",",
        ";",
        "\t",
        '"',
        "'",
        "\n",
        "\r",
        "\r\n",
        "\x00",
        "{",
        "}",
        "@data\n",
        "%",
        "\\",
        ":",
        ".",
        "?",
        "1",
        "-2.5",
        "x",
        "[",
        "]",
        "null",
        "é",
        "numeric\n",
    ]
    alphabet = [sign.encode() for sign in signs] + [b"\xff", b" ", b"@attribute a ", b"\xef\xbb\xbf"]
    contents = b"".join(data.draw(st.lists(st.sampled_from(alphabet), max_size=40)))
    path = tmp_path_factory.mktemp("any") / "f.data"
    path.write_bytes(contents)
    (path.parent / "f.names").write_bytes(b"".join(data.draw(st.lists(st.sampled_from(alphabet), max_size=20))))
    for format in FORMATS:
        try:
            table = tw.read_table(path, format=format)
        except DataFormatError as error:
            said = str(error)
        else:
            said = ""
            assert table.num_rows > 0
            assert table.num_columns > 0
        assert said.isprintable()


def test_readme_of_missing_cells_agrees() -> None:
    from treewright.table.files.cells import MISSING

    said = textwrap.dedent(tw.read_table.__doc__ or "")
    assert all(cell in said for cell in MISSING if cell)
