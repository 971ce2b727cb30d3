"""Rows are read once: cells go to a scratch file as they are, are counted there until the bins are known, and become codes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import TreewrightWarning, outside, shown
from treewright.learn.jobs import Progress
from treewright.progress import Lasting
from treewright.scale.scratch import Appended, Scratch
from treewright.scale.sources import Source
from treewright.scale.targets import RowWeights, Target, weighed, weights_of, whole_totals
from treewright.table import ColumnSchema, TargetSchema
from treewright.table.frames import raw_columns
from treewright.table.learn import beyond_exact, level_order
from treewright.table.raw import Raw

Array = NDArray[Any]
# Runs pieces of work, in any order and at the same time, and gives their results in order.
Run = Callable[[Sequence[Callable[[], Any]]], list[Any]]


@dataclass
class Coded:
    """Rows as codes, in shards; what stands beside the cells is in one piece, of which shards have their parts."""

    columns: list[ColumnSchema]
    target: TargetSchema
    classes: Array | None  # that occur, sorted; None: the target is numbers
    targets: Array  # classes, or numbers
    weights: RowWeights
    facts: _core.CodedColumns = field(default_factory=_core.CodedColumns)
    bins: list[tuple[list[float], list[float]]] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)  # cells, by column
    codes: list[Array] = field(default_factory=list)
    seen: list[list[bool]] = field(default_factory=list)  # of every level whether it occurs, by column
    kept: Array | None = None  # which of the rows that were given these are; None: all
    digest: Any = None  # a hash that has seen all cells, column by column

    @property
    def n_rows(self) -> int:
        """All rows."""
        return len(self.targets)

    def by_shard(self, array: Array) -> list[Array]:
        """The parts of an array with an entry for every row."""
        return np.split(array, np.cumsum([len(codes) for codes in self.codes])[:-1])


MOST_CODES = 65_535  # two bytes a cell


@dataclass
class Column:
    """A column while rows arrive."""

    name: str
    kind: str | None = None
    zone: str | None = None
    whole: bool = False
    single: bool = True  # numbers are in single precision
    levels: dict[Any, int] = field(default_factory=dict)
    declared: list[Any] | None = None
    inexact: bool = False

    def take(self, raw: Raw, batch: int) -> Array:
        """The cells of a batch, as they will be on the disk: numbers, or levels by first appearance (-1 where missing)."""
        if raw.empty and raw.levels is None and self.kind is not None and self.kind != "number":
            return np.full(len(raw.values), -1, np.int32) if self.levels else np.full(len(raw.values), np.nan)
        if self.kind is None:
            self.kind, self.zone = raw.kind, raw.zone
        if (raw.kind, raw.zone) != (self.kind, self.zone):
            zones = f" of the zones {self.zone} and {raw.zone}" if raw.kind == self.kind else ""
            raise ValueError(
                f"column {self.name!r} is {WORDS[self.kind]} in the first rows and {WORDS[raw.kind]}{zones} in batch {batch}: "
                "make it one type in all parts"
            )
        if raw.levels is None:
            self.inexact = self.inexact or ((raw.whole or raw.values.dtype.kind in "iu") and beyond_exact(raw.values))
            self.single = self.single and raw.values.dtype == np.float32
            return raw.values if raw.values.dtype == np.float32 else raw.values.astype(np.float64)
        if raw.kind == "ordered":
            self.declared = raw.levels if self.declared is None else self.declared
            if raw.levels != self.declared:
                raise ValueError(
                    f"column {self.name!r} orders its levels as {shown(self.declared)} in the first rows and as "
                    f"{shown(raw.levels)} in batch {batch}: declare the same order in all parts"
                )
            cells = raw.values.astype(np.float64)
            cells[raw.values < 0] = np.nan
            self.single = False
            return cells
        place = self.places(raw.levels)
        return np.array([*place, -1], np.int32)[raw.values]

    def places(self, levels: Iterable[Any]) -> list[int]:
        """Where levels stand by first appearance; too many are refused as they arrive, for all of them are in memory."""
        out = [self.levels.setdefault(level, len(self.levels)) for level in levels]
        if len(self.levels) > MOST_CODES:
            raise ValueError(
                f"column {self.name!r} has more than {MOST_CODES} levels, and a table in bins has no more of one: leave it out"
            )
        return out

    @property
    def precision(self) -> np.dtype[Any]:
        """The type of the cells, once all of them are there."""
        if self.levels or self.kind in ("text", "category"):
            return np.dtype(np.int32)
        return np.dtype(np.float32 if self.single and self.kind == "number" else np.float64)

    def finished(self, occurs: Array | None) -> tuple[ColumnSchema, Array | None]:
        """The column, and of levels the code of each and of missing cells (-1), by first appearance."""
        kind = self.kind or "number"
        if kind == "ordered":
            return ColumnSchema(self.name, "ordered", tuple(self.declared or ())), None
        if occurs is None:
            if self.inexact:
                warnings.warn(
                    f"column {self.name!r} holds whole numbers beyond 2**53, compared as 64-bit floats: "
                    "neighbours may count as equal",
                    TreewrightWarning,
                    stacklevel=outside(),
                )
            return ColumnSchema(self.name, kind, zone=self.zone), None
        levels = list(self.levels)
        order = level_order(levels, occurs) if kind == "text" else list(range(len(levels)))
        code = np.full(len(levels) + 1, -1, np.int64)
        code[order] = np.arange(len(order))
        return ColumnSchema(self.name, "nominal", tuple(levels[i] for i in order)), code


WORDS = {
    "number": "numbers",
    "bool": "truth values",
    "date": "dates",
    "duration": "durations",
    "text": "text",
    "category": "categories",
    "ordered": "ordered categories",
}


def shard_rows(n_columns: int, memory: int) -> int:
    """How many rows go together: their cells as doubles take a sixteenth of the memory."""
    return int(min(max(memory // 16 // (8 * n_columns), 1 << 10), 1 << 20))


def read_rows(
    source: Source,
    target: Target,
    max_bins: int,
    scratch: Scratch,
    rows: int,
    run: Run,
    digest: Any = None,
    progress: Progress = Progress(),  # noqa: B008 - it is frozen
) -> Coded:
    """Read all rows, and put them in bins; ``digest``: a hash that is to see all cells."""
    columns = [Column(name) for name in source.columns]
    raw, shards = Appended(scratch), list[tuple[int, int]]()  # number of the first array of a shard, and its rows
    with progress.shown("reading", Lasting) as watch:
        for arrays in _gathered(batches(source, target, columns), rows):
            shards.append((raw.add(arrays[0]), len(arrays[0])))
            for array in arrays[1:]:
                raw.add(array)
            if watch is not None:
                watch(source.rows, source.total or source.rows)
    if not shards:
        if source.weight is not None and source.rows > 0:
            raise ValueError(f"weight: all cells of column {source.weight!r} are 0: no row is left")
        raise ValueError("the source has no rows to learn from")
    beside = 1 if source.weight is None else 2  # arrays of a shard before its cells

    def cells_of(shard: int, column: int) -> Array:
        return raw[shards[shard][0] + beside + column]

    def whole(at: int, dtype: Any, use: Callable[[Array], Array]) -> Array:
        """An array that stands beside the cells, in one piece."""
        out = scratch.array(dtype, (sum(n for _, n in shards),))
        end = 0
        for first, n in shards:
            out[end : end + n] = use(raw[first + at])
            end += n
        return out

    target_schema, occurring, write = target.finished()
    targets = whole(0, target.dtype, write)
    if source.weight is None:
        weights = RowWeights(total=len(targets))
    else:
        weights = weighed(whole(1, np.float64, lambda cells: cells), scratch, name=f"column {source.weight!r}")
    target_schema = replace(target_schema, written=source.written.get(source.target))
    out = Coded([], target_schema, occurring, targets, weights, kept=source.kept, digest=digest)
    ends_at = np.cumsum([n for _, n in shards])[:-1]
    quanta = None if weights.quanta is None else np.split(weights.quanta, ends_at)
    recode: list[Array | None] = []
    ends: list[Array | None] = []
    for j, column in told(columns, "finding bins", progress):
        occurs = None
        if column.levels or column.kind in ("text", "category"):
            n = len(column.levels) + 1
            held = run([lambda s=s, j=j, n=n: np.bincount(cells_of(s, j) + 1, minlength=n) for s in range(len(shards))])  # type: ignore[misc]
            occurs = np.any([counts[1:] > 0 for counts in held], axis=0)
        column_schema, code = column.finished(occurs)
        out.columns.append(replace(column_schema, written=source.written.get(column.name)))
        recode.append(code)
        cells = [cells_of(s, j) for s in range(len(shards))]
        ends.append(None if code is not None else _ends(cells, quanta, column, max_bins, run))
        for piece in cells if digest is not None else ():
            digest.update(np.ascontiguousarray(piece if code is None else code[piece], np.float64).data)
    precise = [column.precision for column in columns]
    n_codes = [len(c.levels) if e is None else len(e) + 1 for c, e in zip(out.columns, ends, strict=True)]
    out.codes = np.split(scratch.array(code_type(out.columns, n_codes), (len(targets), len(columns))), ends_at)
    done = run(
        [
            lambda s=s: write_codes(
                out.codes[s], [cells_of(s, j).astype(p, copy=False) for j, p in enumerate(precise)], recode, ends, n_codes
            )  # type: ignore[misc]
            for s in range(len(shards))
        ]
    )
    raw.drop()
    add_facts(out, done, ends, columns)
    weights.tell(out.facts)
    if out.target.classes is not None:
        out.facts.class_totals = whole_totals(out.by_shard(targets), quanta, len(out.target.classes))
    return out


def told(columns: Sequence[Any], title: str, progress: Progress) -> Iterable[tuple[int, Any]]:
    """Columns with their numbers, and how many are done."""
    with progress.shown(title, OfColumns) as watch:
        for j, column in enumerate(columns):
            yield j, column
            if watch is not None:
                watch(j + 1, len(columns))


class OfColumns(Lasting):
    """A bar of columns."""

    def __init__(self, title: str) -> None:
        super().__init__(title, "columns")


def code_type(columns: Sequence[ColumnSchema], n_codes: Sequence[int]) -> np.dtype[Any]:
    """The type of codes; refuses a column of more than there can be."""
    if max(n_codes) > MOST_CODES:
        name = columns[int(np.argmax(n_codes))].name
        raise ValueError(f"column {name!r} has {max(n_codes)} levels, and a table in bins at most {MOST_CODES}: leave it out")
    return np.dtype(np.uint8 if max(n_codes) < 256 else np.uint16)


def batches(source: Source, target: Target, columns: list[Column]) -> Iterable[list[Array]]:
    """The targets of every batch, the weights where there are some, and the cells."""
    import pyarrow as pa

    for number, batch in enumerate(source.batches):
        if batch.num_rows == 0:
            continue
        table = pa.Table.from_batches([batch])
        beside, rows = [], np.arange(source.rows, source.rows + batch.num_rows)
        if source.weight is not None:
            weights = weights_of(table.column(source.place_of(source.weight)), source.weight, source.rows)
            source.kept_parts.append(weights > 0)
            if not np.all(weights > 0):  # rows of weight 0 are none
                table = table.filter(pa.array(weights > 0))
                weights, rows = weights[weights > 0], rows[weights > 0]
            beside.append(weights)
        source.rows += batch.num_rows
        if table.num_rows == 0:
            continue
        beside.insert(0, target.take(table.column(source.place_of(source.target)), rows))
        raws = raw_columns(table.select(source.places))
        yield [*beside, *(column.take(raw, number) for column, raw in zip(columns, raws, strict=True))]


def _gathered(batches: Iterable[list[Array]], rows: int) -> Iterable[list[Array]]:
    """Batches put together, and divided, into shards of so many rows."""
    held: list[list[Array]] = []
    count = 0
    for arrays in batches:
        begin = 0
        while begin < len(arrays[0]):
            end = min(len(arrays[0]), begin + rows - count)
            held.append([array[begin:end] for array in arrays])
            count += end - begin
            begin = end
            if count == rows:
                yield [np.concatenate(parts) for parts in zip(*held, strict=True)]
                held, count = [], 0
    if held:
        yield [np.concatenate(parts) for parts in zip(*held, strict=True)]


def _ends(cells: list[Array], quanta: list[Array] | None, column: Column, max_bins: int, run: Run) -> Array:
    """Where the bins of a numeric column end."""
    search = _core.BinSearch(max_bins, column.precision == np.float32)
    weights = [None] * len(cells) if quanta is None else quanta
    while not search.done:
        search.take(
            added(
                run,
                [
                    lambda each=each, w=w: search.count(each.astype(column.precision, copy=False), w)  # type: ignore[misc]
                    for each, w in zip(cells, weights, strict=True)
                ],
            )
        )
    return np.asarray(search.ends())


TOGETHER = 8  # shards whose counts are held at the same time


def added(run: Run, pieces: Sequence[Callable[[], Array]], together: int = TOGETHER, join: Any = np.add) -> NDArray[np.int64]:
    """The sum of what pieces of work count; ``join`` may take the least instead."""
    total: NDArray[np.int64] | None = None
    for at in range(0, len(pieces), together):
        for counts in run(pieces[at : at + together]):
            total = counts if total is None else join(total, counts, out=total)
    assert total is not None
    return total


def write_codes(
    out: Array, cells: list[Array], recode: list[Array | None], ends: list[Array | None], n_codes: list[int]
) -> list[Any]:
    """Write the codes of a shard; what was seen of every column: keys of least and largest numbers, or levels; missing cells."""
    seen: list[Any] = []
    for j, (array, code, end) in enumerate(zip(cells, recode, ends, strict=True)):
        if end is not None:
            seen.append(_core.code_column(array, end, out, j))
            continue
        assert code is not None
        coded = code[array]
        missing = coded < 0
        out[:, j] = np.where(missing, n_codes[j], coded)
        seen.append((np.bincount(coded[~missing], minlength=n_codes[j]) > 0, None, int(np.count_nonzero(missing))))
    return seen


def add_facts(out: Coded, seen: list[list[Any]], ends: list[Array | None], columns: list[Column]) -> None:
    """What the shards tell of every column together."""
    for j, column in enumerate(out.columns):
        missing = sum(shard[j][2] for shard in seen)
        out.missing.append(missing)
        end = ends[j]
        if end is None:
            levels = np.zeros(len(column.levels), bool)
            for shard in seen:
                levels |= shard[j][0]
            out.seen.append(levels.tolist())
            out.facts.add(True, len(column.levels), missing, levels.astype(np.uint8).tolist())
            out.bins.append(([], []))
            continue
        least = np.minimum.reduce([shard[j][0] for shard in seen])
        most = np.maximum.reduce([shard[j][1] for shard in seen])
        single = columns[j].precision == np.float32
        low, high = (np.asarray(_core.numbers_of_keys(keys, single)) for keys in (least, most))
        empty = least > most
        if np.isinf(low[~empty]).any() or np.isinf(high[~empty]).any():
            raise ValueError(f"column {column.name!r} holds infinity: replace it by a number, or by NaN where it is missing")
        out.seen.append([])
        out.facts.add(False, len(end) + 1, missing, [])
        out.bins.append((np.where(empty, np.nan, low).tolist(), np.where(empty, np.nan, high).tolist()))
