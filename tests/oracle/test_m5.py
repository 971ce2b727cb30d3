"""Quinlan's M5 (1992) written down slowly from docs/regression.md: splits, models, dropped terms and pruning, node by node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import treewright as tw

Numbers = np.ndarray[Any, Any]


@dataclass
class Naive:
    rows: Numbers
    column: int = -1  # none: a leaf
    at: float = 0.0
    children: tuple[Naive, ...] = ()
    tested: frozenset[int] = frozenset()
    terms: tuple[int, ...] = ()
    coefficients: Numbers | None = None  # the constant first
    error: float = 0.0  # sum of absolute residuals of the subtree
    parameters: int = 1


def factor(n: float, v: float) -> float:
    return (n + v) / (n - v) if n > v else 10.0


def best_split(X: Numbers, y: Numbers, all_sd: float) -> tuple[int, float] | None:
    """The largest fall of the deviation with two rows on both sides; of equals the first column, the lowest cut."""
    found, most = None, -np.inf
    for j in range(X.shape[1]):
        tried = []
        for a, b in zip(np.unique(X[:, j])[:-1], np.unique(X[:, j])[1:], strict=True):
            low = X[:, j] <= a
            if min(low.sum(), (~low).sum()) >= 2:
                tried.append((np.std(y) - np.mean(low) * np.std(y[low]) - np.mean(~low) * np.std(y[~low]), (a + b) / 2))
        if tried and max(fall for fall, _ in tried) > most + 1e-6 * min(1.0, all_sd):
            most = max(fall for fall, _ in tried)
            found = j, next(at for fall, at in tried if fall >= most - 1e-9 * all_sd)
    return found


def grown(X: Numbers, y: Numbers, rows: Numbers, all_sd: float, least: float) -> Naive:
    node, here = Naive(rows), y[rows]
    split = None if len(rows) < 4 or np.std(here) < least * all_sd else best_split(X[rows], here, all_sd)
    if split is not None:
        node.column, node.at = split
        low = X[rows, node.column] <= node.at
        node.children = tuple(grown(X, y, rows[side], all_sd, least) for side in (low, ~low))
        node.tested = frozenset({node.column}).union(*(child.tested for child in node.children))
    return node


def fitted(X: Numbers, y: Numbers, terms: tuple[int, ...]) -> tuple[Numbers, float]:
    design = np.column_stack([np.ones(len(y)), X[:, list(terms)]])
    coefficients, *_ = np.linalg.lstsq(design, y, rcond=None)
    return coefficients, float(np.abs(y - design @ coefficients).sum())


def modelled(node: Naive, X: Numbers, y: Numbers, pruned: bool, all_sd: float) -> Naive:
    """Models from the leaves up; a node whose own is expected to err no more than its subtree ends."""
    for child in node.children:
        modelled(child, X, y, pruned, all_sd)
    here, n, terms = (X[node.rows], y[node.rows]), len(node.rows), tuple(sorted(node.tested))
    coefficients, error = fitted(*here, terms)
    while terms:
        size = np.abs(coefficients[1:]) * np.std(here[0][:, list(terms)], axis=0)
        fewer = tuple(np.delete(terms, np.argmin(size)).tolist())
        smaller, rest = fitted(*here, fewer)
        if rest * factor(n, len(fewer) + 1) > error * factor(n, len(terms) + 1) + 1e-9 * all_sd:
            break
        terms, coefficients, error = fewer, smaller, rest
    node.terms, node.coefficients, node.error, node.parameters = terms, coefficients, error, len(terms) + 1
    if node.children:
        below, v = sum(child.error for child in node.children), 1 + sum(child.parameters for child in node.children)
        own = error / n * factor(n, node.parameters)
        if pruned and (own <= below / n * factor(n, v) + 1e-9 * all_sd or own < 1e-5 * all_sd):
            node.children = ()
        else:
            node.error, node.parameters = below, v
    return node


def compare(node: tw.Node, naive: Naive) -> int:
    """The nodes are alike; how many there are."""
    equation = node.equation
    assert equation is not None and naive.coefficients is not None
    assert node.weight == len(naive.rows)
    assert [term.index for term in equation.terms] == list(naive.terms)
    mine = [equation.intercept, *(term.coefficient for term in equation.terms)]
    assert mine == pytest.approx(naive.coefficients.tolist(), rel=1e-6, abs=1e-9)
    assert len(node.children) == len(naive.children)
    if node.split is not None:
        assert node.split.column == f"x{naive.column}"
        assert node.split.cuts == pytest.approx([naive.at], rel=1e-12)
    return 1 + sum(compare(*pair) for pair in zip(node.children, naive.children, strict=True))


@pytest.mark.parametrize("pruned", [True, False])
@pytest.mark.parametrize("least", [0.05, 0.4])
def test_trees_and_models(pruned: bool, least: float) -> None:
    sizes = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 90))
        X = rng.normal(size=(n, 3)) if seed % 2 else rng.integers(0, 6, (n, 3)).astype(float)
        y = np.where(X[:, 0] > 0.5, 2 * X[:, 1], 3 - X[:, 2]) + 0.3 * rng.normal(size=n)
        est = tw.M5Regressor(variant="m5", pruned=pruned, min_deviation=least, smoothing="none").fit(X, y)
        naive = modelled(grown(X, y, np.arange(n), float(np.std(y)), least), X, y, pruned, float(np.std(y)))
        sizes.append(compare(est.tree_.root, naive))
    assert max(sizes) > 3


@pytest.mark.parametrize("variant", ["m5", "m5p"])
def test_nodes_of_little_deviation_are_leaves(variant: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 2))
    y = np.where(X[:, 0] > 0, 3 * X[:, 1], X[:, 1] ** 2)
    sizes = []
    for least in (0.0, 0.2, 0.6):
        tree = tw.M5Regressor(variant=variant, pruned=False, min_deviation=least).fit(X, y).tree_
        sizes.append(tree.n_leaves)
        assert all(np.sqrt(node.impurity) >= least * np.std(y) for node in tree.nodes() if not node.is_leaf)
        wide = [leaf for leaf in tree.leaves() if np.sqrt(leaf.impurity) >= least * np.std(y)]
        assert all(leaf.weight < 4 or leaf.impurity == 0 for leaf in wide)
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == 3
