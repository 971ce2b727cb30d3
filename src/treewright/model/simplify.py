"""Rules with needless conditions dropped, one rule at a time: the generalisation of C4.5rules (Quinlan 1993), for numbers too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import out_of_range
from treewright.model.linear import Equation
from treewright.model.rule import Rule, refuse_read_only
from treewright.model.scores import read_target

if TYPE_CHECKING:
    from treewright.model.rules import RuleSet

Array = NDArray[Any]


def simplified(rules: RuleSet, X: Any, y: Any, sample_weight: Any, confidence: float) -> RuleSet:
    """Drop conditions of every rule, then duplicates, and score what is left."""
    from treewright.model.rules import by_column

    if not 0 < confidence <= 1:
        raise out_of_range("confidence", confidence, "a number above 0, up to 1")
    refuse_read_only(rules, rules.target)
    arrays, n_rows = rules._cells(X)
    cells = by_column(arrays)
    truth, weights = read_target(y, sample_weight, rules.target, n_rows)
    if not weights.sum() > 0:
        raise ValueError("rules are simplified by what they say of rows: X has none, or none of any weight")
    kept = []
    for rule in rules:
        fails = np.array([~condition.holds(cells) for condition in rule.when], bool)
        kept.append(_generalised(rule, fails.reshape(len(rule.when), n_rows), truth, weights, rules, confidence, cells))
    new = replace(rules, rules=tuple(kept), ordered=rules.ordered, otherwise=None).tidy()
    left = weights * np.asarray(new._covers(arrays, n_rows)[:, [len(new)]].todense()).reshape(-1)  # by no rule, or in part
    left = left if left.sum() > 0 else weights
    if rules.target.classes is None:
        says: Any = _mean(truth[left > 0], left[left > 0])
    else:
        says = rules.target.classes[int(np.argmax(np.bincount(truth, left, len(rules.target.classes))))]
    return replace(new, otherwise=Rule((), says)).scored(X, y, sample_weight)


def _mean(values: Array, weights: Array) -> float:
    # Of equal values the value itself: their mean may be off by rounding.
    return float(values[0]) if np.ptp(values) == 0 else float(np.average(values, weights=weights))


def _generalised(
    rule: Rule, fails: Array, truth: Array, weights: Array, rules: RuleSet, confidence: float, cells: Sequence[Array]
) -> Rule:
    """The rule without the conditions whose absence does not make it expected to be more wrong."""
    left = list(range(len(rule.when)))
    classes = rules.target.classes
    code = None if classes is None else classes.index(rule.says)

    parameters = 1
    if isinstance(rule.says, Equation):  # it stays as it is: how far off it is decides
        parameters += len(rule.says.terms)
        truth = truth - rule.says.answers(cells)

    def expected(held: Array) -> float:
        weight = float(weights[held].sum())
        if weight <= 0:
            return np.inf
        if code is None:
            mean = 0.0 if isinstance(rule.says, Equation) else np.average(truth[held], weights=weights[held])
            spread = float(np.sqrt(np.average((truth[held] - mean) ** 2, weights=weights[held])))
            return spread * (weight + parameters) / (weight - parameters) if weight > parameters else np.inf
        wrong = float(weights[held & (truth != code)].sum())
        return (wrong + _core.extra_errors(weight, wrong, confidence, "quinlan")) / weight

    slack = 1e-12 if code is not None else 1e-9 * float(np.max(np.abs(truth), initial=0.0))  # rounding of means
    failed = fails.sum(axis=0)
    if not weights[failed == 0].sum() > 0:  # no row tells which of its conditions it could do without
        return replace(rule.unscored(), leaf=rule.leaf)
    now = expected(failed == 0)
    while left:
        without = [expected(failed - fails[i] == 0) for i in left]
        best = min(range(len(left)), key=lambda i: (without[i], -i))
        if not without[best] <= now + slack:
            break
        now = without[best]
        failed = failed - fails[left.pop(best)]
    says = rule.says
    if code is None and not isinstance(says, Equation) and np.any(failed == 0):
        says = _mean(truth[failed == 0], weights[failed == 0])
    return Rule(tuple(rule.when[i] for i in left), says, leaf=rule.leaf)
