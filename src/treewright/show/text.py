"""A tree drawn with characters: one line a node, what is asked, who is there, and a bar of the classes or of the target."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from treewright.errors import drawn_depth, visible
from treewright.show.words import Words
from treewright.table.schema import weight_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from treewright.model.node import Node
    from treewright.model.tree import Tree

_BAR = 16
_MANY = 6  # classes written out per line
_GUIDES = 40  # levels of indentation drawn; deeper nodes say how deep they are
_WIDEST = 200  # cells of a column that is given all the room it wants
# Blue, orange, green, purple, sky, vermilion, yellow: Okabe and Ito's colours, as near as 256 of them come.
_COLOURS = (32, 214, 36, 175, 74, 166, 228)


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters a tree is drawn with."""

    tee: str
    corner: str
    pipe: str
    dash: str
    arrow: str
    dots: str
    full: str
    half: str
    none: str


UNICODE = Marks("├─ ", "└─ ", "│  ", "─", "→ ", "…", "█", "▒", "░")
ASCII = Marks("|- ", "`- ", "|  ", "-", "> ", "...", "#", "-", ".")


# Where wide and combining characters live, and many others; outside these ranges every character takes one column.
_ODD = re.compile("[\u0300-\u1fff\u2300-\u23ff\u2600-\u27ff\u2b00-\u2bff\u2e80-\U0010ffff]")


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii() or _ODD.search(text) is None:
        return len(text)
    return sum(0 if combining(ch) else 2 if east_asian_width(ch) in "WF" else 1 for ch in text)


def cut_to(text: str, room: int, dots: str = "…") -> str:
    """Cut the middle out of a text that takes more than ``room`` columns."""
    if len(text) * 2 <= room or cells(text) <= room:
        return text
    keep = max(0, room - len(dots))
    head = _prefix(text, keep - keep // 3)
    tail = _prefix(text[::-1], keep // 3)[::-1]
    return f"{head}{dots}{tail}" if room >= len(dots) else dots[:room]


def _prefix(text: str, room: int) -> str:
    text = text[:room]
    while cells(text) > room:
        text = text[:-1]
    return text


def _right(texts: Sequence[str]) -> list[str]:
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts]


def node_line(node: Node) -> str:
    """One line about a node: its question or its answer, and its rows."""
    words = Words(node.tree, one=True)
    head = f"→ {words.answer(node.id)}" if node.is_leaf else words.question(node.id)
    return visible(f"{head}  {_Counts(words).text(node.id)}")


def tree_text(
    tree: Tree,
    max_depth: int | None = None,
    ascii: bool = False,
    width: int | None = 120,
    color: bool = False,
    notes: Mapping[int, str] | None = None,
    exact: bool = False,
) -> str:
    """Draw the tree, with notes behind the questions of nodes; see ``Tree.to_text``."""
    drawn_depth(max_depth)
    words, marks = Words(tree, exact=exact), ASCII if ascii else UNICODE
    plain = _as_ascii if ascii else visible
    size = len if ascii or _narrow(tree) else cells
    lines = _lines(words, marks, max_depth, plain, notes or {})
    middle = [plain(text) for text in _Counts(words).texts([line[0] for line in lines])]
    bar = _bar(words, marks, color)
    total = _WIDEST * 2 if width is None else max(20, width)
    longest = max(map(size, middle))
    # The bar says again what the counts say: it goes first where room is short.
    wanted = max(len(before) + size(edge) + size(question) + size(answer) + 4 for _, before, edge, question, answer in lines)
    needed = wanted + longest + 2
    if needed + _BAR + 2 > total and (needed <= total or total < 100):
        bar = None
    bar_width = 0 if bar is None else _BAR + 2
    middle_width = min(longest, max((total - bar_width) * 2 // 5, total - bar_width - 2 - wanted))
    room = total - bar_width - middle_width - 2
    arrow = max((len(before) + size(edge) + 2 for _, before, edge, question, _ in lines if not question), default=0)
    left = [_left(line, marks, min(arrow, room * 2 // 3), None if width is None else room, size) for line in lines]
    left_width = min(max(map(size, left)), room)
    if longest > middle_width and width is not None:
        middle = [cut_to(text, middle_width, marks.dots) for text in middle]
    out = []
    for (id, _, _, question, answer), text, says in zip(lines, left, middle, strict=True):
        pad = " " * (left_width - size(text) + 2)
        if color and not question and answer and words.classes is not None and text.endswith(answer):
            text = text[: -len(answer)] + _paint(answer, words.label[id])
        end = "" if bar is None else " " * (middle_width - size(says) + 2) + bar(id)
        out.append(f"{text}{pad}{says}{end}".rstrip())
    return "\n".join([*out, *_equations(words, {line[0] for line in lines}, plain)])


def _equations(words: Words, drawn: set[int], plain: Callable[[str], str]) -> list[str]:
    """The linear models that are named by their number in the tree, in full."""
    said = [
        f"LM {n}: {text}" if words.classes is not None else f"LM {n}: {words.tree.target.name} = {text}"
        for n, id, text in words.models
        if id in drawn and words.equations[id] != text
    ]
    return ["", *map(plain, said)] if said else []


def _narrow(tree: Tree) -> bool:
    """Whether every character of every name takes one column."""
    names = (str(word) for column in tree.columns for word in (column.name, *column.levels))
    return not any(map(_ODD.search, names)) and not any(_ODD.search(str(label)) for label in tree.target.classes or ())


# Node, guides before it, edge that leads to it, its question or what is hidden (empty for a leaf), its answer.
_Line = tuple[int, str, str, str, str]


def _lines(
    words: Words, marks: Marks, max_depth: int | None, plain: Callable[[str], str], notes: Mapping[int, str]
) -> list[_Line]:
    below = words.descendants() if max_depth is not None else []
    blank = " " * len(marks.pipe)
    keep = _GUIDES * len(marks.pipe)
    lines = []
    open_: list[tuple[int, int, str, str, str]] = [(0, 0, "", "", "")]
    while open_:
        id, depth, edge, guides, join = open_.pop()
        before = guides + join if depth <= _GUIDES else f"{marks.dots}{depth} {(guides + join)[-keep:]}"
        n = words.count[id]
        if not n:
            lines.append((id, before, edge, "", plain(words.answer(id))))
            continue
        if max_depth is not None and depth >= max_depth:
            lines.append((id, before, edge, f"{marks.dots} {below[id]} more nodes", ""))
            continue
        lines.append((id, before, edge, plain(words.question(id) + notes.get(id, "")), ""))
        edges = words.edges(id)
        # Guides beyond the deepest that is drawn are dropped at once: long chains stay linear.
        inner = (guides + (blank if join == marks.corner else marks.pipe))[-keep:] if depth else ""
        joint = marks.corner
        for i in range(n - 1, -1, -1):
            open_.append((words.first[id] + i, depth + 1, plain(edges[i]), inner, joint))
            joint = marks.tee
    return lines


def _left(line: _Line, marks: Marks, arrow: int, room: int | None, size: Callable[[str], int]) -> str:
    """Put the left column of a line together; with ``room``, what is too long is cut in the middle."""
    _, before, edge, question, answer = line
    if room is not None and len(before) > room // 2:
        before = marks.dots + before[-(room // 2 - len(marks.dots)) :]
    if question:
        if room is not None and len(before) + size(edge) + size(question) + 3 > room:
            edge, question = _cut_pair(edge, question, room - len(before), marks.dots)
        return f"{before}{edge}   {question}" if edge else before + question
    answer = marks.arrow + answer
    if room is not None:
        free = room - len(before)
        if size(edge) + size(answer) + 2 > free:
            answer = cut_to(answer, max(free // 2, free - size(edge) - 2), marks.dots)
            edge = cut_to(edge, max(0, free - size(answer) - 2), marks.dots)
    if not edge:
        return before + answer
    # The line leads to the arrows' common column, or just a little way where the answer would not fit behind it.
    start = len(before) + size(edge) + 1
    end = arrow if room is None else min(arrow, room - size(answer))
    return f"{before}{edge} {marks.dash * max(1, end - start)}{answer}"


def _cut_pair(edge: str, question: str, room: int, dots: str) -> tuple[str, str]:
    if not edge:
        return edge, cut_to(question, room, dots)
    free = room - 3
    edge = cut_to(edge, max(free // 3, free - cells(question)), dots)
    return edge, cut_to(question, max(0, free - cells(edge)), dots)


def _as_ascii(text: str) -> str:
    return visible(text).encode("ascii", "backslashreplace").decode()


class _Counts:
    """Who is in a node: every class in its own column where they are few, the most frequent ones otherwise, or how many rows."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.names = [str(label) for label in words.classes or ()]
        occurring = [k for k, _ in words.mix(0)] if words.classes is not None else []
        self.columns = occurring if 0 < len(occurring) <= _MANY else []

    def texts(self, ids: list[int]) -> list[str]:
        if not self.columns:
            return [self.text(id) for id in ids]
        written = lru_cache(65_536)(weight_text)  # few weights, many nodes
        place = {k: j for j, k in enumerate(self.columns)}
        table = [["0"] * len(ids) for _ in self.columns]
        for at, id in enumerate(ids):
            for k, weight in self.words.mix(id):
                table[place[k]][at] = written(weight)
        heads = [f"{self.names[k]} " for k in self.columns]
        padded = [[head + text for text in _right(column)] for head, column in zip(heads, table, strict=True)]
        said = map("  ".join, zip(*padded, strict=True))
        return [text if self.words.weight[id] else "no rows" for id, text in zip(ids, said, strict=True)]

    def text(self, id: int) -> str:
        if self.words.classes is None or not self.words.weight[id]:
            return self.words.rows(id)
        mix = self.words.mix(id)
        most = {k for k, _ in sorted(mix, key=lambda entry: -entry[1])[:_MANY]}
        said = [f"{self.names[k]} {weight_text(weight)}" for k, weight in mix if k in most]
        rest = len(mix) - len(said)
        return "  ".join(said) + (f"  and {rest} more {'class' if rest == 1 else 'classes'}" if rest else "")


def _paint(text: str, colour: int) -> str:
    return f"\x1b[38;5;{_COLOURS[colour]}m{text}\x1b[0m" if colour < len(_COLOURS) else text


def _bar(words: Words, marks: Marks, color: bool) -> Callable[[int], str] | None:
    if words.classes is None:
        return _range_bar(words, marks)
    k = len([1 for _, weight in words.mix(0) if weight > 0])
    if k < 2 or k > 26:
        return None
    return _share_bar(words, marks, color)


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


def _share_bar(words: Words, marks: Marks, color: bool) -> Callable[[int], str]:
    """Two classes: the share of the second. More: every class by its letter."""
    occurring = [k for k, _ in words.mix(0)]
    two = len(occurring) == 2
    letters = class_letters(words.classes or ())
    if two:
        letters[occurring[0]], letters[occurring[1]] = marks.none, marks.full

    @lru_cache(65_536)
    def drawn(mix: tuple[tuple[int, float], ...]) -> str:
        total = sum([weight for _, weight in mix])
        widths = shared_out([weight / total for _, weight in mix], _BAR)
        pieces = [(k, letters[k] * n) for (k, _), n in zip(mix, widths, strict=True) if n]
        if two:
            pieces.reverse()  # the second class first, so that the bar grows with its share
        return "".join([_paint(text, k) if color else text for k, text in pieces])

    def bar(id: int) -> str:
        return drawn(tuple(words.mix(id))) if words.weight[id] else ""

    return bar


def shared_out(shares: list[float], cells: int) -> list[int]:
    """Divide a number of cells by shares; as long as there is room, who has any share has a cell."""
    out = [round(cells * share) for share in shares]
    if len(out) * 2 <= cells:
        out = [max(1, n) for n in out]
    while (extra := sum(out) - cells) != 0:
        most = max(range(len(out)), key=out.__getitem__)
        out[most] -= 1 if extra > 0 else -1
    return out


def _range_bar(words: Words, marks: Marks) -> Callable[[int], str] | None:
    """Mean and standard deviation of the node on the scale of the whole tree."""
    n = len(words.value)
    spread = [words.spread(id) for id in range(n)]
    low = min(words.value[id] - spread[id] for id in range(n))
    high = max(words.value[id] + spread[id] for id in range(n))
    if not all(map(math.isfinite, words.value)):
        return None
    step = (high / _BAR) - (low / _BAR)  # halves, lest the width of the range overflow
    if not 0 < step < float("inf"):
        return None

    def place(value: float) -> int:
        return min(_BAR - 1, max(0, int(value / step - low / step)))

    @lru_cache(_BAR**3)
    def drawn(first: int, mean: int, last: int) -> str:
        left = marks.none * first + marks.half * (mean - first)
        return left + marks.full + marks.half * (last - mean) + marks.none * (_BAR - 1 - last)

    def bar(id: int) -> str:
        mean, off = words.value[id], spread[id]
        return drawn(place(mean - off), place(mean), place(mean + off))

    return bar
