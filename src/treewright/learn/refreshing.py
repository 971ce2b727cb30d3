"""A tree whose structure is kept while other rows say anew what its nodes hold and answer."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import TreewrightWarning
from treewright.inspect.drift import Fallen, fall, refuse
from treewright.learn.edits.bench import Bench, Held, refuse_learner
from treewright.learn.edits.division import gain_of
from treewright.learn.spreads import with_spreads
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.model.node_columns import core_tree, offsets
from treewright.prune.rows import Rows
from treewright.table.target import class_array

_FACTS = ("weight", "impurity")


def refresh(learner: TreeLearner[Any], learned: dict[str, Any], rows: Rows) -> dict[str, Any]:
    """What a fitted estimator has learned, its tree described by other rows; see ``est.refresh``."""
    tree: Tree = learned["tree_"]
    refuse(tree, "are refreshed")
    refuse_learner(learner)
    bench = Bench(learner, training_of(tree, rows))
    new = described(bench, tree)
    try:
        core = bench.kept(new)
    except ValueError as error:
        raise ValueError(f"these rows do not keep what is known: {error}; fit anew") from error
    if core is not new._core:
        new = Tree(core, new.schema, new.target, new.leaf_model.moved(core, new.schema), by_hand=dict(new.by_hand))
    new = with_spreads(new, bench.training)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)
        new, facts = learner.look_back(new, bench.training, bench.settings)
    kept: dict[str, Any] = {name: each for name, each in learned.items() if name in ("n_features_in_", "feature_names_in_")}
    return {**kept, **facts, **({"classes_": learned["classes_"]} if "classes_" in learned else {}), "tree_": new}


def training_of(tree: Tree, rows: Rows) -> Training:
    """Rows as those a tree is grown from, with its columns and its classes."""
    arrays, codes, weights = rows.numbers(tree)
    classes = None
    if tree.target.classes is not None:
        if int(codes.max()) >= len(tree.target.classes):
            raise ValueError("y holds classes the tree does not know: leaves can say only those of training; fit anew")
        classes = class_array([tree.target.classes[code] for code in np.unique(codes).tolist()])
    if len(codes) == 0:
        raise ValueError("all rows have weight 0: there is nothing to learn from")
    target = replace(tree.target, factors=(), losses=(), row_weight=1.0)
    columns = list(tree.columns)
    given = weights.given
    return Training(columns, arrays, target, codes, given, classes, weights.keep, None, weights.each, tree.schema.named)


def described(bench: Bench, tree: Tree) -> Tree:
    """The same tests, every node described by the rows of a bench that come there."""
    weights = np.ones(bench.n_rows) if bench.weights is None else bench.weights
    fallen = fall(tree, bench.training.cells[0], weights, own=True)
    old = tree.node_columns
    state = dict(tree._core.state())
    weight, impurity, value, label = (np.array(state[name]) for name in ("weight", "impurity", "value", "label"))
    missing_seen, gain = np.array(state["missing_seen"]), np.array(state["gain"])
    held: list[tuple[list[int], list[float]]] = []
    for id in range(tree.n_nodes):
        if not len(fallen.rows[id]):  # it repeats the node above
            up = int(old.parent[id])
            weight[id], impurity[id] = 0.0, impurity[up]
            if len(value):
                value[id] = value[up]
            else:
                label[id] = label[up]
                certain = bench.settings.certain_blanks
                held.append(([int(label[up])], [float(sum(held[up][1]))]) if certain else held[up])
            continue
        leaf = bench.leaf(_held(fallen, id)).state()
        weight[id], impurity[id] = leaf["weight"][0], leaf["impurity"][0]
        if len(value):
            value[id] = leaf["value"][0]
        else:
            label[id] = leaf["label"][0]
            held.append((leaf["class_id"].tolist(), leaf["class_weight"].tolist()))
    cells = bench.cells
    for id in np.flatnonzero(~old.is_leaf).tolist():
        below = slice(int(old.first_child[id]), int(old.first_child[id]) + int(old.n_children[id]))
        lost = _lost(tree, id, cells)
        parts = [_held(fallen, child) for child in range(below.start, below.stop)]
        here = _held(fallen, id)
        missing = here.some(lost[here.rows])
        present = [part.some(~lost[part.rows]) for part in parts]
        gain[id] = gain_of(bench, present, missing, parts, here) if len(here.rows) else 0.0
        missing_seen[id] = bool(len(missing.rows))
    out: dict[str, Any] = {
        **state,
        "weight": weight,
        "impurity": impurity,
        "value": value,
        "label": label,
        "gain": gain,
        "missing_seen": missing_seen,
        "class_begin": offsets(np.array([len(ids) for ids, _ in held])) if held else state["class_begin"],
        "class_id": np.array([each for ids, _ in held for each in ids]),
        "class_weight": np.array([each for _, weights in held for each in weights]),
    }
    # The splits that were compared were those of other rows.
    none = {name: np.empty(0) for name in _core.Tree.columns() if name.startswith(("weighed_", "listed_"))}
    core = core_tree({**out, **none})
    target = bench.tree_target
    return Tree(core, tree.schema, target, tree.leaf_model.moved(core, tree.schema), by_hand=_kept(tree))


def _held(fallen: Fallen, id: int) -> Held:
    """The rows of a node."""
    rows, shares = fallen.rows[id], fallen.shares[id]
    return Held(rows) if np.all(shares == 1.0) else Held(rows, shares)


def _kept(tree: Tree) -> dict[int, str]:
    """What was done by hand, apart from what leaves were made to say: they say what the new rows do."""
    return {id: word for id, word in tree.by_hand.items() if word != "said by hand"}


def _lost(tree: Tree, id: int, cells: list[Any]) -> Any:
    """Where what a node asks for is missing."""
    source = tree.splits.source(id)
    values = source.cells(cells, np.arange(len(cells[0])))
    return values < 0 if source.column.nominal else np.isnan(np.asarray(values, np.float64))
