"""What the nodes of a tree test: columns, and numbers that are derived from several of them, each one value for all its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.linear import Equation, LinearTerm, Part
from treewright.model.node_columns import NodeColumns
from treewright.table import ColumnSchema, TableSchema


@dataclass(frozen=True, slots=True)
class Source:
    """What is tested: the cells of one column, or a number derived from several.

    Attributes
    ----------
    index : int
        Position of the column; derived numbers have the positions beyond, in the order of the first nodes that test them.
    column : ColumnSchema
        The column; of a derived number one as if it were a column, named by its terms.
    equation : Equation or None
        How the number is computed, where it is derived.
    """

    index: int
    column: ColumnSchema
    equation: Equation | None = None

    def cells(self, columns: Sequence[NDArray[Any]], rows: NDArray[Any]) -> NDArray[Any]:
        """What is compared, of some rows, given all columns of a table as the core reads them."""
        if self.equation is None:
            return columns[self.index][rows]
        read = {j: columns[j][rows] for term in self.equation.terms for j in term.indices}
        return self.equation.answers([read.get(j, rows) for j in range(len(columns))])  # other columns are not looked at


class Sources:
    """What the nodes of a tree test, each column and each equation once.

    Attributes
    ----------
    derived : dict of int to Source
        The derived numbers, by the nodes that test them.
    """

    def __init__(self, schema: TableSchema, columns: NodeColumns) -> None:
        self._schema = schema
        self._plain: dict[int, Source] = {}
        self.derived = self._read_derived(columns) if len(columns.term_begin) else {}

    def of_column(self, index: int) -> Source:
        """A column as what is tested."""
        source = self._plain.get(index)
        if source is None:
            source = self._plain[index] = Source(index, self._schema.columns[index])
        return source

    def _read_derived(self, columns: NodeColumns) -> dict[int, Source]:
        entries = columns.entries
        names = ("column", "level", "coefficient", "missing", "by", "by_missing")
        pools = [getattr(entries, f"term_{name}") for name in names]
        in_parts = [getattr(entries, f"part_{name}") for name in ("score", "terms", "squashed", "weight", "constant")]
        found: dict[tuple[bytes, ...], Source] = {}
        out = {}
        for id in np.flatnonzero(columns.n_terms).tolist():
            begin, end = entries.run("term", id)
            terms = [pool[begin:end] for pool in pools]
            begin, end = entries.run("part", id)
            parts = [pool[begin:end] for pool in in_parts]
            bits = tuple(each.tobytes() for each in (*terms, *parts))  # NaN, where a sum needs all cells, is not equal to itself
            if bits not in found:
                found[bits] = self._derived(len(found), zip(*terms, strict=True), zip(*parts, strict=True))
            out[id] = found[bits]
        return out

    def _derived(
        self, number: int, terms: Iterable[tuple[int, int, float, float, int, float]], parts: Iterable[tuple[Any, ...]]
    ) -> Source:
        columns, made = self._schema.columns, []
        for index, level, coefficient, missing, by, by_missing in terms:
            term = LinearTerm.of(columns[index], index, coefficient, None if level < 0 else (level,), missing)
            made.append(term if by < 0 else term.times(columns[by], by, by_missing))
        in_parts = (Part(int(score), int(n), bool(flat), float(w), float(c)) for score, n, flat, w, c in parts)
        equation = Equation(0.0, tuple(made), tuple(in_parts))
        return Source(len(columns) + number, _column(equation), equation)


def _column(equation: Equation) -> ColumnSchema:
    """A derived number as a column; where it tells which score is the largest, their numbers from 1 are its levels."""
    if equation.n_scores == 1:
        return ColumnSchema(equation.sum_text(), "number")
    return ColumnSchema(equation.sum_text(), "ordered", tuple(str(k + 1) for k in range(equation.n_scores)))
