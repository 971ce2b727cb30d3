"""Two trees compared, in words and side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treewright.errors import visible
from treewright.show.draw import tree_picture
from treewright.show.node_text import NodeText
from treewright.show.picture import Group, Path, Picture, Shape, Text
from treewright.show.scene import SMALL
from treewright.table.schema import weight_text

if TYPE_CHECKING:
    from treewright.inspect.difference import Difference
    from treewright.model.node import Node
    from treewright.model.tree import Tree

_PAIRS = 6


def question(node: Node) -> str:
    """What an inner node asks."""
    return NodeText(node.tree, one=True).question(node.id)


def difference_svg(found: Difference, width: str | None = None) -> str:
    """Draw both trees side by side; see ``Difference.to_svg``."""
    from treewright.show.svg import svg

    pictures = [_marked(tree, [place.nodes[at] for place in found.nodes]) for at, tree in enumerate(found.trees)]
    groups, x = [], 0.0
    for at, picture in enumerate(pictures, 1):
        head = Text(x + _HEAD, _HEAD + 2, f"{at}: {found.sizes[at - 1]}", SMALL, bold=True)
        groups.append(Group("", [head]))
        groups += [Group(group.title, [_moved(shape, x, 2 * _HEAD) for shape in group.shapes]) for group in picture.groups]
        x += picture.width
    high = max(picture.height for picture in pictures) + 2 * _HEAD
    return svg(Picture(x, high, "Two trees compared", visible(found.to_text(5).replace(chr(10), "; ")), groups), width)


_HEAD = 10.0


def _marked(tree: Tree, ids: list[int]) -> Picture:
    """A tree with the ways to some of its nodes in black."""
    up, path = tree.node_entries.parent, set[int]()
    for id in ids:
        at = id
        while at >= 0 and at not in path:
            path.add(at)
            at = up[at]
    return tree_picture(tree, passed=path)


def _moved(shape: Shape, x: float, y: float) -> Shape:
    if isinstance(shape, Path):
        return replace(shape, points=[(a + x, b + y) for a, b in shape.points])
    return replace(shape, x=shape.x + x, y=shape.y + y)


def difference_text(found: Difference, most: int = 20) -> str:
    """Write a comparison; see ``Difference.to_text``."""
    lines = [f"{at}: {size}" for at, size in enumerate(found.sizes, 1)]
    if found.rows is not None and found.changed is not None:
        line = f"{weight_text(found.changed)} of {weight_text(found.rows)} rows are told something else"
        if found.errors is not None:
            line += "; errors {:.4g} and {:.4g}".format(*found.errors)
        if found.mended is not None and found.spoiled is not None:
            line += f" ({weight_text(found.mended)} mended, {weight_text(found.spoiled)} spoiled)"
        lines.append(line)
        if len(found.answers) > 1:
            lines += [f"  {visible(f'{a} → {b}')}: {weight_text(held)}" for a, b, held in found.answers[:_PAIRS]]
    if found.same:
        lines.append("both ask and say the same everywhere")
    for place in found.nodes[:most]:
        rows = ""
        if place.rows is not None:
            rows = f" ({weight_text(place.rows)} rows, {weight_text(place.changed or 0)} told something else)"
        lines += ["", visible(place.where) + rows, f"  1: {visible(place.first)}", f"  2: {visible(place.second)}"]
    if len(found.nodes) > most:
        lines += ["", f"… {len(found.nodes) - most} more places"]
    return "\n".join(lines)
