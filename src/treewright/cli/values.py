"""Trees and explanations as values for other programs: numbers, nulls, lists; no text to be taken apart."""

from __future__ import annotations

from typing import Any

from treewright.show.data import condition_data, plain


def tree_data(tree: Any) -> dict[str, Any]:
    """A tree, node by node; a node that asks has its branches with what leads down each."""
    from treewright.model.branches import conditions_of
    from treewright.show.words import Words

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
        if tree.leaf_model.computed and not words.count[id]:
            leaf = tree.node(id)
            if leaf.scores is None:
                node |= {"equation": plain(leaf.equation), "deviation": leaf.deviation}
            else:
                node["scores"] = plain(leaf.scores)
        if words.count[id]:
            ways = conditions_of(tree, id, splits=splits)
            node["asks"] = tree.columns[words.column_index(id)].name
            node["branches"] = [
                {"node": child, "condition": condition_data(way)} for child, way in zip(words.children(id), ways, strict=True)
            ]
        nodes.append(node)
    return {"target": tree.target.name, "n_nodes": tree.n_nodes, "n_leaves": tree.n_leaves, "depth": tree.depth, "nodes": nodes}


def _mean(value: Any) -> Any:
    return {str(label): weight for label, weight in value.items()} if isinstance(value, dict) else plain(value)


def explained(found: Any) -> dict[str, Any]:
    """An explanation, of a tree or of rules."""
    shares = None if found.shares is None else {str(label): share for label, share in found.shares.items()}
    if not hasattr(found, "steps"):
        near = [{"rule": at, "condition": condition_data(each)} for at, each in found.broken]
        return {"says": plain(found.says), "rule": found.rule, "holds": list(found.holds), "near": near, "shares": shares}
    return {
        "row": {name: plain(cell) for name, cell in found.cells.items()},
        "steps": [
            {
                "condition": condition_data(s.test),
                "missing": s.missing,
                "node": s.node,
                "rows": s.weight,
                "value": _mean(s.value),
            }
            for s in found.steps
        ],
        "parts": [
            {
                "leaf": p.leaf,
                "share": p.share,
                "when": [condition_data(c) for c in p.when],
                "says": plain(p.says),
                "rows": p.weight,
            }
            for p in found.parts
        ],
        "says": plain(found.says),
        "rows": found.weight,
        "share": found.share,
        "spread": found.spread,
        "shares": shares,
        "changes": [
            {"column": c.column, "conditions": [condition_data(test) for test in c.tests], "says": plain(c.says)}
            for c in found.changes
        ],
        "notes": list(found.notes),
    }
