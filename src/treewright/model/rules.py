"""Rules read from a tree: when certain conditions hold, this is what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.errors import visible
from treewright.model.condition import Condition
from treewright.table import TableSchema, TargetSchema, read_cells
from treewright.table.schema import share_text, spread_text, value_text, weight_text


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, the rule says a class or a number.

    Attributes
    ----------
    when : tuple of Condition
        At most one per column; empty: always.
    says : object
        The class or the number.
    weight : float
        Weight of the training rows it covers.
    support : float
        The same as a share of all training rows.
    confidence : float or None
        Share of the covered weight that is of the class it says; None for numbers.
    leaf : int
        The leaf of the tree it was read from.
    spread : float or None
        Standard deviation of the target among the covered rows; None for classes.
    """

    when: tuple[Condition, ...]
    says: Any
    weight: float
    support: float
    confidence: float | None
    leaf: int
    spread: float | None = None

    def text(self, target: str) -> str:
        """Write the rule in one line."""
        conditions = " and ".join(condition.text(exact=True) for condition in self.when)
        said = f"{target} = {value_text(self.says)}"
        notes = [rows_text(self.weight)]
        if self.confidence is not None and self.weight > 0:
            notes.append(f"{share_text(self.confidence)} right")
        elif self.spread is not None:
            notes.append(spread_text(self.spread))
        return visible((f"if {conditions} then {said}" if conditions else said) + f"  ({', '.join(notes)})")


def rows_text(weight: float) -> str:
    """Write a weight as a number of rows."""
    return f"{weight_text(weight)} {'row' if weight == 1 else 'rows'}"


@dataclass(frozen=True)
class RuleSet:
    """The rules of a tree: one per leaf, mutually exclusive and complete for rows whose cells are known."""

    rules: tuple[Rule, ...]
    schema: TableSchema
    target: TargetSchema

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, at: int) -> Rule:
        return self.rules[at]

    def matches(self, X: Any) -> NDArray[np.bool_]:
        """Which rows each rule covers: an array of rows x rules."""
        cells = cells_of(X, self.schema)
        out = np.ones((len(cells[0]), len(self.rules)), bool)
        for j, rule in enumerate(self.rules):
            for condition in rule.when:
                out[:, j] &= condition.mask(cells[condition.index])
        return out

    @property
    def used(self) -> list[str]:
        """Names of the columns that any rule tests, in table order."""
        found = {condition.index for rule in self.rules for condition in rule.when}
        return [self.schema.columns[j].name for j in sorted(found)]

    def to_text(self) -> str:
        """Write all rules, one a line."""
        return "\n".join(rule.text(self.target.name) for rule in self.rules)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle: dict[str, str] = parts.writer("rules")(self)
        return bundle

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<RuleSet of {len(self.rules)} rules>\n{self.to_text()}"


def cells_of(X: Any, schema: TableSchema) -> list[NDArray[Any]]:
    """Return the cells of a table as the core reads them, one array a column."""
    return by_column(read_cells(X, schema)[0])


def by_column(arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the columns of a table that is stored in blocks."""
    out: list[NDArray[Any]] = []
    for array in arrays:
        out.extend(array.T if array.ndim == 2 else [array])
    return out
