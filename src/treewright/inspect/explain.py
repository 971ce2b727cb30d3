"""Why a row gets its answer: the conditions it meets, where its missing cells lead, and the parts of the vote."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.condition import ByColumn, Condition, listed, with_condition
from treewright.model.node import Node, branch_conditions
from treewright.model.rules import by_column, rows_text, share_text
from treewright.model.soft import SoftThreshold
from treewright.model.tree import Tree
from treewright.table import read_cells
from treewright.table.schema import weight_text


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
    """

    leaf: int
    share: float
    factors: tuple[str, ...]
    when: tuple[Condition, ...]
    says: Any
    value: dict[Any, float] | float
    weight: float

    def text(self) -> str:
        """Write the part in one line."""
        conditions = " and ".join(condition.text() for condition in self.when) or "any row"
        if isinstance(self.value, dict):
            counts = ", ".join(f"{label} {weight_text(weight)}" for label, weight in self.value.items())
            held = counts if self.weight > 0 else "no rows"
            said = f"{self.says} ({held})"
        else:
            said = f"{self.says:.6g} ({rows_text(self.weight)})"
        head = " × ".join(self.factors) + " × " if self.factors else ""
        return f"{head}{conditions} → {said}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row gets its answer.

    Attributes
    ----------
    target : str
        What is predicted.
    says : object
        The class or the number.
    shares : dict or None
        Share of each class in the vote, declared order; None for numbers.
    notes : tuple of str
        What was missing and where it led; what lay near a soft threshold.
    parts : tuple of Part
        The leaves the row ends in.
    """

    target: str
    says: Any
    shares: dict[Any, float] | None
    notes: tuple[str, ...]
    parts: tuple[Part, ...]

    def text(self) -> str:
        """Write the explanation: the answer, what was missing, the parts, the vote."""
        said = f"{self.says:.6g}" if isinstance(self.says, float) else str(self.says)
        lines = [f"{self.target} = {said}", *self.notes]
        indent = "  " if len(self.parts) > 1 else "because "
        lines += [indent + part.text() for part in self.parts]
        if len(self.parts) > 1 and self.shares is not None:
            ranked = sorted(self.shares.items(), key=lambda item: -item[1])
            lines.append("vote: " + ", ".join(f"{label} {share_text(share)}" for label, share in ranked if share > 0))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


class Explanations(tuple[Explanation, ...]):
    """One explanation a row; printed one after the other."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    __repr__ = __str__


def explain(tree: Tree, X: Any, soft: dict[int, SoftThreshold] | None = None) -> Explanations:
    """Explain what a tree says about every row."""
    arrays, n_rows = read_cells(X, tree.schema)
    cells = by_column(arrays)
    return Explanations(_explain_row(tree, cells, row, soft or {}) for row in range(n_rows))


def _explain_row(tree: Tree, cells: Sequence[NDArray[Any]], row: int, soft: dict[int, SoftThreshold]) -> Explanation:
    parts: list[Part] = []
    notes: list[str] = []
    open_: list[tuple[Node, float, tuple[str, ...], ByColumn]] = [(tree.root, 1.0, (), {})]
    while open_:
        node, share, factors, path = open_.pop()
        if node.is_leaf:
            parts.append(Part(node.id, share, factors, listed(path), node.prediction, node.value, node.weight))
            continue
        conditions = branch_conditions(node)
        taken = _branches(node, conditions, cells[node._get("column")][row : row + 1], soft.get(node.id), notes)
        for branch, portion, factor in reversed(taken):
            below = with_condition(path, conditions[branch])
            open_.append((node.children[branch], share * portion, (*factors, *factor), below))
    if tree.target.classes is None:
        mean = math.fsum(part.share * part.says for part in parts)
        return Explanation(tree.target.name, mean, None, tuple(dict.fromkeys(notes)), tuple(parts))
    total = np.sum([part.share * tree.node_shares(part.leaf) for part in parts], axis=0)
    classes = tree.target.classes
    says = parts[0].says if len(parts) == 1 else classes[int(np.argmax(total))]
    shares = dict(zip(classes, total.tolist(), strict=True))
    return Explanation(tree.target.name, says, shares, tuple(dict.fromkeys(notes)), tuple(parts))


def _branches(
    node: Node, conditions: list[Condition], cell: NDArray[Any], soft: SoftThreshold | None, notes: list[str]
) -> list[tuple[int, float, tuple[str, ...]]]:
    """The branches a cell takes: their numbers, which part of the row, and the factor to be shown for it."""
    column = conditions[0].column
    name = column.name
    gone = bool(cell[0] < 0) if column.nominal else math.isnan(float(cell[0]))
    open_to = [b for b, condition in enumerate(conditions) if bool(condition.mask(cell)[0])]
    if gone and not open_to:
        weights = [child.weight for child in node.children]
        total = sum(weights)
        factors = [_ratio(weight, total) for weight in weights]
        told = [(b, weight / total, factors[b]) for b, weight in enumerate(weights) if weight > 0]
        notes.append(f"{name} is missing: " + ", ".join(f"{factor} {_label(conditions[b])}" for b, _, factor in told))
        return [(b, portion, (factor,)) for b, portion, factor in told]
    if gone and conditions[open_to[0]].known:
        notes.append(
            f"{name} is missing: it goes with {conditions[open_to[0]].text().removesuffix(' or missing)').removeprefix('(')}"
        )
    if soft is not None and not gone:
        below = float(soft.share_below(np.array([float(cell[0])]))[0])
        if 0 < below < 1:
            value, cut = column.exact_text(float(cell[0])), column.exact_text(soft.cut)
            notes.append(f"{name} = {value} is near {cut}: {below:.3f} below, {1 - below:.3f} above")
            return [(0, below, (f"{below:.3f}",)), (1, 1 - below, (f"{1 - below:.3f}",))]
        return [(0, 1.0, ())] if below == 1 else [(1, 1.0, ())]
    return [(open_to[0], 1.0, ())]


def _label(condition: Condition) -> str:
    """What distinguishes a branch, without the name of the column."""
    return condition.text().removeprefix(f"{condition.column.name} ").removeprefix("= ")


def _ratio(weight: float, total: float) -> str:
    """A share as the fraction it is where weights count rows."""
    if weight == round(weight) and total == round(total):
        return f"{weight:.0f}/{total:.0f}"
    return f"{weight / total:.3f}"
