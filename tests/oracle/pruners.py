"""The oracle of every pruning method by name: which options are tried on a tree, and what must be left of it.

A method that the core enrols and this table does not name fails ``test_pruning.py``. An oracle yields options and a verdict,
which is given the leaves that the method left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright import _core

from .pruning import Leaves, Naive

Verdict = Callable[[Leaves], None]
Trial = tuple[dict[str, Any], Verdict]


@dataclass(frozen=True)
class Grown:
    """A tree, the rows it was grown from, and others, each as X, y and weights."""

    tree: tw.Tree
    naive: Naive
    training: tuple[Any, Any, Any]
    others: tuple[Any, Any]

    def losses(self) -> list[float]:
        """Losses of the other rows at every node."""
        return self.naive.losses(*self.others)


def exactly(expected: Leaves) -> Verdict:
    def verdict(kept: Leaves) -> None:
        assert kept == expected

    return verdict


def smallest_best(among: list[Leaves], value: Callable[[Leaves], float], size: bool = True) -> Verdict:
    """The least value of these trees and, where rounding does not decide, the least number of leaves with it."""
    values = [(value(leaves), len(leaves)) for leaves in among]
    least = min(v for v, _ in values)
    fewest = min(n for v, n in values if v <= least + 1e-9 * max(1, abs(least)))

    def verdict(kept: Leaves) -> None:
        assert value(kept) == pytest.approx(least, rel=1e-9, abs=1e-9)
        assert not size or len(kept) == fewest

    return verdict


def reduced_error(grown: Grown) -> Iterator[Trial]:
    loss = grown.losses()
    yield {}, smallest_best(grown.naive.listed(), lambda leaves: sum(loss[t] for t in leaves))
    yield {"order": "greedy"}, exactly(grown.naive.greedy(loss)[-1])


def cost_complexity(grown: Grown) -> Iterator[Trial]:
    naive, loss = grown.naive, grown.losses()
    for risk in ("error", "impurity"):
        risks = [
            naive.error(t) if risk == "error" else naive.weight[t] * naive.nodes[t].impurity for t in range(len(naive.nodes))
        ]
        alphas = np.unique(grown.tree.pruning_path(risk=risk).alpha)
        path: list[Leaves] = []
        for alpha in [*alphas, *(alphas[:-1] + np.diff(alphas) / 2), alphas[-1] + 1]:

            def cost(leaves: Leaves, alpha: float = float(alpha), risks: list[float] = risks) -> float:
                return sum(risks[t] for t in leaves) / naive.weight[0] + alpha * len(leaves)

            # Rounding of an alpha itself decides which of two trees of equal cost comes first.
            between = alpha not in alphas
            yield {"alpha": float(alpha), "risk": risk}, smallest_best(naive.listed(), cost, size=between)
            if between:
                path.append(min(naive.listed(), key=lambda leaves, cost=cost: (round(cost(leaves), 9), len(leaves))))
        # Without alpha the whole tree may be chosen too: it is step 0.
        path.append(naive.below(0))
        for leaves in (1, 3, len(naive.nodes)):
            most = max(len(tree) for tree in path if len(tree) <= leaves)
            yield {"leaves": leaves, "risk": risk}, smallest_best([t for t in path if len(t) == most], len)
        yield {"risk": risk}, smallest_best(path, lambda leaves: sum(loss[t] for t in leaves))


def critical_value(grown: Grown) -> Iterator[Trial]:
    naive, loss = grown.naive, grown.losses()
    inner = [t for t in range(len(naive.nodes)) if naive.children[t]]
    for measure in ("gain", "gain_ratio"):
        worth = {t: naive.nodes[t].gain if measure == "gain" else naive.ratio(t) for t in inner}
        values = sorted({0.0, *worth.values()})
        # A little below a value that stands apart from the one before it, no last bit decides.
        apart = [b for a, b in pairwise(values) if b - a > 1e-9 * b]
        trees = {value: naive.critical(value * (1 - 1e-10), worth.__getitem__) for value in [*apart, 1e300]}
        for value, tree in trees.items():
            yield {"value": value * (1 - 1e-10), "measure": measure}, exactly(tree)
        if len(apart) == len(values) - 1:
            path = [naive.below(0), *trees.values()]
            yield {"measure": measure}, smallest_best(path, lambda leaves: sum(loss[t] for t in leaves))


def error_based(grown: Grown) -> Iterator[Trial]:
    """By the definition without raising; with it, by ``test_error_based_is_what_c45_does`` and trees that C4.5 and J48 made."""
    for estimate, kind in (("r8", "quinlan"), ("j48", "weka")):
        for confidence in (0.05, 0.25, 0.5):

            def expected(n: float, wrong: float, confidence: float = confidence, kind: str = kind) -> float:
                return wrong + _core.extra_errors(n, wrong, confidence, kind)

            slack = 0.1 + 1e-6 * (estimate == "j48")
            options = {"raising": False, "confidence": confidence, "estimate": estimate}
            yield options, exactly(grown.naive.error_based(expected, slack))


def pessimistic(grown: Grown) -> Iterator[Trial]:
    for slack in (0.0, 1.0, 2.5):
        yield {"slack": slack}, exactly(grown.naive.pessimistic(slack))


def minimum_error(grown: Grown) -> Iterator[Trial]:
    naive = grown.naive
    for m in (None, 0.5, 2.0, 30.0):
        if m is None and naive.classes is None:
            continue

        def expected(leaves: Leaves, m: float | None = m) -> float:
            return sum(naive.weight[t] / naive.weight[0] * naive.expected(t, m) for t in leaves if naive.weight[t])

        yield {"m": m}, smallest_best(naive.listed(), expected)


def description_length(grown: Grown) -> Iterator[Trial]:
    naive = grown.naive
    usual = math.sqrt(naive.nodes[0].impurity) / 100 or 1.0
    tried: list[tuple[dict[str, Any], float]] = [({}, usual)]
    if naive.classes is None:
        tried += [({"precision": precision}, precision) for precision in (0.05, 1.0)]
    for options, precision in tried:
        yield options, smallest_best(naive.listed(), lambda leaves, precision=precision: naive.message(leaves, precision))


def limits(grown: Grown) -> Iterator[Trial]:
    naive = grown.naive
    gains = sorted(node.gain for node in naive.nodes if node.children)
    gain = gains[len(gains) // 2] if gains else 0.0
    yield {"max_depth": 1}, exactly(naive.cut(lambda t: naive.nodes[t].depth >= 1))
    yield {"min_samples": 20}, exactly(naive.cut(lambda t: naive.weight[t] < 20))
    yield {"min_merit": gain}, exactly(naive.cut(lambda t: naive.nodes[t].gain < gain))
    both = {"max_depth": 2, "min_samples": 10}
    yield both, exactly(naive.cut(lambda t: naive.nodes[t].depth >= 2 or naive.weight[t] < 10))


ORACLES: dict[str, Callable[[Grown], Iterator[Trial]]] = {
    "cost_complexity": cost_complexity,
    "critical_value": critical_value,
    "description_length": description_length,
    "error_based": error_based,
    "limits": limits,
    "minimum_error": minimum_error,
    "pessimistic": pessimistic,
    "reduced_error": reduced_error,
}
