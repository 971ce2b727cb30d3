"""Trees for programs that draw graphs: DOT (Graphviz) and Mermaid. One line a node and one an edge: nothing nests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from treewright.errors import counted, drawn_depth, visible
from treewright.show.cells import cut_to
from treewright.show.node_text import NodeText

if TYPE_CHECKING:
    from treewright.model.tree import Tree

_WIDE = 80  # signs of a line
_LINE = "\\n"


def _entries(tree: Tree, max_depth: int | None) -> Iterator[tuple[int, list[str], bool, list[tuple[int, str]]]]:
    """Every node that is drawn: number, lines, whether it is a leaf, and the nodes below with what leads there."""
    drawn_depth(max_depth)
    nodes = NodeText(tree)
    leaves = nodes.leaves_below()
    open_ = [(0, 0)]
    while open_:
        id, depth = open_.pop()
        ends = nodes.count[id] == 0
        deep = max_depth is not None and depth >= max_depth and not ends
        heads = [counted(leaves[id], "leaf", "leaves")] if deep else [nodes.head(id)]
        below = [] if ends or deep else list(zip(nodes.children(id), nodes.edges(id), strict=True))
        yield id, [cut_to(visible(line), _WIDE) for line in (*heads, nodes.rows(id))], ends, below
        open_ += [(child, depth + 1) for child, _ in reversed(below)]


def tree_dot(tree: Tree, max_depth: int | None = None) -> str:
    """Write a tree as a DOT graph; see ``Tree.to_dot``."""
    boxes, edges = [], []
    for id, lines, ends, below in _entries(tree, max_depth):
        shape = ', style="rounded,filled", fillcolor="#eeeeee"' if ends else ""
        boxes.append(f'  n{id} [label="{_LINE.join(map(_dot, lines))}"{shape}];')
        edges += [f'  n{id} -> n{child} [label="{_dot(cut_to(visible(edge), _WIDE))}"];' for child, edge in below]
    head = 'digraph tree {\n  node [shape=box, fontname="Helvetica"];\n  edge [fontname="Helvetica"];\n'
    return head + "\n".join([*boxes, *edges]) + "\n}\n"


def _dot(text: str) -> str:
    # Graphviz reads escapes and entities in labels.
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def tree_mermaid(tree: Tree, max_depth: int | None = None) -> str:
    """Write a tree as a Mermaid flowchart; see ``Tree.to_mermaid``."""
    out = ["flowchart TD"]
    for id, lines, ends, below in _entries(tree, max_depth):
        text = "<br>".join(map(_mermaid, lines))
        out.append(f'  n{id}(["{text}"])' if ends else f'  n{id}["{text}"]')
        out += [f'  n{id} -->|"{_mermaid(cut_to(visible(edge), _WIDE))}"| n{child}' for child, edge in below]
    return "\n".join(out) + "\n"


def _mermaid(text: str) -> str:
    # Mermaid reads entities with # for &; whatever could be one of its signs is written so.
    return re.sub(r"[^\w .,=+\-/():?]", lambda found: f"#{ord(found[0])};", text)
