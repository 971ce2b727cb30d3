"""A tree drawn with characters: one line a node, what is asked, who is there, and for two classes a bar of their shares."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from treewright.table.schema import number_text

if TYPE_CHECKING:
    from treewright.model.node import Node
    from treewright.model.tree import Tree

_BAR = 16
_MANY = 6  # classes written out per line


def safe(text: str) -> str:
    """Write control characters as escapes, so that a name cannot steer the terminal."""
    return "".join(ch if unicodedata.category(ch)[0] != "C" else ch.encode("unicode_escape").decode() for ch in text)


def _weight(value: float) -> str:
    return number_text(round(value, 2)) if abs(value) < 1e15 and (value == 0 or abs(value) >= 0.01) else f"{value:.3g}"


def _counts(node: Node) -> str:
    value = node.value
    if not isinstance(value, dict):
        return f"{_weight(node.weight)} rows"
    if node.weight == 0:
        return "no rows"
    shown = sorted(value.items(), key=lambda item: -item[1])[:_MANY]
    names = {label for label, _ in shown}
    parts = [f"{label} {_weight(weight)}" for label, weight in value.items() if label in names]
    rest = len(value) - len(parts)
    return "  ".join(parts) + (f"  and {rest} more classes" if rest else "")


def _prediction(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _question(node: Node) -> str:
    split = node.split
    assert split is not None
    if split.family in ("threshold", "one_vs_rest", "presence", "subset"):
        condition = node.children[0].condition
        assert condition is not None
        return condition.text().removesuffix(" or missing") + "?"
    return f"{split.column}?"


def _edge(node: Node) -> str:
    """What leads to this node, said briefly: yes or no for questions, the value for branches of many."""
    parent = node.parent
    assert parent is not None
    split = parent.split
    assert split is not None
    branch = node.id - parent.children[0].id
    if split.family in ("threshold", "one_vs_rest", "presence", "subset") and branch < 2:
        label = ("yes", "no")[branch]
    else:
        condition = node.condition
        assert condition is not None
        text = condition.text().removesuffix(" or missing")
        label = text.removeprefix(f"{split.column} ").removeprefix("= ")
    alone = split.family == "presence" or label == "is missing"
    said = split.missing_to == branch and bool(parent._get("missing_seen")) and not alone
    return f"{label} (or missing)" if said else label


def node_line(node: Node) -> str:
    """One line about a node: its question or its answer, and its rows."""
    head = f"→ {_prediction(node.prediction)}" if node.is_leaf else _question(node)
    return safe(f"{head}  {_counts(node)}")


def _bar(node: Node, classes: tuple[Any, ...] | None, ascii: bool) -> str:
    value = node.value
    if classes is None or len(classes) != 2 or not isinstance(value, dict):
        return ""
    total = sum(value.values())
    filled = round(_BAR * (value.get(classes[-1], 0.0) / total)) if total else 0
    on, off = ("#", ".") if ascii else ("█", "░")
    return on * filled + off * (_BAR - filled)


def tree_text(tree: Tree, max_depth: int | None = None, ascii: bool = False) -> str:
    """Draw the tree. The bar, for two classes, is the share of the second one."""
    tee, corner, pipe, blank = ("|- ", "`- ", "|  ", "   ") if ascii else ("├─ ", "└─ ", "│  ", "   ")
    arrow = "->" if ascii else "→"
    rows: list[tuple[str, str, str]] = []
    open_: list[tuple[Node, str, str]] = [(tree.root, "", "")]
    while open_:
        node, before, below = open_.pop()
        edge = "" if node.id == 0 else _edge(node)
        hidden = max_depth is not None and node.depth >= max_depth and not node.is_leaf
        if node.is_leaf:
            said = f"{edge} {arrow} {_prediction(node.prediction)}".strip()
        elif hidden:
            said = f"{edge}  … {_below(node)} more nodes".strip()
        else:
            said = f"{edge}   {_question(node)}".strip()
        rows.append((safe(before + said), safe(_counts(node)), _bar(node, tree.target.classes, ascii)))
        if hidden or node.is_leaf:
            continue
        children = node.children
        for i in range(len(children) - 1, -1, -1):
            last = i == len(children) - 1
            open_.append((children[i], below + (corner if last else tee), below + (blank if last else pipe)))
    width = min(60, max(len(row[0]) for row in rows))
    counts = min(40, max(len(row[1]) for row in rows))
    return "\n".join(f"{a:<{width}}  {b:<{counts}}  {c}".rstrip() for a, b, c in rows)


def _below(node: Node) -> int:
    count, open_ = 0, list(node.children)
    while open_:
        at = open_.pop()
        count += 1
        open_.extend(at.children)
    return count
