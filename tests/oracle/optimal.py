"""The best tree of a tiny table by trying all of them: every test at every node, in exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

Rows = frozenset[int]
Cell = float | str | None


@dataclass(frozen=True)
class Problem:
    """A table and what trees of it cost. Numeric cells are floats, nominal ones text, missing ones None."""

    columns: Sequence[Sequence[Cell]]
    target: Sequence[Any]  # classes from 0 up, or numbers
    weights: Sequence[Fraction]
    loss: Sequence[Sequence[Fraction]] | None  # by class and answer; None: squared errors
    missing: str = "learned"
    nominal: str = "one_vs_rest"
    leaf_cost: Fraction = field(default_factory=Fraction)

    def leaf(self, rows: Rows) -> Fraction:
        """What a leaf costs."""
        weight = self.weights
        if self.loss is not None:
            answers = range(len(self.loss))
            return self.leaf_cost + min(
                sum((weight[r] * self.loss[self.target[r]][a] for r in rows), Fraction()) for a in answers
            )
        total = sum((weight[r] for r in rows), Fraction())
        mean = sum((weight[r] * Fraction(self.target[r]) for r in rows), Fraction()) / total
        return self.leaf_cost + sum((weight[r] * (Fraction(self.target[r]) - mean) ** 2 for r in rows), Fraction())

    def divisions(self, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
        """Every way in which a test divides the rows."""
        for cells in self.columns:
            known = [r for r in rows if cells[r] is not None]
            holes = rows - set(known)
            for inside in _tests(sorted({cells[r] for r in known}), self.nominal):  # type: ignore[type-var]
                first = frozenset(r for r in known if cells[r] in inside)
                second = frozenset(known) - first
                if not holes:
                    yield first, second
                elif self.missing == "majority":
                    one, two = (sum(self.weights[r] for r in part) for part in (first, second))
                    if one >= two:
                        yield first | holes, second
                    # Which set of levels is the first is no matter: of two equals either may be.
                    if two > one or (two == one and self.nominal == "subset" and isinstance(cells[known[0]], str)):
                        yield first, second | holes
                else:
                    yield first | holes, second
                    yield first, second | holes
            if holes and known and self.missing == "learned":
                yield frozenset(known), holes

    def solver(self) -> Callable[[Rows, int, int], Fraction]:
        """The least cost of a tree of some rows, within a depth and a number of splits."""

        @cache
        def best(rows: Rows, depth: int, splits: int) -> Fraction:
            least = self.leaf(rows)
            if depth == 0 or splits == 0:
                return least
            for first, second in self.divisions(rows):
                for share in range(splits):
                    least = min(least, best(first, depth - 1, share) + best(second, depth - 1, splits - 1 - share))
            return least

        return best

    def optimum(self, depth: int, splits: int) -> Fraction:
        """The least cost of all trees."""
        return self.solver()(frozenset(range(len(self.target))), depth, splits)

    def cost_of(self, leaves: Sequence[int]) -> Fraction:
        """What a tree costs that sends the rows to these leaves."""
        return sum((self.leaf(frozenset(r for r, at in enumerate(leaves) if at == leaf)) for leaf in set(leaves)), Fraction())


def _tests(values: list[Any], nominal: str) -> Iterator[set[Any]]:
    """The values of the first branch of every test of a column that has these."""
    if values and isinstance(values[0], str):
        if nominal == "one_vs_rest":
            if len(values) > 1:
                yield from ({level} for level in values)
            return
        for size in range(len(values) - 1):
            yield from ({values[0], *others} for others in combinations(values[1:], size))
        return
    for at in range(1, len(values)):
        yield set(values[:at])
