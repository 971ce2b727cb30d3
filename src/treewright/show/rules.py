"""Rules as a Markdown table and a frame."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import visible
from treewright.model.linear import Equation
from treewright.table.schema import share_text, spread_text, weight_text

if TYPE_CHECKING:
    from treewright.model.rule import Rule
    from treewright.model.rules import RuleSet


def _lines(rules: RuleSet) -> list[tuple[str, Rule]]:
    """Every rule with its conditions as text; the default last."""
    out = [(" and ".join(rules.digits.when(c) for c in rule.when) or "always", rule) for rule in rules]
    return [*out, ("otherwise", rules.otherwise)] if rules.otherwise is not None else out


def rules_markdown(rules: RuleSet) -> str:
    """Write rules as a Markdown table; characters that Markdown would take for its own are escaped."""
    sure = "right" if rules.target.nominal else "spread"
    lines = [f"| # | if | then | rows | {sure} |", "|---|---|---|---|---|"]
    for at, (when, rule) in enumerate(_lines(rules)):
        figures = ["", ""]
        if rule.scored:
            spread = "" if rule.spread is None else spread_text(rule.spread)
            quality = share_text(rule.confidence) if rule.confidence is not None else spread
            figures = [weight_text(rule.weight), quality if rule.weight > 0 else ""]
        number, says = "" if rule is rules.otherwise else at, rule.answer(rules.target, digits=rules.digits)
        lines.append(f"| {number} | {_escaped(when)} | {_escaped(says)} | {figures[0]} | {figures[1]} |")
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

        places = [*range(len(rules)), *([] if rules.otherwise is None else [-1])]  # as `apply` tells them
        facts = {name: np.array(c, float) if name in _FACTS else c for name, c in columns.items()}
        return pd.DataFrame(facts, index=places)
    import pyarrow as pa

    return pa.table({name: pa.array(c, pa.float64()) if name in _FACTS else pa.array(c) for name, c in columns.items()})


def _plain(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)
