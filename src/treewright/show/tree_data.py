"""A tree as values for other programs: numbers, nulls, lists; no text to be taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.model.branches import conditions_of
from treewright.show.data import condition_data, plain
from treewright.show.node_text import NodeText

if TYPE_CHECKING:
    from treewright.model.tree import Tree


def tree_data(tree: Tree) -> dict[str, Any]:
    """A tree, node by node; a node that asks has its branches with what leads down each."""
    nodes = NodeText(tree, exact=True)
    depths = tree.depths.tolist()
    entries = []
    for id in range(tree.n_nodes):
        entry: dict[str, Any] = {"node": id, "depth": depths[id], "rows": nodes.weight[id]}
        if id:
            entry["parent"] = nodes.parent[id]
        if nodes.classes is not None:
            entry["classes"] = {str(nodes.classes[k]): weight for k, weight in nodes.mix(id)} if nodes.weight[id] else {}
            entry["says"] = plain(nodes.classes[nodes.label[id]])
        else:
            entry["says"] = plain(tree.leaf_model.prediction(id))
            entry["spread"] = nodes.spread(id)
        if not nodes.count[id]:
            entry |= {name: plain(fact) for name, fact in tree.leaf_model.facts(id).items()}
        if nodes.count[id]:
            ways = conditions_of(tree, id, splits=nodes.splits)
            entry["asks"] = nodes.splits.source(id).column.name
            entry["branches"] = [
                {"node": child, "condition": condition_data(way)} for child, way in zip(nodes.children(id), ways, strict=True)
            ]
        entries.append(entry)
    return {"target": tree.target.name, "n_nodes": tree.n_nodes, "n_leaves": tree.n_leaves, "depth": tree.depth, "nodes": entries}
