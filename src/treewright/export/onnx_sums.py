"""Numbers that are computed, in ONNX: sums of terms, in answers and in tests, and shares from scores.

Each operator rounds once, as each operation of the model does, so that sums agree to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from treewright.export.node_table import strict_columns
from treewright.export.onnx_scope import Scope
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
        self.products = any(term.by >= 0 for term in terms)
        by = [place[term.by] if term.by >= 0 else 0 for term in terms]
        self.by = scope.constant(np.array(by + nothing, np.int64), "term by") if self.products else ""
        self.multiplied = scope.constant(np.array([term.by >= 0 for term in terms] + nothing, bool), "term products")
        self.by_missing = scope.constant(np.array([term.by_missing for term in terms] + nothing, float), "term by missing")
        where = [held.get((term.column, term.codes or ()), 0) if term.codes is not None else 0 for term in terms]
        self.member = scope.constant(np.array(member), "members")
        self.where = scope.constant(np.array(where + nothing, np.int64), "members begin")

    def sums(self, scope: Scope, cells: str, answer: str) -> str:
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
            missing = s.add("IsNaN", x)
            listed = s.add("Gather", self.listed, at)
            level = s.add("And", listed, s.add("Not", missing))
            code = s.whole(s.add("Where", level, x, real_zero))
            held = s.add("Gather", self.member, s.add("Add", s.add("Gather", self.where, at), code))
            present = s.add("Where", level, held, x)
            value = s.add("Where", missing, s.add("Gather", self.missing, at), present)
            part = s.add("Mul", s.add("Gather", self.factor, at), value)
            if self.products:
                y = s.add("GatherElements", cells, s.add("Gather", self.by, at), axis=1)
                y = s.add("Where", s.add("IsNaN", y), s.add("Gather", self.by_missing, at), y)
                part = s.add("Where", s.add("Gather", self.multiplied, at), s.add("Mul", part, y), part)
            sum_ = s.add("Add", before[0], part)
            return [s.add("Where", live, sum_, before[0])]

        steps = scope.constant(np.array(self.steps, np.int64))
        sums = scope.loop(steps, [(scope.add("Gather", self.values, model), scope.onnx.TensorProto.DOUBLE)], term)[0]
        if self.bounded:
            for sign, beyond in ((1, "Greater"), (-1, "Less")):
                end = scope.constant(np.array(sign * np.finfo(float).max))
                sums = scope.add("Where", scope.add(beyond, sums, end), end, sums)
        return sums


def answer_sums(program: Program) -> list[list[Sum]]:
    """What the answers of a program say, value by value."""
    return [[(value, answer.terms_of(k)) for k, value in enumerate(answer.values)] for answer in program.answers]


def with_derived(scope: Scope, program: Program, cells: str, place: dict[int, int]) -> str:
    """The cells of all rows, and behind them the numbers that are computed from them: infinite where a level is refused."""
    sums: list[Sum] = []
    for one in program.derived:
        for constant, terms in one.sums():
            sums.append(
                (constant, [t._replace(missing=math.nan, by_missing=math.nan) for t in terms] if one.needs_all else terms)
            )
    rows = scope.rows(cells)
    numbers = Equations(scope, program, place, [sums], bounded=True).sums(scope, cells, scope.filled(np.array(0, np.int64), rows))
    if program.parted:
        numbers = _parted(scope, program, numbers)
    strict = sorted({j for one in program.derived for j in strict_columns(program, one)})
    if strict:
        holds = np.array([[float(j in strict_columns(program, one)) for one in program.derived] for j in strict])
        some = scope.add("Gather", cells, scope.constant(np.array([place[j] for j in strict], np.int64)), axis=1)
        unseen = scope.real(scope.add("Equal", some, scope.constant(np.array(-2.0))))
        refused = scope.add("Greater", scope.add("MatMul", unseen, scope.constant(holds)), scope.constant(np.array(0.0)))
        numbers = scope.add("Where", refused, scope.constant(np.array(math.inf)), numbers)
    return scope.add("Concat", cells, numbers, axis=1)


def _parted(scope: Scope, program: Program, sums: str) -> str:
    """The derived numbers (rows x numbers) from the sums of all of their parts."""

    def column(k: int) -> str:
        return scope.add("Gather", sums, scope.constant(np.array([k], np.int64)), axis=1)

    out, at = [], 0
    for one in program.derived:
        if not one.parts:
            out.append(column(at))
            at += 1
            continue
        scores: list[str] = []
        for part in one.parts:
            value = column(at)
            at += 1
            if part.squashed:
                unit = scope.constant(np.array(1.0))
                power = power_of(scope, scope.add("Neg", scope.add("Abs", value)))
                above = scope.add("Where", scope.add("Less", value, scope.constant(np.array(0.0))), power, unit)
                share = scope.add("Div", above, scope.add("Add", unit, power))
                value = scope.add("Mul", scope.constant(np.array(part.weight)), share)
            if part.score == len(scores):
                scores.append(value)
            else:
                scores[-1] = scope.add("Add", scores[-1], value)
        if len(scores) == 1:
            out += scores
            continue
        together = scope.add("Concat", *scores, axis=1)
        number = scope.real(scope.add("ArgMax", together, axis=1, keepdims=1))
        total = scope.add("ReduceSum", together, scope.constant(np.array([1], np.int64)), keepdims=1)
        out.append(scope.add("Where", scope.add("IsNaN", total), scope.constant(np.array(math.nan)), number))
    return out[0] if len(out) == 1 else scope.add("Concat", *out, axis=1)


def power_of(scope: Scope, x: str) -> str:
    """E to the power of numbers not above 0, by the model's own operations."""

    def number(value: float) -> str:
        return scope.constant(np.array(value))

    def times(a: str, b: str) -> str:
        return scope.add("Mul", a, b)

    def plus(a: float, b: str) -> str:
        return scope.add("Add", number(a), b)

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
    return scope.add("Where", far, number(0.0), times(scope.add("Add", even, times(odd, r)), scale))


def powers_of(scope: Scope, scores: str) -> str:
    """E to the power of scores of any sign, which are cut at 708; see ``predictor.py``."""
    one, zero = scope.constant(np.array(1.0)), scope.constant(np.array(0.0))
    some = scope.add("Where", scope.add("IsNaN", scores), zero, scores)
    inside = scope.add("Min", some, scope.constant(np.array(708.0)))
    power = power_of(scope, scope.add("Neg", scope.add("Abs", inside)))
    return scope.add("Where", scope.add("Greater", inside, zero), scope.add("Div", one, power), power)


def shares_of(scope: Scope, scores: str, classes: int) -> str:
    """The shares (rows x classes) that scores stand for, by the model's own operations; see ``predictor.py``."""

    def number(value: float) -> str:
        return scope.constant(np.array(value))

    some = scope.add("Where", scope.add("IsNaN", scores), number(0.0), scores)
    inside = scope.add("Min", scope.add("Max", some, number(-_BOUND)), number(_BOUND))
    inside = scope.add("Where", scope.add("Equal", scores, number(NEVER)), scores, inside)
    x = scope.add("Sub", inside, scope.add("ReduceMax", inside, axes=[1], keepdims=1))
    most = scope.add("GreaterOrEqual", x, number(-(2.0**-27)))
    power = power_of(scope, x)
    power = scope.add("Where", most, number(1.0), power)

    def total(s: Scope, at: str, before: list[str]) -> list[str]:
        return [s.add("Add", before[0], s.add("Gather", power, at, axis=1))]

    zeros = scope.filled(np.array(0.0), scope.rows(power))
    sum_ = scope.loop(scope.constant(np.array(classes, np.int64)), [(zeros, scope.onnx.TensorProto.DOUBLE)], total)[0]
    return scope.add("Div", power, scope.wide(sum_))
