"""What the nodes of a tree test, for the page: columns, and numbers that are derived from several of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from treewright.model.sources import Source
from treewright.model.splits import Cuts
from treewright.show.node_text import NodeText


class Tested:
    """What every inner node tests and how, read once.

    Attributes
    ----------
    tests : dict of int to (Source, Division)
        By node.
    """

    def __init__(self, nodes: NodeText) -> None:
        source, division = nodes.splits.source, nodes.splits.division
        self.tests = {id: (source(id), division(id)) for id, n_branches in enumerate(nodes.count) if n_branches}

    def source(self, id: int) -> Source:
        """What a node tests."""
        return self.tests[id][0]

    def cuts(self, id: int) -> tuple[float, ...]:
        """The thresholds of a node, ascending."""
        division = self.tests[id][1]
        return division.at if isinstance(division, Cuts) else ()

    def by_column(self, of: Callable[[Cuts], Iterable[float]]) -> dict[int, list[float]]:
        """What the cuts of every column are, of all its nodes: thresholds, or the training cells beside them."""
        out: dict[int, list[float]] = {}
        for source, division in self.tests.values():
            if source.equation is None and isinstance(division, Cuts):
                out.setdefault(source.index, []).extend(of(division))
        return out

    def crossings(self) -> dict[int, list[float]]:
        """Cells at which numbers that are derived from a column pass their thresholds, by column, the others as if missing.

        Where no rows tell the range of a column, these tell where it matters.
        """
        out: dict[int, list[float]] = {}
        for id, (source, _) in self.tests.items():
            equation = source.equation
            if equation is None:
                continue
            if equation.parts or any(term.by is not None for term in equation.terms):
                continue  # where a curve passes, or which score is the largest, is no matter of one column
            fill = [0.0 if math.isnan(term.missing) else term.missing for term in equation.terms]
            middle = equation.intercept + sum(term.coefficient * x for term, x in zip(equation.terms, fill, strict=True))
            for term, x in zip(equation.terms, fill, strict=True):
                if term.codes is None and term.coefficient:
                    places = [x + (cut - middle) / term.coefficient for cut in self.cuts(id)]
                    out.setdefault(term.index, []).extend([x, *filter(math.isfinite, places)])
        return out
