"""One column at one node under a missing policy: what is known, what is missing, what the gain sees, who goes where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .model import FILLED, FRACTIONAL, KNOWN_ONLY, Cell, Column, Options, Rows, Split, Table, Weight, total


@dataclass(frozen=True)
class View:
    """After filling, `missing` is empty under the filled policies, and for a column without a known cell `known` is."""

    table: Table
    column: int
    policy: str
    rows: Rows
    known: list[tuple[int, Weight, float | int]]
    missing: Rows
    fill: Cell  # what a missing cell of a row of unknown class is taken for; None when no cell is known
    any_missing: bool  # before filling

    @property
    def known_rows(self) -> Rows:
        return [(row, weight) for row, weight, _ in self.known]

    @property
    def known_share(self) -> float:
        return float(Fraction(total(self.known_rows)) / total(self.rows))


def most_common(cells: Sequence[tuple[float | int, Weight]], *, numeric: bool) -> Cell:
    """The weighted median for numbers, the most frequent level otherwise; the lowest if equal."""
    if not cells:
        return None
    weight_of: dict[float | int, Weight] = {}
    for cell, weight in cells:
        weight_of[cell] = weight_of.get(cell, 0) + weight
    if not numeric:
        return min(weight_of, key=lambda level: (-weight_of[level], level))
    whole = sum(weight_of.values())
    below: Weight = 0
    for value in sorted(weight_of):
        below += weight_of[value]
        if 2 * below >= whole:
            return value
    raise AssertionError("the cumulated weight reaches the whole")


def view(table: Table, index: int, policy: str, rows: Rows) -> View:
    column: Column = table.columns[index]
    known = [(row, weight, cell) for row, weight in rows if (cell := column.cells[row]) is not None]
    missing = [(row, weight) for row, weight in rows if column.cells[row] is None]
    fill = most_common([(cell, weight) for _, weight, cell in known], numeric=column.numeric)
    any_missing = bool(missing)
    if policy in FILLED and known:
        in_class: dict[int | float, Cell] = {}
        if policy == "most_common_in_class":
            for klass in {table.target[row] for row, _ in missing}:
                own = [(cell, weight) for row, weight, cell in known if table.target[row] == klass]
                in_class[klass] = most_common(own, numeric=column.numeric)
        for row, weight in missing:
            mine = in_class.get(table.target[row])
            cell = fill if mine is None else mine
            assert cell is not None
            known.append((row, weight, cell))
        missing = []
    return View(table, index, policy, rows, known, missing, fill, any_missing)


def known_groups(seen: View, split: Split) -> list[Rows]:
    groups: list[Rows] = [[] for _ in range(split.branches)]
    for row, weight, cell in seen.known:
        groups[split.branch_of(cell)].append((row, weight))
    return groups


def _with_fractions(seen: View, groups: list[Rows]) -> list[Rows]:
    """Each missing row enters every branch in proportion to its known weight; a share of 0 is no row."""
    weights = [total(group) for group in groups]
    known = sum(weights)
    return [
        group + [(row, Fraction(weight) * share / known) for row, weight in seen.missing if share]
        for group, share in zip(groups, weights, strict=True)
    ]


def groups_in_gain(seen: View, split: Split) -> tuple[list[Rows], Rows]:
    """The branches as the gain sees them, and the missing rows that it leaves out."""
    groups = known_groups(seen, split)
    if not seen.missing:
        return groups, []
    if seen.policy in KNOWN_ONLY:
        return groups, seen.missing
    if split.family == "presence" or seen.policy == "own":
        groups[-1] = groups[-1] + seen.missing
    elif seen.policy == "learned":
        assert split.home is not None
        groups[split.home] = groups[split.home] + seen.missing
    elif seen.policy == "spread":
        groups = _with_fractions(seen, groups)
    return groups, []


def largest(weights: Sequence[Weight]) -> int:
    return max(range(len(weights)), key=lambda b: (weights[b], -b))


def divide(seen: View, split: Split) -> list[Rows]:
    """The rows that really go to each branch."""
    groups, left_out = groups_in_gain(seen, split)
    if not left_out or seen.policy == "ignore":
        return groups
    if seen.policy == "majority":
        home = largest([total(group) for group in groups])
        groups[home] = groups[home] + left_out
        return groups
    if seen.policy == "surrogate":
        from .surrogates import send, surrogates

        home = largest([total(group) for group in groups])
        for branch, entry in zip(send(seen, surrogates(seen, split, Options()), home), left_out, strict=True):
            groups[branch] = [*groups[branch], entry]
        return groups
    return _with_fractions(seen, groups)


def missing_to(seen: View, split: Split) -> set[int | str]:
    """Where a missing cell goes at predict. More than one answer where the page allows two readings."""
    weights = [total(group) for group in divide(seen, split)]
    if seen.policy in FRACTIONAL:
        return {"all"}
    biggest = largest(weights)
    if seen.policy == "surrogate":
        return {largest([total(group) for group in known_groups(seen, split)])}
    if seen.policy in FILLED:
        assert seen.fill is not None
        if split.family in ("one_vs_rest", "subset", "multiway") and seen.fill not in dict(split.assign):
            return {biggest}
        filled = split.branch_of(seen.fill)
        return {filled} if seen.any_missing else {filled, biggest}
    if not seen.any_missing or seen.policy == "ignore":
        return {biggest}
    if split.family == "presence" or seen.policy == "own":
        return {split.branches - 1}
    if seen.policy == "majority":
        return {largest([total(group) for group in known_groups(seen, split)])}
    assert split.home is not None
    return {split.home}
