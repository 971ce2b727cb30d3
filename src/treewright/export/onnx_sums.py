"""Answers that are computed, in ONNX: sums of terms, shares from scores, and parts of rows added up in the model's own order.

Each operator rounds once, as each operation of the model does, so that sums agree to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from treewright.export.onnx_scope import Scope
from treewright.export.onnx_tables import Level, Parts, refusable, strict_columns
from treewright.export.program import Program, Term
from treewright.model.linear import NEVER

_BOUND = 1e300  # scores beyond it are cut by the model, too

Sum = tuple[float, Sequence[Term]]


class Equations:
    """Sums that are a number and terms of cells, as tables: several of them for each of some answers."""

    def __init__(
        self, scope: Scope, program: Program, place: dict[int, int], sums: Sequence[Sequence[Sum]], bounded: bool
    ) -> None:
        # Behind the last answer stands that of rows that have none.
        self.many = len(sums[0])
        self.bounded = bounded
        lists = [terms for answer in sums for _, terms in answer] + [()] * self.many
        terms = [term for each in lists for term in each]
        self.steps = max(map(len, lists))
        values = [value for answer in sums for value, _ in answer] + [math.nan] * self.many
        held: dict[tuple[int, tuple[int, ...]], int] = {}
        member: list[float] = [0.0]
        for term in terms:
            key = (term.column, term.codes or ())
            if term.codes is not None and key not in held:
                size = max(code for code, _ in program.inputs[term.column].labels) + 1
                held[key] = len(member) + 2
                member += [math.nan, 0.0, *(float(code in term.codes) for code in range(size))]
        begin = [0, *accumulate(map(len, lists))][:-1]
        self.values = scope.constant(np.array(values), "values")
        self.begin = scope.constant(np.array(begin, np.int64), "terms begin")
        self.count = scope.constant(np.array([len(each) for each in lists], np.int64), "terms")
        nothing = [0] * (not terms)
        self.column = scope.constant(np.array([place[term.column] for term in terms] + nothing, np.int64), "term column")
        self.factor = scope.constant(np.array([term.coefficient for term in terms] + nothing, float), "coefficient")
        self.missing = scope.constant(np.array([term.missing for term in terms] + nothing, float), "term missing")
        self.listed = scope.constant(np.array([term.codes is not None for term in terms] + nothing, bool), "term levels")
        where = [held.get((term.column, term.codes or ()), 0) if term.codes is not None else 0 for term in terms]
        self.member = scope.constant(np.array(member), "members")
        self.where = scope.constant(np.array(where + nothing, np.int64), "members begin")

    def told(self, scope: Scope, cells: str, answer: str) -> str:
        """The values (rows x values) of rows whose answers are given by number."""
        span = scope.constant(np.arange(self.many, dtype=np.int64)[None, :])
        model = scope.add("Mul", scope.wide(answer), scope.constant(np.array(self.many, np.int64)))
        model = scope.add("Add", model, span)
        begin, count = scope.add("Gather", self.begin, model), scope.add("Gather", self.count, model)
        zero, real_zero = scope.constant(np.array(0, np.int64)), scope.constant(np.array(0.0))

        def term(s: Scope, number: str, before: list[str]) -> list[str]:
            live = s.add("Less", number, count)
            at = s.add("Where", live, s.add("Add", begin, number), zero)
            x = s.add("GatherElements", cells, s.add("Gather", self.column, at), axis=1)
            lost = s.add("IsNaN", x)
            listed = s.add("Gather", self.listed, at)
            asked = s.add("And", listed, s.add("Not", lost))
            code = s.whole(s.add("Where", asked, x, real_zero))
            held = s.add("Gather", self.member, s.add("Add", s.add("Gather", self.where, at), code))
            known = s.add("Where", asked, held, x)
            value = s.add("Where", lost, s.add("Gather", self.missing, at), known)
            sum_ = s.add("Add", before[0], s.add("Mul", s.add("Gather", self.factor, at), value))
            return [s.add("Where", live, sum_, before[0])]

        steps = scope.constant(np.array(self.steps, np.int64))
        told = scope.loop(steps, [(scope.add("Gather", self.values, model), scope.onnx.TensorProto.DOUBLE)], term)[0]
        if self.bounded:
            for sign, beyond in ((1, "Greater"), (-1, "Less")):
                end = scope.constant(np.array(sign * np.finfo(float).max))
                told = scope.add("Where", scope.add(beyond, told, end), end, told)
        return told


def answer_sums(program: Program) -> list[list[Sum]]:
    """What the answers of a program say, value by value."""
    return [[(value, answer.terms_of(k)) for k, value in enumerate(answer.values)] for answer in program.answers]


def with_derived(scope: Scope, program: Program, cells: str, place: dict[int, int]) -> str:
    """The cells of all rows, and behind them the numbers that are computed from them: infinite where a level is refused."""
    sums: list[Sum] = []
    for one in program.derived:
        terms = [term._replace(missing=math.nan) for term in one.terms] if one.needs_all else one.terms
        sums.append((one.intercept, terms))
    rows = scope.rows(cells)
    numbers = Equations(scope, program, place, [sums], bounded=True).told(scope, cells, scope.filled(np.array(0, np.int64), rows))
    strict = sorted({j for one in program.derived for j in strict_columns(program, one)})
    if strict:
        holds = np.array([[float(j in strict_columns(program, one)) for one in program.derived] for j in strict])
        some = scope.add("Gather", cells, scope.constant(np.array([place[j] for j in strict], np.int64)), axis=1)
        unseen = scope.real(scope.add("Equal", some, scope.constant(np.array(-2.0))))
        refused = scope.add("Greater", scope.add("MatMul", unseen, scope.constant(holds)), scope.constant(np.array(0.0)))
        numbers = scope.add("Where", refused, scope.constant(np.array(math.inf)), numbers)
    return scope.add("Concat", cells, numbers, axis=1)


def shares_of(scope: Scope, scores: str, classes: int) -> str:
    """The shares (rows x classes) that scores stand for, by the model's own operations; see ``predictor.py``."""

    def number(value: float) -> str:
        return scope.constant(np.array(value))

    def times(a: str, b: str) -> str:
        return scope.add("Mul", a, b)

    def plus(a: float, b: str) -> str:
        return scope.add("Add", number(a), b)

    some = scope.add("Where", scope.add("IsNaN", scores), number(0.0), scores)
    inside = scope.add("Min", scope.add("Max", some, number(-_BOUND)), number(_BOUND))
    inside = scope.add("Where", scope.add("Equal", scores, number(NEVER)), scores, inside)
    x = scope.add("Sub", inside, scope.add("ReduceMax", inside, axes=[1], keepdims=1))
    most = scope.add("GreaterOrEqual", x, number(-(2.0**-27)))
    far = scope.add("Less", x, number(-708.0))
    x = scope.add("Where", far, number(-708.0), x)
    shift = number(6755399441055744.0)
    k = scope.add("Sub", scope.add("Add", times(x, number(1.4426950408889634)), shift), shift)
    r = scope.add("Sub", x, times(k, number(0.6931471805582987)))
    r = scope.add("Sub", r, times(k, number(1.6465949582897082e-12)))
    z = times(r, r)
    even, odd = number(1 / 479001600), number(1 / 6227020800)
    for below, beside in ((3628800, 39916800), (40320, 362880), (720, 5040), (24, 120), (2, 6), (1, 1)):
        even, odd = plus(1 / below, times(z, even)), plus(1 / beside, times(z, odd))
    powers = scope.constant(np.ldexp(1.0, -np.arange(1023)), "powers of two")
    scale = scope.add("Gather", powers, scope.whole(scope.add("Neg", k)))
    power = times(scope.add("Add", even, times(odd, r)), scale)
    power = scope.add("Where", far, number(0.0), power)
    power = scope.add("Where", most, number(1.0), power)

    def total(s: Scope, at: str, before: list[str]) -> list[str]:
        return [s.add("Add", before[0], s.add("Gather", power, at, axis=1))]

    zeros = scope.filled(np.array(0.0), scope.rows(power))
    sum_ = scope.loop(scope.constant(np.array(classes, np.int64)), [(zeros, scope.onnx.TensorProto.DOUBLE)], total)[0]
    return scope.add("Div", power, scope.wide(sum_))


class Vote(NamedTuple):
    """What the ends of rows say together, each a list or a matrix of all rows."""

    values: str  # rows x values; NaN where a cell is refused
    ends: str  # how many there are
    answer: str  # the answer of the last of them
    leaf: str  # of the largest share


def vote(scope: Scope, program: Program, cells: str, place: dict[int, int], equations: Equations | None) -> Vote:
    """Add up the parts of rows."""
    parts = Parts(program)
    double, whole = scope.onnx.TensorProto.DOUBLE, scope.onnx.TensorProto.INT64
    rows = scope.rows(cells)
    width = scope.add("Concat", rows, scope.constant(np.array([parts.begin], np.int64)), axis=0)
    ones = scope.filled(np.array(1.0), width)
    factors = scope.constant(np.array(parts.factors), "factors")
    sizes = [len(level.parent) for level in parts.levels]
    table = _Edges(scope, parts, place)
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
    return _added(scope, program, parts, shares, cells, rows, equations, (double, whole))


class _Edges:
    """The edges of all levels, one after the other, as tables."""

    def __init__(self, scope: Scope, parts: Parts, place: dict[int, int]) -> None:
        every = Level()
        for level in parts.levels:
            for entries, more in zip(vars(every).values(), vars(level).values(), strict=True):
                entries += more
        self.soft = any(ramp is not None for ramp in every.ramp)
        self.column = scope.constant(np.array([place[j] for j in every.column], np.int64), "edge column")
        self.parent = scope.constant(np.array(every.parent, np.int64), "edge parent")
        self.low, self.high = (scope.constant(np.array(bound, float), "edge bound") for bound in (every.low, every.high))
        self.by_level = scope.constant(np.array(every.by_level, bool), "edge by level")
        self.base = scope.constant(np.array(every.base, np.int64), "edge factors")
        self.soft_base = scope.constant(np.array(every.soft_base, np.int64), "edge soft factors") if parts.apart else self.base
        refuses = [refusable(parts.program, j) for j in every.column]
        self.refusable = scope.constant(np.array(refuses), "edge refusable") if any(refuses) else None
        if self.soft:
            self._ramps(scope, every)

    def _ramps(self, scope: Scope, every: Level) -> None:
        """Of every ramp the points, then slope, origin and base of the line behind each of them, and of that before the first."""
        points, lines = 4, []
        at = np.full((len(every.ramp), points), math.inf)
        for row, ramp in zip(at, every.ramp, strict=True):
            line = [(0.0, 0.0, 0.0)] * (points + 1)
            if ramp is not None:
                last = len(ramp.at)
                row[:last] = ramp.at
                line[0] = (0.0, 0.0, ramp.share[0])
                line[1:last] = list(zip(ramp.slope, ramp.at, ramp.share, strict=False))
                line[last:] = [(0.0, 0.0, ramp.share[-1])] * (points + 1 - last)
            lines.append(line)
        table = np.array(lines).reshape(-1, 3)
        self.at = [scope.constant(np.ascontiguousarray(at[:, k]), "ramp point") for k in range(points)]
        self.slope, self.origin, self.share = (scope.constant(np.ascontiguousarray(table[:, k]), "ramp line") for k in range(3))
        self.is_ramp = scope.constant(np.array([ramp is not None for ramp in every.ramp]), "ramp or not")
        self.added = scope.constant(np.array([float(above) for above in every.above]), "ramp added")
        self.sign = scope.constant(np.array([-1.0 if above else 1.0 for above in every.above]), "ramp sign")

    def factor(self, s: Scope, factors: str, edges: str, x: str) -> tuple[str, str]:
        """What the shares of the parents are multiplied with (rows x edges): without soft thresholds, and with them."""
        lost = s.add("IsNaN", x)
        above = s.add("Greater", x, s.add("Gather", self.low, edges))
        inside = s.real(s.add("And", above, s.add("LessOrEqual", x, s.add("Gather", self.high, edges))))
        known = s.add("Where", s.add("Gather", self.by_level, edges), x, inside)
        offset = s.whole(s.add("Where", lost, s.constant(np.array(-1.0)), known))
        hard = s.add("Gather", factors, s.add("Add", s.add("Gather", self.base, edges), offset))
        if not self.soft:
            return hard, hard
        five = s.constant(np.array(5, np.int64))
        line = s.add("Mul", edges, five)
        for at in self.at:
            line = s.add("Add", line, s.whole(s.add("GreaterOrEqual", x, s.add("Gather", at, edges))))
        away = s.add("Sub", x, s.add("Gather", self.origin, line))
        below = s.add("Add", s.add("Mul", s.add("Gather", self.slope, line), away), s.add("Gather", self.share, line))
        sign, added = s.add("Gather", self.sign, edges), s.add("Gather", self.added, edges)
        part = s.add("Add", added, s.add("Mul", sign, below))
        refused = s.add("And", s.add("Gather", self.by_level, edges), s.add("Less", x, s.constant(np.array(0.0))))
        if self.refusable is not None:
            infinite = s.add("Greater", x, s.constant(np.array(np.finfo(float).max)))
            refused = s.add("Or", refused, s.add("And", s.add("Gather", self.refusable, edges), infinite))
        passed = s.add("And", s.add("Gather", self.is_ramp, edges), s.add("Not", s.add("Or", lost, refused)))
        # A missing cell that counts as a number is divided, too; hard routing is in the node table, or has factors of its own.
        others = hard
        if self.soft_base != self.base:
            others = s.add("Gather", factors, s.add("Add", s.add("Gather", self.soft_base, edges), offset))
        return hard, s.add("Where", passed, part, others)


def _added(
    scope: Scope,
    program: Program,
    parts: Parts,
    shares: list[str],
    cells: str,
    rows: str,
    equations: Equations | None,
    kinds: tuple[int, int],
) -> Vote:
    """The ends of rows, one after the other."""
    double, whole = kinds
    many = len(program.answers[0].values)
    places = scope.constant(np.array(parts.places, np.int64), "end places")
    leaves = scope.constant(np.array(parts.ends, np.int64), "ends")
    answer = scope.constant(np.array([program.answer[leaf] for leaf in parts.ends], np.int64), "end answers")
    values = scope.constant(np.array([program.answers[program.answer[leaf]].values for leaf in parts.ends]), "end values")
    zero, real_one = scope.constant(np.array(0.0)), scope.constant(np.array(1.0))

    def end(s: Scope, number: str, before: list[str]) -> list[str]:
        said, ends, last, best, leaf, left = before
        at = s.add("Gather", places, number)
        share, hard = s.add("Gather", shares[-1], at, axis=1), s.add("Gather", shares[0], at, axis=1)
        asked = s.add("Greater", left, zero)
        share = s.add("Where", asked, share, zero)
        part = s.add("Mul", left, share) if program.in_turn else share
        hard = part if program.in_turn else hard
        here = s.add("Gather", answer, number)
        if equations is None:
            value = s.wide(s.add("Gather", values, number), 0)
        else:
            value = equations.told(s, cells, s.add("Expand", here, rows))
        some = s.add("Not", s.add("LessOrEqual", part, zero))  # NaN, of a cell that is refused, is added, too
        added = s.add("Add", said, s.add("Mul", s.wide(part), value))
        said = s.add("Where", s.wide(some), added, said)
        node = s.add("Gather", leaves, number)
        first = s.add("And", s.add("Equal", hard, best), s.add("Less", node, leaf))
        better = s.add("Or", s.add("Greater", hard, best), first)
        if program.in_turn:
            rest = s.add("Sub", left, part)
            left = s.add("Where", s.add("Equal", share, real_one), zero, rest)
        return [
            said,
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
    steps = scope.constant(np.array(len(parts.ends), np.int64))
    said, ends, last, _, leaf, _ = scope.loop(steps, begin, end)
    return Vote(said, ends, last, leaf)
