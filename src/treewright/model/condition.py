"""A condition on one column: an edge of a tree, or a literal of a rule. Evaluated, described and combined here only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.table.schema import ColumnSchema, name_text, number_text, share_text

if TYPE_CHECKING:
    from treewright.model.linear import Equation
    from treewright.model.surrogate import SurrogateCondition


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
        """The value as it is shown: short, but it separates the training values as the tree does."""
        return self.column.cut_text(self.at, self.below, self.above, self.strict)

    @property
    def exact(self) -> str:
        """The value with all its digits."""
        return self.column.exact_text(self.at, self.strict)

    @property
    def full(self) -> str:
        """The value so that it can be read back with nothing lost: between two microseconds, as their number."""
        whole = self.column.kind not in ("date", "duration") or self.at.is_integer()
        return self.exact if whole else number_text(self.at)


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """What must hold of a column: an interval, a set of levels, and whether a missing cell satisfies it.

    Conditions are equal if the same cells satisfy them.

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
    present : bool
        Whether a cell that is present can satisfy it.
    missing_seen : bool
        Whether missing cells occurred where the condition was learned: only then are they written.
    if_missing : tuple of SurrogateCondition
        Where surrogates decide of a missing cell, or of a level that a split does not know: what they must satisfy, all of it;
        ``missing`` is then what holds of a cell whose surrogates are missing as well.
    equation : Equation or None
        How the number is computed from other columns, where the column is none of the table.
    """

    column: ColumnSchema
    index: int
    low: Bound | None = None
    high: Bound | None = None
    levels: frozenset[int] | None = None
    listed: tuple[int, ...] | None = None
    missing: bool = False
    present: bool = True
    missing_seen: bool = False
    missing_share: float = 0.0
    if_missing: tuple[SurrogateCondition, ...] = ()
    equation: Equation | None = None

    def cells(self, columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """What the condition compares, per row, given all columns of a table as the core reads them."""
        return columns[self.index] if self.equation is None else self.equation.answers(columns)

    def holds(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Which rows satisfy the condition, given all columns of a table as the core reads them."""
        cells = self.cells(columns)
        holding = self.mask(cells)
        if not self.if_missing:
            return holding
        lost = gone(self.column, cells)
        for each in self.if_missing:
            if each.own_levels is not None:
                lost = lost | ~np.isin(cells, list(each.own_levels))
        if len(rows := np.flatnonzero(lost)):
            holding[rows] = np.all([each.holds(columns, rows, cells[rows]) for each in self.if_missing], axis=0)
        return holding

    def mask(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        """Which cells of the column, as the core reads them, satisfy the condition, surrogates apart."""
        if self.column.nominal:
            holding = np.full(len(cells), self.present)
            if self.levels is not None and self.present:
                inside = np.zeros(len(self.column.levels) + 1, bool)
                inside[list(self.levels)] = True
                holding = inside[cells]
        else:
            numbers = cells.astype(np.float64, copy=False)
            holding = np.full(len(cells), self.present)
            with np.errstate(invalid="ignore"):
                if self.low is not None:
                    holding &= (numbers >= self.low.at) if self.low.inclusive else (numbers > self.low.at)
                if self.high is not None:
                    holding &= (numbers <= self.high.at) if self.high.inclusive else (numbers < self.high.at)
        result: NDArray[np.bool_] = np.where(gone(self.column, cells), self.missing, holding)
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
        return Condition(
            self.column,
            self.index,
            low,
            high,
            levels,
            listed,
            missing=self.missing and other.missing,
            present=self.present and other.present,
            missing_seen=self.missing_seen or other.missing_seen,
            missing_share=0.0 if self.missing and other.missing else self.share * other.share,
            if_missing=(*self._missing_conditions(), *other._missing_conditions()) if self.if_missing or other.if_missing else (),
            equation=self.equation,
        )

    def interval(self) -> tuple[float, float]:
        """The least and the largest number that satisfy it, infinite where the interval is open."""
        low = -math.inf if self.low is None else self.low.at if self.low.inclusive else math.nextafter(self.low.at, math.inf)
        high = math.inf if self.high is None else self.high.at if self.high.inclusive else math.nextafter(self.high.at, -math.inf)
        if self.column.kind in ("ordered", "bool"):  # whole positions
            last = len(self.column.levels) - 1 if self.column.levels else 1
            low, high = max(0.0, math.ceil(max(low, 0.0))), float(math.floor(min(high, last)))
        return low + 0.0, high + 0.0

    @property
    def possible(self) -> bool:
        """Whether any cell satisfies it."""
        return self.missing or self.missing_share > 0 or bool(self.if_missing) or self.holds_present

    @property
    def holds_present(self) -> bool:
        """Whether any cell that is present satisfies it."""
        if not self.present:
            return False
        if self.column.nominal:
            return self.levels is None or bool(self.levels)
        low, high = self.interval()
        return low <= high

    @property
    def key(self) -> tuple[Any, ...]:
        """What two conditions that the same cells satisfy have in common."""
        share = (self.if_missing, 1.0 if self.missing else self.missing_share)
        if not self.holds_present:
            return self.index, None, share
        if self.column.nominal:
            every = frozenset(range(len(self.column.levels)))
            return self.index, every if self.levels is None else self.levels, share
        return self.index, self.interval(), share

    def implies(self, other: Condition) -> bool:
        """Whether every cell that satisfies this condition satisfies the other; they are on the same column."""
        if self.share > other.share or (other.if_missing and self.if_missing != other.if_missing):
            return False
        if other.trivial:
            return True
        if self.if_missing != other.if_missing and (self.column.nominal or not other.missing):
            return False  # what stands in for a missing cell, or for a level the split does not know, may let it in
        if not self.holds_present:
            return True
        if not other.holds_present:
            return False
        if self.column.nominal:
            own = range(len(self.column.levels)) if self.levels is None else self.levels
            return other.levels is None or other.levels.issuperset(own)
        (low, high), (least, most) = self.interval(), other.interval()
        return least <= low and high <= most

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.column == other.column and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def _missing_conditions(self) -> tuple[SurrogateCondition, ...]:
        from treewright.model.surrogate import SurrogateCondition

        every = frozenset(range(len(self.column.levels))) if self.column.nominal else None
        return self.if_missing or (SurrogateCondition((), 0, self.missing, every, every if self.levels is None else self.levels),)

    @property
    def share(self) -> float:
        """The part of a missing cell that satisfies it: 0, 1, or less than all."""
        return 1.0 if self.missing else self.missing_share

    @property
    def trivial(self) -> bool:
        """Whether every cell satisfies it."""
        return self.present and self.missing and self.low is None and self.high is None and self.levels is None

    def text(self, exact: bool = False, full: bool = False, quoted: bool = False, every: bool = False) -> str:
        """Write the condition in the column's own terms.

        Parameters
        ----------
        exact : bool
            With all digits of a threshold.
        quoted : bool
            With quotes about a name that could be taken for a part of the sentence.
        every : bool
            With all surrogates of a missing cell, not the first alone.
        full : bool
            Exact, quoted, and with all that the condition says of missing cells and of levels that training did not show.
        """
        name = name_text(self.column.name) if quoted or full else self.column.label
        if not self.holds_present and not (full and self.if_missing):
            return f"{name} is missing" if self.missing or not full else f"{name} is {_portion(self.share)} missing"
        if self.low is None and self.high is None and self.levels is None:
            phrase = f"{name} is known"
        else:
            phrase = self.present_text(exact, full, quoted)
        if self.if_missing and full:
            return f"({phrase}, or if missing: {' & '.join(each.full_text(self.column) for each in self.if_missing)})"
        if self.if_missing and self.missing_seen:
            texts = [each.text(exact, quoted, every) for each in self.if_missing]
            return f"({phrase}, or if missing: {' & '.join(f'[{text}]' for text in texts) if len(texts) > 1 else texts[0]})"
        if self.share == 0.0 or (not full and (not self.missing_seen or phrase.endswith("is known"))):
            return phrase
        if self.missing:
            return f"({phrase} or missing)"
        return f"({phrase} or {_portion(self.missing_share) if full else share_text(self.missing_share)} of missing)"

    def present_text(self, exact: bool = False, full: bool = False, quoted: bool = False) -> str:
        """Write what must hold of a cell that is present."""
        name = name_text(self.column.name) if quoted or full else self.column.label
        if self.column.nominal:
            return self._levels_text(name, full)
        digits = "full" if full else "exact" if exact else "text"
        return interval_text(self.column, self.low, self.high, digits, name)

    def _levels_text(self, name: str, full: bool) -> str:
        levels = self.column.levels
        listed = self.listed if self.listed and not full else tuple(sorted(self.levels or ()))
        if len(listed) == 1:
            return f"{name} = {self.column.level_text(listed[0])}"
        rest = [code for code in range(len(levels)) if code not in (self.levels or ())]
        if (self.listed is None or full) and len(rest) == 1:
            return f"{name} ≠ {self.column.level_text(rest[0])}"
        return f"{name} in {{{', '.join(self.column.level_text(code) for code in listed)}}}"

    def __str__(self) -> str:
        return self.text()


def _portion(share: float) -> str:
    return repr(float(share))


def gone(column: ColumnSchema, cells: NDArray[Any]) -> NDArray[np.bool_]:
    """Which cells of a column are missing."""
    missing: NDArray[np.bool_] = cells < 0 if column.nominal else np.isnan(cells.astype(np.float64, copy=False))
    return missing


def interval_text(
    column: ColumnSchema, low: Bound | None, high: Bound | None, digits: str = "text", name: str | None = None
) -> str:
    """Write that a cell of a numeric column lies between two ends, one of which may be open.

    ``digits`` says how they are written: as the property of :class:`Bound` of that name.
    """
    name = column.label if name is None else name
    if column.kind == "bool":
        return f"{name} = {low is not None}"
    if column.kind == "ordered":
        return _ordered_text(column, low, high, name)
    if low is None or high is None:
        bound = high if low is None else low
        assert bound is not None
        sign = ("<=" if bound.inclusive else "<") if low is None else (">=" if bound.inclusive else ">")
        return f"{name} {sign} {getattr(bound, digits)}"
    first, second = ("<=" if bound.inclusive else "<" for bound in (low, high))
    least, most = (getattr(bound, digits) for bound in (low, high))
    return f"{least} {first} {name} {second} {most}"


def _ordered_text(column: ColumnSchema, low: Bound | None, high: Bound | None, name: str) -> str:
    levels = column.levels
    first = 0 if low is None else (math.ceil(low.at) if low.inclusive else math.floor(low.at) + 1)
    last = len(levels) - 1 if high is None else (math.floor(high.at) if high.inclusive else math.ceil(high.at) - 1)
    least, most = (column.level_text(code) if 0 <= code < len(levels) else "" for code in (first, last))
    if first == last:
        return f"{name} = {least}"
    if first == 0:
        return f"{name} <= {most}"
    if last == len(levels) - 1:
        return f"{name} >= {least}"
    return f"{least} <= {name} <= {most}"


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
