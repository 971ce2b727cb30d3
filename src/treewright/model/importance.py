"""How much each column matters to a tree: by its own splits, with surrogates as rpart counts them, and as the book does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = ("splits", "surrogates", "book")


def importances(state: Mapping[str, Any], n_columns: int, by: str) -> tuple[NDArray[np.float64], float]:
    """Return the importance of every column in units of the largest gain of a split, and that unit.

    ``splits``: the fall of weighted impurity by the column's splits. ``surrogates``: to that, for every split that the column is
    a surrogate of, the split's fall times the adjusted agreement (rpart). ``book``: the fall that the surrogate itself would
    bring (Breiman et al. 1984, section 5.3.4).
    """
    out = np.zeros(n_columns)
    inner = np.flatnonzero(state["n_children"])
    unit = float(state["gain"].max()) if len(inner) else 0.0
    if not unit > 0:
        return out, 0.0
    fall = state["weight"] * (state["gain"] / unit)
    np.add.at(out, state["column"][inner], fall[inner])
    begin = state["surrogate_begin"]
    if by != "splits" and len(begin):
        node = np.repeat(np.arange(len(begin) - 1), np.diff(begin).astype(np.int64))
        added = fall[node] * state["surrogate_adjusted"]
        if by == "book":
            added = state["weight"][node] * (state["surrogate_gain"] / unit)
        np.add.at(out, state["surrogate_column"].astype(np.int64), added)
    return out, unit
