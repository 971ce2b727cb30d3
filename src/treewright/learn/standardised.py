"""The columns of a table as numbers on one scale, of which scores are made while they are looked for, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learn.training import Training
from treewright.model.linear import LinearTerm
from treewright.model.rules import by_column
from treewright.table import ColumnSchema

Floats = NDArray[np.float64]
MOST_CELLS = 2**28  # of the matrix: 2 GiB


@dataclass(frozen=True, slots=True)
class Standard:
    """A numeric column, or a level of a nominal one as 0 and 1: ``(x - centre) / scale`` is what scores add up.

    Attributes
    ----------
    index : int
        Position of the column.
    level : int or None
        The code of the level, of nominal columns.
    fill, centre, scale : float
        What a missing cell counts as; where the scale has its zero; its unit.
    """

    index: int
    level: int | None
    fill: float
    centre: float
    scale: float

    def values(self, cells: NDArray[Any]) -> Floats:
        """What the cells of the column count as, in the user's unit."""
        if self.level is None:
            numbers = np.asarray(cells, np.float64)
            return np.where(np.isnan(numbers), self.fill, numbers)
        return np.where(cells < 0, self.fill, (cells == self.level).astype(np.float64))

    def term(self, columns: Sequence[ColumnSchema], coefficient: float) -> LinearTerm:
        """What it adds to a score in the units of the table, but for a constant."""
        codes = None if self.level is None else (self.level,)
        return LinearTerm.of(columns[self.index], self.index, coefficient, codes, self.fill)


class Standardised:
    """The columns of training rows that vary, on one scale.

    Attributes
    ----------
    of : list of Standard
        The columns, and the levels of nominal ones; of two levels the second alone.
    matrix : array of shape (rows, columns)
        The rows on that scale, column by column in memory.
    """

    def __init__(self, training: Training) -> None:
        columns, cells = training.columns, by_column(training.arrays)
        counted = training.counted  # equal weights, whatever they are, give the same scale to the last bit
        weights = np.ones(len(training.codes)) if counted is None else np.asarray(counted, np.float64)
        self.share = weights / weights.sum()
        self.columns = columns
        kept: list[tuple[Standard, NDArray[Any]]] = []
        for j, column in enumerate(columns):
            found = self._levels(j, cells[j]) if column.nominal else self._number(j, np.asarray(cells[j], np.float64))
            kept += [(one, cells[j]) for one in found]
        self.of = [one for one, _ in kept]
        if len(training.codes) * len(kept) > MOST_CELLS:
            raise ValueError(
                f"{len(training.codes):,} rows of {len(kept):,} columns and levels are more than gates are trained on "
                f"({MOST_CELLS:,} cells): leave out columns of many levels, or learn from fewer rows"
            )
        self.matrix = np.empty((len(training.codes), len(kept)), np.float64, order="F")
        for k, (one, given) in enumerate(kept):
            self.matrix[:, k] = (one.values(given) - one.centre) / one.scale

    def _number(self, j: int, x: Floats) -> list[Standard]:
        there = ~np.isnan(x)
        largest = float(np.max(np.abs(x[there]), initial=0.0))
        if largest == 0:
            return []
        unit = float(2.0 ** np.clip(np.frexp(largest)[1], -1000, 1000))  # so that no sum overflows
        share = self.share[there] / self.share[there].sum()
        within = x[there] / unit
        mean = float(np.dot(share, within))
        deviation = float(np.sqrt(np.dot(share, (within - mean) ** 2)))
        if not deviation > 1e-12 * abs(mean) or not deviation * unit > 1e-290:
            return []
        return [Standard(j, None, mean * unit, mean * unit, deviation * unit)]

    def _levels(self, j: int, codes: NDArray[Any]) -> list[Standard]:
        there = codes >= 0
        held = np.bincount(codes[there].astype(np.int64), weights=self.share[there])
        seen = np.flatnonzero(held)
        if len(seen) < 2:
            return []
        most, total = int(np.argmax(held)), float(held.sum())
        out = []
        for level in seen[1:] if len(seen) == 2 else seen:  # of two levels the other says nothing more
            share = float(held[level]) / total
            out.append(Standard(j, int(level), float(level == most), share, float(np.sqrt(share * (1 - share)))))
        return out
