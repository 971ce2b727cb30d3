"""A picture as shapes, in points, y downwards: what SVG and matplotlib both draw. Knows nothing of trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from unicodedata import east_asian_width

from treewright.show.cells import cut_question

INK = "#1a1a1a"
GREY = "#767676"
WHITE = "#ffffff"
# Okabe and Ito's colours, told apart by colour-blind people; further classes are grey.
CLASSES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
OTHERS = "#999999"
NUMBERS = "#0072b2"
LEAST = 6.0  # points of the smallest text, as printed


@dataclass(slots=True)
class Box:
    """A rectangle, perhaps with round corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    line: str | None = None
    line_width: float = 0.75
    round: float = 0.0


@dataclass(slots=True)
class Text:
    """A line of text; ``y`` is its base line."""

    x: float
    y: float
    text: str
    size: float
    anchor: str = "start"  # start, middle or end
    bold: bool = False
    fill: str = INK
    room: float = 0.0  # how wide it may be; 0: any width


@dataclass(slots=True)
class Path:
    """A line through points, or a filled polygon; ``curve``: from the first to the last point, leaving and arriving upright."""

    points: list[tuple[float, float]]
    width: float = 1.0
    color: str | None = GREY
    fill: str | None = None
    curve: bool = False


Shape = Box | Text | Path


@dataclass(slots=True)
class Group:
    """Shapes that belong together, and what a reader is told of them."""

    title: str
    shapes: list[Shape] = field(default_factory=list)


@dataclass(slots=True)
class Picture:
    """Shapes on a page of a certain size, with a title and a description for those who cannot see it."""

    width: float
    height: float
    title: str
    about: str
    groups: list[Group]


# Advance of the letters of a wide sans-serif font (DejaVu Sans), in ems.
_WIDTHS = (
    (0.2, "\u2009"),
    (0.29, "ijlI'J"),
    (0.36, " .,:;/\\f-|"),
    (0.41, "tr!()[]"),
    (0.5, '`*"'),
    (0.55, "?szc"),
    (0.64, "aeghbdnopqukvxy0123456789_{}$"),
    (0.7, "ABCEFKLPRSTVXYZ"),
    (0.82, "wDGHNOQU"),
    (0.87, "+=<>≤≥±→×≠∅~^"),
    (1.0, "mM%&@W#…"),
)
_BOLD = 1.13  # how much wider bold letters are


class _Letters(dict[str, float]):
    """Widths of letters; those of other alphabets are found when they are first seen."""

    def __missing__(self, letter: str) -> float:
        wide = self[letter] = 1.0 if east_asian_width(letter) in "WF" else 0.66
        return wide


_WIDTH = _Letters({letter: width for width, letters in _WIDTHS for letter in letters}).__getitem__


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is, about, in a wide sans-serif font: rather too wide than too narrow."""
    wide = size * sum(map(_WIDTH, text))
    return wide * _BOLD if bold else wide


def fitted(text: str, size: float, room: float, bold: bool = False) -> str:
    """Cut the middle out of a text that is wider than ``room``; of a question its name, so that what is asked stays."""
    room += 1e-6  # what was made to fit, fits
    if text_width(text, size, bold) <= room:
        return text
    keep = min(len(text), max(2, int(room / size / 0.3)))
    while keep > 2 and text_width(phrase := cut_question(text, keep), size, bold) > room:
        keep -= 1
    return phrase if keep > 2 else text[:1] + "…"


@lru_cache(4096)
def blend(color: str, share: float) -> str:
    """Mix a colour into white: 0 is white, 1 the colour."""
    channels = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    mixed = [round(255 + (channel - 255) * min(1.0, max(0.0, share))) for channel in channels]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def class_color(k: int) -> str:
    """Return the colour of the class at a position."""
    return CLASSES[k] if k < len(CLASSES) else OTHERS


def stacked(x: float, y: float, width: float, height: float, pieces: Sequence[tuple[str, float]]) -> list[Shape]:
    """Draw a bar of coloured pieces, sized by their weights."""
    if len(pieces) == 1 and pieces[0][1] > 0:
        return [Box(x, y, width, height, pieces[0][0], GREY, 0.5)]
    total = sum([weight for _, weight in pieces])
    out: list[Shape] = []
    at = x
    for color, weight in pieces:
        wide = width * (weight / total) if total > 0 else 0.0
        if wide > 0:
            out.append(Box(at, y, wide, height, fill=color))
        at += wide
    out.append(Box(x, y, width, height, line=GREY, line_width=0.5))
    return out
