"""How much each column matters to a tree: by its own splits, with surrogates as rpart counts them, and as the book does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model.effects import column_shares
from treewright.model.node_columns import NodeColumns
from treewright.model.splits import Splits

KINDS = ("splits", "surrogates", "book")


def importances(nodes: NodeColumns, n_columns: int, by: str, splits: Splits | None = None) -> tuple[NDArray[np.float64], float]:
    """Return the importance of every column in units of the largest gain of a split, and that unit.

    ``splits``: the fall of weighted impurity by the column's splits; that of a score over several columns is divided by how
    much each moves it (:mod:`treewright.model.effects`), for which the tests of nodes are needed. ``surrogates``: to that,
    for every split that the column is a surrogate of, the split's fall times the adjusted agreement (rpart). ``book``: the
    fall that the surrogate itself would bring (Breiman et al. 1984, section 5.3.4).
    """
    out = np.zeros(n_columns)
    inner = np.flatnonzero(~nodes.is_leaf)
    unit = float(nodes.gain.max()) if len(inner) else 0.0
    if not unit > 0:
        return out, 0.0
    fall = nodes.weight * (nodes.gain / unit)
    plain = inner[nodes.n_terms[inner] == 0]
    np.add.at(out, nodes.column[plain], fall[plain])
    for id, source in (splits.derived if splits is not None and len(nodes.term_column) else {}).items():
        assert source.equation is not None and splits is not None
        for index, share in column_shares(source.equation, splits.spreads).items():
            out[index] += fall[id] * share
    if by != "splits" and len(owner := nodes.owners("surrogate")):
        added = fall[owner] * nodes.surrogate_adjusted
        if by == "book":
            added = nodes.weight[owner] * (nodes.surrogate_gain / unit)
        np.add.at(out, nodes.surrogate_column.astype(np.int64), added)
    return out, unit
