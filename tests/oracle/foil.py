"""FOIL's counts by nested loops: every binding with every tuple."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

Row = tuple[int, ...]


def extensions(row: Row, args: Sequence[int], tuples: Sequence[Row]) -> list[Row]:
    """What a binding becomes by each tuple of a relation that agrees with it; new variables are appended in order."""
    out = []
    for cells in tuples:
        values = dict(enumerate(row))
        fits = True
        for variable, cell in zip(args, cells, strict=True):
            if values.setdefault(variable, cell) != cell:
                fits = False
                break
        if fits:
            out.append(tuple(values[v] for v in sorted(values)))
    return out


def gain(
    positive: Sequence[Row], negative: Sequence[Row], args: Sequence[int], tuples: Sequence[Row], negated: bool
) -> tuple[int, int, int, float]:
    """Positive bindings that keep an extension, what comes of them and of all, and the gain (Quinlan 1990)."""

    def after(rows: Sequence[Row]) -> list[int]:
        found = [len(extensions(row, args, tuples)) for row in rows]
        return [int(n == 0) for n in found] if negated else found

    good, bad = after(positive), after(negative)
    kept, extended, total = sum(n > 0 for n in good), sum(good), sum(good) + sum(bad)
    if kept == 0:
        return 0, extended, total, 0.0
    before = -math.log2(len(positive) / (len(positive) + len(negative)))
    return kept, extended, total, kept * (before + math.log2(extended / total))


def argument_lists(n_variables: int, arity: int) -> list[tuple[int, ...]]:
    """All arguments with at least one bound variable; new ones in order of appearance."""
    out = []
    for args in itertools.product(range(n_variables + arity), repeat=arity):
        new = [v for v in dict.fromkeys(args) if v >= n_variables]
        if new == list(range(n_variables, n_variables + len(new))) and any(v < n_variables for v in args):
            out.append(args)
    return out
