"""A forest as a flat program: the nodes of its members one behind another, and how what they answer becomes one answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treewright.errors import shown
from treewright.export.labels import class_labels, inputs_of
from treewright.export.program import ANSWER, Answer, Derived, Member, Program, Ramp
from treewright.model.forest import Forest

_COMBINED = ("mean", "vote", "median")


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
    joined = _Joined(forest)
    for at, member in enumerate(forest.members):
        joined.add(at, member.program(order))
    classes = forest.target.classes
    weights = joined.weights
    return Program(
        inputs=joined.inputs,
        target=forest.target.name,
        classes=class_labels(classes),
        order=tuple(range(len(classes or ())) if order is None else order),
        **joined.columns,
        answers=list(joined.answers),
        ways=joined.ways,
        soft=joined.soft,
        outputs=tuple(forest.target.outputs),
        bounded=joined.bounded,
        scores=joined.scores,
        derived=joined.derived,
        members=tuple(joined.members),
        combine=forest.combine.kind,
        weight=float(weights.sum()),
    )


class _Joined:
    """The nodes of several programs as one list."""

    def __init__(self, forest: Forest) -> None:
        self.inputs = inputs_of(forest.schema)
        self.weights = forest._weights
        self.columns: dict[str, Any] = {name: [] for name in ("column", "cuts", "to", "less", "missing", "answer")}
        self.answers: dict[Answer, int] = {}  # each once, with its position
        self.ways: dict[int, tuple[tuple[int, float], ...]] = {}
        self.soft: dict[int, Ramp] = {}
        self.derived: list[Derived] = []
        self.members: list[Member] = []
        self.bounded = self.scores = False

    def add(self, at: int, program: Program) -> None:
        """Add the program of a member."""
        self._check(at, program)
        begin, n_inputs, before = len(self.columns["column"]), len(self.inputs), len(self.derived)

        def moved(jump: int) -> int:
            return jump + begin if jump >= 0 else jump

        place = [self.answers.setdefault(answer, len(self.answers)) for answer in program.answers]
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
        self.members.append(Member(begin, float(self.weights[at]), bool(program.soft)))

    def _check(self, at: int, program: Program) -> None:
        if program.in_turn:
            raise ValueError(
                f"member {at} of this forest is rules that take fractions of rows, which stand in no program beside other "
                "members: export the members one by one, or use save()"
            )
        if program.inputs != self.inputs:
            other = next(one.name for one, two in zip(program.inputs, self.inputs, strict=True) if one != two)
            raise ValueError(f"column {shown(other)}: member {at} of this forest knows other levels of it than the forest does")
        if not self.members:
            self.bounded, self.scores = program.bounded, program.scores
        elif (program.bounded, program.scores) != (self.bounded, self.scores):
            raise ValueError(
                f"member {at} of this forest computes its answers in another way than member 0: export the members one by one, "
                "or use save()"
            )
