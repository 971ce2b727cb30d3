"""Data and model files that were read where they must be refused, or waited for without end."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import json
import os
import pickle
import re
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.store import binary
from treewright.store.damage import Damage
from treewright.store.document import _blocks, document_bytes
from treewright.store.kinds import to_section
from treewright.store.values import Unwritable, read, written
from treewright.table.files import source


def test_json_lines_must_be_utf8(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1, "b": "x"}\n{"a": 2, "b": "caf\xe9"}\n{"a": 3, "b": "y"}\n')
    with pytest.raises(tw.DataFormatError, match="0xe9 is not UTF-8") as caught:
        tw.read_table(path)
    assert caught.value.line == 2


def test_a_pipe_that_nobody_writes_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setattr(source, "WAIT", 0.2)
    with pytest.raises(tw.DataFormatError, match="nobody has written"):
        tw.read_table(path)


@pytest.mark.parametrize("size", [3, 50_000])
def test_a_pipe_that_is_written_to(tmp_path: Path, size: int) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    lines = "a,b\n" + "".join(f"{row},{row % 3}\n" for row in range(size))
    writer = threading.Thread(target=lambda: path.write_text(lines))
    writer.start()
    table = tw.read_table(path)
    writer.join()
    assert table.num_rows == size


def _edited(path: Path, change: Any) -> None:
    document = json.loads(path.read_text())
    change(document.get("model", document))
    path.write_text(json.dumps(document))


def test_nan_is_no_level(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    X = pd.DataFrame({"c": pd.Categorical([1.5, 2.5, 1.5, 2.5])})
    tw.CARTClassifier().fit(X, [0, 1, 0, 1]).tree_.save(path)
    _edited(path, lambda model: model["table"]["levels"][0].__setitem__(0, ["float", "nan"]))
    with pytest.raises(tw.ModelFormatError, match="nan is no level"):
        tw.load(path, edited=True)


def test_numbers_have_no_levels(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    tw.CARTClassifier().fit([[1.0], [2.0]], [0, 1]).tree_.save(path)
    _edited(path, lambda model: model["columns"].__setitem__("column_levels", [10**9]))
    with pytest.raises(tw.ModelFormatError):
        tw.load(path, edited=True)


def test_pickled_arrays_of_no_type() -> None:
    tree = tw.CARTClassifier().fit([[1.0], [2.0]], [0, 1]).tree_
    section = binary.section_of(tree.__reduce__()[1][1])
    assert isinstance(section, dict)
    for name in ([], {}, None, 5):
        with pytest.raises(tw.ModelFormatError, match="described wrongly"), binary.trusting_nothing():
            binary._Arrays(memoryview(b"")).take({binary._MARK: [name, 0]})
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert np.asarray(tree.predict([[1.0]])).tolist() == [0]


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Which of the two a reader takes is its own choice: nobody may see another model than the one that is loaded."""
    document = document_bytes(to_section("tree", tw.CARTClassifier().fit([[1.0], [2.0]], ["a", "b"]).tree_))
    body = document[document.index(b'"model"') :]
    key = re.search(rb'"(\w+)": "\w+"', body)
    assert key is not None
    twice = body.replace(key[0], key[0] + b", " + key[0], 1)
    head = b'{\n"format": "treewright-model",\n"version": 1,\n"checksum": "sha256:%s",\n'
    for text, edited in ((twice, False), (twice, True), (body, False)):
        path = tmp_path / "model.json"
        path.write_bytes(head % hashlib.sha256(text).hexdigest().encode() + text)
        if text is body:
            tw.load(path)
            continue
        with pytest.raises(tw.ModelFormatError, match=f"a key stands twice.*{key[1].decode()}"):
            tw.load(path, edited=edited)


def test_a_model_may_be_two_hundred_times_its_packed_size_and_a_megabyte() -> None:
    packed = 12_345
    for spare, taken in ((0, True), (1, False)):
        text = b"{" + b" " * ((1 << 20) + 200 * packed - 1)
        compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
        content = compressor.compress(text) + compressor.flush()
        tail = zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little")
        comment = b"x" * (packed - spare - 10 - 1 - len(content) - 8)
        whole = b"\x1f\x8b\x08\x10\0\0\0\0\0\xff" + comment + b"\0" + content + tail
        assert len(whole) == packed - spare
        if taken:
            assert sum(map(len, _blocks(io.BytesIO(whole)))) == len(text)
        else:
            with pytest.raises(Damage, match="more than 200 times its size"):
                list(_blocks(io.BytesIO(whole)))


def test_moments_with_nanoseconds_have_no_form() -> None:
    """They would come back as others; without them a moment of pandas is one of Python."""
    assert read(written(pd.Timestamp("2020-01-02 03:04:05.000006"))) == dt.datetime(2020, 1, 2, 3, 4, 5, 6)
    with pytest.raises(Unwritable, match="no form"):
        written(pd.Timestamp("2020-01-02") + pd.Timedelta(1, "ns"))
