"""The space of one to three columns cut into the boxes of a tree's leaves: exact, read from the tree, not from pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from treewright.errors import shown, unknown
from treewright.model.condition import gone
from treewright.model.rules import cells_of

if TYPE_CHECKING:
    from treewright.model.condition import Condition
    from treewright.model.tree import Tree
    from treewright.table import ColumnSchema


@dataclass(frozen=True, slots=True)
class RegionBox:
    """A box of the chosen columns in which one leaf answers.

    Attributes
    ----------
    leaf : int
        The leaf.
    spans : tuple of (float, float)
        Lower and upper end per chosen column, infinite where the leaf has none. A level is the unit around its position.
    """

    leaf: int
    spans: tuple[tuple[float, float], ...]


def chosen_columns(tree: Tree, columns: Sequence[str] | None) -> list[int]:
    """Return positions of the columns to look at: those named, else those the tree tests; at most three."""
    names = tree.schema.names
    wanted = list(columns) if columns is not None else (tree.used_columns or names[:1])
    for name in wanted:
        if name not in names:
            raise unknown("column", name, names)
    if not 1 <= len(wanted) <= 3 or len(set(wanted)) < len(wanted):
        used = "" if columns is not None else "the tree tests "
        raise ValueError(f"{used}{shown(wanted)}: regions are drawn for one to three columns; choose them with columns=[...]")
    return [names.index(name) for name in wanted]


def region_boxes(tree: Tree, columns: Sequence[str] | None = None, row: Any = None) -> list[RegionBox]:
    """Cut the space of some columns into the boxes of the leaves.

    Parameters
    ----------
    tree : Tree
        The tree.
    columns : sequence of str, optional
        One to three columns; those the tree tests, unless given.
    row : table of one row, optional
        Where the tree tests other columns too: the values at which these are held.

    Returns
    -------
    list of RegionBox
        Disjoint boxes that cover the space.
    """
    axes = chosen_columns(tree, columns)
    others = [j for j, name in enumerate(tree.schema.names) if name in tree.used_columns and j not in axes]
    if others and row is None:
        names = [tree.columns[j].name for j in others]
        raise ValueError(f"the tree also tests {shown(names)}: give the values to hold them at as row=, such as X.iloc[[0]]")
    cells = cells_of(row, tree.schema) if others else []
    if tree.missing == "surrogate":
        lost = [tree.columns[j].name for j in others if gone(tree.columns[j], cells[j][:1])[0]]
        if lost:
            raise ValueError(f"row= has no value of {shown(lost)}, for which other columns stand in: give one")
    out = []
    for rule in tree.to_hard().to_rules():
        by_column = {condition.index: condition for condition in rule.when}
        if any(j in by_column and not by_column[j].mask(cells[j][:1])[0] for j in others):
            continue
        if any(j in by_column and not by_column[j].present for j in axes):
            continue  # only missing cells come here
        spans = [_spans(tree.columns[j], by_column.get(j)) for j in axes]
        out += [RegionBox(rule.leaf, combination) for combination in product(*spans)]
    return out


def _spans(column: ColumnSchema, condition: Condition | None) -> list[tuple[float, float]]:
    if not column.nominal:
        low = -math.inf if condition is None or condition.low is None else condition.low.at
        high = math.inf if condition is None or condition.high is None else condition.high.at
        return [(low, high)]
    codes = range(len(column.levels)) if condition is None or condition.levels is None else sorted(condition.levels)
    runs: list[tuple[float, float]] = []
    for code in codes:
        if runs and runs[-1][1] == code - 0.5:
            runs[-1] = (runs[-1][0], code + 0.5)
        else:
            runs.append((code - 0.5, code + 0.5))
    return runs
