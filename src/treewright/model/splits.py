"""The test of a node, decoded once: what is tested, how its values are divided among the branches, where missing cells go.

Conditions, ``Node.split``, pictures and exported programs read these values, not the columns of the core. What is tested (the
*source*) is apart from how it is divided: a number derived from several columns is one more source, with cuts as any number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.node_columns import NodeColumns, NodeEntries
from treewright.model.sources import Source, Sources
from treewright.table import TableSchema

FAMILIES: tuple[str, ...] = tuple(_core.families())
EVERY = -2  # the branch of missing cells that go down all branches, by their weights
NO_BRANCH = -1  # the branch of what is refused

_PRESENCE = FAMILIES.index("presence")


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
    to : sequence of int
        The branch of every interval, ascending: one more than there are cuts.
    """

    at: tuple[float, ...]
    below: tuple[float, ...]
    above: tuple[float, ...]
    strict: bool
    to: Sequence[int]


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
_PRESENT = Presence()


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

    def leads_to(self, branch: int) -> bool:
        """Whether any value leads to a branch; else it is that of missing cells alone."""
        division = self.division
        if isinstance(division, Levels):
            return branch == division.otherwise or branch in division.to.values()
        return branch in division.to if isinstance(division, Cuts) else branch == division.to


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
    """Reads the tests of a tree's nodes; those of leaves must not be asked for.

    Attributes
    ----------
    entries : NodeEntries
        The columns that are read.
    """

    def __init__(
        self, schema: TableSchema, columns: NodeColumns, entries: NodeEntries | None = None, sources: Sources | None = None
    ) -> None:
        """Read a tree; its entries may be tuples, and what is tested may be known already."""
        self._schema, self._columns = schema, columns
        self._refuses = schema.missing == "refuse"
        self._sources = Sources(schema, columns) if sources is None else sources
        self.entries = entries = columns.entries if entries is None else entries
        # What every test is read from.
        self._column, self._family, self._n_children = entries.column, entries.family, entries.n_children
        self._missing_to, self._missing_seen = entries.missing_to, entries.missing_seen
        self._cut_begin, self._strict = entries.cut_begin, entries.strict
        self._cut_at, self._cut_below, self._cut_above = entries.cut_at, entries.cut_below, entries.cut_above

    def tuples(self) -> Splits:
        """The same, for those who ask of every node."""
        return Splits(self._schema, self._columns, self._columns.tuples(), self._sources)

    def test(self, id: int) -> NodeTest:
        """The test of a node."""
        source = self.source(id)
        return NodeTest(
            source,
            self._division(id, source),
            FAMILIES[self._family[id]],
            self._n_children[id],
            self._missing_to[id],
            self._missing_seen[id] != 0,
            self._refuses,
        )

    @property
    def spreads(self) -> Sequence[Sequence[float]]:
        """How much the columns vary, where it is known: see :class:`TableSchema`."""
        return self._schema.spreads

    @property
    def derived(self) -> dict[int, Source]:
        """The numbers that are derived from several columns, by the nodes that test them."""
        return self._sources.derived

    def source(self, id: int) -> Source:
        """What a node tests."""
        sources = self._sources
        return sources.derived[id] if id in sources.derived else sources.of_column(self._column[id])

    def division(self, id: int) -> Division:
        """How a node divides what it tests."""
        return self._division(id, self.source(id))

    def _division(self, id: int, source: Source) -> Division:
        if self._family[id] == _PRESENCE:
            return _PRESENT
        if source.column.nominal:
            return self._levels(id)
        own = slice(self._cut_begin[id], self._cut_begin[id + 1])  # never empty, so that there are offsets
        at = tuple(self._cut_at[own])
        return Cuts(at, tuple(self._cut_below[own]), tuple(self._cut_above[own]), self._strict[id] != 0, range(len(at) + 1))

    def _levels(self, id: int) -> Levels:
        entries = self.entries
        begin, end = entries.run("level", id)
        to = dict(zip(entries.level[begin:end], entries.level_branch[begin:end], strict=True))
        otherwise = entries.otherwise[id]
        return Levels(to, None if otherwise < 0 else otherwise)

    def threshold(self, id: int) -> tuple[float, float, float, bool]:
        """The first cut of a node, the training values next to it, and whether a value must be less to lie below."""
        first = self._cut_begin[id]
        return self._cut_at[first], self._cut_below[first], self._cut_above[first], self._strict[id] != 0

    def shares(self, id: int) -> list[float]:
        """The share of every branch of a node in the weight of its rows: what missing cells are divided by."""
        first, n = self.entries.first_child[id], self.entries.n_children[id]
        weights: Sequence[float] = self.entries.weight[first : first + n]
        total = sum(weights)
        return [weight / total if total > 0 else 1 / n for weight in weights]

    def surrogates(self, id: int) -> list[SurrogateTest]:
        """The surrogates of a node's test, best first; the first that knows its own cell decides."""
        entries = self.entries
        begin, end = entries.run("surrogate", id)
        if begin == end:
            return []
        level, _ = entries.run("imitated", id)
        out = []
        for s in range(begin, end):
            after = level + entries.surrogate_levels[s]
            source = self._sources.of_column(entries.surrogate_column[s])
            facts = (entries.surrogate_agreement, entries.surrogate_adjusted, entries.surrogate_gain, entries.surrogate_sent)
            out.append(SurrogateTest(source, self._surrogate(id, s, source, level, after), *(each[s] for each in facts)))
            level = after
        return out

    def _surrogate(self, id: int, s: int, source: Source, begin: int, end: int) -> Cuts | Levels:
        entries = self.entries
        if source.column.nominal:
            return Levels(dict(zip(entries.surrogate_level[begin:end], entries.surrogate_branch[begin:end], strict=True)), None)
        low = entries.surrogate_below[s]
        at, below, above = ((each[s],) for each in (entries.surrogate_at, entries.surrogate_low, entries.surrogate_high))
        return Cuts(at, below, above, bool(entries.strict[id]), (low, 1 - low))

    def thresholds(self, index: int, surrogates: bool = True) -> Thresholds:
        """All thresholds on a column, wherever in the tree they are."""
        columns = self._columns
        owner = columns.owners("cut")
        mine = (columns.column[owner] == index) & (columns.n_terms[owner] == 0)
        out = Thresholds(columns.cut_at[mine], columns.strict[owner[mine]] == 1, columns.cut_below[mine], columns.cut_above[mine])
        if not surrogates or not len(columns.surrogate_column):
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
        pools = [columns.column, columns.term_column, columns.term_by, *([columns.surrogate_column] if surrogates else [])]
        return sorted({index for pool in pools for index in np.unique(pool).tolist()} - {-1})
