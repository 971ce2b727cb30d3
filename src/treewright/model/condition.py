"""A condition on one column: an edge of a tree, or a literal of a rule. Evaluated, described and combined here only."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.table.schema import ColumnSchema, share_text


class Bound(NamedTuple):
    """One end of an interval.

    Attributes
    ----------
    column : ColumnSchema
        The column it is a value of.
    at : float
        The value compared with.
    below, above : float
        The neighbouring training values it separates.
    strict : bool
        Whether a value must be less than ``at`` to lie below it, not equal to it.
    inclusive : bool
        Whether ``at`` itself belongs to the interval.
    """

    column: ColumnSchema
    at: float
    below: float
    above: float
    strict: bool
    inclusive: bool

    @property
    def text(self) -> str:
        """The value with the digits that separate the training values."""
        return self.column.cut_text(self.at, self.below, self.above, self.strict)

    @property
    def exact(self) -> str:
        """The value with all its digits."""
        return self.column.exact_text(self.at)


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold of a column: an interval, a set of levels, and whether a missing cell satisfies it.

    Attributes
    ----------
    column : ColumnSchema
        The column.
    index : int
        Its position in the table.
    low, high : Bound or None
        The ends of the interval of a numeric column; None where it is open.
    levels : frozenset of int or None
        The level codes of a nominal column that satisfy the condition; None where all do.
    listed : tuple of int or None
        Those among them that occurred at the node, in declared order: what is written.
    missing : bool
        Whether a missing cell satisfies the condition.
    missing_share : float
        Where missing cells are followed down every branch: the share of their weight that comes this way, else 0.
    known : bool
        Whether a known cell can satisfy it.
    missing_seen : bool
        Whether missing cells occurred where the condition was learned: only then are they written.
    """

    column: ColumnSchema
    index: int
    low: Bound | None = None
    high: Bound | None = None
    levels: frozenset[int] | None = None
    listed: tuple[int, ...] | None = None
    missing: bool = False
    known: bool = True
    missing_seen: bool = False
    missing_share: float = 0.0

    def mask(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        """Which cells of the column, as the core reads them, satisfy the condition."""
        if self.column.nominal:
            gone = cells < 0
            held = np.full(len(cells), self.known)
            if self.levels is not None and self.known:
                inside = np.zeros(len(self.column.levels) + 1, bool)
                inside[list(self.levels)] = True
                held = inside[cells]
        else:
            numbers = cells.astype(np.float64)
            gone = np.isnan(numbers)
            held = np.full(len(cells), self.known)
            with np.errstate(invalid="ignore"):
                if self.low is not None:
                    held &= (numbers >= self.low.at) if self.low.inclusive else (numbers > self.low.at)
                if self.high is not None:
                    held &= (numbers <= self.high.at) if self.high.inclusive else (numbers < self.high.at)
        result: NDArray[np.bool_] = np.where(gone, self.missing, held)
        return result

    def also(self, other: Condition) -> Condition:
        """Both conditions at once; they are on the same column."""
        low = _tighter(self.low, other.low, upper=False)
        high = _tighter(self.high, other.high, upper=True)
        levels = self.levels if other.levels is None else other.levels if self.levels is None else self.levels & other.levels
        listed = other.listed if self.listed is None else self.listed
        if self.listed is not None and other.listed is not None:
            both = set(other.listed)
            listed = tuple(level for level in self.listed if level in both)
        return replace(
            self,
            low=low,
            high=high,
            levels=levels,
            listed=listed,
            missing=self.missing and other.missing,
            known=self.known and other.known,
            missing_seen=self.missing_seen or other.missing_seen,
            missing_share=0.0 if self.missing and other.missing else self._share * other._share,
        )

    @property
    def _share(self) -> float:
        return 1.0 if self.missing else self.missing_share

    @property
    def trivial(self) -> bool:
        """Whether every cell satisfies it."""
        return self.known and self.missing and self.low is None and self.high is None and self.levels is None

    def text(self, exact: bool = False) -> str:
        """Write the condition in the column's own terms; ``exact``: with all digits of a threshold."""
        name = self.column.name
        if not self.known:
            return f"{name} is missing"
        if self.low is None and self.high is None and self.levels is None:
            return f"{name} is known"
        said = self.known_text(exact)
        if not self.missing_seen or self._share == 0.0:
            return said
        return f"({said} or missing)" if self.missing else f"({said} or {share_text(self.missing_share)} of missing)"

    def known_text(self, exact: bool = False) -> str:
        """Write what must hold of a known cell."""
        return self._levels_text() if self.column.nominal else interval_text(self.column, self.low, self.high, exact)

    def _levels_text(self) -> str:
        name = self.column.name
        levels = self.column.levels
        listed = self.listed if self.listed else tuple(sorted(self.levels or ()))
        if len(listed) == 1:
            return f"{name} = {self.column.level_text(listed[0])}"
        rest = [code for code in range(len(levels)) if code not in (self.levels or ())]
        if self.listed is None and len(rest) == 1:
            return f"{name} ≠ {self.column.level_text(rest[0])}"
        return f"{name} in {{{', '.join(self.column.level_text(code) for code in listed)}}}"

    def __str__(self) -> str:
        return self.text()


def interval_text(column: ColumnSchema, low: Bound | None, high: Bound | None, exact: bool = False) -> str:
    """Write that a known cell of a numeric column lies between two ends, one of which may be open."""
    name = column.name
    if column.kind == "bool":
        return f"{name} = {low is not None}"
    if column.kind == "ordered":
        return _ordered_text(column, low, high)
    if low is None or high is None:
        bound = high if low is None else low
        assert bound is not None
        sign = ("<=" if bound.inclusive else "<") if low is None else (">=" if bound.inclusive else ">")
        return f"{name} {sign} {bound.exact if exact else bound.text}"
    first, second = ("<=" if bound.inclusive else "<" for bound in (low, high))
    least, most = (bound.exact if exact else bound.text for bound in (low, high))
    return f"{least} {first} {name} {second} {most}"


def _ordered_text(column: ColumnSchema, low: Bound | None, high: Bound | None) -> str:
    levels = column.levels
    first = 0 if low is None else (math.ceil(low.at) if low.inclusive else math.floor(low.at) + 1)
    last = len(levels) - 1 if high is None else (math.floor(high.at) if high.inclusive else math.ceil(high.at) - 1)
    if first == last:
        return f"{column.name} = {levels[first]}"
    if first == 0:
        return f"{column.name} <= {levels[last]}"
    if last == len(levels) - 1:
        return f"{column.name} >= {levels[first]}"
    return f"{levels[first]} <= {column.name} <= {levels[last]}"


def _tighter(a: Bound | None, b: Bound | None, upper: bool) -> Bound | None:
    if a is None or b is None:
        return a or b
    if a.at != b.at:
        return (a if a.at < b.at else b) if upper else (a if a.at > b.at else b)
    return a if not a.inclusive else b


ByColumn = dict[int, Condition]


def with_condition(path: ByColumn, condition: Condition) -> ByColumn:
    """Return the conditions of a path, one per column, with one more."""
    at = condition.index
    return {**path, at: path[at].also(condition) if at in path else condition}


def listed(path: ByColumn) -> tuple[Condition, ...]:
    """Return the conditions of a path that say something, in the order in which their columns first appear."""
    return tuple(condition for condition in path.values() if not condition.trivial)
