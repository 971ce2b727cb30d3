"""Leaves that predict several numbers per row: the means of the target's numbers, which the core's columns do not hold."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.leaves.base import AnswerForm, Floats, SectionReader
from treewright.model.leaves.per_node import PerNode
from treewright.table import TableSchema, TargetSchema
from treewright.table.schema import spread_text, value_text


class Vectors(PerNode):
    """Several numbers per node."""

    kind = "vectors"
    sections = ("vectors",)
    uncut = "leaves of this tree say several numbers, which pruning does not judge: fit again with other limits"

    def __init__(self, core: _core.Tree, schema: TableSchema, target: TargetSchema, numbers: Floats) -> None:
        super().__init__(core, schema, target)
        self._numbers = numbers

    def widened(self, core: _core.Tree, schema: TableSchema, columns: NDArray[np.int64]) -> Vectors:
        """The same numbers of the same tree over a table of more columns."""
        return Vectors(core, schema, self.target, self._numbers)

    @property
    def predictions(self) -> Floats:
        """The numbers of every node: nodes x numbers."""
        return self._numbers

    def predict_mixed(self, n_rows: int, mixture: Callable[[NDArray[np.int64]], Floats]) -> Floats:
        """The means of the leaves, by their shares of a row."""
        return mixture(np.arange(n_rows))

    def mixed_entry(self, id: int) -> Floats:
        """The numbers of a node."""
        return self.predictions[id]

    def prediction(self, id: int) -> tuple[float, ...]:
        """The numbers of a node."""
        return tuple(map(float, self.predictions[id]))

    @property
    def first_numbers(self) -> Floats:
        """The first number of every node."""
        return self.predictions[:, 0]

    def text(self, id: int) -> str:
        """The numbers, and their spread."""
        spread = self.spread(id)
        assert spread is not None
        return f"{value_text(self.prediction(id))} {spread_text(spread)}"

    def program(self, id: int) -> AnswerForm:
        """The numbers."""
        return -1, self.prediction(id), ()

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the numbers."""
        return self.target.outputs

    @classmethod
    def reads(cls, names: Container[str], target: TargetSchema) -> bool:
        """Whether a section has vectors, or should have."""
        return "vectors" in names or bool(target.outputs)

    def pack(self) -> dict[str, Any]:
        """The numbers of all nodes, one after the other."""
        return {"vectors": self.predictions.ravel()}

    @classmethod
    def unpack(cls, section: SectionReader, core: _core.Tree, schema: TableSchema, target: TargetSchema) -> Self:
        """The numbers of a section, if there are as many as nodes times outputs."""
        if not target.outputs:
            raise ValueError("vectors of a target of one number")
        if target.classes is not None:
            raise ValueError("a target of classes and of several numbers")
        flat = section.array("vectors", np.float64)
        if len(flat) != core.size * len(target.outputs) or not np.all(np.isfinite(flat)):
            raise ValueError("vectors: not as many finite numbers as nodes times outputs")
        return cls(core, schema, target, np.asarray(flat, np.float64).reshape(core.size, -1))

    def fault(self) -> str | None:
        """Whether there is a finite number for every node and output."""
        shape = (int(self._tree.size), len(self.target.outputs))
        if self.predictions.shape == shape and bool(np.all(np.isfinite(self.predictions))):
            return None
        return f"what its nodes say are not {shape[1]} finite numbers for each of {shape[0]}"
