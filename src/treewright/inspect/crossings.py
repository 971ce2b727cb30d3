"""Where scores over several columns cross their thresholds if one column alone changes, all other cells of a row as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.inspect.condition_text import DAY
from treewright.model.linear import Equation
from treewright.model.splits import Cuts

if TYPE_CHECKING:
    from treewright.model.tree import Tree
    from treewright.table.schema import ColumnSchema

_FINE = 200  # parts of a deviation in which a crossing is told
_TRIED = 129  # values at which sigmoids are looked at
_FAR = 6.0  # deviations about the mean, likewise
_HALVINGS = 50
_Curve = tuple[float, float, float]  # a x² + b x + c


def crossings(tree: Tree, cells: list[NDArray[Any]]) -> dict[int, NDArray[np.float64]]:
    """By column the values next to which the way of a row changes: short ones on either side, so that nothing changes between.

    Of gates, which change all along, some values from where they are nearly sure to where they are even.
    """
    met: dict[int, list[float]] = {}
    for id, source in tree.splits.derived.items():
        division, equation = tree.splits.division(id), source.equation
        if equation is None or not isinstance(division, Cuts):
            continue
        gate = tree.gates.get(id)
        at = division.at if gate is None else (*division.at, *gate.marks)
        for index in sorted({j for term in equation.terms for j in term.indices}):
            if not tree.columns[index].nominal:
                met.setdefault(index, []).extend(_met(equation, index, at, cells, _reach(tree, index, cells)))
    return {index: _edges(tree.columns[index], values, _spread(tree, index)) for index, values in met.items()}


def _spread(tree: Tree, index: int) -> float:
    spreads = tree.schema.spreads
    return spreads[index][0] if spreads else 0.0


def _reach(tree: Tree, index: int, cells: list[NDArray[Any]]) -> tuple[float, float]:
    """Between which values sigmoids are looked at."""
    now, spread = float(cells[index][0]), _spread(tree, index) or 1.0
    means = [
        mean
        for source in tree.splits.derived.values()
        if source.equation is not None
        for term in source.equation.terms
        for mean, j in ((term.missing, term.index), *(((term.by.missing, term.by.index),) if term.by else ()))
        if j == index
    ]
    ends = [means[0], *([now] if now == now else [])]
    return min(ends) - _FAR * spread, max(ends) + _FAR * spread


def _met(
    equation: Equation, index: int, at: Sequence[float], cells: list[NDArray[Any]], reach: tuple[float, float]
) -> Iterator[float]:
    """The values of a column at which the score, or the number of the largest, crosses one of these."""
    if any(part.squashed for part in equation.parts):
        yield from _looked_for(equation, index, at, cells, reach)
    elif equation.n_scores > 1:
        scores: list[_Curve] = [(0.0, 0.0, 0.0)] * equation.n_scores
        for part, sum_ in equation.sums():
            a, b, c = (old + new for old, new in zip(scores[part.score], _curve(sum_, index, cells), strict=True))
            scores[part.score] = (a, b, c)
        for k, one in enumerate(scores):
            for other in scores[:k]:
                yield from _roots(one[0] - other[0], one[1] - other[1], one[2] - other[2])
    else:
        a, b, c = 0.0, 0.0, 0.0
        for sum_ in [each for _, each in equation.sums()] or [equation]:
            more = _curve(sum_, index, cells)
            a, b, c = a + more[0], b + more[1], c + more[2]
        for cut in at:
            yield from _roots(a, b, c - cut)


def _curve(equation: Equation, index: int, cells: list[NDArray[Any]]) -> _Curve:
    """A sum of terms by the value of one of its columns."""
    a, b, c = 0.0, 0.0, equation.intercept
    for term in equation.terms:
        first, second = float(term.values(cells)[0]), float(np.reshape(term.others(cells), -1)[0])
        if term.by is not None and term.by.index == term.index == index:
            a += term.coefficient
        elif term.index == index:
            b += term.coefficient * second
        elif term.by is not None and term.by.index == index:
            b += term.coefficient * first
        else:
            c += term.coefficient * first * second
    return a, b, c


def _roots(a: float, b: float, c: float) -> list[float]:
    if a == 0:
        return [] if b == 0 else [-c / b]
    inside = b * b - 4 * a * c
    if not 0 <= inside < math.inf:
        return []
    far = -(b + math.copysign(math.sqrt(inside), b)) / 2  # nothing cancels
    return [far / a, *([c / far] if far != 0 else [])]


def _looked_for(
    equation: Equation, index: int, at: Sequence[float], cells: list[NDArray[Any]], reach: tuple[float, float]
) -> Iterator[float]:
    def scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = [np.repeat(column, len(values)) for column in cells]
        rows[index] = values
        return equation.answers(rows)

    tried = np.linspace(*reach, _TRIED)
    found = scores(tried)
    for cut in at:
        above = found > cut
        changes = np.flatnonzero(above[1:] != above[:-1])
        low, high = tried[changes], tried[changes + 1]
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            same = (scores(middle) > cut) == above[changes]
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        yield from low.tolist()


def _edges(column: ColumnSchema, values: Sequence[float], spread: float) -> NDArray[np.float64]:
    if column.kind == "bool" or column.levels:
        return np.arange(max(len(column.levels) - 1, 1), dtype=np.float64) + np.float64(0.5)
    edges: list[float] = []
    for value in values:
        if math.isfinite(value):
            edges += _around(value, DAY if column.kind == "date" else spread / _FINE or abs(value) / 1000 or 0.001, column.kind)
    return np.unique(np.array(edges, np.float64))


def _around(value: float, room: float, kind: str) -> tuple[float, float]:
    """A number below and one above, both of few digits; of dates the days."""
    if kind in ("date", "duration"):
        step = room if kind == "date" else 1e6
        return math.floor(value / step) * step, math.ceil(value / step) * step
    digits = math.floor(math.log10(room))
    if not -290 < digits < 290 or not abs(value) / 10.0**digits < 2**50:
        return float(np.nextafter(value, -np.inf)), float(np.nextafter(value, np.inf))
    whole = value / 10.0**digits
    below, above = math.floor(whole - 1e-6), math.ceil(whole + 1e-6)
    return float(f"{below}e{digits}"), float(f"{above}e{digits}")
