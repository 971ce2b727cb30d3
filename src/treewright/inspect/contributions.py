"""What each column contributes to what a model says of rows: Shapley values, which add up to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import counted, shown
from treewright.inspect.subsets import Answers, by_subsets
from treewright.model import Forest, Tree
from treewright.model.combine import Mean, Scores, Vote
from treewright.model.gates import Pieces
from treewright.model.leaves.per_node import Entries, PerNode
from treewright.model.protocol import Model
from treewright.model.routing import Cells, Routing
from treewright.model.rules import by_column
from treewright.model.splits import EVERY
from treewright.table import ColumnSchema, read_cells

Floats = NDArray[np.float64]
_ROUNDING = 1e-12  # shares of classes add up to 1 but for this


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each column contributes to what a model says of rows: ``base`` plus the sum over the columns is the answer.

    Attributes
    ----------
    names : tuple of str
        The columns of the table.
    base : array
        What the model says if nothing is known of a row: one number, or one per class or number of the target.
    values : array of shape (rows, columns) or (rows, columns, classes or numbers)
        What every column adds to it.
    classes : tuple or None
        The classes, where shares of classes are explained.
    outputs : tuple of str
        The numbers, where a row is told several.
    """

    names: tuple[str, ...]
    base: Floats
    values: Floats
    classes: tuple[Any, ...] | None
    outputs: tuple[str, ...]
    _columns: tuple[ColumnSchema, ...]
    _cells: tuple[NDArray[Any], ...]
    _index: Any = None  # of a pandas frame

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def answers(self) -> Floats:
        """Base and contributions added up: the shares of ``predict_proba``, or the numbers of ``predict``."""
        return np.asarray(self.base + self.values.sum(axis=1))

    @property
    def several(self) -> tuple[Any, ...]:
        """The classes or numbers of which there is a contribution each; none where a row is told one number."""
        return self.outputs if self.classes is None else self.classes

    def of(self, which: Any) -> tuple[float, Floats]:
        """Base, and contributions of shape (rows, columns), of one class, or of one of several numbers by its name."""
        if not self.several:
            if which is not None:
                raise ValueError(f"of={shown(which)} is not allowed: these are contributions to one number, leave it out")
            return float(self.base), self.values
        found = [k for k, each in enumerate(self.several) if each == which]
        if not found:
            raise ValueError(f"of={shown(which)} is none of {shown(list(self.several))}")
        return float(self.base[found[0]]), self.values[:, :, found[0]]

    def cell(self, row: int, column: int) -> str | None:
        """A cell of the rows as it is written; None where it is missing."""
        return self._columns[column].cell_text(float(self._cells[column][row]))

    def row(self, row: Any) -> int:
        """Return the position of a row, checked; negative ones count from the end."""
        if isinstance(row, bool) or not isinstance(row, (int, np.integer)) or not -len(self) <= row < len(self):
            raise ValueError(f"row={shown(row)} is not allowed: it must be a position among {counted(len(self), 'row')}, from 0")
        return int(row) % len(self)

    def to_frame(self) -> Any:
        """Return the contributions as a table: a pandas DataFrame, or a pyarrow Table where pandas is not installed.

        A column per column, a row per row, under the index that the rows had; of several classes or numbers a row each, the index
        (in a pyarrow Table two columns in front) says which.
        """
        many = self.several
        if not many:
            flat, rows, which = self.values, np.arange(len(self)), None
        else:
            flat = self.values.transpose(0, 2, 1).reshape(-1, len(self.names))
            rows, which = np.repeat(np.arange(len(self)), len(many)), list(many) * len(self)
        kind = "class" if self.classes is not None else "number"
        if find_spec("pandas") is not None:
            import pandas as pd

            index = pd.RangeIndex(len(self), name="row") if self._index is None else self._index
            names = [name or ("row" if len(index.names) == 1 else None) for name in index.names]
            if which is not None:
                levels = [index.get_level_values(at)[rows] for at in range(index.nlevels)]
                index, names = pd.MultiIndex.from_arrays([*levels, which]), [*names, kind]
            return pd.DataFrame(flat, index=index.set_names(names), columns=list(self.names))
        import pyarrow as pa

        front = {"row": pa.array(rows)} | ({} if which is None else {kind: pa.array(which)})
        arrays = [*front.values(), *(pa.array(np.ascontiguousarray(each)) for each in flat.T)]
        return pa.Table.from_arrays(arrays, names=[*front, *self.names])

    def plot(self, row: int | None = None, *, of: Any = None, max_columns: int = 12, ax: Any = None) -> Any:
        """Draw the contributions to one answer, or the mean of their sizes over all rows.

        Parameters
        ----------
        row : int, optional
            The row, by position: bars lead from the base to the answer. Without it a bar per column is as long as its
            contributions are on average, whatever their sign.
        of : class, or name of a number, optional
            Which class, or which of several numbers. Of a row the class with the largest share if not given, of all rows every
            class in its colour (the second of two); of several numbers the first.
        max_columns : int, default 12
            Columns that contribute less than these are one bar.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib Axes
        """
        return parts.writer("plot_contributions")(self, row, of, max_columns, ax)

    def ordered(self, classes: Sequence[Any]) -> Contributions:
        """Return the same, with these classes in this order."""
        assert self.classes is not None
        order = [self.classes.index(each) for each in classes]
        return replace(self, base=self.base[order], values=self.values[:, :, order], classes=tuple(classes))

    def __repr__(self) -> str:
        return f"<Contributions: {counted(len(self), 'row')}, {counted(len(self.names), 'column')}>"


def contributions(model: Model, X: Any, background: Any = None, threads: int = 1) -> Contributions:
    """Shapley values of the columns; see :meth:`treewright.model.protocol.Model.contributions`."""
    if isinstance(model, Forest) and isinstance(model.combine, Scores):
        model = model.raw  # what a link makes of sums is no sum
    schema, target = model.schema, model.target
    rows = read_cells(X, schema)
    against = None if background is None else read_cells(background, schema)
    if against is not None and against[1] == 0:
        raise ValueError("background has no rows: give some that stand in for what is not known, such as training rows")
    base, values = _found(model, Asked(rows, against, threads))
    if not target.outputs and target.classes is None:
        base, values = base[0], values[:, :, 0]
    cells = tuple(by_column(rows[0]))
    index = X.index if hasattr(X, "iloc") else None
    return Contributions(
        tuple(schema.names), np.asarray(base), values, target.classes, target.outputs, schema.columns, cells, index
    )


@dataclass(frozen=True)
class Asked:
    """Rows to explain, the background, and on how many threads."""

    rows: Cells
    background: Cells | None
    threads: int


Found = tuple[Floats, Floats]  # base per sum; rows x columns x sums


def _found(model: Model, asked: Asked) -> Found:
    """Contributions to class shares or numbers, by the shortest way that is exact."""
    members = model.members if isinstance(model, Forest) else (model,)
    why = _no_sum_of_leaves(model, asked)
    if why is None:
        return _by_leaves(model, asked)
    if isinstance(model, Forest) and isinstance(model.combine, Mean):
        # The contributions to a mean are the mean of the contributions.
        total = sum(model.weights)
        each = [_found(member, asked) for member in members]
        shares = [weight / total for weight in model.weights]
        base = sum((share * one[0] for share, one in zip(shares, each, strict=True)), np.zeros(1))
        return base, sum((share * one[1] for share, one in zip(shares, each, strict=True)), np.zeros((1, 1, 1)))
    if asked.background is None:
        raise ValueError(f"{why}: give background=, a table of rows that stand in for what is not known of a row")
    answers: Answers = lambda cells: _answers(model, cells, asked.threads)  # noqa: E731
    return by_subsets(model, answers, asked.rows, asked.background, why)


def _answers(model: Model, cells: Cells, threads: int = 1) -> Floats:
    """Class shares or numbers of rows: rows x sums."""
    if model.target.classes is not None:
        return model.shares_of_cells(cells, threads)
    return np.asarray(model.predict_cells(cells, threads), np.float64).reshape(cells[1], -1)


# -- sums over leaves --------------------------------------------------------------------------------------------------


def _no_sum_of_leaves(model: Model, asked: Asked) -> str | None:
    """Why the answer of a model is no sum over leaves of trees that ask for a column each; None where it is."""
    trees: Sequence[Model] = (model,)
    vote = False
    if isinstance(model, Forest):
        trees, combine = model.members, model.combine
        vote = type(combine) is Vote
        if not vote and not isinstance(combine, (Mean, Scores)):
            return f"the {combine.text} members is no sum over them"
    for tree in trees:
        if not isinstance(tree, Tree):
            return f"{tree.kind} are no sum over leaves" if tree.kind == "rules" else f"a {tree.kind} is no sum over leaves"
        if not isinstance(tree.leaf_model, PerNode):
            return "the leaves of this tree compute what they answer"
        if tree.leaf_model.scored:
            return "the leaves of this tree are mixed by scores of classes"
        if tree.smooth:
            return "the gates of this tree change along the logistic function"
        for id in np.flatnonzero(tree.node_columns.n_terms).tolist():
            source = tree.splits.source(id)
            if source.equation is not None and len({j for term in source.equation.terms for j in term.indices}) > 1:
                return f"node {id} tests {shown(source.column.name)}, a number made of several columns"
        if vote and _divides(tree, asked):
            return "a member that divides a row among its leaves has one vote, which is no sum over them"
        if asked.background is not None and np.any(tree.node_columns.n_surrogates) and _lacks(tree, asked):
            return "surrogates read other columns where a cell is missing"
    return None


def _divides(tree: Tree, asked: Asked) -> bool:
    """Whether a tree may divide rows: the given ones, or with a background any mixture of theirs with its rows."""
    if tree.gates:
        return True
    if not np.any(tree.node_columns.missing_to == EVERY):
        return False
    if asked.background is not None:
        return _lacks(tree, asked)
    return Routing(tree, None, asked.threads, asked.rows).routes()[1] is not None


def _lacks(tree: Tree, asked: Asked) -> bool:
    """Whether a cell that is tested may be missing, or of a level that a node does not list, which is as good as missing."""
    nodes = tree.node_columns
    if len(nodes.level_begin):
        levels = np.array([len(column.levels) if column.nominal else 0 for column in tree.columns])
        levels = levels[np.asarray(nodes.column)]
        listed = np.diff(nodes.level_begin.astype(np.int64))
        if np.any(~nodes.is_leaf & (nodes.otherwise < 0) & (listed < levels)):
            return True
    for given in (asked.rows, asked.background):
        cells = [] if given is None else by_column(given[0])
        for j in tree.splits.tested() if cells else []:
            column = cells[j]
            if np.any(column < 0) if tree.columns[j].nominal else column.dtype.kind == "f" and np.any(np.isnan(column)):
                return True
    return False


def _by_leaves(model: Model, asked: Asked) -> Found:
    """Contributions by one walk of the core through every tree."""
    trees, weights = ((model,), (1.0,)) if not isinstance(model, Forest) else (model.trees, model.weights)
    combine = model.combine if isinstance(model, Forest) else Mean()
    entries = []
    for at, tree in enumerate(trees):
        assert isinstance(tree, Tree) and isinstance(tree.leaf_model, PerNode)
        found = combine.entries(tree.leaf_model, at)
        assert found is not None
        entries.append(found)
    width = combine.width(model.target)
    # What one class gains the others lose: the last is known from the rest.
    rest = model.target.classes is not None and width > 1 and all(map(_add_up, entries))
    packed = _core.Members(width - rest)
    for tree, weight, one in zip(trees, weights, entries, strict=True):
        assert isinstance(tree, Tree)
        packed.add(tree._core, *(_without(width - 1, one) if rest else one), weight)
        for gate in tree.gates.values():
            pieces = gate.form
            assert isinstance(pieces, Pieces)
            packed.add_gate(gate.node, list(pieces.at), list(pieces.share))
    arrays, n_rows = asked.rows
    others, n_others = asked.background or ([], 0)
    base, flat = packed.contributions(arrays, n_rows, others, n_others, asked.threads)
    values = flat.reshape(n_rows, len(model.schema.columns), width - rest)
    if rest:
        base = np.append(base, 1 - base.sum())
        values = np.concatenate([values, -values.sum(axis=2, keepdims=True)], axis=2)
    if isinstance(combine, Scores):  # a sum where others are means
        base, values = np.array(combine.base) + base * sum(weights), values * sum(weights)
    if asked.background is not None:
        base = _answers(model, asked.background, asked.threads).mean(axis=0)
    return base, values


def _add_up(entries: Entries) -> bool:
    begin, _, values = entries
    return bool(np.all(np.abs(np.add.reduceat(values, begin[:-1].astype(np.int64)) - 1) <= _ROUNDING))


def _without(last: int, entries: Entries) -> Entries:
    """The entries of all sums but the last."""
    begin, sums, values = entries
    kept = sums != last
    ends = np.concatenate([[0], np.cumsum(kept)])[begin.astype(np.int64)]
    return ends.astype(np.uint32), np.ascontiguousarray(sums[kept]), np.ascontiguousarray(values[kept])
