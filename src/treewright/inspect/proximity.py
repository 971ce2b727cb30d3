"""How near rows are by a forest, and typical rows of every class (Breiman 2001; Breiman and Cutler 2003)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import counted
from treewright.model.forest import Forest
from treewright.table import read_cells

_AT_ONCE = 512  # rows
_LISTED = 100  # to list a pair that meets takes as long as a look at so many pairs
_SOON = 1e11  # looks that take seconds
_MOST_LOOKS = 4e13  # some ten minutes
_THIN = 16  # of so many rows at most one shares a leaf: they are listed, not looked through


def proximities(
    forest: Forest, X: Any, k: int, to: Any = None, threads: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for every row the nearest k rows, and the share of trees in which both end in one leaf.

    ``to``: the rows that are looked through, instead of those of X, of which none is its own neighbour. Of equally near
    rows the first come first.
    """
    own = forest.apply(X, threads)
    others = own if to is None else forest.apply(to, threads)
    k = min(k, len(others) - (to is None))
    meetings, looks = _meetings(forest, own, others), own.size * len(others)
    if _many(forest, meetings, looks):
        if looks > _MOST_LOOKS:
            raise ValueError(
                f"{counted(len(own), 'row')} beside {len(others)} in {counted(len(forest), 'tree')} would take hours, because "
                "many share a leaf: give to= a sample of the rows, or ask about some of them"
            )
        return _looked_through(forest, own, others, k, to is None, threads)
    from scipy.sparse import csr_matrix

    offsets = np.concatenate([[0], np.cumsum([tree.n_nodes for tree in forest.trees])])

    def indicator(leaves: NDArray[np.int64]) -> Any:
        columns = (leaves + offsets[:-1]).ravel()
        begin = np.arange(0, leaves.size + 1, leaves.shape[1])
        return csr_matrix((np.ones(leaves.size), columns, begin), shape=(len(leaves), offsets[-1]))

    found, wanted = indicator(own), indicator(others).T.tocsr()
    rows, shares = np.empty((len(own), k), np.int64), np.empty((len(own), k))
    for first in range(0, len(own), _AT_ONCE):
        near = found[first : first + _AT_ONCE] @ wanted
        itself = np.arange(first, first + near.shape[0]) if to is None else np.full(near.shape[0], -1)
        some = slice(first, first + near.shape[0])
        rows[some], shares[some] = _nearest(near, itself, k)
    return rows, shares / len(forest)


def _meetings(forest: Forest, own: NDArray[np.int64], others: NDArray[np.int64]) -> float:
    """How many pairs of rows share a leaf, tree by tree."""
    total = 0.0
    for at, tree in enumerate(forest.trees):
        mine, theirs = (np.bincount(leaves[:, at], minlength=tree.n_nodes).astype(np.float64) for leaves in (own, others))
        total += float(mine @ theirs)
    return total


def _many(forest: Forest, meetings: float, looks: float) -> bool:
    """Whether so many rows share leaves that all pairs are looked at sooner than those that meet are listed."""
    return (meetings * _LISTED > looks or looks < _SOON) and all(tree.n_nodes < 2**16 for tree in forest.trees)


def _looked_through(
    forest: Forest, own: NDArray[np.int64], others: NDArray[np.int64], k: int, same: bool, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The nearest rows, by a look at all pairs: leaves are small numbers, compared many at a time."""
    few = len(forest) < 256 and all(tree.n_leaves <= 256 for tree in forest.trees)

    def small(leaves: NDArray[np.int64]) -> NDArray[Any]:
        out = np.empty((len(forest), len(leaves)), np.uint8 if few else np.uint16)
        for at, tree in enumerate(forest.trees):
            out[at] = (np.cumsum(tree.node_columns.is_leaf) - 1)[leaves[:, at]]
        return out

    mine, theirs = small(own), small(others).ravel()
    rows, shares = np.empty((len(own), k), np.int64), np.empty((len(own), k))
    for first in range(0, len(own), _AT_ONCE):  # Ctrl-C is heard between two of them
        some = slice(first, first + _AT_ONCE)
        block = np.ascontiguousarray(mine[:, some]).ravel()
        found, shared = _core.nearest_rows(block, theirs, len(forest), k, first if same else -1, threads)
        rows[some], shares[some] = found.reshape(-1, k), shared.reshape(-1, k)
    return rows, shares / len(forest)


def _nearest(near: Any, itself: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Positions and counts of the k largest entries of every row of a sparse matrix, of equals the first; never ``itself``."""
    n, width = near.shape
    if near.nnz * _THIN > n * width:
        full = near.toarray()
        full[itself >= 0, itself[itself >= 0]] = -1.0
        least = np.partition(full, width - k, axis=1)[:, width - k]
        at, to = np.nonzero(full >= least[:, None])
        counts = full[at, to]
    else:
        listed = near.tocoo()
        kept = listed.col != itself[listed.row]
        at, to, counts = listed.row[kept], listed.col[kept], listed.data[kept]
        lacking = np.flatnonzero(np.bincount(at, minlength=n) < k)
        more = [_strangers(to[at == row], itself[row], k) for row in lacking.tolist()]
        at = np.concatenate([at, np.repeat(lacking, [len(each) for each in more])])
        to, counts = np.concatenate([to, *more]), np.concatenate([counts, np.zeros(len(at) - len(counts))])
    # One number an entry, by which it stands in its place: numbers are sorted much sooner than entries are compared.
    most = int(counts.max(initial=0)) + 1
    places = np.sort((at.astype(np.int64) * most + (most - 1 - counts.astype(np.int64))) * width + to)
    begin = np.searchsorted(places, np.arange(n) * (most * width))
    rest, to = np.divmod(places[begin[:, None] + np.arange(k)], width)
    return to, (most - 1 - rest % most).astype(np.float64)


def _strangers(known: NDArray[Any], itself: int, k: int) -> NDArray[np.int64]:
    """The first rows that share no leaf with a row, as many as it takes to make k with those that do."""
    first = np.arange(k + 1)
    return first[~np.isin(first, np.append(known, itself))][: k - len(known)]


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
