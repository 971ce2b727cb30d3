"""Rules with needless conditions dropped, one rule at a time: the generalisation of C4.5rules (Quinlan 1993), for numbers too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import out_of_range
from treewright.model.condition import Condition, gone
from treewright.model.linear import Equation
from treewright.model.rule import Rule, refuse_edits, together
from treewright.model.scores import number_predicted, read_target
from treewright.table.weights import row_weight

if TYPE_CHECKING:
    from treewright.model.rules import RuleSet

Array = NDArray[Any]


def simplified(rules: RuleSet, X: Any, y: Any, sample_weight: Any, confidence: Any) -> RuleSet:
    """Drop conditions of every rule, then duplicates, and score what is left."""
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < float(confidence) <= 1:
        raise out_of_range("confidence", confidence, "a number above 0, up to 1")
    refuse_edits(rules, rules.target)
    arrays, n_rows = rules._cells(X)
    truth, weights = read_target(y, sample_weight, rules.target, n_rows)
    if not weights.sum() > 0:
        raise ValueError("rules are simplified by what they say of rows: X has none, or none of any weight")
    judge, counted = _Judge(rules, arrays, truth, float(confidence)), weights / row_weight(weights)
    kept = judge.in_order(rules, arrays, counted) if rules.ordered else [judge.shorter(rule, counted) for rule in rules]
    if rules.ordered and rules._in_parts:
        kept = _no_worse(rules, kept, arrays, truth, weights)
    new = replace(rules, rules=tuple(kept)).tidy()
    if new.otherwise is None:
        new = replace(new, otherwise=Rule((), _of_the_rest(new, arrays, truth, weights)))
    return new._scored(arrays, n_rows, truth, weights)


def _no_worse(rules: RuleSet, kept: list[Rule], arrays: list[Array], truth: Array, weights: Array) -> list[Rule]:
    """The shorter rules, as far as the list gets no more wrong: where rules take parts of rows, all together tell what is said.

    All are tried at once; of what makes the list worse, each half by itself, down to single rules.
    """

    def wrong(those: list[Rule]) -> float:
        tried = replace(rules, rules=tuple(those))._scored(arrays, len(truth), truth, weights)
        return tried._wrong(tried._answers(arrays, len(truth)), truth, weights)

    now = list(rules)
    limit = wrong(now)
    changed = [at for at, (old, new) in enumerate(zip(rules, kept, strict=True)) if len(old.when) != len(new.when)]
    waiting = [changed] if changed else []
    while waiting:
        those = waiting.pop()
        tried = list(now)
        for at in those:
            tried[at] = kept[at]
        if wrong(tried) <= limit:
            now = tried
        elif len(those) > 1:
            waiting += [those[len(those) // 2 :], those[: len(those) // 2]]
    return now


def _of_the_rest(rules: RuleSet, arrays: list[Array], truth: Array, weights: Array) -> Any:
    """The most frequent class, or the mean, of the rows that no rule covers, or covers in part only; of all if there are none."""
    left = weights * np.asarray(rules._covers(arrays, len(truth))[:, [len(rules)]].todense()).reshape(-1)
    if rules.target.classes is not None:
        left, weights = (np.where(truth >= 0, each, 0.0) for each in (left, weights))
    left = left if left.sum() > 0 else weights
    if rules.target.classes is not None:
        count = np.bincount(np.maximum(truth, 0), left, len(rules.target.classes))
        return rules.target.classes[int(np.argmax(count))] if count.any() else rules._predictions.fallback
    values = truth[left > 0]  # of equal values the value itself: their mean may be off by rounding
    return float(values[0]) if np.ptp(values) == 0 else float(np.average(values, weights=left[left > 0]))


class _Judge:
    """Says which conditions of a rule are needed, by what it gets wrong of rows: it says what it says, with or without them."""

    def __init__(self, rules: RuleSet, arrays: list[Array], truth: Array, confidence: float) -> None:
        from treewright.model.rules import by_column

        self._cells, self._truth, self._confidence = by_column(arrays), truth, confidence
        classes = rules.target.classes
        self._place = None if classes is None else {label: k for k, label in enumerate(classes)}
        # Sums and square roots of numbers are rounded.
        self._slack = 1e-12 if classes is not None else 1e-9 * float(np.max(np.abs(truth), initial=0.0))

    def losses(self, says: Any, rows: Array) -> NDArray[np.float64]:
        """What an answer gets wrong of some rows: 0 or 1 of classes, squared deviations of numbers."""
        if self._place is not None:
            return np.asarray(self._truth[rows] != self._place[says], np.float64)
        return np.asarray((self._truth[rows] - number_predicted(says, self._cells, rows)) ** 2, np.float64)

    def shorter(self, rule: Rule, weights: Array, replaced: Array | None = None) -> Rule:
        """The rule without needless conditions; ``instead``: what is lost of a row that it does not take."""
        bare = rule.unscored()
        if not rule.when:
            return replace(bare, leaf=rule.leaf)
        tests = [half for condition in rule.when for half in halves(condition)]
        holding = np.packbits([condition.holds(self._cells) for condition in tests], axis=1, bitorder="little")
        words = np.zeros((len(holding), (len(weights) + 63) // 64 * 8), np.uint8)
        words[:, : holding.shape[1]] = holding
        parameters = 0.0
        if self._place is None:
            parameters = 1.0 + (len(rule.says.terms) if isinstance(rule.says, Equation) else 0)
        lost = weights * self.losses(rule.says, np.arange(len(weights)))
        other = None if replaced is None else weights * replaced
        left = _core.needed_conditions(words.view(np.uint64), weights, lost, other, self._confidence, parameters, self._slack)
        if len(left) == len(tests):
            return replace(bare, leaf=rule.leaf)
        return replace(bare, when=together(tests[i] for i in left))

    def in_order(self, rules: RuleSet, arrays: list[Array], weights: Array) -> list[Rule]:
        """The rules of a list, each judged by the rows that come to it.

        A rule may take more rows only if it gets no more of them wrong than the list did, so that the list never gets worse:
        these rows were decided by rules behind it, because those before it cover what they covered.
        """
        before = self._lost(rules, rules._covers(arrays, len(weights)).tocsc())
        reaches, kept = np.ones(len(weights)), []
        for rule in rules:
            shorter = self.shorter(rule, weights * reaches, before)
            taken = np.ones(len(weights))
            for condition in shorter.when:
                taken *= _share(condition, self._cells)
            reaches *= 1 - taken
            kept.append(shorter)
        return kept

    def _lost(self, rules: RuleSet, decides: Any) -> NDArray[np.float64]:
        """What rules get wrong of every row, part by part; ``decides`` is sparse, rows x (rules and the default), by column."""
        out = np.zeros(decides.shape[0])
        for at, says in enumerate([*(rule.says for rule in rules), rules._predictions.fallback]):
            own = slice(decides.indptr[at], decides.indptr[at + 1])
            out[decides.indices[own]] += decides.data[own] * self.losses(says, decides.indices[own])
        return out


def halves(condition: Condition) -> tuple[Condition, ...]:
    """An interval as its two ends, each of which may be needless; other conditions as they are."""
    if condition.low is None or condition.high is None or condition.if_missing or 0 < condition.share < 1:
        return (condition,)
    return replace(condition, high=None), replace(condition, low=None)


def _share(condition: Condition, cells: Sequence[Array]) -> NDArray[np.float64]:
    """The part of every row that satisfies a condition."""
    out = condition.holds(cells).astype(np.float64)
    if 0 < condition.missing_share < 1 and not condition.missing:
        out[gone(condition.column, cells[condition.index])] = condition.missing_share
    return out
