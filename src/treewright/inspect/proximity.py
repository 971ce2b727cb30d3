"""How near rows are by a forest, and typical rows of every class (Breiman 2001; Breiman and Cutler 2003)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.forest import Forest
from treewright.table import read_cells

_AT_ONCE = 512  # rows


def proximities(
    forest: Forest, X: Any, k: int, to: Any = None, threads: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for every row the nearest k rows, and the share of trees in which both end in one leaf.

    ``to``: the rows that are looked through, instead of those of X, of which none is its own neighbour. Of equally near
    rows the first come first.
    """
    from scipy.sparse import csr_matrix

    own = forest.apply(X, threads)
    others = own if to is None else forest.apply(to, threads)
    offsets = np.concatenate([[0], np.cumsum([tree.n_nodes for tree in forest.trees])])

    def indicator(leaves: NDArray[np.int64]) -> Any:
        columns = (leaves + offsets[:-1]).ravel()
        begin = np.arange(0, leaves.size + 1, leaves.shape[1])
        return csr_matrix((np.ones(leaves.size), columns, begin), shape=(len(leaves), offsets[-1]))

    found, wanted = indicator(own), indicator(others).T.tocsr()
    k = min(k, len(others) - (to is None))
    rows, shares = np.empty((len(own), k), np.int64), np.empty((len(own), k))
    for first in range(0, len(own), _AT_ONCE):
        near = (found[first : first + _AT_ONCE] @ wanted).toarray()
        if to is None:
            near[np.arange(len(near)), np.arange(first, first + len(near))] = -1.0  # not itself
        order = np.argsort(-near, axis=1, kind="stable")[:, :k]
        rows[first : first + len(near)] = order
        shares[first : first + len(near)] = np.take_along_axis(near, order, 1) / len(forest)
    return rows, shares


def prototypes(forest: Forest, X: Any, y: Any, k: int, threads: int = 1) -> dict[Any, dict[str, Any]]:
    """Return a typical row of every class, by column.

    The row with most rows of the class among its nearest k; of these, numbers by their median, levels by the most frequent.
    """
    near, _ = proximities(forest, X, k, None, threads)
    labels = np.asarray(y, dtype=object)
    cells, _ = read_cells(X, forest.schema)
    columns = [one for array in cells for one in (array.T if array.ndim == 2 else [array])]
    out: dict[Any, dict[str, Any]] = {}
    for label in forest.target.classes or ():
        same = labels[near] == label
        if not same.any():
            continue
        best = int(np.argmax(same.sum(axis=1)))
        chosen = near[best][same[best]]
        out[label] = {
            column.name: _typical(column, np.asarray(array)[chosen])
            for column, array in zip(forest.schema.columns, columns, strict=True)
        }
    return out


def _typical(column: Any, cells: NDArray[Any]) -> Any:
    known = cells[~np.isnan(cells.astype(np.float64))] if cells.dtype.kind == "f" else cells[cells >= 0]
    if not len(known):
        return None
    if column.nominal:
        return column.levels[int(np.argmax(np.bincount(known.astype(np.int64))))]
    return column.cell_value(float(np.median(known)))
