"""Delimited text larger than memory: some columns at a time are read as ever, and wait in scratch files for the others."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.scale.scratch import Scratch, explained
from treewright.table.files import DataFile, Delimited, open_delimited

_READING = 4  # times the size of its text is what a column takes while it is read, at most
_PACKED = 10  # times as large as a packed file its text may be


def mapped_file(path: Any, memory: int, scratch: Scratch, **options: Any) -> DataFile:
    """The file that ``read_file`` reads, its columns mapped from scratch files.

    What a column holds is decided by all of its cells, so that each is read whole: the file is gone through once for as many
    columns as ``memory`` holds together.
    """
    import pyarrow as pa

    file = open_delimited(path, **options)
    names = [name for name in file.names if name not in file.options.ignore]
    columns: list[Any] = []
    fields: list[Any] = []
    notes: dict[str, str] = {}
    for group in _groups(file, names, memory):
        table, said = file.read(group)
        notes |= said
        table = _spooled(table, scratch)
        fields += table.schema
        columns += table.columns
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
    options_of_columns = replace(file.options, ignore=())
    table = options_of_columns.applied(table, file.source.name)
    return DataFile(file.source.name, "csv", file.dialect.text(), table, notes)


def _groups(file: Delimited, names: Sequence[str], memory: int) -> list[list[str]]:
    """Columns that are read together."""
    source = file.source
    size = len(source.contents) if source.contents is not None else os.path.getsize(source.path or "")
    each = _READING * size * (_PACKED if source.compressed else 1) / max(1, len(file.names))
    count = max(1, min(len(names), int(memory / max(1.0, each))))
    return [list(names[at : at + count]) for at in range(0, len(names), count)]


def _spooled(table: Any, scratch: Scratch) -> Any:
    """The same table in a scratch file."""
    import pyarrow as pa

    file = scratch.file()
    with explained(scratch.folder, table.nbytes):
        buffered = io.BufferedWriter(file.stream)
        with pa.ipc.new_file(pa.PythonFile(buffered, "w"), table.schema) as writer:
            writer.write_table(table)
        buffered.flush()
        buffered.detach()
    size = os.fstat(file.stream.fileno()).st_size
    return pa.ipc.open_file(pa.BufferReader(pa.py_buffer(np.memmap(file.stream, np.uint8, "r", 0, (size,))))).read_all()
