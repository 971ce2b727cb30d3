"""A flat program as plain lists, numbers and texts, as the predictors in Python and JavaScript are given it, and its source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

from treewright.export.program import Derived, Program, Ramp, Sigmoid, Term
from treewright.model.few import Few


def offsets(counts: Iterable[int]) -> list[int]:
    """Where each entry's run of a pool begins, and where the last one's ends."""
    return [0, *accumulate(counts)]


def portable(program: Program) -> dict[str, Any]:
    """Return a program as lists; ``predictor.py`` and ``predictor.js`` read the same names."""
    nodes = range(program.size)
    ways = [program.ways.get(i, ()) for i in nodes]
    return {
        "target": program.target,
        "columns": [
            [one.name, one.kind, int(one.strict), [[code, *label] for code, label in one.labels]] for one in program.inputs
        ],
        "classes": [list(label) for label in program.classes or ()],
        "order": list(program.order),
        "outputs": list(program.outputs),
        "tolerance": program.tolerance,
        "column": program.column,
        "less": [int(less) for less in program.less],
        "missing": program.missing,
        "cut_begin": offsets(map(len, program.cuts)),
        "cut": [cut for cuts in program.cuts for cut in cuts],
        "to_begin": offsets(map(len, program.to)),
        "to": [to for jumps in program.to for to in jumps],
        "way_begin": offsets(map(len, ways)) if program.ways else [],
        "way_to": [to for way in ways for to, _ in way],
        "way_share": [share for way in ways for _, share in way],
        "soft": [_soft(node, gate) for node, gate in program.soft.items()],
        "turn": program.turn if program.soft else [],
        # Of rules that take fractions of a row, one after the other: first node and answer of each.
        "rules": [list(span) for span in program.rules] if program.in_turn else [],
        "answer": program.answer,
        "answers": [[one.label, *(one.values.values if isinstance(one.values, Few) else one.values)] for one in program.answers],
        "scores": int(program.scores),
        "bounded": int(program.bounded),
        "terms": [[[_term(term) for term in terms] for terms in answer.terms] for answer in program.answers]
        if program.linear
        else [],
    } | _some(program)


def _soft(node: int, gate: Ramp | Sigmoid) -> list[Any]:
    """Node, points, shares at them (of the logistic function none), slopes, what a missing cell counts as."""
    form = [[gate.at], [], [gate.slope]] if isinstance(gate, Sigmoid) else [list(each) for each in gate[:3]]
    return [node, *form, [] if gate.fill is None else [gate.fill]]


def _some(program: Program) -> dict[str, Any]:
    """What few programs have: numbers that nodes compare, of shares that are listed the classes they belong to, and members."""
    out: dict[str, Any] = {}
    if program.derived:
        out["derived"] = [_derived(one) for one in program.derived]
    if program.listed:
        out["listed"] = [list(one.values.places) for one in program.answers if isinstance(one.values, Few)]
    if program.members:
        out["members"] = [[one.root, one.weight, int(one.soft)] for one in program.members]
        out |= {"combine": program.combine, "weight": program.weight}
    if program.adds:
        out |= {"adds_to": [one.score for one in program.members], "base": list(program.base), "link": program.link}
    return out


def _derived(one: Derived) -> list[Any]:
    """Name, constant, whether it needs all of its cells, terms; of products also the other column and what is missing there.

    Where it is made in parts these: score, number of terms, whether squashed, weight, constant.
    """
    terms = [_term(term) + ([term.by, term.by_missing] if term.by >= 0 else []) for term in one.terms]
    parts = [[part.score, part.terms, int(part.squashed), part.weight, part.constant] for part in one.parts]
    return [one.name, one.intercept, int(one.needs_all), terms, *([parts] if parts else [])]


def _term(term: Term) -> list[Any]:
    """Column, coefficient, what a missing cell counts as, whether levels are listed, these."""
    return [*term[:3], int(term.codes is not None), list(term.codes or ())]


def written(value: dict[str, Any], quoted: Callable[[str], str]) -> str:
    """Write a portable program as source text that Python and JavaScript both read, one name per line."""
    lines = [f"  {quoted(name)}: {_entries(entry, quoted)}," for name, entry in value.items()]
    return "{\n" + "\n".join(lines) + "\n}"


_PER_LINE = 20  # entries


def _entries(value: Any, quoted: Callable[[str], str]) -> str:
    if not isinstance(value, list):
        return _plain(value, quoted)
    pieces = [value[at : at + _PER_LINE] for at in range(0, len(value), _PER_LINE)]
    if {*map(type, value)} <= {int, float}:  # most entries by far: Python writes a list of them as it is written here
        lines = [repr(piece)[1:-1] for piece in pieces]
    else:
        lines = [", ".join([_plain(entry, quoted) for entry in piece]) for piece in pieces]
    return f"[{', '.join(lines)}]" if len(lines) < 2 else "[\n    " + ",\n    ".join(lines) + "]"


def _plain(value: Any, quoted: Callable[[str], str]) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_plain(entry, quoted) for entry in value)}]"
    return quoted(value) if isinstance(value, str) else repr(value)
