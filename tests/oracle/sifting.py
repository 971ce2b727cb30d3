"""C4.5rules a second time (Quinlan 1993, chapter 5; docs/rules.md): every subset of the rules of a class, masks, no bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import lgamma, log, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treewright as tw
from treewright import _core
from treewright.model.condition import gone

Mask = NDArray[np.bool_]
NEVER_APPLIED = 0.7  # rules of a larger error are chosen or not like others, and cover nothing


@dataclass
class Draft:
    """One rule."""

    says: Any
    asks: frozenset[str]
    covers: Mask
    error: float
    bits: float


def _log2_factorial(n: int) -> float:
    return lgamma(n + 1) / log(2)


def _coded(n: float, errors: float, expected: float) -> float:
    """Bits that tell which of n cases are errors, when so many are expected."""
    if n <= 0 or (expected < 1e-9 and errors <= 0):
        return 1e6 if errors > 0 else 0.0
    p = min(expected / n, 1.0)
    bits = 0.0
    if errors > 0:
        bits += -errors * log2(p) if p > 0 else 1e6
    if n > errors:
        bits += -(n - errors) * log2(1 - p) if p < 1 else 1e6
    return bits


def _exceptions(n: int, fires: int, fp: int, fn: int) -> float:
    half = (fp + fn) / 2
    if fires > n / 2:
        return log2(n) + _coded(fires, fp, half) + _coded(n - fires, fn, fn)
    return log2(n) + _coded(fires, fp, fp) + _coded(n - fires, fn, half)


def _any(masks: Sequence[Mask], n: int) -> Mask:
    return np.logical_or.reduce(masks) if masks else np.zeros(n, bool)


def _column_bits(tree: tw.Tree, cells: Sequence[Any], n: int) -> list[float]:
    """Bits of a test of each column: its values are told by their frequency, thresholds in half of what they take.

    A missing cell is a value of a number here, as in the program.
    """
    out = []
    for column, own in zip(tree.schema.columns, cells, strict=True):
        known = own[~gone(column, own)]
        values, counts = np.unique(known, return_counts=True)
        if column.nominal:
            out.append(float(-(counts / n * np.log2(counts / n)).sum()))
        else:
            n_values = len(values) + (len(known) < len(own))
            out.append(1 + 0.5 * log2(n_values) if n_values > 1 else 0.0)
    return out


def _drafts(tree: tw.Tree, cells: Sequence[Any], y: Any, grouped: bool) -> list[Draft]:
    n = len(y)
    tests = _column_bits(tree, cells, n)
    total = sum(tests)
    choice = -sum(bits / total * log2(bits / total) for bits in tests if bits > 0) if total else 0.0
    found: dict[Any, Draft] = {}
    for path in tree.paths():
        leaf, conditions = path[-1], [node.condition for node in path[1:]]
        if leaf.weight < 1 - 1e-9 or not conditions:
            continue
        holds = [c.mask(cells[c.index]) & ~gone(c.column, cells[c.index]) for c in conditions]
        says = leaf.prediction
        default = 1 - ((y == says).sum() + 1) / (n + 2)

        def rates(kept: list[int], holds: Any = holds, says: Any = says, default: Any = default) -> tuple[float, float, Mask]:
            covered = np.logical_and.reduce([holds[i] for i in kept]) if kept else np.ones(n, bool)
            weight, wrong = int(covered.sum()), int((covered & (y != says)).sum())
            if weight == 0:
                return default, 0.0, covered
            return (wrong + _core.extra_errors(weight, wrong, 0.25, "quinlan")) / weight, wrong / weight, covered

        left = list(range(len(conditions)))
        while left:
            pessimistic, actual, _ = rates(left)
            without = [rates([j for j in left if j != i])[:2] for i in left]
            if not any(p <= pessimistic or a <= actual for p, a in without):
                break
            least = min(p for p, _ in without)
            del left[max(k for k, (p, _) in enumerate(without) if p == least)]
        error, _, covered = rates(left)
        if not left or not covered.any() or error >= default:
            continue
        if error > NEVER_APPLIED:
            covered = np.zeros(n, bool)
        bits = log2(len(left)) - _log2_factorial(len(left))
        for i in left:
            column = conditions[i].column
            subset = grouped and column.nominal and len(column.levels) > 2  # two levels are told apart as they are
            bits += choice + (len(column.levels) if subset else tests[conditions[i].index])
        key = says, frozenset(conditions[i].text(exact=True, full=True) for i in left)
        found.setdefault(key, Draft(says, key[1], covered, error, bits))
    return list(found.values())


def _shortest(own: list[Draft], label: Any, y: Any) -> list[Draft]:
    """The subset that takes least bits; of equals the first, counting in binary with the first rule as the lowest digit."""
    n, costs = len(y), []
    for chosen in product([False, True], repeat=len(own)):
        subset = [draft for draft, is_in in zip(own, reversed(chosen), strict=True) if is_in]
        covered = _any([draft.covers for draft in subset], n)
        fp, fn = int((covered & (y != label)).sum()), int((~covered & (y == label)).sum())
        theory = sum(draft.bits for draft in subset) - _log2_factorial(len(subset))
        costs.append((_exceptions(n, int(covered.sum()), fp, fn) + 0.5 * theory, subset))
    least = min(cost for cost, _ in costs)
    return next(subset for cost, subset in costs if cost < least + 1e-9)


def sifted(tree: tw.Tree, cells: Sequence[Any], y: Any, grouped: bool) -> tuple[list[Draft], Any, int] | None:
    """The list, what it says of the rest, and how many rules went because they do harm.

    None where a class has more rules than all subsets are tried of.
    """
    drafts, classes, n = _drafts(tree, cells, y, grouped), list(tree.target.classes or ()), len(y)
    chosen: dict[Any, list[Draft]] = {}
    for label in classes:
        own = [draft for draft in drafts if draft.says == label]
        if len(own) > 10:
            return None
        chosen[label] = _shortest(own, label, y)
    left, rules, waiting = np.ones(n, bool), [], list(classes)
    while waiting:
        fires = {label: left & _any([draft.covers for draft in chosen[label]], n) for label in waiting}
        label = min(waiting, key=lambda label: int((fires[label] & (y != label)).sum()))
        rules += sorted((draft for draft in chosen[label] if draft.error <= NEVER_APPLIED), key=lambda draft: draft.error)
        left &= ~fires[label]
        waiting.remove(label)
    default = max(classes, key=lambda label: (int((left & (y == label)).sum()), int((y == label).sum())))

    def right(those: list[Draft]) -> int:
        said = np.full(n, default, object)
        for draft in reversed(those):
            said[draft.covers] = draft.says
        return int((said == y).sum())

    at, n_before = 0, len(rules)
    while at < len(rules):
        shorter = rules[:at] + rules[at + 1 :]
        rules, at = (shorter, 0) if right(shorter) > right(rules) else (rules, at + 1)
    return rules, default, n_before - len(rules)
