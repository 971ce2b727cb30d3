"""The rows a model is learned from, as the core reads them."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model import Tree
from treewright.model.leaves import ClassShares
from treewright.model.rules import by_column
from treewright.table import ColumnSchema, TableSchema, TargetSchema, learn_schema
from treewright.table.core import core_table
from treewright.table.frames import is_frame, shape_of
from treewright.table.keys import label_keys, row_keys
from treewright.table.match import missing_cell, refuse_infinity, refuse_missing
from treewright.table.sparse import dense, dense_arrays, is_sparse
from treewright.table.weights import KEPT, read_weights

Rows = NDArray[np.int64]
# The target's schema, a class (as a position) or number per row, and the classes that occur, sorted; None for numbers.
ReadTarget = tuple[TargetSchema, NDArray[Any], NDArray[Any] | None]


def count_rows(X: Any) -> int:
    """Return the number of rows of a table, refusing what has none or no columns."""
    n_rows, n_columns = shape_of(X)
    if n_columns == 0:
        shape = f"(shape=({n_rows}, 0))"
        raise ValueError(f"X has no columns: Found array with 0 feature(s) {shape} while a minimum of 1 is required.")
    if n_rows == 0:
        raise ValueError("X has no rows to learn from: Found array with 0 sample(s) while a minimum of 1 is required.")
    return n_rows


def seen_levels(core: _core.Tree, declared: bool) -> tuple[tuple[int, ...], ...]:
    """Return per column the codes of the levels that occurred in training, or of all that were declared."""
    return tuple(map(tuple, core.seen_levels(declared)))


@dataclass(frozen=True)
class Training:
    """The training rows as the core reads them."""

    columns: list[ColumnSchema]
    given: list[NDArray[Any]]  # the cells as the core reads them, of all rows of the table
    target: TargetSchema
    codes: NDArray[Any]
    weights: NDArray[Any] | None  # None: one each
    classes: NDArray[Any] | None  # those that occur, sorted; None: the target is numbers
    kept: NDArray[Any] | None = None  # which of the rows that were given these are; None: all
    factors: NDArray[np.float64] | None = None  # of the classes, where the weights include them
    row_weight: float = 1.0  # what one row weighs, as learners count rows
    named: bool = False  # whether they came as a frame
    encoded: _core.TableInput | None = None  # the table, where it was encoded for all samples of it
    drawn: Rows | None = None  # of a sample: which rows of the table these are

    @cached_property
    def arrays(self) -> list[NDArray[Any]]:
        """The cells of these rows; those of a sample are taken when they are first asked for, which growing trees never does."""
        return self.given if self.drawn is None else [array[self.drawn] for array in self.given]

    @cached_property
    def cells(self) -> tuple[list[NDArray[Any]], int]:
        """The cells of these rows, none of them left out, for models to answer; and how many rows these are."""
        return dense_arrays(self.arrays), len(self.codes)

    @property
    def occurring(self) -> list[Any]:
        """The classes that occur, where there are classes."""
        return [] if self.classes is None else list(self.classes.tolist())

    @property
    def total(self) -> float:
        """Weight of all rows, in rows."""
        return self.total_of(None)

    def total_of(self, rows: Rows | None) -> float:
        """Weight of some of the rows, in rows; None: of all."""
        if self.weights is None:
            return float(len(self.codes if rows is None else rows))
        total = float(np.sum(self.weights)) / self.row_weight
        if rows is None:
            return total
        # The core keeps weights to a part of their sum, the smallest as that: no row is without weight.
        return max(float(np.sum(self.weights[rows])) / self.row_weight, total * KEPT)

    @property
    def occurring_levels(self) -> tuple[tuple[int, ...], ...]:
        """Codes of the levels that occur, by column."""
        out: list[tuple[int, ...]] = []
        for array in self.arrays:
            if array.ndim == 2 or not self.columns[len(out)].nominal:
                out += [()] * (array.shape[1] if array.ndim == 2 else 1)
            else:
                out.append(tuple(np.flatnonzero(np.bincount(array[array >= 0].astype(np.int64))).tolist()))
        return tuple(out)

    @property
    def class_weights(self) -> NDArray[Any]:
        """Weight of every class."""
        return np.bincount(self.codes, self.weights, len(self.target.classes or ()))

    @property
    def counted(self) -> NDArray[Any] | None:
        """The weights in rows."""
        return None if self.weights is None else self.weights / self.row_weight

    def check_all(self, missing: str, *policies: str) -> None:
        """Refuse cells as growing from all rows would, before trees are grown from some of the rows; ``policies``: the remedy."""
        refuse_infinity(self.arrays, self.columns)
        if missing == "refuse":
            refuse_missing(self.arrays, self.columns, *policies)

    def has_missing(self) -> bool:
        """Whether any cell is missing."""
        return missing_cell(self.arrays, self.columns) is not None

    def subset(self, rows: Rows) -> Training:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        arrays = [array[rows] for array in self.arrays]
        codes, row_weight = self.codes[rows], self.row_weight
        return Training(self.columns, arrays, self.target, codes, weights, self.classes, row_weight=row_weight, named=self.named)

    def part(self, rows: Rows, weights: NDArray[np.float64] | None) -> Training:
        """Some of the rows, with weights of their own."""
        return replace(self.subset(rows), weights=weights)

    def encode(self, settings: _core.GrowSettings) -> Training:
        """The same rows with their table encoded, for many samples of them."""
        weights = np.ones(len(self.codes)) if self.weights is None else self.weights  # as samples will have some
        table = core_table(self.columns, self.arrays, self.target, self.codes, weights, row_weight=self.row_weight)
        table.prepare(settings)
        return replace(self, encoded=table)

    def weighing(self, weights: NDArray[np.float64], row_weight: float) -> Training:
        """The same rows with other weights; those of weight 0 are none. All levels and classes of these rows stay known."""
        if self.weights is not None:  # of the whole table the core keeps no less of any row
            weights = np.where(weights > 0, np.maximum(weights, float(np.sum(self.weights)) * KEPT), 0.0)
        if np.all(weights > 0):
            return replace(self, weights=weights, row_weight=row_weight)
        rows = np.flatnonzero(weights > 0)
        drawn = rows if self.drawn is None else self.drawn[rows]
        return replace(self, codes=self.codes[rows], weights=weights[rows], row_weight=row_weight, kept=None, drawn=drawn)

    def narrowed(self, columns: Sequence[int]) -> Training:
        """The same rows of some of the columns."""
        cells = by_column(self.given)
        return replace(
            self,
            columns=[self.columns[j] for j in columns],
            given=[cells[j] for j in columns],
            encoded=None if self.encoded is None else self.encoded.narrowed(list(columns)),
        )

    def keys(self, seed: int) -> tuple[NDArray[np.uint64], NDArray[np.int64] | None]:
        """A number per row that tells its contents, and its class: the same in any order of labels and columns."""
        arrays = list(self.arrays)  # of numbers alone it may be one matrix
        for j, column in enumerate(self.columns):
            if column.levels:
                codes = np.where(np.isnan(arrays[j]), -1, arrays[j]).astype(np.int64)
                arrays[j] = label_keys(column.levels)[codes]
        if self.target.classes is None:
            return row_keys(arrays, self.codes, self.weights, seed), None
        label = label_keys(self.target.classes)[self.codes]
        return row_keys(arrays, label, self.weights, seed), np.unique(label, return_inverse=True)[1]

    def table(self, rows: Rows | None = None) -> _core.TableInput:
        """All rows, or the given ones, for the core."""
        if rows is not None:
            return self.subset(rows).table()
        if self.encoded is not None:
            weights = np.ones(len(self.codes)) if self.weights is None else self.weights
            if self.drawn is None:
                return self.encoded.weighing(weights, self.row_weight)
            return self.encoded.sample(self.drawn, weights, self.row_weight)
        return core_table(self.columns, self.arrays, self.target, self.codes, self.weights, row_weight=self.row_weight)

    def tree(self, core: _core.Tree, policy: str) -> Tree:
        """A tree of these rows as a value, before its schema is final."""
        schema = TableSchema(tuple(self.columns), False, seen_levels(core, declared=True), "missing", policy)
        return Tree(core, schema, self.target)

    def answers(self, core: _core.Tree, policy: str) -> tuple[Rows, Rows]:
        """The class a tree gives every training row, as a position, and the leaf it ends in."""
        routes: Any = core.route(*self.cells, 1)
        leaves = self.tree(core, policy).leaf_model
        assert isinstance(leaves, ClassShares)
        return leaves.codes(routes), np.asarray(routes[0], np.int64)


def read_training(
    X: Any,
    y: Any,
    sample_weight: Any,
    nominal: Any,
    by_level: Container[str],
    read: Callable[..., ReadTarget],
    sparse: bool = False,
) -> Training:
    """Read the rows to learn from; those of weight 0 are none. ``read`` reads the target; ``sparse``: cells may stay so."""
    n_rows = count_rows(X)
    if is_sparse(X) and not sparse:
        X = dense(X)
    if isinstance(y, str):
        raise ValueError(f"y={y!r} is a name, not values: pass the column itself, such as X.drop(columns={y!r}) and X[{y!r}]")
    if y is not None and hasattr(y, "__len__") and getattr(y, "shape", None) != () and len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(y)}: inconsistent numbers of samples")
    weights = read_weights(sample_weight, n_rows)
    keep = weights.keep
    columns, arrays = learn_schema(X, nominal, by_level, keep)
    target, codes, classes = read(y, keep)
    row_weight, named = weights.each, is_frame(X)
    return Training(columns, arrays, target, codes, weights.given, classes, keep, row_weight=row_weight, named=named)


def declared_levels(training: Training) -> tuple[tuple[int, ...], ...]:
    """Return per column the codes of all levels that were declared."""
    return tuple(tuple(range(len(column.levels))) if column.nominal else () for column in training.columns)
