"""A tree of scikit-learn as one of ours. It compares values rounded to 32 bits with 64-bit thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.adopt.binary import Binary, adopt
from treewright.adopt.single import at_most
from treewright.model import Tree
from treewright.table import ColumnSchema, TargetSchema


@dataclass(frozen=True)
class Seen:
    """A table and its classes, and what a tree has seen of them.

    Attributes
    ----------
    columns : sequence of ColumnSchema
        All columns.
    named : bool
        Whether they have names of their own.
    classes : tuple or None
        All classes; None for numbers.
    columns_at, classes_at : array of int
        Positions among all of the columns and classes that the tree knows.
    """

    columns: Sequence[ColumnSchema]
    named: bool
    classes: tuple[Any, ...] | None
    columns_at: Any
    classes_at: Any

    def read(self, grown: Any) -> Tree:
        """Return the nodes of a tree of scikit-learn as a Tree over all columns and classes."""
        nodes = _binary(grown, self.classes is not None)
        nodes.column = self.columns_at[np.maximum(nodes.column, 0)]  # below 0 at leaves
        outputs: tuple[str, ...] = ()
        if nodes.shares is not None and self.classes is not None:
            known, nodes.shares = nodes.shares, np.zeros((len(nodes.left), len(self.classes)))
            nodes.shares[:, self.classes_at] = known
        elif grown.n_outputs > 1:
            outputs = tuple(f"y{j}" for j in range(grown.n_outputs))
        target = TargetSchema("target", self.classes, outputs=outputs, row_weight=_row_weight(grown))
        return adopt(nodes, self.columns, self.named, target, "the tree of scikit-learn")


def _binary(grown: Any, classes: bool) -> Binary:
    left, right = np.asarray(grown.children_left), np.asarray(grown.children_right)
    threshold = np.asarray(grown.threshold, np.float64)
    inner, presence = left >= 0, np.isinf(threshold)
    cut, below, above = at_most(np.where(inner & ~presence, threshold, 0.0))
    weight, impurity = np.asarray(grown.weighted_n_node_samples), np.asarray(grown.impurity)
    values = np.asarray(grown.value)[:, 0, :]
    several = np.asarray(grown.value)[:, :, 0] if grown.n_outputs > 1 else None
    impurity = impurity * grown.n_outputs  # scikit-learn's is the mean of the targets', ours the sum
    sides = np.maximum(left, 0), np.maximum(right, 0)
    after = sum(weight[side] * impurity[side] for side in sides) / weight
    return Binary(
        left=left,
        right=right,
        column=np.asarray(grown.feature),
        cut=cut,
        below=below,
        above=above,
        missing_left=np.asarray(grown.missing_go_to_left),
        weight=weight,
        impurity=impurity,
        gain=np.where(inner, impurity - after, 0.0),
        value=None if classes else values[:, 0] if several is None else several.mean(axis=1),
        shares=_class_weights(values, weight) if classes else None,
        presence=presence,
        vectors=several,
    )


def _class_weights(shares: Any, weight: Any) -> Any:
    """Weights of the classes from their shares; whole ones where rows were counted."""
    weights = shares * weight[:, None]
    whole = np.rint(weights)
    return whole if np.allclose(weights, whole, rtol=1e-9, atol=1e-6) and np.all(np.rint(weight) == weight) else weights


def _row_weight(grown: Any) -> float:
    """What one row weighs: 1 where the nodes can hold copies of rows, else the mean over the rows the tree was grown from."""
    weight, rows = np.asarray(grown.weighted_n_node_samples), np.asarray(grown.n_node_samples)
    mean = float(weight[0] / rows[0])
    copies = np.all(weight == np.rint(weight)) and np.all(weight >= rows)
    # Balanced class weights keep the sum, but for rounding.
    return 1.0 if copies or math.isclose(mean, 1.0, rel_tol=1e-9) else mean
