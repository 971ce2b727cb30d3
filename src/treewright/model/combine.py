"""How the answers of a forest's members become one: mean, votes, the median. A new way is a class here and a line below it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from treewright.model.leaves.base import Floats
from treewright.model.leaves.per_node import Entries, PerNode

if TYPE_CHECKING:
    from treewright.model.protocol import Model
    from treewright.model.routing import Cells
    from treewright.table import TargetSchema


class Combination(ABC):
    """How answers of members become the answer of a forest: sums over the members, and what is made of them."""

    kind: ClassVar[str]
    # In words, before the number of members.
    text: ClassVar[str]

    def width(self, target: TargetSchema) -> int:
        """How many sums a row has: one per class, or per number."""
        return len(target.classes) if target.classes is not None else max(1, len(target.outputs))

    def entries(self, leaves: PerNode) -> Entries | None:
        """What the nodes of a member add to the sums of a row; None where it is not a sum over members."""
        return None

    @abstractmethod
    def answers(self, member: Model, cells: Cells, threads: int) -> Floats:
        """What a member adds to the sums of rows: rows x sums."""

    def combined(self, members: Sequence[Model], weights: Floats, cells: Cells, threads: int) -> Floats:
        """Shares of classes or numbers of rows, member by member: rows x sums."""
        sums = np.zeros((cells[1], self.width(members[0].target)))
        for member, weight in zip(members, weights.tolist(), strict=True):
            sums += weight * self.answers(member, cells, threads)
        return self.finished(sums, weights)

    def finished(self, sums: Floats, weights: Floats) -> Floats:
        """Shares of classes or numbers from the sums of rows."""
        return sums / weights.sum()

    def refused(self, target: TargetSchema) -> str | None:
        """Why answers about a target cannot be combined so, or None."""
        return None


@dataclass(frozen=True)
class Mean(Combination):
    """The mean of class shares, or of numbers."""

    kind = "mean"
    text = "mean of"

    def entries(self, leaves: PerNode) -> Entries:
        """Shares or numbers of the nodes."""
        return leaves.entries()

    def answers(self, member: Model, cells: Cells, threads: int) -> Floats:
        """Shares or numbers of rows."""
        if member.target.classes is not None:
            return member.shares_of_cells(cells, threads)
        return np.asarray(member.predict_cells(cells, threads), np.float64).reshape(cells[1], -1)


@dataclass(frozen=True)
class Vote(Combination):
    """A vote per member for the class it predicts; the class of most votes wins, of equals the one declared first."""

    kind = "vote"
    text = "votes of"

    def entries(self, leaves: PerNode) -> Entries:
        """A vote of every node."""
        return leaves.decisions()

    def answers(self, member: Model, cells: Cells, threads: int) -> Floats:
        """A vote for every row."""
        classes = member.target.classes or ()
        place = {label: i for i, label in enumerate(classes)}
        labels = member.predict_cells(cells, threads).tolist()
        out = np.zeros((cells[1], len(classes)))
        out[np.arange(cells[1]), [place[label] for label in labels]] = 1.0
        return out

    def refused(self, target: TargetSchema) -> str | None:
        """Votes are for classes."""
        why = "members vote for classes, the target is numeric: combine them by their mean"
        return why if target.classes is None else None


@dataclass(frozen=True)
class Median(Combination):
    """The weighted median of numbers: the least that members of half of the weight do not exceed (Drucker 1997)."""

    kind = "median"
    text = "weighted median of"

    def answers(self, member: Model, cells: Cells, threads: int) -> Floats:
        """The numbers of rows."""
        return np.asarray(member.predict_cells(cells, threads), np.float64).reshape(cells[1], 1)

    def combined(self, members: Sequence[Model], weights: Floats, cells: Cells, threads: int) -> Floats:
        """The median of what members say of rows."""
        told = np.concatenate([self.answers(member, cells, threads) for member in members], axis=1)
        order = np.argsort(told, axis=1, kind="stable")
        reached = np.cumsum(weights[order], axis=1)
        at = np.argmax(reached >= 0.5 * reached[:, -1:], axis=1)[:, None]
        return np.take_along_axis(told, np.take_along_axis(order, at, 1), 1)

    def refused(self, target: TargetSchema) -> str | None:
        """Medians are of one number."""
        why = "the median is of one number a row: combine classes by votes, several numbers by their mean"
        return why if target.classes is not None or target.outputs else None


COMBINATIONS: dict[str, type[Combination]] = {each.kind: each for each in (Mean, Vote, Median)}
