"""Rows are read once: cells go to a scratch file as they are, are counted there until the bins are known, and become codes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import TreewrightWarning, outside, shown
from treewright.scale.executor import added
from treewright.scale.scratch import Appended, Scratch
from treewright.scale.sources import Source
from treewright.table import ColumnSchema, TargetSchema
from treewright.table.arrow import numbers_of
from treewright.table.frames import raw_columns
from treewright.table.learn import beyond_exact, level_order
from treewright.table.raw import Raw
from treewright.table.target import declared_classes, read_classes

MOST_CLASSES = 256  # a byte a row

Array = NDArray[Any]
# Runs pieces of work, in any order and at the same time, and gives their results in order.
Run = Callable[[Sequence[Callable[[], Any]]], list[Any]]


@dataclass
class Coded:
    """Rows as codes, in shards."""

    columns: list[ColumnSchema]
    target: TargetSchema
    classes: Array  # that occur, sorted
    facts: _core.CodedColumns
    bins: list[tuple[list[float], list[float]]]
    class_totals: list[int]
    missing: list[int]  # cells, by column
    codes: list[Array]
    labels: list[Array]

    @property
    def n_rows(self) -> int:
        """All rows."""
        return sum(map(len, self.labels))


@dataclass
class _Column:
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
                f"column {self.name!r} is {_WORDS[self.kind]} in the first rows and {_WORDS[raw.kind]}{zones} in batch {batch}: "
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
        place = [self.levels.setdefault(level, len(self.levels)) for level in raw.levels]
        return np.array([*place, -1], np.int32)[raw.values]

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


_WORDS = {
    "number": "numbers",
    "bool": "truth values",
    "date": "dates",
    "duration": "durations",
    "text": "text",
    "category": "categories",
    "ordered": "ordered categories",
}


class _Classes:
    """The target while rows arrive."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.place: dict[Any, int] = {}
        self.declared: list[Any] | None = None
        self.occurring: dict[Any, None] = {}
        self.dtype: np.dtype[Any] | None = None

    def take(self, y: Any) -> Array:
        """Classes of a batch by first appearance."""
        declared = declared_classes(y)
        if declared is None and y.null_count == 0 and (numbers := numbers_of(y)) is not None:
            y = numbers
        target, codes, found = read_classes(y, None)
        if declared is not None:
            self.declared = list(dict.fromkeys([*(self.declared or []), *declared]))
        self.occurring.update(dict.fromkeys(found.tolist()))
        self.dtype = found.dtype if self.dtype is None else np.result_type(self.dtype, found.dtype)
        place = [self.place.setdefault(label, len(self.place)) for label in target.classes or ()]
        self.refuse_many()
        return np.array(place, np.int32)[codes].astype(np.uint8)

    def refuse_many(self) -> None:
        """Refuse more classes than a byte tells apart."""
        if len(self.place) > MOST_CLASSES:
            raise ValueError(f"the target {self.name!r} has more than {MOST_CLASSES} classes, which est.fit takes in memory")

    def finished(self) -> tuple[TargetSchema, Array, Array]:
        """The target, the classes that occur, sorted, and the code of each by first appearance."""
        occurring = sorted(self.occurring)
        order = self.declared if self.declared is not None else occurring
        code = np.zeros(len(self.place), np.uint8)
        for label, first in self.place.items():
            code[first] = order.index(label)
        return TargetSchema(self.name, tuple(order)), np.array(occurring, self.dtype), code


def shard_rows(n_columns: int, memory: int) -> int:
    """How many rows go together: their cells as doubles take a sixteenth of the memory."""
    return int(min(max(memory // 16 // (8 * n_columns), 1 << 10), 1 << 20))


def read_rows(source: Source, target: str, max_bins: int, scratch: Scratch, rows: int, run: Run) -> Coded:
    """Read all rows, and put them in bins."""
    names = [name for name in source.names if name != target]
    columns, classes = [_Column(name) for name in names], _Classes(target)
    raw, shards = Appended(scratch), list[tuple[int, int]]()  # number of the first array of a shard, and its rows
    for label, cells in _gathered(_batches(source, target, columns, classes), rows):
        shards.append((raw.add(label), len(label)))
        for array in cells:
            raw.add(array)
    if not shards:
        raise ValueError("the source has no rows to learn from")

    def cells_of(shard: int, column: int) -> Array:
        return raw[shards[shard][0] + 1 + column]

    target_schema, occurring, target_codes = classes.finished()
    out = Coded([], target_schema, occurring, _core.CodedColumns(), [], [], [], [], [])
    recode: list[Array | None] = []
    ends: list[Array | None] = []
    for j, column in enumerate(columns):
        occurs = None
        if column.levels or column.kind in ("text", "category"):
            n = len(column.levels) + 1
            held = run([lambda s=s, j=j, n=n: np.bincount(cells_of(s, j) + 1, minlength=n) for s in range(len(shards))])  # type: ignore[misc]
            occurs = np.any([counts[1:] > 0 for counts in held], axis=0)
        column_schema, code = column.finished(occurs)
        out.columns.append(column_schema)
        recode.append(code)
        ends.append(None if code is not None else _ends([cells_of(s, j) for s in range(len(shards))], column, max_bins, run))
    precise = [column.precision for column in columns]
    n_codes = [len(c.levels) if e is None else len(e) + 1 for c, e in zip(out.columns, ends, strict=True)]
    dtype = code_type(out.columns, n_codes)
    ends_at = np.cumsum([n for _, n in shards])
    out.codes = np.split(scratch.array(dtype, (int(ends_at[-1]), len(names))), ends_at[:-1])
    out.labels = np.split(scratch.array(np.uint8, (int(ends_at[-1]),)), ends_at[:-1])
    done = run(
        [
            lambda s=s: _write_codes(
                out.codes[s], [cells_of(s, j).astype(p, copy=False) for j, p in enumerate(precise)], recode, ends, n_codes
            )  # type: ignore[misc]
            for s in range(len(shards))
        ]
    )
    for (first, _), label in zip(shards, out.labels, strict=True):
        label[:] = target_codes[raw[first]]
    raw.drop()
    _add_facts(out, done, ends, columns)
    return out


MOST_CODES = 65_535


def code_type(columns: Sequence[ColumnSchema], n_codes: Sequence[int]) -> np.dtype[Any]:
    """The type of codes; refuses a column of more than there can be."""
    if max(n_codes) > MOST_CODES:
        name = columns[int(np.argmax(n_codes))].name
        raise ValueError(f"column {name!r} has {max(n_codes)} levels, and a table in bins at most {MOST_CODES}: leave it out")
    return np.dtype(np.uint8 if max(n_codes) < 256 else np.uint16)


def _batches(source: Source, target: str, columns: list[_Column], classes: _Classes) -> Iterable[tuple[Array, list[Array]]]:
    """The classes and the cells of every batch."""
    import pyarrow as pa

    place = source.names.index(target)
    for number, batch in enumerate(source.batches):
        if batch.num_rows == 0:
            continue
        table = pa.Table.from_batches([batch])
        label = classes.take(table.column(place))
        raws = raw_columns(table.remove_column(place))
        yield label, [column.take(raw, number) for column, raw in zip(columns, raws, strict=True)]


def _gathered(batches: Iterable[tuple[Array, list[Array]]], rows: int) -> Iterable[tuple[Array, list[Array]]]:
    """Batches put together, and divided, into shards of so many rows."""
    held: list[tuple[Array, list[Array]]] = []
    count = 0

    def joined() -> tuple[Array, list[Array]]:
        width = len(held[0][1])
        return np.concatenate([label for label, _ in held]), [
            np.concatenate([cells[j] for _, cells in held]) for j in range(width)
        ]

    for label, cells in batches:
        begin = 0
        while begin < len(label):
            end = min(len(label), begin + rows - count)
            held.append((label[begin:end], [array[begin:end] for array in cells]))
            count += end - begin
            begin = end
            if count == rows:
                yield joined()
                held, count = [], 0
    if held:
        yield joined()


def _ends(cells: list[Array], column: _Column, max_bins: int, run: Run) -> Array:
    """Where the bins of a numeric column end."""
    search = _core.BinSearch(max_bins, column.precision == np.float32)
    while not search.done:
        search.take(added(run, [lambda each=each: search.count(each.astype(column.precision, copy=False)) for each in cells]))  # type: ignore[misc]
    return np.asarray(search.ends())


def _write_codes(
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


def _add_facts(out: Coded, seen: list[list[Any]], ends: list[Array | None], columns: list[_Column]) -> None:
    """What the shards tell of every column together."""
    for j, column in enumerate(out.columns):
        missing = sum(shard[j][2] for shard in seen)
        out.missing.append(missing)
        end = ends[j]
        if end is None:
            levels = np.zeros(len(column.levels), bool)
            for shard in seen:
                levels |= shard[j][0]
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
        out.facts.add(False, len(end) + 1, missing, [])
        out.bins.append((np.where(empty, np.nan, low).tolist(), np.where(empty, np.nan, high).tolist()))
    assert out.target.classes is not None
    out.facts.n_classes = len(out.target.classes)
    totals = np.zeros(len(out.target.classes), np.int64)
    for label in out.labels:
        totals += np.bincount(label, minlength=len(totals))
    out.class_totals = totals.tolist()
