"""Class counts beside a node: every class, the most frequent ones, or how many rows.

Where room is short, names are shortened, then letters stand for them, then there are fewer of them; a number is never cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from treewright.show.bars import class_letters
from treewright.show.cells import cells, cut_to
from treewright.table.schema import weight_text

if TYPE_CHECKING:
    from treewright.show.node_text import NodeText

_MANY = 6  # classes written out per line
_LEAST = 3  # columns a shortened name takes; what is shorter is a letter
# How many classes are named, and how wide at most, where each line has classes of its own: the widest first.
_STEPS = ((_MANY, 10**6), (_MANY, 12), (4, 12), (4, 8), (3, 8), (2, 8), (1, 8), (1, _LEAST))


class Counts:
    """The counts of a tree's nodes.

    Attributes
    ----------
    legend : list of (str, str)
        Letters that stand for classes and their names, once :meth:`fitted` had to use them.
    """

    def __init__(self, nodes: NodeText, plain: Callable[[str], str], dots: str = "…") -> None:
        self.nodes = nodes
        self.dots = dots
        self.names = [plain(str(label)) for label in nodes.classes or ()]
        occurring = [k for k, _ in nodes.mix(0)] if nodes.classes is not None else []
        self.columns = occurring if 0 < len(occurring) <= _MANY else []
        self.legend: list[tuple[str, str]] = []

    def text(self, id: int) -> str:
        """The counts of one node, in full."""
        return self._limited(id, *_STEPS[0])

    def fitted(self, ids: Sequence[int], room: Callable[[int], int | None]) -> list[str]:
        """The counts of some nodes; ``room`` tells how wide they may be, given how wide they are in full (None: any width)."""
        if self.columns:
            return self._in_columns(ids, room)
        phrases = [self.text(id) for id in ids]
        free = room(max(map(cells, phrases)))
        return (
            phrases
            if free is None
            else [text if cells(text) <= free else self._shorter(id, free) for id, text in zip(ids, phrases, strict=True)]
        )

    def _in_columns(self, ids: Sequence[int], room: Callable[[int], int | None]) -> list[str]:
        """Every class in its own column."""
        table = self._numbers(ids)
        digits = [max(map(len, column)) for column in table]
        names = [self.names[k] for k in self.columns]
        fixed = sum(digits) + len(names) + 2 * (len(names) - 1)
        free = room(fixed + sum(map(cells, names)))
        if free is not None and free < fixed + sum(map(cells, names)):
            names = self._short_names(names, free - fixed)
            if not names:
                return [self._rows(id, free) for id in ids]
        columns = [[f"{name} {text:>{wide}}" for text in column] for name, column, wide in zip(names, table, digits, strict=True)]
        phrases = list(map("  ".join, zip(*columns, strict=True)))
        if 0.0 in self.nodes.weight:
            phrases = [text if self.nodes.weight[id] else self._rows(id, free) for id, text in zip(ids, phrases, strict=True)]
        return phrases

    def _numbers(self, ids: Sequence[int]) -> list[list[str]]:
        """For every class the texts of its weights."""
        place = {k: j for j, k in enumerate(self.columns)}
        table = [["0"] * len(ids) for _ in self.columns]
        written: dict[float, str] = {}  # few weights, many nodes
        mix = self.nodes.mix
        for at, id in enumerate(ids):
            for k, weight in mix(id):
                if (text := written.get(weight)) is None:
                    text = written[weight] = weight_text(weight)
                table[place[k]][at] = text
        return table

    def _short_names(self, names: list[str], room: int) -> list[str]:
        """Distinct names that take so much room together; letters where they would be too short, or nothing."""
        widest = max(map(cells, names))
        while widest > _LEAST and sum(min(cells(name), widest) for name in names) > room:
            widest -= 1
        short = [cut_to(name, widest, self.dots) for name in names]
        if sum(map(cells, short)) <= room and len(set(short)) == len(names):
            return short
        if room < len(names):
            return []
        letters = class_letters(tuple(names))
        self.legend = list(zip(letters, names, strict=True))
        return letters

    def _shorter(self, id: int, room: int) -> str:
        for most, wide in _STEPS[1:]:
            if cells(phrase := self._limited(id, most, wide)) <= room:
                return phrase
        return self._rows(id, room)

    def _rows(self, id: int, room: int | None) -> str:
        phrase = self.nodes.rows(id)
        if room is None or len(phrase) <= room:
            return phrase
        number = weight_text(self.nodes.weight[id])
        return number if len(number) <= room else self.dots[:room]

    def _limited(self, id: int, most: int, wide: int) -> str:
        if self.nodes.classes is None or not self.nodes.weight[id]:
            return self.nodes.rows(id)
        mix = self.nodes.mix(id)
        named = {k for k, _ in sorted(mix, key=lambda entry: -entry[1])[:most]}
        phrases = [f"{cut_to(self.names[k], wide, self.dots)} {weight_text(weight)}" for k, weight in mix if k in named]
        if rest := len(mix) - len(phrases):
            phrases.append(f"+{rest}" if wide <= _MANY * 2 else f"and {rest} more {'class' if rest == 1 else 'classes'}")
        return "  ".join(phrases)
