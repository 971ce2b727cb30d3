"""A conjunction over nominal columns: of every column one of its levels, or any; and the one that covers nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.table import ColumnSchema

ANY = None  # in the place of a level
Codes = tuple[int | None, ...]


def covers(codes: Codes | None, row: Sequence[int]) -> bool:
    """Whether a row satisfies a conjunction."""
    return codes is not None and all(code is ANY or code == cell for code, cell in zip(codes, row, strict=True))


def above(one: Codes | None, other: Codes | None) -> bool:
    """Whether a conjunction is at least as general as another."""
    if one is None or other is None:
        return other is None
    return all(code is ANY or code == own for code, own in zip(one, other, strict=True))


def most_general(some: Sequence[Codes], every: Sequence[Codes]) -> list[Codes]:
    """Those of some conjunctions that are below no other one; no two of every one are equal.

    A conjunction is a set of literals, as bits: it is above those that have all of its own.
    """
    wanted = np.array([[-1 if code is ANY else code for code in one] for one in every])
    begin = np.cumsum([0, *(wanted.max(axis=0) + 1)])
    bits = np.zeros((len(every), -(-max(int(begin[-1]), 1) // 64) * 64), bool)
    at, column = np.nonzero(wanted >= 0)
    bits[at, begin[column] + wanted[at, column]] = True
    words = np.packbits(bits, axis=1).view(np.uint64)
    place = {one: i for i, one in enumerate(every)}
    kept = []
    for one in some:
        over = np.ones(len(every), bool)
        for each, own in zip(words.T, ~words[place[one]], strict=True):
            over &= (each & own) == 0
        if np.count_nonzero(over) == 1:  # itself
            kept.append(one)
    return kept


@dataclass(frozen=True, slots=True)
class Conjunction:
    """What must hold of a row: of every column one level, or any.

    Attributes
    ----------
    columns : tuple of ColumnSchema
        The columns it speaks of.
    codes : tuple of int or None, or None
        By column the position of its level, None where any will do. None altogether: it covers nothing.
    """

    columns: tuple[ColumnSchema, ...]
    codes: Codes | None

    @property
    def covers_nothing(self) -> bool:
        """Whether it is the empty conjunction, which no row satisfies."""
        return self.codes is None

    @property
    def asks(self) -> dict[str, Any]:
        """The level it asks for, by name of the column; columns of which any level will do are left out."""
        pairs = zip(self.columns, self.codes or (), strict=False)
        return {column.name: column.levels[code] for column, code in pairs if code is not None}

    def covers(self, row: Sequence[int]) -> bool:
        """Whether a row, given by the positions of its levels, satisfies it."""
        return covers(self.codes, row)

    def at_least_as_general_as(self, other: Conjunction) -> bool:
        """Whether it asks for nothing that the other does not ask for."""
        return above(self.codes, other.codes)

    def __str__(self) -> str:
        if self.codes is None:
            return "nothing"
        texts = [
            "any" if code is None else column.level_text(code) for column, code in zip(self.columns, self.codes, strict=True)
        ]
        return f"[{', '.join(texts)}]"
