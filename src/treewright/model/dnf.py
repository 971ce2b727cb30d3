"""One rule per class whose conditions are joined by "or": a class as the union of the regions of its rules."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import visible
from treewright.model.condition import Condition
from treewright.model.digits import PLAIN, Digits
from treewright.model.implied import Wider
from treewright.model.rule import Rule
from treewright.model.scores import read_target
from treewright.table import TargetSchema

if TYPE_CHECKING:
    from treewright.model.rules import RuleSet


@dataclass(frozen=True, slots=True)
class Disjunction:
    """If any of several lists of conditions holds, it says a class or a number.

    Attributes
    ----------
    terms : tuple of tuple of Condition
        The lists; one that is empty always holds.
    says : object
        The class or the number.
    weight, support : float
        Weight of the rows it decides, and their share of all. NaN where it is not known how far its lists overlap.
    confidence : float or None
        Share of that weight that is of its class.
    begins : str
        What its text begins with: "else " behind others of an ordered list, "otherwise " where no rule of a set holds.
    """

    terms: tuple[tuple[Condition, ...], ...]
    says: Any
    weight: float
    support: float
    confidence: float | None
    target: TargetSchema
    begins: str = ""
    digits: Digits = field(default=PLAIN, repr=False, compare=False)

    def text(self) -> str:
        """Write it in one line; lists of several conditions stand in brackets."""
        phrase = Rule((), self.says).answer(self.target, digits=self.digits)
        if not self.terms or any(not term for term in self.terms):
            return visible(f"{self.begins}{phrase}")
        terms = " or ".join(self._term_text(term) for term in self.terms)
        return visible(f"{self.begins}if {terms} then {phrase}")

    def _term_text(self, term: tuple[Condition, ...]) -> str:
        phrase = " and ".join(self.digits.when(condition) for condition in term)
        return f"({phrase})" if len(self.terms) > 1 and len(term) > 1 else phrase

    def matches(self, cells: list[NDArray[Any]]) -> NDArray[np.bool_]:
        """Which rows, given by the cells of every column, satisfy it."""
        holding = np.zeros(len(cells[0]), bool)
        for term in self.terms:
            inside = np.ones(len(cells[0]), bool)
            for condition in term:
                inside &= condition.holds(cells)
            holding |= inside
        return holding

    def __str__(self) -> str:
        return self.text()


def disjunctions(rules: RuleSet, rows: tuple[Any, Any, Any] | None = None) -> list[Disjunction]:
    """Join the rules that say the same: all of them, or in an ordered list those that stand together; then the default."""
    if rows is not None:
        rules = rules.scored(*rows)
    groups = _runs(rules) if rules.ordered else _by_answer(rules)
    joined = [_joined([rules[at] for at in group], rules, rows, group) for group in groups]
    if rules.ordered:
        joined[1:] = [replace(each, begins="else ") for each in joined[1:]]
    if (last := rules.otherwise) is not None:
        word = "else " if rules.ordered else "otherwise "
        facts = last.weight, last.support, last.confidence, rules.target, word, rules.digits
        joined.append(Disjunction(((),), last.says, *facts))
    return joined


def _runs(rules: RuleSet) -> list[list[int]]:
    groups: list[list[int]] = []
    for at, rule in enumerate(rules):
        if groups and rules[groups[-1][0]].says == rule.says:
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def _by_answer(rules: RuleSet) -> list[list[int]]:
    groups: dict[Any, list[int]] = {}
    for at, rule in enumerate(rules):
        groups.setdefault(rule.says, []).append(at)
    first = [label for label in rules.target.classes or () if label in groups]  # behind the classes, scores of them
    return [groups[answer] for answer in dict.fromkeys([*first, *groups])]


def _exclusive(rules: RuleSet) -> bool:
    """Whether a row is decided by one rule, or in parts by several: so are ordered lists, and leaves of a tree."""
    leaves = {rule.leaf for rule in rules}
    return rules.ordered or (-1 not in leaves and len(leaves) == len(rules))


def _joined(group: list[Rule], rules: RuleSet, rows: tuple[Any, Any, Any] | None, places: list[int]) -> Disjunction:
    wider = Wider(group)

    def redundant(at: int) -> bool:
        if any(True for _ in wider.of(at, 0, at)):
            return True
        return any(not group[other].implies(group[at]) for other in wider.of(at, at + 1, len(group)))  # of equals the first stays

    kept = [rule for at, rule in enumerate(group) if not redundant(at)]
    weight, support, confidence = _known(group) if len(group) == 1 or _exclusive(rules) else _counted(rules, rows, places)
    return Disjunction(tuple(r.when for r in kept), group[0].says, weight, support, confidence, rules.target, digits=rules.digits)


def _known(group: list[Rule]) -> tuple[float, float, float | None]:
    weight, support = sum(rule.weight for rule in group), sum(rule.support for rule in group)
    unknown = any(rule.confidence is None and rule.weight != 0 for rule in group)
    right = None if unknown else sum(rule.weight * (rule.confidence or 0.0) for rule in group)
    return weight, support, right / weight if right is not None and weight > 0 else None


def _counted(rules: RuleSet, rows: tuple[Any, Any, Any] | None, places: list[int]) -> tuple[float, float, float | None]:
    """A row counts once, however many of the rules hold."""
    if rows is None:
        return math.nan, math.nan, None
    X, y, sample_weight = rows
    covers = rules._covers(*rules._cells(X))
    truth, weights = read_target(y, sample_weight, rules.target, covers.shape[0])
    own = weights * np.asarray(covers[:, places].max(axis=1).todense()).reshape(-1)
    weight, total = float(own.sum()), float(weights.sum())
    classes = rules.target.classes
    right = None if classes is None else float(own[truth == classes.index(rules[places[0]].says)].sum())
    return weight, weight / total if total > 0 else 0.0, right / weight if right is not None and weight > 0 else None
