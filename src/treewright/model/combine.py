"""How the answers of a forest's members become one: mean, votes, median, sums of scores. A new way is a class and a line here."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.errors import counted, shown
from treewright.model.exponentials import powers_of_scores, shares_of_scores
from treewright.model.leaves import ClassShares
from treewright.model.leaves.base import Floats
from treewright.model.leaves.per_node import Entries, PerNode
from treewright.model.linear import NEVER
from treewright.table.target import class_array

if TYPE_CHECKING:
    from treewright.model.protocol import Model
    from treewright.model.routing import Cells
    from treewright.table import TargetSchema


class Combination(ABC):
    """How answers of members become the answer of a forest: sums over the members, and what is made of them."""

    kind: ClassVar[str]
    # In words, before the number of members.
    text: ClassVar[str]

    def told(self, target: TargetSchema) -> tuple[tuple[Any, ...] | None, tuple[str, ...]]:
        """What members predict: the classes, None for numbers; and the names of the numbers where they are several."""
        return target.classes, target.outputs

    def part(self, members: Sequence[int]) -> Combination:
        """The same of some of the members, by position."""
        return self

    def width(self, target: TargetSchema) -> int:
        """How many sums a row has: one per class, or per number."""
        return len(target.classes) if target.classes is not None else max(1, len(target.outputs))

    def entries(self, leaves: PerNode, at: int) -> Entries | None:
        """What the nodes of the member at a position add to the sums of a row; None where it is not a sum over members."""
        return None

    @abstractmethod
    def answers(self, member: Model, cells: Cells, threads: int, at: int = 0) -> Floats:
        """What the member at a position adds to the sums of rows: rows x sums."""

    def combined(self, members: Sequence[Model], weights: Floats, cells: Cells, threads: int) -> Floats:
        """Shares of classes or numbers of rows, member by member: rows x sums."""
        sums = np.zeros((cells[1], self.width(members[0].target)))
        for at, (member, weight) in enumerate(zip(members, weights.tolist(), strict=True)):
            sums += weight * self.answers(member, cells, threads, at)
        return self.finished(sums, weights)

    def stages(self, members: Sequence[Model], weights: Floats, cells: Cells, threads: int) -> Iterator[Floats]:
        """The same of the first member, of the first two, and so on."""
        sums = np.zeros((cells[1], self.width(members[0].target)))
        for at, member in enumerate(members):
            sums += weights[at] * self.answers(member, cells, threads, at)
            yield self.finished(sums.copy(), weights[: at + 1])

    def finished(self, sums: Floats, weights: Floats) -> Floats:
        """Shares of classes or numbers from the sums of rows."""
        return sums / weights.sum()

    def refused(self, target: TargetSchema, members: int) -> str | None:
        """Why answers of so many members about a target cannot be combined so, or None."""
        return None


@dataclass(frozen=True)
class Mean(Combination):
    """The mean of class shares, or of numbers."""

    kind = "mean"
    text = "mean of"

    def entries(self, leaves: PerNode, at: int) -> Entries:
        """Shares or numbers of the nodes."""
        return leaves.entries()

    def answers(self, member: Model, cells: Cells, threads: int, at: int = 0) -> Floats:
        """Shares or numbers of rows."""
        if member.target.classes is not None:
            return member.shares_of_cells(cells, threads)
        return np.asarray(member.predict_cells(cells, threads), np.float64).reshape(cells[1], -1)


@dataclass(frozen=True)
class Vote(Combination):
    """A vote per member for the class it predicts; the class of most votes wins, of equals the one declared first."""

    kind = "vote"
    text = "votes of"

    def entries(self, leaves: PerNode, at: int) -> Entries | None:
        """A vote of every node."""
        return leaves.decisions()

    def answers(self, member: Model, cells: Cells, threads: int, at: int = 0) -> Floats:
        """A vote for every row."""
        out = np.zeros((cells[1], len(member.target.classes or ())))
        out[np.arange(cells[1]), classes_told(member, cells, threads)] = 1.0
        return out

    def refused(self, target: TargetSchema, members: int) -> str | None:
        """Votes are for classes."""
        why = "members vote for classes, the target is numeric: combine them by their mean"
        return why if target.classes is None else None


@dataclass(frozen=True)
class Confidence(Vote):
    """A vote per member for the class it predicts, counted by the share of that class where the row ends (C5.0's trials)."""

    kind = "confidence"
    text = "votes by confidence of"

    def entries(self, leaves: PerNode, at: int) -> Entries | None:
        """None: what a row is told may come from several leaves."""
        return None

    def answers(self, member: Model, cells: Cells, threads: int, at: int = 0) -> Floats:
        """A vote for every row, as large as the share of the class."""
        shares = member.shares_of_cells(cells, threads)
        votes = super().answers(member, cells, threads)
        return votes * shares

    def finished(self, sums: Floats, weights: Floats) -> Floats:
        """Votes as shares of all votes for a row."""
        total = sums.sum(axis=1, keepdims=True)
        return np.divide(sums, total, out=np.full_like(sums, 1 / sums.shape[1]), where=total > 0)


@dataclass(frozen=True)
class Product(Combination):
    """The product of class shares, as of independent views (Blum and Mitchell 1998); the mean where all products are 0."""

    kind = "product"
    text = "product of"

    def answers(self, member: Model, cells: Cells, threads: int, at: int = 0) -> Floats:
        """Shares of rows."""
        return member.shares_of_cells(cells, threads)

    def stages(self, members: Sequence[Model], weights: Floats, cells: Cells, threads: int) -> Iterator[Floats]:
        """Products of the first member, of the first two, and so on."""
        for at in range(len(members)):
            yield self.combined(members[: at + 1], weights[: at + 1], cells, threads)

    def combined(self, members: Sequence[Model], weights: Floats, cells: Cells, threads: int) -> Floats:
        """Products of shares, made to add up to 1."""
        each = [self.answers(member, cells, threads) for member in members]
        product, mean = np.ones_like(each[0]), np.zeros_like(each[0])
        for shares, weight in zip(each, weights.tolist(), strict=True):
            product *= shares**weight
            mean += weight * shares
        product = np.where(product.sum(axis=1, keepdims=True) > 0, product, mean)
        return np.asarray(product / product.sum(axis=1, keepdims=True))

    def refused(self, target: TargetSchema, members: int) -> str | None:
        """Products are of shares of classes."""
        why = "products are of class shares, the target is numeric: combine members by their mean"
        return why if target.classes is None else None


@dataclass(frozen=True)
class Median(Combination):
    """The weighted median of numbers: the least that members of half of the weight do not exceed (Drucker 1997)."""

    kind = "median"
    text = "weighted median of"

    def answers(self, member: Model, cells: Cells, threads: int, at: int = 0) -> Floats:
        """The numbers of rows."""
        return np.asarray(member.predict_cells(cells, threads), np.float64).reshape(cells[1], 1)

    def combined(self, members: Sequence[Model], weights: Floats, cells: Cells, threads: int) -> Floats:
        """The median of what members say of rows."""
        return self._median(np.concatenate([self.answers(member, cells, threads) for member in members], axis=1), weights)

    def stages(self, members: Sequence[Model], weights: Floats, cells: Cells, threads: int) -> Iterator[Floats]:
        """The medians of the first member, of the first two, and so on."""
        told = np.zeros((cells[1], len(members)))
        for at, member in enumerate(members):
            told[:, at] = self.answers(member, cells, threads)[:, 0]
            yield self._median(told[:, : at + 1], weights[: at + 1])

    @staticmethod
    def _median(told: Floats, weights: Floats) -> Floats:
        order = np.argsort(told, axis=1, kind="stable")
        reached = np.cumsum(weights[order], axis=1)
        at = np.argmax(reached >= 0.5 * reached[:, -1:], axis=1)[:, None]
        return np.take_along_axis(told, np.take_along_axis(order, at, 1), 1)

    def refused(self, target: TargetSchema, members: int) -> str | None:
        """Medians are of one number."""
        why = "the median is of one number a row: combine classes by votes, several numbers by their mean"
        return why if target.classes is not None or target.outputs else None


@dataclass(frozen=True)
class Scores(Combination):
    """Scores that members add to a base, and a link that makes the answer of them: gradient boosting (Friedman 2001).

    Members predict numbers whatever the target is.

    Attributes
    ----------
    link : str
        "identity" and "exp" make a number of every score, "sigmoid" the share of the second of two classes of one, "softmax"
        shares of classes of a score each.
    base : tuple of float
        The scores before any member has added to them.
    adds_to : tuple of int
        To which of the scores each member adds.
    """

    kind = "scores"
    text = "scores added up by"

    link: str
    base: tuple[float, ...]
    adds_to: tuple[int, ...]

    def told(self, target: TargetSchema) -> tuple[None, tuple[str, ...]]:
        """Members predict one number each."""
        return None, ()

    def part(self, members: Sequence[int]) -> Scores:
        """The same of some of the members, by position."""
        return replace(self, adds_to=tuple(self.adds_to[at] for at in members))

    def width(self, target: TargetSchema) -> int:
        """How many scores a row has."""
        return len(self.base)

    def entries(self, leaves: PerNode, at: int) -> Entries:
        """The numbers of the nodes, added to the score of the member."""
        begin, sums, values = leaves.entries()
        return begin, np.full_like(sums, self.adds_to[at]), values

    def answers(self, member: Model, cells: Cells, threads: int, at: int = 0) -> Floats:
        """The numbers of rows, at the score of the member."""
        out = np.zeros((cells[1], len(self.base)))
        out[:, self.adds_to[at]] = member.predict_cells(cells, threads)
        return out

    def finished(self, sums: Floats, weights: Floats) -> Floats:
        """What the link makes of the scores."""
        return _LINKS[self.link](np.asarray(np.array(self.base) + sums))

    def refused(self, target: TargetSchema, members: int) -> str | None:
        """The link goes with the target, and every member adds to one of the scores."""
        if self.link not in _LINKS:
            return f"link={shown(self.link)} is not allowed: it must be one of {shown(list(_LINKS))}"
        classes, scores = len(target.classes or ()), super().width(target)
        fits = {"sigmoid": classes == 2, "softmax": classes >= 2}.get(self.link, target.classes is None)
        scores = 1 if self.link == "sigmoid" else scores
        if not fits or len(self.base) != scores:
            told = counted(classes, "class", "classes") if classes else counted(scores, "number")
            return f"the link {shown(self.link)} of {counted(len(self.base), 'score')} makes no answer about {told}"
        if not all(map(math.isfinite, self.base)):
            return f"base={shown(list(self.base))} is not allowed: scores begin at finite numbers"
        if len(self.adds_to) != members or not all(0 <= score < scores for score in self.adds_to):
            added = f"{counted(members, 'member')} add to one of {counted(scores, 'score')} each"
            return f"adds_to={shown(list(self.adds_to))} is not allowed: {added}"
        return None


def _sigmoid(scores: Floats) -> Floats:
    """Shares of two classes, of which the score is the logarithm of the odds of the second."""
    return _softmax(np.column_stack([np.zeros(len(scores)), scores[:, 0]]))


def _softmax(scores: Floats) -> Floats:
    return shares_of_scores(scores, NEVER)


_LINKS: dict[str, Callable[[Floats], Floats]] = {
    "identity": lambda scores: scores,
    "exp": powers_of_scores,
    "sigmoid": _sigmoid,
    "softmax": _softmax,
}
COMBINATIONS: dict[str, type[Combination]] = {each.kind: each for each in (Mean, Vote, Confidence, Product, Median, Scores)}


def classes_told(member: Model, cells: Cells, threads: int = 1) -> NDArray[np.int64]:
    """The class that a member predicts of every row, as its position among the declared ones."""
    leaves = getattr(member, "leaf_model", None)
    if isinstance(leaves, ClassShares) and not member.divides:  # type: ignore[attr-defined]
        return leaves.codes(member._core.route(*cells, threads))  # type: ignore[attr-defined]
    classes = member.target.classes or ()
    told = member.predict_cells(cells, threads)
    labels = class_array(classes)
    if labels.dtype == object:
        place = {label: i for i, label in enumerate(classes)}
        return np.fromiter((place[label] for label in told.tolist()), np.int64, len(told))
    order = np.argsort(labels)
    return order[np.searchsorted(labels, told, sorter=order)]
