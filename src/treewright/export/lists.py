"""An ordered list of rules as a flat program: a rule that fails jumps to the next one, the last to the default."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from treewright.export.program import ANSWER, REFUSED, SPREAD, Answer, Program, _input, computed, label_of
from treewright.model.condition import Condition
from treewright.model.linear import Equation
from treewright.model.rules import RuleSet


@dataclass
class _Nodes:
    """Nodes as they are added."""

    column: list[int] = field(default_factory=list)
    cuts: list[tuple[float, ...]] = field(default_factory=list)
    to: list[tuple[int, ...]] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    answer: list[int] = field(default_factory=list)

    def add(self, column: int, cuts: tuple[float, ...], to: tuple[int, ...], missing: int, answer: int) -> None:
        for entries, entry in zip(vars(self).values(), (column, cuts, to, missing, answer), strict=True):
            entries.append(entry)


def list_program(rules: RuleSet, order: Sequence[int] | None = None, parts: bool = False) -> tuple[Program, list[int]]:
    """Write an ordered list as a program: a node per condition, and one that answers behind the conditions of each rule.

    Also the number of the rule of every node; the default has the last number. Where rules say equations, the program finds the
    rule, and answers with what it would say of a row without any cell. ``parts``: rules that vote, or take parts of rows, are
    written too; who reads them asks every rule by itself, because the ways of parts meet again and again.
    """
    if not rules.ordered and len(rules) > 1 and not parts:
        raise ValueError("these rules vote, they are no ordered list: take the tree they were read from, or a rule learner")
    for condition in (condition for rule in rules for condition in rule.when):
        if condition.instead or (0 < condition.missing_share < 1 and not parts):
            raise ValueError(
                f"{condition.text()!r} sends rows several ways, which a list of rules cannot: take the tree, or use save()"
            )
    nodes, owner, spans = _Nodes(), [], []
    ways: dict[int, tuple[tuple[int, float], ...]] = {}
    at = 0
    for r, rule in enumerate(rules):
        after = at + len(rule.when) + 1  # where a row goes on for which the rule does not hold
        for k, condition in enumerate(rule.when):
            cuts, to = _jumps(rules, condition, at + k + 1, after)
            lost, share = at + k + 1 if condition.missing else after, condition.missing_share
            if 0 < share < 1 and not condition.missing:
                lost, ways[at + k] = SPREAD, ((at + k + 1, share), (after, 1 - share))
            nodes.add(condition.index, cuts, to, lost, REFUSED)
        nodes.add(ANSWER, (), (), REFUSED, r)
        owner += [r] * (len(rule.when) + 1)
        spans.append((at, after - 1))
        at = after
    nodes.add(ANSWER, (), (), REFUSED, len(rules))
    owner.append(len(rules))
    classes = rules.target.classes
    program = Program(
        inputs=tuple(_input(column, j, rules.schema) for j, column in enumerate(rules.schema.columns)),
        target=rules.target.name,
        classes=None if classes is None else tuple(label_of(label, "class") for label in classes),
        order=tuple(range(len(classes or ())) if order is None else order),
        column=nodes.column,
        cuts=nodes.cuts,
        to=nodes.to,
        less=[False] * len(owner),
        missing=nodes.missing,
        answer=nodes.answer,
        answers=_answers(rules),
        ways=ways,
        rules=tuple(spans),
    )
    return program, owner


def rule_program(rules: RuleSet, order: Sequence[int] | None = None) -> Program:
    """Write an ordered list as a program whose answers are those of the list, equations included; refuse what it cannot say."""
    program, _ = list_program(rules, order, parts=rules.ordered)
    if rules.target.classes is not None:
        return program
    said = [*(rule.says for rule in rules), rules._told.fallback]
    answers = [computed([each]) if isinstance(each, Equation) else Answer(REFUSED, (float(each),)) for each in said]
    return replace(program, answers=answers)


def _jumps(rules: RuleSet, condition: Condition, holds: int, fails: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """The cuts of a condition and where each interval leads."""
    if not condition.holds_known:
        return (), (fails,)
    if condition.column.nominal:
        codes = rules.schema.known[condition.index] if rules.schema.known else range(len(condition.column.levels))
        levels = condition.levels
        jumps = [(code, holds if levels is None or code in levels else fails) for code in codes]
        if not jumps:
            return (), (fails,)
        ends = [a for a, b in pairwise(jumps) if a[1] != b[1]]
        return tuple(float(code) for code, _ in ends), (*(to for _, to in ends), jumps[-1][1])
    low, high = condition.interval()
    cuts, to = [], [holds]
    if condition.low is not None:
        cuts.append(math.nextafter(low, -math.inf))
        to.insert(0, fails)
    if condition.high is not None:
        cuts.append(high)
        to.append(fails)
    return tuple(cuts), tuple(to)


def _answers(rules: RuleSet) -> list[Answer]:
    told = rules._told
    says = [*(rule.says for rule in rules), told.fallback]
    if rules.target.classes is None:
        return [Answer(REFUSED, (said.middle if isinstance(said, Equation) else float(said),)) for said in says]
    place = {label: k for k, label in enumerate(rules.target.classes)}
    return [Answer(place[said], tuple(shares)) for said, shares in zip(says, told.shares.tolist(), strict=True)]
