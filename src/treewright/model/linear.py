"""Equations in the terms of the table: what linear models of leaves and rules compute their predictions by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import visible
from treewright.model.exponentials import powers
from treewright.model.residuals import LARGEST
from treewright.table.schema import ColumnSchema, name_text, number_text

_PLAIN = re.compile(r"\w+(?: \w+)*")
_LEVELS = 8  # as many are named where there is little room
_DAY = 86_400e6  # microseconds
_HALF = 520  # products of numbers that are smaller by so many powers of two, and their sums, are finite
NEVER = -1e308  # the score of a class that training had no rows of; as the core has it


@dataclass(frozen=True, slots=True)
class Factor:
    """A numeric column that a term is multiplied with: its name, its position, and what a missing cell counts as."""

    column: str
    index: int
    missing: float


@dataclass(frozen=True, slots=True)
class LinearTerm:
    """A coefficient and what it is multiplied with: a number, or whether a level is one of those listed (1) or not (0).

    Of products of two columns that, times the number of another.
    """

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
    by: Factor | None = None

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

    def times(self, column: ColumnSchema, index: int, missing: float) -> LinearTerm:
        """The same term, multiplied with another column, which has numbers; dates count from 1970 then."""
        one = self if self.origin == 0 else replace(self, origin=0.0, name=f"(days of {self.column} since 1970-01-01)")
        other = LinearTerm.of(column, index, 1.0, None, 0.0)
        name = f"{one.name}²" if index == self.index else f"{one.name} * {other.name}"
        return replace(
            one,
            name=name,
            quoted=f"{one.quoted} * {other.quoted}",
            brief=f"{one.brief} * {other.name}" if one.brief else "",
            unit=one.unit * other.unit,
            by=Factor(column.name, index, missing),
        )

    @property
    def indices(self) -> tuple[int, ...]:
        """Positions of the columns that it looks at."""
        return (self.index,) if self.by is None else (self.index, self.by.index)

    @property
    def filled(self) -> float:
        """What the coefficient is multiplied with where all cells are missing."""
        return self.missing if self.by is None else self.missing * self.by.missing

    def values(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """What the coefficient is multiplied with, by the cells of every column; of products the first factor."""
        cells = columns[self.index]
        if self.codes is None:
            numbers = cells.astype(np.float64)
            return np.where(np.isnan(numbers), self.missing, numbers)
        return np.where(cells < 0, self.missing, np.isin(cells, self.codes))

    def others(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64] | float:
        """The other factor; 1 where there is none."""
        if self.by is None:
            return 1.0
        numbers = columns[self.by.index].astype(np.float64)
        return np.where(np.isnan(numbers), self.by.missing, numbers)


class Part(NamedTuple):
    """A run of terms with a constant, as a part of a score: its sum, or a weight times the sigmoid of its sum.

    Where there are several scores, they are numbered from 0, and what is computed is the number of the largest.
    """

    score: int
    terms: int  # how many, in their order
    squashed: bool
    weight: float  # of a squashed part
    constant: float


@dataclass(frozen=True, slots=True)
class Equation:
    """What a leaf says, or a node compares: a constant and a sum of terms; or what is made of them in parts."""

    intercept: float
    terms: tuple[LinearTerm, ...]
    parts: tuple[Part, ...] = ()

    @property
    def n_scores(self) -> int:
        """How many scores there are, of which the largest is told; 1: the score itself is."""
        return self.parts[-1].score + 1 if self.parts else 1

    @property
    def kind(self) -> str:
        """What it is made of: "linear", "quadratic" with products of columns, or "network" with sigmoids."""
        if any(part.squashed for part in self.parts):
            return "network"
        return "linear" if all(term.by is None for term in self.terms) else "quadratic"

    def sums(self) -> list[tuple[Part, Equation]]:
        """The parts, each with its sum."""
        ends = [0, *accumulate(part.terms for part in self.parts)]
        return [
            (part, Equation(part.constant, self.terms[begin:end]))
            for part, (begin, end) in zip(self.parts, pairwise(ends), strict=True)
        ]

    def text(self, digits: int = 6, brief: bool = False) -> str:
        """Write the equation, coefficients with at most this many digits, dates in days; ``brief``: long lists of levels cut."""
        constant = self.intercept + sum(term.coefficient * term.origin for term in self.terms)
        out = number_text(float(f"{constant:.{digits}g}"))
        for term in self.terms:
            size = number_text(float(f"{abs(term.coefficient * term.unit):.{digits}g}"))
            out += f" {_sign(term)} {size} * {(brief and term.brief) or term.name}"
        return visible(out)

    def sum_text(self, digits: int = 4) -> str:
        """Write the sum of the terms without the constant, as the name of a number that is derived from them.

        Of several scores all of them, numbered from 1; of parts these with their constants.
        """
        if self.parts:
            scores = self._score_texts(digits)
            numbered = ", ".join(f"[{k}] {text}" for k, text in enumerate(scores, 1))
            return scores[0] if len(scores) == 1 else f"largest of {numbered}"
        out = ""
        for term in self.terms:
            size = number_text(float(f"{abs(term.coefficient * term.unit):.{digits}g}"))
            sign = f" {_sign(term)} " if out else "-" if term.coefficient < 0 else ""
            times = "" if size == "1" and term.codes is None else f"{size} * "
            out += f"{sign}{times}{term.brief or term.name}"
        return visible(out)

    def _score_texts(self, digits: int) -> list[str]:
        out = [""] * self.n_scores
        for part, equation in self.sums():
            text = equation.text(digits, brief=True)
            if part.squashed:
                size = number_text(float(f"{abs(part.weight):.{digits}g}"))
                text = f"{'-' if part.weight < 0 else ''}{size} * sigmoid({text})"
            before = out[part.score]
            sign = " - " if text.startswith("-") else " + "
            out[part.score] = f"{before}{sign}{text.removeprefix('-')}" if before else text
        return out

    def full_text(self) -> str:
        """Write the equation with all digits, quoted names, and what missing cells count as, so that it can be read back."""
        out = number_text(self.intercept)
        for term in self.terms:
            size, missing = number_text(abs(term.coefficient)), number_text(term.filled)
            out += f" {_sign(term)} {size} * {term.quoted} [{missing} if missing]"
        return visible(out)

    def answers(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """What it says of rows, given by the cells of every column; added in the order in which the core adds."""
        if self.parts:
            return self._of_parts(columns)
        total = self._sum(columns)
        beyond = ~np.isfinite(total)
        if np.any(beyond) and all(term.by is None for term in self.terms):
            total[beyond] = self._ends([term.values(columns)[beyond] for term in self.terms])
        return total

    def _sum(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        total = np.full(len(columns[0]), self.intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            for term in self.terms:
                total += term.coefficient * term.values(columns) * term.others(columns)
        return total

    def scores(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """The scores that parts make, a column each."""
        out = np.zeros((len(columns[0]), self.n_scores))
        for part, equation in self.sums():
            sum_ = equation._sum(columns)
            with np.errstate(over="ignore", invalid="ignore"):
                out[:, part.score] += part.weight * _squashed(sum_) if part.squashed else sum_
        return out

    def _of_parts(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        scores = self.scores(columns)
        if scores.shape[1] == 1:
            return scores[:, 0]
        # A score that is no number makes the number missing.
        return np.where(np.isnan(scores).any(axis=1), np.nan, np.argmax(np.nan_to_num(scores, nan=-np.inf), axis=1))

    def _ends(self, values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """The same of rows where the sum is beyond the range of numbers: its ends, as the core has it."""
        total = np.full(len(values[0]), np.ldexp(self.intercept, -2 * _HALF))
        for term, each in zip(self.terms, values, strict=True):
            total += np.ldexp(term.coefficient, -_HALF) * np.ldexp(each, -_HALF)
        with np.errstate(over="ignore"):
            return np.clip(np.ldexp(total, 2 * _HALF), -LARGEST, LARGEST)

    @property
    def reduced(self) -> float | Equation:
        """What a rule says: the equation, or its constant where it has no terms."""
        return self if self.terms else self.intercept

    @property
    def middle(self) -> float:
        """What it says of a row whose cells are all missing."""
        return self.intercept + sum(term.coefficient * term.filled for term in self.terms)

    def __str__(self) -> str:
        return self.text()


def _squashed(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sigmoid of numbers, as the core has it."""
    power = powers(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1.0, power) / (1 + power))


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
