"""The naive grower: a list of open nodes, the stopping rules, the chooser. No recursion, no pruning."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .candidates import Candidate, ColumnSearch, Problem, choose, search
from .criteria import class_weights, expected_losses, impurity, mean, row_counts
from .missing import divide, view
from .model import FRACTIONAL, ONCE_PER_PATH, Options, Rows, Table, Weight, total


@dataclass
class Node:
    rows: Rows
    depth: int
    used: frozenset[int]  # columns spent on the path by a once-per-path family
    weight: Weight
    impurity: float
    value: list[Weight] | float  # class weights, or the mean
    prediction: int | float
    path: str = "root"
    candidate: Candidate | None = None
    children: list[Node] = field(default_factory=list)
    reason: str = ""  # why it is a leaf

    @property
    def is_leaf(self) -> bool:
        return not self.children


@dataclass
class Decision:
    """What the rules say of a node. `stop` and `fragile` are the reasons; empty when there are none."""

    stop: str
    found: dict[int, ColumnSearch]
    candidate: Candidate | None
    fragile: str = ""


def predict(table: Table, options: Options, rows: Rows) -> tuple[list[Weight] | float, int | float]:
    if not table.classes:
        centre = mean(table, rows)
        return centre, centre
    weights = class_weights(table, rows)
    if options.priors is not None:
        counts = row_counts(table, options, altered=False)
        weights = [count * weight for count, weight in zip(counts, weights, strict=True)]
    if options.loss is not None or options.priors is not None:
        losses = expected_losses(weights, options.losses(table.n_classes))
        least = min(losses)
        return weights, next(k for k, loss in enumerate(losses) if loss <= least + 1e-12)
    return weights, weights.index(max(weights))


def make_node(problem: Problem, rows: Rows, depth: int, used: frozenset[int], path: str) -> Node:
    value, prediction = predict(problem.table, problem.options, rows)
    purity = impurity(problem.table, problem.options, rows)
    return Node(rows, depth, used, total(rows), purity, value, prediction, path)


def empty_leaf(parent: Node, path: str) -> Node:
    return Node([], parent.depth + 1, parent.used, 0, 0.0, parent.value, parent.prediction, path, reason="empty branch")


def _close(a: float, b: float) -> bool:
    return a != b and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def stop_before_search(problem: Problem, node: Node) -> tuple[str, str]:
    """The reason to stop, and the reason not to trust that answer."""
    options = problem.options
    if len({problem.table.target[row] for row, _ in node.rows}) == 1:
        return "pure", ""
    if options.max_depth is not None and node.depth >= options.max_depth:
        return "max_depth", ""
    fragile = ""
    fractional = options.missing in FRACTIONAL and any(weight != int(weight) for _, weight in node.rows)
    if fractional and abs(float(node.weight) - float(problem.split_limit)) < 1e-6:
        fragile = "weight next to min_samples_split"
    if node.weight < problem.split_limit:
        return "min_samples_split", fragile
    if options.min_impurity is not None:
        if _close(node.impurity, options.min_impurity):
            fragile = "impurity next to min_impurity"
        if node.impurity <= options.min_impurity:
            return "min_impurity", fragile
    if options.purity is not None and isinstance(node.value, list):
        share = float(max(node.value) / node.weight)
        if _close(share, options.purity):
            fragile = "share next to purity"
        if share >= options.purity:
            return "purity", fragile
    return "", fragile


def stop_after_choice(problem: Problem, node: Node, gain: float) -> tuple[str, str]:
    options = problem.options
    decrease = float(node.weight / problem.root_weight) * gain
    tolerance = problem.tolerance(node.impurity)
    fragile = ""
    if options.min_gain and abs(gain - options.min_gain) <= tolerance:
        fragile = "gain next to min_gain"
    if options.min_impurity_decrease and abs(decrease - options.min_impurity_decrease) <= tolerance:
        fragile = "decrease next to min_impurity_decrease"
    if gain < options.min_gain:
        return "min_gain", fragile
    if decrease < options.min_impurity_decrease:
        return "min_impurity_decrease", fragile
    return "", fragile


def decide(problem: Problem, node: Node) -> Decision:
    stop, fragile = stop_before_search(problem, node)
    if stop:
        return Decision(stop, {}, None, fragile)
    found = {index: search(problem, index, node.rows) for index in range(len(problem.table.columns)) if index not in node.used}
    candidate = choose(problem, found)
    if candidate is None:
        return Decision("no candidate", found, None, fragile)
    stop, late = stop_after_choice(problem, node, candidate.gain)
    return Decision(stop, found, candidate, fragile or late)


def open_children(problem: Problem, node: Node, candidate: Candidate) -> list[Node]:
    split = candidate.split
    seen = view(problem.table, split.column, problem.options.missing, node.rows)
    used = node.used | {split.column} if split.family in ONCE_PER_PATH else node.used
    children = []
    for branch, rows in enumerate(divide(seen, split)):
        path = f"{node.path}/{problem.table.columns[split.column].name}:{branch}"
        children.append(make_node(problem, rows, node.depth + 1, used, path) if rows else empty_leaf(node, path))
    return children


class Guide:
    """Takes the decisions as the rules state them; a comparison overrides it to follow the core through ties."""

    def candidate(self, node: Node, decision: Decision) -> Candidate | None:
        node.reason = decision.stop
        return None if decision.stop else decision.candidate

    def next_open(self, waiting: list[tuple[Node, Candidate]]) -> int:
        """Best-first: the largest weight times gain, the first created if equal."""
        worth = [float(node.weight) * candidate.gain for node, candidate in waiting]
        return worth.index(max(worth))

    def divided(self, node: Node) -> None:
        """Called when the children of a node exist."""

    def left_open(self, node: Node) -> None:
        """Called for a node that stays a leaf only because there are leaves enough."""
        node.reason = "max_leaf_nodes"


def grow(problem: Problem, guide: Guide | None = None) -> Node:
    guide = guide or Guide()
    root = make_node(problem, problem.table.all_rows(), 0, frozenset(), "root")
    fresh = [root]
    waiting: list[tuple[Node, Candidate]] = []  # in order of creation
    leaves = 1
    most = problem.options.max_leaf_nodes
    while True:
        for node in fresh:
            if node.reason:
                continue  # an empty branch
            candidate = guide.candidate(node, decide(problem, node))
            if candidate is not None:
                waiting.append((node, candidate))
        if most is not None:
            # A split that would make too many leaves now would make too many later, too.
            fits = [leaves + len(open_children(problem, node, candidate)) - 1 <= most for node, candidate in waiting]
            for (node, _), fit in zip(waiting, fits, strict=True):
                if not fit:
                    guide.left_open(node)
            waiting = [entry for entry, fit in zip(waiting, fits, strict=True) if fit]
        if not waiting:
            break
        node, candidate = waiting.pop(guide.next_open(waiting) if most is not None else 0)
        node.candidate = candidate
        node.children = fresh = open_children(problem, node, candidate)
        leaves += len(node.children) - 1
        guide.divided(node)
    return root


def nodes(root: Node) -> list[Node]:
    met = [root]
    for node in met:
        met.extend(node.children)
    return met
