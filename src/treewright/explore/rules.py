"""An ordered list of rules as the explorer draws it: a ladder, whose nodes are "does this rule hold?" and what it says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright.errors import visible
from treewright.explore.document import numbers
from treewright.explore.facts import column_facts, read_rows, sampled
from treewright.explore.linear import written
from treewright.explore.means import ladder_means
from treewright.explore.quality import quality
from treewright.export.portable import portable
from treewright.export.rule_program import list_program
from treewright.model.linear import Equation
from treewright.model.rule import Rule
from treewright.model.rules import RuleSet
from treewright.table.schema import number_text


def rules_document(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    validation: Any = None,
    folds: Any = None,
    include_rows: Any = False,
    title: str | None = None,
) -> dict[str, Any]:
    """Return the document of rules, or of an estimator that learned some; see ``Explorable.explore`` for the parameters."""
    if validation is not None or folds is not None:
        raise ValueError("validation= and folds= judge the sizes of a tree; a list of rules has one size: leave them out")
    rules: RuleSet = model._model
    program, owner = list_program(rules, model._class_order(), fractions=True, surrogates=True)
    rows = read_rows(rules.schema, rules.target, X, y)
    answers = [column == -1 for column in program.column]
    says = [*(rule.says for rule in rules), rules._predictions.fallback]
    lines = {2 * r + int(r < len(rules)): each for r, each in enumerate(says)}
    linear = any(isinstance(each, Equation) for each in says)
    terms = [term.index for each in says if isinstance(each, Equation) for term in each.terms]
    tests = [*(j for column in program.column for j in _columns(program, column)), *terms]
    importance = np.bincount(tests, minlength=len(program.inputs)) / max(1, len(tests))
    votes = None if rows is None or y is None else rules._covers(rows.arrays, rows.n_rows)
    training = votes is not None and bool(np.allclose(np.asarray(votes.sum(axis=0)).reshape(-1), _weights(rules)))
    return {
        "kind": "rules",
        "title": title or f"Rules for {visible(rules.target.name)}",
        "target": rules.target.name,
        "classes": None if rules.target.classes is None else [str(label) for label in rules.target.classes],
        "columns": column_facts(rules.schema, sorted({*program.used, *terms}), _cuts(program), rows, importance),
        "program": portable(program),
        # Rule r is node 2 r, which its own answer follows; the default is the last node.
        "origin": [2 * r + int(says and r < len(rules)) for r, says in zip(owner, answers, strict=True)],
        # Who votes, or takes a part of a row: from which node on a rule asks, and where it answers.
        "votes": {"all": not rules.ordered, "spans": [list(span) for span in program.rules]}
        if program.ways or not rules.ordered
        else None,
        "linear": {"fill": None, "leaves": {id: [written(each)] for id, each in lines.items()}} if linear else None,
        "nodes": _nodes(rules, *((votes, rows.target) if training and rows is not None else (None, None))),
        "says": {
            "cuts": [],
            "questions": {},
            "branches": {},
            "levels": {},
            "rules": {
                2 * r: [rules.digits.when(condition, quoted=False) for condition in rule.when] for r, rule in enumerate(rules)
            },
            "sentences": _sentences(rules),
            **({"equations": {id: [f"LM {n}", _text(each)] for n, (id, each) in enumerate(lines.items(), 1)}} if linear else {}),
        },
        "why": {},
        "surrogates": {},
        "path": None,
        "given": None,
        "quality": quality(model, rules.target, rows, y, training),
        "histograms": {},
        **sampled(rows, include_rows),
    }


def _text(says: Any) -> str:
    return says.text(4) if isinstance(says, Equation) else number_text(float(f"{says:.6g}"))


def _weights(rules: RuleSet) -> Any:
    """What every rule decides of the training rows, the default last; 0 where rules were not scored."""
    return np.array([0.0 if rule is None or not rule.scored else rule.weight for rule in [*rules.rules, rules.otherwise]])


def _sentences(rules: RuleSet) -> list[str]:
    """Every rule as ``RuleSet.to_text`` writes it, and the default last."""
    lines = [line for line in rules.to_text().split("\n") if line]
    if rules.otherwise is None:
        lines.append(f"{'else' if rules.ordered else 'otherwise'} {Rule((), rules._predictions.fallback).text(rules.target)}")
    return lines


def _columns(program: Any, column: int) -> list[int]:
    """The columns that a test reads: its own, or those of a number that is computed."""
    n = len(program.inputs)
    return (
        [column] * (column >= 0)
        if column < n
        else sorted({j for term in program.derived[column - n].terms for j in (term.column, term.by)} - {-1})
    )


def _cuts(program: Any) -> dict[int, list[float]]:
    out: dict[int, list[float]] = {}
    for column, cuts in zip(program.column, program.cuts, strict=True):
        if 0 <= column < len(program.inputs):
            out.setdefault(column, []).extend(cuts)
    return out


def _nodes(rules: RuleSet, votes: Any, truth: Any) -> dict[str, Any]:
    """Every rule with the rows that come to it, and its answer with those it decides."""
    n = len(rules)
    predictions = rules._predictions
    every = [*rules.rules, rules.otherwise]
    own = _weights(rules)
    weight = np.zeros(2 * n + 1)
    weight[0::2] = np.cumsum(own[::-1])[::-1]
    weight[1::2] = own[:-1]
    out: dict[str, Any] = {
        "first": [2 * r + 1 if at == 0 and r < n else 0 for r in range(n + 1) for at in range(2)][: 2 * n + 1],
        "count": [2 if at == 0 and r < n else 0 for r in range(n + 1) for at in range(2)][: 2 * n + 1],
        "weight": numbers(weight),
        "gain": [0] * (2 * n + 1),
        "impurity": [0] * (2 * n + 1),
        "missing_seen": [0] * (2 * n + 1),
    }
    if rules.target.classes is None:
        mean, spread = ladder_means(rules, own, votes, truth)
        off = np.full(2 * n + 1, math.nan)  # of answers, from what they say
        off[[*range(1, 2 * n, 2), 2 * n]] = [math.nan if rule is None or rule.spread is None else rule.spread for rule in every]
        return {**out, "value": numbers(mean), "spread": numbers(spread, 6), "deviation": numbers(off, 6)}
    k = len(rules.target.classes)
    place = {label: at for at, label in enumerate(rules.target.classes)}
    counts = np.array([np.zeros(k) if rule is None or rule.counts is None else rule.counts for rule in every])
    mixes = np.zeros((2 * n + 1, k))
    mixes[0::2] = np.cumsum(counts[::-1], axis=0)[::-1]
    mixes[1::2] = counts[:-1]
    label = np.argmax(mixes, axis=1)
    label[1::2] = [place[rule.says] for rule in rules]
    label[-1] = place[predictions.fallback]
    rows, ids = np.nonzero(mixes)
    begin = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=2 * n + 1))])
    return {**out, "label": numbers(label), "class_begin": numbers(begin), "class_id": numbers(ids),
            "class_weight": numbers(mixes[rows, ids])}  # fmt: skip
