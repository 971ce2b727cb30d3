"""A condition of a rule as nodes of a program: one for its own column, and one for every surrogate of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Set
from typing import NamedTuple

from treewright.export.nodes import Cuts, Jumps, level_jumps
from treewright.model.condition import Condition
from treewright.model.surrogate import SurrogateCondition
from treewright.table import TableSchema

HOLDS, FAILS = -1, -2  # where a node leads that decides; else the number of the next node of the condition


class ConditionNode(NamedTuple):
    """A node that looks at the cell of one condition: the rule's own, or that of a surrogate."""

    condition: Condition
    cuts: Cuts
    to: Jumps
    missing: int


def condition_nodes(schema: TableSchema, condition: Condition) -> list[ConditionNode]:
    """The nodes of a condition, the first first."""
    if not condition.if_missing:
        return [ConditionNode(condition, *_jumps(schema, condition), HOLDS if condition.missing else FAILS)]
    # Levels that a split does not list are decided by its surrogates, all of which must agree.
    unlisted = {
        code
        for code in _codes(schema, condition)
        if any(each.own_levels is not None and code not in each.own_levels for each in condition.if_missing)
    }
    out = [ConditionNode(condition, *_jumps(schema, condition, unlisted), 1)]
    for at, surrogates in enumerate(condition.if_missing):
        out += _surrogate_nodes(schema, condition, surrogates, unlisted, len(out), at == len(condition.if_missing) - 1)
    return out


def _surrogate_nodes(
    schema: TableSchema, condition: Condition, surrogates: SurrogateCondition, unlisted: Set[int], begin: int, last: bool
) -> list[ConditionNode]:
    """The nodes of one split's surrogates: the levels the split lists, then its surrogates until one has its cell."""
    listed = frozenset() if surrogates.own_levels is None else surrogates.own_levels
    own = bool(listed & unlisted) or not surrogates.surrogates
    holds = HOLDS if last else begin + own + len(surrogates.surrogates)
    decided = holds if surrogates.last else FAILS
    after = [*range(begin + own, begin + own + len(surrogates.surrogates)), decided]
    out: list[ConditionNode] = []
    if own:
        kept = surrogates.levels or frozenset()
        cuts, to = _by_level(schema, condition, lambda code: after[0] if code not in listed else holds if code in kept else FAILS)
        if not condition.column.nominal:
            cuts, to = (), (after[0],)
        out.append(ConditionNode(condition, cuts, to, after[0]))
    for (when, unless), missing in zip(surrogates.ways, after[1:], strict=True):
        jumps = _surrogate_levels(schema, when, unless, holds, missing) if when.column.nominal else _by_interval(when, holds)
        out.append(ConditionNode(when, *jumps, missing))
    return out


def _surrogate_levels(schema: TableSchema, when: Condition, unless: Condition, holds: int, missing: int) -> tuple[Cuts, Jumps]:
    """Where the levels of a surrogate lead; those it does not send are as good as missing."""
    sent = dict.fromkeys(unless.levels or (), FAILS) | dict.fromkeys(when.levels or (), holds)
    return _by_level(schema, when, lambda code: sent.get(code, missing))


def _jumps(schema: TableSchema, condition: Condition, unlisted: Set[int] = frozenset()) -> tuple[Cuts, Jumps]:
    """The cuts of a condition and where each interval leads; levels that its splits do not list to the next node."""
    if condition.column.nominal and (condition.holds_present or unlisted):
        levels = condition.levels if condition.present else frozenset()
        return _by_level(
            schema, condition, lambda code: 1 if code in unlisted else HOLDS if levels is None or code in levels else FAILS
        )
    return _by_interval(condition, HOLDS) if condition.holds_present else ((), (FAILS,))


def _codes(schema: TableSchema, condition: Condition) -> list[int]:
    if not condition.column.nominal:
        return []
    return list(schema.known[condition.index] if schema.known else range(len(condition.column.levels)))


def _by_level(schema: TableSchema, condition: Condition, leads: Callable[[int], int]) -> tuple[Cuts, Jumps]:
    return level_jumps(((code, leads(code)) for code in _codes(schema, condition)), FAILS)


def _by_interval(condition: Condition, holds: int) -> tuple[Cuts, Jumps]:
    low, high = condition.interval()
    cuts, to = [], [holds]
    if condition.low is not None and low > -sys.float_info.max:  # which no number fails
        cuts.append(math.nextafter(low, -math.inf))
        to.insert(0, FAILS)
    if condition.high is not None:
        cuts.append(high)
        to.append(FAILS)
    return tuple(cuts), tuple(to)
