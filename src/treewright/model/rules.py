"""Rules read from a tree: when certain conditions hold, this is what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.condition import Condition
from treewright.table import TableSchema, TargetSchema, read_cells
from treewright.table.schema import weight_text


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
    """

    when: tuple[Condition, ...]
    says: Any
    weight: float
    support: float
    confidence: float | None
    leaf: int

    def text(self, target: str) -> str:
        """Write the rule in one line."""
        conditions = " and ".join(condition.text(exact=True) for condition in self.when)
        value = f"{self.says:.6g}" if isinstance(self.says, float) else self.says
        head = f"if {conditions} then {target} = {value}" if conditions else f"{target} = {value}"
        right = f", {share_text(self.confidence)} right" if self.confidence is not None and self.weight > 0 else ""
        return f"{head}  ({rows_text(self.weight)}{right})"


def share_text(share: float) -> str:
    """Write a share in per cent; only all is 100 %, only none 0 %."""
    whole = f"{share:.0%}"
    return whole if share in (0.0, 1.0) or whole not in ("0%", "100%") else f"{min(max(share, 0.001), 0.999):.1%}"


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
        arrays, n_rows = read_cells(X, self.schema)
        cells = by_column(arrays)
        out = np.ones((n_rows, len(self.rules)), bool)
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

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<RuleSet of {len(self.rules)} rules>\n{self.to_text()}"


def by_column(arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the columns of a table that is stored in blocks."""
    out: list[NDArray[Any]] = []
    for array in arrays:
        out.extend(array.T if array.ndim == 2 else [array])
    return out
