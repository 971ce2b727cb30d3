"""CSV and its relatives (reliability D1, D2): read as documented, or one DataFormatError with file, line and column."""

from __future__ import annotations

import gzip

import pytest

from tests.reliability.folder import Folder, in_child
from treewright.table.files import read_file

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
