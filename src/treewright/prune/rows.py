"""Rows apart from the training rows, and their losses at every node of a tree."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import TreewrightWarning, outside
from treewright.model import Tree
from treewright.prune.costs import costs_of
from treewright.table import read_cells
from treewright.table.core import core_table
from treewright.table.streams import as_table
from treewright.table.target import match_target
from treewright.table.weights import ReadWeights, read_weights

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Losses:
    """By node: weight of the rows that pass it (as their classes count), their losses if it were a leaf, and their squares."""

    weight: Floats
    loss: Floats
    square: Floats
    row_weight: float = 1.0  # what one of the rows weighs

    def as_training(self, tree: Tree) -> bool:
        """Whether the rows weigh on every node what the training rows do, and lose as much."""
        if not tree.target.factors and not np.allclose(self.weight, tree.node_columns.weight, rtol=1e-9):
            return False
        own = np.asarray(_core.own_risk(tree._core, "error", costs_of(tree.target)))
        return bool(np.allclose(self.loss, own, rtol=1e-9, atol=1e-9 * max(1.0, float(own[0]))))


@dataclass(frozen=True)
class Rows:
    """A table with its target, as the user gave them."""

    X: Any
    y: Any
    sample_weight: Any = None

    def training_table(self, tree: Tree) -> _core.TableInput:
        """The rows a tree was grown from as the core takes them, their weights in rows."""
        arrays, codes, weights = self.numbers(tree)
        return core_table(tree.columns, arrays, tree.target, codes, weights.given, 0, weights.each)

    def numbers(self, tree: Tree) -> tuple[list[NDArray[Any]], NDArray[Any], ReadWeights]:
        """The rows of any weight as arrays, matched to a tree: cells by column, codes or numbers of the target, weights."""
        if self.y is None:
            raise ValueError("these rows have no target: pass X and y")
        arrays, n_rows = read_cells(as_table(self.X), tree.schema)
        if n_rows == 0:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        read = read_weights(self.sample_weight, n_rows)
        if hasattr(self.y, "__len__") and len(self.y) != n_rows:
            raise ValueError(f"X has {n_rows} rows and y has {len(self.y)}: inconsistent numbers of samples")
        codes = match_target(self.y, tree.target, read.keep)
        return arrays if read.keep is None else [array[read.keep] for array in arrays], codes, read

    def total(self) -> float:
        """Weight of all rows."""
        if self.sample_weight is None:
            return float(as_table(self.X).shape[0])
        return float(np.sum(np.asarray(self.sample_weight, np.float64)))

    def losses(self, tree: Tree, threads: int = 1) -> Losses:
        """Losses of the rows at every node. A row that goes down several branches counts in fractions."""
        arrays, codes, weights = self.numbers(tree)
        table = core_table(tree.columns, arrays, tree.target, codes, weights.given, 1)
        return replace(held_out(tree._core, table, costs_of(tree.target), threads), row_weight=weights.each)

    def apart(self, tree: Tree, losses: Losses) -> None:
        """Warn if these seem to be the rows the tree was grown from."""
        if tree.n_nodes > 1 and losses.as_training(tree):
            warnings.warn(
                "the pruning rows weigh on every node what the training rows do: on the rows it was grown from, a tree seems "
                "better than it is; pass rows that were held out, or cross-validate with est.prune(..., folds=10)",
                TreewrightWarning,
                stacklevel=outside(),
            )


def held_out(core: _core.Tree, table: _core.TableInput, costs: _core.Costs, threads: int = 1) -> Losses:
    """Losses of the rows of a table at every node of a tree."""
    weight, loss, square = (np.asarray(sums) for sums in _core.held_out(core, table, costs, threads))
    return Losses(weight, loss, square)


def given_rows(rows: Any, y: Any = None, sample_weight: Any = None) -> Rows | None:
    """Rows from X, y and weights, or from a tuple of these; None where nothing was given."""
    if isinstance(rows, Rows):
        return rows
    if rows is None:
        if y is not None or sample_weight is not None:
            raise ValueError("y and sample_weight belong to rows: pass X as well")
        return None
    if y is None and isinstance(rows, tuple):
        if len(rows) not in (2, 3):
            raise TypeError(f"rows must be (X, y) or (X, y, sample_weight), not a tuple of {len(rows)}")
        return Rows(*rows)
    if y is None:
        raise ValueError("rows need a target: pass X and y")
    return Rows(rows, y, sample_weight)
