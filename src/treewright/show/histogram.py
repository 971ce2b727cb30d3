"""The split column inside a node: how its rows lie on it, by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.model.rules import cells_of
from treewright.show.picture import GREY, INK, NUMBERS, Box, Path, Shape, Text, class_color, fitted, text_width

if TYPE_CHECKING:
    from treewright.model.tree import Tree
    from treewright.show.node_text import NodeText


_BINS = 20
_TINY = 6.5  # points of the ends' text


@dataclass(frozen=True, slots=True)
class Histogram:
    """The split column inside a node: bins from ``low`` to ``high`` (or one per level), rows per class in each."""

    low: float
    high: float
    bins: list[list[int]]
    ends: tuple[str, str]  # the same as text; empty for levels, which are written at the branches

    @property
    def height(self) -> float:
        """Height it takes in a card."""
        return 34.0 if self.ends[0] else 24.0


def histograms(tree: Tree, nodes: NodeText, X: Any, y: Any, ids: Sequence[int]) -> dict[int, Histogram]:
    """How the rows of each node lie on the column it asks about, per class if ``y`` is given."""
    cells = cells_of(X, tree.schema)
    n_rows = len(cells[0])
    group, n_groups = _groups(nodes, y, n_rows)
    rows_of = tree.decision_path(X).tocsc()
    out = {}
    for id in ids:
        source = nodes.splits.source(id)
        column = source.column
        rows = rows_of.indices[rows_of.indptr[id] : rows_of.indptr[id + 1]]
        values = source.cells(cells, rows).astype(np.float64)
        present = values >= 0 if column.nominal else ~np.isnan(values)
        values, groups = values[present], group[rows][present]
        if not len(values):
            continue
        low, high = (-0.5, len(column.levels) - 0.5) if column.nominal else (float(values.min()), float(values.max()))
        if not column.nominal and not (low < high and math.isfinite(high - low)):
            continue
        bins = len(column.levels) if column.nominal else _BINS
        if bins > 4 * _BINS:
            continue
        where = np.minimum(((values - low) / (high - low) * bins).astype(np.int64), bins - 1)
        table = np.bincount(where * n_groups + groups, minlength=bins * n_groups).reshape(bins, n_groups)
        ends = ("", "") if column.nominal else (column.cut_text(low, low, high, False), column.cut_text(high, low, high, True))
        out[id] = Histogram(low, high, table.tolist(), ends)
    return out


def _groups(nodes: NodeText, y: Any, n_rows: int) -> tuple[Any, int]:
    if y is None or nodes.classes is None:
        return np.zeros(n_rows, np.int64), 1
    place = {label: k for k, label in enumerate(nodes.classes)}
    labels = np.asarray(y, dtype=object).tolist()
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(labels)}")
    k = len(nodes.classes)
    return np.array([place.get(label, k) for label in labels], np.int64), k + 1


def histogram_shapes(nodes: NodeText, id: int, histogram: Histogram, x: float, y: float, width: float) -> list[Shape]:
    """Draw a histogram with a wedge at every threshold."""
    tallest = max(sum(bin) for bin in histogram.bins)
    wide = width / len(histogram.bins)
    many = nodes.classes is not None and len(histogram.bins[0]) > 1
    out: list[Shape] = []
    for i, bin in enumerate(histogram.bins):
        top = y + 20
        for k, n in enumerate(bin):
            if n:
                high = 20 * n / tallest
                top -= high
                out.append(Box(x + i * wide, top, wide * 0.9, high, fill=class_color(k) if many else NUMBERS))
    out.append(Path([(x, y + 20), (x + width, y + 20)], 0.5))
    span = histogram.high - histogram.low
    wedges: list[float] = []
    for cut in nodes.cuts(id):
        at = x + width * (cut - histogram.low) / span
        wedges.append(at)
        out.append(Path([(at, y + 20), (at - 3.5, y + 26), (at + 3.5, y + 26)], 0.5, INK, INK))
    for text, at, anchor, inside in ((histogram.ends[0], x, "start", 1), (histogram.ends[1], x + width, "end", -1)):
        text = fitted(text, _TINY, width / 3)
        reach = at + inside * (text_width(text, _TINY) + 4)
        if text and not any(min(at, reach) - 4 < wedge < max(at, reach) + 4 for wedge in wedges):
            out.append(Text(at, y + 29, text, _TINY, anchor, fill=GREY))
    return out
