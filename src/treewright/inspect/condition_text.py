"""Conditions as explanations write them: with the digits that trees show, and true of the row, or of every value they name."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

from treewright.model.condition import Bound, Condition
from treewright.table.schema import number_text, short_threshold

DAY = 86_400_000_000  # microseconds
_ROUNDING = 4  # units in the last place: decimal fractions and the middle of two of them are off by fewer


def condition_text(condition: Condition, cell: float | None = None) -> str:
    """Write what must hold of a cell that is present, or that it is present or missing where no more is required.

    Thresholds have the few digits that separate training rows. Where those would say something false of ``cell`` (which may be
    missing), or without it of any value they name, the sign or the digits are others. Where training knew days only, a threshold
    between two of them is a day.
    """
    ends = [bound for bound in (condition.low, condition.high) if bound is not None]
    if not ends and condition.levels is None:
        return condition.text()
    if condition.column.kind == "number" and ends:
        low, high = (_end(bound, cell, upper) for bound, upper in ((condition.low, False), (condition.high, True)))
        return replace(condition, low=low, high=high).present_text(exact=True)
    days = condition.column.kind == "date" and all(end % DAY == 0 for bound in ends for end in (bound.below, bound.above))
    return condition.present_text(exact=not days)


def _end(bound: Bound | None, cell: float | None, upper: bool) -> Bound | None:
    """An end with few digits: one that the cell satisfies, or else one that says no more than the end itself."""
    if bound is None:
        return None
    short = short_threshold(bound.at, bound.below, bound.above, bound.strict)
    rounded = bound._replace(at=short)
    if cell is not None and (_holds(rounded, cell, upper) or not _holds(bound, cell, upper)):
        return rounded
    inside = _holds(bound, short, upper)
    close = abs(short - bound.at) <= _ROUNDING * math.ulp(bound.at)
    if cell is None and not inside and not close:
        # The next number of as many digits, if training rows have any value there.
        text = Decimal(number_text(short))
        unit = Decimal(1).scaleb(int(text.as_tuple().exponent))
        short = float(text - unit if upper else text + unit)
        inside = bound.below <= short if upper else short <= bound.above
    others = [bound._replace(at=short, inclusive=inside)] if close or (cell is None and inside) else []
    return next((end for end in others if cell is None or _holds(end, cell, upper)), bound)


def _holds(bound: Bound, cell: float, upper: bool) -> bool:
    if upper:
        return cell <= bound.at if bound.inclusive else cell < bound.at
    return cell >= bound.at if bound.inclusive else cell > bound.at
