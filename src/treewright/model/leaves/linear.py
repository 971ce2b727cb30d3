"""Leaves with linear models: what equations of numbers and scores of classes share, as flat columns beside the tree."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import as_float
from treewright.model.gates import Gate, blends
from treewright.model.leaves.base import AnswerForm, Floats, LeafModel, SectionReader
from treewright.model.linear import Equation, LinearTerm
from treewright.model.splits import Splits
from treewright.table import TableSchema, TargetSchema
from treewright.table.schema import number_text

SMOOTHINGS = ("m5", "blend", "none")


@dataclass(frozen=True)
class Smoothing:
    """How the predictions of neighbouring leaves are brought together.

    Attributes
    ----------
    kind : {"m5", "blend", "none"}
        "m5": models of leaves are mixed with those above them. "blend": within a band around every threshold the predictions of
        both branches are mixed, linearly, so that there is no jump. "none": every leaf predicts by its own model.
    k : float
        "m5": the weight of the model above.
    band : float
        "blend": half the width of the band in standard deviations of the column.
    """

    kind: str = "m5"
    k: float = 15.0
    band: float = 0.1


NOT_SMOOTHED = Smoothing("none")


class LinearModels(LeafModel):
    """The linear models of all nodes of a tree, and how they are smoothed.

    Attributes
    ----------
    smoothing : Smoothing
        How.
    """

    computed = True
    sections = ("models",)
    uncut = "leaves of this tree say equations, which cutting back would lose: fit again with other limits"
    # Entries of the section beside the columns and how they are smoothed.
    _more: ClassVar[tuple[str, ...]] = ("deviation",)

    def __init__(
        self,
        core: _core.Tree,
        schema: TableSchema,
        target: TargetSchema,
        models: _core.LinearModels,
        smoothing: Smoothing = NOT_SMOOTHED,
    ) -> None:
        super().__init__(core, schema, target)
        self._models = models
        self.smoothing = smoothing

    @cached_property
    def _smoothed(self) -> _core.LinearModels:
        """The models that are predicted with."""
        if self.smoothing.kind != "m5":
            return self._models
        # The constant counts rows, the nodes of the tree have their weight.
        return self._models.smoothed(self._tree, self.smoothing.k * self.target.row_weight)

    @cached_property
    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = self._smoothed.state()
        return columns

    @property
    def fill(self) -> Floats:
        """What a missing cell of every column counts as."""
        fill: Floats = self._columns["fill"]
        return fill

    @property
    def used_columns(self) -> list[int]:
        """Positions of the columns of all terms."""
        return sorted(set(self._columns["term_column"].tolist()))

    def answers(self, arrays: list[NDArray[Any]], n_rows: int, threads: int = 1) -> Floats:
        """What the leaves predict of every row, given by its cells; of classes the shares, a column each."""
        band = self.smoothing.band if self.smoothing.kind == "blend" else 0.0
        predicted = np.asarray(self._smoothed.answers(self._tree, arrays, n_rows, band, threads))
        return predicted.reshape(n_rows, self._per_node) if self.scored else predicted

    @cached_property
    def _per_node(self) -> int:
        return len(self._columns["intercept"]) // int(self._tree.size)

    def equations(self, id: int) -> list[Equation]:
        """All equations of a node: one, or one for every declared class."""
        return [self._equation(id * self._per_node + k) for k in range(self._per_node)]

    def _equation(self, model: int) -> Equation:
        columns = self._columns
        begin, end = int(columns["term_begin"][model]), int(columns["term_begin"][model + 1])
        terms = []
        for i in range(begin, end):
            index, place = int(columns["term_column"][i]), int(columns["term_place"][i])
            codes, missing = None, float(columns["fill"][index])
            if place != -1:
                first = int(columns["rank_begin"][index])
                rank = columns["rank"][first : int(columns["rank_begin"][index + 1])].astype(np.int64)
                holds = rank > place if place >= 0 else rank == -2 - place
                codes = tuple(int(code) for code in np.flatnonzero(holds))
                missing = float(holds[int(missing)])
            terms.append(LinearTerm.of(self.schema.columns[index], index, float(columns["coefficient"][i]), codes, missing))
        return Equation(float(columns["intercept"][model]), tuple(terms))

    def program(self, id: int) -> AnswerForm:
        """The constants, and the terms that are added to them."""
        equations = self.equations(id)
        terms = tuple(tuple((t.index, t.coefficient, t.missing, t.codes) for t in each.terms) for each in equations)
        return -1, tuple(each.intercept for each in equations), terms

    @property
    def note(self) -> str:
        """That predictions are mixed near thresholds, where they are."""
        if self.smoothing.kind != "blend":
            return ""
        band = number_text(self.smoothing.band)
        return f"within {band} standard deviations of a threshold the answers of both sides are mixed"

    def gates(self) -> Mapping[int, Gate]:
        """Bands about thresholds, where predictions are blended."""
        if self.smoothing.kind != "blend":
            return {}
        spread, band = self._columns["spread"], self.smoothing.band
        inner = np.flatnonzero(~self.nodes.is_leaf).tolist()
        return blends(Splits(self.schema, self.nodes), inner, lambda column: band * float(spread[column]), self.fill)

    def widened(self, core: _core.Tree, schema: TableSchema, columns: NDArray[np.int64]) -> LeafModel:
        """The same models, whose terms name their columns by other positions."""
        state, n_columns = self.state(), len(schema.columns)
        levels = np.array([len(column.levels) if column.nominal else 0 for column in schema.columns])
        ranks = [np.arange(n) for n in levels.tolist()]
        for own, j in enumerate(columns.tolist()):
            ranks[j] = state["rank"][int(state["rank_begin"][own]) : int(state["rank_begin"][own + 1])]
        wide = {**state, "term_column": columns[state["term_column"].astype(np.int64)]}
        wide["column_kind"] = np.array([column.nominal for column in schema.columns])
        for name in ("fill", "spread"):
            wide[name] = np.zeros(n_columns)
            wide[name][columns] = state[name]
        wide["rank_begin"] = np.concatenate([[0], np.cumsum([len(each) for each in ranks])])
        wide["rank"] = np.concatenate([np.zeros(0), *ranks])
        typed = {name: np.ascontiguousarray(value, state[name].dtype) for name, value in wide.items()}
        out = type(self)(core, schema, self.target, _core.LinearModels.from_state(typed, core), self.smoothing)
        out.deviations = self.deviations
        return out

    def state(self) -> dict[str, Any]:
        """All columns by name: of the models before smoothing, from which the rest follows."""
        state: dict[str, Any] = self._models.state()
        return state

    @classmethod
    def reads(cls, names: Container[str], target: TargetSchema) -> bool:
        """Whether a section has models of such a target."""
        return "models" in names and cls.scored == (target.classes is not None)

    def pack(self) -> dict[str, Any]:
        """The columns, and how they are smoothed."""
        how = self.smoothing
        return {"models": {"smoothing": how.kind, "k": how.k, "band": how.band, "columns": self.state()}}

    @classmethod
    def unpack(cls, section: SectionReader, core: _core.Tree, schema: TableSchema, target: TargetSchema) -> Self:
        """The models of a section, if they fit the tree."""
        if target.outputs:
            raise ValueError("models of a target of several numbers")
        own = section.within("models")
        own.only("smoothing", "k", "band", "columns", *cls._more)
        kind = own.entry("smoothing", str)
        if kind not in SMOOTHINGS:
            raise ValueError("an unknown smoothing")
        smoothing = Smoothing(kind, _size(own, "k"), _size(own, "band"))
        types, columns = _core.LinearModels.columns(), own.within("columns")
        columns.only(*types)
        state = {name: columns.array(name, dtype) for name, dtype in types.items()}
        out = cls(core, schema, target, _core.LinearModels.from_state(state, core), smoothing)
        out._read(own)
        return out

    def _read(self, section: SectionReader) -> None:
        """Read what else a section holds."""

    def fault(self) -> str | None:
        """What the core says of the columns."""
        try:
            _core.LinearModels.from_state(self.state(), self._tree)
        except ValueError as error:
            return str(error)
        return None

    def _same(self, other: Any) -> bool:
        mine, theirs = self.state(), other.state()
        return self.smoothing == other.smoothing and all(np.array_equal(mine[name], theirs[name]) for name in mine)


def _size(section: SectionReader, name: str) -> float:
    value = section.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(as_float(value)) or value < 0:
        raise ValueError(f"{name}: not a number from 0 up")
    return float(value)
