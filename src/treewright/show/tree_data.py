"""A tree as values for other programs: numbers, nulls, lists; no text to be taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.model.branches import conditions_of
from treewright.show.data import condition_data, plain
from treewright.show.words import Words

if TYPE_CHECKING:
    from treewright.model.tree import Tree


def tree_data(tree: Tree) -> dict[str, Any]:
    """A tree, node by node; a node that asks has its branches with what leads down each."""
    words = Words(tree, exact=True)
    splits = tree.splits.lists()
    depths = tree.depths.tolist()
    nodes = []
    for id in range(tree.n_nodes):
        node: dict[str, Any] = {"node": id, "depth": depths[id], "rows": words.weight[id]}
        if id:
            node["parent"] = words.parent[id]
        if words.classes is not None:
            node["classes"] = {str(words.classes[k]): weight for k, weight in words.mix(id)} if words.weight[id] else {}
            node["says"] = plain(words.classes[words.label[id]])
        else:
            node["says"] = plain(tree.leaf_model.prediction(id))
            node["spread"] = words.spread(id)
        if not words.count[id]:
            node |= {name: plain(fact) for name, fact in tree.leaf_model.facts(id).items()}
        if words.count[id]:
            ways = conditions_of(tree, id, splits=splits)
            node["asks"] = tree.columns[words.column_index(id)].name
            node["branches"] = [
                {"node": child, "condition": condition_data(way)} for child, way in zip(words.children(id), ways, strict=True)
            ]
        nodes.append(node)
    return {"target": tree.target.name, "n_nodes": tree.n_nodes, "n_leaves": tree.n_leaves, "depth": tree.depth, "nodes": nodes}
