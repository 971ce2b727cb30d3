"""The split column inside a node: how its rows lie on it, by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.model.rules import cells_of
from treewright.model.splits import Levels
from treewright.show.picture import GREY, INK, NUMBERS, WHITE, Box, Path, Shape, Text, blend, class_color, fitted, text_width

if TYPE_CHECKING:
    from treewright.model.tree import Tree
    from treewright.show.node_text import NodeText


_BINS = 20
_GROUPS = 8  # bins of a numeric target
_TINY = 6.5  # points of the ends' text
_HIGH, _TALL = 20.0, 38.0  # of bars; of a numeric target


@dataclass(frozen=True, slots=True)
class Histogram:
    """The split column inside a node: bins from ``low`` to ``high`` (or one per level), rows per class in each.

    Bars of levels stand by branch, the tallest first; ``branches`` is the branch of each. Of a numeric target, rows are counted
    in bins between the two numbers of ``target``.
    """

    low: float
    high: float
    bins: list[list[int]]
    ends: tuple[str, str]  # the same as text; empty for levels, which are written at the branches
    branches: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()  # the codes of the bars
    target: tuple[float, float] | None = None

    @property
    def bar_height(self) -> float:
        """Height of what is drawn above the line."""
        return _HIGH if self.target is None else _TALL

    @property
    def height(self) -> float:
        """Height it takes in a card."""
        return self.bar_height + (14.0 if self.ends[0] else 8.0 if self.branches else 4.0)


def histograms(tree: Tree, nodes: NodeText, X: Any, y: Any, ids: Sequence[int]) -> dict[int, Histogram]:
    """How the rows of each node lie on the column it asks about, per class or number if ``y`` is given."""
    cells = cells_of(X, tree.schema)
    n_rows = len(cells[0])
    group, n_groups = _groups(nodes, y, n_rows)
    truth = _numbers(nodes, y, n_rows)
    rows_of = tree.decision_path(X).tocsc()
    out = {}
    for id in ids:
        source = nodes.splits.source(id)
        column = source.column
        rows = rows_of.indices[rows_of.indptr[id] : rows_of.indptr[id + 1]]
        values = source.cells(cells, rows).astype(np.float64)
        present = values >= 0 if column.nominal else ~np.isnan(values)
        values, rows = values[present], rows[present]
        if not len(values):
            continue
        low, high = (-0.5, len(column.levels) - 0.5) if column.nominal else (float(values.min()), float(values.max()))
        if not column.nominal and not (low < high and math.isfinite(high - low)):
            continue
        bins = len(column.levels) if column.nominal else _BINS
        if bins > 4 * _BINS:
            continue
        groups, parts, target = group[rows], n_groups, None
        if truth is not None and 0 < (span := float(np.ptp(truth[rows]))) < math.inf:
            target = (float(truth[rows].min()), float(truth[rows].max()))
            groups, parts = np.minimum(((truth[rows] - target[0]) / span * _GROUPS).astype(np.int64), _GROUPS - 1), _GROUPS
        where = np.minimum(((values - low) / (high - low) * bins).astype(np.int64), bins - 1)
        table = np.bincount(where * parts + groups, minlength=bins * parts).reshape(bins, parts).tolist()
        if column.nominal:
            order = _by_branch(nodes, id, [sum(bar) for bar in table])
            bars = [table[code] for code, _ in order]
            codes, branches = zip(*order, strict=True)
            out[id] = Histogram(low, high, bars, ("", ""), branches, codes, target)
            continue
        ends = (column.cut_text(low, low, high, False), column.cut_text(high, low, high, True))
        out[id] = Histogram(low, high, table, ends, target=target)
    return out


def _by_branch(nodes: NodeText, id: int, rows: Sequence[int]) -> list[tuple[int, int]]:
    """The levels that have rows, each with its branch: by branch, those with most rows first."""
    division = nodes.splits.division(id)
    if not isinstance(division, Levels):  # whether the cell is there
        to, otherwise = {}, 0
    else:
        to, otherwise = division.to, 0 if division.otherwise is None else division.otherwise
    found = [(code, to.get(code, otherwise)) for code, n in enumerate(rows) if n]
    return sorted(found, key=lambda entry: (entry[1], -rows[entry[0]], entry[0]))


def _numbers(nodes: NodeText, y: Any, n_rows: int) -> Any:
    """A numeric target as an array; None where there is none, or several numbers a row."""
    if y is None or nodes.classes is not None or nodes.tree.target.outputs:
        return None
    numbers = np.asarray(y, np.float64)
    if len(numbers) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(numbers)}")
    return numbers


def _groups(nodes: NodeText, y: Any, n_rows: int) -> tuple[Any, int]:
    if y is None or nodes.classes is None:
        return np.zeros(n_rows, np.int64), 1
    place = {label: k for k, label in enumerate(nodes.classes)}
    labels = np.asarray(y, dtype=object).tolist()
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(labels)}")
    k = len(nodes.classes)
    return np.array([place.get(label, k) for label in labels], np.int64), k + 1


_APART = 4.0  # between bars of different branches


def _bars(histogram: Histogram, x: float, width: float) -> list[tuple[float, float]]:
    """Where bars begin and end."""
    n, branches = len(histogram.bins), histogram.branches
    if not branches:
        return [(x + width * i / n, x + width * (i + 1) / n) for i in range(n)]
    turns = sum(a != b for a, b in pairwise(branches))
    wide = min(22.0, (width - _APART * turns) / n)
    out, at = [], x
    for i in range(n):
        at += _APART if i and branches[i] != branches[i - 1] else 0.0
        out.append((at, at + wide))
        at += wide
    return out


def histogram_shapes(nodes: NodeText, id: int, histogram: Histogram, x: float, y: float, width: float) -> list[Shape]:
    """Draw a histogram with a wedge at every threshold, or a line under the bars of every branch: full, hollow, and in turn."""
    places = _bars(histogram, x, width)
    floor = y + histogram.bar_height
    out = _stacks(nodes, histogram, places, floor) if histogram.target is None else _grid(histogram, places, x, y, width)
    wedges: list[float] = []
    if histogram.branches:
        for branch in dict.fromkeys(histogram.branches):
            own = [place for place, to in zip(places, histogram.branches, strict=True) if to == branch]
            out.append(Box(own[0][0], floor + 2, own[-1][1] - own[0][0], 2.4, WHITE if branch % 2 else INK, INK, 0.5))
    else:
        out.append(Path([(x, floor), (x + width, floor)], 0.5))
        for cut in nodes.cuts(id):
            at = x + width * (cut - histogram.low) / (histogram.high - histogram.low)
            wedges.append(at)
            out.append(Path([(at, floor), (at - 3.5, floor + 6), (at + 3.5, floor + 6)], 0.5, INK, INK))
    if histogram.target is not None:
        out += _means(nodes, id, histogram, places, wedges, (x, y, width))
    for text, at, anchor, inside in ((histogram.ends[0], x, "start", 1), (histogram.ends[1], x + width, "end", -1)):
        text = fitted(text, _TINY, width / 3)
        reach = at + inside * (text_width(text, _TINY) + 4)
        if text and not any(min(at, reach) - 4 < wedge < max(at, reach) + 4 for wedge in wedges):
            out.append(Text(at, floor + 9, text, _TINY, anchor, fill=GREY))
    return out


def _stacks(nodes: NodeText, histogram: Histogram, places: list[tuple[float, float]], floor: float) -> list[Shape]:
    """Bars of rows, by class."""
    tallest = max(sum(bin) for bin in histogram.bins)
    many = nodes.classes is not None and len(histogram.bins[0]) > 1
    out: list[Shape] = []
    for (left, right), bin in zip(places, histogram.bins, strict=True):
        top = floor
        for k, n in enumerate(bin):
            if n:
                high = _HIGH * n / tallest
                top -= high
                out.append(Box(left, top, (right - left) * 0.9, high, fill=class_color(k) if many else NUMBERS))
    return out


def _grid(histogram: Histogram, places: list[tuple[float, float]], x: float, y: float, width: float) -> list[Shape]:
    """The target upwards against the column, rows as strength of colour."""
    most = max(max(bin) for bin in histogram.bins)
    high = _TALL / _GROUPS
    out: list[Shape] = [Box(x, y, width, _TALL, fill=WHITE)]
    for (left, right), bin in zip(places, histogram.bins, strict=True):
        for k, n in enumerate(bin):
            if n:
                fill = blend(NUMBERS, 0.18 + 0.72 * math.sqrt(n / most))
                out.append(Box(left, y + _TALL - (k + 1) * high, (right - left) * 0.96, high * 0.92, fill=fill))
    return out


def _means(
    nodes: NodeText,
    id: int,
    histogram: Histogram,
    places: list[tuple[float, float]],
    cuts: list[float],
    area: tuple[float, float, float],
) -> list[Shape]:
    """The mean of every branch as a line over its part of the column."""
    x, y, width = area
    assert histogram.target is not None
    least, most = histogram.target
    out: list[Shape] = []
    for branch, child in enumerate(nodes.children(id)):
        if histogram.branches:
            own = [place for place, to in zip(places, histogram.branches, strict=True) if to == branch]
            left, right = (own[0][0], own[-1][1]) if own else (0.0, 0.0)
        elif branch <= len(cuts):
            left, right = [x, *cuts][branch], [*cuts, x + width][branch]
        else:  # that of missing cells
            continue
        if right > left and math.isfinite(nodes.value[child]):
            at = y + _TALL * (1 - min(1.0, max(0.0, (nodes.value[child] - least) / (most - least))))
            out += [Path([(left, at), (right, at)], 4.0, WHITE), Path([(left, at), (right, at)], 1.6, INK)]
    return out
