"""The nodes of a program as they are added, the numbers they derive from cells, and levels as intervals of their codes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from treewright.export.program import ANSWER, REFUSED, Derived, Term
from treewright.model.linear import Equation

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


class DerivedNumbers:
    """The numbers that are computed from cells, each once."""

    def __init__(self, n_inputs: int) -> None:
        self.numbers: list[Derived] = []
        self._n_inputs = n_inputs
        self._columns: dict[Derived, int] = {}

    def column(self, index: int, name: str, equation: Equation | None) -> int:
        """What a node tests: the column itself, or the position of the number behind the inputs."""
        if equation is None:
            return index
        needs_all = any(math.isnan(term.missing) for term in equation.terms)  # then no term counts missing cells as anything
        terms = (Term(t.index, t.coefficient, 0.0 if needs_all else t.missing, t.codes) for t in equation.terms)
        number = Derived(name, equation.intercept, tuple(terms), needs_all)
        if number not in self._columns:  # equations that are alike need not be equal: NaN is not equal to itself
            self._columns[number] = self._n_inputs + len(self.numbers)
            self.numbers.append(number)
        return self._columns[number]


def level_jumps(jumps: Iterable[tuple[int, int]], otherwise: int) -> tuple[Cuts, Jumps]:
    """Cuts and jumps of levels, given by their codes, ascending, and where each leads; neighbours are put together.

    Without any level every cell is as good as missing, and leads where ``otherwise`` does.
    """
    each = list(jumps)
    if not each:
        return (), (otherwise,)
    ends = [a for a, b in pairwise(each) if a[1] != b[1]]
    return tuple(float(code) for code, _ in ends), (*(to for _, to in ends), each[-1][1])
