"""The smallest consistent trees against all trees written out, and every one of them made."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

Tree = Any  # a class, or (column, cut or None, subtrees)


def trees(X: pd.DataFrame, rows: list[int], used: frozenset[str], size: int, labels: list[str]) -> list[Tree]:
    """Every tree of a size over these rows; numeric columns are cut between neighbouring values of the rows."""
    if size == 0:
        return list(labels)
    out: list[Tree] = []
    for name in X:
        column = X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            if name in used:
                continue
            tests: list[Any] = [(None, [[i for i in rows if column[i] == level] for level in column.cat.categories])]
            after = used | {name}
        else:
            values = sorted({column[i] for i in rows})
            after = used
            tests = [
                (float(a + b) / 2, [[i for i in rows if column[i] <= a], [i for i in rows if column[i] > a]])
                for a, b in itertools.pairwise(values)
            ]
        for cut, branches in tests:
            for sizes in itertools.product(range(size), repeat=len(branches)):
                if sum(sizes) == size - 1:
                    below = [trees(X, branch, after, n, labels) for branch, n in zip(branches, sizes, strict=True)]
                    out += [(name, cut, *one) for one in itertools.product(*below)]
    return out


def said(tree: Tree, row: Any, levels: dict[str, list[str]]) -> str:
    while isinstance(tree, tuple):
        name, cut, *below = tree
        tree = below[levels[name].index(row[name]) if cut is None else int(row[name] > cut)]
    return str(tree)


def nested(node: tw.Node) -> Tree:
    if node.is_leaf:
        return node.prediction
    cut = node.split.cuts[0] if node.split.family == "threshold" else None
    return (node.split.column, cut, *(nested(edge) for edge in node.children))


def table(random: Random) -> tuple[pd.DataFrame, list[str]]:
    n, columns = random.randint(2, 5), {}
    for j in range(random.randint(1, 3)):
        if random.random() < 0.6:
            k = random.choice([2, 2, 3])
            columns[f"c{j}"] = pd.Categorical([f"v{random.randrange(k)}" for _ in range(n)], [f"v{i}" for i in range(k)])
        else:
            columns[f"c{j}"] = [float(random.randrange(3)) for _ in range(n)]
    X = pd.DataFrame(columns)
    concept: dict[Any, str] = {}
    return X, [concept.setdefault(row, random.choice("pq")) for row in X.itertuples(index=False)]


@pytest.mark.parametrize("seed", range(80))
def test_all_trees_written_out(seed: int) -> None:
    X, y = table(Random(seed))
    labels = sorted(set(y))
    levels = {name: list(X[name].cat.categories) for name in X if isinstance(X[name].dtype, pd.CategoricalDtype)}
    found = tw.smallest_trees(X, y)
    by_size = []
    for size in range(found.size + 1):
        every = trees(X, list(range(len(X))), frozenset(), size, labels)
        right = [one for one in every if all(said(one, row, levels) == y[i] for i, (_, row) in enumerate(X.iterrows()))]
        trees_ = found.by_size[size].trees
        assert trees_ is None or trees_ == len(every)
        by_size.append(len(right))
    assert [one.consistent for one in found.by_size] == by_size
    assert [found.size, found.count, len(found)] == [len(by_size) - 1, by_size[-1], len(right)]
    made = [nested(tree.root) for tree in found]
    assert sorted(map(str, made)) == sorted(map(str, right))
    assert [str(nested(tree.root)) for tree in found[1:3]] == [str(one) for one in made[1:3]]
    assert all(tree.validate().n_splits == found.size for tree in found)
    if found.size < 3:
        every = trees(X, list(range(len(X))), frozenset(), found.size + 1, labels)
        right = [one for one in every if all(said(one, row, levels) == y[i] for i, (_, row) in enumerate(X.iterrows()))]
        if right:
            larger = tw.smallest_trees(X, y, size=found.size + 1)
            assert larger.count == len(right)
            assert {str(nested(tree.root)) for tree in larger[:100]} <= set(map(str, right))


def test_no_tree_of_look_ahead_or_greed_is_smaller() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        X = pd.DataFrame(rng.integers(0, 2, (10, 4)).astype(bool), columns=list("abcd"))
        y = np.where((X["a"] & X["b"]) ^ X["c"], "p", "q")
        found = tw.smallest_trees(X, y)
        ahead = [tw.BacktrackingTreeClassifier(depth=depth).fit(X, y).tree_.n_splits for depth in (1, 2, 3, 4)]
        assert min(ahead) >= found.size
        assert ahead[-1] == found.size
