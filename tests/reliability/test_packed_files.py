"""Packed data files: none unpacks to more than its size warrants, unless an option allows it; the others are read as ever."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather

import treewright as tw
from tests.cli.runs import run
from tests.reliability.folder import Folder, in_child
from treewright.errors import DataFormatError
from treewright.table.files.unpacking import GRACE, RATIO

ROWS = 12_000_000  # of eight bytes: more than the grace


def _gzip(head: bytes, row: bytes) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9) as file:
        file.write(head)
        block = row * (1 + (1 << 20) // len(row))
        for _ in range((GRACE * 3) // len(block)):
            file.write(block)
    return out.getvalue()


def _parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd", store_schema=False)
    return out.getvalue()


def _arrow(stream: bool, **columns: Any) -> bytes:
    out = io.BytesIO()
    table = pa.table(columns)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(out, table.schema, options=options) as writer:
        writer.write_table(table)
    return out.getvalue()


def _long_text() -> pa.Table:
    """A text of a megabyte that stands in every row of a dictionary's column."""
    codes = pa.array(np.zeros(10_000, np.int32))
    return pa.table({"a": pa.DictionaryArray.from_arrays(codes, pa.array(["x" * (1 << 20)]))})


BOMBS: dict[str, Callable[[], bytes]] = {
    "t.csv.gz": lambda: _gzip(b"a,b\n", b"1,2\n"),
    "t.jsonl.gz": lambda: _gzip(b"", b'{"a":1' + b" " * 2000 + b"}\n"),
    "t.arff.gz": lambda: _gzip(b"@relation r\n@attribute a numeric\n@data\n", b"1" + b" " * 2000 + b"\n"),
    "t.data.gz": lambda: _gzip(b"", b"1,x\n"),
    "utf16.csv.gz": lambda: _gzip("a,b\n".encode("utf-16"), "1,2\n".encode("utf-16-le")),
    "numbers.parquet": lambda: _parquet(pa.table({"a": np.zeros(ROWS)})),
    "text.parquet": lambda: _parquet(_long_text()),
    "packed.parquet.gz": lambda: gzip.compress(_parquet(pa.table({"a": np.zeros(ROWS)}))),
    "t.arrow": lambda: _arrow(False, a=np.zeros(ROWS)),
    "nothing.arrow": lambda: _arrow(False, a=pa.nulls(100 * ROWS)),
    "t.arrows": lambda: _arrow(True, a=np.zeros(ROWS)),
    "packed.arrows.gz": lambda: gzip.compress(_arrow(True, a=np.zeros(ROWS))),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_does_not_fill_the_memory(folder: Folder, name: str) -> None:
    contents = BOMBS[name]()
    assert GRACE + RATIO * len(contents) < 3 * GRACE
    folder.write("x, y.\na: continuous.\n", "t.names")
    said, grown = in_child(folder.write(contents, name))
    assert said.startswith("refused None it unpacks to more than")
    assert "200 times its size and 64 MiB" in said
    assert grown < 500


def test_the_option_allows_more_or_less(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder.write(_gzip(b"a,y\n", b"1,x\n"), "t.csv.gz")
    with pytest.raises(DataFormatError, match=r"such as --max-unpacked .* max_unpacked=") as caught:
        tw.read_table(path)
    assert caught.value.remedy
    assert tw.read_table(path, max_unpacked=1 << 30).num_rows > 10**7
    small = folder.write(gzip.compress(b"a,y\n" + b"1,x\n" * 100), "small.csv.gz")
    assert tw.read_table(small).num_rows == 100
    with pytest.raises(DataFormatError, match="unpacks to more than 100 bytes;"):
        tw.read_table(small, max_unpacked=100)
    assert run("describe", small, "--max-unpacked", "100") != 0
    assert "unpacks to more than 100 bytes" in capsys.readouterr().err
    assert run("describe", small, "--max-unpacked", "1000") == 0


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "1G"])
def test_an_option_that_is_no_number_of_bytes(folder: Folder, value: Any) -> None:
    with pytest.raises(ValueError, match=r"max_unpacked=.* is not allowed"):
        folder.read("a\n1\n", max_unpacked=value)


TABLE = pa.table(
    {
        "a": np.arange(1000.0),
        "b": pa.array(["x", None, "long " * 50, "y"] * 250),
        "c": pa.array(["u", "v"] * 500).dictionary_encode(),
        "d": pa.array([True, None] * 500),
        "e": pa.array(["p", "q"] * 500, pa.large_string()),
    }
)


@pytest.mark.parametrize("packing", ["uncompressed", "lz4", "zstd"])
def test_binary_files_are_read_with_their_types(folder: Folder, packing: str) -> None:
    path = str(folder.path / "t.feather")
    feather.write_feather(TABLE, path, compression=packing, chunksize=300)
    assert tw.read_table(path).equals(TABLE)
    with pytest.raises(DataFormatError, match="unpacks to more than"):
        tw.read_table(path, max_unpacked=8000)
    for options in ({}, {"store_schema": False}, {"use_dictionary": False}, {"row_group_size": 300}):
        pq.write_table(TABLE, path, compression={"uncompressed": "none"}.get(packing, packing), **options)
        found = tw.read_table(path)
        assert found.equals(pq.read_table(path))
        assert found.schema.types == pq.read_table(path).schema.types


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stream=st.booleans(), place=st.floats(0, 1), new=st.binary(min_size=1, max_size=8))
def test_sizes_of_damaged_arrow_files_are_read_or_refused(folder: Folder, stream: bool, place: float, new: bytes) -> None:
    contents = bytearray(_arrow(stream, a=np.arange(5.0), b=["x", "y", "x", "z", "x"]))
    at = int(place * (len(contents) - 8))
    contents[at : at + len(new)] = new
    path = folder.write(bytes(contents), "t.arrows" if stream else "t.arrow")
    try:
        tw.read_table(path, format="arrow")
    except DataFormatError as error:
        assert str(error).isprintable()  # noqa: PT017


def _varint(number: int) -> bytes:
    """As Thrift's compact protocol writes it: signs in the last bit, seven bits a byte."""
    number, out = number << 1, b""
    while number > 127:
        number, out = number >> 7, out + bytes([number & 127 | 128])
    return out + bytes([number])


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_pages_of_a_parquet_file_are_believed_before_its_footer(
    folder: Folder, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The footer says a byte, the header of the page what Arrow makes room for."""
    out = io.BytesIO()
    text = pa.table({"a": [b"x" * (2 * GRACE)]})
    pq.write_table(text, out, compression="zstd", use_dictionary=False, store_schema=False, data_page_version=version)
    contents = out.getvalue()
    group = pq.ParquetFile(io.BytesIO(contents)).metadata.row_group(0)
    footer = len(contents) - 8 - int.from_bytes(contents[-8:-4], "little")
    for size in {group.total_byte_size, group.column(0).total_uncompressed_size}:
        said = _varint(size)
        assert said in contents[footer:]
        lie = b"\x82" + b"\x80" * (len(said) - 2) + b"\0"  # 1, in as many bytes
        contents = contents[:footer] + contents[footer:].replace(said, lie)
    assert pq.ParquetFile(io.BytesIO(contents)).metadata.row_group(0).column(0).total_uncompressed_size == 1
    monkeypatch.setattr(pq, "read_table", lambda *_, **__: pytest.fail("it was unpacked"))
    with pytest.raises(DataFormatError, match="unpacks to more than"):
        tw.read_table(folder.write(contents, "t.parquet"))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1), new=st.binary(min_size=1, max_size=6))
def test_damaged_parquet_files_are_read_or_refused(folder: Folder, place: float, new: bytes) -> None:
    contents = bytearray(_parquet(pa.table({"a": np.arange(50.0), "b": ["x", "y", "x", "z", "x"] * 10})))
    at = int(place * (len(contents) - 8))
    contents[at : at + len(new)] = new
    try:
        tw.read_table(folder.write(bytes(contents), "t.parquet"))
    except DataFormatError as error:
        assert str(error).isprintable()  # noqa: PT017


HOSTILE = "\x1b[2J\u202e\u2028"


def test_no_message_steers_the_terminal(folder: Folder) -> None:
    head = "@relation r\n@attribute d date "
    for pattern in (f"yyyy{HOSTILE}", f"yyyy{HOSTILE}yyyy", f"{HOSTILE}q"):
        folder.refusal(f"{head}'{pattern}'\n@data\nx\n", "t.arff")
    assert "\\x1b" in folder.refusal(f"{head}'yyyy{HOSTILE}'\n@data\nx\n", "t.arff")[2]
    folder.refusal(f'{{"a": {{"{HOSTILE}": 1}}}}\n'.replace("\x1b", "\\u001b"), "t.jsonl")
    folder.write(f"x, y.\n{HOSTILE}: continuous.\n", "t.names")
    folder.refusal("1,2,3\n", "t.data")
    folder.refusal(f"{HOSTILE},x\n", "t.data")


def test_names_of_columns_in_warnings_are_escaped() -> None:
    model = tw.CARTClassifier().fit(pa.table({HOSTILE: ["a", "b"]}), ["x", "y"])
    with pytest.warns(tw.UnseenLevelWarning) as caught:
        model.predict(pa.table({HOSTILE: ["c", "b"]}))
    assert str(caught[0].message).isprintable()
