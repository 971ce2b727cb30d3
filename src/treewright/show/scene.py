"""What is in view of a drawn tree, and what every drawing of it shares: colours, words, legend and frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from textwrap import wrap
from typing import TYPE_CHECKING

from treewright.errors import counted, visible
from treewright.show.histogram import Histogram
from treewright.show.node_text import NodeText
from treewright.show.picture import (
    CLASSES,
    GREY,
    NUMBERS,
    OTHERS,
    WHITE,
    Box,
    Group,
    Picture,
    Shape,
    Text,
    blend,
    class_color,
    fitted,
    text_width,
)
from treewright.table.schema import value_text, weight_text

if TYPE_CHECKING:
    from treewright.model.tree import Tree


SIZE, SMALL = 10.0, 8.0  # points of text
BARE_FROM = 40  # leaves beyond which cards say no counts
_TITLE = 300  # characters
_STEPS = 24  # of a scale of colours
_KEYS = 20  # lines of equations that are written below a picture
_KEY_WIDTH = 440.0  # points they need


@dataclass(slots=True)
class Scene:
    """What is drawn of a tree: the nodes in view and everything one needs to say about them."""

    nodes: NodeText
    first: Sequence[int]
    count: Sequence[int]  # children in view
    path: set[int]
    histograms: dict[int, Histogram] = field(default_factory=dict)
    counts: bool = True
    answers: bool = False  # whether nodes whose children are not in view say what they would answer
    low: float = 0.0  # of the means of a numeric target
    high: float = 0.0
    axis: tuple[float, float] = (0.0, 0.0)  # the same with their standard deviations
    heads: dict[int, str] = field(default_factory=dict)  # what was said of nodes

    def in_view(self) -> list[int]:
        """The nodes in view, from the first branch to the last."""
        out, open_ = [], [0]
        while open_:
            id = open_.pop()
            out.append(id)
            begin, n = self.first[id], self.count[id]
            open_.extend(range(begin + n - 1, begin - 1, -1) if n else ())
        return out

    def key(self) -> list[str]:
        """What the numbers of linear models in view stand for."""
        texts = self.nodes.leaf_texts
        if not texts.numbered:
            return []
        view = set(self.in_view())
        named = [(n, id, text) for n, id, text in texts.numbered if id in view and texts.names[id] != text]
        name = "" if self.nodes.classes is not None else f"{self.nodes.tree.target.name} = "
        return [f"LM {n}: {name}{text}" for n, _, text in named]

    def head(self, id: int) -> str:
        """The question of a node, or its answer."""
        if (phrase := self.heads.get(id)) is None:
            phrase = self.heads[id] = self.nodes.question(id) if self.nodes.count[id] else self.nodes.answer(id)
        return phrase


def pretty(text: str) -> str:
    """Write what a card says: harmless, with signs of comparison as in print."""
    return visible(text).replace(" <= ", " ≤ ").replace(" >= ", " ≥ ")


def count_text(weight: float) -> str:
    """Write a weight, thousands apart by thin spaces."""
    text = weight_text(weight)
    whole, dot, rest = text.partition(".")
    if "e" in text or len(whole) <= 4:
        return text
    return f"{int(whole):,}".replace(",", "\u2009") + dot + rest


def rows_text(weight: float) -> str:
    """Say how many rows there are."""
    return "1 row" if weight == 1 else "no rows" if weight == 0 else f"{count_text(weight)} rows"


def node_fill(nodes: NodeText, id: int, low: float, high: float) -> str:
    """Colour of a node: the class it says, lighter the less pure it is; for numbers one hue, darker the larger the mean."""
    if nodes.classes is None:
        return number_fill(nodes.value[id], low, high)
    mix = nodes.mix(id)
    total = sum(weight for _, weight in mix)
    k = len(nodes.classes)
    if not nodes.weight[id] or k < 2 or not total:
        return WHITE
    return class_fill(nodes.label[id], max(weight for _, weight in mix) / total, k)


def number_fill(value: float, low: float, high: float) -> str:
    """Colour of a number: one hue, darker the larger it is between two others."""
    span = high - low
    return blend(NUMBERS, 0.05 + 0.57 * ((value - low) / span)) if 0 < span < math.inf else blend(NUMBERS, 0.2)


def class_fill(label: int, share: float, k: int) -> str:
    """Colour of one of ``k`` classes, lighter the smaller its share."""
    return blend(class_color(label), 0.4 * max(0.0, (share - 1 / k) / (1 - 1 / k)))


def class_pieces(nodes: NodeText, id: int) -> list[tuple[str, float]]:
    """The classes of a node as coloured pieces: the first ones each, the rest as one grey piece."""
    mix = nodes.mix(id)
    out = [(CLASSES[k], weight) for k, weight in mix if k < len(CLASSES)]
    if len(out) == len(mix):
        return out
    return [*out, (OTHERS, sum(weight for k, weight in mix if k >= len(CLASSES)))]


_weight = itemgetter(1)


def node_title(scene: Scene, id: int, below: int) -> str:
    """What a reader is told of a node in full."""
    nodes = scene.nodes
    head = scene.head(id) if nodes.count[id] else f"answer: {scene.head(id)}"
    mix = ""
    if nodes.classes is not None and nodes.weight[id]:
        entries = sorted(nodes.mix(id), key=_weight, reverse=True)
        mix = ": " + ", ".join(f"{nodes.classes[k]} {weight_text(weight)}" for k, weight in entries[:8])
        mix += f" and {counted(len(entries) - 8, 'more class', 'more classes')}" if len(entries) > 8 else ""
    text = f"{head} {nodes.rows(id)}{mix}" + (f"; {counted(below, 'leaf', 'leaves')} below" if nodes.count[id] else "")
    return visible(text if len(text) <= _TITLE else f"{text[: _TITLE - 1]}…")


def legend(scene: Scene, x: float, y: float) -> list[Shape]:
    """The classes and their colours; for numbers what the lightness means."""
    nodes = scene.nodes
    if nodes.classes is None:
        if not scene.high > scene.low:
            return []
        return ramp(f"mean of {pretty(nodes.tree.target.name)}", scene.low, scene.high, x, y, "bar: mean ± sd")
    out: list[Shape] = []
    occurring = [k for k, _ in nodes.mix(0)]
    named = [k for k in occurring if class_color(k) != OTHERS]
    names = [(class_color(k), fitted(pretty(str(nodes.classes[k])), SMALL, 120.0)) for k in named]
    if len(named) < len(occurring):
        names.append((OTHERS, counted(len(occurring) - len(named), "more class", "more classes")))
    for color, name in names:
        out += [Box(x, y, 9, 9, fill=color, line=GREY, line_width=0.5), Text(x + 13, y + 8, name, SMALL)]
        x += 13 + text_width(name, SMALL) + 12
    return out


def ramp(name: str, low: float, high: float, x: float, y: float, more: str = "") -> list[Shape]:
    """Which colour is which number: the colours between two numbers, with these beside them."""
    out: list[Shape] = []

    def write(text: str) -> None:
        nonlocal x
        out.append(Text(x, y + 8, text, SMALL))
        x += text_width(text, SMALL) + 6

    write(fitted(name, SMALL, 240.0))
    write(value_text(float(f"{low:.4g}")))
    for step in range(_STEPS):
        out.append(Box(x + 4 * step, y, 4.2, 9, fill=number_fill(step, 0, _STEPS - 1)))
    x += 4 * _STEPS + 6
    write(value_text(float(f"{high:.4g}")))
    if more:
        x += 6
        write(more)
    return out


def framed(tree: Tree, scene: Scene, signs: list[Shape], groups: list[Group], size: tuple[float, float], note: str) -> Picture:
    """Put legend, drawing and note on a page that holds them all."""
    width, height = size
    reach = [sign.x + text_width(sign.text, sign.size) for sign in signs if isinstance(sign, Text)]
    width = max([width, 120.0, *(at + 10 for at in reach)])
    groups = [Group("", signs), *groups]
    if note:
        groups.append(Group("", [Text(10, height + 8, fitted(note, SMALL, width - 20), SMALL, fill=GREY)]))
        height += 16
    if key := scene.key():
        wide = max(width, _KEY_WIDTH)
        letters = int((wide - 20) / SMALL / 0.62)  # about
        lines = [line for text in key for line in wrap(pretty(text), letters, subsequent_indent="\u2003", break_on_hyphens=False)]
        if len(lines) > _KEYS:
            lines = ["equations: to_text()"]
        else:
            width = wide
        groups.append(Group("", [Text(10, height + 8 + 11 * i, line, SMALL, room=width - 20) for i, line in enumerate(lines)]))
        height += 11 * len(lines) + 6
    rows = scene.nodes.rows(0)
    title = visible(f"Decision tree for {tree.target.name[:_TITLE]}")
    about = (
        f"{counted(tree.n_nodes, 'node')}, {counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}, {rows}. "
        + visible(_summary(scene))
    )
    return Picture(width, height, title, about, groups)


def _summary(scene: Scene) -> str:
    nodes = scene.nodes
    root = f"answers {nodes.answer(0)}" if not nodes.count[0] else f"asks first: {nodes.question(0)}"
    return f"It {root[:_TITLE]}"
