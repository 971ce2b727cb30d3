"""Shapley values by their definition, and what a tree answers for a set of columns, written down slowly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb, factorial
from typing import Any

import numpy as np

import treewright as tw
from treewright.model.branches import branch_conditions
from treewright.model.rules import by_column
from treewright.model.splits import EVERY
from treewright.table import read_cells

Numbers = np.ndarray[Any, Any]
Says = Callable[[int], Numbers]
Worth = Callable[[frozenset[int]], Numbers]


def shapley(worth: Worth, n: int) -> Numbers:
    """The values of n players by all sets of them: players x numbers of a worth."""
    known = {frozenset(some): worth(frozenset(some)) for size in range(n + 1) for some in combinations(range(n), size)}
    out = []
    for j in range(n):
        parts = [
            factorial(len(some)) * factorial(n - len(some) - 1) / factorial(n) * (known[some | {j}] - known[some])
            for some in known
            if j not in some
        ]
        assert len(parts) == sum(comb(n - 1, size) for size in range(n))
        out.append(np.sum(parts, axis=0))
    return np.array(out)


def own_shares(node: tw.Node, cells: Sequence[Numbers], row: int) -> Numbers:
    """In which shares a row takes the branches of a node, as the tree sends it."""
    tree = node.tree
    n = len(node.children)
    assert node.split is not None
    column = tree.schema.names.index(node.split.column)
    cell = cells[column][row : row + 1].astype(np.float64)
    gone = bool(np.isnan(cell[0]) or (tree.columns[column].nominal and cell[0] < 0))
    if not gone and node.id in tree.gates:
        below = float(tree.gates[node.id].share_below(cell)[0])
        return np.array([below, 1 - below])
    if not gone:
        holds = np.array([bool(each.mask(cells[column][row : row + 1])[0]) for each in branch_conditions(node)])
        if holds.any():
            return holds.astype(float)
    for surrogate in node.surrogates:
        branch = int(surrogate.branches(cells, np.array([row]))[0])
        if branch >= 0:
            return np.eye(n)[branch]
    to = int(tree.node_columns.missing_to[node.id])
    return training_shares(node) if to == EVERY else np.eye(n)[to]


def training_shares(node: tw.Node) -> Numbers:
    weights = np.array([child.weight for child in node.children])
    return weights / weights.sum()


def known_answer(
    tree: tw.Tree, cells: Sequence[Numbers], row: int, known: frozenset[int], says: Callable[[int], Numbers]
) -> Numbers:
    """What a tree answers if it is told some cells of a row, where training rows stand in for the others."""
    out: Any = 0.0
    open_ = [(tree.root, 1.0)]
    while open_:
        node, share = open_.pop()
        if node.is_leaf:
            out = out + share * says(node.id)
            continue
        assert node.split is not None
        told = tree.schema.names.index(node.split.column) in known
        shares = own_shares(node, cells, row) if told else training_shares(node)
        open_ += [(child, share * part) for child, part in zip(node.children, shares, strict=True) if part > 0]
    return np.asarray(out)


def by_training_rows(tree: tw.Tree, X: Any, votes: bool = False) -> tuple[Numbers, Numbers]:
    """Base and contributions (rows x columns x numbers) where training rows stand in for what is not known."""
    arrays, n_rows = read_cells(X, tree.schema)
    cells = by_column(arrays)

    def says(id: int) -> Numbers:
        if not votes:
            return np.atleast_1d(tree.leaf_model.mixed_entry(id))  # type: ignore[attr-defined]
        return np.eye(len(tree.classes or ()))[list(tree.classes or ()).index(tree.leaf_model.prediction(id))]

    values = [
        shapley(lambda known, row=row: known_answer(tree, cells, row, known, says), len(cells))  # type: ignore[misc]
        for row in range(n_rows)
    ]
    return known_answer(tree, cells, 0, frozenset(), says), np.array(values)


def by_background(answers: Callable[[Any], Numbers], X: Any, background: Any) -> tuple[Numbers, Numbers]:
    """Base and contributions where every row of a background stands in: frames, whose cells are mixed."""
    names = list(X.columns)

    def worth(row: int, known: frozenset[int]) -> Numbers:
        mixed = background.copy()
        for j in known:
            cells = X[names[j]].iloc[[row] * len(background)]
            mixed[names[j]] = cells.set_axis(background.index)
        told = answers(mixed)
        return told.reshape(len(background), -1).mean(axis=0)

    values = [shapley(lambda known, row=row: worth(row, known), len(names)) for row in range(len(X))]  # type: ignore[misc]
    return worth(0, frozenset()), np.array(values)
