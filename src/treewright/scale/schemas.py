"""One schema for several files: numbers and text of different widths are put together, anything else is refused by its names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treewright.errors import DataFormatError, visible


def united(paths: Sequence[str]) -> Any:
    """The schema that all rows of some Parquet files have.

    A column that is whole numbers in one file and floats in another is floats, one without a cell is what it is elsewhere.
    Columns that only some files have, and such as are text here and numbers there, are errors that name the files.
    """
    import pyarrow as pa

    fields: dict[str, Any] = {}
    known: dict[str, str] = {}  # in which file a type was first seen
    for path in paths:
        schema = schema_of(path)
        names = set(schema.names)
        if path != paths[0] and names != fields.keys():
            name = sorted(names ^ fields.keys())[0]
            where = (paths[0], path) if name in fields else (path, paths[0])
            there, here = map(whole_path, where)
            raise ValueError(f"column {name!r} is in {there} and not in {here}: all files need the same columns")
        for field in schema:
            before = fields.setdefault(field.name, field)
            if before.type == field.type:
                known.setdefault(field.name, path)
                continue
            try:
                both = [pa.schema([each.remove_metadata()]) for each in (before, field)]
                fields[field.name] = pa.unify_schemas(both, promote_options="permissive").field(0)
            except pa.ArrowException as error:
                there = whole_path(known.get(field.name, paths[0]))
                raise ValueError(
                    f"column {field.name!r} is {before.type} in {there} and {field.type} in {whole_path(path)}: "
                    "make it one type in all files"
                ) from error
    return pa.schema(list(fields.values()))


def whole_path(path: str) -> str:
    """A path, whose end tells more than its beginning."""
    return f"'{visible(path)}'"


def schema_of(path: str) -> Any:
    """The schema of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(path, error) from error


def unreadable(path: str, error: Exception) -> Exception:
    """The error for a file that cannot be read to its end."""
    if isinstance(error, OSError) and error.errno is not None:
        return error  # the system says which file it is
    reason = str(error).partition("\n")[0][:200]
    return DataFormatError(f"the Parquet file cannot be read ({reason})", path, remedy="is it whole, and did nobody write to it?")
