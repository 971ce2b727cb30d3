"""Which rows the members of an ensemble learn from: draws by row number, hashed by (seed, member, range of rows)."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import as_float, out_of_range
from treewright.learn.values import is_whole

Counts = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Samples(ABC):
    """Which rows every member of an ensemble learns from, and how often each counts.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    kept : array or None
        Which of the rows that were given those of the table are; None: all.
    """

    n_rows: int
    kept: NDArray[np.bool_] | None = field(default=None, kw_only=True)

    @abstractmethod
    def counts(self, member: int) -> Counts:
        """How often every row counts for a member."""

    def sample(self, member: int) -> Rows:
        """The rows of a member, by their numbers in the table that was given, each as often as it counts."""
        given = np.arange(self.n_rows) if self.kept is None else np.flatnonzero(self.kept)
        return np.repeat(given, self.counts(member).astype(np.int64))


@dataclass(frozen=True)
class Drawing(Samples):
    """How the rows of every member are drawn: the same for any number of threads or machines.

    Attributes
    ----------
    draws : int
        Rows that are drawn for a member; of balanced draws, for each class.
    seed : int
        By which draws differ.
    replace : bool
        Whether a row may be drawn more than once.
    groups : array or None
        The class of every row, where as many are drawn of each.
    """

    draws: int
    seed: int
    replace: bool = True
    groups: NDArray[np.int64] | None = None

    def counts(self, member: int) -> Counts:
        """How often every row is drawn for a member."""
        if self.groups is None:
            return self._drawn(self.seed, member, self.n_rows)
        out = np.zeros(self.n_rows)
        for group in np.unique(self.groups).tolist():
            rows = np.flatnonzero(self.groups == group)
            out[rows] = self._drawn((self.seed + (group + 1) * 0x9E3779B97F4A7C15) % 2**64, member, len(rows))
        return out

    def _drawn(self, seed: int, member: int, n_rows: int) -> Counts:
        if self.replace:
            return _core.drawn_counts(seed, member, n_rows, self.draws).astype(np.float64)
        out = np.zeros(n_rows)
        out[_core.drawn_rows(seed, member, n_rows, min(self.draws, n_rows))] = 1.0
        return out


@dataclass(frozen=True)
class Chosen(Samples):
    """Rows that were chosen for every member, each once: those of cross-validated committees."""

    rows: tuple[Rows, ...]

    def counts(self, member: int) -> Counts:
        """How often every row counts for a member."""
        out = np.zeros(self.n_rows)
        out[self.rows[member]] = 1.0
        return out


def number_to_draw(value: Any, n_all: int, name: str = "max_samples", what: str = "rows") -> int:
    """Return how many rows, or columns, are drawn for a member: all, so many, or a share of them."""
    if value is None:
        return n_all
    if is_whole(value) and 1 <= value <= n_all:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, (int, np.integer, np.bool_)) and 0 < as_float(value) <= 1:
        return max(1, round(float(value) * n_all))
    raise out_of_range(name, value, f"None, a whole number from 1 to {n_all} (all {what}), or a share in (0, 1]")
