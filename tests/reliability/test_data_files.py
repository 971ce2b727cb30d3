"""Data files of all formats (reliability group D): JSON lines, Parquet, Feather, pipes, gzip, and any bytes at all."""

from __future__ import annotations

import gzip
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather

import treewright as tw
from tests.reliability.folder import Folder, in_child
from treewright.errors import DataFormatError
from treewright.table.files import FORMATS

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


# A line that does not begin with { is kept from Arrow; the second reader refuses the same.
@pytest.mark.parametrize("before", ["", "\x1f"])
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"a": "\\ud800"}', "surrogate"),
        ('{"a": 1, "\\udc00": 2}', "surrogate"),
        ('{"a": {"b": ["\\ud800"]}}', "surrogate"),
        ('{"a": 1, "a": 2}', "twice"),
    ],
)
def test_both_readers_of_json_refuse_alike(folder: Folder, before: str, text: str, what: str) -> None:
    assert what in folder.refusal(f"{before}{text}\n", "t.jsonl")[2]


@pytest.mark.parametrize("text", [b'{"\xff": []}\n', b'{"a": {"\xff": 1}}\n', b'{"\xff": 1}\n'])
def test_names_that_are_no_text_are_refused(folder: Folder, text: bytes) -> None:
    assert any(word in folder.refusal(text, "t.jsonl")[2] for word in ("UTF-8", "struct"))


@pytest.mark.parametrize("before", ["", "\x1f"])
@pytest.mark.parametrize("digits", ["9" * 400, "9" * 5000, str(2**63), str(-(2**63) - 1), str(2**63 - 1)])
def test_both_readers_of_json_read_long_numbers_alike(folder: Folder, before: str, digits: str) -> None:
    value = int(digits) if digits == str(2**63 - 1) else float(digits)
    assert folder.read(f'{before}{{"a": {digits}}}\n', "t.jsonl") == {"a": [value]}


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
    from treewright.table.files.number_formats import MISSING

    said = textwrap.dedent(tw.read_table.__doc__ or "")
    assert all(cell in said for cell in MISSING if cell)
