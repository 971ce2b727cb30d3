"""One rule per class whose conditions are joined by "or": a class as the union of the regions of its rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import visible
from treewright.model.condition import Condition
from treewright.model.rule import Rule
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
        Weight of the rows it decides, and their share of all.
    confidence : float or None
        Share of that weight that is of its class.
    """

    terms: tuple[tuple[Condition, ...], ...]
    says: Any
    weight: float
    support: float
    confidence: float | None
    target: TargetSchema

    def text(self) -> str:
        """Write it in one line; lists of several conditions stand in brackets."""
        said = Rule((), self.says).answer(self.target)
        if not self.terms or any(not term for term in self.terms):
            return visible(said)
        return visible(f"if {' or '.join(_term_text(term, len(self.terms) > 1) for term in self.terms)} then {said}")

    def matches(self, cells: list[NDArray[Any]]) -> NDArray[np.bool_]:
        """Which rows, given by the cells of every column, satisfy it."""
        held = np.zeros(len(cells[0]), bool)
        for term in self.terms:
            inside = np.ones(len(cells[0]), bool)
            for condition in term:
                inside &= condition.holds(cells)
            held |= inside
        return held

    def __str__(self) -> str:
        return self.text()


def _term_text(term: tuple[Condition, ...], several: bool) -> str:
    said = " and ".join(condition.text(exact=True, quoted=True) for condition in term)
    return f"({said})" if several and len(term) > 1 else said


def disjunctions(rules: RuleSet) -> list[Disjunction]:
    """Join the rules that say the same: all of them, or in an ordered list those that stand together."""
    groups: list[list[Rule]] = []
    for rule in rules:
        if rules.ordered:
            if groups and groups[-1][0].says == rule.says:
                groups[-1].append(rule)
            else:
                groups.append([rule])
            continue
        same = next((group for group in groups if group[0].says == rule.says), None)
        if same is None:
            groups.append([rule])
        else:
            same.append(rule)
    if rules.target.classes is not None and not rules.ordered:
        groups.sort(key=lambda group: (rules.target.classes or ()).index(group[0].says))
    return [_joined(group, rules.target) for group in groups]


def _joined(group: list[Rule], target: TargetSchema) -> Disjunction:
    kept: list[Rule] = []
    for rule in group:
        if any(rule.implies(other) for other in kept):
            continue
        kept = [*(other for other in kept if not other.implies(rule)), rule]
    weight = sum(rule.weight for rule in group)
    right = None if any(rule.confidence is None for rule in group) else sum(r.weight * (r.confidence or 0.0) for r in group)
    confidence = right / weight if right is not None and weight > 0 else None
    return Disjunction(tuple(r.when for r in kept), group[0].says, weight, sum(r.support for r in group), confidence, target)
