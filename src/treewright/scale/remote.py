"""Sources that the workers of a cluster read themselves, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from treewright.errors import shown
from treewright.scale.schemas import unreadable, whole_path
from treewright.scale.scratch import Scratch
from treewright.scale.sources import MOST_ROWS, checked_names, is_paths, open_files, paths_of


def open_partitions(source: Any, target: str, rows: Callable[[int], int], executor: Any) -> list[Any]:
    """The partitions of a source that workers read themselves: descriptions, or futures of them.

    ``rows`` says how many rows a part of a file is to have, by the number of columns.
    """
    if is_frame_of_dask(source):
        names = checked_names([str(name) for name in source.columns], target, None)
        frames = executor.compute(source.to_delayed())
        partitions = [executor.hold(partition_of, [frame], f"partition {at}", names)[0] for at, frame in enumerate(frames)]
        executor.drop(frames)
        return partitions
    if is_paths(source):
        source = parquet_files(source)
    if not hasattr(source, "get_fragments"):
        raise TypeError(
            f"source={shown(source)}: workers of a cluster read Parquet files that all of them reach (a path, a pattern such as "
            "'big/*.parquet', a dataset of pyarrow) or a frame of Dask; write it to such files first"
        )
    names = checked_names([str(name) for name in source.schema.names], target, None)
    parts = (part for fragment in source.get_fragments() for part in _parts(fragment, source.schema, rows(len(names) - 1)))
    return [Partition(part.name, names, part) for part in parts]


def is_frame_of_dask(source: Any) -> bool:
    """Whether a source is a frame of partitions that are yet to be computed."""
    return hasattr(source, "to_delayed") and hasattr(source, "columns")


def parquet_files(source: Any) -> Any:
    """A dataset of Parquet files; refuses others."""
    paths = paths_of(source)
    odd = next((path for path in paths if not path.lower().endswith((".parquet", ".pq"))), None)
    if odd is not None:
        raise ValueError(
            f"{odd!r} is no Parquet file, which alone are read by workers of a cluster: write it as one first, such as by "
            "DuckDB's COPY ... TO 'table.parquet'"
        )
    return open_files(paths, 0, Scratch(), {})


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
        import pyarrow as pa

        try:
            yield from self.fragment.to_batches(schema=self.schema, batch_size=MOST_ROWS, batch_readahead=1)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(self.fragment.path, error) from error


def _parts(fragment: Any, schema: Any, rows: int) -> Iterator[FilePart]:
    """A file in parts of about so many rows, as far as its row groups allow."""
    path = whole_path(getattr(fragment, "path", "the dataset"))
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
