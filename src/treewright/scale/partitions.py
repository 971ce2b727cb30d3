"""Tables in partitions: each is read where it lies; they agree on levels, classes and bins, and become codes there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import shown
from treewright.scale.executor import Counts, Executor
from treewright.scale.ingest import WORDS, Coded, Column, add_facts, batches, code_type, write_codes
from treewright.scale.remote import Partition
from treewright.scale.shards import ShardRows
from treewright.scale.sources import Source
from treewright.scale.targets import Classes, Numbers, RowWeights
from treewright.scale.training import CodedTraining, training_of
from treewright.table import TargetSchema

Array = NDArray[Any]

_ROUND = 4 << 20  # counters that one message holds: 32 MiB at most, and mostly a quarter of it


class PartitionError(ValueError):
    """A partition that does not fit the others, or changed while it was learned from."""


@dataclass
class RawRows:
    """The cells of a partition as they are, and what they tell of every column and of the target."""

    name: str
    targets: Array  # numbers, or classes by first appearance
    cells: list[Array]
    columns: list[Column]
    target: Classes | Numbers
    digest: bytes

    def __sizeof__(self) -> int:
        return int(self.targets.nbytes + sum(array.nbytes for array in self.cells))


@dataclass
class Told:
    """What a partition tells of itself."""

    name: str
    n_rows: int
    columns: list[Column]
    target: Classes | Numbers
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

    columns: list[Column] = field(default_factory=list)
    places: list[list[Array | None]] = field(default_factory=list)  # by partition and column: levels by first appearance


# -- work on partitions --------------------------------------------------------------------------------------------------


def read(partition: Partition, target: Classes | Numbers) -> RawRows:
    """The cells of a partition; what is wrong with them is said with its name."""
    target = deepcopy(target)  # the work may be done again
    source = Source(partition.names, partition.batches(), target.name)
    columns = [Column(name) for name in source.columns]
    try:
        held = list(batches(source, target, columns))
    except (ValueError, TypeError) as error:  # Arrow's errors are such
        raise PartitionError(f"{partition.name}: {error}") from error
    nothing = [np.zeros(0, target.dtype), *(np.zeros(0) for _ in columns)]
    targets, *cells = [np.concatenate(parts) for parts in zip(*held, strict=True)] if held else nothing
    digest = hashlib.sha256()
    for array in (targets, *cells):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return RawRows(partition.name, targets, cells, columns, target, digest.digest())


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
    return Told(raw.name, len(raw.targets), raw.columns, raw.target, occurs, blank, raw.digest)


def count_bins(raw: RawRows, asked: list[tuple[int, bool, int, Array]]) -> Counts:
    """Counters of a round of some columns, one after the other: column, whether single, what the round knows and looks for."""
    out = []
    for j, single, known, prefixes in asked:
        cells = raw.cells[j].astype(np.float32 if single else np.float64, copy=False)
        out.append(_core.BinSearch.of_round(single, known, np.asarray(prefixes)).count(cells))
    return np.concatenate(out)


def code(raw: RawRows, book: CodeBook, places: list[Array | None], classes: Array | None, digest: bytes) -> ShardRows:
    """The codes of a partition."""
    if raw.digest != digest:
        raise PartitionError(f"{raw.name} held other rows when it was read again: {_STEADY}")
    out = np.zeros((len(raw.targets), len(book.n_codes)), book.dtype)
    cells = [
        np.full(len(array), -1) if end is None and array.dtype.kind == "f" else array.astype(kind, copy=False)
        for array, end, kind in zip(raw.cells, book.ends, book.precise, strict=True)
    ]
    seen = write_codes(out, cells, places, book.ends, book.n_codes)
    return ShardRows(out, raw.targets if classes is None else classes[raw.targets], seen=seen)


_STEADY = "write it to Parquet files that stay as they are, or persist the frame"


def seen_of(shard: ShardRows, classes: int) -> tuple[list[Any], Counts]:
    """What was seen of every column, and the rows of every class."""
    return shard.seen, np.bincount(shard.target, minlength=classes) if classes else np.zeros(0, np.int64)


def _by_level(column: Column) -> bool:
    return bool(column.levels) or column.kind in ("text", "category")


# -- what partitions agree on --------------------------------------------------------------------------------------------


def partition_rows(n_columns: int, memory: int) -> int:
    """How many rows of a file go together: enough that a piece of work is long beside what Dask needs to hand it out."""
    return int(min(max(memory // 4 // (8 * n_columns), 1 << 10), 1 << 22))


@dataclass(frozen=True, kw_only=True)
class ScatteredTraining(CodedTraining):
    """What a learner asks of rows that lie elsewhere."""

    totals: list[int]

    @property
    def class_weights(self) -> Array:
        """Weight of every class."""
        return np.array(self.totals, np.int64)


def training_of_all(rows: Coded) -> CodedTraining:
    """All rows, wherever they are."""
    training = training_of(rows)
    return ScatteredTraining(**vars(training), totals=list(rows.facts.class_totals))


def read_partitions(
    partitions: list[Any], target: Classes | Numbers, max_bins: int, executor: Executor
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
    schema, occurring, writes = _targets(parts)
    n_rows = sum(part.n_rows for part in parts)
    # Targets lie with the rows; here they are only as many as there are.
    out = Coded([], schema, occurring, np.broadcast_to(target.dtype.type(0), (n_rows,)), RowWeights(total=n_rows))
    recode: list[Array | None] = []
    for j, column in enumerate(agreed.columns):
        column_schema, codes = column.finished(_occurs(parts, agreed, j) if _by_level(column) else None)
        out.columns.append(column_schema)
        recode.append(codes)
    singles = {j: column.precision == np.float32 for j, column in enumerate(agreed.columns) if recode[j] is None}
    found = _ends(raws, singles, max_bins, executor)
    ends = [found.get(j) for j in range(len(recode))]
    n_codes = [len(c.levels) if e is None else len(e) + 1 for c, e in zip(out.columns, ends, strict=True)]
    precise = [column.precision for column in agreed.columns]
    book = executor.share(CodeBook(ends, n_codes, precise, code_type(out.columns, n_codes)))
    coded: list[Any] = []
    for raw, part, places, classes in zip(raws, parts, agreed.places, writes, strict=True):
        own = [_composed(codes, place) for codes, place in zip(recode, places, strict=True)]
        coded += executor.hold(code, [raw], book, own, classes, part.digest)
    seen = executor.each(seen_of, coded, len(schema.classes or ()))
    add_facts(out, [each for each, _ in seen], ends, agreed.columns)
    out.weights.tell(out.facts)
    out.facts.class_totals = np.sum([totals for _, totals in seen], axis=0).tolist()
    executor.drop(raws)
    raws.clear()
    return out, coded, [part.digest for part in parts]


def _composed(codes: Array | None, place: Array | None) -> Array | None:
    """Codes of the levels of a partition, by their first appearance there, and of missing cells (-1)."""
    return None if codes is None else codes[np.append(np.zeros(0, np.int64) if place is None else place, -1)]


def _columns(parts: Sequence[Told]) -> _Agreed:
    """Columns that all partitions fit; one that does not is named, with the column. A column without a cell fits all."""
    out = _Agreed([Column(column.name) for column in parts[0].columns], [[] for _ in parts])
    first = [""] * len(out.columns)  # the partition that said what a column is
    for part, places in zip(parts, out.places, strict=True):
        for j, (whole, column) in enumerate(zip(out.columns, part.columns, strict=True)):
            if not part.blank[j]:
                if whole.kind is None:
                    whole.kind, whole.zone, whole.declared, first[j] = column.kind, column.zone, column.declared, part.name
                _refuse_other(whole, column, first[j], part.name)
            whole.single, whole.inexact = whole.single and column.single, whole.inexact or column.inexact
            levels = whole.places(column.levels)
            places.append(np.array(levels, np.int64) if _by_level(column) else None)
    return out


def _refuse_other(whole: Column, column: Column, first: str, name: str) -> None:
    if (column.kind, column.zone) != (whole.kind, whole.zone):
        zones = f" of the zones {whole.zone} and {column.zone}" if column.kind == whole.kind else ""
        raise PartitionError(
            f"column {whole.name!r} is {WORDS[whole.kind or 'number']} in {first} and {WORDS[column.kind or 'number']}{zones} "
            f"in {name}: make it one type in all partitions"
        )
    if column.declared != whole.declared:
        raise PartitionError(
            f"column {whole.name!r} orders its levels as {shown(whole.declared)} in {first} and as {shown(column.declared)} in "
            f"{name}: declare the same order in all partitions"
        )


def _targets(parts: Sequence[Told]) -> tuple[TargetSchema, Array | None, list[Array | None]]:
    """The target of all partitions, the classes that occur, and by partition the codes of its own."""
    first = parts[0].target
    if isinstance(first, Numbers):
        whole = Numbers(first.name)
        for part in parts:
            assert isinstance(part.target, Numbers)
            whole.said |= part.target.said
        schema, occurring, _ = whole.finished()
        return schema, occurring, [None] * len(parts)
    classes, places = Classes(first.name), list[Array]()
    for part in parts:
        own = part.target
        assert isinstance(own, Classes)
        assert own.type is not None
        if classes.type is not None and _sort(own.type) != _sort(classes.type):
            raise PartitionError(
                f"the target {first.name!r} is {_sort(classes.type)} in {parts[0].name} and {_sort(own.type)} in {part.name}: "
                "make it one type in all partitions"
            )
        if (own.declared is None) != (first.declared is None):
            kinds = ["text or numbers" if each is None else "categories" for each in (first.declared, own.declared)]
            raise PartitionError(
                f"the target {first.name!r} is {kinds[0]} in {parts[0].name} and {kinds[1]} in {part.name}: "
                "make it one type in all partitions"
            )
        if own.declared is not None:
            classes.declared = list(dict.fromkeys([*(classes.declared or []), *own.declared]))
        classes.occurring.update(own.occurring)
        classes.type = own.type if classes.type is None else np.result_type(classes.type, own.type)
        places.append(np.array([classes.place.setdefault(label, len(classes.place)) for label in own.place], np.int64))
        classes.refuse_many()
    schema, occurring, write = classes.finished()
    return schema, occurring, [write(place) for place in places]


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
