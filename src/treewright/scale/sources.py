"""What tables larger than memory come as: Parquet files, datasets and streams of Arrow, all of them as batches of rows."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.errors import shown, unknown

_MOST_ROWS = 1 << 18  # of a batch


@dataclass
class Source:
    """Batches of rows that are read once, in order, and the names of their columns."""

    names: list[str]
    batches: Iterator[Any]


def open_source(source: Any, target: str) -> Source:
    """The batches of a source; refuses what is none, and a target that is not among its columns."""
    reader = _reader(source)
    names = _checked([str(name) for name in reader.schema.names], target)
    return Source(names, iter(reader))


def open_partitions(source: Any, target: str, rows: Callable[[int], int], executor: Any) -> list[Any]:
    """The partitions of a source that workers read themselves: descriptions, or futures of them.

    ``rows`` says how many rows a part of a file is to have, by the number of columns.
    """
    if hasattr(source, "to_delayed") and hasattr(source, "columns"):  # a frame of Dask
        names = _checked([str(name) for name in source.columns], target)
        frames = executor.compute(source.to_delayed())
        partitions = [executor.hold(partition_of, [frame], f"partition {at}", names)[0] for at, frame in enumerate(frames)]
        executor.drop(frames)
        return partitions
    if _is_paths(source):
        source = _dataset(source)
    if not hasattr(source, "get_fragments"):
        raise TypeError(
            f"source={shown(source)}: workers of a cluster read Parquet files that all of them reach (a path, a pattern such as "
            "'big/*.parquet', a dataset of pyarrow) or a frame of Dask; write it to such files first"
        )
    names = _checked([str(name) for name in source.schema.names], target)
    parts = (part for fragment in source.get_fragments() for part in _parts(fragment, source.schema, rows(len(names))))
    return [Partition(part.name, names, part) for part in parts]


@dataclass(frozen=True)
class Partition:
    """Rows that are read where they lie: part of a file, or a frame that is there."""

    name: str
    names: list[str]
    rows: Any  # a frame, or what reads batches of Arrow

    def batches(self) -> Iterator[Any]:
        """The rows as batches of Arrow."""
        import pyarrow as pa

        if isinstance(self.rows, FilePart):
            yield from self.rows.batches()
            return
        table = self.rows if isinstance(self.rows, pa.Table) else pa.Table.from_pandas(self.rows, preserve_index=False)
        if (names := [str(name) for name in table.column_names]) != self.names:
            raise ValueError(f"its columns are {shown(names)}, and {shown(self.names)} in the frame")
        yield from table.to_batches()


def partition_of(frame: Any, name: str, names: list[str]) -> Partition:
    """A partition of a frame of Dask."""
    return Partition(name, names, frame)


@dataclass(frozen=True)
class FilePart:
    """Some rows of a file."""

    name: str
    fragment: Any
    schema: Any

    def batches(self) -> Iterator[Any]:
        """The rows as batches of Arrow."""
        yield from self.fragment.to_batches(schema=self.schema, batch_size=_MOST_ROWS, batch_readahead=1)


def _parts(fragment: Any, schema: Any, rows: int) -> Iterator[FilePart]:
    """A file in parts of about so many rows, as far as its row groups allow."""
    path = shown(getattr(fragment, "path", "the dataset"))
    if not hasattr(fragment, "row_groups"):
        raise TypeError(f"source: {path} is no Parquet file, which alone are read by workers of a cluster")
    held: list[int] = []
    count = 0
    for group in fragment.row_groups:
        held.append(group.id)
        count += group.num_rows
        if count >= rows:
            yield _some(fragment, schema, path, held)
            held, count = [], 0
    if held:
        yield _some(fragment, schema, path, held)


def _some(fragment: Any, schema: Any, path: str, groups: list[int]) -> FilePart:
    which = f"row group {groups[0]}" if len(groups) == 1 else f"row groups {groups[0]} to {groups[-1]}"
    return FilePart(f"{path}, {which}", fragment.subset(row_group_ids=groups), schema)


def _checked(names: list[str], target: str) -> list[str]:
    """The names of columns; refuses a target that is not among them, and names that stand twice."""
    if target not in names:
        raise unknown("target: column", target, names)
    if len(names) == 1:
        raise ValueError(f"the source has the column {target!r} alone: there is nothing to learn it from")
    if len(set(names)) < len(names):
        double = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"column names must be unique; {shown(double)} occur more than once")
    return names


def _is_paths(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike)) or (
        isinstance(source, Sequence) and bool(source) and all(isinstance(each, (str, os.PathLike)) for each in source)
    )


def _reader(source: Any) -> Any:
    """A reader of record batches."""
    import pyarrow as pa

    if _is_paths(source):
        source = _dataset(source)
    if hasattr(source, "scanner"):  # a dataset
        # Little is read ahead: what waits would be memory.
        return source.scanner(batch_size=_batch_rows(source), batch_readahead=1, fragment_readahead=1).to_reader()
    if isinstance(source, pa.Table):
        return source.to_reader(_MOST_ROWS)
    if isinstance(source, pa.RecordBatchReader):
        return source
    if hasattr(source, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(source)
    raise TypeError(
        f"source={shown(source)} is neither a Parquet file (or a pattern such as 'big/*.parquet'), a dataset of pyarrow nor a "
        "stream of Arrow (a frame of polars or pandas, a relation of DuckDB); a table in memory is learned from by est.fit"
    )


def _batch_rows(dataset: Any) -> int:
    """Rows of which the cells take some tens of megabytes."""
    return min(_MOST_ROWS, max(1024, (1 << 23) // max(1, len(dataset.schema.names))))


def _dataset(source: Any) -> Any:
    import pyarrow.dataset as ds

    paths = _files(source)
    odd = next((path for path in paths if not path.lower().endswith((".parquet", ".pq"))), None)
    if odd is not None:
        raise ValueError(
            f"{odd!r} is no Parquet file, which alone are read in parts: write it as one first, such as by DuckDB's "
            "COPY ... TO 'table.parquet', or pass a stream of Arrow"
        )
    return ds.dataset(paths, format="parquet")


def _files(source: Any) -> list[str]:
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
