"""Trees whose leaves say equations: the way of a row is the tree's own, what it is told is computed by its leaf."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from treewright.export.program import Program, flat_program
from treewright.model.soft import SoftThreshold
from treewright.model.tree import Tree


def routing(tree: Tree) -> Program:
    """The program that finds the leaf of a row, or the leaves, where thresholds are blended."""
    models = tree.models
    assert models is not None
    soft = {}
    if models.smoothing.kind == "blend" and models.smoothing.band > 0:
        for node in tree.nodes():
            split = node.split
            half = 0.0 if split is None else models.smoothing.band * float(models._state["spread"][node._get("column")])
            if split is not None and len(split.cuts) == 1 and half > 0:
                at = split.cuts[0]
                soft[node.id] = SoftThreshold(node.id, split.column, at - half, at, at + half)
    return flat_program(Tree(tree._core, tree.schema, tree.target), None, soft)


def equations(tree: Tree) -> dict[str, Any] | None:
    """What the page computes answers with: fills of missing cells, places of levels, terms of every leaf."""
    if tree.models is None:
        return None
    state = tree.models._state
    begin, ranks = state["term_begin"].tolist(), state["rank_begin"].tolist()
    terms = list(zip(state["term_column"].tolist(), state["term_place"].tolist(), state["coefficient"].tolist(), strict=True))
    leaves = [leaf.id for leaf in tree.leaves()]
    return {
        "fill": state["fill"].tolist(),
        "rank": [state["rank"][a:b].tolist() for a, b in pairwise(ranks)],
        "leaves": {id: [float(state["intercept"][id]), terms[begin[id] : begin[id + 1]]] for id in leaves},
    }
