"""The trees of a forest side by side, each as a small icicle: how alike they are, and how one row goes through all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treewright.errors import counted, out_of_range, visible
from treewright.model.combine import Scores
from treewright.show.icicle import icicle_fill
from treewright.show.node_text import NodeText
from treewright.show.picture import GREY, INK, WHITE, Box, Group, Picture, Shape, Text, fitted, text_width
from treewright.show.scene import SMALL, Scene, legend, pretty, ramp
from treewright.show.svg import svg
from treewright.table.schema import value_text

if TYPE_CHECKING:
    from treewright.model.forest import Forest
    from treewright.model.tree import Tree

_SHOWN = 12
_WIDE, _HIGH, _GAP, _WORDS = 150.0, 84.0, 14.0, 13.0
_MARGIN = 10.0
_THIN = 0.4  # narrower boxes are not seen


def forest_svg(forest: Forest, width: str | None = None, **options: Any) -> str:
    """Draw members of a forest as an SVG document; see ``Forest.to_svg``."""
    return svg(strip_picture(forest, **options), width)


def strip_picture(
    forest: Forest, members: int | Sequence[int] = _SHOWN, row: Any = None, columns: int = 4, max_depth: int | None = None
) -> Picture:
    """Draw members side by side; see ``Forest.to_svg`` for the parameters."""
    trees = forest.trees
    at = _chosen(members, len(trees))
    if not isinstance(columns, int) or columns < 1:
        raise out_of_range("columns", columns, "a whole number from 1 up")
    said = None if row is None else _one(forest, row)
    scenes = [_scene(trees[k], row) for k in at]
    if trees[0].target.classes is None:
        low, high = min(scene.low for scene in scenes), max(scene.high for scene in scenes)
        for scene in scenes:
            scene.low, scene.high = low, high
    signs = _legend(forest, scenes[0])
    top = _MARGIN + (18.0 if signs else 0.0)
    groups = [Group("", signs)]
    for place, (k, scene) in enumerate(zip(at, scenes, strict=True)):
        x = _MARGIN + place % columns * (_WIDE + _GAP)
        y = top + place // columns * (_HIGH + _WORDS + _GAP)
        text = f"{k}:{_adds_to(forest, k)} {counted(trees[k].n_leaves, 'leaf', 'leaves')}, depth {trees[k].depth}"
        text += "" if said is None else f" → {pretty(value_text(said[k]))}"
        shapes: list[Shape] = [Text(x, y + 9, fitted(text, SMALL, _WIDE), SMALL, bold=said is not None, room=_WIDE)]
        shapes += _boxes(trees[k], scene, x, y + _WORDS, max_depth)
        groups.append(Group(visible(text), shapes))
    lines = -(-len(at) // columns)
    width = 2 * _MARGIN + min(len(at), columns) * (_WIDE + _GAP) - _GAP
    reach = [sign.x + text_width(sign.text, sign.size) for sign in signs if isinstance(sign, Text)]
    height = top + lines * (_HIGH + _WORDS + _GAP)
    note = f"{len(at)} of {counted(len(trees), 'tree')}; width = rows, from the root downwards"
    width = max([width, *(end + _MARGIN for end in reach)])
    groups.append(Group("", [Text(_MARGIN, height, fitted(note, SMALL, width - 2 * _MARGIN), SMALL, fill=GREY)]))
    title = visible(f"{len(at)} of {counted(len(trees), 'tree')} for {forest.target.name[:300]}")
    return Picture(width, height + _MARGIN, title, f"{forest.size_text}.", groups)


def _legend(forest: Forest, scene: Scene) -> list[Shape]:
    if scene.nodes.classes is not None:
        return legend(scene, _MARGIN, _MARGIN)
    name = "score" if isinstance(forest.combine, Scores) else pretty(forest.target.name)
    return ramp(name, scene.low, scene.high, _MARGIN, _MARGIN) if scene.high > scene.low else []


def _adds_to(forest: Forest, member: int) -> str:
    """The class to whose score a member adds, where there are several."""
    if not isinstance(forest.combine, Scores) or forest.target.classes is None or len(forest.combine.base) < 2:
        return ""
    return f" {pretty(str(forest.target.classes[forest.combine.adds_to[member]]))},"


def _chosen(members: int | Sequence[int], n: int) -> list[int]:
    """Positions of the members to draw: the first so many, or those that are listed."""
    if isinstance(members, int):
        if members < 1 or isinstance(members, bool):
            raise out_of_range("members", members, "a whole number from 1 up, or positions of members")
        return list(range(min(members, n)))
    out = [int(k) for k in members]
    for k in out:
        if not 0 <= k < n:
            raise IndexError(f"members: there is no member {k}: the forest has {n}, numbered from 0")
    if not out:
        raise out_of_range("members", members, "a whole number from 1 up, or positions of members")
    return out


def _one(forest: Forest, row: Any) -> list[Any]:
    """What the members say of one row."""
    votes = forest.votes(row)
    if len(votes) != 1:
        raise ValueError(f"row has {len(votes)} rows: give one row, such as X.iloc[[0]]")
    told: list[Any] = votes[0].tolist()
    return [tuple(one) for one in told] if forest.target.outputs else told


def _scene(tree: Tree, row: Any) -> Scene:
    nodes = NodeText(tree)
    path = set() if row is None else set(tree.decision_path(row).indices.tolist())
    scene = Scene(nodes, nodes.first, nodes.count, path)
    if nodes.classes is None:
        scene.low, scene.high = min(nodes.value), max(nodes.value)
    return scene


def _boxes(tree: Tree, scene: Scene, x: float, y: float, max_depth: int | None) -> list[Shape]:
    """The nodes of a tree, the way of the row last, so that its lines lie above all others."""
    nodes, depths = scene.nodes, tree.depths.tolist()
    deepest = tree.depth if max_depth is None else min(tree.depth, max_depth)
    high = _HIGH / (deepest + 1)
    scale = _WIDE / nodes.weight[0] if nodes.weight[0] else 0.0
    begin = {0: 0.0}
    plain: list[Shape] = []
    passed: list[Shape] = []
    for id in scene.in_view():
        at = begin[id]
        for child in range(scene.first[id], scene.first[id] + scene.count[id]):
            begin[child] = at
            at += nodes.weight[child]
        wide = nodes.weight[id] * scale
        on_way = id in scene.path
        if depths[id] > deepest or (wide < _THIN and not on_way):
            continue
        left, top = x + begin[id] * scale, y + depths[id] * high
        line, thick = (INK, 1.2) if on_way else (WHITE, 0.2 if high > 2 else 0.0)
        box = Box(left, top, max(wide, 1.2) if on_way else wide, high, icicle_fill(scene, id), line if thick else None, thick)
        (passed if on_way else plain).append(box)
    return [Box(x, y, _WIDE, _HIGH, "#f4f4f4"), *plain, *passed]
