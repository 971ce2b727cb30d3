"""Rules as a Markdown table, a frame and JSON."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from treewright.errors import visible
from treewright.model.linear import Equation, LinearTerm
from treewright.table.schema import share_text, spread_text, weight_text

if TYPE_CHECKING:
    from treewright.model.condition import Condition
    from treewright.model.rule import Rule
    from treewright.model.rules import RuleSet
    from treewright.model.surrogate import StandIn
    from treewright.table import ColumnSchema


def _lines(rules: RuleSet) -> list[tuple[str, Rule]]:
    """Every rule with its conditions as text; the default last."""
    out = [(" and ".join(c.text(exact=True, quoted=True) for c in rule.when) or "always", rule) for rule in rules]
    return [*out, ("otherwise", rules.otherwise)] if rules.otherwise is not None else out


def rules_markdown(rules: RuleSet) -> str:
    """Write rules as a Markdown table; characters that Markdown would take for its own are escaped."""
    sure = "right" if rules.target.nominal else "spread"
    lines = [f"| # | if | then | rows | {sure} |", "|---|---|---|---|---|"]
    texts = rules.answer_texts()
    for number, (when, rule) in enumerate(_lines(rules), 1):
        known = ["", ""]
        if rule.scored:
            spread = "" if rule.spread is None else spread_text(rule.spread)
            quality = share_text(rule.confidence) if rule.confidence is not None else spread
            known = [weight_text(rule.weight), quality if rule.weight > 0 else ""]
        lines.append(
            f"| {number} | {_escaped(when)} | {_escaped(rule.answer(rules.target, texts=texts))} | {known[0]} | {known[1]} |"
        )
    return "\n".join(lines)


def _escaped(text: str) -> str:
    out = visible(text)
    for sign in "\\`*_{}[]<>#|!&~$":
        out = out.replace(sign, "\\" + sign)
    return out


_FACTS = ("weight", "support", "confidence", "coverage", "lift", "errors", "spread")


def rules_frame(rules: RuleSet) -> Any:
    """Return rules as a table, one a row."""
    entries = _lines(rules)
    columns: dict[str, list[Any]] = {
        "if": [when for when, _ in entries],
        "then": [str(rule.says) if isinstance(rule.says, Equation) else rule.says for _, rule in entries],
        "conditions": [len(rule.when) for _, rule in entries],
    }
    for fact in _FACTS:
        columns[fact] = [_plain(getattr(rule, fact)) for _, rule in entries]
    if find_spec("pandas") is not None:
        import pandas as pd

        return pd.DataFrame({name: pd.Series(c, dtype=float) if name in _FACTS else c for name, c in columns.items()})
    import pyarrow as pa

    return pa.table({name: pa.array(c, pa.float64()) if name in _FACTS else pa.array(c) for name, c in columns.items()})


def _plain(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def rules_json(rules: RuleSet) -> str:
    """Write rules as JSON, ASCII only."""
    target = rules.target
    document = {
        "target": target.name,
        "classes": None if target.classes is None else [_value(label) for label in target.classes],
        "ordered": rules.ordered,
        "rules": [_rule(rule) for rule in rules],
        "otherwise": None if rules.otherwise is None else _rule(rules.otherwise),
    }
    return json.dumps(document, indent=1, allow_nan=False)


def _rule(rule: Rule) -> dict[str, Any]:
    facts = {fact: value for fact in _FACTS if (value := _plain(getattr(rule, fact))) is not None}
    return {"if": [_condition(condition) for condition in rule.when], "then": _value(rule.says), **facts}


def _value(value: Any) -> Any:
    if isinstance(value, Equation):
        return {"intercept": value.intercept, "terms": [_term(term) for term in value.terms]}
    return value if isinstance(value, (bool, int, float, str)) and value == value else str(value)


def _term(term: LinearTerm) -> dict[str, Any]:
    of = (
        {"column": term.column}
        if term.levels is None
        else {"column": term.column, "in": [_value(level) for level in term.levels]}
    )
    return {**of, "coefficient": term.coefficient, "missing": term.missing}


def _condition(condition: Condition) -> dict[str, Any]:
    column = condition.column
    out: dict[str, Any] = {"column": column.name}
    if condition.levels is not None:
        out["in"] = [_value(column.levels[code]) for code in sorted(condition.levels)]
    for end, (inside, outside) in ((condition.low, (">=", ">")), (condition.high, ("<=", "<"))):
        if end is not None:
            value = column.cell_value(end.at)
            out[inside if end.inclusive else outside] = value if isinstance(value, float) else str(value)
    out["missing"] = 1.0 if condition.missing else condition.missing_share
    if not condition.known:
        out["known"] = False
    if condition.instead:
        out["instead"] = [_stand_in(stand_in, column) for stand_in in condition.instead]
    return out


def _stand_in(stand_in: StandIn, column: ColumnSchema) -> dict[str, Any]:
    out: dict[str, Any] = {"surrogates": [{"if": _condition(a), "against": _condition(b)} for a, b in stand_in.ways]}
    for name, codes in (("known", stand_in.asked), ("in", stand_in.levels)):
        if codes is not None:
            out[name] = [_value(column.levels[code]) for code in sorted(codes)]
    return {**out, "otherwise": stand_in.last}
