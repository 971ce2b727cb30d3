"""What a recipe does with a grown tree, inside one call of the core: each step against its definition, on the tree without it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.oracle.pruning import Leaves, Naive, kept_leaves
from tests.properties.tables import make_case
from treewright.recipe import Recipe
from treewright.recipes import CART, RPART

SEEDS = range(8)
LOSS = [[0, 5, 1], [1, 0, 2], [7, 1, 0]]


def grown(recipe: Recipe, seed: int, numbers: bool = False, **options: Any) -> tw.Tree:
    case = make_case(seed, n=120, n_classes=3)
    learner: Any = (tw.TreeRegressor if numbers else tw.TreeClassifier)(recipe=recipe, **options)
    return learner.fit(case.X, case.target(learner), sample_weight=case.weights if seed % 2 else None).tree_


@pytest.mark.parametrize("seed", SEEDS)
def test_splits_that_save_no_error_are_undone(seed: int) -> None:
    plain = replace(CART, name="mine", min_samples_leaf=4)
    tree = grown(plain, seed)
    naive = Naive(tree)

    def useless(t: int) -> bool:
        return sum(naive.error(leaf) for leaf in naive.below(t)) >= naive.error(t) - 1e-3

    kept = naive.cut(useless)
    assert kept_leaves(tree, grown(replace(plain, collapse=True), seed)) == kept
    assert len(kept) < tree.n_leaves or seed > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_thresholds_lie_at_training_values(seed: int) -> None:
    case = make_case(seed, n=120, n_classes=3)
    between, at = grown(CART, seed), grown(replace(CART, name="mine", threshold_at="training"), seed)
    there = case.weights > 0 if seed % 2 else slice(None)
    X = case.X[there]
    assert np.array_equal(between.apply(X), at.apply(X))
    for node, other in zip(at.nodes(), between.nodes(), strict=True):
        if node.split is None or not node.split.cuts:
            continue
        cells = np.asarray(X[node.split.column], float)
        assert other.split is not None
        # Halfway between two decimals the last bit decides whether a value lies below.
        cut = other.split.cuts[0]
        assert node.split.cuts[0] in (cells[cells <= cut - 1e-9].max(), cells[cells <= cut + 1e-9].max())


def risks(naive: Naive, loss: Any = None) -> list[float]:
    if loss is None:
        return [naive.error(t) for t in range(len(naive.nodes))]
    classes = list(naive.classes or ())
    return [
        sum(n * loss[k][classes.index(naive.nodes[t].prediction)] for k, n in enumerate(naive.counts(t)))
        for t in range(len(naive.nodes))
    ]


@pytest.mark.parametrize(("numbers", "loss"), [(False, None), (False, LOSS), (True, None)])
@pytest.mark.parametrize("seed", SEEDS)
def test_complexity_is_a_share_of_the_risk_of_the_root(seed: int, numbers: bool, loss: Any) -> None:
    options = {} if loss is None else {"loss": loss}
    tree = grown(CART, seed, numbers, **options)
    naive = Naive(tree)
    root = risks(naive, loss)[0] / naive.weight[0]
    for cp in (0.0, 0.0137, 0.0731, 2.0):
        pruned = grown(replace(CART, name="mine", cp=cp), seed, numbers, **options)
        assert pruned == tree.prune("cost_complexity", alpha=cp * root)


class Rpart:
    """rpart's rule, followed recursively (partition.c of rpart 4.1)."""

    def __init__(self, naive: Naive, risk: list[float], cp: float, factor: list[float]) -> None:
        self.naive, self.risk, self.alpha, self.factor = naive, risk, cp * risk[0], factor
        self.complexity = [self.alpha] * len(risk)
        self.kept: set[int] = set()
        self.settle(0, risk[0])

    def mean(self, t: int) -> float:
        if self.naive.classes is None:
            return float(self.naive.nodes[t].prediction)
        weights = [n * f for n, f in zip(self.naive.counts(t), self.factor, strict=True)]
        return sum(k * w for k, w in enumerate(weights)) / sum(weights)

    def settle(self, t: int, bound: float) -> tuple[float, int]:
        """Risk and splits of what is left of a subtree that can save so much per split, at most."""
        own, worth = self.risk[t], min(self.risk[t], bound)
        if not self.naive.children[t] or worth <= self.alpha:
            return own, 0
        one, two = self.naive.children[t]
        left, right = (one, two) if self.mean(one) < self.mean(two) else (two, one)
        sides = {left: self.settle(left, worth - self.alpha)}
        saved = max((own - sides[left][0]) / (sides[left][1] + 1), own - self.risk[left])
        sides[right] = self.settle(right, min(saved, bound) - self.alpha)
        for side in sorted((right, left), key=lambda c: self.complexity[c]):
            each = (own - sum(r for r, _ in sides.values())) / (sum(n for _, n in sides.values()) + 1)
            if each <= self.complexity[side] * (1 + 1e-12):
                break
            sides[side] = (self.risk[side], 0)
        below, splits = sum(r for r, _ in sides.values()), sum(n for _, n in sides.values()) + 1
        self.complexity[t] = (own - below) / splits
        if self.complexity[t] <= self.alpha:
            return own, 0
        self.kept.add(t)
        return below, splits

    def leaves(self) -> Leaves:
        return self.naive.cut(lambda t: t not in self.kept)


@pytest.mark.parametrize(("numbers", "loss"), [(False, None), (False, LOSS), (True, None)])
def test_complexity_of_rpart_follows_its_rule(numbers: bool, loss: Any) -> None:
    """The whole tree is grown without a complexity; which nodes rpart would have left alone is found again."""
    whole = replace(RPART, name="mine", cp=None, min_samples_split=6, min_samples_leaf=2)
    options = {} if loss is None else {"loss": loss}
    sizes, exact = [], []
    for seed, cp in itertools.product(SEEDS, (0.0, 0.003, 0.01, 0.02, 0.04)):
        tree = grown(whole, seed, numbers, **options)
        naive = Naive(tree)
        factor = [1.0] * len(naive.classes or ()) if loss is None else [float(sum(row)) for row in loss]
        risk = risks(naive, loss)
        pruned = grown(replace(whole, cp=cp), seed, numbers, **options)
        assert kept_leaves(tree, pruned) == Rpart(naive, risk, cp, factor).leaves()
        sizes.append(pruned.n_leaves)
        exact.append(tree.prune("cost_complexity", alpha=cp * risk[0] / naive.weight[0]).n_leaves)
    assert len(set(sizes)) > 4
    assert sizes != exact or not numbers  # the rule is not that of cost complexity
