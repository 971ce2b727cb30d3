"""Conditions and rules as values for other programs: numbers, nulls, lists; no text to be taken apart.

One shape wherever JSON is written: :meth:`RuleSet.to_json`, ``treewright rules --json`` and ``explain --json``.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from typing import TYPE_CHECKING, Any

from treewright.model.digits import PLAIN
from treewright.model.linear import Equation, Scores

if TYPE_CHECKING:
    from treewright.model.condition import Condition
    from treewright.model.rule import Rule
    from treewright.model.rules import RuleSet
    from treewright.model.surrogate import SurrogateCondition
    from treewright.table import ColumnSchema


def plain(value: Any) -> Any:
    """A cell, a class or an answer as JSON has it: dates as ISO text, numbers that are none as null."""
    if isinstance(value, Equation):
        return equation_data(value)
    if isinstance(value, Scores):
        return {str(label): equation_data(each) for label, each in value.of}
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def equation_data(equation: Equation) -> dict[str, Any]:
    """An equation: its constant, and the terms with what a missing cell counts as."""
    terms = [
        {
            "column": term.column,
            **({} if term.levels is None else {"levels": [plain(level) for level in term.levels]}),
            "coefficient": plain(term.coefficient),
            "missing": plain(term.missing),
            **({} if term.by is None else {"times": term.by.column, "times_missing": plain(term.by.missing)}),
        }
        for term in equation.terms
    ]
    return {"intercept": plain(equation.intercept), "terms": terms}


def condition_data(condition: Condition) -> dict[str, Any]:
    """A condition: the interval or the levels a known cell must lie in, and what holds of a missing one."""
    column = condition.column
    data: dict[str, Any] = {"column": column.name, "text": PLAIN.when(condition, quoted=False)}
    if not condition.holds_present:
        data["known"] = False
    elif column.nominal:
        if condition.levels is not None:
            data["levels"] = _levels(column, condition.listed or condition.levels)
    elif column.kind in ("ordered", "bool"):
        low, high = condition.interval()
        values = column.levels or (False, True)
        data["levels"] = [plain(level) for level in values[int(low) : int(high) + 1]]
    else:
        for name, bound in (("low", condition.low), ("high", condition.high)):
            data[name] = None if bound is None else {"value": plain(column.cell_value(bound.at)), "inclusive": bound.inclusive}
    data["missing"] = condition.missing
    if condition.missing_share:
        data["missing_share"] = plain(condition.missing_share)
    if condition.if_missing:
        data["instead"] = [_if_missing(each, column) for each in condition.if_missing]
    return data


def _levels(column: ColumnSchema, codes: Any) -> list[Any]:
    return [plain(column.levels[code]) for code in sorted(codes)]


def _if_missing(each: SurrogateCondition, column: ColumnSchema) -> dict[str, Any]:
    """What decides of a missing cell: the surrogates in turn, the levels the split knows, and what holds if none can say."""
    ways = [{"when": condition_data(asks), "against": condition_data(refuses)} for asks, refuses in each.ways]
    sets = (("known", each.own_levels), ("levels", each.levels))
    return {
        "surrogates": ways,
        **{k: _levels(column, codes) for k, codes in sets if codes is not None},
        "otherwise": each.last,
    }


def rule_data(rule: Rule, classes: Any) -> dict[str, Any]:
    """A rule: its conditions, its answer, and what is known of its rows."""
    mix = None if rule.counts is None or classes is None else zip(map(str, classes), map(plain, rule.counts), strict=True)
    facts = ("support", "confidence", "coverage", "lift", "errors", "spread")
    return {
        "when": [condition_data(condition) for condition in rule.when],
        "says": plain(rule.says),
        "rows": plain(rule.weight),
        **{fact: plain(getattr(rule, fact)) for fact in facts},
        "classes": None if mix is None else dict(mix),
        "leaf": rule.leaf if rule.leaf >= 0 else None,
    }


def rules_data(rules: RuleSet) -> dict[str, Any]:
    """Rules with their positions, and the default, which has none."""
    classes = rules.target.classes
    return {
        "target": rules.target.name,
        "classes": None if classes is None else [plain(label) for label in classes],
        "ordered": rules.ordered,
        "rules": [{"rule": at, **rule_data(rule, classes)} for at, rule in enumerate(rules)],
        "otherwise": None if rules.otherwise is None else rule_data(rules.otherwise, classes),
    }


def rules_json(rules: RuleSet) -> str:
    """Write rules as JSON, ASCII only."""
    return json.dumps(rules_data(rules), indent=1, allow_nan=False, default=str)
