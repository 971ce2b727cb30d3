"""Edges of a numeric column over the whole training table. Intervals are closed above: x belongs to (e1, e2]."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from .criteria import entropy
from .model import Column, Options, Table, Weight


def between(low: float, high: float, relation: str = "<=", at: str = "midpoint") -> float:
    """The threshold between two neighbouring distinct values."""
    if at == "observed":
        return low if relation == "<=" else high
    gap = high - low
    middle = low + gap / 2 if math.isfinite(gap) else low / 2 + high / 2
    if relation == "<=" and middle == high:
        return low
    if relation == "<" and middle == low:
        return high
    return middle


def equal_width(values: Sequence[float], bins: int) -> tuple[float, ...]:
    low, high = min(values), max(values)
    edges = (low + (high - low) * j / bins for j in range(1, bins))
    return tuple(sorted({edge for edge in edges if low < edge < high}))


def equal_frequency(cells: Sequence[tuple[float, Weight]], bins: int) -> tuple[float, ...]:
    values = sorted({value for value, _ in cells})
    whole = sum(weight for _, weight in cells)
    edges: list[float] = []
    below: Weight = 0
    goal = 1
    for value, following in itertools.pairwise(values):
        below += sum(weight for v, weight in cells if v == value)
        passed = False
        # below >= goal * whole / bins, without division
        while goal < bins and below * bins >= goal * whole:
            goal += 1
            passed = True
        if passed:
            edges.append(between(value, following))
    return tuple(edges)


def _is_boundary(low: list[Weight], high: list[Weight]) -> bool:
    """False inside a run of one class: both neighbouring values hold that class only."""
    return len({k for k, w in enumerate(low) if w} | {k for k, w in enumerate(high) if w}) > 1


def mdlp(cells: Sequence[tuple[float, Weight, int]], n_classes: int) -> tuple[tuple[float, ...], bool]:
    """Fayyad & Irani 1993. Also says whether some decision was a near tie, which rounding may settle either way."""
    by_value: dict[float, list[Weight]] = {}
    for value, weight, klass in cells:
        by_value.setdefault(value, [0] * n_classes)[klass] += weight
    edges: list[float] = []
    shaky = False
    todo = [sorted(by_value)]
    while todo:
        values = todo.pop()

        def counted(part: Sequence[float]) -> list[Weight]:
            return [sum(by_value[v][k] for v in part) for k in range(n_classes)]

        whole = counted(values)
        size = sum(whole)
        scored: list[tuple[float, int]] = []
        for i in range(1, len(values)):
            if _is_boundary(by_value[values[i - 1]], by_value[values[i]]):
                low, high = counted(values[:i]), counted(values[i:])
                rest = float(sum(low) / size) * entropy(low) + float(sum(high) / size) * entropy(high)
                scored.append((rest, i))
        if not scored or size <= 1:
            continue
        best = min(rest for rest, _ in scored)
        rest, i = next((rest, i) for rest, i in scored if rest <= best + 1e-12)
        low, high = counted(values[:i]), counted(values[i:])
        k, k1, k2 = (sum(1 for w in part if w) for part in (whole, low, high))
        delta = math.log2(3**k - 2) - (k * entropy(whole) - k1 * entropy(low) - k2 * entropy(high))
        margin = entropy(whole) - rest - (math.log2(size - 1) + delta) / float(size)
        tied = sum(other <= best + 1e-9 for other, _ in scored) > 1
        shaky |= abs(margin) < 1e-9
        if margin > 0:
            shaky |= tied
            edges.append(between(values[i - 1], values[i]))
            todo += [values[:i], values[i:]]
        elif tied:
            # Another cut of the same gain may pass the test, since delta differs between them.
            shaky = True
    return tuple(sorted(edges)), shaky


def known_cells(column: Column, table: Table) -> list[tuple[float, Weight, int]]:
    return [
        (float(cell), weight, int(table.target[row]) if table.classes else 0)
        for row, (cell, weight) in enumerate(zip(column.cells, table.weights, strict=True))
        if cell is not None and weight > 0
    ]


def edges_of(column: Column, table: Table, options: Options) -> tuple[tuple[float, ...], bool]:
    """The edges, and whether they hang on the last bit of a float (then a comparison proves nothing)."""
    cells = known_cells(column, table)
    if not cells:
        return (), False
    if options.discretise == "mdlp":
        return mdlp(cells, table.n_classes)
    if options.discretise == "equal_frequency":
        return equal_frequency([(value, weight) for value, weight, _ in cells], options.bins), False
    values = sorted({value for value, _, _ in cells})
    edges = equal_width(values, options.bins)
    nearness = 1e-12 * (values[-1] - values[0])
    exact = all(float(edge).is_integer() for edge in edges) and max(map(abs, values)) < 2**40
    shaky = not exact and any(abs(value - edge) <= nearness for value in values for edge in edges)
    return edges, shaky
