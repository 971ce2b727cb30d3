"""An ordered list of rules as a flat program: a rule that fails jumps to the next one, the last to the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright.export.condition_nodes import FAILS, HOLDS, condition_nodes
from treewright.export.labels import class_labels, inputs_of
from treewright.export.nodes import DerivedNumbers, Nodes
from treewright.export.program import REFUSED, SPREAD, Answer, Program, computed
from treewright.model.few import dense, of_classes
from treewright.model.linear import Equation
from treewright.model.rules import RuleSet


def list_program(
    rules: RuleSet, order: Sequence[int] | None = None, fractions: bool = False, surrogates: bool = False
) -> tuple[Program, list[int]]:
    """Write an ordered list as a program: a node per condition, and one that answers behind the conditions of each rule.

    Also the number of the rule of every node; the default has the last number. Where rules predict by equations, the program
    finds the rule, and answers with what it would predict for a row without any cell. ``fractions``: rules that vote, or take
    fractions of rows, are written too; who reads them evaluates every rule by itself, because the ways of fractions meet again
    and again. ``surrogates``: so are conditions with surrogates for missing cells, which take nodes of their own.
    """
    if not rules.ordered and len(rules) > 1 and not fractions:
        raise ValueError("these rules vote, they are no ordered list: take the tree they were read from, or a rule learner")
    for condition in (condition for rule in rules for condition in rule.when):
        if (condition.if_missing and not surrogates) or (0 < condition.missing_share < 1 and not fractions):
            raise ValueError(
                f"{condition.text()!r} sends rows several ways, which a list of rules cannot: take the tree, or use save()"
            )
    nodes, owner, spans = Nodes(), [], []
    derived = DerivedNumbers(len(rules.schema.columns))
    ways: dict[int, tuple[tuple[int, float], ...]] = {}
    begin = 0
    for r, rule in enumerate(rules):
        blocks = [condition_nodes(rules.schema, condition) for condition in rule.when]
        answer = begin + sum(map(len, blocks))
        at = begin
        for condition, block in zip(rule.when, blocks, strict=True):
            # A row for which the rule does not hold goes on behind its answer.
            places = {HOLDS: at + len(block), FAILS: answer + 1, **{k: at + k for k in range(len(block))}}
            for k, node in enumerate(block):
                missing, share = places[node.missing], condition.missing_share
                if 0 < share < 1 and not condition.missing:
                    missing, ways[at + k] = SPREAD, ((places[HOLDS], share), (places[FAILS], 1 - share))
                of, equation = node.condition.column, node.condition.equation
                tested = node.condition.index if equation is None else derived.column(of.name, equation)
                nodes.add_test(tested, node.cuts, tuple(places[each] for each in node.to), False, missing)
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
        **nodes.columns(),
        answers=_answers(rules),
        ways=ways,
        rules=tuple(spans),
        derived=derived.numbers,
    )
    return program, owner


def rule_program(rules: RuleSet, order: Sequence[int] | None = None) -> Program:
    """Write an ordered list as a program that answers as the list does, equations included; refuse what it cannot express."""
    program, _ = list_program(rules, order, fractions=rules.ordered)
    if rules.target.classes is not None:
        return program
    predictions = [*(rule.says for rule in rules), rules._predictions.fallback]
    answers = [computed([each]) if isinstance(each, Equation) else Answer(REFUSED, (float(each),)) for each in predictions]
    return replace(program, answers=answers, bounded=any(isinstance(each, Equation) for each in predictions))


def _answers(rules: RuleSet) -> list[Answer]:
    predictions = [*(rule.says for rule in rules), rules._predictions.fallback]
    if rules.target.classes is None:
        return [Answer(REFUSED, (each.middle if isinstance(each, Equation) else float(each),)) for each in predictions]
    place = {label: k for k, label in enumerate(rules.target.classes)}
    shares = rules._predictions.shares
    return [Answer(place[label], of_classes(dense(shares[r]).reshape(-1))) for r, label in enumerate(predictions)]
