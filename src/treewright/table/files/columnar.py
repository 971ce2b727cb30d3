"""Parquet and Arrow files: how much they unpack to is looked up before anything is unpacked, and every offset is checked."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from treewright.errors import DataFormatError
from treewright.table.files.arrow_sizes import unpacked_size
from treewright.table.files.parquet_pages import pages_size
from treewright.table.files.source import Source

STREAM = b"\xff\xff\xff\xff"  # what an Arrow stream begins with
_BYTES = {"BOOLEAN": 1 / 8, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}  # of a value; of text, where it ends: 4


def read_parquet(source: Source) -> Any:
    """Read a Parquet file as an Arrow table."""
    return _checked(source, "a Parquet", _parquet)


def read_arrow(source: Source) -> Any:
    """Read an Arrow or Feather file, or an Arrow stream, as an Arrow table."""
    import pyarrow as pa
    from pyarrow import feather

    def read(file: Any, source: Source) -> Any:
        source.limit.check(unpacked_size(file))
        file.seek(0)
        return pa.ipc.open_stream(file).read_all() if source.head(4) == STREAM else feather.read_table(file)

    return _checked(source, "an Arrow", read)


def _checked(source: Source, what: str, read: Callable[[Any, Source], Any]) -> Any:
    """Read a binary file and check every offset and text in it: Arrow trusts them, and a damaged file would end the process."""
    import pyarrow as pa

    try:
        with _whole(source) as file:
            table = read(file, source)
            table.validate(full=True)
            table.schema.names  # noqa: B018 (names that are no text)
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError, struct.error) as error:
        raise DataFormatError(f"this is not {what} file ({_brief(error)})", source.name, remedy="is it damaged?") from error
    if table.num_rows == 0 or table.num_columns == 0:
        raise DataFormatError("the file holds no row", source.name, remedy="write rows into it")
    return table


def _whole(source: Source) -> Any:
    import pyarrow as pa

    if source.path is not None and not source.compressed:
        return pa.OSFile(source.path)
    with source.open() as file:
        return pa.BufferReader(file.read())


def _parquet(file: Any, source: Source) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    limit = source.limit
    opened = pq.ParquetFile(file)
    groups = [opened.metadata.row_group(i) for i in range(opened.metadata.num_row_groups)]
    chunks = [(group, group.column(j)) for group in groups for j in range(group.num_columns)]
    sizes = [
        (each.total_uncompressed_size, pages_size(file, each), _width(each) * max(each.num_values, group.num_rows))
        for group, each in chunks
    ]
    limit.check(sum(map(max, sizes)))
    # A long text in a dictionary may stand in every row: such columns stay coded until their length is known.
    wanted = opened.schema_arrow
    coded = {each.path_in_schema for _, each in chunks if each.physical_type == "BYTE_ARRAY" and each.has_dictionary_page}
    texts = [field.name for field in wanted if pa.types.is_string(field.type) or pa.types.is_binary(field.type)]
    flat = [name for name in texts if name in coded]
    table = pq.read_table(file, read_dictionary=flat)
    lengths = 0
    for name in flat:
        for chunk in table.column(name).chunks:
            if pa.types.is_dictionary(chunk.type):
                lengths += pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() or 0
    limit.check(table.nbytes + lengths)
    for j, field in enumerate(table.schema):
        if field.name in flat and pa.types.is_dictionary(field.type):
            column = table.column(j).cast(wanted.field(field.name).type)
            table = table.set_column(j, field.with_type(column.type), column)
    return table


def _width(chunk: Any) -> float:
    return _BYTES.get(chunk.physical_type, 4)


def _brief(error: Exception) -> str:
    return str(error).partition("\n")[0][:120]
