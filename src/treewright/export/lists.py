"""An ordered list of rules as a flat program: a rule that fails jumps to the next one, the last to the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright.export.asked import FAILS, HOLDS, asked
from treewright.export.labels import class_labels, inputs_of
from treewright.export.nodes import Nodes
from treewright.export.program import REFUSED, SPREAD, Answer, Program, computed
from treewright.model.linear import Equation
from treewright.model.rules import RuleSet


def list_program(
    rules: RuleSet, order: Sequence[int] | None = None, parts: bool = False, stand_ins: bool = False
) -> tuple[Program, list[int]]:
    """Write an ordered list as a program: a node per condition, and one that answers behind the conditions of each rule.

    Also the number of the rule of every node; the default has the last number. Where rules say equations, the program finds the
    rule, and answers with what it would say of a row without any cell. ``parts``: rules that vote, or take parts of rows, are
    written too; who reads them asks every rule by itself, because the ways of parts meet again and again. ``stand_ins``: so are
    conditions with columns that stand in for missing cells, which take nodes of their own.
    """
    if not rules.ordered and len(rules) > 1 and not parts:
        raise ValueError("these rules vote, they are no ordered list: take the tree they were read from, or a rule learner")
    for condition in (condition for rule in rules for condition in rule.when):
        if (condition.if_missing and not stand_ins) or (0 < condition.missing_share < 1 and not parts):
            raise ValueError(
                f"{condition.text()!r} sends rows several ways, which a list of rules cannot: take the tree, or use save()"
            )
    nodes, owner, spans = Nodes(), [], []
    ways: dict[int, tuple[tuple[int, float], ...]] = {}
    begin = 0
    for r, rule in enumerate(rules):
        blocks = [asked(rules.schema, condition) for condition in rule.when]
        answer = begin + sum(map(len, blocks))
        at = begin
        for condition, block in zip(rule.when, blocks, strict=True):
            # A row for which the rule does not hold goes on behind its answer.
            places = {HOLDS: at + len(block), FAILS: answer + 1, **{k: at + k for k in range(len(block))}}
            for k, (column, cuts, to, lost) in enumerate(block):
                missing, share = places[lost], condition.missing_share
                if 0 < share < 1 and not condition.missing:
                    missing, ways[at + k] = SPREAD, ((places[HOLDS], share), (places[FAILS], 1 - share))
                nodes.add_test(column, cuts, tuple(places[each] for each in to), False, missing)
            at += len(block)
        nodes.add_answer(r)
        owner += [r] * (answer + 1 - begin)
        spans.append((begin, answer))
        begin = answer + 1
    nodes.add_answer(len(rules))
    owner.append(len(rules))
    classes = rules.target.classes
    program = Program(
        inputs=inputs_of(rules.schema),
        target=rules.target.name,
        classes=class_labels(classes),
        order=tuple(range(len(classes or ())) if order is None else order),
        **vars(nodes),
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
    said = [*(rule.says for rule in rules), rules._predictions.fallback]
    answers = [computed([each]) if isinstance(each, Equation) else Answer(REFUSED, (float(each),)) for each in said]
    return replace(program, answers=answers, bounded=any(isinstance(each, Equation) for each in said))


def _answers(rules: RuleSet) -> list[Answer]:
    told = rules._predictions
    says = [*(rule.says for rule in rules), told.fallback]
    if rules.target.classes is None:
        return [Answer(REFUSED, (said.middle if isinstance(said, Equation) else float(said),)) for said in says]
    place = {label: k for k, label in enumerate(rules.target.classes)}
    return [Answer(place[said], tuple(shares)) for said, shares in zip(says, told.shares.tolist(), strict=True)]
