"""From a tree to a picture: cards joined by lines for trees one can read, an icicle (width = rows) for those one can only survey.

A card asks its question; a leaf gives its answer; both show who is there. Colour says the class, lightness how pure the node
is, and every colour has a second sign (place in the bar, or the name).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import out_of_range, visible
from treewright.show.layout import tidy
from treewright.show.picture import (
    GREY,
    INK,
    NUMBERS,
    OTHERS,
    WHITE,
    Box,
    Group,
    Path,
    Picture,
    Shape,
    Text,
    blend,
    class_color,
    fitted,
    stacked,
    text_width,
)
from treewright.show.words import Words
from treewright.table.schema import share_text, value_text, weight_text

if TYPE_CHECKING:
    from treewright.model.tree import Tree

KINDS = ("auto", "tree", "icicle")
_SIZE, _SMALL = 10.0, 8.0
_LEAST = 6.0  # points of the smallest text, as printed
_PAD, _GAP, _DROP = 6.0, 14.0, 34.0
_WIDEST = 190.0  # of a card
_PLAIN_FROM, _BARE_FROM, _ICICLE_FROM = 15, 40, 80  # leaves: without histograms, without counts, as an icicle
_BINS = 20
_TITLE = 300  # characters
_THIN = 0.3  # narrower boxes of an icicle are not seen


@dataclass(slots=True)
class _Scene:
    """What is drawn of a tree: the nodes in view and everything one needs to say about them."""

    words: Words
    first: list[int]
    count: list[int]  # children in view
    path: set[int]
    histograms: dict[int, Histogram] = field(default_factory=dict)
    counts: bool = True
    low: float = 0.0  # of the means of a numeric target
    high: float = 0.0
    axis: tuple[float, float] = (0.0, 0.0)  # the same with their standard deviations


@dataclass(frozen=True, slots=True)
class Histogram:
    """The split column inside a node: bins from ``low`` to ``high`` (or one per level), rows per class in each."""

    low: float
    high: float
    bins: list[list[int]]
    ends: tuple[str, str]  # the same as text; empty for levels, which are written at the branches

    @property
    def height(self) -> float:
        """Height it takes in a card."""
        return 34.0 if self.ends[0] else 24.0


def tree_picture(
    tree: Tree,
    kind: str = "auto",
    max_depth: int | None = None,
    X: Any = None,
    y: Any = None,
    row: Any = None,
    align_leaves: bool = False,
    room: float | None = None,
) -> Picture:
    """Draw a tree; see ``Tree.to_svg`` for the parameters.

    ``room`` is the width in points it will be printed at: levels are left out until its text is at least 6 points high.
    """
    if kind not in KINDS:
        raise out_of_range("kind", kind, f"one of {', '.join(map(repr, KINDS))}")
    words = Words(tree)
    widest = math.inf if room is None else room * _SMALL / _LEAST
    depth = tree.depth if max_depth is None else min(max_depth, tree.depth)
    while True:
        picture = _drawn(tree, words, kind, depth, X, y, row, align_leaves, widest)
        if picture.width <= widest or depth == 0:
            return picture
        depth -= 1


def _drawn(
    tree: Tree, words: Words, kind: str, max_depth: int, X: Any, y: Any, row: Any, align_leaves: bool, widest: float
) -> Picture:
    count = _visible_children(tree, words, max_depth)
    scene = _Scene(words, words.first, count, _path_of(tree, row))
    shown = _in_view(scene)
    leaves = sum(count[id] == 0 for id in shown)
    if words.classes is None:
        scene.low, scene.high = min(words.value), max(words.value)
        ends = [(words.value[id] - words.spread(id), words.value[id] + words.spread(id)) for id in shown]
        scene.axis = (min(low for low, _ in ends), max(high for _, high in ends))
    if kind == "icicle" or (kind == "auto" and leaves > _ICICLE_FROM):
        return _icicle(tree, scene, shown, min(720.0, widest))
    scene.counts = leaves <= _BARE_FROM
    if X is not None and leaves <= _PLAIN_FROM:
        scene.histograms = histograms(tree, words, X, y, [id for id in shown if count[id]])
    return _cards(tree, scene, shown, align_leaves)


def _visible_children(tree: Tree, words: Words, max_depth: int) -> list[int]:
    if max_depth >= tree.depth:
        return words.count
    depths = tree._depths.tolist()
    return [n if depth < max_depth else 0 for n, depth in zip(words.count, depths, strict=True)]


def _in_view(scene: _Scene) -> list[int]:
    out, open_ = [], [0]
    while open_:
        id = open_.pop()
        out.append(id)
        begin, n = scene.first[id], scene.count[id]
        open_.extend(range(begin + n - 1, begin - 1, -1) if n else ())
    return out


def _path_of(tree: Tree, row: Any) -> set[int]:
    if row is None:
        return set()
    path = tree.decision_path(row)
    if path.shape[0] != 1:
        raise ValueError(f"row has {path.shape[0]} rows: give one row, such as X.iloc[[0]]")
    return set(path.indices.tolist())


# -- cards -------------------------------------------------------------------------------------------------------------


def _cards(tree: Tree, scene: _Scene, shown: list[int], align_leaves: bool) -> Picture:
    words = scene.words
    # Numbers of the nodes in view, parents first: what the layout needs.
    order = sorted(shown)
    place = {id: i for i, id in enumerate(order)}
    below = words.leaves_below()
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
    widths = [max(sizes[id][0], text_width(edges.get(id, ""), _SMALL) + 4) for id in order]
    # A leaf that is drawn at the bottom keeps everything else out of the way that leads there.
    levels = [1 if n else deepest - d + 1 for n, d in zip(count, depth, strict=True)] if align_leaves else None
    x = tidy(first, count, widths, _GAP, levels)
    tops = _tops([sizes[id][1] for id in order], depth, deepest)
    y = [tops[deepest if align_leaves and not n else d] for n, d in zip(count, depth, strict=True)]
    margin, head = 10.0, 10.0
    legend = _legend(scene, margin, head)
    head += 16.0 if legend else 0.0
    centre = {id: margin + x[i] for i, id in enumerate(order)}
    top = {id: head + y[i] for i, id in enumerate(order)}
    groups = [Group("", legend)] if legend else []
    lines: list[Shape] = []
    labels: list[Shape] = []
    for id in order:
        for child in range(scene.first[id], scene.first[id] + scene.count[id]):
            start = (centre[id], top[id] + sizes[id][1])
            end = (centre[child], top[child])
            on_path = child in scene.path and id in scene.path
            width = 0.75 + 7.25 * math.sqrt(words.weight[child] / words.weight[0]) if words.weight[0] else 0.75
            lines.append(Path([start, end], 2.0 if on_path else width, INK if on_path else "#b8b8b8", curve=True))
            if child in edges:
                labels += _edge_label(edges[child], centre[child], top[child] - 7)
    groups.append(Group("", lines))
    groups += [_card(scene, id, texts[id], centre[id] - sizes[id][0] / 2, top[id], sizes[id], below[id]) for id in order]
    if labels:
        groups.append(Group("", labels))
    width = max(centre[id] + widths[place[id]] / 2 for id in order) + margin
    height = max(top[id] + sizes[id][1] for id in order) + 10
    note = "" if scene.counts else f"counts are left out of trees of more than {_BARE_FROM} leaves"
    return _framed(tree, scene, groups, width, height, legend, note)


def _framed(
    tree: Tree, scene: _Scene, groups: list[Group], width: float, height: float, legend: list[Shape], note: str
) -> Picture:
    reach = [shape.x + text_width(shape.text, shape.size) for shape in legend if isinstance(shape, Text)]
    width = max([width, 120.0, *(at + 10 for at in reach)])
    if note:
        groups.append(Group("", [Text(10, height + 8, fitted(note, _SMALL, width - 20), _SMALL, fill=GREY)]))
        height += 16
    rows = scene.words.rows(0)
    title = visible(f"Decision tree for {tree.target.name[:_TITLE]}")
    about = f"{tree.n_nodes} nodes, {tree.n_leaves} leaves, depth {tree.depth}, {rows}. " + visible(_summary(scene))
    return Picture(width, height, title, about, groups)


def _summary(scene: _Scene) -> str:
    words = scene.words
    root = f"answers {words.answer(0)}" if not words.count[0] else f"asks first: {words.question(0)}"
    return f"It {root[:_TITLE]}"


def _tops(heights: list[float], depth: list[int], deepest: int) -> list[float]:
    rows = [0.0] * (deepest + 1)
    for height, d in zip(heights, depth, strict=True):
        rows[d] = max(rows[d], height)
    tops = [0.0]
    for height in rows[:-1]:
        tops.append(tops[-1] + height + _DROP)
    return tops


def _pretty(text: str) -> str:
    return visible(text).replace(" <= ", " ≤ ").replace(" >= ", " ≥ ")


def count_text(weight: float) -> str:
    """Write a weight, thousands apart by thin spaces."""
    text = weight_text(weight)
    whole, dot, rest = text.partition(".")
    if "e" in text or len(whole) <= 4:
        return text
    return f"{int(whole):,}".replace(",", "\u2009") + dot + rest


def _rows_text(weight: float) -> str:
    return "1 row" if weight == 1 else "no rows" if weight == 0 else f"{count_text(weight)} rows"


def _card_text(scene: _Scene, id: int, below: int) -> list[str]:
    """Headline of a card and, if there is room for it, who is there."""
    words = scene.words
    if scene.count[id]:
        head = _pretty(words.question(id))
    elif words.count[id]:
        head = f"▸ {below} leaves"
    else:
        head = _pretty(words.answer(id))
    if not scene.counts:
        return [head]
    rows = _rows_text(words.weight[id])
    if words.count[id] or words.classes is None or not words.weight[id]:
        return [head, rows]
    mix = dict(words.mix(id))
    return [head, f"{rows}   {share_text(mix.get(words.label[id], 0.0) / sum(mix.values()))}"]


def _card_size(scene: _Scene, id: int, texts: list[str]) -> tuple[float, float]:
    leaf = not scene.count[id]
    wide = max(text_width(texts[0], _SIZE) * (1.08 if leaf else 1.0), *(text_width(text, _SMALL) for text in texts[1:]), 48.0)
    histogram = id in scene.histograms
    height = _PAD + _SIZE + 4 + 6 + (_SMALL + 5 if len(texts) > 1 else 0) + _PAD
    height += scene.histograms[id].height if histogram else 0.0
    return min(_WIDEST, max(wide, 110.0 if histogram else 0.0)) + 2 * _PAD, height


def _edge_texts(scene: _Scene, order: Sequence[int]) -> dict[int, str]:
    """What is written at the lines: yes and no at the root, values where there are more branches, ∅ where missing cells go."""
    out = {}
    for id in order:
        if not scene.count[id]:
            continue
        routes = scene.words.missing(id)
        labels = scene.words.branches(id)
        for i, child in enumerate(scene.words.children(id)):
            said = _pretty(labels[i]) if id == 0 or not scene.words.asks(id) or i > 1 else ""
            share = routes[i] if routes else 0.0
            route = "" if not share else "∅" if share == 1.0 else f"∅ {share_text(share)}"
            text = " ".join(part for part in (said, route) if part)
            if text:
                out[child] = fitted(text, _SMALL, _WIDEST)
    return out


def _edge_label(text: str, x: float, y: float) -> list[Shape]:
    wide = text_width(text, _SMALL) + 4
    return [Box(x - wide / 2, y - 8, wide, 11, fill=WHITE, round=2), Text(x, y, text, _SMALL, "middle")]


def node_fill(words: Words, id: int, low: float, high: float) -> str:
    """Colour of a node: the class it says, lighter the less pure it is; for numbers one hue, darker the larger the mean."""
    if words.classes is None:
        span = high - low
        return blend(NUMBERS, 0.08 + 0.42 * ((words.value[id] - low) / span)) if 0 < span < math.inf else blend(NUMBERS, 0.2)
    mix = words.mix(id)
    total = sum(weight for _, weight in mix)
    k = len(words.classes)
    if not words.weight[id] or k < 2 or not total:
        return WHITE
    most = max(weight for _, weight in mix) / total
    return blend(class_color(words.label[id]), 0.4 * max(0.0, (most - 1 / k) / (1 - 1 / k)))


def _pieces(words: Words, id: int) -> list[tuple[str, float]]:
    """The classes of a node as coloured pieces: the first ones each, the rest as one grey piece."""
    out: list[tuple[str, float]] = []
    rest = 0.0
    for k, weight in words.mix(id):
        if class_color(k) == OTHERS:
            rest += weight
        else:
            out.append((class_color(k), weight))
    return [*out, (OTHERS, rest)] if rest else out


def _node_title(words: Words, id: int, below: int) -> str:
    """What a reader is told of a node in full."""
    head = words.question(id) if words.count[id] else f"answer: {words.answer(id)}"
    mix = ""
    if words.classes is not None and words.weight[id]:
        entries = sorted(words.mix(id), key=lambda entry: -entry[1])
        mix = ": " + ", ".join(f"{words.classes[k]} {weight_text(weight)}" for k, weight in entries[:8])
        mix += f" and {len(entries) - 8} more classes" if len(entries) > 8 else ""
    text = f"{head} {words.rows(id)}{mix}" + (f"; {below} leaves below" if words.count[id] else "")
    return visible(text if len(text) <= _TITLE else f"{text[: _TITLE - 1]}…")


def _card(scene: _Scene, id: int, texts: list[str], x: float, y: float, size: tuple[float, float], below: int) -> Group:
    words = scene.words
    width, height = size
    room, leaf = width - 2 * _PAD, not scene.count[id]
    on_path = id in scene.path
    fill = node_fill(words, id, scene.low, scene.high) if leaf else WHITE
    shapes: list[Shape] = [
        Box(x, y, width, height, fill, INK if on_path else "#8c8c8c", 2.0 if on_path else 0.75, 3.0 if leaf else 0.0)
    ]
    at = y + _PAD + _SIZE
    shapes.append(Text(x + _PAD, at, fitted(texts[0], _SIZE, room), _SIZE, bold=leaf))
    at += 4
    if id in scene.histograms:
        shapes += _histogram_shapes(scene, id, x + _PAD, at, room)
        at += scene.histograms[id].height
    if words.classes is not None:
        shapes += stacked(x + _PAD, at, room, 6, _pieces(words, id))
    else:
        shapes += _strip(scene, id, x + _PAD, at, room)
    if len(texts) > 1:
        shapes.append(Text(x + _PAD, at + 6 + _SMALL + 2, fitted(texts[1], _SMALL, room), _SMALL))
    if on_path:
        shapes.append(Box(x + width / 2 - 4, y - 4, 8, 8, fill=INK, round=4))
    return Group(_node_title(words, id, below), shapes)


def _strip(scene: _Scene, id: int, x: float, y: float, width: float) -> list[Shape]:
    """Mean and standard deviation on an axis common to all nodes."""
    words = scene.words
    shapes: list[Shape] = [Path([(x, y + 3), (x + width, y + 3)], 0.5)]
    low, high = scene.axis
    if not 0 < high - low < math.inf:
        return shapes

    def at(value: float) -> float:
        return x + width * ((value - low) / (high - low))

    mean, spread = words.value[id], words.spread(id)
    left, right = at(mean - spread), at(mean + spread)
    return [*shapes, Box(left, y + 1, right - left, 4, fill=blend(NUMBERS, 0.5)), Box(at(mean) - 1, y, 2, 6, fill=INK)]


def _legend(scene: _Scene, x: float, y: float) -> list[Shape]:
    """The classes and their colours; for numbers what the lightness means."""
    words = scene.words
    if words.classes is None:
        if not scene.high > scene.low:
            return []
        text = f"{_pretty(words.tree.target.name)}: light {value_text(scene.low)}, dark {value_text(scene.high)}; bar: mean ± sd"
        return [Text(x, y + 8, fitted(text, _SMALL, 400.0), _SMALL)]
    out: list[Shape] = []
    occurring = [k for k, _ in words.mix(0)]
    named = [k for k in occurring if class_color(k) != OTHERS]
    names = [(class_color(k), fitted(_pretty(str(words.classes[k])), _SMALL, 120.0)) for k in named]
    if len(named) < len(occurring):
        names.append((OTHERS, f"{len(occurring) - len(named)} more classes"))
    for color, name in names:
        out += [Box(x, y, 9, 9, fill=color, line=GREY, line_width=0.5), Text(x + 13, y + 8, name, _SMALL)]
        x += 13 + text_width(name, _SMALL) + 12
    return out


# -- the split column inside a node --------------------------------------------------------------------------------------


def histograms(tree: Tree, words: Words, X: Any, y: Any, ids: Sequence[int]) -> dict[int, Histogram]:
    """How the rows of each node lie on the column it asks about, per class if ``y`` is given."""
    from treewright.model.rules import cells_of

    cells = cells_of(X, tree.schema)
    n_rows = len(cells[0])
    group, n_groups = _groups(words, y, n_rows)
    rows_of = tree.decision_path(X).tocsc()
    out = {}
    for id in ids:
        index = words.column_index(id)
        column = tree.columns[index]
        rows = rows_of.indices[rows_of.indptr[id] : rows_of.indptr[id + 1]]
        values = cells[index][rows].astype(np.float64)
        known = values >= 0 if column.nominal else ~np.isnan(values)
        values, groups = values[known], group[rows][known]
        if not len(values):
            continue
        low, high = (-0.5, len(column.levels) - 0.5) if column.nominal else (float(values.min()), float(values.max()))
        if not column.nominal and not (low < high and math.isfinite(high - low)):
            continue
        bins = len(column.levels) if column.nominal else _BINS
        if bins > 4 * _BINS:
            continue
        where = np.minimum(((values - low) / (high - low) * bins).astype(np.int64), bins - 1)
        table = np.bincount(where * n_groups + groups, minlength=bins * n_groups).reshape(bins, n_groups)
        ends = ("", "") if column.nominal else (column.cut_text(low, low, high, False), column.cut_text(high, low, high, True))
        out[id] = Histogram(low, high, table.tolist(), ends)
    return out


def _groups(words: Words, y: Any, n_rows: int) -> tuple[Any, int]:
    if y is None or words.classes is None:
        return np.zeros(n_rows, np.int64), 1
    place = {label: k for k, label in enumerate(words.classes)}
    labels = np.asarray(y, dtype=object).tolist()
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(labels)}")
    k = len(words.classes)
    return np.array([place.get(label, k) for label in labels], np.int64), k + 1


def _histogram_shapes(scene: _Scene, id: int, x: float, y: float, width: float) -> list[Shape]:
    histogram, words = scene.histograms[id], scene.words
    tallest = max(sum(bin) for bin in histogram.bins)
    wide = width / len(histogram.bins)
    many = words.classes is not None and len(histogram.bins[0]) > 1
    out: list[Shape] = []
    for i, bin in enumerate(histogram.bins):
        top = y + 20
        for k, n in enumerate(bin):
            if n:
                high = 20 * n / tallest
                top -= high
                out.append(Box(x + i * wide, top, wide * 0.9, high, fill=class_color(k) if many else NUMBERS))
    out.append(Path([(x, y + 20), (x + width, y + 20)], 0.5))
    span = histogram.high - histogram.low
    wedges: list[float] = []
    for cut in words.cuts(id):
        at = x + width * (cut - histogram.low) / span
        wedges.append(at)
        out.append(Path([(at, y + 20), (at - 3.5, y + 26), (at + 3.5, y + 26)], 0.5, INK, INK))
    for text, at, anchor, inside in ((histogram.ends[0], x, "start", 1), (histogram.ends[1], x + width, "end", -1)):
        text = fitted(text, 6.5, width / 3)
        reach = at + inside * (text_width(text, 6.5) + 4)
        if text and not any(min(at, reach) - 4 < wedge < max(at, reach) + 4 for wedge in wedges):
            out.append(Text(at, y + 29, text, 6.5, anchor, fill=GREY))
    return out


# -- icicle --------------------------------------------------------------------------------------------------------------


def _icicle(tree: Tree, scene: _Scene, shown: list[int], width: float) -> Picture:
    """Every node as a box as wide as its share of the rows, children below their parent."""
    words = scene.words
    depths = tree._depths.tolist()
    deepest = max(depths[id] for id in shown)
    margin, head = 10.0, 10.0
    legend = _legend(scene, margin, head)
    head += 16.0 if legend else 0.0
    high = max(4.0, min(26.0, 480.0 / (deepest + 1)))
    begin = {0: 0.0}
    scale = (width - 2 * margin) / words.weight[0] if words.weight[0] else 0.0
    below = words.leaves_below()
    groups = [Group("", legend)] if legend else []
    hidden = 0
    for id in shown:
        at = begin[id]
        for child in range(scene.first[id], scene.first[id] + scene.count[id]):
            begin[child] = at
            at += words.weight[child]
        wide = words.weight[id] * scale
        if wide < _THIN and id:
            hidden += 1
            continue
        x, y = margin + begin[id] * scale, head + depths[id] * high
        on_path = id in scene.path
        line = INK if on_path else WHITE
        fill = _icicle_fill(scene, id)
        shapes: list[Shape] = [Box(x, y, wide, high, fill, line, 1.5 if on_path else 0.3)]
        if wide >= 45 and high >= _SMALL + 2:
            said = _pretty(words.question(id) if words.count[id] else words.answer(id))
            if text_width(said, _SMALL) * 0.7 < wide:
                shapes.append(Text(x + 3, y + high / 2 + 3, fitted(said, _SMALL, wide - 6), _SMALL))
        groups.append(Group(_node_title(words, id, below[id]), shapes))
    note = f"width = rows, from the root downwards; {len(shown)} nodes"
    note += f", {hidden} too narrow to be drawn" if hidden else ""
    return _framed(tree, scene, groups, width, head + (deepest + 1) * high + 4, legend, note)


def _icicle_fill(scene: _Scene, id: int) -> str:
    words = scene.words
    if words.classes is None:
        return node_fill(words, id, scene.low, scene.high)
    mix = words.mix(id)
    total = sum(weight for _, weight in mix)
    if not total or not words.weight[id]:
        return WHITE
    k = max(2, len(words.classes))
    most = max(weight for _, weight in mix) / total
    return blend(class_color(words.label[id]), 0.12 + 0.53 * max(0.0, (most - 1 / k) / (1 - 1 / k)))
