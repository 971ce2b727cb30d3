"""Leaves that predict a number by an equation (model trees: Quinlan 1992)."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.leaves.base import Floats, LeafTexts, SectionReader
from treewright.model.leaves.linear import NOT_SMOOTHED, LinearModels, Smoothing
from treewright.model.linear import Equation
from treewright.model.residuals import deviations
from treewright.model.routing import Routing
from treewright.table import TableSchema, TargetSchema
from treewright.table.schema import spread_text

_SHORT = 36  # characters of an equation that is written in full where it stands; others are written by number


class Equations(LinearModels):
    """An equation per node."""

    kind = "equations"
    bounded = True

    def __init__(
        self,
        core: _core.Tree,
        schema: TableSchema,
        target: TargetSchema,
        models: _core.LinearModels,
        smoothing: Smoothing,
        deviation: Floats | None = None,
    ) -> None:
        """Hold the equations of a tree.

        ``deviation``, by node, of leaves: root of the mean square by which the training rows of a leaf differ from its equation,
        weights counted; 0 elsewhere. None where a file did not have it.
        """
        super().__init__(core, schema, target, models, smoothing)
        self.deviations = deviation

    def predict(self, rows: Routing) -> Floats:
        """The number of every row, by the equations of its leaf or leaves."""
        return self.answers(*rows.cells(), rows.threads)

    def prediction(self, id: int) -> float:
        """The mean of the target in a node."""
        mean: float = self.nodes.entries.value[id]
        return mean

    def equation(self, id: int) -> Equation:
        """The equation of a node, smoothed at leaves."""
        return self._equation(id)

    def rule_value(self, id: int) -> float | Equation:
        """The equation, or its constant where it has no terms."""
        return self.equation(id).reduced

    def deviation(self, id: int) -> float | None:
        """How far targets lie from the equation; above the leaves known of constants only."""
        if self.deviations is not None and self.nodes.n_children[id] == 0:
            return float(self.deviations[id])
        constant, spread = self.equation(id).reduced, self.spread(id)
        if not isinstance(constant, float) or spread is None:
            return None
        return math.hypot(spread, self.prediction(id) - constant)

    def judged(self, arrays: list[NDArray[Any]], target: Floats, weights: Floats | None) -> Equations:
        """The same equations, with the deviation of these rows from the equation of the leaf of each."""
        predicted = np.asarray(self._smoothed.answers(self._tree, arrays, len(target), 0.0, 1))
        routes: Any = self._tree.route(arrays, len(target), 1)
        off = deviations(np.asarray(routes[0]), target, predicted, weights, int(self._tree.size))
        return Equations(self._tree, self.schema, self.target, self._models, self.smoothing, off)

    def without_smoothing(self) -> Equations:
        """The same equations, unsmoothed."""
        return Equations(self._tree, self.schema, self.target, self._models, NOT_SMOOTHED)

    def text(self, id: int) -> str:
        """The equation."""
        return str(self.equation(id))

    def facts(self, id: int) -> dict[str, Any]:
        """The equation, and how far training rows lie from it."""
        return {"equation": self.equation(id), "deviation": self.deviation(id)}

    def notes(self, id: int) -> list[str]:
        """The equation, with the name of the target."""
        return [f"{self.target.name} = {self.text(id)}"]

    def texts(self, exact: bool = False) -> EquationTexts:
        """Equations in full where they are short, and the deviation from them where that is known."""
        return EquationTexts(self, exact)

    def pack(self) -> dict[str, Any]:
        """The columns, how they are smoothed, and the deviations where they are known."""
        section = super().pack()
        if self.deviations is not None:
            section["models"]["deviation"] = self.deviations
        return section

    def _read(self, section: SectionReader) -> None:
        if "deviation" not in section:  # files of before have none
            return
        self.deviations = np.asarray(section.array("deviation", np.float64), np.float64)
        if (fault := self._deviation_fault()) is not None:
            raise ValueError(fault)

    def _deviation_fault(self) -> str | None:
        kept = self.deviations
        if kept is None:
            return None
        if len(kept) != self._tree.size:
            return f"deviation: {len(kept)} entries for {self._tree.size} nodes"
        return None if bool(np.all(np.isfinite(kept) & (kept >= 0))) else "deviation: not finite numbers from 0 up"

    def fault(self) -> str | None:
        """What is wrong with the columns, or the deviations."""
        return super().fault() or self._deviation_fault()

    def _same(self, other: Any) -> bool:
        one, two = self.deviations, other.deviations
        same = one is two if one is None or two is None else np.array_equal(one, two)
        return same and super()._same(other)


class EquationTexts(LeafTexts):
    """Equations of leaves, each with a number."""

    leaves: Equations

    def text(self, id: int) -> str:
        """The equation, or its number, and the deviation from it where that is known."""
        off = self.leaves.deviation(id)
        return self.names[id] if off is None else f"{self.names[id]} {spread_text(off)}"

    @cached_property
    def names(self) -> dict[int, str]:
        """Short equations in full, others by number."""
        return {id: text if len(text) <= _SHORT else f"LM {n}" for n, id, text in self.numbered}

    @cached_property
    def numbered(self) -> list[tuple[int, int, str]]:
        """Number, leaf and equation."""
        digits, brief = (17, False) if self.exact else (4, True)
        return [(n, id, self.leaves.equation(id).text(digits, brief)) for n, id in enumerate(self.leaves.ends, 1)]
