"""A tree as cards joined by lines: a card asks its question, a leaf gives its answer, both show who is there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.errors import counted
from treewright.show.histogram import histogram_shapes
from treewright.show.layout import tidy
from treewright.show.picture import (
    INK,
    NUMBERS,
    WHITE,
    Box,
    Group,
    Path,
    Picture,
    Shape,
    Text,
    blend,
    fitted,
    stacked,
    text_width,
)
from treewright.show.scene import (
    BARE_FROM,
    SIZE,
    SMALL,
    Scene,
    class_pieces,
    framed,
    legend,
    node_fill,
    node_title,
    pretty,
    rows_text,
)
from treewright.table.schema import share_text

if TYPE_CHECKING:
    from treewright.model.tree import Tree


_PAD, _GAP, _DROP = 6.0, 14.0, 34.0
_WIDEST = 190.0  # of a card
_CardText = tuple[str, list[str], str]  # headline, names of levels, rows
_MISSING = "∅"  # at the branch that missing cells take


def card_picture(tree: Tree, scene: Scene, shown: list[int], align_leaves: bool) -> Picture:
    """Draw the nodes in view as cards, placed by the tidy layout."""
    nodes = scene.nodes
    # Numbers of the nodes in view, parents first: what the layout needs.
    order = sorted(shown)
    place = {id: i for i, id in enumerate(order)}
    below = nodes.leaves_below()
    texts = {id: _card_text(scene, id, below[id]) for id in order}
    edges = _edge_texts(scene, order)
    sizes = {id: _card_size(scene, id, texts[id]) for id in order}
    first = [place[scene.first[id]] if scene.count[id] else 0 for id in order]
    count = [scene.count[id] for id in order]
    depth = [0] * len(order)
    for i, begin in enumerate(first):
        for child in range(begin, begin + count[i]):
            depth[child] = depth[i] + 1
    deepest = max(depth)
    widths = [max(sizes[id][0], text_width(edges.get(id, ""), SMALL) + 4) for id in order]
    # A leaf that is drawn at the bottom keeps everything else out of the way that leads there.
    levels = [1 if n else deepest - d + 1 for n, d in zip(count, depth, strict=True)] if align_leaves else None
    x = tidy(first, count, widths, _GAP, levels)
    tops = _tops([sizes[id][1] for id in order], depth, deepest)
    y = [tops[deepest if align_leaves and not n else d] for n, d in zip(count, depth, strict=True)]
    margin, head = 10.0, 10.0
    signs = legend(scene, margin, head)
    if any(text.endswith(_MISSING) or f"{_MISSING} " in text for text in edges.values()):
        at = max((sign.x + text_width(sign.text, sign.size) + 12 for sign in signs if isinstance(sign, Text)), default=margin)
        signs.append(Text(at, head + 8, f"{_MISSING} missing cells", SMALL))
    head += 16.0 if signs else 0.0
    centre = {id: margin + x[i] for i, id in enumerate(order)}
    top = {id: head + y[i] for i, id in enumerate(order)}
    groups: list[Group] = []
    lines: list[Shape] = []
    labels: list[Shape] = []
    for id in order:
        for child in range(scene.first[id], scene.first[id] + scene.count[id]):
            start = (centre[id], top[id] + sizes[id][1])
            end = (centre[child], top[child])
            on_path = child in scene.path and id in scene.path
            width = 0.75 + 7.25 * math.sqrt(nodes.weight[child] / nodes.weight[0]) if nodes.weight[0] else 0.75
            lines.append(Path([start, end], 2.0 if on_path else width, INK if on_path else "#b8b8b8", curve=True))
            if child in edges:
                labels += _edge_label(edges[child], centre[child], top[child] - 7)
    groups.append(Group("", lines))
    groups += [_card(scene, id, texts[id], centre[id] - sizes[id][0] / 2, top[id], sizes[id], below[id]) for id in order]
    if labels:
        groups.append(Group("", labels))
    width = max(centre[id] + widths[place[id]] / 2 for id in order) + margin
    height = max(top[id] + sizes[id][1] for id in order) + 10
    note = "" if scene.counts else f"counts are left out of trees of more than {BARE_FROM} leaves"
    return framed(tree, scene, signs, groups, (width, height), note)


def _tops(heights: list[float], depth: list[int], deepest: int) -> list[float]:
    rows = [0.0] * (deepest + 1)
    for height, d in zip(heights, depth, strict=True):
        rows[d] = max(rows[d], height)
    tops = [0.0]
    for height in rows[:-1]:
        tops.append(tops[-1] + height + _DROP)
    return tops


def _card_text(scene: Scene, id: int, below: int) -> _CardText:
    """Headline of a card, the levels it leaves out and, if there is room for it, who is there."""
    nodes = scene.nodes
    open_ = not nodes.count[id] or scene.count[id]
    names: list[str] = []
    if open_ or scene.answers:
        head = pretty(scene.head(id) if open_ else nodes.answer(id))
        if scene.count[id] and text_width(head, SIZE) > _WIDEST and (short := nodes.levels_counted(id)):
            head = pretty(short)
            histogram = scene.histograms.get(id)
            names = nodes.level_names(id, () if histogram is None else histogram.levels)
    else:
        head = f"▸ {counted(below, 'leaf', 'leaves')}"
    if not scene.counts:
        return head, [], ""
    rows, done = rows_text(nodes.weight[id]), nodes.tree.by_hand.get(id)
    hand = "" if done is None else f"   {done}"
    # Where scores answer, the share of the largest class is not how often they are right.
    closed = nodes.count[id] and not scene.answers
    if closed or scene.count[id] or nodes.classes is None or not nodes.weight[id] or nodes.tree.leaf_model.computed:
        return head, [pretty(name) for name in names], rows + hand
    mix = dict(nodes.mix(id))
    return head, [], f"{rows}   {share_text(mix.get(nodes.label[id], 0.0) / sum(mix.values()))}{hand}"


def _card_size(scene: Scene, id: int, text: _CardText) -> tuple[float, float]:
    leaf = not scene.count[id]
    head, names, foot = text
    wide = max(48.0, text_width(head, SIZE, leaf), text_width(foot, SMALL), *(text_width(name, SMALL) for name in names))
    histogram = id in scene.histograms
    height = _PAD + SIZE + 4 + 6 + len(names) * (SMALL + 3) + (SMALL + 5 if foot else 0) + _PAD
    height += scene.histograms[id].height if histogram else 0.0
    return min(_WIDEST, max(wide, 110.0 if histogram else 0.0)) + 2 * _PAD, height


def _edge_texts(scene: Scene, order: Sequence[int]) -> dict[int, str]:
    """What is written at the lines: yes and no, or values, and ∅ where missing cells go."""
    out = {}
    for id in order:
        if not scene.count[id]:
            continue
        routes = scene.nodes.missing(id)
        labels = scene.nodes.branches(id)
        for i, child in enumerate(scene.nodes.children(id)):
            share = routes[i] if routes else 0.0
            route = "" if not share else f" {_MISSING}" if share == 1.0 else f" {_MISSING} {share_text(share)}"
            out[child] = fitted(pretty(labels[i]) + route, SMALL, _WIDEST)
    return out


def _edge_label(text: str, x: float, y: float) -> list[Shape]:
    wide = text_width(text, SMALL) + 4
    return [Box(x - wide / 2, y - 8, wide, 11, fill=WHITE, round=2), Text(x, y, text, SMALL, "middle", room=wide)]


def _card(scene: Scene, id: int, text: _CardText, x: float, y: float, size: tuple[float, float], below: int) -> Group:
    nodes = scene.nodes
    width, height = size
    room, leaf = width - 2 * _PAD, not scene.count[id]
    on_path = id in scene.path
    fill = node_fill(nodes, id, scene.low, scene.high) if leaf else WHITE
    shapes: list[Shape] = [
        Box(x, y, width, height, fill, INK if on_path else "#8c8c8c", 2.0 if on_path else 0.75, 3.0 if leaf else 0.0)
    ]
    at = y + _PAD + SIZE
    head, names, foot = text
    head = head if room < _WIDEST else fitted(head, SIZE, room, leaf)
    shapes.append(Text(x + _PAD, at, head, SIZE, bold=leaf, room=room))
    at += 4
    if id in scene.histograms:
        shapes += histogram_shapes(nodes, id, scene.histograms[id], x + _PAD, at, room)
        at += scene.histograms[id].height
    for name in names:
        shapes.append(Text(x + _PAD, at + SMALL, fitted(name, SMALL, room), SMALL, room=room))
        at += SMALL + 3
    if nodes.classes is not None:
        shapes += stacked(x + _PAD, at, room, 6, class_pieces(nodes, id))
    else:
        shapes += _strip(scene, id, x + _PAD, at, room)
    if foot:
        shapes.append(Text(x + _PAD, at + 6 + SMALL + 2, fitted(foot, SMALL, room), SMALL, room=room))
    if on_path:
        shapes.append(Box(x + width / 2 - 4, y - 4, 8, 8, fill=INK, round=4))
    return Group(node_title(scene, id, below), shapes)


def _strip(scene: Scene, id: int, x: float, y: float, width: float) -> list[Shape]:
    """Mean and standard deviation on an axis common to all nodes."""
    nodes = scene.nodes
    shapes: list[Shape] = [Path([(x, y + 3), (x + width, y + 3)], 0.5)]
    low, high = scene.axis
    if not 0 < high - low < math.inf:
        return shapes

    def at(value: float) -> float:
        return x + width * ((value - low) / (high - low))

    mean, spread = nodes.value[id], nodes.spread(id)
    left, right = at(mean - spread), at(mean + spread)
    return [*shapes, Box(left, y + 1, right - left, 4, fill=blend(NUMBERS, 0.85)), Box(at(mean) - 1, y, 2, 6, fill=INK)]
