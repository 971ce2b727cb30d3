"""The bar at the end of a line: the classes of a node, or its numbers on the scale of the whole tree."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.show.node_text import NodeText
    from treewright.show.text import Marks

BAR = 16
# Blue, orange, green, purple, sky, vermilion, yellow: Okabe and Ito's colours, as near as 256 of them come.
_COLOURS = (32, 214, 36, 175, 74, 166, 228)


def paint(text: str, colour: int) -> str:
    """Colour a text for a terminal by the class at a position."""
    return f"\x1b[38;5;{_COLOURS[colour]}m{text}\x1b[0m" if colour < len(_COLOURS) else text


def bar_of(nodes: NodeText, marks: Marks, color: bool) -> Callable[[int], str] | None:
    """The bar of every node; None where it would say nothing."""
    if nodes.classes is None:
        return _range_bar(nodes, marks)
    k = len([1 for _, weight in nodes.mix(0) if weight > 0])
    return None if k < 2 or k > 26 else _share_bar(nodes, marks, color)


def bar_legend(nodes: NodeText, marks: Marks) -> str:
    """What the bars show."""
    if nodes.classes is None:
        low, high = _range(nodes)
        return f"bar: {marks.full} mean, {marks.half} one standard deviation, from {low:.4g} to {high:.4g}"
    occurring = [k for k, _ in nodes.mix(0)]
    names = [str(label) for label in nodes.classes]
    if len(occurring) == 2:
        return f"bar: {marks.full} {names[occurring[1]]}, {marks.none} {names[occurring[0]]}"
    letters = class_letters(nodes.classes)
    return "bar: " + ", ".join(f"{letters[k]} {names[k]}" for k in occurring)


def class_letters(classes: tuple[Any, ...]) -> list[str]:
    """Give every class a letter of its own, from its name where that is possible."""
    taken: set[str] = set()
    spare = iter("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    out = []
    for label in classes:
        name = [ch for ch in str(label) if ch.isascii() and ch.isalnum()]
        letter = next((ch for ch in name if ch not in taken), None) or next((ch for ch in spare if ch not in taken), "?")
        taken.add(letter)
        out.append(letter)
    return out


def _share_bar(nodes: NodeText, marks: Marks, color: bool) -> Callable[[int], str]:
    """Two classes: the share of the second. More: every class by its letter."""
    occurring = [k for k, _ in nodes.mix(0)]
    two = len(occurring) == 2
    letters = class_letters(nodes.classes or ())
    if two:
        letters[occurring[0]], letters[occurring[1]] = marks.none, marks.full

    def bar(id: int) -> str:
        mix = nodes.mix(id)
        if not nodes.weight[id]:
            return ""
        total = sum([weight for _, weight in mix])
        widths = shared_out([weight / total for _, weight in mix], BAR)
        pieces = [(k, letters[k] * n) for (k, _), n in zip(mix, widths, strict=True) if n]
        if two:
            pieces.reverse()  # the second class first, so that the bar grows with its share
        return "".join([paint(text, k) if color else text for k, text in pieces])

    return bar


def shared_out(shares: list[float], cells: int) -> list[int]:
    """Divide a number of cells by shares; as long as there is room, who has any share has a cell."""
    out = [round(cells * share) for share in shares]
    if len(out) * 2 <= cells:
        out = [n or 1 for n in out]
    while (extra := sum(out) - cells) != 0:
        most = max(range(len(out)), key=out.__getitem__)
        out[most] -= 1 if extra > 0 else -1
    return out


def _range(nodes: NodeText) -> tuple[float, float]:
    """From the least to the largest mean, with their standard deviations."""
    every = range(len(nodes.value))
    return min(nodes.value[id] - nodes.spread(id) for id in every), max(nodes.value[id] + nodes.spread(id) for id in every)


def _range_bar(nodes: NodeText, marks: Marks) -> Callable[[int], str] | None:
    """Mean and standard deviation of the node on the scale of the whole tree."""
    spread = [nodes.spread(id) for id in range(len(nodes.value))]
    low, high = _range(nodes)
    if not all(map(math.isfinite, nodes.value)):
        return None
    step = (high / BAR) - (low / BAR)  # halves, lest the width of the range overflow
    if not 0 < step < float("inf"):
        return None

    def place(value: float) -> int:
        return min(BAR - 1, max(0, int(value / step - low / step)))

    @lru_cache(BAR**3)
    def drawn(first: int, mean: int, last: int) -> str:
        left = marks.none * first + marks.half * (mean - first)
        return left + marks.full + marks.half * (last - mean) + marks.none * (BAR - 1 - last)

    def bar(id: int) -> str:
        mean, off = nodes.value[id], spread[id]
        return drawn(place(mean - off), place(mean), place(mean + off))

    return bar
