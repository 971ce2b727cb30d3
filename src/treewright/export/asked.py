"""A condition of a rule as nodes of a program: one of its own column, and one for every column that stands in for it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Set
from itertools import pairwise

from treewright.model.condition import Condition
from treewright.model.surrogate import SurrogateCondition
from treewright.table import TableSchema

HOLDS, FAILS = -1, -2  # where a node leads that decides; else the number of the next node of the condition
Jumps = tuple[tuple[float, ...], tuple[int, ...]]  # cuts, and where each interval between them leads
Asked = tuple[int, tuple[float, ...], tuple[int, ...], int]  # column, jumps, and where a missing cell leads


def asked(schema: TableSchema, condition: Condition) -> list[Asked]:
    """The nodes of a condition, the first first."""
    index = condition.index
    if not condition.if_missing:
        return [(index, *_jumps(schema, condition), HOLDS if condition.missing else FAILS)]
    # What the splits do not know is asked of the stand-ins, all of which must agree.
    strange = {
        code
        for code in _codes(schema, condition)
        if any(each.own_levels is not None and code not in each.own_levels for each in condition.if_missing)
    }
    out = [(index, *_jumps(schema, condition, strange), 1)]
    for at, stand_in in enumerate(condition.if_missing):
        out += _stands_in(schema, condition, stand_in, strange, len(out), at == len(condition.if_missing) - 1)
    return out


def _stands_in(
    schema: TableSchema, condition: Condition, stand_in: SurrogateCondition, strange: Set[int], begin: int, last: bool
) -> list[Asked]:
    """The nodes of one stand-in: what its split knows of the levels, then its surrogates until one knows its cell."""
    known = frozenset() if stand_in.own_levels is None else stand_in.own_levels
    own = bool(known & strange) or not stand_in.surrogates
    holds = HOLDS if last else begin + own + len(stand_in.surrogates)
    decided = holds if stand_in.last else FAILS
    ends = [*range(begin + own, begin + own + len(stand_in.surrogates)), decided]
    out: list[Asked] = []
    if own:
        kept = stand_in.levels or frozenset()
        to = _by_level(schema, condition, lambda code: ends[0] if code not in known else holds if code in kept else FAILS)
        out.append((condition.index, *(to if condition.column.nominal else ((), (ends[0],))), ends[0]))
    for (asks, refuses), lost in zip(stand_in.ways, ends[1:], strict=True):
        jumps = _surrogate(schema, asks, refuses, holds, lost) if asks.column.nominal else _by_interval(asks, holds)
        out.append((asks.index, *jumps, lost))
    return out


def _surrogate(schema: TableSchema, asks: Condition, refuses: Condition, holds: int, lost: int) -> Jumps:
    """Where the levels of a surrogate lead; those it does not send are as good as missing."""
    sent = dict.fromkeys(refuses.levels or (), FAILS) | dict.fromkeys(asks.levels or (), holds)
    return _by_level(schema, asks, lambda code: sent.get(code, lost))


def _jumps(schema: TableSchema, condition: Condition, strange: Set[int] = frozenset()) -> Jumps:
    """The cuts of a condition and where each interval leads; levels that are strange to it to the next node."""
    if condition.column.nominal and (condition.holds_present or strange):
        levels = condition.levels if condition.present else frozenset()
        return _by_level(
            schema, condition, lambda code: 1 if code in strange else HOLDS if levels is None or code in levels else FAILS
        )
    return _by_interval(condition, HOLDS) if condition.holds_present else ((), (FAILS,))


def _codes(schema: TableSchema, condition: Condition) -> list[int]:
    if not condition.column.nominal:
        return []
    return list(schema.known[condition.index] if schema.known else range(len(condition.column.levels)))


def _by_level(schema: TableSchema, condition: Condition, leads: Callable[[int], int]) -> Jumps:
    jumps = [(code, leads(code)) for code in _codes(schema, condition)]
    if not jumps:
        return (), (FAILS,)
    ends = [a for a, b in pairwise(jumps) if a[1] != b[1]]
    return tuple(float(code) for code, _ in ends), (*(to for _, to in ends), jumps[-1][1])


def _by_interval(condition: Condition, holds: int) -> Jumps:
    low, high = condition.interval()
    cuts, to = [], [holds]
    if condition.low is not None and low > -sys.float_info.max:  # which no number fails
        cuts.append(math.nextafter(low, -math.inf))
        to.insert(0, FAILS)
    if condition.high is not None:
        cuts.append(high)
        to.append(FAILS)
    return tuple(cuts), tuple(to)
