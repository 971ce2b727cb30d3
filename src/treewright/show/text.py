"""A tree drawn with characters: one line a node, what is asked, who is there, and for two classes a bar of their shares."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from treewright.model.node import branch_conditions
from treewright.model.rules import rows_text
from treewright.table.schema import weight_text

if TYPE_CHECKING:
    from treewright.model.condition import Condition
    from treewright.model.node import Node
    from treewright.model.tree import Tree

_BAR = 16
_MANY = 6  # classes written out per line


def safe(text: str) -> str:
    """Write control characters as escapes, so that a name cannot steer the terminal."""
    return "".join(ch if unicodedata.category(ch)[0] != "C" else ch.encode("unicode_escape").decode() for ch in text)


def _counts(node: Node) -> str:
    value = node.value
    if not isinstance(value, dict):
        return rows_text(node.weight)
    if node.weight == 0:
        return "no rows"
    shown = sorted(value.items(), key=lambda item: -item[1])[:_MANY]
    names = {label for label, _ in shown}
    parts = [f"{label} {weight_text(weight)}" for label, weight in value.items() if label in names]
    rest = len(value) - len(parts)
    return "  ".join(parts) + (f"  and {rest} more classes" if rest else "")


def _prediction(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


_QUESTIONS = ("threshold", "one_vs_rest", "presence", "subset")


def _plain(condition: Condition) -> str:
    return condition.text().removeprefix("(").removesuffix(" or missing)") if condition.missing_seen else condition.text()


def _question(node: Node, conditions: list[Condition]) -> str:
    if node.tree.families[node._get("family")] in _QUESTIONS:
        return _plain(conditions[0]) + "?"
    return f"{conditions[0].column.name}?"


def _edges(node: Node, conditions: list[Condition]) -> list[str]:
    """What leads to each child, said briefly: yes or no for questions, the value for branches of many."""
    family = node.tree.families[node._get("family")]
    out = []
    for branch, condition in enumerate(conditions):
        label = _plain(condition).removeprefix(f"{condition.column.name} ").removeprefix("= ")
        if family in _QUESTIONS and branch < 2:
            label = ("yes", "no")[branch]
        said = condition.missing and condition.missing_seen and condition.known and family != "presence"
        out.append(f"{label} (or missing)" if said else label)
    return out


def node_line(node: Node) -> str:
    """One line about a node: its question or its answer, and its rows."""
    head = f"→ {_prediction(node.prediction)}" if node.is_leaf else _question(node, branch_conditions(node))
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
    """Draw the tree. The bar, for two classes, is the share of the second one.

    Thresholds have the digits that separate the training values; rules write them in full.
    """
    tee, corner, pipe, blank = ("|- ", "`- ", "|  ", "   ") if ascii else ("├─ ", "└─ ", "│  ", "   ")
    arrow = "->" if ascii else "→"
    dots = "..." if ascii else "…"
    rows: list[tuple[str, str, str]] = []
    open_: list[tuple[Node, str, str, str]] = [(tree.root, "", "", "")]
    while open_:
        node, edge, before, below = open_.pop()
        hidden = max_depth is not None and node.depth >= max_depth and not node.is_leaf
        conditions = [] if node.is_leaf or hidden else branch_conditions(node)
        if node.is_leaf:
            said = f"{edge} {arrow} {_prediction(node.prediction)}".strip()
        elif hidden:
            said = f"{edge}  {dots} {_below(node)} more nodes".strip()
        else:
            said = f"{edge}   {_question(node, conditions)}".strip()
        rows.append((safe(before + said), safe(_counts(node)), _bar(node, tree.target.classes, ascii)))
        if not conditions:
            continue
        edges, children = _edges(node, conditions), node.children
        for i in range(len(children) - 1, -1, -1):
            last = i == len(children) - 1
            open_.append((children[i], edges[i], below + (corner if last else tee), below + (blank if last else pipe)))
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
