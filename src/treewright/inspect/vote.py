"""The leaves a row ends in, and their parts of the answer: several where missing cells or soft thresholds divide it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.inspect.condition_text import condition_text
from treewright.model.branches import branch_conditions
from treewright.model.condition import ByColumn, Condition, gone, listed, with_condition
from treewright.model.gates import Gate
from treewright.model.node import Node
from treewright.model.tree import Tree


@dataclass(frozen=True, slots=True)
class Part:
    """One leaf a row ends in.

    Attributes
    ----------
    leaf : int
        The leaf.
    share : float
        Which part of the row comes here; 1 unless a missing cell is followed down several branches.
    factors : tuple of str
        How the share came about, one factor per missing cell.
    when : tuple of Condition
        What leads here.
    says : object
        What the leaf says: a class or a number.
    value : dict or float
        Weight of each class among its training rows, or their mean.
    weight : float
        Weight of its training rows.
    cells : tuple of float
        The cells of the row as the core reads them.
    """

    leaf: int
    share: float
    factors: tuple[str, ...]
    when: tuple[Condition, ...]
    says: Any
    value: dict[Any, float] | float | tuple[float, ...]
    weight: float
    cells: tuple[float, ...] = field(default=(), repr=False)

    def conditions(self) -> list[str]:
        """Write what leads here, one text per column."""
        row = [np.array([cell]) for cell in self.cells]
        return [condition_text(condition, float(condition.cells(row)[0])) for condition in self.when]


@dataclass(frozen=True, slots=True)
class Vote:
    """All parts of one row, in the order of the leaves, and what they say together.

    Attributes
    ----------
    parts : tuple of Part
        The leaves.
    notes : tuple of str
        What was missing and where it led; what lay near a soft threshold.
    shares : dict or None
        Share of each class, in declared order; None for numbers.
    says : object
        The class or number.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...]
    shares: dict[Any, float] | None
    says: Any


def dividing_gates(tree: Tree) -> Mapping[int, Gate]:
    """The gates that divide a row among leaves which vote; leaves that compute are explained by the leaf of the hard way."""
    return tree.gates if tree.divides else {}


def vote(tree: Tree, cells: Sequence[NDArray[Any]], row: int) -> Vote:
    """Follow a row to all its leaves."""
    gates = dividing_gates(tree)
    parts: list[Part] = []
    notes: dict[str, None] = {}
    mine = tuple(float(column[row]) for column in cells)
    open_: list[tuple[Node, float, tuple[str, ...], ByColumn]] = [(tree.root, 1.0, (), {})]
    while open_:
        node, share, factors, path = open_.pop()
        if node.is_leaf:
            parts.append(Part(node.id, share, factors, listed(path), node.prediction, node.value, node.weight, mine))
            continue
        conditions = branch_conditions(node)
        taken, note = _branches(node, conditions, [column[row : row + 1] for column in cells], gates.get(node.id))
        if note is not None:
            notes[note] = None
        for branch, portion, factor in reversed(taken):
            below = with_condition(path, conditions[branch])
            open_.append((node.children[branch], share * portion, (*factors, *factor), below))
    classes = tree.target.classes
    if tree.leaf_model.outputs:
        mean = np.sum([part.share * np.asarray(part.says) for part in parts], axis=0)
        return Vote(tuple(parts), tuple(notes), None, tuple(map(float, mean)))
    if classes is None:
        return Vote(tuple(parts), tuple(notes), None, math.fsum(part.share * part.says for part in parts))
    if tree.leaf_model.computed:  # classes by scores, which are computed from the cells
        return Vote(tuple(parts), tuple(notes), None, parts[0].says)
    total = np.sum([part.share * tree.leaf_model.mixed_entry(part.leaf) for part in parts], axis=0)
    if len(parts) > 1 or gates:
        total = tree.leaf_model.mixed_shares(total[None, :])[0]
    says = parts[0].says if len(parts) == 1 and not gates else classes[int(np.argmax(total))]
    return Vote(tuple(parts), tuple(notes), dict(zip(classes, total.tolist(), strict=True)), says)


Taken = list[tuple[int, float, tuple[str, ...]]]  # branch, which part of the row, the factor to be shown for it


def _branches(
    node: Node, conditions: list[Condition], cells: Sequence[NDArray[Any]], gate: Gate | None
) -> tuple[Taken, str | None]:
    """The branches a row takes, and what is to be said of its cell."""
    column, cell = conditions[0].column, conditions[0].cells(cells)
    lost = bool(gone(column, cell)[0])
    open_to = [b for b, condition in enumerate(conditions) if bool(condition.holds(cells)[0])]
    if lost and gate is not None and gate.fill is not None:
        below = float(gate.share_below(np.array([gate.fill]))[0])
        note = f"{column.label} is missing and counts as {column.exact_text(gate.fill)}: {below:.3f} below, {1 - below:.3f} above"
        return [(b, part, (f"{part:.3f}",)) for b, part in enumerate((below, 1 - below)) if part > 0], note
    if lost and not open_to:
        weights = [child.weight for child in node.children]
        total = sum(weights)
        taken: Taken = [(b, weight / total, (_ratio(weight, total),)) for b, weight in enumerate(weights) if weight > 0]
        ways = ", ".join(f"{factor} {_label(conditions[b])}" for b, _, (factor, *_) in taken)
        return taken, f"{column.label} is missing: {ways}"
    if lost:
        way = conditions[open_to[0]]
        why = surrogate_text(way, cells, 0) or f"it goes with {condition_text(way, math.nan)}"
        return [(open_to[0], 1.0, ())], f"{column.label} is missing: {why}" if way.present else None
    if gate is not None:
        below = float(gate.share_below(np.array([float(cell[0])]))[0])
        if below in (0, 1):
            return [(0 if below == 1 else 1, 1.0, ())], None
        assert conditions[0].high is not None
        value, cut = column.exact_text(float(cell[0])), column.exact_text(conditions[0].high.at)
        note = f"{column.label} = {value} is near {cut}: {below:.3f} below, {1 - below:.3f} above"
        return [(0, below, (f"{below:.3f}",)), (1, 1 - below, (f"{1 - below:.3f}",))], note
    return [(open_to[0], 1.0, ())], None


def surrogate_text(condition: Condition, cells: Sequence[NDArray[Any]], row: int) -> str:
    """Say which column decides in place of a missing cell, and nothing where none does."""
    for stand_in in condition.if_missing:
        if (surrogate := stand_in.decides(cells, row)) is not None:
            met = surrogate.when[stand_in.branch]
            return f"{condition_text(met, float(cells[met.index][row]))} stands in"
        return "what could stand in is missing as well, so it goes with the majority"
    return ""


def _label(condition: Condition) -> str:
    """What distinguishes a branch, without the name of the column."""
    return condition_text(condition, math.nan).removeprefix(f"{condition.column.label} ").removeprefix("= ")


def _ratio(weight: float, total: float) -> str:
    """A share as the fraction it is where weights count rows."""
    if weight == round(weight) and total == round(total):
        return f"{weight:.0f}/{total:.0f}"
    return f"{weight / total:.3f}"
