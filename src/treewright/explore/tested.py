"""What the nodes of a tree test, for the page: columns, and numbers that are derived from several of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.export.nodes import DerivedNumbers
from treewright.model.splits import Source
from treewright.show.node_text import NodeText


class Tested:
    """What every node tests, read once."""

    def __init__(self, tree: Any, nodes: NodeText) -> None:
        self._nodes = nodes
        self._numbers = DerivedNumbers(len(tree.columns))
        self._sources: dict[int, Source] = {}
        self.inner = [id for id, count in enumerate(nodes.count) if count]

    def source(self, id: int) -> Source:
        """What a node tests."""
        if id not in self._sources:
            self._sources[id] = self._nodes.splits.source(id)
        return self._sources[id]

    def key(self, id: int) -> int:
        """What a node tests as a number: nodes that test the same have the same."""
        source = self.source(id)
        return self._numbers.column(source.index, source.column.name, source.equation)

    def values(self, id: int, cells: Sequence[NDArray[Any]], rows: NDArray[Any]) -> NDArray[np.float64]:
        """What a node tests of some rows; levels as codes."""
        source = self.source(id)
        if source.equation is None:
            return cells[source.index][rows].astype(np.float64)
        read = {term.index: cells[term.index][rows] for term in source.equation.terms}
        return source.equation.answers([read.get(j, rows) for j in range(len(cells))])  # other columns are not looked at

    def by_column(self, of: Callable[[int], list[float]]) -> dict[int, list[float]]:
        """What every split of one column has of numbers, by that column: its thresholds, or the training cells beside them."""
        out: dict[int, list[float]] = {}
        for id in self.inner:
            if self.source(id).equation is None and (found := of(id)):
                out.setdefault(self.source(id).index, []).extend(found)
        return out

    def crossings(self) -> dict[int, list[float]]:
        """Cells at which numbers that are derived from a column pass their thresholds, by column, the others as if missing.

        Where no rows tell the range of a column, these tell where it matters.
        """
        out: dict[int, list[float]] = {}
        for id in self.inner:
            equation = self.source(id).equation
            if equation is None:
                continue
            fill = [0.0 if math.isnan(term.missing) else term.missing for term in equation.terms]
            middle = equation.intercept + sum(term.coefficient * x for term, x in zip(equation.terms, fill, strict=True))
            for term, x in zip(equation.terms, fill, strict=True):
                if term.codes is None and term.coefficient:
                    places = [x + (cut - middle) / term.coefficient for cut in self._nodes.cuts(id)]
                    out.setdefault(term.index, []).extend([x, *filter(math.isfinite, places)])
        return out
