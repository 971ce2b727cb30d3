"""Pruning a second time, from docs/pruning.md: every pruned subtree is listed, or the definition is followed recursively."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import treewright as tw

Leaves = frozenset[int]
MOST = 3000  # pruned subtrees that are listed


class Naive:
    """A tree as nested lists, with what its nodes remember of the training rows."""

    def __init__(self, tree: tw.Tree) -> None:
        self.tree = tree
        self.nodes = list(tree.nodes())
        self.children = [[child.id for child in node.children] for node in self.nodes]
        self.classes = tree.target.classes
        self.weight = [node.weight for node in self.nodes]

    def counts(self, t: int) -> list[float]:
        value = self.nodes[t].value
        assert isinstance(value, dict) and self.classes is not None
        return [value.get(label, 0.0) for label in self.classes] if self.weight[t] else [0.0] * len(self.classes)

    def error(self, t: int) -> float:
        """Training loss of a node as a leaf, weights counted."""
        if self.classes is None:
            return self.weight[t] * self.nodes[t].impurity
        counts = self.counts(t)
        return sum(counts) - (counts[self.classes.index(self.nodes[t].prediction)] if self.weight[t] else 0.0)

    def losses(self, X: Any, y: Any) -> list[float]:
        """Losses of rows at every node they pass, each node answering for itself."""
        passed = self.tree.decision_path(X).toarray().astype(bool)
        out = []
        for t, node in enumerate(self.nodes):
            here = np.asarray(y, object)[passed[:, t]]
            said = node.prediction
            out.append(float(sum((v != said) if self.classes is not None else (v - said) ** 2 for v in here)))
        return out

    def prunings(self, t: int = 0) -> Iterator[Leaves]:
        """The leaves of every subtree that shares the root."""
        yield frozenset([t])
        if self.children[t]:
            for parts in itertools.product(*(list(self.prunings(c)) for c in self.children[t])):
                yield frozenset().union(*parts)

    def listed(self) -> list[Leaves]:
        """All pruned subtrees, of a tree that is small enough."""
        assert self.n_prunings() <= MOST
        return list(self.prunings())

    def n_prunings(self, t: int = 0) -> int:
        return 1 + (math.prod(self.n_prunings(c) for c in self.children[t]) if self.children[t] else 0)

    def below(self, t: int) -> Leaves:
        """The leaves under a node."""
        return frozenset().union(*(self.below(c) for c in self.children[t])) if self.children[t] else frozenset([t])

    def inside(self, t: int) -> list[int]:
        return [t, *(d for c in self.children[t] for d in self.inside(c))]

    def cut(self, ends: Callable[[int], bool], t: int = 0) -> Leaves:
        """The leaves left when every node that ends does, from the root down."""
        if not self.children[t] or ends(t):
            return frozenset([t])
        return frozenset().union(*(self.cut(ends, c) for c in self.children[t]))

    # -- definitions ----------------------------------------------------------------------------------------------------

    def greedy(self, loss: list[float]) -> list[Leaves]:
        """Reduced error, the most helpful node first: the trees after every end."""
        ended: set[int] = set()
        trees = [self.cut(lambda t: t in ended)]
        while True:
            standing = [t for t in self._standing(ended) if self.children[t] and t not in ended]
            helps = {t: sum(loss[s] for s in self.cut(lambda s: s in ended, t)) - loss[t] for t in standing}
            helps = {t: 0.0 if abs(h) < 1e-9 else h for t, h in helps.items()}
            if not helps or max(helps.values()) < 0:
                return trees
            ended.add(min(t for t in helps if helps[t] == max(helps.values())))
            trees.append(self.cut(lambda t: t in ended))

    def _standing(self, ended: set[int], t: int = 0) -> list[int]:
        return [t] if t in ended else [t, *(d for c in self.children[t] for d in self._standing(ended, c))]

    def pessimistic(self, slack: float) -> Leaves:
        def ends(t: int) -> bool:
            below = sum(self.error(s) + 0.5 for s in self.below(t))
            n = self.weight[t]
            spread = math.sqrt(max(0.0, below * (n - below) / n)) if n else 0.0
            return self.error(t) + 0.5 <= below + slack * spread

        return self.cut(ends)

    def error_based(self, expected: Callable[[float, float], float], slack: float) -> Leaves:
        """Bottom up: a node ends if it is expected to make no more errors than its branches, but for some slack."""

        def best(t: int) -> tuple[float, Leaves]:
            leaf = expected(self.weight[t], self.weight[t] - max(self.counts(t))) if self.weight[t] else 0.0
            if not self.children[t]:
                return leaf, frozenset([t])
            below = [best(c) for c in self.children[t]]
            kept = sum(errors for errors, _ in below)
            return (leaf, frozenset([t])) if leaf <= kept + slack else (kept, frozenset().union(*(tree for _, tree in below)))

        return best(0)[1]

    def expected(self, t: int, m: float | None) -> float:
        """Expected error of a node as a leaf."""
        n = self.weight[t]
        if self.classes is None:
            assert m is not None
            mean = (n * self.nodes[t].prediction + m * self.nodes[0].prediction) / (n + m)
            square = (
                n * (self.nodes[t].impurity + self.nodes[t].prediction ** 2)
                + m * (self.nodes[0].impurity + self.nodes[0].prediction ** 2)
            ) / (n + m)
            return square - mean**2
        counts, k = self.counts(t), len(self.classes)
        if m is None:
            return (n - max(counts) + k - 1) / (n + k)
        prior = [c / self.weight[0] for c in self.counts(0)]
        return 1 - max((c + m * p) / (n + m) for c, p in zip(counts, prior, strict=True))

    def critical(self, value: float, worth: Callable[[int], float]) -> Leaves:
        return self.cut(lambda t: all(worth(s) < value for s in self.inside(t) if self.children[s]))

    def ratio(self, t: int) -> float:
        """Gain over split information of a node's split."""
        held = [self.weight[c] for c in self.children[t] if self.weight[c]]
        bits = -sum(w / sum(held) * math.log2(w / sum(held)) for w in held)
        return self.nodes[t].gain / bits if bits else 0.0

    def leaf_bits(self, t: int, precision: float) -> float:
        n = self.weight[t]
        if n == 0:
            return 0.0
        if self.classes is None:
            variance = self.nodes[t].impurity / precision**2
            each = max(0.0, 0.5 * math.log2(2 * math.pi * math.e * variance)) if variance > 0 else 0.0
            return n * each + max(0.0, math.log2(n))
        k = len(self.classes)
        data = sum(c * math.log2(n / c) for c in self.counts(t) if c)
        return data + max(0.0, (k - 1) / 2 * math.log2(n / 2) + math.log2(math.pi ** (k / 2) / math.gamma(k / 2)))

    def split_bits(self, t: int) -> float:
        state, columns = self.tree.state(), self.tree.columns

        def pool(name: str) -> int:
            begin = state[name]
            return int(begin[t + 1] - begin[t]) if len(begin) else 0

        family = self.tree.families[state["family"][t]]
        bits = math.log2(len(columns)) + pool("cut_begin") * math.log2(max(1.0, self.weight[t] - 1))
        levels, branches = pool("level_begin"), len(self.children[t])
        if family == "one_vs_rest":
            bits += math.log2(len(columns[state["column"][t]].levels))
        elif family in ("subset", "grouped"):
            bits += levels - 1 if branches == 2 else levels * math.log2(branches)
        return bits

    def message(self, leaves: Leaves, precision: float, t: int = 0) -> float:
        """Bits of the whole message of a pruned tree."""
        if t in leaves:
            return 1 + self.leaf_bits(t, precision)
        return 1 + self.split_bits(t) + sum(self.message(leaves, precision, c) for c in self.children[t])


def kept_leaves(whole: tw.Tree, pruned: tw.Tree) -> Leaves:
    """The leaves of a pruned tree as nodes of the whole one: both are walked together."""
    out: set[int] = set()
    open_ = [(whole.root, pruned.root)]
    while open_:
        a, b = open_.pop()
        assert a.weight == b.weight and a.prediction == b.prediction
        if b.is_leaf:
            out.add(a.id)
        else:
            assert a.split == b.split
            open_.extend(zip(a.children, b.children, strict=True))
    return frozenset(out)
