"""Everything the explorer knows of a tree, as plain values: nodes as columns, the program that answers, what rows say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright import parts
from treewright.errors import visible
from treewright.explore.facts import column_facts, composed_row, node_histograms, read_rows, sampled
from treewright.explore.linear import equations, routing
from treewright.explore.path import given_counts, grown_from, path_facts
from treewright.explore.quality import leaves_right, quality
from treewright.explore.tested import Tested
from treewright.export.portable import portable
from treewright.export.tree_program import flat_program
from treewright.model.splits import Cuts, Levels
from treewright.model.surrogate import surrogates_of
from treewright.prune.rows import given_rows
from treewright.show.node_text import NodeText

_WITH_CANDIDATES = 2000  # nodes whose candidates are listed, the heaviest first
_BEST = 8  # candidates of a node
_SURROGATES = 3


def tree_document(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    validation: Any = None,
    folds: Any = None,
    gap: Any = None,
    include_rows: Any = False,
    title: str | None = None,
) -> dict[str, Any]:
    """Return the document of a tree, or of an estimator that learned one; see ``Explorable.explore`` for the parameters."""
    tree = model._model
    nodes = NodeText(tree)
    program = flat_program(tree, model._class_order()) if tree.leaf_model.by_nodes else routing(tree)
    several = y if tree.leaf_model.outputs else None
    if tree.leaf_model.outputs:  # errors of several numbers are not judged by node
        y = None
    rows = read_rows(tree.schema, tree.target, X, y)
    training = grown_from(tree, X, y if several is None else several)
    path = path_facts(tree, model, given_rows(X, y) if y is not None else None, given_rows(validation), folds, gap)
    tested = Tested(nodes)
    thresholds = tested.crossings() | tested.by_column(lambda cuts: cuts.at)
    beside = tested.by_column(lambda cuts: filter(math.isfinite, (*cuts.below, *cuts.above)))
    why, merit = _candidates(tree, nodes)
    return {
        "kind": "tree",
        "title": title or f"Decision tree for {visible(tree.target.name)}",
        "target": tree.target.name,
        "classes": None if tree.target.classes is None else [str(label) for label in tree.target.classes],
        "columns": column_facts(tree.schema, _used(tree, program), thresholds, rows, tree.feature_importances, beside),
        "program": portable(program),
        "origin": _origin(tree),
        "linear": equations(tree),
        "outputs": list(tree.target.outputs or ()),
        "vectors": None if tree.vectors is None else [numbers(row) for row in tree.vectors],
        "nodes": _nodes(tree, nodes),
        "says": _says(tree, nodes, tested),
        "criterion": _impurity_name(tree),
        "why": why,
        "merit": merit,
        "surrogates": _surrogates(tree, nodes),
        **({"by_hand": dict(tree.by_hand)} if tree.by_hand else {}),
        **({"history": parts.writer("history")(edits)} if (edits := getattr(model, "edits_", None)) else {}),
        "path": path,
        "given": given_counts(tree, X, y, validation),
        "quality": quality(model, tree.target, rows, y if several is None else several, training),
        "right": leaves_right(model, tree, rows) if training else None,
        "histograms": {} if rows is None else node_histograms(tree, nodes, tested, rows),
        "typical": None if rows is None else composed_row(tree, rows),
        **sampled(rows, include_rows),
    }


def _impurity_name(tree: Any) -> str:
    """What the impurity of nodes is, told from that of the root; "impurity" where it is none of the usual ones."""
    weights, impurity = tree.node_columns.weight, float(tree.node_columns.impurity[0])
    if tree.target.classes is None:
        return "variance" if tree.target.measure == "variance" else "impurity"
    value = tree.root.value
    shares = [weight / float(weights[0]) for weight in value.values() if weight > 0] if isinstance(value, dict) else []
    usual = {
        "Gini": 1 - math.fsum(share**2 for share in shares),
        "entropy": -math.fsum(share * math.log2(share) for share in shares),
    }
    return next((name for name, usually in usual.items() if math.isclose(impurity, usually, rel_tol=1e-9)), "impurity")


def _origin(tree: Any) -> list[int]:
    """The tree's node of every node of the program, where surrogates have nodes of their own there; else nothing."""
    if not len(tree.node_columns.surrogate_begin):
        return []
    origin: list[int] = np.repeat(np.arange(tree.n_nodes), 1 + tree.node_columns.n_surrogates).tolist()
    return origin


def _used(tree: Any, program: Any) -> list[int]:
    """Columns that an answer depends on: those that are tested, and those of equations."""
    return sorted({*program.used, *tree.leaf_model.used_columns})


def numbers(values: Any, digits: int | None = None) -> list[Any]:
    """Numbers as short as they can be written: whole ones without a point, others perhaps rounded; None where not finite."""
    array = np.asarray(values)
    if array.dtype.kind == "f" and bool(np.all((np.trunc(array) == array) & (np.abs(array) < 2**53))):
        array = array.astype(np.int64)
    entries: list[Any] = array.tolist()
    if array.dtype.kind in "iu":  # most columns by far
        return entries
    out: list[Any] = []
    for value in entries:
        if not isinstance(value, float):
            out.append(value)
        elif not math.isfinite(value):
            out.append(None)
        elif value == int(value) and abs(value) < 2**53:
            out.append(int(value))
        else:
            out.append(value if digits is None else float(f"{value:.{digits}g}"))
    return out


def _nodes(tree: Any, nodes: NodeText) -> dict[str, Any]:
    columns = tree.node_columns
    out: dict[str, Any] = {
        "first": numbers(columns.first_child),
        "count": numbers(columns.n_children),
        "weight": numbers(columns.weight),
        "gain": numbers(columns.gain, 6),
        "impurity": numbers(columns.impurity, 6),
        "missing_seen": numbers(columns.missing_seen.astype(np.uint8)),
    }
    if tree.target.classes is None:
        out["value"] = numbers(tree.leaf_model.first_numbers)
        out["spread"] = numbers(np.array([nodes.spread(id) for id in range(tree.n_nodes)]), 6)
        if tree.leaf_model.deviations is not None:  # of leaves, from their equations
            out["deviation"] = numbers(tree.leaf_model.deviations, 6)
    else:
        out |= {
            "label": numbers(columns.label),
            "class_begin": numbers(columns.class_begin),
            "class_id": numbers(columns.class_id),
            "class_weight": numbers(columns.class_weight),
        }
    return out


def _says(tree: Any, nodes: NodeText, tested: Tested) -> dict[str, Any]:
    """What nodes ask and branches are called: thresholds as texts, other questions and branches whole, equations of leaves."""
    cuts, questions, branches, levels = [], {}, {}, {}
    plain = ("number", "date", "duration")
    for id, (source, division) in tested.tests.items():
        column, at = source.column, tested.cuts(id)
        if isinstance(division, Cuts):
            cuts += [column.cut_text(*cut, division.strict) for cut in zip(*division[:3], strict=True)]
        if not nodes.asks(id):
            branches[id] = nodes.branches(id)
        elif column.kind not in plain or len(at) != 1:
            questions[id] = nodes.question(id)
        if column.nominal:
            levels[id] = [list(pair) for pair in division.to.items()] if isinstance(division, Levels) else []
    out: dict[str, Any] = {"cuts": cuts, "questions": questions, "branches": branches, "levels": levels}
    if tree.leaf_model.computed:
        texts: dict[int, list[str]] = {}
        for number, id, text in nodes.leaf_texts.numbered:  # of classes a text each
            texts.setdefault(id, [f"LM {number}"]).append(text)
        out["equations"] = texts
    return out


def _candidates(tree: Any, nodes: NodeText) -> tuple[dict[int, list[list[Any]]], str | None]:
    """The best candidate splits of the heaviest nodes: column, cut, branches, gain, merit, whether it was chosen.

    And what columns were compared by, where that is not the gain.
    """
    kept = np.flatnonzero(tree.node_columns.n_candidates)
    if not len(kept):
        return {}, None
    heaviest = kept[np.argsort(-tree.node_columns.weight[kept], kind="stable")][:_WITH_CANDIDATES]
    names = {column.name: j for j, column in enumerate(tree.columns)}
    out: dict[int, list[list[Any]]] = {}
    by_gain, by_ratio = True, True
    for id in sorted(heaviest.tolist()):
        best = sorted(tree.node(id).candidates, key=lambda entry: (not entry.chosen, -entry.merit))[:_BEST]
        out[id] = []
        for entry in sorted(best, key=lambda entry: -entry.merit):
            column = tree.columns[names[entry.column]]
            cut = (
                None
                if entry.cut is None
                else column.exact_text(float(f"{entry.cut:.6g}") if column.kind == "number" else entry.cut)
            )
            by_gain &= math.isclose(entry.merit, entry.gain, rel_tol=1e-9)
            by_ratio &= math.isclose(entry.merit, entry.ratio or 0.0, rel_tol=1e-9)
            figures = numbers([entry.gain, entry.merit], 5)
            out[id].append([names[entry.column], cut, entry.n_branches, *figures, int(entry.chosen)])
    return out, None if by_gain else "gain ratio" if by_ratio else "merit"


def _surrogates(tree: Any, nodes: NodeText) -> dict[int, list[Any]]:
    """The first surrogates of every node that has some: what sends a row to the first branch, agreement, what to the second."""
    out = {}
    for id in np.flatnonzero(tree.node_columns.n_surrogates).tolist():
        first = surrogates_of(nodes.splits, id)[:_SURROGATES]
        out[id] = [[each.when[0].present_text(), float(f"{each.agreement:.4g}"), each.when[1].present_text()] for each in first]
    return out
