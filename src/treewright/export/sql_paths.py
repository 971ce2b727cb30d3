"""The way to a node as conditions on columns, put together: how SQL writes a tree without nesting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from treewright.export.program import ANSWER, Program

Edge = tuple[float, bool]  # a cut, and whether it lies before its value (x < cut) or behind it (x <= cut)


class Cell(NamedTuple):
    """What a path allows a cell to be: an interval, or listed levels, and whether it may be missing."""

    low: Edge | None = None
    high: Edge | None = None
    codes: frozenset[int] | None = None  # None: any
    missing: bool = True
    present: bool = True

    def also(self, other: Cell) -> Cell | None:
        """Both at once; None where nothing is left."""
        low = max((edge for edge in (self.low, other.low) if edge is not None), key=_place, default=None)
        high = min((edge for edge in (self.high, other.high) if edge is not None), key=_place, default=None)
        codes = self.codes if other.codes is None else other.codes if self.codes is None else self.codes & other.codes
        present = self.present and other.present and (codes is None or bool(codes))
        if low is not None and high is not None and _place(low) >= _place(high):
            present = False
        missing = self.missing and other.missing
        return Cell(low, high, codes, missing, present) if present or missing else None


def _place(edge: Edge) -> tuple[float, bool]:
    return edge[0], not edge[1]


Path = dict[int, Cell]


def branches(program: Program, node: int) -> Iterator[tuple[int, Cell]]:
    """Where a node leads, and what its cell must be; ways of divided rows are left out."""
    cuts, to, less = program.cuts[node], program.to[node], program.less[node]
    missing = program.missing[node]
    one = program.tested(program.column[node])
    for target in dict.fromkeys(jump for jump in (*to, missing) if jump >= 0):
        own = [k for k, jump in enumerate(to) if jump == target]
        also_missing = target == missing
        if not own:
            yield target, Cell(missing=True, present=False)
        elif one.by_level:
            # Levels that lead to one node need not be neighbours.
            ends = [(cuts[k - 1] if k else -1.0, cuts[k] if k < len(cuts) else float("inf")) for k in own]
            codes = frozenset(code for code, _ in one.labels if any(_inside(code, low, high, less) for low, high in ends))
            if codes or also_missing:
                yield target, Cell(codes=codes, missing=also_missing, present=bool(codes))
        else:
            low = (cuts[own[0] - 1], less) if own[0] else None
            high = (cuts[own[-1]], less) if own[-1] < len(cuts) else None
            yield target, Cell(low, high, None, also_missing)


def _inside(code: int, low: float, high: float, less: bool) -> bool:
    return low <= code < high if less else low < code <= high


def way(program: Program, parents: Sequence[int], start: int, node: int) -> Path | None:
    """The conditions from one node of a tree down to another; None where no row can go that way whole."""
    climbed = [node]
    while climbed[-1] != start:
        climbed.append(parents[climbed[-1]])
    path: Path = {}
    for parent, child in pairwise(reversed(climbed)):
        column = program.column[parent]
        cell = next((cell for target, cell in branches(program, parent) if target == child), None)
        both = None if cell is None else path[column].also(cell) if column in path else cell
        if both is None:
            return None
        path[column] = both
    return path


def parents_of(program: Program) -> list[int]:
    """The node that leads to each node of a tree; -1 for the root."""
    parents = [-1] * program.size
    for node in range(program.size):
        for to in program.successors(node):
            parents[to] = node
    return parents


def has_paths(program: Program) -> bool:
    """Whether the way to every node is one list of conditions: none meet, and no number jumps to one node from two intervals."""
    if not program.is_tree:
        return False
    for column, to in zip(program.column, program.to, strict=True):
        if column != ANSWER and not program.tested(column).by_level:
            runs = [jump for jump, _ in groupby(to) if jump >= 0]
            if len({*runs}) < len(runs):
                return False
    return True


def heights(program: Program, start: int, stops: frozenset[int]) -> dict[int, int]:
    """How far the deepest answer lies below each node from one down, the last node first.

    Nodes to stop at end a way; nodes below which no whole row comes to an answer are left out.
    """
    nodes, open_ = [], [start]
    while open_:
        node = open_.pop()
        if node == start or node not in stops:
            nodes.append(node)
            open_ += program.whole_successors(node)
    found: dict[int, int] = {}
    for node in sorted(nodes, reverse=True):
        below = [found[to] for to in program.whole_successors(node) if to in found]
        if below:
            found[node] = max(below) + 1
        elif program.column[node] == ANSWER:
            found[node] = 0
    return found


def regions(program: Program, start: int, height: dict[int, int], many: int) -> list[int]:
    """Nodes that cut what lies below a node into some regions of like size, deepest first."""
    size = sum(program.column[node] == ANSWER for node in height) // many
    while True:
        least = max(size, 1)
        leaves: dict[int, int] = {}
        found = []
        for node in height:  # from the last to the first
            leaves[node] = int(program.column[node] == ANSWER) + sum(leaves.get(to, 0) for to in program.whole_successors(node))
            if leaves[node] >= least and node != start:
                found.append(node)
                leaves[node] = 0
        if found:
            return found
        size //= 2
