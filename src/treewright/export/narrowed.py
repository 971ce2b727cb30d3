"""A program of the columns that it looks at alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treewright import parts
from treewright.export.program import ANSWER, Answer, Program, Term

COLUMNS = ("all", "used")


def of_columns(program: Program, columns: str) -> Program:
    """The program as it is, or with the columns that are used alone; one that uses none keeps the first."""
    if parts.check_name("columns", columns, COLUMNS) == "all" or len(program.used) == len(program.inputs):
        return program
    used, before = program.used or [0], len(program.inputs)
    place = {j: k for k, j in enumerate(used)} | {ANSWER: ANSWER}
    place |= {before + k: len(used) + k for k in range(len(program.derived))}

    def moved(terms: Sequence[Term]) -> tuple[Term, ...]:
        return tuple(term._replace(column=place[term.column], by=place[term.by] if term.by >= 0 else term.by) for term in terms)

    def answer(one: Answer) -> Answer:
        return one._replace(terms=tuple(map(moved, one.terms))) if one.terms else one

    return replace(
        program,
        inputs=tuple(program.inputs[j] for j in used),
        column=[place[j] for j in program.column],
        derived=[one._replace(terms=moved(one.terms)) for one in program.derived],
        answers=list(map(answer, program.answers)),
    )
