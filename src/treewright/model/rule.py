"""One rule: when certain conditions hold, this is what it says; and what is known of the rows it speaks of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from treewright.errors import as_float, isolated, shown, unknown, visible
from treewright.model.condition import ByColumn, Condition, listed, with_condition
from treewright.model.digits import PLAIN, Digits
from treewright.model.few import Few
from treewright.model.linear import Equation, Scores
from treewright.table import TableSchema, TargetSchema
from treewright.table.schema import name_text, number_text, share_text, spread_text, weight_text


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """If all conditions hold, the rule says a class or a number.

    Two rules are equal if they say the same under the same conditions, whatever rows they were scored on.

    Attributes
    ----------
    when : tuple of Condition
        At most one per column; empty: always.
    says : object
        The class, the number, or the equation or the scores by which it is computed.
    weight : float
        Weight of the rows it decides: those it covers and, in an ordered list, no rule before it covers. NaN until it is scored.
    support : float
        The same as a share of all rows.
    confidence : float or None
        Share of that weight that is of the class it says; None for numbers, and where there is no weight.
    leaf : int
        The leaf of the tree it was read from, or -1.
    spread : float or None
        Standard deviation of the target from what it says among these rows; None for classes, and for equations until
        they are compared with rows. Of a tree grown by "absolute_error" it is the mean, by "worst_case" the largest, by
        "poisson" the deviation that the deviance tells, until ``RuleSet.scored`` counts the standard deviation.
    counts : tuple of float or None
        Weight of every class among the rows it speaks for, in declared order; what ``predict_proba`` gives.
    coverage : float or None
        Share of all rows of the class it says that it decides.
    lift : float or None
        Confidence over the share of the class among all rows.
    """

    when: tuple[Condition, ...]
    says: Any
    weight: float = math.nan
    support: float = math.nan
    confidence: float | None = None
    leaf: int = -1
    spread: float | None = None
    counts: Sequence[float] | None = None
    coverage: float | None = None
    lift: float | None = None

    @property
    def errors(self) -> float | None:
        """Weight of the rows it decides that are of another class; None for numbers, before scoring, and if it decides none."""
        if self.confidence is None:
            return None
        right = self.weight * self.confidence
        # Where classes were counted, the count itself: a product of rounded shares is 4.000000000000012 instead of 4.
        counts = (*self.counts.values, 0.0) if isinstance(self.counts, Few) else self.counts
        counted = min(counts or (right,), key=lambda count: abs(count - right))
        return self.weight - (counted if abs(counted - right) <= 1e-9 * self.weight else right)

    @property
    def scored(self) -> bool:
        """Whether it has been compared with rows."""
        return not math.isnan(self.weight)

    def unscored(self) -> Rule:
        """The rule without what was counted."""
        return Rule(self.when, self.says)

    def condition(self, column: str) -> Condition | None:
        """The condition on a column, None where the rule does not ask for it."""
        if not isinstance(column, str):
            raise TypeError(f"a column is asked for by its name, not by {shown(column)}")
        return next((condition for condition in self.when if condition.column.name == column), None)

    def implies(self, other: Rule) -> bool:
        """Whether the other rule's conditions hold wherever this rule's do."""
        if not isinstance(other, Rule):
            raise TypeError(f"a rule is compared with another Rule, not with {shown(other)}")
        mine = {condition.index: condition for condition in self.when}
        return all(theirs.index in mine and mine[theirs.index].implies(theirs) for theirs in other.when)

    def text(self, target: str | TargetSchema, full: bool = False, digits: Digits = PLAIN) -> str:
        """Write the rule in one line; ``full``: so that it can be read back with nothing lost; ``digits``: of its set."""
        conditions = " and ".join(c.text(full=True) if full else digits.when(c) for c in self.when)
        said = self.answer(target, full, digits)
        votes = full and isinstance(target, TargetSchema) and target.classes is not None and self.counts is not None
        notes = self._votes(target) if votes and isinstance(target, TargetSchema) else self.notes()
        line = visible((f"if {conditions} then {said}" if conditions else said) + notes)
        return line if full else isolated(line)

    def answer(self, target: str | TargetSchema, full: bool = False, digits: Digits = PLAIN) -> str:
        """Write what the rule says."""
        if not isinstance(target, (str, TargetSchema)):
            raise TypeError(f"target must be the name of what the rule says, or rules.target, not {shown(target)}")
        if isinstance(self.says, Scores):
            name = target.name if isinstance(target, TargetSchema) else target
            return f"{name_text(name)} by {self.says}"
        schema = (
            target if isinstance(target, TargetSchema) else TargetSchema(target, None if _number(self.says) else (self.says,))
        )
        name = schema.name if schema.outputs else name_text(schema.name)  # several names are written as such
        return f"{name} = {schema.says_text(self.says, full, digits.answers)}"

    def notes(self) -> str:
        """Write in brackets what is known of its rows."""
        if not self.scored:
            return ""
        notes = [rows_text(self.weight)]
        if self.confidence is not None and self.weight > 0:
            notes.append(f"{share_text(self.confidence)} right")
        elif self.spread is not None:
            notes.append(spread_text(self.spread))
        return f"  ({', '.join(notes)})"

    def _votes(self, target: TargetSchema) -> str:
        """Write in brackets how many rows it decides and their classes, in full: what it votes with, and predicts shares by."""
        counts = zip(target.classes or (), self.counts or (), strict=True)
        said = [f"{target.says_text(label)} {number_text(count)}" for label, count in counts if count]
        return f"  ({number_text(self.weight)} {'row' if self.weight == 1 else 'rows'}: {', '.join(said)})" if self.scored else ""

    def __str__(self) -> str:
        """The rule in one line; without the target's name."""
        return self.text("target")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and _same(self.says, other.says) and frozenset(self.when) == frozenset(other.when)

    def __hash__(self) -> int:
        return hash((self.says, frozenset(self.when)))


def read_only(rule: Rule, target: TargetSchema) -> bool:
    """Whether the answer of a rule is written for people only: scores of classes, several numbers."""
    return isinstance(rule.says, Scores) or (target.classes is None and isinstance(rule.says, tuple))


def refuse_read_only(rules: Iterable[Rule], target: TargetSchema) -> None:
    """Refuse rules whose answers are written for people only: they cannot be asked, edited, saved or read back."""
    for rule in rules:
        if read_only(rule, target):
            what = "scores of classes" if isinstance(rule.says, Scores) else "several numbers"
            why = f"rules that say {what} are for reading, not for asking, editing or saving"
            raise ValueError(f"{why}: predict with, and save, the tree they were read from")


def refuse_edits(rules: Iterable[Rule], target: TargetSchema) -> None:
    """Refuse rules that cannot be written as files and edited: those written for people only, and those over sums of columns."""
    rules = list(rules)
    refuse_read_only(rules, target)
    if any(of_sums(rule) for rule in rules):
        raise ValueError("rules that test sums of several columns are not edited or saved: save the tree they were read from")


def of_sums(rule: Rule) -> bool:
    """Whether a condition of a rule is on a number derived from several columns."""
    return any(condition.equation is not None for condition in rule.when)


def _number(says: Any) -> bool:
    return isinstance(says, (float, Equation, tuple))


def _same(a: Any, b: Any) -> bool:
    same = a == b  # of arrays and frames an array: they are no answers
    return isinstance(same, (bool, np.bool_)) and bool(same) and isinstance(a, bool) == isinstance(b, bool)


def rows_text(weight: float) -> str:
    """Write a weight as a number of rows."""
    return f"{weight_text(weight)} {'row' if weight == 1 else 'rows'}"


def together(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Put conditions on one column together: intervals and sets of levels; what every cell satisfies is left out."""
    path: ByColumn = {}
    for condition in conditions:
        path = with_condition(path, condition)
    return listed(path)


def possible(conditions: Iterable[Condition]) -> bool:
    """Whether a row can satisfy them all; they are on different columns."""
    return all(condition.possible for condition in conditions)


def fitting(condition: Any, schema: TableSchema) -> Condition:
    """The condition on the column of its name in a table, which must be the same column."""
    if not isinstance(condition, Condition):
        raise TypeError(f"a condition is a Condition or text such as 'x <= 2.5', not {type(condition).__name__}")
    name = condition.column.name
    if name not in schema.names:
        raise unknown("column", name, schema.names)
    index = schema.names.index(name)
    if schema.columns[index] != condition.column:
        raise ValueError(
            f"the condition {shown(str(condition))} is on another column {name!r} than this table's: write it as text"
        )
    for each in condition.if_missing:
        for surrogate in each.surrogates:
            if any(fitting(asked, schema).index != asked.index for asked in surrogate.when):
                raise ValueError(f"what stands in for missing cells in {shown(str(condition))} is of another table")
    return condition if index == condition.index else replace(condition, index=index)


def fitting_rule(rule: Any, schema: TableSchema, target: TargetSchema) -> Rule:
    """The rule with its conditions on the columns of a table, if it says what the target can be."""
    if not isinstance(rule, Rule):
        raise TypeError(f"a rule is a Rule or text such as 'if … then {target.name} = …', not {type(rule).__name__}")
    says = rule.says
    if target.classes is not None:
        if not any(_same(says, label) for label in target.classes):
            raise ValueError(f"the rule says {shown(says)}, which is no class of {target.name!r}: {shown(list(target.classes))}")
    elif isinstance(says, Equation):
        if any(not 0 <= term.index < len(schema.names) or schema.names[term.index] != term.column for term in says.terms):
            raise ValueError(f"the equation {shown(str(says))} is of another table: write it as text")
    elif isinstance(says, bool) or not isinstance(says, Real) or not math.isfinite(as_float(says)):
        raise ValueError(f"the rule says {shown(says)}: it must say a finite number or an equation")
    else:
        says = float(says)
    return replace(rule, when=tuple(fitting(condition, schema) for condition in rule.when), says=says)
