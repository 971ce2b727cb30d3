"""Why a tree says what it says of one row: the conditions it meets, and the single changes that would alter the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright import parts
from treewright.errors import visible
from treewright.inspect.vote import Part, known, stands_in, vote
from treewright.model.condition import gone
from treewright.model.rules import cells_of
from treewright.table.schema import number_text

if TYPE_CHECKING:
    from treewright.model.condition import Condition
    from treewright.model.soft import SoftThreshold
    from treewright.model.tree import Tree
    from treewright.table.schema import ColumnSchema

_CHANGES = 5


@dataclass(frozen=True, slots=True)
class Passed:
    """One step of the way: the condition that held, and who else meets it.

    Attributes
    ----------
    condition : str
        What held of the row.
    missing : bool
        Whether the cell is missing, so that the row was sent this way.
    node : int
        The node it came to.
    weight, of : float
        Rows of that node, and of the one above.
    value : dict or float
        Weight per class there, or the mean of the target.
    """

    condition: str
    missing: bool
    node: int
    weight: float
    of: float
    value: dict[Any, float] | float | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one column that would alter the answer."""

    column: str
    condition: str
    says: Any


@dataclass(frozen=True)
class Explanation:
    """Why a tree says what it says of one row.

    Attributes
    ----------
    row : dict
        The row's cells as text, by column; None where missing.
    target : str
        Name of what is predicted.
    steps : tuple of Passed
        The way through the tree.
    says : object
        The class or number.
    weight : float
        Training rows of the leaf.
    share : float or None
        Share of them that are of the class said; None for numbers.
    spread : float or None
        Standard deviation of the target among them; None for classes.
    changes : tuple of Change
        Single columns that would alter the class, the ones that most training rows meet first.
    parts : tuple of Part
        The leaves the row ends in: one, unless missing cells or soft thresholds divide it. The way is that of the largest part.
    notes : tuple of str
        What was missing and where it led; what lay near a soft threshold.
    shares : dict or None
        Share of every class in the vote of the parts, in declared order; None for numbers.
    """

    row: dict[str, str | None]
    target: str
    steps: tuple[Passed, ...]
    says: Any
    weight: float
    share: float | None
    spread: float | None
    changes: tuple[Change, ...]
    parts: tuple[Part, ...]
    notes: tuple[str, ...]
    shares: dict[Any, float] | None

    @property
    def divided(self) -> bool:
        """Whether the row was followed down several branches."""
        return len(self.parts) > 1

    def to_text(self) -> str:
        """Write the explanation, one step a line."""
        text: str = parts.writer("explanation")(self)
        return text

    def __str__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "text/html": parts.writer("card")(self)}


def explain(tree: Tree, row: Any, soft: Mapping[int, SoftThreshold] | None = None) -> Explanation:
    """Explain what a tree says of one row, given as a table of one row."""
    cells = cells_of(row, tree.schema)
    if len(cells[0]) != 1:
        raise ValueError(f"{len(cells[0])} rows were given: explain one row, such as X.iloc[[0]]")
    voted = vote(tree, cells, 0, soft or {})
    leaf = tree.node(max(voted.parts, key=lambda part: part.share).leaf)
    steps = []
    at = leaf
    while (up := at.parent) is not None:
        condition = at.condition
        assert condition is not None
        lost = bool(gone(condition.column, cells[condition.index])[0])
        why = stands_in(condition, cells, 0)
        said = f"{condition.column.label} is missing{why and f', {why}'}" if lost else known(condition)
        steps.append(Passed(said, lost, at.id, at.weight, up.weight, at.value))
        at = up
    value = leaf.value
    says, notes = voted.says, voted.notes
    shares = voted.shares
    share = value.get(voted.says, 0.0) / sum(value.values()) if isinstance(value, dict) else None
    if tree.models is not None:
        said = tree.models.answers(cells, 1)[0]
        if tree.target.classes is None:
            says = float(said)
            notes = (*notes, f"{tree.target.name} = {leaf.equation}")
        else:
            says = tree.target.classes[int(np.argmax(said))]
            shares = dict(zip(tree.target.classes, map(float, said), strict=True))
            share = shares[says]
            notes = (*notes, *(leaf.scores.texts() if leaf.scores is not None else ()))
    return Explanation(
        row={column.name: _cell_text(column, cells[j][0]) for j, column in enumerate(tree.columns)},
        target=tree.target.name,
        steps=tuple(steps[::-1]),
        says=says,
        weight=leaf.weight,
        share=share,
        spread=leaf.spread,
        changes=_changes(tree, cells, voted.says) if tree.target.classes is not None and tree.models is None else (),
        parts=voted.parts,
        notes=notes,
        shares=shares,
    )


def _cell_text(column: ColumnSchema, cell: Any) -> str | None:
    if column.nominal:
        return None if cell < 0 else column.level_text(int(cell))
    number = float(cell)
    if np.isnan(number):
        return None
    if column.kind == "bool":
        return str(bool(number))
    if column.kind == "ordered":
        return str(column.levels[int(number)])
    if column.kind != "number":
        return column.exact_text(number)
    return number_text(number) if number.is_integer() else f"{number:.6g}"


def _changes(tree: Tree, cells: list[Any], says: Any) -> tuple[Change, ...]:
    """Rules of other answers that the row misses by one column only."""
    found: dict[tuple[str, Any], list[tuple[float, Condition]]] = {}
    for rule in tree.to_rules():
        if rule.says == says:
            continue
        broken = None
        for condition in rule.when:
            if not condition.holds(cells)[0]:
                if broken is not None:
                    break
                broken = condition
        else:
            if broken is not None and broken.known:
                found.setdefault((broken.column.name, rule.says), []).append((rule.weight, broken))
    ranked = sorted(found.items(), key=lambda entry: -sum(weight for weight, _ in entry[1]))
    return tuple(Change(column, visible(_either(met)), answer) for (column, answer), met in ranked[:_CHANGES])


def _either(met: list[tuple[float, Condition]]) -> str:
    """Put the conditions on one column together: ``outlook = overcast or sunny``."""
    conditions = [condition for _, condition in sorted(met, key=lambda entry: -entry[0])]
    column = conditions[0].column
    if column.nominal:
        codes = sorted({code for condition in conditions for code in (condition.listed or sorted(condition.levels or ()))})
        return f"{column.label} = {' or '.join(column.level_text(code) for code in codes)}"
    return " or ".join(known(condition) for condition in conditions[:2])
