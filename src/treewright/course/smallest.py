"""The smallest trees that are right about every row, by brute force: all trees of size 0, of size 1, and so on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np

from treewright.course.counts import product, trees_up_to
from treewright.errors import counted, shown
from treewright.learn.planted import Answer, Cells, Cut, Test, halfway, plant
from treewright.learn.training import Training, read_training, seen_levels
from treewright.learn.values import flag, whole
from treewright.model import Tree
from treewright.progress import Bar
from treewright.table import TableSchema
from treewright.table.match import refuse_holes
from treewright.table.target import read_classes

LARGEST = 200  # splits: the search goes as deep
Plan = Test[Any] | Answer


class Size(NamedTuple):
    """Trees of one size.

    Attributes
    ----------
    size : int
        Number of splits.
    trees : int or None
        How many different trees there are, right or wrong; None where numeric columns leave that open.
    consistent : int
        How many of them are right about every row.
    """

    size: int
    trees: int | None
    consistent: int


@dataclass(frozen=True)
class _Division:
    """A test of some rows: its column, its cut if it has one, and the rows of every branch."""

    column: int
    branches: tuple[int, ...]
    cut: Cut | None = None


class _Search:
    """Counts consistent trees. Sets of rows are whole numbers, a bit for every different row.

    ``every``: also trees with tests that tell no rows apart, which no smallest tree has.
    """

    def __init__(self, training: Training, every: bool, max_steps: int, bar: Bar | None) -> None:
        self.training, self.every, self.max_steps, self.bar = training, every, max_steps, bar
        self.cells = Cells(training)
        self.steps = 0
        self.asked = 0  # the size that is counted
        self.memo: dict[tuple[int, int], list[int]] = {}
        codes, first = np.asarray(training.codes, np.int64), self._distinct()
        self.labels = np.unique(codes).tolist()
        self.of_class = [_mask(codes[first] == label) for label in self.labels]
        self.all = (1 << len(first)) - 1
        self.values: list[list[tuple[float, int]]] = []
        for column, cells in zip(training.columns, self.cells.of, strict=True):
            known = range(len(column.levels)) if column.nominal else np.unique(cells[first])
            self.values.append([(float(value), _mask(cells[first] == value)) for value in known])
        nominal = [len(values) for values, column in zip(self.values, training.columns, strict=True) if column.nominal]
        self.widest = max([2, *nominal])

    def _distinct(self) -> Any:
        """Positions of different rows; equal rows of different classes are refused."""
        codes = np.asarray(self.training.codes, np.float64)
        cells = np.column_stack([np.asarray(cells, np.float64) + 0.0 for cells in self.cells.of])
        _, first, of = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        of = np.asarray(of).reshape(-1)
        wrong = np.flatnonzero(codes != codes[first[of]])
        if len(wrong):
            one, other = int(first[of[wrong[0]]]), int(wrong[0])
            raise ValueError(
                f"no tree is right about every row: rows {one} and {other} have the same cells and different classes; "
                "leave one of them out"
            )
        return np.sort(first)

    def classes_in(self, rows: int) -> int:
        """How many classes occur among the rows."""
        return sum(1 for of in self.of_class if of & rows)

    def divisions(self, rows: int, used: int) -> Iterator[_Division]:
        """Every test that may stand at a node, by column and threshold, ascending."""
        for j, column in enumerate(self.training.columns):
            if column.nominal:
                if used >> j & 1:
                    continue
                branches = tuple(of & rows for _, of in self.values[j])
                if len(branches) > 1 and (self.every or sum(1 for branch in branches if branch) > 1):
                    yield _Division(j, branches)
                continue
            held = [(value, of & rows) for value, of in self.values[j] if of & rows]
            below = 0
            for (low, of), (high, _) in itertools.pairwise(held):
                below |= of
                yield _Division(j, (below, rows & ~below), Cut(halfway(low, high), low, high))

    def least(self, rows: int) -> int:
        """Splits without which the rows cannot be told apart."""
        return -(-(max(self.classes_in(rows), 1) - 1) // (self.widest - 1))

    def after(self, division: _Division, used: int) -> int:
        """The columns that are used up below a test; none are noted where tests that tell nothing apart are left out anyway."""
        return used | 1 << division.column if self.every and division.cut is None else used

    def counts(self, rows: int, used: int, at_most: int) -> list[int]:
        """How many trees of every size up to this one are right about the rows."""
        known = self.memo.get((rows, used))
        if known is not None and len(known) > at_most:
            return known[: at_most + 1]
        classes = self.classes_in(rows)
        out = [len(self.labels) if classes == 0 else int(classes == 1)] + [0] * at_most
        if at_most > 0 and (self.every or classes > 1):
            for division in self.divisions(rows, used):
                for splits, trees in enumerate(self.below(division, used, at_most - 1)):
                    out[splits + 1] += trees
        self.memo[rows, used] = out
        return out

    def below(self, division: _Division, used: int, at_most: int) -> list[int]:
        """How many ways there are to go on below a test with so many splits in all."""
        self._count()
        least = [self.least(branch) for branch in division.branches]
        spare = at_most - sum(least)
        if spare < 0:
            return []
        out, after = [1], self.after(division, used)
        for branch, needed in zip(division.branches, least, strict=True):
            out = product(out, self.counts(branch, after, spare + needed), at_most)
        return out

    def _count(self) -> None:
        self.steps += 1
        if self.bar is not None and self.steps % 1024 == 0:
            self.bar(self.steps, self.max_steps)
        if self.steps > self.max_steps:
            shape = f"{counted(self.all.bit_length(), 'different row')} and {counted(len(self.values), 'column')}"
            raise ValueError(
                f"the search for trees of {shape} has tried max_steps={self.max_steps:,} divisions and is at size {self.asked}: "
                "raise max_steps, or take fewer rows or columns; tw.BacktrackingTreeClassifier searches less and promises less"
            )

    def tree(self, at: int, rows: int, used: int, size: int) -> Plan:
        """The consistent tree of a size at a place of their list."""
        if size == 0:
            here = [label for label, of in zip(self.labels, self.of_class, strict=True) if of & rows]
            return Answer(here[0] if here else self.labels[at])
        for division in self.divisions(rows, used):
            ways = self.below(division, used, size - 1)
            if at < sum(ways[size - 1 : size]):
                return self._branches(at, division, used, size - 1)
            at -= sum(ways[size - 1 : size])
        raise IndexError("there is no such tree")  # pragma: no cover

    def _branches(self, at: int, division: _Division, used: int, size: int) -> Plan:
        after = self.after(division, used)
        of = [self.counts(branch, after, size) for branch in division.branches]
        rest = [[1]]  # the ways of the last branches, of the last but one, …
        for counts in of[:0:-1]:
            rest.append(product(rest[-1], counts, size))
        below: list[Plan] = []
        for branch, counts in zip(division.branches, of, strict=True):
            ways = rest.pop()
            for splits in range(size + 1):
                others = ways[size - splits] if size - splits < len(ways) else 0
                if at < counts[splits] * others:
                    place, at = divmod(at, others)
                    below.append(self.tree(place, branch, after, splits))
                    size -= splits
                    break
                at -= counts[splits] * others
        return Test(division.column, tuple(below), () if division.cut is None else (division.cut,))


def _mask(flags: Any) -> int:
    return int("0" + "".join("1" if one else "0" for one in flags[::-1].tolist()), 2)


class SmallestTrees:
    """All trees of one size that are right about every row: a sequence, whose trees are made when they are asked for.

    Attributes
    ----------
    size : int
        Number of splits of these trees.
    count : int
        How many there are; ``len`` says so as well, up to the largest number Python allows there.
    by_size : tuple of Size
        What was found at every size up to this one: all trees, and those that are right about every row.
    """

    def __init__(self, search: _Search, by_size: tuple[Size, ...]) -> None:
        self._search = search
        self.by_size = by_size
        self.size, self.count = by_size[-1].size, by_size[-1].consistent

    def __len__(self) -> int:
        return self.count

    @overload
    def __getitem__(self, at: int) -> Tree: ...

    @overload
    def __getitem__(self, at: slice) -> list[Tree]: ...

    def __getitem__(self, at: int | slice) -> Tree | list[Tree]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(self.count))]
        place = at + self.count if at < 0 else at
        if not 0 <= place < self.count:
            raise IndexError(f"tree {shown(at)} does not exist: there are {counted(self.count, 'tree')}")
        return self._made(place)

    def __iter__(self) -> Iterator[Tree]:
        return (self._made(place) for place in range(self.count))

    def _made(self, place: int) -> Tree:
        search, training = self._search, self._search.training
        search.steps = 0  # the search is over: making a tree goes its ways again
        plan = search.tree(place, search.all, 0, self.size)
        core = plant(training, plan, lambda rows, here: here)
        schema = TableSchema(tuple(training.columns), training.named, seen_levels(core, declared=True), "missing", "refuse")
        return Tree(core, schema, training.target)

    @cached_property
    def _table(self) -> list[tuple[str, str, str]]:
        rows = [("size", "trees", "consistent")]
        return rows + [
            (str(one.size), "" if one.trees is None else f"{one.trees:,}", f"{one.consistent:,}") for one in self.by_size
        ]

    def __str__(self) -> str:
        widths = [max(len(row[i]) for row in self._table) for i in range(3)]
        return "\n".join("  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in self._table)

    def __repr__(self) -> str:
        return f"SmallestTrees(size={self.size}, count={self.count})"


def smallest_trees(
    X: Any,
    y: Any,
    size: int | None = None,
    *,
    categorical_features: Any = None,
    max_steps: int = 1_000_000,
    verbose: bool = False,
) -> SmallestTrees:
    """Find the smallest trees that are right about every row, all of them, by brute force: for small tables and for teaching.

    All trees without splits are looked at, then all with one split, with two, and so on, until some are right about every row.
    Nominal columns have a branch for every declared level and stand once on a path; a branch without rows may say any class, so
    that such trees are several. Numeric columns are cut halfway between neighbouring values of the rows at the node. To find a
    smallest tree is NP-hard (Hyafil and Rivest 1976): the work doubles with every few rows.

    Parameters
    ----------
    X : table
        The rows, without missing cells.
    y : array
        Their classes.
    size : int, optional
        Trees of this many splits instead of the fewest, also those with tests that tell no rows apart.
    categorical_features : sequence of names, positions or a mask, optional
        Columns to be read as nominal whatever their type.
    max_steps : int, default 1000000
        Tests of sets of rows that may be tried; a search that needs more is an error.
    verbose : bool, default False
        Whether to show how far the search is.

    Returns
    -------
    SmallestTrees
        A sequence of trees, with their ``size``, their ``count``, and what was found at every size.

    Raises
    ------
    ValueError
        Where equal rows are of different classes, cells are missing, no tree has that size, or ``max_steps`` do not suffice.

    Examples
    --------
    >>> import treewright as tw
    >>> emails = tw.datasets.load_emails()
    >>> found = tw.smallest_trees(emails.X, emails.y)
    >>> print(found)
    size   trees  consistent
       0       2           0
       1      20           0
       2     320           0
       3   5,120           0
       4  72,960          12
    """
    wanted = None if size is None else whole("size", size, 0, LARGEST)
    steps = whole("max_steps", max_steps, 1)
    show = flag("verbose", verbose)
    training = read_training(X, y, None, categorical_features, ("ordered", "bool"), read_classes)
    training.check_all("learned")
    refuse_holes(training.arrays, training.columns)
    with Bar("smallest trees", "steps") as bar:
        return _found(_Search(training, wanted is not None, steps, bar if show else None), wanted)


def _found(search: _Search, wanted: int | None) -> SmallestTrees:
    consistent: list[int] = []
    if wanted is not None:
        search.asked = wanted
        consistent = search.counts(search.all, 0, wanted)
    while wanted is None and not any(consistent):
        if len(consistent) > LARGEST:
            raise ValueError(
                f"no tree of {LARGEST} splits or fewer is right about every row, and larger ones are not searched for"
            )
        search.asked = len(consistent)
        consistent = search.counts(search.all, 0, search.asked)
    if not consistent[-1]:
        fewest = f"no tree of {counted(len(consistent) - 1, 'split')} is right about every row"
        raise ValueError(f"{fewest}: leave size= out to find the smallest")
    levels = [len(column.levels) for column in search.training.columns if column.nominal]
    every: list[int] | list[None] = [None] * len(consistent)
    if len(levels) == len(search.training.columns):
        every = trees_up_to([n for n in levels if n > 1], len(consistent) - 1, len(search.labels))
    return SmallestTrees(search, tuple(map(Size, range(len(consistent)), every, consistent)))
