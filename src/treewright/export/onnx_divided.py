"""Rows that go several ways, in ONNX: their shares in all leaves, level by level, and the sum of what these predict.

Each operator rounds once, as each operation of the model does, so that sums agree to the last bit.
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from treewright.export.node_table import refusable
from treewright.export.onnx_levels import Level, Levels
from treewright.export.onnx_scope import Scope
from treewright.export.onnx_sums import Equations, power_of
from treewright.export.program import Program, Ramp, Sigmoid


class DividedAnswers(NamedTuple):
    """What the leaves of rows give together, each a list or a matrix of all rows."""

    values: str  # rows x values; NaN where a cell is refused
    ends: str  # how many there are
    answer: str  # the answer of the last of them
    leaf: str  # of the largest share


def divided_answers(
    scope: Scope, program: Program, cells: str, place: dict[int, int], equations: Equations | None
) -> DividedAnswers:
    """Add up the answers of the fractions of rows, in the model's own order."""
    every = Levels(program)
    double, whole = scope.onnx.TensorProto.DOUBLE, scope.onnx.TensorProto.INT64
    rows = scope.rows(cells)
    width = scope.add("Concat", rows, scope.constant(np.array([every.begin], np.int64)), axis=0)
    ones = scope.filled(np.array(1.0), width)
    factors = scope.constant(np.array(every.factors), "factors")
    sizes = [len(level.parent) for level in every.levels]
    table = _Edges(scope, every, place)
    begin = scope.constant(np.array([0, *accumulate(sizes)], np.int64), "edges begin")
    one = scope.constant(np.array(1, np.int64))
    zero = scope.constant(np.array(0.0))

    def step(s: Scope, number: str, before: list[str]) -> list[str]:
        ends = s.add("Gather", begin, s.add("Add", number, one))
        edges = s.add("Range", s.add("Gather", begin, number), ends, one)
        x = s.add("Gather", cells, s.add("Gather", table.column, edges), axis=1)
        parent = s.add("Gather", table.parent, edges)
        hard, ramp = table.factor(s, factors, edges, x)
        out = []
        for share, factor in zip(before, [hard, ramp] if program.soft else [hard], strict=True):
            above = s.add("Gather", share, parent, axis=1)
            out.append(s.add("Where", s.add("Equal", above, zero), zero, s.add("Mul", above, factor)))
        return out

    levels = scope.constant(np.array(len(sizes), np.int64))
    carried = [(ones, double)] * (2 if program.soft else 1)
    shares = scope.loop(levels, carried, step)
    return _added(scope, program, every, shares, cells, rows, equations, (double, whole))


class _Edges:
    """The edges of all levels, one after the other, as tables."""

    def __init__(self, scope: Scope, levels: Levels, place: dict[int, int]) -> None:
        every = Level()
        for level in levels.levels:
            for entries, more in zip(vars(every).values(), vars(level).values(), strict=True):
                entries += more
        self.soft = any(ramp is not None for ramp in every.ramp)
        self.column = scope.constant(np.array([place[j] for j in every.column], np.int64), "edge column")
        self.parent = scope.constant(np.array(every.parent, np.int64), "edge parent")
        self.low, self.high = (scope.constant(np.array(bound, float), "edge bound") for bound in (every.low, every.high))
        self.by_level = scope.constant(np.array(every.by_level, bool), "edge by level")
        self.base = scope.constant(np.array(every.base, np.int64), "edge factors")
        self.soft_base = scope.constant(np.array(every.soft_base, np.int64), "edge soft factors") if levels.apart else self.base
        refuses = [refusable(levels.program, j) for j in every.column]
        self.refusable = scope.constant(np.array(refuses), "edge refusable") if any(refuses) else None
        if self.soft:
            self._ramps(scope, every)

    def _ramps(self, scope: Scope, every: Level) -> None:
        """Of every ramp the points, then slope, origin and base of the line behind each of them, and of that before the first."""
        points, lines = 4, []
        at = np.full((len(every.ramp), points), math.inf)
        for row, ramp in zip(at, every.ramp, strict=True):
            line = [(0.0, 0.0, 0.0)] * (points + 1)
            if isinstance(ramp, Ramp):
                last = len(ramp.at)
                row[:last] = ramp.at
                line[0] = (0.0, 0.0, ramp.share[0])
                line[1:last] = list(zip(ramp.slope, ramp.at, ramp.share, strict=False))
                line[last:] = [(0.0, 0.0, ramp.share[-1])] * (points + 1 - last)
            lines.append(line)
        table = np.array(lines).reshape(-1, 3)
        self.at = [scope.constant(np.ascontiguousarray(at[:, k]), "ramp point") for k in range(points)]
        self.slope, self.origin, self.share = (scope.constant(np.ascontiguousarray(table[:, k]), "ramp line") for k in range(3))
        sigmoid = [gate if isinstance(gate, Sigmoid) else None for gate in every.ramp]
        self.sigmoids = any(gate is not None for gate in sigmoid)
        if self.sigmoids:
            self.is_sigmoid = scope.constant(np.array([gate is not None for gate in sigmoid]), "sigmoid or not")
            self.middle = scope.constant(np.array([0.0 if gate is None else gate.at for gate in sigmoid]), "sigmoid middle")
            self.steep = scope.constant(np.array([0.0 if gate is None else gate.slope for gate in sigmoid]), "sigmoid slope")
        self.is_ramp = scope.constant(np.array([ramp is not None for ramp in every.ramp]), "ramp or not")
        self.added = scope.constant(np.array([float(above) for above in every.above]), "ramp added")
        self.sign = scope.constant(np.array([-1.0 if above else 1.0 for above in every.above]), "ramp sign")

    def factor(self, s: Scope, factors: str, edges: str, x: str) -> tuple[str, str]:
        """What the shares of the parents are multiplied with (rows x edges): without soft thresholds, and with them."""
        missing = s.add("IsNaN", x)
        above = s.add("Greater", x, s.add("Gather", self.low, edges))
        inside = s.real(s.add("And", above, s.add("LessOrEqual", x, s.add("Gather", self.high, edges))))
        present = s.add("Where", s.add("Gather", self.by_level, edges), x, inside)
        offset = s.whole(s.add("Where", missing, s.constant(np.array(-1.0)), present))
        hard = s.add("Gather", factors, s.add("Add", s.add("Gather", self.base, edges), offset))
        if not self.soft:
            return hard, hard
        five = s.constant(np.array(5, np.int64))
        line = s.add("Mul", edges, five)
        for at in self.at:
            line = s.add("Add", line, s.whole(s.add("GreaterOrEqual", x, s.add("Gather", at, edges))))
        away = s.add("Sub", x, s.add("Gather", self.origin, line))
        below = s.add("Add", s.add("Mul", s.add("Gather", self.slope, line), away), s.add("Gather", self.share, line))
        if self.sigmoids:
            below = s.add("Where", s.add("Gather", self.is_sigmoid, edges), self._sigmoid(s, edges, x), below)
        sign, added = s.add("Gather", self.sign, edges), s.add("Gather", self.added, edges)
        taken = s.add("Add", added, s.add("Mul", sign, below))
        refused = s.add("And", s.add("Gather", self.by_level, edges), s.add("Less", x, s.constant(np.array(0.0))))
        if self.refusable is not None:
            infinite = s.add("Greater", x, s.constant(np.array(np.finfo(float).max)))
            refused = s.add("Or", refused, s.add("And", s.add("Gather", self.refusable, edges), infinite))
        passed = s.add("And", s.add("Gather", self.is_ramp, edges), s.add("Not", s.add("Or", missing, refused)))
        # A missing cell that counts as a number is divided, too; hard routing is in the node table, or has factors of its own.
        others = hard
        if self.soft_base != self.base:
            others = s.add("Gather", factors, s.add("Add", s.add("Gather", self.soft_base, edges), offset))
        return hard, s.add("Where", passed, taken, others)

    def _sigmoid(self, s: Scope, edges: str, x: str) -> str:
        """What goes below thresholds that are passed along the logistic function; of others a number."""
        one = s.constant(np.array(1.0))
        z = s.add("Mul", s.add("Gather", self.steep, edges), s.add("Sub", x, s.add("Gather", self.middle, edges)))
        z = s.add("Where", s.add("IsNaN", z), s.constant(np.array(0.0)), z)
        e = power_of(s, s.add("Neg", s.add("Abs", z)))
        upper = s.add("Where", s.add("Greater", z, s.constant(np.array(0.0))), e, one)
        return s.add("Div", upper, s.add("Add", one, e))


def _added(
    scope: Scope,
    program: Program,
    every: Levels,
    shares: list[str],
    cells: str,
    rows: str,
    equations: Equations | None,
    kinds: tuple[int, int],
) -> DividedAnswers:
    """The ends of rows, one after the other."""
    double, whole = kinds
    many = len(program.answers[0].values)
    places = scope.constant(np.array(every.places, np.int64), "end places")
    leaves = scope.constant(np.array(every.ends, np.int64), "ends")
    answer = scope.constant(np.array([program.answer[leaf] for leaf in every.ends], np.int64), "end answers")
    values = scope.constant(np.array([program.answers[program.answer[leaf]].values for leaf in every.ends]), "end values")
    zero, real_one = scope.constant(np.array(0.0)), scope.constant(np.array(1.0))

    def end(s: Scope, number: str, before: list[str]) -> list[str]:
        sums, ends, last, best, leaf, left = before
        at = s.add("Gather", places, number)
        share, hard = s.add("Gather", shares[-1], at, axis=1), s.add("Gather", shares[0], at, axis=1)
        some_left = s.add("Greater", left, zero)
        share = s.add("Where", some_left, share, zero)
        fraction = s.add("Mul", left, share) if program.in_turn else share
        hard = fraction if program.in_turn else hard
        here = s.add("Gather", answer, number)
        if equations is None:
            value = s.wide(s.add("Gather", values, number), 0)
        else:
            value = equations.sums(s, cells, s.add("Expand", here, rows))
        some = s.add("Not", s.add("LessOrEqual", fraction, zero))  # NaN, of a cell that is refused, is added, too
        added = s.add("Add", sums, s.add("Mul", s.wide(fraction), value))
        sums = s.add("Where", s.wide(some), added, sums)
        node = s.add("Gather", leaves, number)
        first = s.add("And", s.add("Equal", hard, best), s.add("Less", node, leaf))
        better = s.add("Or", s.add("Greater", hard, best), first)
        if program.in_turn:
            rest = s.add("Sub", left, fraction)
            left = s.add("Where", s.add("Equal", share, real_one), zero, rest)
        return [
            sums,
            s.add("Add", ends, s.whole(some)),
            s.add("Where", some, here, last),
            s.add("Where", better, hard, best),
            s.add("Where", better, node, leaf),
            left,
        ]

    none = scope.filled(np.array(0, np.int64), rows)
    wide = scope.add("Concat", rows, scope.constant(np.array([many], np.int64)), axis=0)
    begin = [
        (scope.filled(np.array(0.0), wide), double),
        (none, whole),
        (none, whole),
        (scope.filled(np.array(0.0), rows), double),
        (scope.filled(np.array(-1, np.int64), rows), whole),
        (scope.filled(np.array(1.0), rows), double),
    ]
    steps = scope.constant(np.array(len(every.ends), np.int64))
    sums, ends, last, _, leaf, _ = scope.loop(steps, begin, end)
    return DividedAnswers(sums, ends, last, leaf)
