"""Explanations as values for other programs: numbers, nulls, lists; no text to be taken apart."""

from __future__ import annotations

from typing import Any

from treewright.inspect.forest import ForestExplanation
from treewright.inspect.rules import RuleExplanation
from treewright.show.data import condition_data, plain


def _mean(value: Any) -> Any:
    return {str(label): weight for label, weight in value.items()} if isinstance(value, dict) else plain(value)


def _labelled(told: dict[Any, Any]) -> dict[str, Any]:
    return {str(label): plain(value) for label, value in told.items()}


def explained(found: Any) -> dict[str, Any]:
    """An explanation, of a tree, of rules or of a forest."""
    if isinstance(found, ForestExplanation):
        named = {name: _labelled(told) if isinstance(told, dict) else plain(told) for name, told in found.to_dict().items()}
        return {**named, "asked": found.to_dict()["asked"]}
    if hasattr(found, "inputs"):  # of a stack, what its members say
        final = {} if found.final is None else {"final": explained(found.final)}
        return {"says": plain(found.says), "members": _labelled(found.members), "shares": found.shares, **final}
    shares = None if found.shares is None else {str(label): share for label, share in found.shares.items()}
    if isinstance(found, RuleExplanation):
        near = [{"rule": at, "condition": condition_data(each)} for at, each in found.broken]
        return {"says": plain(found.says), "rule": found.rule, "holds": list(found.holds), "near": near, "shares": shares}
    return {
        "row": {name: plain(cell) for name, cell in found.cells.items()},
        "steps": [
            {
                "condition": condition_data(s.test),
                "missing": s.missing,
                "node": s.node,
                "rows": s.weight,
                "value": _mean(s.value),
            }
            for s in found.steps
        ],
        "parts": [
            {
                "leaf": p.leaf,
                "share": p.share,
                "when": [condition_data(c) for c in p.when],
                "says": plain(p.says),
                "rows": p.weight,
            }
            for p in found.parts
        ],
        "says": plain(found.says),
        "rows": found.weight,
        "share": found.share,
        "spread": found.spread,
        "shares": shares,
        "changes": [
            {"column": c.column, "conditions": [condition_data(test) for test in c.tests], "says": plain(c.says)}
            for c in found.changes
        ],
        "notes": list(found.notes),
    }
