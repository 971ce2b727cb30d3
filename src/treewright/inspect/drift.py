"""How other rows than those of training fare on a tree: where they go, what they are told there, and which columns changed."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.errors import UnseenLevelWarning
from treewright.model.branches import conditions_of
from treewright.model.condition import gone, listed
from treewright.model.rules import by_column
from treewright.model.splits import EVERY
from treewright.model.tree import Tree
from treewright.table import read_cells
from treewright.table.match import unseen_levels
from treewright.table.streams import as_table
from treewright.table.target import match_target
from treewright.table.weights import read_weights

Floats = NDArray[np.float64]
MODERATE, LARGE = 0.1, 0.25  # of the stability index, as it is commonly read
_HALF = 0.5  # rows that every part has beside its own, so that an empty one is not infinitely far


@dataclass(frozen=True, slots=True)
class NodeDrift:
    """A node, in training and among other rows.

    Attributes
    ----------
    node : int
        Its number.
    where : str
        The way to it in words.
    is_leaf : bool
        Whether it is a leaf.
    share_then, share_now : float
        Its share of all rows.
    error_then, error_now : float or None
        Share of its rows that are of another class than it says, or root of the mean squared error of what it says. None where
        there is no such figure: without ``y``, without rows, and of trees for numbers grown by another measure than the variance.
    """

    node: int
    where: str
    is_leaf: bool
    share_then: float
    share_now: float
    error_then: float | None
    error_now: float | None


@dataclass(frozen=True, slots=True)
class ColumnDrift:
    """A column, in training and among other rows.

    Attributes
    ----------
    column : str
        Its name.
    stability : float or None
        Population stability index of the branches of the nodes that ask for it, weighted by their rows; None where none does.
    missing_now : float
        Share of cells that are missing, those of unseen levels apart.
    unseen : dict
        Levels that training did not have, and how many rows have them.
    """

    column: str
    stability: float | None
    missing_now: float
    unseen: dict[Any, int]


@dataclass(frozen=True, slots=True)
class Drift:
    """How rows differ from those a tree was grown from.

    Attributes
    ----------
    rows_then, rows_now : float
        Weight of the rows.
    stability : float
        Population stability index over the leaves: below 0.1 little has changed, above 0.25 much.
    error_then, error_now : float or None
        Error of the tree: share of wrong classes, or root of the mean squared error.
    nodes : tuple of NodeDrift
        Every node.
    columns : tuple of ColumnDrift
        Every column.
    """

    rows_then: float
    rows_now: float
    stability: float
    error_then: float | None
    error_now: float | None
    nodes: tuple[NodeDrift, ...]
    columns: tuple[ColumnDrift, ...]

    def data(self) -> dict[str, Any]:
        """The report as plain values."""
        return asdict(self)

    def to_text(self, most: int = 10) -> str:
        """The report in words.

        Parameters
        ----------
        most : int, default 10
            Leaves that are listed, those first whose share changed most.
        """
        text: str = parts.writer("drift_text")(self, most)
        return text

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True, slots=True)
class Fallen:
    """Rows on their way down a tree: by node which of them come there, and what share of each.

    Attributes
    ----------
    rows : list of arrays
        Positions, by node.
    shares : list of arrays
        The share of each of these rows that comes there.
    """

    rows: list[NDArray[np.int64]]
    shares: list[Floats]


def refuse(tree: Tree, what: str) -> None:
    """Refuse trees whose nodes do not say one class or number each, or pass rows on in shares of a threshold."""
    if not tree.leaf_model.by_nodes:
        raise ValueError(f"only trees with one class or number per leaf {what}, the leaves of this one compute what they say")
    if tree.gates:
        raise ValueError(f"the thresholds of this tree are soft; only hard trees {what}")


def fall(tree: Tree, arrays: list[NDArray[Any]], weights: Floats, own: bool) -> Fallen:
    """Send rows down a tree.

    ``own``: rows that go down all branches are divided by the weight that these rows have there, not by that of training.
    """
    cells = by_column(arrays)
    splits = tree.splits.tuples()
    first, count = splits.entries.first_child, splits.entries.n_children
    rows: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * tree.n_nodes
    shares: list[Floats] = [np.empty(0)] * tree.n_nodes
    rows[0], shares[0] = np.arange(len(weights)), np.ones(len(weights))
    for id in range(tree.n_nodes):
        if not count[id]:
            continue
        here = [cell[rows[id]] for cell in cells]
        taken = np.full(len(rows[id]), -1)
        for branch, condition in enumerate(conditions_of(tree, id, splits=splits)):
            taken[condition.holds(here)] = branch
        lost = taken < 0
        part = splits.shares(id)
        if own and lost.any() and tree.splits.test(id).missing_to == EVERY:
            held = np.array([np.sum((weights[rows[id]] * shares[id])[taken == b]) for b in range(count[id])])
            part = (held / held.sum()).tolist() if held.sum() > 0 else part
        for branch in range(count[id]):
            mine = (taken == branch) | (lost if part[branch] > 0 else False)
            rows[first[id] + branch] = rows[id][mine]
            shares[first[id] + branch] = shares[id][mine] * np.where(lost[mine], part[branch], 1.0)
    return Fallen(rows, shares)


def drift(tree: Tree, X: Any, y: Any = None, sample_weight: Any = None) -> Drift:
    """Compare rows with those a tree was grown from; see ``est.drift``."""
    refuse(tree, "tell how rows drift")
    X = as_table(X)
    unseen = unseen_levels(X, tree.schema)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenLevelWarning)  # the report says so
        arrays, n_rows = read_cells(X, tree.schema)
    if n_rows == 0:
        raise ValueError("X has no rows to compare with those of training")
    read = read_weights(sample_weight, n_rows)
    if read.keep is not None:
        arrays = [array[read.keep] for array in arrays]
    n_kept = n_rows if read.keep is None else int(np.sum(read.keep))
    weights = np.ones(n_kept) if read.given is None else np.asarray(read.given, np.float64)
    if y is not None and len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(y)}: inconsistent numbers of samples")
    truth = None if y is None else match_target(y, tree.target, read.keep)
    fallen = fall(tree, arrays, weights, own=False)
    now = np.array([float(np.sum(weights[rows] * shares)) for rows, shares in zip(fallen.rows, fallen.shares, strict=True)])
    return _report(tree, fallen, weights, now, truth, by_column(arrays), unseen)


def _report(
    tree: Tree,
    fallen: Fallen,
    weights: Floats,
    now: Floats,
    truth: NDArray[Any] | None,
    cells: list[NDArray[Any]],
    unseen: dict[str, dict[Any, int]],
) -> Drift:
    then = np.asarray(tree.node_columns.weight, np.float64)
    leaf = tree.node_columns.is_leaf
    before = [_error_then(tree, id) for id in range(tree.n_nodes)]
    after = [None if truth is None else _error_now(tree, id, fallen, weights, truth) for id in range(tree.n_nodes)]
    places: dict[int, str] = {}
    for node, path, _ in tree._walk():
        places[node.id] = " and ".join(condition.text() for condition in listed(path)) or "all rows"
    nodes = tuple(
        NodeDrift(id, places[id], bool(leaf[id]), float(then[id] / then[0]), float(now[id] / now[0]), before[id], after[id])
        for id in range(tree.n_nodes)
    )
    total = float(weights.sum())
    columns = []
    for j, column in enumerate(tree.columns):
        lost = float(np.sum(weights[gone(column, cells[j])])) / total
        odd = unseen.get(column.name, {})
        lost = max(0.0, lost - sum(odd.values()) / len(weights)) if odd else lost
        columns.append(ColumnDrift(column.name, _of_column(tree, j, then, now), lost, dict(odd)))
    numbers = tree.target.classes is None
    return Drift(
        float(then[0]),
        float(now[0]),
        stability_index(then[leaf], now[leaf]),
        _mean(np.array([before[id] for id in np.flatnonzero(leaf)], object), then[leaf], numbers),
        _mean(np.array([after[id] for id in np.flatnonzero(leaf)], object), now[leaf], numbers),
        nodes,
        tuple(columns),
    )


def _of_column(tree: Tree, index: int, then: Floats, now: Floats) -> float | None:
    """The index of the branches of all nodes that ask for a column, by what comes there now."""
    nodes = tree.node_columns
    asked = np.flatnonzero((np.asarray(nodes.column) == index) & (nodes.n_terms == 0))
    held = now[asked]
    if not len(asked) or held.sum() <= 0:
        return None
    below = [slice(nodes.first_child[id], nodes.first_child[id] + nodes.n_children[id]) for id in asked.tolist()]
    found = [stability_index(then[part], now[part]) for part in below]
    return float(np.average(found, weights=held))


def stability_index(then: Floats, now: Floats) -> float:
    """How far two divisions of rows lie apart: the sum of (q - p) ln(q / p) over the parts, half a row more in each."""
    p, q = (held + _HALF for held in (then, now))
    p, q = p / p.sum(), q / q.sum()
    return float(np.sum((q - p) * np.log(q / p)))


def _mean(errors: NDArray[Any], weights: Floats, numbers: bool) -> float | None:
    """The error of all leaves together, None where one is unknown that has rows."""
    some = weights > 0
    if any(error is None for error in errors[some]) or not some.any():
        return None
    values = errors[some].astype(np.float64)
    return float(np.sqrt(np.average(values**2, weights=weights[some])) if numbers else np.average(values, weights=weights[some]))


def _error_then(tree: Tree, id: int) -> float | None:
    entries, target = tree.node_entries, tree.target
    if entries.weight[id] <= 0:
        return None
    if target.classes is None:
        off = tree.leaf_model.spread(id) if target.measure == "variance" else None
        return None if off is None or tree.by_hand.get(id) == "said by hand" else float(off)
    begin, end = entries.run("class", id)
    ids, held = np.asarray(entries.class_id[begin:end]), np.asarray(entries.class_weight[begin:end], np.float64)
    if target.factors:
        held = held / np.array(target.factors)[ids]
    return float(1 - held[ids == entries.label[id]].sum() / held.sum())


def _error_now(tree: Tree, id: int, fallen: Fallen, weights: Floats, truth: NDArray[Any]) -> float | None:
    rows = fallen.rows[id]
    own = weights[rows] * fallen.shares[id]
    if not len(rows) or own.sum() <= 0:
        return None
    if tree.target.classes is None:
        off = truth[rows].astype(np.float64) - float(tree.node_entries.value[id])
        return float(np.sqrt(np.average(off**2, weights=own)))
    return float(np.average(truth[rows] != tree.node_entries.label[id], weights=own))
