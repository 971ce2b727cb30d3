"""The values the oracle works on: columns, tables, options, splits. No learning here.

Weights are ints or Fractions, never floats, so that "does this branch reach the limit" has an exact answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Weight = int | Fraction
Cell = float | int | None
Rows = list[tuple[int, Weight]]

# What this oracle knows; ``registry.py`` lists what the core has.
CLASS_CRITERIA = ("info_gain", "gain_ratio", "gini", "error", "risk", "generalised_gini", "twoing", "gain_over_rest")
NUMERIC_FAMILIES = ("threshold", "ternary", "discretised")
NOMINAL_FAMILIES = ("subset", "one_vs_rest", "multiway")
DISCRETISERS = ("equal_width", "equal_frequency", "mdlp")
POLICIES = (
    "learned",
    "own",
    "fraction",
    "spread",
    "majority",
    "ignore",
    "most_common",
    "most_common_in_class",
    "refuse",
    "surrogate",
)
FRACTIONAL = ("fraction", "spread")  # a row may be in several branches
KNOWN_ONLY = ("fraction", "majority", "ignore", "surrogate")  # the gain looks at known rows only
FILLED = ("most_common", "most_common_in_class")
ONCE_PER_PATH = ("multiway", "discretised")


@dataclass(frozen=True)
class Column:
    """Numeric if `levels` is None; otherwise cells are indices into `levels`."""

    name: str
    cells: tuple[Cell, ...]
    levels: tuple[str, ...] | None = None

    @property
    def numeric(self) -> bool:
        return self.levels is None


@dataclass(frozen=True)
class Table:
    """`classes` is empty for a numeric target; otherwise the target holds indices into it."""

    columns: tuple[Column, ...]
    target: tuple[int | float, ...]
    weights: tuple[Weight, ...]
    classes: tuple[str, ...] = ()

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def all_rows(self) -> Rows:
        return [(row, weight) for row, weight in enumerate(self.weights) if weight > 0]


@dataclass(frozen=True)
class Options:
    criterion: str = "info_gain"
    loss: tuple[tuple[float, ...], ...] | None = None  # rows truth, columns prediction
    priors: tuple[float, ...] | None = None
    numeric: str = "threshold"
    nominal: str = "subset"
    discretise: str = "equal_width"
    bins: int = 3
    threshold_at: str = "midpoint"
    relation: str = "<="
    missing: str = "learned"
    chooser: str = "best"
    min_samples_leaf: int | float = 1
    min_samples_split: int | float = 2
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_impurity: float | None = None
    min_gain: float = 0.0
    min_impurity_decrease: float = 0.0
    purity: float | None = None
    significance: float | None = None

    def losses(self, n_classes: int) -> Sequence[Sequence[float]]:
        """What each answer costs: the matrix, or 0 and 1."""
        zero_one = tuple(tuple(float(truth != said) for said in range(n_classes)) for truth in range(n_classes))
        return zero_one if self.loss is None else self.loss


@dataclass(frozen=True)
class Split:
    """`branches` counts the missing branch of `own`; `home` is the branch of the missing rows under `learned`."""

    column: int
    family: str
    branches: int
    cuts: tuple[float, ...] = ()
    relation: str = "<="
    assign: tuple[tuple[int, int], ...] = ()  # (level, branch) for the levels that occur among the known rows
    home: int | None = None

    def branch_of(self, cell: float) -> int:
        """The branch of a known cell; missing cells are the business of the policy."""
        if self.family == "presence":
            return 0
        if self.family in ("multiway", "one_vs_rest", "subset"):
            return dict(self.assign)[int(cell)]
        if self.relation == "<":
            return sum(not cell < cut for cut in self.cuts)
        return sum(not cell <= cut for cut in self.cuts)


def total(rows: Sequence[tuple[int, Weight]]) -> Weight:
    return sum(weight for _, weight in rows)
