"""From a tree to a picture: cards for trees one can read, an icicle for those one can only survey.

Colour says the class, lightness how pure the node is, and every colour has a second sign (place in the bar, or the name).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treewright.errors import drawn_depth, out_of_range
from treewright.show.cards import card_picture
from treewright.show.histogram import histograms
from treewright.show.icicle import icicle_picture
from treewright.show.node_text import NodeText
from treewright.show.picture import LEAST, Picture
from treewright.show.scene import BARE_FROM, SMALL, Scene

if TYPE_CHECKING:
    from treewright.model.tree import Tree


KINDS = ("auto", "tree", "icicle")
_PLAIN_FROM, _ICICLE_FROM = 15, 80  # leaves beyond which there are no histograms, and an icicle instead of cards


def tree_picture(
    tree: Tree,
    kind: str = "auto",
    max_depth: int | None = None,
    X: Any = None,
    y: Any = None,
    row: Any = None,
    align_leaves: bool = False,
    room: float | None = None,
    exact: bool = False,
    tall: float | None = None,
    passed: set[int] | None = None,
    split: set[int] | None = None,
) -> Picture:
    """Draw a tree; see ``Tree.to_svg`` for the parameters.

    ``room`` is the width in points it will be printed at, and ``tall`` the height: levels are left out until its text is at least
    6 points high. ``passed``: nodes on the ways that are drawn in black, instead of those of a row. ``split``: the inner nodes
    that are split as yet; others give the answers of their rows.
    """
    if kind not in KINDS:
        raise out_of_range("kind", kind, f"one of {', '.join(map(repr, KINDS))}")
    drawn_depth(max_depth)
    nodes = NodeText(tree, exact=exact)
    widest, highest = (math.inf if size is None else size * SMALL / LEAST for size in (room, tall))
    depth = tree.depth if max_depth is None else min(max_depth, tree.depth)
    path = _path_of(tree, row) if passed is None else passed
    while True:
        picture = _drawn(tree, nodes, kind, depth, X, y, path, align_leaves, widest, split)
        if (picture.width <= widest and picture.height <= highest) or depth == 0:
            return picture
        depth -= 1


def _drawn(
    tree: Tree,
    nodes: NodeText,
    kind: str,
    max_depth: int,
    X: Any,
    y: Any,
    path: set[int],
    align_leaves: bool,
    widest: float,
    split: set[int] | None,
) -> Picture:
    count = _visible_children(tree, nodes, max_depth)
    if split is not None:
        count = [n if id in split else 0 for id, n in enumerate(count)]
    scene = Scene(nodes, nodes.first, count, path, answers=split is not None and tree.leaf_model.by_nodes)
    shown = scene.in_view()
    leaves = sum(count[id] == 0 for id in shown)
    if nodes.classes is None:
        scene.low, scene.high = min(nodes.value), max(nodes.value)
        ends = [(nodes.value[id] - nodes.spread(id), nodes.value[id] + nodes.spread(id)) for id in shown]
        scene.axis = (min(low for low, _ in ends), max(high for _, high in ends))
    if kind == "icicle" or (kind == "auto" and leaves > _ICICLE_FROM):
        return icicle_picture(tree, scene, shown, min(720.0, widest))
    scene.counts = leaves <= BARE_FROM
    if X is not None and leaves <= _PLAIN_FROM:
        scene.histograms = histograms(tree, nodes, X, y, [id for id in shown if count[id]])
    return card_picture(tree, scene, shown, align_leaves)


def _visible_children(tree: Tree, nodes: NodeText, max_depth: int) -> Sequence[int]:
    if max_depth >= tree.depth:
        return nodes.count
    depths = tree.depths.tolist()
    return [n if depth < max_depth else 0 for n, depth in zip(nodes.count, depths, strict=True)]


def _path_of(tree: Tree, row: Any) -> set[int]:
    if row is None:
        return set()
    path = tree.decision_path(row)
    if path.shape[0] != 1:
        raise ValueError(f"row has {path.shape[0]} rows: give one row, such as X.iloc[[0]]")
    return set(path.indices.tolist())
