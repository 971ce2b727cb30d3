"""The recorded answers of C4.5 release 8 and C4.5rules, and trees of ours held against them."""

from __future__ import annotations

import gzip
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw

RECORD = Path(__file__).parent / "recorded" / "c45.json.gz"
FOLDS = 10
SINGLE = 1e-5  # what sums in single precision, in which release 8 counts, may be off by


@cache
def recorded() -> dict[str, Any]:
    """Answers by table."""
    tables: dict[str, Any] = json.loads(gzip.decompress(RECORD.read_bytes()))["tables"]
    return tables


def load(shared: Path, name: str) -> tuple[pd.DataFrame, pd.Series]:
    """The columns and the target of a table, rows without a target left out."""
    table = pd.read_parquet(shared / "data" / f"{name}.parquet")
    table = table[table.iloc[:, -1].notna()].reset_index(drop=True)
    return table.iloc[:, :-1], table.iloc[:, -1]


def wrong(est: Any, X: pd.DataFrame, y: pd.Series) -> int:
    """How many rows are classified wrongly."""
    return int(np.sum(est.predict(X) != y.to_numpy()))


def folded(est: Any, X: pd.DataFrame, y: pd.Series) -> list[int]:
    """Errors on ten folds; fold k holds the rows whose position is k modulo ten."""
    fold = np.arange(len(y)) % FOLDS
    return [wrong(est.fit(X[fold != k], y[fold != k]), X[fold == k], y[fold == k]) for k in range(FOLDS)]


class Comparison:
    """Walks a tree of ours beside a recorded one; where two splits are equally good, what lies below them is left out."""

    def __init__(self, tree: tw.Tree, nodes: list[list[Any]]) -> None:
        self.tree, self.nodes = tree, nodes
        self.names = [column.name for column in tree.columns]
        self.classes = tree.classes or ()
        self.below: list[list[int]] = [[] for _ in nodes]  # branches by node
        waiting: list[int] = []
        for i in range(len(nodes)):
            if waiting:
                self.below[waiting[-1]].append(i)
            waiting.append(i)
            while waiting and len(self.below[waiting[-1]]) == nodes[waiting[-1]][4]:
                waiting.pop()
        self.ties = 0
        self.differences: list[str] = []
        self._walk()

    def _walk(self) -> None:
        open_ = [(self.tree.root, 0)]
        while open_:
            node, i = open_.pop()
            weights, column, *_ = self.nodes[i]
            if node.weight > 0 and not np.allclose(self._weights(node), weights, rtol=SINGLE, atol=1e-3):
                self.differences.append(f"node {node.id}: classes weigh {self._weights(node)}, there {weights}")
            elif node.is_leaf or column < 0:
                if not (node.is_leaf and column < 0):
                    self.differences.append(f"node {node.id} is a leaf of one tree only")
            elif self._same_split(node, i):
                open_ += zip(node.children, self.below[i], strict=True)
            elif self._tied(node, i):
                self.ties += 1
            else:
                self.differences.append(f"node {node.id}: {node.split}, there column {self.names[column]}")

    def _weights(self, node: tw.Node) -> list[float]:
        """Of the classes, in the order of their declaration."""
        held = node.value
        assert isinstance(held, dict)
        return [held.get(label, 0.0) for label in self.classes]

    def _same_split(self, node: tw.Node, i: int) -> bool:
        split = node.split
        assert split is not None
        _, column, cut, groups, _ = self.nodes[i]
        if split.column != self.names[column]:
            return False
        if cut is not None:
            return np.float32(split.cuts[0]) == np.float32(cut)
        declared = self.tree.columns[column].levels
        mine = {declared.index(level): branch for level, branch in split.levels.items()}
        return groups is None or mine == {level: branch for branch, group in enumerate(groups) for level in group}

    def _tied(self, node: tw.Node, i: int) -> bool:
        """Whether the recorded split is as good as ours: by the figures of its column, or by those of its branches."""
        split, column = node.split, self.names[self.nodes[i][1]]
        assert split is not None
        if split.column != column:
            merits = {candidate.column: candidate.merit for candidate in node.candidates}
            return column in merits and math.isclose(merits[column], merits[split.column], rel_tol=10 * SINGLE)
        ours = _entropy([self._weights(child) for child in node.children])
        theirs = _entropy([self.nodes[below][0] for below in self.below[i]])
        return abs(ours - theirs) <= SINGLE * node.weight


def _entropy(branches: list[list[float]]) -> float:
    """Class entropy of branches, times their weights."""

    def x_log_x(x: float) -> float:
        return x * math.log2(x) if x > 0 else 0.0

    return sum(x_log_x(sum(branch)) - sum(map(x_log_x, branch)) for branch in branches)
