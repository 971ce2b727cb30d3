"""Which change of one column alone would alter the class a tree gives a row, all its other cells as they are; the nearest first.

A column's values are told apart by the tests on it, wherever in the tree they stand: within a piece between two of them the
answer is one. A value of every piece is tried, with the row's missing cells divided as before, so that what is said here is what
the tree would say. Where a column is part of a score, the other cells of the row tell where that crosses its threshold. Soft
thresholds shade from one answer to the other: there pieces are halved until their ends agree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import visible
from treewright.inspect.condition_text import DAY, condition_text
from treewright.inspect.crossings import crossings
from treewright.model.condition import Bound, Condition
from treewright.model.leaves import ClassShares
from treewright.model.splits import Thresholds
from treewright.model.ties import winner

if TYPE_CHECKING:
    from treewright.model.tree import Tree
    from treewright.table.schema import ColumnSchema

MOST = 5
_RUNS = 2  # intervals that are written of one column and answer
_LEVELS = 8  # levels that are written
_WORK = 4_000_000  # parts of rows that are followed for one column: a bound for large trees and rows of missing cells
_HALVINGS = 16


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one column that would alter the answer.

    Attributes
    ----------
    column : str
        What is changed.
    condition : str
        What it would have to be.
    says : object
        The class that would be said.
    far : float
        How far the change is: of a number the part it moves of what the tree's tests and the row span; 1 for another level, and
        for a cell that is missing.
    tests : tuple of Condition
        The conditions themselves, any of which would do, the nearest first.
    """

    column: str
    condition: str
    says: Any
    far: float
    tests: tuple[Condition, ...]


class _Found(NamedTuple):
    answer: int
    far: float
    text: str
    tests: tuple[Condition, ...]


def changes(tree: Tree, cells: list[NDArray[Any]], says: Any, n_leaves: int) -> tuple[Change, ...]:
    """The nearest changes of one column each; ``parts``: how many leaves the row ends in now."""
    classes = tree.target.classes
    assert classes is not None
    oracle = _Oracle(tree, cells, max(64, _WORK // max(n_leaves, 1)))
    out = []
    crossed = crossings(tree, cells)
    for index in tree.splits.tested():
        column, cuts = tree.columns[index], tree.splits.thresholds(index)
        if column.nominal:
            found = _of_levels(oracle, index, column)
        elif len(cuts.at) or len(crossed.get(index, ())):
            found = _of_numbers(oracle, index, column, cuts, crossed.get(index, np.empty(0)))
        else:  # tested for presence
            continue
        out += [
            Change(column.name, visible(each.text), classes[each.answer], each.far, each.tests)
            for each in found
            if classes[each.answer] != says
        ]
    return tuple(sorted(out, key=lambda change: change.far)[:MOST])


class _Oracle:
    """What the tree would say if one column held something else."""

    def __init__(self, tree: Tree, cells: list[NDArray[Any]], most: int) -> None:
        self.tree, self.cells, self.most = tree, cells, most
        assert isinstance(tree.leaf_model, ClassShares)
        self.leaves = tree.leaf_model

    def ask(self, index: int, values: NDArray[Any]) -> NDArray[np.int64]:
        """Positions of the classes said, one a value; -1 beyond the number of values that may be tried."""
        tried = values[: self.most]
        rows = [np.repeat(column, len(tried)) for column in self.cells]
        rows[index] = tried
        if self.tree.divides:
            mixture = self.tree.mixture(rows, np.arange(len(tried)))
            predicted = winner(self.leaves.mixed_shares(mixture))
        else:
            predicted = self.leaves.codes(self.tree._core.route(rows, len(tried), 1))
        return np.concatenate([predicted, np.full(len(values) - len(tried), -1)])


def _of_levels(oracle: _Oracle, index: int, column: ColumnSchema) -> Iterator[_Found]:
    now = int(oracle.cells[index][0])
    levels = np.array([code for code in oracle.tree.seen_levels(index) if code != now], np.int32)
    predicted = oracle.ask(index, levels)
    for answer in sorted({*predicted.tolist()} - {-1}):
        codes = levels[predicted == answer].tolist()
        names = [column.level_text(code) for code in codes[:_LEVELS]]
        more = [f"{len(codes) - _LEVELS} more"] if len(codes) > _LEVELS else []
        condition = Condition(column, index, levels=frozenset(codes), listed=tuple(codes))
        yield _Found(answer, 1.0, f"{column.label} = {' or '.join(names + more)}", (condition,))


class _Edges(NamedTuple):
    """Where a column is told apart: values, ascending, and whether a value belongs above its edge (x < at)."""

    at: NDArray[np.float64]
    strict: NDArray[np.bool_]
    least: float  # training values next to the outermost tests
    most: float
    days: bool  # whether training knew days only
    sides: dict[float, tuple[float, float]]  # training values next to each test


def _edges(oracle: _Oracle, index: int, cuts: Thresholds, crossed: NDArray[np.float64]) -> _Edges:
    mine = [gate for gate in oracle.tree.gates.values() if gate.column == oracle.tree.columns[index].name]
    knots = [end for gate in mine for end in gate.marks]
    values = np.concatenate([cuts.at, knots, crossed])
    below = np.append(cuts.strict, np.zeros(len(knots) + len(crossed), bool))
    beside = np.concatenate([cuts.below, cuts.above])
    seen = np.concatenate([values, beside])
    seen = seen[np.isfinite(seen)]
    between = dict(zip(cuts.at.tolist(), zip(cuts.below.tolist(), cuts.above.tolist(), strict=True), strict=True))
    days = oracle.tree.columns[index].kind == "date" and not np.any(beside[np.isfinite(beside)] % DAY)
    return _Edges(*_sorted(values, below), float(seen.min()), float(seen.max()), days, between)


def _sorted(at: NDArray[np.float64], strict: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    order = np.lexsort((~strict, at))
    at, strict = at[order], strict[order]
    new = np.append(True, (at[1:] != at[:-1]) | (strict[1:] != strict[:-1]))
    return at[new], strict[new]


def _of_numbers(
    oracle: _Oracle, index: int, column: ColumnSchema, cuts: Thresholds, crossed: NDArray[np.float64]
) -> Iterator[_Found]:
    now = float(oracle.cells[index][0])
    edges = _edges(oracle, index, cuts, crossed)
    ends = 2 if oracle.tree.divides or len(crossed) else 1  # of a piece that may say different things
    pieces = _Pieces(edges.at, edges.strict, column)
    far = pieces.far(now)
    order = np.argsort(far, kind="stable")
    predicted = _at_ends(oracle, index, pieces, order, now, ends)
    if oracle.tree.divides:
        for _ in range(_HALVINGS):
            if not np.any(parted := predicted[0] != predicted[1]):
                break
            pieces = pieces.halved(parted)
            predicted = _at_ends(oracle, index, pieces, np.arange(len(pieces.low)), now, ends)
        far = pieces.far(now)
    answers = np.where(predicted[0] == predicted[1], predicted[0], -1)
    span = max(edges.most, now) - min(edges.least, now) if now == now else 0.0
    runs: dict[int, list[tuple[float, Condition]]] = {}
    for first, last in pieces.runs(answers):
        moved = float(far[first : last + 1].min())
        if answers[first] >= 0 and (moved > 0 or now != now):
            distance = 1.0 if not span > 0 or column.kind == "bool" else moved / span
            condition = Condition(column, index, pieces.bound(first, upper=False), pieces.bound(last, upper=True))
            runs.setdefault(int(answers[first]), []).append((distance, condition))
    for answer, met in runs.items():
        met.sort(key=lambda run: run[0])
        texts = [
            condition_text(_as_days(condition) if edges.days else _between(condition, edges)) for _, condition in met[:_RUNS]
        ]
        yield _Found(answer, met[0][0], " or ".join(texts), tuple(condition for _, condition in met))


def _between(condition: Condition, edges: _Edges) -> Condition:
    """The condition with the training values next to its ends."""

    def beside(bound: Bound | None) -> Bound | None:
        if bound is None or bound.at not in edges.sides:
            return bound
        below, above = edges.sides[bound.at]
        return bound._replace(below=below, above=above)

    return replace(condition, low=beside(condition.low), high=beside(condition.high))


def _as_days(condition: Condition) -> Condition:
    """The condition with its ends at days: the same to a column of days."""

    def day(bound: Bound | None) -> Bound | None:
        if bound is None:
            return None
        at = (math.ceil if bound.strict else math.floor)(bound.at / DAY) * float(DAY)
        return bound._replace(at=at, below=at, above=at)

    return replace(condition, low=day(condition.low), high=day(condition.high))


def _at_ends(
    oracle: _Oracle, index: int, pieces: _Pieces, order: NDArray[np.int64], now: float, ends: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What is said at the two ends of every piece, asked for in this order; where it is the same all along, at one."""
    out = []
    for values in (pieces.nearer(now), pieces.farther(now))[:ends]:
        predicted = np.full(len(order), -1)
        predicted[order] = oracle.ask(index, values[order])
        out.append(predicted)
    return out[0], out[-1]


class _Pieces:
    """Intervals between neighbouring edges of a column that hold a value, ascending: the least and the largest value of each."""

    def __init__(self, at: NDArray[np.float64], strict: NDArray[np.bool_], column: ColumnSchema) -> None:
        self.at, self.strict, self.column = at, strict, column
        low = np.append(-np.inf, np.where(strict, at, np.nextafter(at, np.inf)))
        high = np.append(np.where(strict, np.nextafter(at, -np.inf), at), np.inf)
        if column.kind in ("ordered", "bool"):  # whole positions
            last = len(column.levels) - 1 if column.levels else 1
            low, high = np.ceil(np.maximum(low, 0)), np.floor(np.minimum(high, last))
        self.place = np.flatnonzero(low <= high)  # number of the edge above
        self.low, self.high = low[self.place], high[self.place]

    def far(self, now: float) -> NDArray[np.float64]:
        """How far each piece is from a value; none from what is missing."""
        if now != now:
            return np.zeros(len(self.low))
        return np.maximum(np.maximum(self.low - now, now - self.high), 0)

    def nearer(self, now: float) -> NDArray[np.float64]:
        """The finite end of each piece that is nearer to a value."""
        ends = np.where(self.high < now, self.high, self.low)
        return np.where(np.isfinite(ends), ends, np.where(np.isfinite(self.high), self.high, 0.0 if now != now else now))

    def farther(self, now: float) -> NDArray[np.float64]:
        """The other end of each piece, or the same where that is infinite."""
        near = self.nearer(now)
        other = np.where(near == self.low, self.high, self.low)
        return np.where(np.isfinite(other), other, near)

    def halved(self, parted: NDArray[np.bool_]) -> _Pieces:
        """The pieces, some of them in halves."""
        middles = [_short(low, high) for low, high in zip(self.low[parted], self.high[parted], strict=True)]
        at, strict = np.append(self.at, middles), np.append(self.strict, np.zeros(len(middles), bool))
        return _Pieces(*_sorted(at, strict), self.column)

    def runs(self, answers: NDArray[np.int64]) -> list[tuple[int, int]]:
        """First and last of each series of pieces with one answer."""
        starts = np.flatnonzero(np.append(True, answers[1:] != answers[:-1]))
        return list(zip(starts.tolist(), [*(starts[1:] - 1).tolist(), len(answers) - 1], strict=True))

    def bound(self, piece: int, upper: bool) -> Bound | None:
        """The end of a piece as a condition has it; None where it is open."""
        edge = int(self.place[piece]) - (not upper)
        if not 0 <= edge < len(self.at):
            return None
        at, strict = float(self.at[edge]), bool(self.strict[edge])
        return Bound(self.column, at, at, at, strict, not strict if upper else strict)


def _short(low: float, high: float) -> float:
    """A number in the middle half of an interval, with few digits."""
    middle, room = (low + high) / 2, (high - low) / 4
    return next((short for digits in range(1, 17) if abs((short := float(f"{middle:.{digits}g}")) - middle) < room), middle)
