"""A tree drawn with characters: one line per node with its test, its rows, and a bar of the classes or of the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from treewright.errors import counted, drawn_depth, isolated, visible
from treewright.show.bars import BAR, bar_legend, bar_of, paint
from treewright.show.cells import ODD, cells, cut_question, cut_to
from treewright.show.counts import Counts
from treewright.show.node_text import NodeText

if TYPE_CHECKING:
    from treewright.model.node import Node
    from treewright.model.tree import Tree

_GUIDES = 40  # levels of indentation drawn; deeper nodes say how deep they are
_WRAPPED: dict[str, Any] = {"subsequent_indent": "   ", "break_on_hyphens": False}
_WIDEST = 200  # cells of a column that is given all the room it wants


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


def node_line(node: Node) -> str:
    """One line about a node: its question or its answer, and its rows."""
    nodes = NodeText(node.tree, one=True)
    head = f"→ {nodes.answer(node.id)}" if node.is_leaf else nodes.question(node.id)
    return isolated(visible(f"{head}  {Counts(nodes, visible).text(node.id)}"))


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
    nodes, marks = NodeText(tree, exact=exact), ASCII if ascii else UNICODE
    plain = _as_ascii if ascii else visible
    size = len if ascii or _narrow(tree) else cells
    lines = _lines(nodes, marks, max_depth, plain, notes or {})
    bar = bar_of(nodes, marks, color)
    total = _WIDEST * 2 if width is None else max(20, width)
    wanted = max([len(before) + size(edge) + size(phrase) + 4 for _, before, edge, phrase, _ in lines])
    bar_width = 0

    def room(longest: int) -> int | None:
        # The bar says again what the counts say: it goes first where room is short.
        nonlocal bar, bar_width
        needed = wanted + longest + 2
        if needed + BAR + 2 > total and (needed <= total or total < 100):
            bar = None
        bar_width = 0 if bar is None else BAR + 2
        if width is None:
            return None
        return min(longest, max((total - bar_width) * 2 // 5, total - bar_width - 2 - wanted))

    ids = [line[0] for line in lines]
    kinds, kind_of = (ids, range(len(ids))) if nodes.classes is None else nodes.alike(ids)
    counts = Counts(nodes, plain, marks.dots)
    middle = counts.fitted(kinds, room)
    middle_width = max(map(size, middle))
    if bar is not None:
        middle = [text + " " * (middle_width - size(text) + 2) + bar(id) for text, id in zip(middle, kinds, strict=True)]
    middle = [text.rstrip() for text in middle]
    free = total - bar_width - middle_width - 2
    left = _left_column(lines, marks, size, None if width is None else free, min(_arrow(lines, size), free * 2 // 3))
    left_width = max(map(size, left)) + 2
    pads = [left_width - size(text) for text in left]
    if color and nodes.classes is not None:
        left = [_painted(text, line, nodes.label[line[0]]) for text, line in zip(left, lines, strict=True)]
    out = [text + " " * pad + middle[kind] for text, pad, kind in zip(left, pads, kind_of, strict=True)]
    out += [cut_to(f"{letter} = {name}", total, marks.dots) for letter, name in counts.legend]
    if bar is not None and nodes.count[0]:
        out.append(cut_to(plain(bar_legend(nodes, marks)), total, marks.dots))
    drawn_ = "\n".join([*out, *_equations(nodes, set(ids), plain, width)])
    return drawn_ if size is len else isolated(drawn_)


def _painted(text: str, line: _Line, label: int) -> str:
    """A line whose answer is in the colour of its class."""
    _, _, _, answer, asks = line
    return text if asks or not answer or not text.endswith(answer) else text[: -len(answer)] + paint(answer, label)


def _equations(nodes: NodeText, drawn: set[int], plain: Callable[[str], str], width: int | None) -> list[str]:
    """The linear models that are named by their number in the tree, as many lines as they take."""
    notes = [
        f"LM {n}: {text}" if nodes.classes is not None else f"LM {n}: {nodes.tree.target.name} = {text}"
        for n, id, text in nodes.leaf_texts.numbered
        if id in drawn and nodes.leaf_texts.names[id] != text
    ]
    if nodes.tree.leaf_model.note and nodes.tree.n_splits:
        notes.append(nodes.tree.leaf_model.note)
    if not notes:
        return []
    lines = list(map(plain, notes))
    return ["", *lines] if width is None else ["", *(piece for line in lines for piece in wrap(line, max(20, width), **_WRAPPED))]


def _narrow(tree: Tree) -> bool:
    """Whether every character of every name takes one column."""
    names = (str(word) for column in tree.columns for word in (column.name, *column.levels))
    return not any(map(ODD.search, names)) and not any(ODD.search(str(label)) for label in tree.target.classes or ())


# Node, guides before it, edge that leads to it, its question, what is hidden, or its answer; whether it is no answer.
_Line = tuple[int, str, str, str, bool]


def _lines(
    nodes: NodeText, marks: Marks, max_depth: int | None, plain: Callable[[str], str], notes: Mapping[int, str]
) -> list[_Line]:
    below = nodes.descendants() if max_depth is not None else []
    blank = " " * len(marks.pipe)
    keep = _GUIDES * len(marks.pipe)
    lines: list[_Line] = []
    open_: list[tuple[int, int, str, str, str]] = [(0, 0, "", "", "")]
    answers = None if nodes.classes is None or nodes.tree.leaf_model.computed else [plain(str(label)) for label in nodes.classes]
    first, count, label, by_hand = nodes.first, nodes.count, nodes.label, nodes.tree.by_hand
    while open_:
        id, depth, edge, guides, join = open_.pop()
        before = guides + join if depth <= _GUIDES else f"{marks.dots}{depth} {(guides + join)[-keep:]}"
        n = count[id]
        if not n:
            answer = plain(nodes.answer(id)) if answers is None else answers[label[id]]
            lines.append((id, before, edge, f"{answer} ({by_hand[id]})" if id in by_hand else answer, False))
            continue
        if max_depth is not None and depth >= max_depth:
            lines.append((id, before, edge, f"{marks.dots} {counted(below[id], 'more node')}", True))
            continue
        question = nodes.question(id) + notes[id] if id in notes else nodes.question(id)
        question = f"{question} ({by_hand[id]})" if id in by_hand else question
        lines.append((id, before, edge, plain(question), True))
        edges = nodes.edges(id)
        # Guides beyond the deepest that is drawn are dropped at once: long chains stay linear.
        inner = (guides + (blank if join == marks.corner else marks.pipe))[-keep:] if depth else ""
        joint = marks.corner
        for i in range(n - 1, -1, -1):
            open_.append((first[id] + i, depth + 1, plain(edges[i]), inner, joint))
            joint = marks.tee
    return lines


def _arrow(lines: list[_Line], size: Callable[[str], int]) -> int:
    """The column in which the lines that lead to answers end."""
    return max([len(before) + size(edge) + 2 for _, before, edge, _, asks in lines if not asks], default=0)


def _left_column(lines: list[_Line], marks: Marks, size: Callable[[str], int], room: int | None, arrow: int) -> list[str]:
    """Put the left column of every line together; with ``room``, what is too long is cut in the middle."""
    tip = len(marks.arrow)
    most = room // 2 if room is not None else -1
    out = []
    for _, before, edge, phrase, asks in lines:
        if room is not None and len(before) > most:
            before = marks.dots + before[len(marks.dots) - most :]
        start = len(before) + size(edge)
        if room is not None and start + size(phrase) + (3 if asks else 2 + tip) > room:
            out.append(_cut_left(before, edge, phrase, asks, marks, arrow, room, size))
        elif asks:
            out.append(f"{before}{edge}   {phrase}" if edge else before + phrase)
        elif edge:
            out.append(_to_arrow(before, edge, marks.arrow + phrase, marks, arrow, room, size))
        else:
            out.append(before + marks.arrow + phrase)
    return out


def _to_arrow(before: str, edge: str, answer: str, marks: Marks, arrow: int, room: int | None, size: Callable[[str], int]) -> str:
    """The line leads to the arrows' common column, or just a little way where the answer would not fit behind it."""
    start = len(before) + size(edge) + 1
    end = arrow if room is None else min(arrow, room - size(answer))
    return f"{before}{edge} {marks.dash * max(1, end - start)}{answer}"


def _cut_left(
    before: str, edge: str, phrase: str, asks: bool, marks: Marks, arrow: int, room: int, size: Callable[[str], int]
) -> str:
    free = room - len(before)
    if asks:
        edge, phrase = _cut_pair(edge, phrase, free, marks.dots)
        return f"{before}{edge}   {phrase}" if edge else before + phrase
    answer = marks.arrow + (phrase.rpartition(" ± ")[0] or phrase)  # how far answers are off goes first
    if size(edge) + size(answer) + 2 > free:
        answer = cut_to(answer, max(free // 2, free - size(edge) - 2), marks.dots)
        edge = cut_to(edge, max(0, free - size(answer) - 2), marks.dots)
    return _to_arrow(before, edge, answer, marks, arrow, room, size) if edge else before + answer


def _cut_pair(edge: str, question: str, room: int, dots: str) -> tuple[str, str]:
    if not edge:
        return edge, cut_question(question, room, dots)
    free = room - 3
    edge = cut_to(edge, max(free // 3, free - cells(question)), dots)
    return edge, cut_question(question, max(0, free - cells(edge)), dots)


def _as_ascii(text: str) -> str:
    return visible(text).encode("ascii", "backslashreplace").decode()
