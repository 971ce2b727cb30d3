"""The test of a node, decoded once: what is tested, how its values are divided among the branches, where missing cells go.

Conditions, ``Node.split``, pictures and exported programs read these values, not the columns of the core. What is tested (the
*source*) is apart from how it is divided: a number derived from several columns is one more source, with cuts as any number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.linear import Equation, LinearTerm
from treewright.model.node_columns import NodeColumns
from treewright.table import ColumnSchema, TableSchema

FAMILIES: tuple[str, ...] = tuple(_core.families())
EVERY = -2  # the branch of missing cells that go down all branches, by their weights
NO_BRANCH = -1  # the branch of what is refused

_PRESENCE = FAMILIES.index("presence")


@dataclass(frozen=True, slots=True)
class Source:
    """What is tested: the cells of one column, or a number derived from several.

    Attributes
    ----------
    index : int
        Position of the column; of a derived number a position beyond all of them, which no other node has.
    column : ColumnSchema
        The column; of a derived number one as if it were a column, named by its terms.
    equation : Equation or None
        How the number is computed, where it is derived.
    """

    index: int
    column: ColumnSchema
    equation: Equation | None = None

    def cells(self, columns: Sequence[NDArray[Any]], rows: Any = slice(None)) -> NDArray[Any]:
        """What is compared, of some rows, given all columns of a table as the core reads them."""
        if self.equation is None:
            return columns[self.index][rows]
        return self.equation.answers([column[rows] for column in columns])


class Cuts(NamedTuple):
    """Ordered values, divided at thresholds: a value belongs to the first interval whose cut it does not exceed.

    Attributes
    ----------
    at : tuple of float
        The thresholds, ascending.
    below, above : tuple of float
        The training values next to each of them.
    strict : bool
        Whether a value must be less than a cut to lie below it; else it may be equal.
    to : tuple of int
        The branch of every interval, ascending: one more than there are cuts.
    """

    at: tuple[float, ...]
    below: tuple[float, ...]
    above: tuple[float, ...]
    strict: bool
    to: tuple[int, ...]


class Levels(NamedTuple):
    """Levels, divided by lists.

    Attributes
    ----------
    to : dict of int to int
        The branch of every level that is listed, by its code, in declared order.
    otherwise : int or None
        The branch of levels that training showed and the split does not list; None: they count as missing.
    """

    to: dict[int, int]
    otherwise: int | None


class Presence(NamedTuple):
    """Cells that are there against missing ones."""

    to: int = 0  # the branch of cells that are there


Division = Cuts | Levels | Presence


class NodeTest(NamedTuple):
    """The test of a node.

    Attributes
    ----------
    source : Source
        What is tested.
    division : Cuts, Levels or Presence
        How its values are divided.
    family : str
        Which family of splits found it.
    n_branches : int
        How many branches there are; one that no value leads to is that of missing cells alone.
    missing_to : int
        The branch of a missing cell, or ``EVERY``.
    missing_seen : bool
        Whether training had missing cells there.
    refuses : bool
        Whether the tree refuses missing cells, whatever ``missing_to`` is.
    """

    source: Source
    division: Division
    family: str
    n_branches: int
    missing_to: int
    missing_seen: bool
    refuses: bool

    @property
    def missing_branch(self) -> int:
        """Where a missing cell goes: a branch, ``EVERY``, or ``NO_BRANCH`` where it is refused."""
        return NO_BRANCH if self.refuses else self.missing_to


class SurrogateTest(NamedTuple):
    """A test of another column that decides where the cell of a node's own test is missing; values it does not divide pass it on.

    Attributes
    ----------
    source, division
        As of a :class:`NodeTest`: one cut, or listed levels, and two branches.
    agreement, adjusted, gain, sent : float
        How good it is: see :class:`treewright.model.surrogate.Surrogate`.
    """

    source: Source
    division: Cuts | Levels
    agreement: float
    adjusted: float
    gain: float
    sent: float


class Thresholds(NamedTuple):
    """All thresholds on one column, in the order of nodes, those of surrogates last: a cut and its neighbours per entry."""

    at: NDArray[np.float64]
    strict: NDArray[np.bool_]
    below: NDArray[np.float64]
    above: NDArray[np.float64]


class Splits:
    """Reads the tests of a tree's nodes; those of leaves must not be asked for."""

    def __init__(self, schema: TableSchema, columns: NodeColumns) -> None:
        """Read from columns: arrays, or lists for those who ask of every node."""
        self._schema, self._columns = schema, columns
        self._refuses = schema.missing == "refuse"

    def lists(self) -> Splits:
        """The same, for those who ask of every node."""
        return Splits(self._schema, self._columns.lists())

    def test(self, id: int) -> NodeTest:
        """The test of a node."""
        columns, source = self._columns, self.source(id)
        return NodeTest(
            source,
            self.division(id),
            FAMILIES[columns.family[id]],
            int(columns.n_children[id]),
            int(columns.missing_to[id]),
            bool(columns.missing_seen[id]),
            self._refuses,
        )

    def source(self, id: int) -> Source:
        """What a node tests."""
        index = int(self._columns.column[id])
        begin, end = self._columns.run("term", id)
        return self._derived(id, begin, end) if begin < end else Source(index, self._schema.columns[index])

    def _derived(self, id: int, begin: int, end: int) -> Source:
        columns, schema = self._columns, self._schema.columns
        terms = []
        for t in range(begin, end):
            index, level = int(columns.term_column[t]), int(columns.term_level[t])
            coefficient, missing = float(columns.term_coefficient[t]), float(columns.term_missing[t])
            terms.append(LinearTerm.of(schema[index], index, coefficient, None if level < 0 else (level,), missing))
        equation = Equation(0.0, tuple(terms))
        return Source(len(schema) + id, ColumnSchema(equation.sum_text(), "number"), equation)

    def division(self, id: int) -> Division:
        """How a node divides what it tests."""
        columns = self._columns
        if columns.family[id] == _PRESENCE:
            return Presence()
        begin, end = columns.run("term", id)
        if begin == end and self._schema.columns[columns.column[id]].nominal:
            begin, end = columns.run("level", id)
            otherwise = int(columns.otherwise[id])
            to = _branches(columns.level[begin:end], columns.level_branch[begin:end])
            return Levels(to, None if otherwise < 0 else otherwise)
        begin, end = columns.run("cut", id)
        at, below, above = (tuple(map(float, pool[begin:end])) for pool in (columns.cut_at, columns.cut_below, columns.cut_above))
        return Cuts(at, below, above, bool(columns.strict[id]), tuple(range(end - begin + 1)))

    def shares(self, id: int) -> list[float]:
        """The share of every branch of a node in the weight of its rows: what missing cells are divided by."""
        first, n = int(self._columns.first_child[id]), int(self._columns.n_children[id])
        weights = [float(weight) for weight in self._columns.weight[first : first + n]]
        total = sum(weights)
        return [weight / total if total > 0 else 1 / n for weight in weights]

    def surrogates(self, id: int) -> list[SurrogateTest]:
        """The surrogates of a node's test, best first; the first that knows its own cell decides."""
        columns = self._columns
        begin, end = columns.run("surrogate", id)
        if begin == end:
            return []
        level, _ = columns.run("imitated", id)
        out = []
        for s in range(begin, end):
            after = level + int(columns.surrogate_levels[s])
            index = int(columns.surrogate_column[s])
            source = Source(index, self._schema.columns[index])
            facts = (columns.surrogate_agreement, columns.surrogate_adjusted, columns.surrogate_gain, columns.surrogate_sent)
            out.append(SurrogateTest(source, self._surrogate(id, s, level, after), *(float(each[s]) for each in facts)))
            level = after
        return out

    def _surrogate(self, id: int, s: int, begin: int, end: int) -> Cuts | Levels:
        columns = self._columns
        if self._schema.columns[columns.surrogate_column[s]].nominal:
            return Levels(_branches(columns.surrogate_level[begin:end], columns.surrogate_branch[begin:end]), None)
        low = int(columns.surrogate_below[s])
        at, below, above = ((float(each[s]),) for each in (columns.surrogate_at, columns.surrogate_low, columns.surrogate_high))
        return Cuts(at, below, above, bool(columns.strict[id]), (low, 1 - low))

    def thresholds(self, index: int, surrogates: bool = True) -> Thresholds:
        """All thresholds on a column, wherever in the tree they are; needs columns as arrays."""
        columns = self._columns
        owner = columns.owners("cut")
        mine = (columns.column[owner] == index) & (columns.n_terms[owner] == 0)
        out = Thresholds(columns.cut_at[mine], columns.strict[owner[mine]] == 1, columns.cut_below[mine], columns.cut_above[mine])
        if not surrogates:
            return out
        owner = columns.owners("surrogate")
        mine = columns.surrogate_column == index
        more = Thresholds(
            columns.surrogate_at[mine],
            columns.strict[owner[mine]] == 1,
            columns.surrogate_low[mine],
            columns.surrogate_high[mine],
        )
        return Thresholds(*(np.concatenate(pair) for pair in zip(out, more, strict=True)))

    def tested(self, surrogates: bool = True) -> list[int]:
        """Positions of the columns that a test looks at, or a surrogate of one, ascending."""
        columns = self._columns
        pools = [columns.column, columns.term_column, *([columns.surrogate_column] if surrogates else [])]
        return sorted({index for pool in pools for index in np.asarray(pool).tolist()} - {-1})


def _branches(codes: Any, branches: Any) -> dict[int, int]:
    return {int(code): int(branch) for code, branch in zip(codes, branches, strict=True)}
