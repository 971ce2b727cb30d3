"""A tree as an icicle: every node a box as wide as its share of the rows, children below their parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.errors import counted
from treewright.show.picture import INK, WHITE, Box, Group, Picture, Shape, Text, blend, class_color, fitted, text_width
from treewright.show.scene import SMALL, Scene, framed, legend, node_fill, node_title, pretty

if TYPE_CHECKING:
    from treewright.model.tree import Tree


_THIN = 0.3  # narrower boxes are not seen


def icicle_picture(tree: Tree, scene: Scene, shown: list[int], width: float) -> Picture:
    """Every node as a box as wide as its share of the rows, children below their parent."""
    nodes = scene.nodes
    depths = tree.depths.tolist()
    deepest = max(depths[id] for id in shown)
    margin, head = 10.0, 10.0
    signs = legend(scene, margin, head)
    head += 16.0 if signs else 0.0
    high = max(4.0, min(26.0, 480.0 / (deepest + 1)))
    begin = {0: 0.0}
    scale = (width - 2 * margin) / nodes.weight[0] if nodes.weight[0] else 0.0
    below = nodes.leaves_below()
    groups: list[Group] = []
    hidden = 0
    for id in shown:
        at = begin[id]
        for child in range(scene.first[id], scene.first[id] + scene.count[id]):
            begin[child] = at
            at += nodes.weight[child]
        wide = nodes.weight[id] * scale
        if wide < _THIN and id:
            hidden += 1
            continue
        x, y = margin + begin[id] * scale, head + depths[id] * high
        on_path = id in scene.path
        line = INK if on_path else WHITE
        fill = icicle_fill(scene, id)
        shapes: list[Shape] = [Box(x, y, wide, high, fill, line, 1.5 if on_path else 0.3)]
        if wide >= 45 and high >= SMALL + 2:
            phrase = pretty(scene.head(id))
            if text_width(phrase, SMALL) * 0.7 < wide:
                shapes.append(Text(x + 3, y + high / 2 + 3, fitted(phrase, SMALL, wide - 6), SMALL, room=wide - 6))
        groups.append(Group(node_title(scene, id, below[id]), shapes))
    note = f"width = rows, from the root downwards; {counted(len(shown), 'node')}"
    note += f", {hidden} too narrow to be drawn" if hidden else ""
    return framed(tree, scene, signs, groups, (width, head + (deepest + 1) * high + 4), note)


def icicle_fill(scene: Scene, id: int) -> str:
    """Colour of a node without a card: stronger than that of one, because no text stands on it that must be read."""
    nodes = scene.nodes
    if nodes.classes is None:
        return node_fill(nodes, id, scene.low, scene.high)
    mix = nodes.mix(id)
    total = sum(weight for _, weight in mix)
    if not total or not nodes.weight[id]:
        return WHITE
    k = max(2, len(nodes.classes))
    most = max(weight for _, weight in mix) / total
    return blend(class_color(nodes.label[id]), 0.12 + 0.53 * max(0.0, (most - 1 / k) / (1 - 1 / k)))
