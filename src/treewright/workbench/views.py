"""What the page is shown of the rows of a node: how they lie on a column, by class or with the mean of the target.

Everything that dragging a threshold needs is told at once, so that no movement of a hand asks the server.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown, visible
from treewright.learn.edits.edit import Edit
from treewright.table import ColumnSchema

Floats = NDArray[np.float64]

MOST_CUTS = 1000  # thresholds of a column that the page is told of
_NUMBERS = 100_000  # numbers an answer has at most: of many classes fewer thresholds are told
_FEWEST = 50  # thresholds of a column, however many classes there are
_LISTED = 12  # alternatives that are told with a picture
_BINS = 24
_GROUPS = 8  # classes that are told apart in pictures, the last of them all others
_LEVELS = 200  # levels that are told, the heaviest first
_BARS = 12  # the same of a small picture


@dataclass(frozen=True)
class NodeRows:
    """The rows of a node whose cell of a column is there.

    Attributes
    ----------
    cells, weights : array
        Their cells, and what each weighs at the node.
    codes : array
        Their classes by position, or their targets.
    missing : float
        What the other rows of the node weigh.
    """

    cells: Floats
    weights: Floats
    codes: NDArray[Any]
    missing: float


def rows_of(edit: Edit[Any], node: Any, index: int) -> NodeRows:
    """The rows of a node as a column sees them."""
    held, bench = edit.held(node), edit.bench
    cells = np.asarray(bench.cells[index][held.rows], np.float64)
    there = ~np.isnan(cells) & ((cells >= 0) | (not edit.tree.columns[index].nominal))
    weights, codes = bench.own_weights(held), bench.training.codes[held.rows]
    return NodeRows(cells[there], weights[there], codes[there], float(weights[~there].sum()))


def alternatives(edit: Edit[Any], node: Any) -> dict[str, Any]:
    """The best split of every column for the rows of a node, the best of them with a small picture."""
    tree, found = edit.tree, edit.alternatives(node)
    out = []
    for at, each in enumerate(found[:_LISTED]):
        index = tree.schema.names.index(each.column)
        column = tree.columns[index]
        cut = None if each.cut is None else float(each.cut)
        branches = {column.levels.index(level): branch for level, branch in each.levels.items()}
        out.append(
            {
                "candidate": at,
                "column": index,
                "gain": each.gain,
                "merit": each.merit,
                "branches": each.n_branches,
                "cut": cut,
                "text": None if cut is None else cut_text(column, cut),
                "levels": {str(code): branch for code, branch in branches.items()},
                "picture": picture(column, rows_of(edit, node, index), n_classes(edit), _BARS),
            }
        )
    return {"alternatives": out, "more": len(found) - len(out)}


def column(edit: Edit[Any], node: Any, index: Any) -> dict[str, Any]:
    """All that choosing a threshold or levels of a column needs: what lies up to every threshold, or at every level."""
    tree = edit.tree
    if type(index) is not int or not 0 <= index < len(tree.columns):
        raise ValueError(f"column={shown(index)} is not allowed: it must be the position of a column")
    schema, rows = tree.columns[index], rows_of(edit, node, index)
    known: dict[str, Any] = {"column": index, "missing": rows.missing, "picture": picture(schema, rows, n_classes(edit), _LEVELS)}
    if schema.nominal:
        return {**known, "nominal": True}
    strict = less_than(edit)
    ends = [cut_text(schema, end) for end in known["picture"]["ends"]]
    known |= {"kind": schema.kind, "ends": ends}
    return {
        **known,
        "nominal": False,
        "less": strict,
        "exact": edit.bench.reweighted is None,
        **_cuts(edit, schema, rows, strict),
    }


def _cuts(edit: Edit[Any], schema: ColumnSchema, rows: NodeRows, strict: bool) -> dict[str, Any]:
    """Thresholds between the values that are there, and what lies below each: weights by class, or the sum of the target."""
    order = np.argsort(rows.cells, kind="stable")
    cells, weights, codes = rows.cells[order], rows.weights[order], rows.codes[order]
    classes = n_classes(edit)
    width = classes or 1
    last = np.flatnonzero(np.diff(cells) > 0) if len(cells) else np.empty(0, np.int64)
    most = min(MOST_CUTS, max(_FEWEST, _NUMBERS // width))
    if len(last) > most:
        last = last[np.unique(np.linspace(0, len(last) - 1, most).astype(np.int64))]
    below, above = (cells[last], cells[last + 1]) if len(last) else (np.empty(0), np.empty(0))
    cuts = below / 2 + above / 2
    # Between neighbouring floating-point numbers lies no other: the threshold is the one that parts them.
    cuts = np.where(cuts <= below, above, cuts) if strict else np.where(cuts >= above, below, cuts)
    own = [weights * (codes == k) for k in range(width)] if classes else [weights]
    out: dict[str, Any] = {
        "cuts": cuts.tolist(),
        "below": below.tolist(),
        "texts": [cut_text(schema, cut) for cut in cuts.tolist()],
        "sums": [np.cumsum(each)[last].tolist() for each in own],
        "totals": [float(each.sum()) for each in own],
    }
    if not classes:
        sums = np.cumsum(weights * codes.astype(np.float64))
        out |= {"target": sums[last].tolist(), "target_total": float(sums[-1]) if len(sums) else 0.0}
    return out


def n_classes(edit: Edit[Any]) -> int:
    """How many classes there are, 0 of numbers."""
    classes = edit.tree.target.classes
    return 0 if classes is None else len(classes)


def less_than(edit: Edit[Any]) -> bool:
    """Whether rows must be less than a threshold to lie below it, as in the other nodes of the tree."""
    nodes = edit.tree.node_columns
    inner = ~nodes.is_leaf & (nodes.n_terms == 0)
    return bool(np.any(np.asarray(nodes.strict)[inner]))


def cut_text(schema: ColumnSchema, cut: float) -> str:
    """A threshold as people read it."""
    return visible(schema.exact_text(float(f"{cut:.6g}") if schema.kind == "number" else cut))


def picture(schema: ColumnSchema, rows: NodeRows, classes: int, most: int) -> dict[str, Any]:
    """How rows lie on a column: by bins or by levels, for every group of classes; of numbers also the mean of the target."""
    groups = min(_GROUPS, classes) or 1
    group = np.minimum(rows.codes.astype(np.int64), groups - 1) if classes else np.zeros(len(rows.cells), np.int64)
    if schema.nominal:
        return _by_level(schema, rows, group, groups, classes, most)
    low, high = (float(rows.cells.min()), float(rows.cells.max())) if len(rows.cells) else (0.0, 0.0)
    span = high - low
    place = np.zeros(len(rows.cells), np.int64)
    if 0 < span < math.inf:
        place = np.clip(((rows.cells - low) / span * _BINS).astype(np.int64), 0, _BINS - 1)
    counts = np.bincount(place * groups + group, rows.weights, _BINS * groups)
    return {"ends": [low, high], "groups": groups, "counts": _short(counts)}


def _by_level(
    schema: ColumnSchema, rows: NodeRows, group: NDArray[np.int64], groups: int, classes: int, most: int
) -> dict[str, Any]:
    code, n = rows.cells.astype(np.int64), len(schema.levels)
    counts = np.bincount(code * groups + group, rows.weights, n * groups).reshape(n, groups)
    weight = counts.sum(axis=1)
    heaviest = np.argsort(-weight, kind="stable")
    heaviest = heaviest[weight[heaviest] > 0]
    told = np.sort(heaviest[:most])
    out: dict[str, Any] = {
        "groups": groups,
        "levels": [[int(level), visible(schema.level_text(int(level))), _short(counts[level])] for level in told],
        "more": len(heaviest) - len(told),
    }
    if not classes:
        sums = np.bincount(code, rows.weights * rows.codes.astype(np.float64), n)
        out["sums"] = [float(sums[level]) for level in told]
    return out


def _short(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.7g}") for value in values]
