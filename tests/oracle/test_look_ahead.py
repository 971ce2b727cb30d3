"""Looking ahead against an enumeration of all tries, split by split."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core

Rows = list[int]
Split = tuple[str, float | None, list[Rows]]
Worth = tuple[float, int]  # what the impurity falls by, times rows, and in how many splits


class Naive:
    """A look ahead that tries everything and remembers nothing."""

    def __init__(self, X: pd.DataFrame, y: list[str], criterion: str, least: int) -> None:
        self.X, self.y, self.criterion, self.least = X, y, criterion, least

    def impurity(self, rows: Rows) -> float:
        shares = [n / len(rows) for n in Counter(self.y[i] for i in rows).values()]
        return 1 - sum(p * p for p in shares) if self.criterion == "gini" else -sum(p * math.log2(p) for p in shares)

    def splits(self, rows: Rows, spent: frozenset[str]) -> Iterator[Split]:
        for name in self.X:
            column = self.X[name]
            if isinstance(column.dtype, pd.CategoricalDtype):
                branches = [[i for i in rows if column[i] == level] for level in column.cat.categories]
                if name not in spent and sum(len(branch) >= self.least for branch in branches) > 1:
                    yield name, None, branches
                continue
            values = sorted({column[i] for i in rows})
            for below, above in itertools.pairwise(values):
                sides = [[i for i in rows if column[i] <= below], [i for i in rows if column[i] > below]]
                if min(map(len, sides)) >= self.least:
                    yield name, (below + above) / 2, sides

    def fall(self, split: Split, rows: Rows) -> float:
        return len(rows) * self.impurity(rows) - sum(len(b) * self.impurity(b) for b in split[2] if b)

    def after(self, split: Split, rows: Rows, spent: frozenset[str], levels: int) -> Worth:
        fall, splits = self.fall(split, rows), 1
        used = spent | {split[0]} if split[1] is None else spent
        for branch in split[2]:
            if branch and levels > 1 and self.impurity(branch) > 0:
                more = self.most(branch, used, levels - 1)
                fall, splits = fall + more[0], splits + more[1]
        return fall, splits

    def most(self, rows: Rows, spent: frozenset[str], levels: int) -> Worth:
        best = (0.0, 0)
        for split in self.splits(rows, spent):
            if levels == 1:
                one = (self.fall(split, rows), 1)
            else:
                one = self.after(split, rows, spent, levels)
            if one[0] > best[0] + 1e-9 or (one[0] > best[0] - 1e-9 and one[1] < best[1]):
                best = one
        return best


def table(random: Random) -> tuple[pd.DataFrame, list[str]]:
    n = random.randint(4, 14)
    columns: dict[str, Any] = {}
    for j in range(random.randint(1, 3)):
        if random.random() < 0.5:
            k = random.randint(2, 3)
            columns[f"c{j}"] = pd.Categorical([f"v{random.randrange(k)}" for _ in range(n)], [f"v{i}" for i in range(k)])
        else:
            columns[f"c{j}"] = [float(random.randrange(5)) for _ in range(n)]
    return pd.DataFrame(columns), [random.choice("ab" if random.random() < 0.7 else "abc") for _ in range(n)]


@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
@pytest.mark.parametrize("seed", range(60))
def test_every_split_is_the_best_of_all_tries(seed: int, criterion: str) -> None:
    random = Random(seed)
    X, y = table(random)
    depth, least = random.randint(2, 3), random.choice([1, 1, 2])
    est = tw.BacktrackingTreeClassifier(depth=depth, criterion=criterion, min_samples_leaf=least, keep_candidates=True).fit(X, y)
    naive = Naive(X, y, criterion, least)
    paths = est.tree_.decision_path(X).toarray()
    for node in est.tree_.nodes():
        rows = np.flatnonzero(paths[:, node.id]).tolist()
        if node.is_leaf:
            continue
        spent = frozenset(up.split.column for up in ancestors(node) if up.split.family == "multiway")
        worth: dict[str, Worth] = {}
        for split in naive.splits(rows, spent):
            one = naive.after(split, rows, spent, depth)
            best = worth.get(split[0], (-1.0, 0))
            if one[0] > best[0] + 1e-9 or (one[0] > best[0] - 1e-9 and one[1] < best[1]):
                worth[split[0]] = one
        assert {c.column: pytest.approx(c.merit * len(rows), abs=1e-7) for c in node.candidates} == {
            name: fall for name, (fall, _) in worth.items()
        }
        most = max(fall for fall, _ in worth.values())
        fewest = min(splits for fall, splits in worth.values() if fall > most - 1e-9)
        eligible = [name for name in X if name in worth and worth[name][0] > most - 1e-9 and worth[name][1] == fewest]
        assert node.split.column == eligible[0]


def ancestors(node: tw.Node) -> Iterator[tw.Node]:
    while (up := node.parent) is not None:
        yield up
        node = up


def grown(X: pd.DataFrame, y: list[str], levels: int, **options: Any) -> dict[str, Any]:
    table_ = _core.TableInput(len(y))
    table_.add_numeric(np.ascontiguousarray(X.to_numpy(float)), [str(name) for name in X])
    table_.set_classes(np.unique(y, return_inverse=True)[1].astype(np.int32), len(set(y)))
    settings = _core.GrowSettings()
    for name, value in options.items():
        setattr(settings, name, value)
    if levels:
        settings.look_ahead(levels, 0, 10**9)
    state: dict[str, Any] = _core.grow(table_, settings).state()
    return state


@pytest.mark.parametrize("criterion", ["info_gain", "gini"])  # others compare columns by more than their gain
@pytest.mark.parametrize("missing", ["learned", "majority", "fraction", "spread", "own", "ignore"])
def test_one_level_is_greedy(criterion: str, missing: str) -> None:
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.integers(0, 9, (60, 3)).astype(float))
    X = X.mask(pd.DataFrame(rng.random((60, 3)) < 0.1))
    y = [str(int(v)) for v in (X.fillna(4).sum(axis=1) + rng.integers(0, 3, 60)) // 5 % 3]
    options = {"criterion": criterion, "missing": missing, "max_depth": 3, "engine": "plain"}
    ahead, greedy = grown(X, y, 1, **options), grown(X, y, 0, **options)
    assert ahead["column"].tolist() == greedy["column"].tolist()
    np.testing.assert_array_equal(ahead["weight"], greedy["weight"])
    np.testing.assert_array_equal(ahead["gain"], greedy["gain"])


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads: int) -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.random((120, 4)).round(1))
    y = [str(int((a > 0.5) ^ (b > 0.4))) for a, b in zip(X[0], X[1], strict=True)]
    one, many = (tw.BacktrackingTreeClassifier(n_jobs=n).fit(X, y).tree_.state() for n in (1, threads))
    assert all(np.array_equal(one[name], many[name], equal_nan=True) for name in one if name != "n_classes")


def test_a_node_ends_where_tries_may_not_go_on() -> None:
    X = pd.DataFrame({"a": list("FFTT"), "b": list("FTFT"), "c": list("FTTT")}).astype("category")
    y = ["no", "yes", "yes", "no"]
    assert tw.BacktrackingTreeClassifier().fit(X, y).tree_.root.split.column == "a"
    # One level alone: nothing may follow, so the column that gains something by itself is taken.
    assert tw.BacktrackingTreeClassifier(max_depth=1).fit(X, y).tree_.root.split.column == "c"
