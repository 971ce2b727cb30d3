"""What ``monotonic_cst=`` and ``interaction_cst=`` say of the nodes of a tree: bounds of answers, and columns on the way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import shown
from treewright.learn.constraints import within
from treewright.model.splits import FAMILIES
from treewright.table import ColumnSchema

_CLOSE = 1e-9  # of the larger of two answers: so close they are equal
_ORDERED = tuple(FAMILIES.index(name) for name in ("threshold", "presence"))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node lies: the columns on the way to it, and the bounds of what may be answered below."""

    way: frozenset[int] = frozenset()
    low: float = -math.inf
    high: float = math.inf

    def tell(self, settings: _core.GrowSettings) -> None:
        """Grow as it must be done there."""
        if settings.directions:
            settings.range = (self.low, self.high)
        if settings.interactions:
            settings.interactions = within(settings.interactions, self.way)

    def below(self, column: int, direction: int, first: float, second: float, branch: int) -> Place:
        """The place of a branch of a split of two whose branches answer these numbers."""
        way, middle = self.way | {column}, first / 2 + second / 2
        if direction == 0:
            return Place(way, self.low, self.high)
        return Place(way, self.low, middle) if (branch == 0) == (direction > 0) else Place(way, middle, self.high)


ROOT = Place()


class Known:
    """The nodes of a tree, as far as what is known of the columns is about them."""

    def __init__(self, core: _core.Tree, directions: list[int], sets: list[list[int]]) -> None:
        self._state: Mapping[str, Any] = core.state()
        self._directions, self._sets = directions, [frozenset(each) for each in sets]
        self._answers = _answers(self._state)

    def place(self, node: int) -> Place:
        """Where a node lies."""
        up = [node]
        while (parent := int(self._state["parent"][up[-1]])) >= 0:
            up.append(parent)
        out = ROOT
        for above, below in zip(up[:0:-1], up[-2::-1], strict=True):
            out = self._below(out, above, below)
        return out

    def check(self, columns: tuple[ColumnSchema, ...]) -> None:
        """Refuse a tree whose splits break what is known.

        Raises
        ------
        ValueError
            Names the node, the column, and what it breaks.
        """
        places = [ROOT] * len(self._answers)
        open_ = [self._sets] * len(places)  # the sets that hold every column on the way
        for node in range(len(places)):
            here = places[node]
            if not self._state["n_children"][node]:
                continue
            column = int(self._state["column"][node])
            first, many = int(self._state["first_child"][node]), int(self._state["n_children"][node])
            left = [each for each in open_[node] if column in each]
            if self._sets and not left:
                way = ", ".join(shown(columns[each].name) for each in sorted(here.way))
                raise ValueError(
                    f"node {node} would ask for {shown(columns[column].name)} below {way}: interaction_cst keeps these apart"
                )
            if (direction := self._direction(node)) and direction * (
                self._answers[first + 1] - self._answers[first]
            ) < -self._slack:
                rises = "rise" if direction > 0 else "fall"
                raise ValueError(
                    f"node {node} would let answers {'fall' if direction > 0 else 'rise'} with {shown(columns[column].name)}: by "
                    f"monotonic_cst they may only {rises}"
                )
            for child in range(first, first + many):
                places[child], open_[child] = self._below(here, node, child), left

    @property
    def _slack(self) -> float:
        return _CLOSE * float(np.max(np.abs(self._answers), initial=0.0))

    def check_answer(self, node: int) -> None:
        """Refuse what a node answers if it lies outside its range."""
        answer, here = self._answers[node], self.place(node)
        if self._directions and not here.low - self._slack <= answer <= here.high + self._slack:
            bound = f"at least {here.low:.6g}" if answer < here.low else f"at most {here.high:.6g}"
            raise ValueError(f"node {node} would answer {answer:.6g}: by monotonic_cst it may answer {bound} there")

    def _direction(self, node: int) -> int:
        """The direction that a split must keep; 0: none."""
        if not self._directions or self._state["family"][node] not in _ORDERED or self._state["n_children"][node] < 2:
            return 0
        return self._directions[int(self._state["column"][node])]

    def _below(self, here: Place, above: int, node: int) -> Place:
        first = int(self._state["first_child"][above])
        direction = self._direction(above) if node - first < 2 else 0
        sides = self._answers[first], self._answers[min(first + 1, len(self._answers) - 1)]
        return here.below(int(self._state["column"][above]), direction, *sides, node - first)


def _answers(state: Mapping[str, Any]) -> Any:
    """What every node answers: its number, or the share of the second class."""
    if len(state["value"]):
        return np.asarray(state["value"], np.float64)
    begin = np.asarray(state["class_begin"], np.int64)
    ids, weights = np.asarray(state["class_id"]), np.asarray(state["class_weight"], np.float64)
    owner = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    second = ids[: begin[1]].max()
    total = np.bincount(owner, weights, len(begin) - 1)
    return np.bincount(owner, np.where(ids == second, weights, 0.0), len(begin) - 1) / np.where(total > 0, total, 1.0)
