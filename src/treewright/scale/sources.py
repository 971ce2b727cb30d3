"""What tables larger than memory come as: Parquet files, datasets and streams of Arrow, all of them as batches of rows."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
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
    names = [str(name) for name in reader.schema.names]
    if target not in names:
        raise unknown("target: column", target, names)
    if len(names) == 1:
        raise ValueError(f"the source has the column {target!r} alone: there is nothing to learn it from")
    if len(set(names)) < len(names):
        double = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"column names must be unique; {shown(double)} occur more than once")
    return Source(names, iter(reader))


def _reader(source: Any) -> Any:
    """A reader of record batches."""
    import pyarrow as pa

    if isinstance(source, (str, os.PathLike)) or (
        isinstance(source, Sequence) and source and all(isinstance(each, (str, os.PathLike)) for each in source)
    ):
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
