"""Tables in partitions: each is read where it lies; they agree on levels, classes and bins, and become codes there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import shown
from treewright.scale.executor import Counts, Executor
from treewright.scale.ingest import _WORDS, Coded, _add_facts, _batches, _Classes, _Column, _write_codes, code_type
from treewright.scale.shards import ShardRows
from treewright.scale.sources import Partition, Source

Array = NDArray[Any]

_ROUND = 4 << 20  # counters that one message holds: 32 MiB at most, and mostly a quarter of it


class PartitionError(ValueError):
    """A partition that does not fit the others, or changed while it was learned from."""


@dataclass
class RawRows:
    """The cells of a partition as they are, and what they tell of every column."""

    name: str
    labels: Array
    cells: list[Array]
    columns: list[_Column]
    classes: _Classes
    digest: bytes

    def __sizeof__(self) -> int:
        return int(self.labels.nbytes + sum(array.nbytes for array in self.cells))


@dataclass
class Told:
    """What a partition tells of itself."""

    name: str
    n_rows: int
    columns: list[_Column]
    classes: _Classes
    occurs: list[Array | None]  # of levels
    blank: list[bool]  # columns without a cell
    digest: bytes


@dataclass
class CodeBook:
    """How cells become codes: where bins end, and codes of levels by first appearance; types of numbers and of codes."""

    ends: list[Array | None]
    n_codes: list[int]
    precise: list[np.dtype[Any]]
    dtype: np.dtype[Any]


@dataclass
class _Agreed:
    """What the partitions make of the columns together."""

    columns: list[_Column] = field(default_factory=list)
    places: list[list[Array | None]] = field(default_factory=list)  # by partition and column: levels by first appearance


# -- work on partitions --------------------------------------------------------------------------------------------------


def read(partition: Partition, target: str) -> RawRows:
    """The cells of a partition; what is wrong with them is said with its name."""
    names = [name for name in partition.names if name != target]
    columns, classes = [_Column(name) for name in names], _Classes(target)
    held: list[tuple[Array, list[Array]]] = []
    try:
        held += _batches(Source(partition.names, partition.batches()), target, columns, classes)
    except (ValueError, TypeError) as error:  # Arrow's errors are such
        raise PartitionError(f"{partition.name}: {error}") from error
    labels = np.concatenate([label for label, _ in held]) if held else np.zeros(0, np.uint8)
    cells = [np.concatenate([arrays[j] for _, arrays in held]) if held else np.zeros(0) for j in range(len(names))]
    digest = hashlib.sha256()
    for array in (labels, *cells):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return RawRows(partition.name, labels, cells, columns, classes, digest.digest())


def told(raw: RawRows) -> Told:
    """What a partition tells of itself."""
    occurs = [
        np.bincount(cells + 1, minlength=len(column.levels) + 1)[1:] > 0 if _by_level(column) else None
        for column, cells in zip(raw.columns, raw.cells, strict=True)
    ]
    blank = [
        column.kind == "number" and cells.dtype.kind == "f" and bool(np.isnan(cells).all())
        for column, cells in zip(raw.columns, raw.cells, strict=True)
    ]
    return Told(raw.name, len(raw.labels), raw.columns, raw.classes, occurs, blank, raw.digest)


def count_bins(raw: RawRows, asked: list[tuple[int, bool, int, Array]]) -> Counts:
    """Counters of a round of some columns, one after the other: column, whether single, what the round knows and looks for."""
    out = []
    for j, single, known, prefixes in asked:
        cells = raw.cells[j].astype(np.float32 if single else np.float64, copy=False)
        out.append(_core.BinSearch.of_round(single, known, np.asarray(prefixes)).count(cells))
    return np.concatenate(out)


def code(raw: RawRows, book: CodeBook, places: list[Array | None], classes: Array, digest: bytes) -> ShardRows:
    """The codes of a partition."""
    if raw.digest != digest:
        raise PartitionError(f"{raw.name} held other rows when it was read again: {_STEADY}")
    out = np.zeros((len(raw.labels), len(book.n_codes)), book.dtype)
    cells = [
        np.full(len(array), -1) if end is None and array.dtype.kind == "f" else array.astype(kind, copy=False)
        for array, end, kind in zip(raw.cells, book.ends, book.precise, strict=True)
    ]
    seen = _write_codes(out, cells, places, book.ends, book.n_codes)
    return ShardRows(out, classes[raw.labels], seen=seen)


_STEADY = "write it to Parquet files that stay as they are, or persist the frame"


def seen_of(shard: ShardRows, classes: int) -> tuple[list[Any], Counts]:
    """What was seen of every column, and the rows of every class."""
    return shard.seen, np.bincount(shard.labels, minlength=classes)


def _by_level(column: _Column) -> bool:
    return bool(column.levels) or column.kind in ("text", "category")


# -- what partitions agree on --------------------------------------------------------------------------------------------


def partition_rows(n_columns: int, memory: int) -> int:
    """How many rows of a file go together: enough that a piece of work is long beside what Dask needs to hand it out."""
    return int(min(max(memory // 4 // (8 * n_columns), 1 << 10), 1 << 22))


@dataclass
class Scattered(Coded):
    """Rows as codes that lie elsewhere."""

    rows: int = 0

    @property
    def n_rows(self) -> int:
        """All rows."""
        return self.rows


def read_partitions(
    partitions: list[Any], target: str, max_bins: int, executor: Executor
) -> tuple[Coded, list[Any], list[bytes]]:
    """What is known of all rows, the shards they lie in as codes, and what tells the partitions from others."""
    raws = executor.hold(read, partitions, target)
    parts = executor.each(told, raws)
    executor.drop(partitions)
    partitions.clear()
    kept = [at for at, part in enumerate(parts) if part.n_rows]
    if not kept:
        raise ValueError("the source has no rows to learn from")
    raws, parts = [raws[at] for at in kept], [parts[at] for at in kept]
    agreed = _columns(parts)
    classes, label_places = _classes(parts)
    schema, occurring, target_codes = classes.finished()
    out = Scattered([], schema, occurring, _core.CodedColumns(), [], [], [], [], [], sum(part.n_rows for part in parts))
    recode: list[Array | None] = []
    for j, column in enumerate(agreed.columns):
        column_schema, codes = column.finished(_occurs(parts, agreed, j) if _by_level(column) else None)
        out.columns.append(column_schema)
        recode.append(codes)
    singles = {j: column.precision == np.float32 for j, column in enumerate(agreed.columns) if recode[j] is None}
    found = _ends(raws, singles, max_bins, executor)
    ends = [found.get(j) for j in range(len(recode))]
    n_codes = [len(c.levels) if e is None else len(e) + 1 for c, e in zip(out.columns, ends, strict=True)]
    book = executor.share(
        CodeBook(ends, n_codes, [column.precision for column in agreed.columns], code_type(out.columns, n_codes))
    )
    coded: list[Any] = []
    for raw, part, places, label_place in zip(raws, parts, agreed.places, label_places, strict=True):
        own = [_composed(codes, place) for codes, place in zip(recode, places, strict=True)]
        coded += executor.hold(code, [raw], book, own, target_codes[label_place], part.digest)
    assert schema.classes is not None
    seen = executor.each(seen_of, coded, len(schema.classes))
    _add_facts(out, [each for each, _ in seen], ends, agreed.columns)
    out.class_totals = np.sum([totals for _, totals in seen], axis=0).tolist()
    executor.drop(raws)
    raws.clear()
    return out, coded, [part.digest for part in parts]


def _composed(codes: Array | None, place: Array | None) -> Array | None:
    """Codes of the levels of a partition, by their first appearance there, and of missing cells (-1)."""
    return None if codes is None else codes[np.append(np.zeros(0, np.int64) if place is None else place, -1)]


def _columns(parts: Sequence[Told]) -> _Agreed:
    """Columns that all partitions fit; one that does not is named, with the column. A column without a cell fits all."""
    out = _Agreed([_Column(column.name) for column in parts[0].columns], [[] for _ in parts])
    first = [""] * len(out.columns)  # the partition that said what a column is
    for part, places in zip(parts, out.places, strict=True):
        for j, (whole, column) in enumerate(zip(out.columns, part.columns, strict=True)):
            if not part.blank[j]:
                if whole.kind is None:
                    whole.kind, whole.zone, whole.declared, first[j] = column.kind, column.zone, column.declared, part.name
                _refuse_other(whole, column, first[j], part.name)
            whole.single, whole.inexact = whole.single and column.single, whole.inexact or column.inexact
            levels = [whole.levels.setdefault(level, len(whole.levels)) for level in column.levels]
            places.append(np.array(levels, np.int64) if _by_level(column) else None)
    return out


def _refuse_other(whole: _Column, column: _Column, first: str, name: str) -> None:
    if (column.kind, column.zone) != (whole.kind, whole.zone):
        zones = f" of the zones {whole.zone} and {column.zone}" if column.kind == whole.kind else ""
        raise PartitionError(
            f"column {whole.name!r} is {_WORDS[whole.kind or 'number']} in {first} and {_WORDS[column.kind or 'number']}{zones} "
            f"in {name}: make it one type in all partitions"
        )
    if column.declared != whole.declared:
        raise PartitionError(
            f"column {whole.name!r} orders its levels as {shown(whole.declared)} in {first} and as {shown(column.declared)} in "
            f"{name}: declare the same order in all partitions"
        )


def _classes(parts: Sequence[Told]) -> tuple[_Classes, list[Array]]:
    """The classes of all partitions, and by partition the place of each of its own among them."""
    whole, places = _Classes(parts[0].classes.name), list[Array]()
    for part in parts:
        own = part.classes
        assert own.dtype is not None
        if whole.dtype is not None and _sort(own.dtype) != _sort(whole.dtype):
            raise PartitionError(
                f"the target {whole.name!r} is {_sort(whole.dtype)} in {parts[0].name} and {_sort(own.dtype)} in {part.name}: "
                "make it one type in all partitions"
            )
        if own.declared is not None:
            whole.declared = list(dict.fromkeys([*(whole.declared or []), *own.declared]))
        whole.occurring.update(own.occurring)
        whole.dtype = own.dtype if whole.dtype is None else np.result_type(whole.dtype, own.dtype)
        places.append(np.array([whole.place.setdefault(label, len(whole.place)) for label in own.place], np.int64))
        whole.refuse_many()
    return whole, places


def _sort(dtype: np.dtype[Any]) -> str:
    return {"b": "truth values", "i": "numbers", "u": "numbers", "f": "numbers"}.get(dtype.kind, "text")


def _occurs(parts: Sequence[Told], agreed: _Agreed, j: int) -> Array:
    """Which levels of a column occur, by first appearance."""
    out = np.zeros(len(agreed.columns[j].levels), bool)
    for part, places in zip(parts, agreed.places, strict=True):
        if (place := places[j]) is not None:
            out[place[part.occurs[j]]] = True
    return out


def _ends(raws: Sequence[Any], singles: dict[int, bool], max_bins: int, executor: Executor) -> dict[int, Array]:
    """Where the bins of numeric columns end: rounds of counting, all columns in step."""
    searches = {j: _core.BinSearch(max_bins, single) for j, single in singles.items()}
    while left := [j for j, search in searches.items() if not search.done]:
        for group in _messages(left, searches):
            asked = [(j, singles[j], *searches[j].round) for j in group]
            sums = executor.total(count_bins, raws, asked)
            for j, counts in zip(group, np.split(sums, np.cumsum([searches[j].counters for j in group])[:-1]), strict=True):
                searches[j].take(np.ascontiguousarray(counts))
    return {j: np.asarray(search.ends()) for j, search in searches.items()}


def _messages(columns: Sequence[int], searches: dict[int, _core.BinSearch]) -> Iterator[list[int]]:
    """Columns whose counters go together."""
    held: list[int] = []
    for j in columns:
        if held and sum(searches[each].counters for each in (*held, j)) > _ROUND:
            yield held
            held = []
        held.append(j)
    if held:
        yield held
