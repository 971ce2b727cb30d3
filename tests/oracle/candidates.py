"""Scores of splits, the best split of each column, and the choice between columns at one node."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .criteria import impurity, independence, split_information, twoing
from .discretise import edges_of
from .families import close_shares, splits
from .missing import View, groups_in_gain, view
from .model import CLASS_CRITERIA, FRACTIONAL, KNOWN_ONLY, ONCE_PER_PATH, Options, Rows, Split, Table, Weight, total

NO_SPLIT_INFORMATION = 1e-9
LATER_COLUMN_MARGIN = 1e-10
ABOVE_AVERAGE_SLACK = 1e-3


@dataclass(frozen=True)
class Candidate:
    split: Split
    score: float  # placed inside the column by
    gain: float
    merit: float  # compared across columns by
    split_info: float
    weights: tuple[Weight, ...]  # of the branches, as the gain sees them
    p_value: float  # of the chi-square test; 1.0 for a numeric target


@dataclass
class Problem:
    """A table with options, and what is computed once for the whole training table."""

    table: Table
    options: Options
    root_weight: Weight = 0
    edges: dict[int, tuple[float, ...]] = field(default_factory=dict)
    shaky: bool = False  # a discretisation hangs on rounding

    def __post_init__(self) -> None:
        refuse(self.table, self.options)
        self.root_weight = total(self.table.all_rows())
        if self.options.numeric == "discretised":
            for index, column in enumerate(self.table.columns):
                if column.numeric:
                    self.edges[index], shaky = edges_of(column, self.table, self.options)
                    self.shaky |= shaky

    def limit(self, asked: float, harmless: int) -> Weight | float:
        """A minimum weight as a number; 0 when it restricts nothing."""
        if isinstance(asked, float) and asked < 1:
            return asked * self.root_weight
        if asked <= harmless and self.options.missing not in FRACTIONAL:
            return 0
        return asked

    @property
    def leaf_limit(self) -> Weight | float:
        return self.limit(self.options.min_samples_leaf, 1)

    @property
    def split_limit(self) -> Weight | float:
        return self.limit(self.options.min_samples_split, 2)

    def tolerance(self, node_impurity: float) -> float:
        """How far apart two gains may be and still be called equal. The core keeps fractional weights on a grid."""
        if self.options.missing in FRACTIONAL:
            return 1e-7 * (node_impurity if self.options.criterion == "variance" else 1.0)
        return 1e-9 * node_impurity


def refuse(table: Table, options: Options) -> None:
    """The combinations that docs/parts.md refuses."""
    if (options.criterion == "variance") == bool(table.classes) or options.criterion not in (
        *CLASS_CRITERIA,
        "variance",
    ):
        raise ValueError(f"criterion {options.criterion!r} does not fit the target")
    if options.criterion == "twoing" and (
        options.nominal == "multiway" or options.numeric in ("ternary", "discretised") or options.missing == "own"
    ):
        raise ValueError("twoing compares two branches")
    if not table.classes:
        if options.missing == "most_common_in_class":
            raise ValueError("most_common_in_class needs classes")
        if options.significance is not None:
            raise ValueError("significance needs classes")
        if options.numeric == "discretised" and options.discretise == "mdlp":
            raise ValueError("mdlp needs classes")
    if options.missing == "refuse":
        for column in table.columns:
            if any(column.cells[row] is None for row, _ in table.all_rows()):
                raise ValueError(f"column {column.name!r} has missing cells")


def evaluate(problem: Problem, seen: View, split: Split) -> Candidate:
    table, options = problem.table, problem.options
    groups, left_out = groups_in_gain(seen, split)
    weights = tuple(total(group) for group in groups)
    together: Rows = seen.known_rows if seen.policy in KNOWN_ONLY else seen.rows
    whole = sum(weights)
    before = impurity(table, options, together)
    rest = math.fsum(
        float(weight / whole) * impurity(table, options, group) for group, weight in zip(groups, weights, strict=True) if weight
    )
    gain = before - rest
    if abs(gain) <= 1e-12 * before:
        gain = 0.0
    factor = seen.known_share if seen.policy in ("fraction", "majority", "surrogate") else 1.0
    gain *= factor
    information = split_information([*weights, total(left_out)] if left_out else weights)
    score = gain
    gain = max(gain, 0.0)  # generalised Gini need not be concave
    if options.criterion == "twoing" and all(weights):
        score = factor * twoing(table, options, groups[0], groups[1])
    merit = score if options.criterion == "twoing" else gain
    if options.criterion == "gain_ratio":
        merit = gain / information if information >= NO_SPLIT_INFORMATION else -math.inf
    elif options.criterion == "gain_over_rest":
        merit = gain / rest if rest > 0.0 else math.inf
    p_value = independence(table, groups)[2] if options.significance is not None else 1.0
    return Candidate(split, score, gain, merit, information, weights, p_value)


def reaches_limit(problem: Problem, candidate: Candidate) -> bool:
    limit = problem.leaf_limit
    if sum(1 for weight in candidate.weights if weight > 0) < 2:
        return False
    reached = sum(1 for weight in candidate.weights if weight >= limit)
    if candidate.split.family in ONCE_PER_PATH:
        return reached >= 2
    return reached == len(candidate.weights)


def limit_is_close(problem: Problem, candidate: Candidate, rows: Rows) -> bool:
    """A fractional weight next to the limit: the core's rounded weights may fall on the other side."""
    if problem.options.missing not in FRACTIONAL:
        return False
    exact = all(weight == int(weight) for _, weight in rows) and all(w == int(w) for w in candidate.weights)
    if exact and problem.options.missing == "fraction":
        return False
    return any(abs(float(weight) - float(problem.leaf_limit)) < 1e-6 for weight in candidate.weights)


@dataclass
class ColumnSearch:
    """The result of one column: its admissible splits in order, and those no worse than the best."""

    admissible: list[Candidate]
    best: Candidate | None
    ties: list[Candidate]
    fragile: bool  # whether the column has a candidate at all hangs on rounding


def comparable(problem: Problem, merit: float) -> float:
    """Merits on a scale where a fixed tolerance makes sense; gain_over_rest runs to infinity."""
    if problem.options.criterion == "gain_over_rest":
        return 1.0 if math.isinf(merit) else merit / (1.0 + merit)
    return merit


def search(problem: Problem, index: int, rows: Rows) -> ColumnSearch:
    seen = view(problem.table, index, problem.options.missing, rows)
    tolerance = problem.tolerance(impurity(problem.table, problem.options, rows))
    tried = [evaluate(problem, seen, split) for split in splits(seen, problem.options, problem.edges.get(index, ()))]
    fragile = any(limit_is_close(problem, candidate, rows) for candidate in tried)
    if tried and problem.options.missing in FRACTIONAL and tried[0].split.family == "subset":
        fragile |= close_shares(seen)
    admissible = [candidate for candidate in tried if reaches_limit(problem, candidate)]
    if problem.options.criterion == "gain_ratio":
        admissible = [candidate for candidate in admissible if candidate.split_info >= NO_SPLIT_INFORMATION]
    if not admissible:
        return ColumnSearch([], None, [], fragile)
    top = max(candidate.score for candidate in admissible)
    best = next(candidate for candidate in admissible if candidate.score >= top - 1e-12 * abs(top))
    ties = [candidate for candidate in admissible if candidate.score >= top - tolerance]
    alpha = problem.options.significance
    if alpha is not None:
        # The test is of the column's best split; a column that fails it is not searched for a second best.
        fragile |= any((tie.p_value > alpha) != (best.p_value > alpha) for tie in ties)
        fragile |= any(abs(tie.p_value - alpha) < 1e-9 for tie in ties)
        if best.p_value > alpha:
            return ColumnSearch(admissible, None, ties, fragile)
    return ColumnSearch(admissible, best, ties, fragile)


def choose(problem: Problem, found: dict[int, ColumnSearch]) -> Candidate | None:
    """The chooser of the options, columns in table order."""
    rivals = [(index, result.best) for index, result in sorted(found.items()) if result.best is not None]
    if not rivals:
        return None
    if problem.options.chooser == "above_average":
        average = math.fsum(candidate.gain for _, candidate in rivals) / len(rivals)
        rivals = [(i, c) for i, c in rivals if c.gain >= average - ABOVE_AVERAGE_SLACK * average]
    winner = rivals[0][1]
    for _, candidate in rivals[1:]:
        if candidate.merit > winner.merit + LATER_COLUMN_MARGIN * abs(winner.merit):
            winner = candidate
    return winner
