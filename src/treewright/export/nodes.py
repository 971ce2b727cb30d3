"""The nodes of a program as they are added, the numbers they derive from cells, and levels as intervals of their codes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from treewright.export.program import ANSWER, REFUSED, Derived, Term
from treewright.model.linear import Equation, LinearTerm

Cuts = tuple[float, ...]
Jumps = tuple[int, ...]


class Nodes:
    """The nodes of a program, which holds them as columns."""

    _NAMES = ("column", "cuts", "to", "less", "missing", "answer")

    def __init__(self) -> None:
        self._rows: list[tuple[int, Cuts, Jumps, bool, int, int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add_test(self, column: int, cuts: Cuts, to: Jumps, less: bool, missing: int) -> None:
        """Add a node that tests."""
        self._rows.append((column, cuts, to, less, missing, REFUSED))

    def add_answer(self, answer: int) -> None:
        """Add a node that answers, by the position of the answer."""
        self._rows.append((ANSWER, (), (), False, REFUSED, answer))

    def jumps(self, node: int) -> Jumps:
        """Where a node leads, the jump of missing cells last."""
        _, _, to, _, missing, _ = self._rows[node]
        return (*to, missing)

    def columns(self) -> dict[str, Any]:
        """The columns of all nodes, by the names they have in a program."""
        return dict(zip(self._NAMES, map(list, zip(*self._rows, strict=True)), strict=True))


class DerivedNumbers:
    """The numbers that are computed from cells, each once."""

    def __init__(self, n_inputs: int) -> None:
        self.numbers: list[Derived] = []
        self._n_inputs = n_inputs
        self._columns: dict[Derived, int] = {}

    def column(self, name: str, equation: Equation) -> int:
        """The position of a number behind the inputs."""
        needs_all = any(math.isnan(term.missing) for term in equation.terms)  # then no term counts missing cells as anything
        number = Derived(
            name, equation.intercept, tuple(_term(term, needs_all) for term in equation.terms), needs_all, equation.parts
        )
        if number not in self._columns:  # equations that are alike need not be equal: NaN is not equal to itself
            self._columns[number] = self._n_inputs + len(self.numbers)
            self.numbers.append(number)
        return self._columns[number]


def _term(term: LinearTerm, needs_all: bool) -> Term:
    by, by_missing = (-1, 0.0) if term.by is None else (term.by.index, term.by.missing)
    missing = (0.0, 0.0) if needs_all else (term.missing, by_missing)
    return Term(term.index, term.coefficient, missing[0], term.codes, by, missing[1])


def level_jumps(jumps: Iterable[tuple[int, int]], otherwise: int) -> tuple[Cuts, Jumps]:
    """Cuts and jumps of levels, given by their codes, ascending, and where each leads; neighbours are put together.

    Without any level every cell is as good as missing, and leads where ``otherwise`` does.
    """
    each = list(jumps)
    if not each:
        return (), (otherwise,)
    ends = [a for a, b in pairwise(each) if a[1] != b[1]]
    return tuple(float(code) for code, _ in ends), (*(to for _, to in ends), each[-1][1])
