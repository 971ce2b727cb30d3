"""Linear models in the nodes of a tree: equations in the user's terms, stored as flat columns beside the tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import visible
from treewright.table import TableSchema
from treewright.table.schema import number_text

SMOOTHINGS = ("m5", "blend", "none")


@dataclass(frozen=True, slots=True)
class LinearTerm:
    """A coefficient and what it is multiplied with: a number, or whether a level is one of those listed (1) or not (0)."""

    column: str
    levels: tuple[Any, ...] | None
    coefficient: float
    name: str  # as equations write it


@dataclass(frozen=True, slots=True)
class Equation:
    """What a leaf says: a constant and a sum of terms."""

    intercept: float
    terms: tuple[LinearTerm, ...]

    def text(self, digits: int = 6) -> str:
        """Write the equation, coefficients with at most this many digits."""
        out = number_text(float(f"{self.intercept:.{digits}g}"))
        for term in self.terms:
            size = number_text(float(f"{abs(term.coefficient):.{digits}g}"))
            out += f" {'-' if term.coefficient < 0 else '+'} {size} * {term.name}"
        return visible(out)

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True)
class Smoothing:
    """How the answers of neighbouring leaves are brought together.

    Attributes
    ----------
    kind : {"m5", "blend", "none"}
        "m5": models of leaves are mixed with those above them. "blend": within a band around every threshold the answers of both
        branches are mixed, linearly, so that there is no jump. "none": every leaf says what its own model says.
    k : float
        "m5": the weight of the model above.
    band : float
        "blend": half the width of the band in standard deviations of the column.
    """

    kind: str = "m5"
    k: float = 15.0
    band: float = 0.1


class LinearModels:
    """The linear models of all nodes of a tree, and how they are smoothed."""

    def __init__(self, core: _core.LinearModels, tree: _core.Tree, smoothing: Smoothing) -> None:
        self._core = core
        self._tree = tree
        self.smoothing = smoothing

    @cached_property
    def _said(self) -> _core.LinearModels:
        """The models that are answered with."""
        return self._core.smoothed(self._tree, self.smoothing.k) if self.smoothing.kind == "m5" else self._core

    @cached_property
    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = self._said.state()
        return state

    def answers(self, arrays: list[NDArray[Any]], n_rows: int, threads: int = 1) -> NDArray[np.float64]:
        """What the leaves say of every row."""
        band = self.smoothing.band if self.smoothing.kind == "blend" else 0.0
        return np.asarray(self._said.answers(self._tree, arrays, n_rows, band, threads))

    def without_smoothing(self) -> LinearModels:
        """The same models, unsmoothed."""
        return LinearModels(self._core, self._tree, Smoothing("none"))

    def equation(self, node: int, schema: TableSchema) -> Equation:
        """What a node says, in the terms of the table."""
        state = self._state
        begin, end = int(state["term_begin"][node]), int(state["term_begin"][node + 1])
        terms = []
        for i in range(begin, end):
            index, place = int(state["term_column"][i]), int(state["term_place"][i])
            column = schema.columns[index]
            levels: tuple[Any, ...] | None = None
            name = column.name
            if place >= 0:
                first = int(state["rank_begin"][index])
                rank = state["rank"][first : int(state["rank_begin"][index + 1])]
                above = [int(code) for code in np.flatnonzero(rank > place)]
                levels = tuple(column.levels[code] for code in above)
                name = f"({column.name} = {' or '.join(column.level_text(code) for code in above)})"
            terms.append(LinearTerm(column.name, levels, float(state["coefficient"][i]), name))
        return Equation(float(state["intercept"][node]), tuple(terms))

    def state(self) -> dict[str, Any]:
        """All columns by name: of the models before smoothing, from which the rest follows."""
        state: dict[str, Any] = self._core.state()
        return state

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearModels):
            return NotImplemented
        mine, theirs = self.state(), other.state()
        return self.smoothing == other.smoothing and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]
