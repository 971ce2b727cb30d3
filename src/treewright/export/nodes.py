"""The nodes of a program as they are added, one after another, and levels as intervals of their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from treewright.export.program import ANSWER, REFUSED

Cuts = tuple[float, ...]
Jumps = tuple[int, ...]


@dataclass
class Nodes:
    """Columns of nodes, by the names they have in a program."""

    column: list[int] = field(default_factory=list)
    cuts: list[Cuts] = field(default_factory=list)
    to: list[Jumps] = field(default_factory=list)
    less: list[bool] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    answer: list[int] = field(default_factory=list)

    def add_test(self, column: int, cuts: Cuts, to: Jumps, less: bool, missing: int) -> None:
        """Add a node that tests."""
        self._add(column, cuts, to, less, missing, REFUSED)

    def add_answer(self, answer: int) -> None:
        """Add a node that answers, by the position of the answer."""
        self._add(ANSWER, (), (), False, REFUSED, answer)

    def _add(self, column: int, cuts: Cuts, to: Jumps, less: bool, missing: int, answer: int) -> None:
        self.column.append(column)
        self.cuts.append(cuts)
        self.to.append(to)
        self.less.append(less)
        self.missing.append(missing)
        self.answer.append(answer)


def level_jumps(jumps: Iterable[tuple[int, int]], otherwise: int) -> tuple[Cuts, Jumps]:
    """Cuts and jumps of levels, given by their numbers, ascending, and where each leads; neighbours are put together.

    Without any level every cell is as good as missing, and leads where ``otherwise`` says.
    """
    each = list(jumps)
    if not each:
        return (), (otherwise,)
    ends = [a for a, b in pairwise(each) if a[1] != b[1]]
    return tuple(float(code) for code, _ in ends), (*(to for _, to in ends), each[-1][1])
