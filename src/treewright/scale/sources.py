"""What tables larger than memory come as: Parquet files, datasets and streams of Arrow, all of them as batches of rows."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import shown, unknown
from treewright.scale.csv import mapped_file
from treewright.scale.schemas import united, unreadable
from treewright.scale.scratch import Scratch
from treewright.table.written import Written, written_of

MOST_ROWS = 1 << 18  # of a batch


@dataclass
class Source:
    """Batches of rows that are read once, in order, and the names of their columns."""

    names: list[str]
    batches: Iterator[Any]
    target: str
    weight: str | None = None
    written: dict[str, Written] = field(default_factory=dict)  # how cells stood in a file, by column
    total: int | None = None  # rows there are, where that is known
    rows: int = 0  # read so far
    kept_parts: list[Any] = field(default_factory=list)  # of them, by batch: which have a weight

    @property
    def kept(self) -> Any:
        """Which rows have a weight; None: all."""
        if all(part.all() for part in self.kept_parts):
            return None
        return np.concatenate(self.kept_parts)

    @property
    def columns(self) -> list[str]:
        """The columns to learn from."""
        return [name for name in self.names if name not in (self.target, self.weight)]

    @property
    def places(self) -> list[int]:
        """Where these are."""
        return [self.place_of(name) for name in self.columns]

    def place_of(self, name: str) -> int:
        """Where a column is."""
        return self.names.index(name)


def open_source(source: Any, target: str, weight: str | None, memory: int, scratch: Scratch, **options: Any) -> Source:
    """The batches of a source; refuses what is none, and a target or weights that are not among its columns."""
    reader, total = _reader(source, memory, scratch, options)
    names = checked_names([str(name) for name in reader.schema.names], target, weight)
    written = {field.name: found for field in reader.schema if (found := written_of(field)) is not None}
    return Source(names, iter(reader), target, weight, written, total)


def checked_names(names: list[str], target: str, weight: str | None) -> list[str]:
    """The names of columns; refuses double ones, a target or weights that are not among them, and nothing to learn from."""
    if len(set(names)) < len(names):
        double = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"column names must be unique; {shown(double)} occur more than once")
    for role, name in (("target", target), ("weight", weight)):
        if name is not None and name not in names:
            raise unknown(f"{role}: column", name, names)
    if weight == target:
        raise ValueError(f"weight={shown(weight)} is the target: rows are weighed by another column")
    if not set(names) - {target, weight}:
        raise ValueError(f"the source has the column {target!r} alone: there is nothing to learn it from")
    return names


def is_paths(source: Any) -> bool:
    """Whether a source is a path or pattern, or several of these."""
    return isinstance(source, (str, os.PathLike)) or (
        isinstance(source, Sequence) and bool(source) and all(isinstance(each, (str, os.PathLike)) for each in source)
    )


def _reader(source: Any, memory: int, scratch: Scratch, options: dict[str, Any]) -> tuple[Any, int | None]:
    """A reader of record batches, and how many rows there are, where that is known."""
    import pyarrow as pa

    if is_paths(source):
        source = open_files(source, memory, scratch, options)
    if hasattr(source, "scanner"):  # a dataset
        ignored = options.get("ignore", ())
        for name in ignored:
            if name not in source.schema.names:
                raise unknown("column", name, source.schema.names)
        columns = [name for name in source.schema.names if name not in ignored]
        schema = pa.schema([source.schema.field(name) for name in columns])
        return pa.RecordBatchReader.from_batches(schema, _fragments(source, columns)), _rows_in(source)
    if isinstance(source, pa.Table):
        return source.to_reader(MOST_ROWS), source.num_rows
    if isinstance(source, pa.RecordBatchReader):
        return source, None
    if hasattr(source, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(source), None
    raise TypeError(
        f"source={shown(source)} is neither a file (or a pattern such as 'big/*.parquet'), a dataset of pyarrow nor a "
        "stream of Arrow (a frame of polars or pandas, a relation of DuckDB); a table in memory is learned from by est.fit"
    )


def _rows_in(dataset: Any) -> int | None:
    """How many rows a dataset has; a file that does not tell is an error once it is read."""
    import pyarrow as pa

    try:
        return int(dataset.count_rows())
    except (pa.ArrowException, OSError):
        return None


def _fragments(dataset: Any, columns: list[str]) -> Iterator[Any]:
    """The rows of a dataset, file by file."""
    import pyarrow as pa

    rows = _batch_rows(dataset)
    for fragment in dataset.get_fragments():
        try:
            # Little is read ahead: what waits would be memory.
            yield from fragment.to_batches(dataset.schema, columns, batch_size=rows, batch_readahead=1)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(getattr(fragment, "path", "the dataset"), error) from error


def _batch_rows(dataset: Any) -> int:
    """Rows of which the cells take some tens of megabytes."""
    return min(MOST_ROWS, max(1024, (1 << 23) // max(1, len(dataset.schema.names))))


def open_files(source: Any, memory: int, scratch: Scratch, options: dict[str, Any]) -> Any:
    """A dataset of Parquet files, or the table of a file of delimited text."""
    import pyarrow.dataset as ds

    paths = paths_of(source)
    odd = next((path for path in paths if not path.lower().endswith((".parquet", ".pq"))), None)
    if odd is None:
        return ds.dataset(paths, united(paths), format="parquet")
    if len(paths) > 1:
        raise ValueError(
            f"{odd!r} is no Parquet file, and others are read one at a time: put the files together, or write them as Parquet "
            "first, such as by DuckDB's COPY ... TO 'table.parquet'"
        )
    return mapped_file(odd, memory // 2, scratch, **options).table


def paths_of(source: Any) -> list[str]:
    """The files that paths and patterns name, those of every pattern by name."""
    files: list[str] = []
    for each in [source] if isinstance(source, (str, os.PathLike)) else source:
        path = os.fspath(each)
        if Path(path).is_dir():
            path = os.path.join(glob.escape(path), "*.parquet")
        found = [path] if Path(path).is_file() else sorted(glob.glob(path))
        if not found:
            raise FileNotFoundError(f"source={shown(each)}: there is no such file")
        files += found
    return files
