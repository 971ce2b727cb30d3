"""A forest as a flat program: the nodes of its members one behind another, and how what they answer becomes one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import shown
from treewright.export.labels import class_labels, inputs_of
from treewright.export.program import ANSWER, Answer, Derived, Member, Program, Ramp, Sigmoid
from treewright.model.combine import Scores
from treewright.model.few import Few
from treewright.model.forest import Forest

_COMBINED = ("mean", "vote", "median", "scores")


def forest_program(forest: Forest, order: Sequence[int] | None = None) -> Program:
    """Write a forest as a flat program; refuse members that cannot stand beside each other in one.

    Parameters
    ----------
    forest : Forest
        The forest; the nodes of a member keep their order.
    order : sequence of int, optional
        Positions of the declared classes in the order in which shares are given (default: all, as declared).
    """
    if forest.combine.kind not in _COMBINED:
        raise ValueError(f"members that are combined as {shown(forest.combine.kind)} cannot be exported: use save()")
    scores = forest.combine if isinstance(forest.combine, Scores) else None
    programs = [member.program(None if scores else order) for member in forest.members]
    inputs = inputs_of(forest.schema)
    for at, program in enumerate(programs):
        if program.inputs != inputs:
            other = next(one.name for one, two in zip(program.inputs, inputs, strict=True) if one != two)
            raise ValueError(f"column {shown(other)}: member {at} of this forest knows other levels of it than the forest does")
    program = joined(programs, forest.weights, forest.combine.kind)
    return program if scores is None else _added_up(program, forest, scores, order)


def _added_up(program: Program, forest: Forest, scores: Scores, order: Sequence[int] | None) -> Program:
    """A program of members that add to scores, with the answers of the forest. Of two classes the first has the score 0."""
    two = scores.link == "sigmoid"
    classes = forest.target.classes
    return replace(
        program,
        target=forest.target.name,
        classes=class_labels(classes),
        order=tuple(range(len(classes or ())) if order is None else order),
        outputs=forest.target.outputs,
        members=tuple(member._replace(score=score + two) for member, score in zip(program.members, scores.adds_to, strict=True)),
        base=(0.0, *scores.base) if two else scores.base,
        link="shares" if scores.link in ("sigmoid", "softmax") else scores.link,
    )


def joined(programs: Sequence[Program], weights: Sequence[float], combine: str) -> Program:
    """Several programs of one table and target as the members of one."""
    nodes = _Nodes()
    for at, (program, weight) in enumerate(zip(programs, weights, strict=True)):
        nodes.check(at, program, programs[0])
        nodes.add(program, float(weight))
    return replace(
        programs[0],
        **nodes.columns,
        answers=list(nodes.answers),
        ways=nodes.ways,
        soft=nodes.soft,
        rules=(),
        derived=nodes.derived,
        members=tuple(nodes.members),
        combine=combine,
        weight=float(np.array(weights).sum()),
    )


class _Nodes:
    """The nodes of several programs as one list."""

    def __init__(self) -> None:
        self.columns: dict[str, Any] = {name: [] for name in ("column", "cuts", "to", "less", "missing", "answer")}
        self.answers: dict[Answer, int] = {}  # each once, with its position
        self.ways: dict[int, tuple[tuple[int, float], ...]] = {}
        self.soft: dict[int, Ramp | Sigmoid] = {}
        self.derived: list[Derived] = []
        self.members: list[Member] = []

    def add(self, program: Program, weight: float) -> None:
        """Add the program of a member."""
        begin, n_inputs, before = len(self.columns["column"]), len(program.inputs), len(self.derived)

        def moved(jump: int) -> int:
            return jump + begin if jump >= 0 else jump

        # Members mix and add up what they answer, by classes: shares of many classes are written in full here.
        full = [each._replace(values=tuple(each.values)) if isinstance(each.values, Few) else each for each in program.answers]
        place = [self.answers.setdefault(answer, len(self.answers)) for answer in full]
        self.columns["column"] += [j if j < n_inputs else j + before for j in program.column]
        self.columns["cuts"] += program.cuts
        self.columns["to"] += [tuple(map(moved, to)) for to in program.to]
        self.columns["less"] += program.less
        self.columns["missing"] += map(moved, program.missing)
        self.columns["answer"] += [
            place[answer] if j == ANSWER else answer for j, answer in zip(program.column, program.answer, strict=True)
        ]
        self.ways |= {node + begin: tuple((to + begin, share) for to, share in ways) for node, ways in program.ways.items()}
        self.soft |= {node + begin: ramp for node, ramp in program.soft.items()}
        self.derived += program.derived
        self.members.append(Member(begin, weight, bool(program.soft)))

    def check(self, at: int, program: Program, first: Program) -> None:
        """Refuse a member that cannot stand beside the first."""
        if program.members:
            raise ValueError(f"member {at} of this forest is a forest: export the members one by one, or use save()")
        if program.in_turn:
            raise ValueError(
                f"member {at} of this forest is rules that take fractions of rows, which stand in no program beside other "
                "members: export the members one by one, or use save()"
            )
        if (program.bounded, program.scores) != (first.bounded, first.scores):
            raise ValueError(
                f"member {at} of this forest computes its answers in another way than member 0: export the members one by one, "
                "or use save()"
            )
