"""Surrogate splits by trying every division: which sends most rows the way a split does (docs/parts.md, "Surrogates")."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from .discretise import between
from .missing import View
from .model import Cell, Options, Rows, Split, Table, Weight

MOST = 5


@dataclass(frozen=True)
class Surrogate:
    """A division of another column: `ways` gives the branch of a cell, None where it cannot say."""

    column: int
    cut: float | None
    below: int
    levels: tuple[tuple[int, int], ...]
    relation: str
    agreement: Fraction
    adjusted: Fraction

    def way(self, cell: Cell) -> int | None:
        if cell is None:
            return None
        if self.cut is None:
            return dict(self.levels).get(int(cell))
        below = cell < self.cut if self.relation == "<" else cell <= self.cut
        return self.below if below else 1 - self.below


def _count(weight: Weight) -> int:
    return 2 if weight >= 2 else 1


def _weight(rows: list[tuple[int, Weight, int]], branch: int) -> Weight:
    return sum(weight for _, weight, way in rows if way == branch)


def _cuts(table: Table, column: int, at_node: Rows, rows: list[tuple[int, Weight, int]], options: Options) -> list[Surrogate]:
    """Every cut, both ways round; `rows` are those that both columns know, with the branch of the split."""
    cells = table.columns[column].cells
    values = sorted({cell for row, _ in at_node if (cell := cells[row]) is not None})
    out = []
    for low, high in pairwise(values):
        # One row on a side would beat the majority too easily.
        sides = [sum(_count(w) for row, w, _ in rows if (cells[row] <= low) == side) for side in (True, False)]
        if min(sides) < 2:
            continue
        cut = between(low, high, options.relation, options.threshold_at)
        for below in (0, 1):
            agree = sum(w for row, w, way in rows if (below if cells[row] <= low else 1 - below) == way)
            out.append(Surrogate(column, cut, below, (), options.relation, Fraction(agree), Fraction(0)))
    return out


def _levels(table: Table, column: int, rows: list[tuple[int, Weight, int]], options: Options) -> list[Surrogate]:
    cells = table.columns[column].cells
    home = 0 if _weight(rows, 0) >= _weight(rows, 1) else 1
    assign = []
    for level in sorted({int(cells[row]) for row, _, _ in rows}):
        own = [entry for entry in rows if cells[entry[0]] == level]
        first, second = _weight(own, 0), _weight(own, 1)
        assign.append((level, home if first == second else 0 if first > second else 1))
    sent = [sum(_count(w) for row, w, _ in rows if dict(assign)[int(cells[row])] == branch) for branch in (0, 1)]
    if min(sent) < 2:
        return []
    agree = sum(w for row, w, way in rows if dict(assign)[int(cells[row])] == way)
    return [Surrogate(column, None, 0, tuple(assign), options.relation, Fraction(agree), Fraction(0))]


def surrogates(seen: View, split: Split, options: Options, *, known_only: bool = False, most: int = MOST) -> list[Surrogate]:
    """The surrogates of a split of two branches, best first."""
    table = seen.table
    known = [(row, weight, split.branch_of(cell)) for row, weight, cell in seen.known]
    found = []
    for column in range(len(table.columns)):
        if column == split.column:
            continue
        cells = table.columns[column].cells
        rows = [entry for entry in known if cells[entry[0]] is not None]
        if not rows:
            continue
        numeric = table.columns[column].numeric
        tried = _cuts(table, column, seen.rows, rows, options) if numeric else _levels(table, column, rows, options)
        counted = rows if known_only else known
        whole = Fraction(_weight(counted, 0) + _weight(counted, 1))
        majority = Fraction(max(_weight(counted, 0), _weight(counted, 1)))
        # max takes the first of equals: the lowest cut.
        best = max(tried, key=lambda surrogate: surrogate.agreement, default=None)
        if best is None or whole == majority:
            continue
        # It must beat the majority of the rows that both know as well.
        if best.agreement <= max(_weight(rows, 0), _weight(rows, 1)):
            continue
        adjusted = (best.agreement - majority) / (whole - majority)
        if adjusted > 0:
            args = (best.column, best.cut, best.below, best.levels, best.relation)
            found.append(Surrogate(*args, best.agreement / whole, adjusted))
    return sorted(found, key=lambda surrogate: -surrogate.agreement)[:most]


def send(seen: View, found: list[Surrogate], home: int) -> list[int]:
    """The branch of every row whose cell is missing."""
    ways = []
    for row, _ in seen.missing:
        said = (surrogate.way(seen.table.columns[surrogate.column].cells[row]) for surrogate in found)
        ways.append(next((way for way in said if way is not None), home))
    return ways
