"""What a fitted estimator holds, a tree or rules, as text and as values for other programs."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from treewright.cli.say import Talk, UsageError
from treewright.errors import counted


def held_by(estimator: Any) -> Any:
    """Return the tree of an estimator, or its rules."""
    return estimator.tree_ if hasattr(estimator, "tree_") else estimator.ruleset_


def tree_of(estimator: Any, asked: str) -> Any:
    """Return the tree of an estimator; refuse rules, which have no part that was asked for."""
    if not hasattr(estimator, "tree_"):
        raise UsageError("this model is a list of rules, not a tree", asked, "leave it out, or see treewright rules and explore")
    return estimator.tree_


def headline(name: str, held: Any, seconds: float | None = None) -> str:
    """Say how large a model is, and how long it took."""
    if hasattr(held, "n_nodes"):
        size = f"{counted(held.n_nodes, 'node')}, {counted(held.n_leaves, 'leaf', 'leaves')}, depth {held.depth}"
    else:
        size = counted(len(held), "rule") + ("" if held.otherwise is None else " and a default")
    if seconds is None:
        return f"{name}: {size}"
    return f"{name.lower()}: {size}, " + (f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s")


def held_text(held: Any, depth: int, talk: Talk, exact: bool = False) -> str:
    """Draw a tree with characters, or write rules, a line each."""
    if not hasattr(held, "to_svg"):
        return rules_text(held, talk)
    text: str = held.to_text(max_depth=depth, ascii=talk.ascii, width=talk.width, color=talk.color, exact=exact)
    if held.depth > depth:
        text += f"\n(drawn to depth {depth} of {held.depth}: --depth {held.depth} draws all)"
    return text


def rules_text(rules: Any, talk: Talk) -> str:
    """Write rules, no line longer than the terminal is wide."""
    whole: dict[str, Any] = {"subsequent_indent": "   ", "break_long_words": False, "break_on_hyphens": False}
    return "\n".join(line for rule in rules.to_text().split("\n") for line in wrap(rule, talk.width, **whole))


def held_data(held: Any) -> dict[str, Any]:
    """Return a tree or rules as plain values: a report for other programs, not a model file."""
    return _tree_data(held) if hasattr(held, "n_nodes") else rules_data(held)


def rules_data(rules: Any) -> dict[str, Any]:
    """Return rules as plain values."""
    every = [*rules, *([] if rules.otherwise is None else [rules.otherwise])]
    data = [
        {
            "when": [condition.text(exact=True) for condition in rule.when],
            "says": rule.says,
            "rows": rule.weight if rule.scored else None,
            "support": rule.support if rule.scored else None,
            "confidence": rule.confidence,
            "spread": rule.spread,
        }
        for rule in every
    ]
    return {"target": rules.target.name, "ordered": rules.ordered, "rules": data}


def _tree_data(tree: Any) -> dict[str, Any]:
    from treewright.show.words import Words

    words = Words(tree, exact=True)
    depths = tree._depths.tolist()
    nodes = []
    for id in range(tree.n_nodes):
        node: dict[str, Any] = {"node": id, "depth": depths[id], "rows": words.weight[id]}
        if id:
            node["parent"] = words.parent[id]
        if words.classes is not None:
            node["classes"] = {str(words.classes[k]): weight for k, weight in words.mix(id)} if words.weight[id] else {}
            node["says"] = words.classes[words.label[id]]
        else:
            node["says"], node["spread"] = words.value[id], words.spread(id)
        if tree.models is not None and not words.count[id]:
            leaf = tree.node(id)
            scores = leaf.scores
            node["equation" if scores is None else "scores"] = (
                leaf.equation.text(17) if scores is None else {str(label): each.text(17) for label, each in scores.of}
            )
        if words.count[id]:
            node["asks"] = words.question(id).removesuffix("?")
            node["branches"] = dict(zip(words.edges(id), words.children(id), strict=True))
        nodes.append(node)
    return {"target": tree.target.name, "n_nodes": tree.n_nodes, "n_leaves": tree.n_leaves, "depth": tree.depth, "nodes": nodes}
