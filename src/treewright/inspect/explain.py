"""Why a tree says what it says of one row: the conditions it meets, and the single changes that would alter the answer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright import parts
from treewright.errors import counted, misspelt, shown
from treewright.inspect.changes import Change, changes
from treewright.inspect.condition_text import condition_text
from treewright.inspect.vote import Part, Vote, surrogate_text, vote
from treewright.model.condition import gone
from treewright.model.rules import cells_of
from treewright.table.match import underscored
from treewright.table.raw import is_missing

if TYPE_CHECKING:
    from treewright.model.condition import Condition
    from treewright.model.node import Node
    from treewright.model.tree import Tree
    from treewright.table.schema import ColumnSchema


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
    test : Condition
        The condition itself.
    """

    condition: str
    missing: bool
    node: int
    weight: float
    of: float
    value: dict[Any, float] | float | tuple[float, ...]
    test: Condition


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
        The way through the tree: to the leaf, or to where the row is divided.
    says : object
        The class or number.
    weight : float
        Training rows of the leaf; of all leaves the row ends in, each by its part of the row, where it is divided.
    share : float or None
        Share of the class said: in the leaf, in the vote of the parts, or by the scores of the leaf; None for numbers.
    spread : float or None
        Standard deviation of the target there from what is said (of trees grown by "absolute_error" and "worst_case" the
        mean and the largest, by "poisson" what the deviance tells); None for classes, and where an equation says it.
    changes : tuple of Change
        Changes of a single column that would alter the class, the nearest first; five at most.
    parts : tuple of Part
        The leaves the row ends in: one, unless missing cells or soft thresholds divide it.
    notes : tuple of str
        What was missing and where it led; what lay near a soft threshold; the equation of the leaf.
    shares : dict or None
        Share of every class in the vote of the parts, in declared order; None for numbers.
    cells : dict
        The row's cells as values, by column; None where missing.
    scored : bool
        Whether the shares are those of a model in the leaf, not of its rows.
    sought : bool
        Whether changes were looked for, so that none in ``changes`` means that none was found.
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
    cells: dict[str, Any]
    scored: bool = False
    sought: bool = False

    @property
    def divided(self) -> bool:
        """Whether the row was followed down several branches."""
        return len(self.parts) > 1

    @property
    def matter(self) -> set[str]:
        """Names of the columns that led to the answer, or alone would alter it."""
        asked = {step.test.column.name for step in self.steps}
        asked |= {condition.column.name for part in self.parts for condition in part.when}
        asked |= {change.column for change in self.changes}
        told = {name for name in self.row if any(name in note for note in self.notes)}
        # A number made of several columns has a name of its own: all may be in it.
        return asked | told if asked <= self.row.keys() and not self.scored else set(self.row)

    def to_text(self, max_parts: int | None = 20, steps: bool = False) -> str:
        """Write the explanation: the conditions that hold, one per line, and what would alter the answer.

        Parameters
        ----------
        max_parts : int, optional
            How many parts of a divided row are written, the largest; None: all.
        steps : bool, default False
            Write every step with the rows that take it, also where several are about one column and can be put together.
        """
        text: str = parts.writer("explanation")(self, max_parts, steps)
        return text

    def to_sentence(self) -> str:
        """Write one line: what is said, why, and the nearest change that would alter it."""
        text: str = parts.writer("sentence")(self)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain dictionaries and lists, conditions as text."""
        return {
            "row": dict(self.row),
            "target": self.target,
            "says": self.says,
            "share": self.share,
            "shares": None if self.shares is None else dict(self.shares),
            "weight": self.weight,
            "spread": self.spread,
            "divided": self.divided,
            "steps": [{name: getattr(step, name) for name in Passed.__slots__ if name != "test"} for step in self.steps],
            "notes": list(self.notes),
            "parts": [
                {"leaf": part.leaf, "share": part.share, "when": part.conditions(), "says": part.says, "weight": part.weight}
                for part in self.parts
            ],
            "changes": [{name: getattr(each, name) for name in Change.__slots__ if name != "tests"} for each in self.changes],
        }

    def __str__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "text/html": parts.writer("card")(self)}


def one_row(X: Any, names: Sequence[str]) -> Any:
    """A row that is a mapping or a Series of cells by column name as a table of one row; other things as they are.

    A mapping has no order of columns: those of these names come first, in theirs.
    """
    named = isinstance(X, Mapping) or (hasattr(X, "to_dict") and hasattr(X, "index") and getattr(X, "ndim", 2) == 1)
    if not named or any(getattr(cell, "ndim", 0) or isinstance(cell, (list, tuple)) for cell in dict(X).values()):
        return X
    import pyarrow as pa

    cells = {str(name): [None if is_missing(cell) else cell] for name, cell in dict(X).items()}
    if lacks := [name for name in names if name not in cells]:
        kept = {underscored(name): cell for name, cell in cells.items()}
        if len(kept) == len(cells) and kept.keys() == set(names):
            return pa.table({name: kept[name] for name in names})
        more = f" and {counted(len(lacks) - 1, 'other column')}" if len(lacks) > 1 else ""
        slip = f"; {slip}" if (slip := misspelt(lacks, [name for name in cells if name not in names])) else ""
        raise ValueError(
            f"the row has no cell for {shown(lacks[0])}{more}: name every column, with None where it is missing{slip}"
        )
    return pa.table({name: cells[name] for name in dict.fromkeys([*names, *cells])})


def explain(tree: Tree, row: Any) -> Explanation:
    """Explain what a tree says of one row: a table of one row, a Series or a dict."""
    cells = cells_of(one_row(row, tree.schema.names), tree.schema)
    if len(cells[0]) != 1:
        raise ValueError(f"{len(cells[0])} rows were given: explain one row, such as X.iloc[[0]]")
    voted = vote(tree, cells, 0)
    leaf = tree.node(max(voted.parts, key=lambda part: part.share).leaf)
    says, shares, notes = voted.says, voted.shares, voted.notes
    spread = _spread(tree, voted)
    leaves = tree.leaf_model
    if leaves.computed:
        answer = leaves.answers(cells, 1)[0]
        notes = (*notes, *leaves.notes(leaf.id))
        if tree.target.classes is None:
            says = float(answer)
            if leaf.equation is not None and says != leaf.equation.answers(cells)[0]:
                notes, spread = (*notes, leaves.note), None
        else:
            says = tree.target.classes[int(np.argmax(answer))]
            shares = dict(zip(tree.target.classes, map(float, answer), strict=True))
    plain = tree.target.classes is not None and not leaves.computed
    return Explanation(
        row={column.name: column.cell_text(float(cells[j][0])) for j, column in enumerate(tree.columns)},
        target=tree.target.name,
        steps=_steps(_shared_way(tree, voted), cells),
        says=says,
        weight=math.fsum(part.share * part.weight for part in voted.parts),
        share=None if shares is None else shares[says],
        spread=spread,
        changes=changes(tree, cells, says, len(voted.parts)) if plain else (),
        parts=voted.parts,
        notes=notes,
        shares=shares,
        cells={column.name: _cell(column, cells[j][0]) for j, column in enumerate(tree.columns)},
        scored=leaves.scored,
        sought=plain,
    )


def _shared_way(tree: Tree, voted: Vote) -> list[Node]:
    """The nodes that every part of the row passes, the root first."""
    ways = []
    for part in voted.parts[:: max(len(voted.parts) - 1, 1)]:  # the first and the last part, in the order of the leaves
        at: Node | None = tree.node(part.leaf)
        way = []
        while at is not None:
            way.append(at)
            at = at.parent
        ways.append(way[::-1])
    return [node for node, other in zip(ways[0], ways[-1], strict=False) if node.id == other.id]


def _steps(way: list[Node], cells: list[Any]) -> tuple[Passed, ...]:
    steps = []
    for up, at in itertools.pairwise(way):
        condition = at.condition
        assert condition is not None
        compared = condition.cells(cells)
        lost = bool(gone(condition.column, compared)[0])
        why = surrogate_text(condition, cells, 0)
        phrase = (
            f"{condition.column.label} is missing{why and f', {why}'}" if lost else condition_text(condition, float(compared[0]))
        )
        steps.append(Passed(phrase, lost, at.id, at.weight, up.weight, at.value, condition))
    return tuple(steps)


def _spread(tree: Tree, voted: Vote) -> float | None:
    """Standard deviation of a numeric target in the leaf, or in the mixture of the leaves."""
    leaves = [(part.share, tree.node(part.leaf)) for part in voted.parts]
    if len(leaves) == 1 or leaves[0][1].spread is None or not isinstance(voted.says, float):
        return max(leaves, key=lambda each: each[0])[1].deviation
    off = ((share, (leaf.spread or 0.0) ** 2 + (float(leaf.prediction) - voted.says) ** 2) for share, leaf in leaves)
    return math.sqrt(math.fsum(share * square for share, square in off))


def _cell(column: ColumnSchema, cell: Any) -> Any:
    """A cell as the user has it; None where it is missing."""
    number = float(cell)
    if np.isnan(number) or (column.nominal and number < 0):
        return None
    if column.levels:
        return column.levels[int(number)]
    return bool(number) if column.kind == "bool" else column.cell_value(number)
