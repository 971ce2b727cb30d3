"""Surrogates: splits that decide where the cell of another is missing (Breiman, Friedman, Olshen and Stone 1984, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.condition import Bound, Condition
from treewright.model.splits import Levels, Splits, SurrogateTest
from treewright.table.schema import ColumnSchema, name_text


@dataclass(frozen=True, slots=True)
class Surrogate:
    """A split on another column that agrees with a node's own as well as it can.

    Attributes
    ----------
    column : str
        Name of the column.
    when : tuple of two Condition
        What a row must satisfy to be sent to the first and to the second branch; levels in neither are as good as missing.
    agreement : float
        Share of the rows it sends the way the split does: of all rows the split knows (rpart), or of those that both know
        (the book), as the tree was grown.
    adjusted : float
        The same beyond the majority rule: 0 is no better than sending every row to the larger branch, 1 is perfect.
    gain : float
        Fall of impurity it would bring as the split itself.
    sent : float
        Weight of the training rows it had to send.
    """

    column: str
    when: tuple[Condition, Condition]
    agreement: float
    adjusted: float
    gain: float
    sent: float

    def branches(self, columns: Sequence[NDArray[Any]], rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """Branch of every one of these rows, -1 where it cannot say."""
        cells = columns[self.when[0].index][rows]
        first, second = (condition.mask(cells) for condition in self.when)
        return np.where(first, 0, np.where(second, 1, -1)).astype(np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class SurrogateCondition:
    """What a missing cell must satisfy instead of a condition. Two are equal if the same rows satisfy them.

    Attributes
    ----------
    surrogates : tuple of Surrogate
        The first that knows its own cell decides.
    branch : int
        The branch it must choose.
    last : bool
        What holds if none of them knows.
    asked : frozenset of int or None
        Levels of the split's own column that it knows: others are as good as missing. None of a numeric column.
    levels : frozenset of int or None
        Those among them that satisfy the condition.
    """

    surrogates: tuple[Surrogate, ...]
    branch: int
    last: bool
    own_levels: frozenset[int] | None = None
    levels: frozenset[int] | None = None

    def holds(self, columns: Sequence[NDArray[Any]], rows: NDArray[np.int64], cells: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of these rows, with these cells of the split's own column, satisfy it; what the split knows it says itself."""
        way = np.full(len(rows), -1, np.int8)
        for surrogate in self.surrogates:
            lost = np.flatnonzero(way < 0)
            if not len(lost):
                break
            way[lost] = surrogate.branches(columns, rows[lost])
        result: NDArray[np.bool_] = np.where(way < 0, self.last, way == self.branch)
        if self.own_levels is None:
            return result
        return np.where(np.isin(cells, list(self.own_levels)), np.isin(cells, list(self.levels or ())), result)

    @property
    def ways(self) -> tuple[tuple[Condition, Condition], ...]:
        """What every surrogate asks for, and what it refuses."""
        return tuple((each.when[self.branch], each.when[1 - self.branch]) for each in self.surrogates)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SurrogateCondition) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        return self.ways, self.last, self.own_levels, self.levels

    def decides(self, columns: Sequence[NDArray[Any]], row: int) -> Surrogate | None:
        """Return the surrogate that decides of a row, None where the last way does."""
        at = np.array([row], np.int64)
        return next((surrogate for surrogate in self.surrogates if surrogate.branches(columns, at)[0] >= 0), None)

    def text(self, exact: bool, quoted: bool = False, every: bool = False) -> str:
        """Write it: ``every`` surrogate, otherwise the first."""
        every = every or exact
        shown = self.surrogates[: None if every else 1]
        phrases = [surrogate.when[self.branch].present_text(exact, quoted=quoted) for surrogate in shown]
        if self.last and (every or not phrases):
            phrases.append("always")
        return ", else ".join(phrases) if phrases else "never"

    def full_text(self, column: ColumnSchema) -> str:
        """Write it so that it can be read back: the levels the split knows, and what each surrogate asks for and refuses."""
        phrases = []
        if self.own_levels is not None:
            phrases.append(f"{_set_text(column, self.levels or frozenset())} of {_set_text(column, self.own_levels)}")
        for asks, refuses in self.ways:
            if asks.column.nominal:
                name = name_text(asks.column.name)
                sets = _set_text(asks.column, asks.levels or frozenset()), _set_text(asks.column, refuses.levels or frozenset())
                phrases.append(f"{name} in {sets[0]} against {sets[1]}")
            else:
                phrases.append(asks.present_text(full=True))
        return "[" + ", else ".join([*phrases, "always" if self.last else "never"]) + "]"


def _set_text(column: ColumnSchema, codes: frozenset[int]) -> str:
    return f"{{{', '.join(column.level_text(code) for code in sorted(codes))}}}"


class SurrogateMatcher:
    """Matches rules whose conditions have surrogates; answers as the core's matcher does."""

    def __init__(self, rules: Sequence[Sequence[Condition]]) -> None:
        self._rules = rules

    def _holding(self, arrays: Sequence[NDArray[Any]], n_rows: int) -> NDArray[np.bool_]:
        columns: list[NDArray[Any]] = []
        for array in arrays:
            columns.extend(array.T if array.ndim == 2 else [array])
        out = np.ones((n_rows, len(self._rules)), bool)
        for j, when in enumerate(self._rules):
            for condition in when:
                out[:, j] &= condition.holds(columns)
        return out

    def all(self, arrays: Sequence[NDArray[Any]], n_rows: int) -> tuple[Any, Any, Any]:
        """Offsets by row, the rules that hold of it, and their shares."""
        rows, rules = np.nonzero(self._holding(arrays, n_rows))
        begin = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))]).astype(np.int64)
        return begin, rules.astype(np.int64), np.ones(len(rules))

    def first(self, arrays: Sequence[NDArray[Any]], n_rows: int) -> NDArray[np.int64]:
        """The first rule that holds of every row, -1 where none does."""
        holding = self._holding(arrays, n_rows)
        found: NDArray[np.int64] = np.where(holding.any(axis=1), holding.argmax(axis=1) if holding.shape[1] else -1, -1)
        return found


def surrogates_of(splits: Splits, id: int) -> tuple[Surrogate, ...]:
    """Return the surrogates of a node's split, best first."""
    return tuple(
        Surrogate(test.source.column.name, _conditions(test), test.agreement, test.adjusted, test.gain, test.sent)
        for test in splits.surrogates(id)
    )


def _conditions(test: SurrogateTest) -> tuple[Condition, Condition]:
    index, column, division = test.source.index, test.source.column, test.division
    if isinstance(division, Levels):
        sets = [tuple(code for code, b in division.to.items() if b == branch) for branch in (0, 1)]
        first, second = (Condition(column, index, levels=frozenset(levels), listed=levels) for levels in sets)
        return first, second
    (at,), (low,), (high,), strict, to = division
    below = Condition(column, index, high=Bound(column, at, low, high, strict, not strict))
    above = Condition(column, index, low=Bound(column, at, low, high, strict, strict))
    return (below, above) if to[0] == 0 else (above, below)
