"""Which rules hold only where others do: found without comparing every rule with every other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.model.condition import Condition
from treewright.model.rule import Rule


class Wider:
    """Finds, among rules, those whose conditions hold wherever a given rule's do.

    Rules are boxes: only those whose box encloses the rule's in every column can be meant, and these are looked for in arrays,
    the columns that most rules ask for first. What is found is asked condition by condition.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        tested_by: dict[int, list[int]] = {}
        for r, rule in enumerate(rules):
            for condition in rule.when:
                tested_by.setdefault(condition.index, []).append(r)
        self._columns = sorted(tested_by, key=lambda j: (-len(tested_by[j]), j))
        self._low, self._high = {}, {}
        for j in self._columns:
            self._low[j], self._high[j] = np.full(len(rules), -np.inf), np.full(len(rules), np.inf)
        for r, rule in enumerate(rules):
            for condition in rule.when:
                self._low[condition.index][r], self._high[condition.index][r] = _ends(condition)

    def of(self, at: int, first: int, last: int) -> Iterator[int]:
        """Positions from ``first`` up to, but not with, ``last`` of the rules that the rule at a position implies, ascending."""
        found: NDArray[np.int64] | slice = slice(first, last)
        for j in self._columns:
            low, high = self._low[j], self._high[j]
            inside = (low[found] <= low[at]) & (high[found] >= high[at])
            found = np.flatnonzero(inside) + first if isinstance(found, slice) else found[inside]
            if not len(found):
                return
        places = range(first, last) if isinstance(found, slice) else found.tolist()
        yield from (other for other in places if self._rules[at].implies(self._rules[other]))


def takes_whole(wide: Rule, narrow: Rule) -> bool:
    """Whether a rule that another one implies takes the whole of every row that this has a part in."""
    theirs = {condition.index: condition.share for condition in wide.when}
    return all(condition.share == 0 or theirs.get(condition.index, 1) == 1 for condition in narrow.when)


def _ends(condition: Condition) -> tuple[float, float]:
    """A box about the cells that satisfy a condition, of levels their codes; the empty one lies inside every other."""
    if not condition.holds_present:
        return np.inf, -np.inf
    if not condition.column.nominal:
        return condition.interval()
    return (-np.inf, np.inf) if condition.levels is None else (min(condition.levels), max(condition.levels))
