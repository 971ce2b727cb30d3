"""Linear models in the nodes of a tree: equations in the user's terms, stored as flat columns beside the tree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import visible
from treewright.model.residuals import LARGEST, deviations
from treewright.table import TableSchema
from treewright.table.schema import ColumnSchema, name_text, number_text

_PLAIN = re.compile(r"\w+(?: \w+)*")
_LEVELS = 8  # as many are named where there is little room
_DAY = 86_400e6  # microseconds
SMOOTHINGS = ("m5", "blend", "none")
_HALF = 520  # products of numbers that are smaller by so many powers of two, and their sums, are finite
NEVER = -1e308  # the score of a class that training had no rows of; as the core has it


@dataclass(frozen=True, slots=True)
class LinearTerm:
    """A coefficient and what it is multiplied with: a number, or whether a level is one of those listed (1) or not (0)."""

    column: str
    levels: tuple[Any, ...] | None
    coefficient: float
    name: str  # as equations write it
    quoted: str  # the same, so that nothing in it can be taken for a part of the sentence
    index: int
    codes: tuple[int, ...] | None
    missing: float  # what a cell that is missing, or of a level that training did not show, counts as
    # How equations for people count dates and durations: in days, and dates from a day among those of the training rows.
    unit: float = 1.0
    origin: float = 0.0
    brief: str = ""  # the name where there is little room: of many levels the first ones

    @classmethod
    def of(
        cls, column: ColumnSchema, index: int, coefficient: float, codes: tuple[int, ...] | None, missing: float
    ) -> LinearTerm:
        """Make a term of a column, or of some of its levels."""
        quoted = name_text(column.name) if _PLAIN.fullmatch(column.name) else repr(column.name)
        if codes is None:
            name, unit, origin = column.name, 1.0, 0.0
            if column.kind in ("date", "duration"):
                unit = _DAY
                origin = float(np.floor(missing / _DAY)) * _DAY if column.kind == "date" else 0.0
                since = f" since {column.exact_text(origin)}" if column.kind == "date" else ""
                name = f"(days of {name}{since})"
            return cls(column.name, None, coefficient, name, quoted, index, None, missing, unit, origin)
        texts = [column.level_text(code) for code in codes]
        few = texts if len(texts) <= _LEVELS else [*texts[: _LEVELS - 1], f"{len(texts) - _LEVELS + 1} more"]
        every, brief, written = (
            f"({name} = {' or '.join(of)})" for name, of in ((column.name, texts), (column.name, few), (quoted, texts))
        )
        levels = tuple(column.levels[c] for c in codes)
        return cls(column.name, levels, coefficient, every, written, index, codes, missing, brief=brief)

    def values(self, cells: NDArray[Any]) -> NDArray[np.float64]:
        """What the coefficient is multiplied with, by the cells of the column."""
        if self.codes is None:
            numbers = cells.astype(np.float64)
            return np.where(np.isnan(numbers), self.missing, numbers)
        return np.where(cells < 0, self.missing, np.isin(cells, self.codes))


@dataclass(frozen=True, slots=True)
class Equation:
    """What a leaf says: a constant and a sum of terms."""

    intercept: float
    terms: tuple[LinearTerm, ...]

    def text(self, digits: int = 6, brief: bool = False) -> str:
        """Write the equation, coefficients with at most this many digits, dates in days; ``brief``: long lists of levels cut."""
        constant = self.intercept + sum(term.coefficient * term.origin for term in self.terms)
        out = number_text(float(f"{constant:.{digits}g}"))
        for term in self.terms:
            size = number_text(float(f"{abs(term.coefficient * term.unit):.{digits}g}"))
            out += f" {_sign(term)} {size} * {(brief and term.brief) or term.name}"
        return visible(out)

    def full_text(self) -> str:
        """Write the equation with all digits, quoted names, and what missing cells count as, so that it can be read back."""
        out = number_text(self.intercept)
        for term in self.terms:
            size, missing = number_text(abs(term.coefficient)), number_text(term.missing)
            out += f" {_sign(term)} {size} * {term.quoted} [{missing} if missing]"
        return visible(out)

    def answers(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """What it says of rows, given by the cells of every column; added in the order in which the core adds."""
        said = np.full(len(columns[0]), self.intercept)
        values = [term.values(columns[term.index]) for term in self.terms]
        with np.errstate(over="ignore", invalid="ignore"):
            for term, each in zip(self.terms, values, strict=True):
                said += term.coefficient * each
        beyond = ~np.isfinite(said)
        if np.any(beyond):
            said[beyond] = self._ends([each[beyond] for each in values])
        return said

    def _ends(self, values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """The same of rows where the sum is beyond the range of numbers: its ends, as the core has it."""
        said = np.full(len(values[0]), np.ldexp(self.intercept, -2 * _HALF))
        for term, each in zip(self.terms, values, strict=True):
            said += np.ldexp(term.coefficient, -_HALF) * np.ldexp(each, -_HALF)
        with np.errstate(over="ignore"):
            return np.clip(np.ldexp(said, 2 * _HALF), -LARGEST, LARGEST)

    @property
    def said(self) -> float | Equation:
        """What a rule says: the equation, or its constant where it has no terms."""
        return self if self.terms else self.intercept

    @property
    def middle(self) -> float:
        """What it says of a row whose cells are all missing."""
        return self.intercept + sum(term.coefficient * term.missing for term in self.terms)

    def __str__(self) -> str:
        return self.text()


def _sign(term: LinearTerm) -> str:
    return "-" if term.coefficient < 0 else "+"


@dataclass(frozen=True, slots=True)
class Scores:
    """What a leaf says of classes: a score for each that training had rows of.

    The share of a class is the exponential of its score over the sum of all.
    """

    of: tuple[tuple[Any, Equation], ...]

    def texts(self, digits: int = 6, brief: bool = False) -> list[str]:
        """Write the score of every class, a line each."""
        return [visible(f"score of {label} = {equation.text(digits, brief)}") for label, equation in self.of]

    def __str__(self) -> str:
        return "; ".join(self.texts())


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
    """The linear models of all nodes of a tree, and how they are smoothed.

    Attributes
    ----------
    smoothing : Smoothing
        How.
    deviation : array or None
        By node, of leaves: root of the mean square by which the training rows of a leaf differ from what its equation says,
        weights counted; 0 elsewhere. None of classes, and of models of files that did not have it.
    """

    def __init__(
        self, core: _core.LinearModels, tree: _core.Tree, smoothing: Smoothing, deviation: NDArray[np.float64] | None = None
    ) -> None:
        self._core = core
        self._tree = tree
        self.smoothing = smoothing
        self.deviation = deviation

    @cached_property
    def _said(self) -> _core.LinearModels:
        """The models that are answered with."""
        return self._core.smoothed(self._tree, self.smoothing.k) if self.smoothing.kind == "m5" else self._core

    @cached_property
    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = self._said.state()
        return state

    def answers(self, arrays: list[NDArray[Any]], n_rows: int, threads: int = 1) -> NDArray[np.float64]:
        """What the leaves say of every row; of classes the shares, a column each."""
        band = self.smoothing.band if self.smoothing.kind == "blend" else 0.0
        said = np.asarray(self._said.answers(self._tree, arrays, n_rows, band, threads))
        return said.reshape(n_rows, len(self._state["intercept"]) // self._tree.size) if self._classes else said

    def judged(
        self, arrays: list[NDArray[Any]], target: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> LinearModels:
        """The same models, with the deviation of these rows from the equation of the leaf of each."""
        said = np.asarray(self._said.answers(self._tree, arrays, len(target), 0.0, 1))
        routes: Any = self._tree.route(arrays, len(target), 1)
        off = deviations(np.asarray(routes[0]), target, said, weights, int(self._tree.size))
        return LinearModels(self._core, self._tree, self.smoothing, off)

    @property
    def note(self) -> str:
        """What a reader of single equations has to know; nothing where they are all there is."""
        if self.smoothing.kind != "blend":
            return ""
        band = number_text(self.smoothing.band)
        return f"within {band} standard deviations of a threshold the answers of both sides are mixed"

    @cached_property
    def _classes(self) -> bool:
        return len(self._tree.state()["value"]) == 0

    def without_smoothing(self) -> LinearModels:
        """The same models, unsmoothed."""
        return LinearModels(self._core, self._tree, Smoothing("none"))

    def equation(self, node: int, schema: TableSchema) -> Equation:
        """What a node says, in the terms of the table."""
        return self._equation(node, schema)

    def scores(self, node: int, schema: TableSchema, classes: Sequence[Any]) -> Scores:
        """What a node says of every class that training had rows of."""
        every = zip(classes, self.equations(node, schema), strict=True)
        return Scores(tuple((label, equation) for label, equation in every if equation.intercept != NEVER))

    def equations(self, node: int, schema: TableSchema) -> list[Equation]:
        """All that a node says: one equation, or one for every declared class."""
        many = len(self._state["intercept"]) // self._tree.size
        return [self._equation(node * many + k, schema) for k in range(many)]

    def _equation(self, model: int, schema: TableSchema) -> Equation:
        state = self._state
        begin, end = int(state["term_begin"][model]), int(state["term_begin"][model + 1])
        terms = []
        for i in range(begin, end):
            index, place = int(state["term_column"][i]), int(state["term_place"][i])
            codes, missing = None, float(state["fill"][index])
            if place != -1:
                first = int(state["rank_begin"][index])
                rank = state["rank"][first : int(state["rank_begin"][index + 1])].astype(np.int64)
                holds = rank > place if place >= 0 else rank == -2 - place
                codes = tuple(int(code) for code in np.flatnonzero(holds))
                missing = float(holds[int(missing)])
            terms.append(LinearTerm.of(schema.columns[index], index, float(state["coefficient"][i]), codes, missing))
        return Equation(float(state["intercept"][model]), tuple(terms))

    def fault(self) -> str | None:
        """What is wrong with the models of this tree, if anything."""
        try:
            _core.LinearModels.from_state(self.state(), self._tree)
        except ValueError as error:
            return str(error)
        return None if self.deviation is None else deviation_fault(self.deviation, self._tree)

    def state(self) -> dict[str, Any]:
        """All columns by name: of the models before smoothing, from which the rest follows."""
        state: dict[str, Any] = self._core.state()
        return state

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearModels):
            return NotImplemented
        mine, theirs = self.state(), other.state()
        if self.deviation is None or other.deviation is None:
            same = self.deviation is other.deviation
        else:
            same = np.array_equal(self.deviation, other.deviation)
        return same and self.smoothing == other.smoothing and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]


def deviation_fault(kept: NDArray[np.float64], tree: _core.Tree) -> str | None:
    """What is wrong with the deviations of the nodes of a tree, if anything."""
    if len(tree.state()["value"]) == 0:
        return "deviation: of classes"
    if len(kept) != tree.size:
        return f"deviation: {len(kept)} entries for {tree.size} nodes"
    return None if bool(np.all(np.isfinite(kept) & (kept >= 0))) else "deviation: not finite numbers from 0 up"
