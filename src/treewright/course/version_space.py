"""Version spaces: all conjunctions that agree with the rows, kept by their most specific and most general members."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.course.conjunction import Codes, Conjunction, above, covers, most_general
from treewright.errors import counted, shown
from treewright.learn.planted import Cells
from treewright.learn.training import Training, declared_levels, read_training
from treewright.model.rules import by_column
from treewright.table import ColumnSchema, TableSchema
from treewright.table.match import read_cells, refuse_holes
from treewright.table.target import read_classes

MOST_GENERAL = 2_000  # members of a boundary
MOST_STATES = 1_000_000  # sets of rows that counting looks at

Row = tuple[int, ...]
Boundary = tuple[Conjunction, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A row of the table, and the boundaries after it.

    Attributes
    ----------
    row : int
        Position of the row.
    cells : tuple
        Its levels.
    positive : bool
        Whether it is an example of the class.
    specific, general : tuple of Conjunction
        The most specific and the most general conjunctions that agree with this row and those before it.
    """

    row: int
    cells: tuple[Any, ...]
    positive: bool
    specific: Boundary
    general: Boundary

    def __str__(self) -> str:
        sign = "+" if self.positive else "-"
        cells = ", ".join(map(str, self.cells))
        return f"{self.row} {sign} [{cells}]\n    S = {_listed(self.specific)}\n    G = {_listed(self.general)}"


def _listed(boundary: Boundary) -> str:
    return "{" + ", ".join(map(str, boundary)) + "}"


class VersionSpace:
    """The version space of conjunctions: candidate elimination (Mitchell 1977), one row after the other.

    A hypothesis asks of every column for one of its levels, or for none in particular (*any*); one more covers nothing at all.
    Those that cover every example of the class and no other row are the version space. It is told by two boundaries: the most
    specific members ``specific`` (S) and the most general ones ``general`` (G); everything between them belongs to it. The order
    of the rows changes the steps, not the result. Where no conjunction agrees with the rows the space is empty: a tree may still.

    Parameters
    ----------
    X : table
        Rows of nominal columns (text, categories, truth values), without missing cells.
    y : array
        Their classes.
    positive : object, optional
        The class whose examples are to be covered; every other is a counterexample. Without it the second of two, sorted
        ("yes" of "no" and "yes").
    categorical_features : sequence of names, positions or a mask, optional
        Columns to be read as nominal whatever their type.

    Attributes
    ----------
    positive : object
        The class.
    columns : tuple of ColumnSchema
        The columns with their levels.
    steps : tuple of Example
        The boundaries after every row.
    specific, general : tuple of Conjunction
        The boundaries after all rows; both empty where the space is.

    Examples
    --------
    >>> import treewright as tw
    >>> shapes = tw.datasets.load_colour_shape_2()
    >>> space = tw.VersionSpace(shapes.X, shapes.y, positive="yes")
    >>> print(space)
    S = {[red, circle]}
    G = {[red, circle]}
    1 conjunction
    """

    def __init__(self, X: Any, y: Any, positive: Any = None, *, categorical_features: Any = None) -> None:
        training = read_training(X, y, None, categorical_features, ("ordered", "bool"), read_classes)
        training.check_all("learned")
        refuse_holes(training.arrays, training.columns)
        for column in training.columns:
            if not column.nominal:
                raise ValueError(
                    f"column {column.name!r} is not nominal, and conjunctions ask for levels: "
                    "name it in categorical_features=, or cut its values into bands first"
                )
        self._schema = TableSchema(tuple(training.columns), training.named, declared_levels(training), "missing", "refuse")
        self.columns: tuple[ColumnSchema, ...] = tuple(training.columns)
        classes: tuple[Any, ...] = training.target.classes or ()
        self.positive = _positive(positive, classes, training.occurring)
        self._rows: list[Row] = list(zip(*(cells.tolist() for cells in Cells(training).of), strict=True))
        self._signs = [classes[code] == self.positive for code in training.codes.tolist()]
        self._made: dict[Codes | None, Conjunction] = {}  # members of boundaries, which stay for many rows
        self.steps = tuple(self._eliminated(training))
        self.specific: Boundary = self.steps[-1].specific
        self.general: Boundary = self.steps[-1].general

    # -- candidate elimination -----------------------------------------------------------------------------------------

    def _eliminated(self, training: Training) -> Iterator[Example]:
        kept = np.arange(len(self._rows)) if training.kept is None else np.flatnonzero(training.kept)
        specific: Codes | None = None
        general: list[Codes | None] = [(None,) * len(self.columns)]
        empty = False
        for at, row, positive in zip(kept.tolist(), self._rows, self._signs, strict=True):
            if not empty and positive:
                general = [one for one in general if covers(one, row)]
                specific = row if specific is None else tuple(a if a == b else None for a, b in zip(specific, row, strict=True))
                empty = not any(above(one, specific) for one in general)
            elif not empty:
                empty = covers(specific, row)
                general = [] if empty else self._specialised(general, specific, row)
                if not empty and not general and specific is None:
                    general = [None]  # every conjunction that covers anything covers a counterexample
                empty = not general
            cells = tuple(column.levels[code] for column, code in zip(self.columns, row, strict=True))
            s, g = ([], []) if empty else ([specific], general)
            yield Example(at, cells, positive, self._boundary(s), self._boundary(g))

    def _specialised(self, general: list[Codes | None], specific: Codes | None, row: Row) -> list[Codes | None]:
        """The most general conjunctions below these that do not cover the row, and are above what examples have in common."""
        spared = [one for one in general if not covers(one, row)]
        made: dict[Codes, None] = {}
        for one in general:
            if one is None or not covers(one, row):
                continue
            for j, wanted in enumerate(one):
                if wanted is not None:
                    continue
                levels = range(len(self.columns[j].levels)) if specific is None else [specific[j]]
                for level in levels:
                    if level is not None and level != row[j]:
                        made[(*one[:j], level, *one[j + 1 :])] = None
        found = [*spared, *made]
        if len(found) > MOST_GENERAL:
            raise ValueError(
                f"the general boundary has up to {len(found):,} members, more than {MOST_GENERAL:,}: "
                "put rows of the class first, which rule many of them out, or leave columns out"
            )
        return [*spared, *most_general(list(made), [one for one in found if one is not None])] if made else found

    def _boundary(self, members: list[Codes | None]) -> Boundary:
        for codes in members:
            if codes not in self._made:
                self._made[codes] = Conjunction(self.columns, codes)
        return tuple(self._made[codes] for codes in members)

    # -- what is in it -------------------------------------------------------------------------------------------------

    @property
    def is_empty(self) -> bool:
        """Whether no conjunction agrees with the rows."""
        return not self.specific

    @cached_property
    def count(self) -> int:
        """How many conjunctions agree with the rows."""
        return self._count(None)

    def hypotheses(self) -> Iterator[Conjunction]:
        """All conjunctions that agree with the rows, those that ask for less of the first columns first."""
        if not self.is_empty:
            negatives = [row for row, positive in zip(self._rows, self._signs, strict=True) if not positive]
            for codes in itertools.product(*self._options()):
                if not any(covers(codes, row) for row in negatives):
                    yield Conjunction(self.columns, codes)
            if self.specific[0].covers_nothing:
                yield self.specific[0]

    def votes(self, X: Any) -> NDArray[np.float64]:
        """Share of the conjunctions that cover every row: 1 and 0 are certain; NaN where the space is empty.

        A cell whose level did not occur is covered by *any* alone.
        """
        arrays, n_rows = read_cells(X, self._schema)
        cells = [np.where(np.isnan(each), -1, each).astype(np.int64).tolist() for each in by_column(arrays)]
        if self.is_empty:
            return np.full(n_rows, np.nan)
        shares = {row: self._count(row) / self.count for row in set(zip(*cells, strict=True))}
        return np.array([shares[row] for row in zip(*cells, strict=True)])

    def predict(self, X: Any) -> NDArray[Any]:
        """Whether every row is of the class: True or False where all conjunctions agree, None where they do not."""
        votes = self.votes(X)
        return np.array([True if vote == 1 else False if vote == 0 else None for vote in votes.tolist()], object)

    def _options(self) -> list[list[int | None]]:
        """By column what members of the space may ask for."""
        least = self.specific[0].codes
        if least is None:
            return [[None, *range(len(column.levels))] for column in self.columns]
        return [[None] if code is None else [None, code] for code in least]

    def _count(self, row: Row | None) -> int:
        """How many members there are, or how many of them cover a row."""
        if self.is_empty:
            return 0
        negatives = [one for one, positive in zip(self._rows, self._signs, strict=True) if not positive]
        # By counterexamples that are still covered, a bit each: how many beginnings of conjunctions cover just these.
        states = {(1 << len(negatives)) - 1: 1}
        for j, options in enumerate(self._options()):
            after: dict[int, int] = {}
            for option in options:
                if row is not None and option is not None and option != row[j]:
                    continue
                held = sum(1 << i for i, one in enumerate(negatives) if option is None or one[j] == option)
                for covered, ways in states.items():
                    after[covered & held] = after.get(covered & held, 0) + ways
            states = after
            if len(states) > MOST_STATES:
                shape = f"{counted(len(self.columns), 'column')} and {counted(len(negatives), 'counterexample')}"
                raise ValueError(
                    f"counting the conjunctions of {shape} takes more than {MOST_STATES:,} sets of rows: use fewer of either"
                )
        return states.get(0, 0) + (row is None and self.specific[0].covers_nothing)

    def __str__(self) -> str:
        found = counted(self.count, "conjunction") if not self.is_empty else "no conjunction agrees with the rows"
        return f"S = {_listed(self.specific)}\nG = {_listed(self.general)}\n{found}"

    def __repr__(self) -> str:
        return (
            f"VersionSpace(positive={shown(self.positive)}, specific={_listed(self.specific)}, general={_listed(self.general)})"
        )

    def trace(self) -> str:
        """The boundaries after every row, as text."""
        return "\n".join(map(str, self.steps))


def _positive(asked: Any, classes: tuple[Any, ...], occurring: list[Any]) -> Any:
    if asked is None and len(occurring) == 2:
        return occurring[1]
    if asked is None:
        known = f"{counted(len(occurring), 'class', 'classes')}, {shown(occurring)}"
        raise ValueError(f"the target has {known}: say which of them is to be covered (positive=)")
    found = [label for label in classes if label == asked]
    if not found:
        raise ValueError(f"positive={shown(asked)} is no class: the target has {shown(list(classes))}")
    return found[0]
