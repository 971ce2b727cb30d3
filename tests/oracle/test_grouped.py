"""C4.5's groups of levels against the naive search: every merge of every pair judged anew from the weights of the classes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import treewright as tw

TIE = 1e-12
Block = tuple[list[int], list[float]]  # levels, weight of each class


def spread(weights: list[float]) -> float:
    """Weight times entropy."""
    return sum(w * math.log2(sum(weights) / w) for w in weights if w > 0)


class Naive:
    """The groups of one column at the root; all cells are known."""

    def __init__(self, counts: np.ndarray, ratio: bool, least: float = 2) -> None:
        self.total, self.ratio, self.least = float(counts.sum()), ratio, least
        self.base = spread(counts.sum(axis=0).tolist())
        self.blocks: list[Block] = [([v], row.tolist()) for v, row in enumerate(counts) if row.sum() > 0.5]
        self.one_class()
        self.grow()

    def judge(self, blocks: list[Block], least: float) -> tuple[float, float]:
        """Value and gain of a division."""
        weights = [sum(w) for _, w in blocks]
        if sum(weight >= least for weight in weights) < 2:
            return -1e-3, -1e-3
        gain = (self.base - sum(spread(w) for _, w in blocks)) / self.total
        info = spread(weights) / self.total
        if not self.ratio:
            return (gain if info > 0 else -1e-3), gain
        return (gain / info if info > 1e-3 and gain >= -TIE else -1e-3), gain

    @staticmethod
    def merged(blocks: list[Block], a: int, b: int) -> list[Block]:
        """Without the second block, whose place the last one takes."""
        out = list(blocks)
        out[a] = (blocks[a][0] + blocks[b][0], [x + y for x, y in zip(blocks[a][1], blocks[b][1], strict=True)])
        out[b] = out[-1]
        return out[:-1]

    def one_class(self) -> None:
        a = 0
        while a + 1 < len(self.blocks):
            pure = [w > 0 for w in self.blocks[a][1]]
            b = a + 1
            while sum(pure) == 1 and b < len(self.blocks):
                if [w > 0 for w in self.blocks[b][1]] == pure:
                    self.blocks = self.merged(self.blocks, a, b)
                else:
                    b += 1
            a += 1

    def grow(self) -> None:
        now, gain = self.judge(self.blocks, 1)
        half = gain / 2
        while len(self.blocks) > 2:
            weights = [sum(w) for _, w in self.blocks]
            enough = sum(weight >= self.least for weight in weights)
            barred = weights.index(max(weights)) if enough < 3 else -1
            best: tuple[float, float, int, int] | None = None
            for a in range(len(self.blocks) - 1):
                for b in range(a + 1, len(self.blocks)):
                    if barred in (a, b):
                        continue
                    value, gain = self.judge(self.merged(self.blocks, a, b), 1)
                    before = (0.0, -1e-3) if best is None else best[:2]
                    forced = best is None and (not self.ratio or enough < 2)
                    if (gain >= half - TIE and before[1] < half - TIE) or value >= before[0] - TIE or forced:
                        best = (value, gain, a, b)
            if best is None or (self.ratio and enough >= 2 and best[0] < now + 1e-5):
                break
            now = best[0]
            self.blocks = self.merged(self.blocks, best[2], best[3])

    def groups(self) -> set[frozenset[int]]:
        return {frozenset(levels) for levels, _ in self.blocks}


@pytest.mark.parametrize("criterion", ["gain_ratio", "info_gain"])
@pytest.mark.parametrize("seed", range(60))
def test_groups_are_those_of_the_naive_search(seed: int, criterion: str) -> None:
    rng = np.random.default_rng(seed)
    n_levels, n_classes, n = int(rng.choice([3, 5, 8, 14])), int(rng.choice([2, 3, 4])), int(rng.choice([25, 80, 400]))
    codes = rng.integers(0, n_levels, n)
    shares = rng.dirichlet(np.full(n_classes, 0.7), n_levels)
    classes = np.array([rng.choice(n_classes, p=shares[code]) for code in codes])
    counts = np.zeros((n_levels, n_classes))
    np.add.at(counts, (codes, classes), 1)
    counts = counts[:, counts.sum(axis=0) > 0]
    column = pd.Categorical.from_codes(codes, categories=[f"l{i}" for i in range(n_levels)])
    X = pd.DataFrame({"c": column})
    tree = tw.C45Classifier(grouped=True, criterion=criterion, pruned=False, collapse=False).fit(X, classes).tree_
    naive = Naive(counts, criterion == "gain_ratio")
    split = tree.root.split
    if split is None:
        enough = [sum(w) >= 2 for _, w in naive.blocks]
        assert sum(enough) < 2 or naive.judge(naive.blocks, 2)[0] <= 0
        return
    ours: dict[int, set[int]] = {}
    for level, branch in split.levels.items():
        if counts[int(level[1:])].sum() > 0:
            ours.setdefault(branch, set()).add(int(level[1:]))
    assert {frozenset(levels) for levels in ours.values()} == naive.groups()


def test_a_merge_of_many_levels_ends() -> None:
    """Four hundred levels, each of both classes: pairs are kept between merges, or this would take minutes."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(400), 20)
    said = rng.random(8000) < rng.random(400)[codes]
    X = pd.DataFrame({"c": pd.Categorical.from_codes(codes, categories=[f"l{i}" for i in range(400)])})
    tree = tw.C45Classifier(grouped=True).fit(X, said).tree_
    assert 2 <= len(tree.root.children) <= 20
