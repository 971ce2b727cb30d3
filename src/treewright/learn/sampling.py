"""Which rows the members of an ensemble learn from: draws by row number, hashed by (seed, member, range of rows)."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import as_float, out_of_range
from treewright.learn.values import is_whole

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Drawing:
    """How the rows of every member are drawn: the same for any number of threads or machines.

    Attributes
    ----------
    seed : int
        By which draws differ.
    n_rows : int
        Rows of the table.
    draws : int
        Rows that are drawn for a member; of balanced draws, for each class.
    replace : bool
        Whether a row may be drawn more than once.
    groups : array or None
        The class of every row, where as many are drawn of each.
    kept : array or None
        Which of the rows that were given those of the table are; None: all.
    """

    seed: int
    n_rows: int
    draws: int
    replace: bool = True
    groups: NDArray[np.int64] | None = None
    kept: NDArray[np.bool_] | None = None

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

    def sample(self, member: int) -> NDArray[np.int64]:
        """The rows that are drawn for a member, by their numbers in the table that was given, each as often as it is drawn."""
        given = np.arange(self.n_rows) if self.kept is None else np.flatnonzero(self.kept)
        return np.repeat(given, self.counts(member).astype(np.int64))


def number_to_draw(value: Any, n_rows: int) -> int:
    """Return how many rows are drawn for a member: ``max_samples``."""
    if value is None:
        return n_rows
    if is_whole(value) and 1 <= value <= n_rows:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, (int, np.integer, np.bool_)) and 0 < as_float(value) <= 1:
        return max(1, round(float(value) * n_rows))
    raise out_of_range("max_samples", value, f"None, a whole number from 1 to {n_rows} (all rows), or a share in (0, 1]")
