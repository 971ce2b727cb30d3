"""PART against WEKA's as recorded by ``make peers``: rules of whole tables, errors on fixed folds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treewright as tw

from .weka_records import fold_answers, recorded, table

OPTIONS: dict[str, dict[str, Any]] = {"pruned": {}, "unpruned": {"pruned": False}}


def cases() -> list[Any]:
    tables = recorded("part")["tables"]
    return [pytest.param(name, variant, id=f"{name}-{variant}") for name in sorted(tables) for variant in OPTIONS]


Ends = dict[int, list[Any]]


def listed(rules: tw.RuleSet) -> list[tuple[Ends, int, float, float]]:
    """By rule the ends of its intervals and its level, the class it says, its weight and what of it is wrong."""
    out: list[tuple[Ends, int, float, float]] = []
    place = {label: k for k, label in enumerate(rules.target.classes or ())}
    for rule in [*rules, rules.otherwise]:
        assert rule is not None
        ends: Ends = {}
        for condition in rule.when:
            if condition.levels is not None:
                ends[condition.index] = sorted(condition.levels)
            else:
                ends[condition.index] = [None if end is None else end.at for end in (condition.low, condition.high)]
        out.append((ends, place[rule.says], rule.weight, rule.errors or 0.0))
    return out


def read(rules: list[Any]) -> list[tuple[Ends, int, float, float]]:
    """The record in the same form; WEKA lists every test on the way."""
    out: list[tuple[Ends, int, float, float]] = []
    for tests, says, weight, wrong in rules:
        ends: Ends = {}
        for column, sign, value in tests:
            if sign == "=":
                ends[column] = [value]
                continue
            low, high = ends.get(column, [None, None])
            low = value if sign == ">" and (low is None or value > low) else low
            high = value if sign == "<=" and (high is None or value < high) else high
            ends[column] = [low, high]
        out.append((ends, says, weight, wrong))
    return out


def same(mine: tuple[Ends, int, float, float], theirs: tuple[Ends, int, float, float]) -> bool:
    if mine[0].keys() != theirs[0].keys() or mine[1] != theirs[1]:
        return False
    printed = 0.00501  # weights have two decimals, thresholds six digits
    if abs(mine[2] - theirs[2]) > printed or abs(mine[3] - theirs[3]) > printed:
        return False
    return all(
        (a is None) == (b is None) and (a is None or abs(a - b) <= 1e-5 * max(1.0, abs(b)))
        for column, ends in theirs[0].items()
        for a, b in zip(mine[0][column], ends, strict=True)
    )


def test_the_record_is_broad() -> None:
    assert len(recorded("part")["tables"]) >= 20


@pytest.mark.parametrize(("name", "variant"), cases())
def test_same_rules(shared: Path, name: str, variant: str) -> None:
    X, y = table(shared, name)
    theirs = read(recorded("part")["tables"][name]["rules"][variant])
    mine = listed(tw.PartClassifier(**OPTIONS[variant]).fit(X, y).ruleset_)
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=True):
        assert same(a, b), (a, b)


@pytest.mark.parametrize("name", sorted(recorded("part")["tables"]))
def test_errors_on_fixed_folds(shared: Path, name: str) -> None:
    X, y = table(shared, name)
    wrong = int((fold_answers(tw.PartClassifier(), X, y) != y.astype(object)).sum())
    assert wrong == recorded("part")["tables"][name]["errors"]
