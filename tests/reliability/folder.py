"""A folder to write data files into, and what reading them gives."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import treewright as tw
from treewright.errors import DataFormatError


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
