"""The boxes that the leaves of a tree answer for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from treewright.model.tree import Tree


@dataclass(frozen=True, slots=True)
class Region:
    """The part of the space that a leaf answers for: an interval per numeric column, a set of levels per nominal one.

    Attributes
    ----------
    leaf : int
        The leaf.
    bounds : dict
        (low, high) of every numeric column, of dates and durations as such; which end belongs to the region follows ``relation``.
        None where only a missing cell comes here.
    levels : dict
        The levels of every nominal, ordered and boolean column; none where only a missing cell comes here.
    missing : frozenset of str
        Columns whose missing cells come here as well; where they go down several branches, no region has them, nor where other
        columns stand in for them (surrogates): a box cannot say what those must hold.
    relation : {"<=", "<"}
        "<=": low < x <= high. "<": low <= x < high.
    prediction : object
        What the leaf says.
    weight : float
        Weight of its training rows.
    """

    leaf: int
    bounds: dict[str, tuple[Any, Any] | None]
    levels: dict[str, tuple[Any, ...]]
    missing: frozenset[str]
    relation: str
    prediction: Any
    weight: float


def regions_of(tree: Tree) -> list[Region]:
    """Return the disjoint boxes of the leaves, from the first branch to the last."""
    if len(tree.node_columns.term_column):
        raise ValueError("a test of a sum of several columns has no box: regions() is for trees that test one column at a time")
    relation = "<" if bool(np.any(tree.node_columns.strict)) else "<="
    out = []
    for leaf, conditions, branches in tree._walk():
        if branches:
            continue
        if not all(
            condition.possible and (condition.holds_present or not condition.if_missing) for condition in conditions.values()
        ):
            continue  # nothing comes here, or only rows whose other columns say so
        bounds: dict[str, tuple[Any, Any] | None] = {}
        levels: dict[str, tuple[Any, ...]] = {}
        missing = set()
        for j, column in enumerate(tree.columns):
            condition = conditions.get(j)
            if tree.missing != "refuse" and (condition is None or (condition.missing and not condition.if_missing)):
                missing.add(column.name)
            if condition is not None and not condition.holds_present:
                if column.nominal or column.kind in ("ordered", "bool"):
                    levels[column.name] = ()
                else:
                    bounds[column.name] = None
            elif column.nominal:
                codes = condition.levels if condition is not None else None
                levels[column.name] = tuple(v for k, v in enumerate(column.levels) if codes is None or k in codes)
            else:
                low = -np.inf if condition is None or condition.low is None else condition.low.at
                high = np.inf if condition is None or condition.high is None else condition.high.at
                if column.kind in ("ordered", "bool"):
                    inside = np.arange(len(column.levels) or 2)
                    held = (inside >= low) & (inside < high) if relation == "<" else (inside > low) & (inside <= high)
                    labels = column.levels or (False, True)
                    levels[column.name] = tuple(label for label, kept in zip(labels, held.tolist(), strict=True) if kept)
                else:
                    bounds[column.name] = (column.cell_value(low), column.cell_value(high))
        out.append(Region(leaf.id, bounds, levels, frozenset(missing), relation, leaf.prediction, leaf.weight))
    return out
