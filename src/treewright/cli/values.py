"""Conditions, rules, trees and explanations as values for other programs: numbers, nulls, lists; no text to be taken apart."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any


def plain(value: Any) -> Any:
    """A cell, a class or an answer as JSON has it: dates as ISO text, numbers that are none as null."""
    from treewright.model.linear import Equation, Scores

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


def equation_data(equation: Any) -> dict[str, Any]:
    """An equation: its constant, and the terms with what a missing cell counts as."""
    terms = [
        {
            "column": term.column,
            **({} if term.levels is None else {"levels": [plain(level) for level in term.levels]}),
            "coefficient": term.coefficient,
            "missing": term.missing,
        }
        for term in equation.terms
    ]
    return {"intercept": equation.intercept, "terms": terms}


def condition_data(condition: Any) -> dict[str, Any]:
    """A condition: the interval or the levels a known cell must lie in, and what holds of a missing one."""
    column = condition.column
    data: dict[str, Any] = {"column": column.name, "text": condition.text(exact=True)}
    if not condition.holds_known:
        data["known"] = False
    elif column.nominal:
        if condition.levels is not None:
            codes = condition.listed or tuple(sorted(condition.levels))
            data["levels"] = [plain(column.levels[code]) for code in codes]
    elif column.kind in ("ordered", "bool"):
        low, high = condition.interval()
        values = column.levels or (False, True)
        data["levels"] = [plain(level) for level in values[int(low) : int(high) + 1]]
    else:
        for name, bound in (("low", condition.low), ("high", condition.high)):
            data[name] = None if bound is None else {"value": plain(column.cell_value(bound.at)), "inclusive": bound.inclusive}
    data["missing"] = condition.missing
    if condition.missing_share:
        data["missing_share"] = condition.missing_share
    return data


def rule_data(rule: Any, classes: Any) -> dict[str, Any]:
    """A rule: its conditions, its answer, and what is known of its rows."""
    return {
        "when": [condition_data(condition) for condition in rule.when],
        "says": plain(rule.says),
        "rows": rule.weight if rule.scored else None,
        "support": rule.support if rule.scored else None,
        "confidence": rule.confidence,
        "coverage": rule.coverage,
        "lift": rule.lift,
        "spread": rule.spread,
        "classes": _mix(classes, rule.counts),
        "leaf": rule.leaf if rule.leaf >= 0 else None,
    }


def _mix(classes: Any, counts: Any) -> dict[str, float] | None:
    return None if counts is None or classes is None else {str(label): n for label, n in zip(classes, counts, strict=True)}


def rules_data(rules: Any) -> dict[str, Any]:
    """Rules, the default last."""
    every = [*rules, *([] if rules.otherwise is None else [rules.otherwise])]
    data = [rule_data(rule, rules.target.classes) for rule in every]
    return {"target": rules.target.name, "ordered": rules.ordered, "rules": data}


def tree_data(tree: Any) -> dict[str, Any]:
    """A tree, node by node; a node that asks has its branches with what leads down each."""
    from treewright.model.node import conditions_of
    from treewright.show.words import Words

    words = Words(tree, exact=True)
    state = {name: column.tolist() if hasattr(column, "tolist") else column for name, column in tree._state.items()}
    depths = tree._depths.tolist()
    nodes = []
    for id in range(tree.n_nodes):
        node: dict[str, Any] = {"node": id, "depth": depths[id], "rows": words.weight[id]}
        if id:
            node["parent"] = words.parent[id]
        if words.classes is not None:
            node["classes"] = {str(words.classes[k]): weight for k, weight in words.mix(id)} if words.weight[id] else {}
            node["says"] = plain(words.classes[words.label[id]])
        else:
            node["says"] = plain(words.value[id] if tree.vectors is None else tree.node(id).prediction)
            node["spread"] = words.spread(id)
        if tree.models is not None and not words.count[id]:
            leaf = tree.node(id)
            node["equation" if leaf.scores is None else "scores"] = plain(leaf.equation if leaf.scores is None else leaf.scores)
        if words.count[id]:
            ways = conditions_of(tree, state, id, range(words.count[id]))
            node["asks"] = tree.columns[words.column_index(id)].name
            node["branches"] = [
                {"node": child, "condition": condition_data(way)} for child, way in zip(words.children(id), ways, strict=True)
            ]
        nodes.append(node)
    return {"target": tree.target.name, "n_nodes": tree.n_nodes, "n_leaves": tree.n_leaves, "depth": tree.depth, "nodes": nodes}


def _mean(value: Any) -> Any:
    return {str(label): weight for label, weight in value.items()} if isinstance(value, dict) else plain(value)


def explained(found: Any) -> dict[str, Any]:
    """An explanation, of a tree or of rules."""
    shares = None if found.shares is None else {str(label): share for label, share in found.shares.items()}
    if not hasattr(found, "steps"):
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
