"""Trees grown again from subsets of one table, which is read and encoded once: for folds, candidates and learning curves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learn.jobs import Progress, Watch
from treewright.learn.tree import TreeLearner
from treewright.learn.values import seed_of
from treewright.model import Tree
from treewright.model.node_columns import NodeColumns
from treewright.prune.costs import costs_of
from treewright.prune.rows import Losses, Rows, held_out
from treewright.table.folds import fold_rows
from treewright.table.streams import as_table

Whole = NDArray[np.int64]


class Regrower:
    """A table to grow trees from, some rows at a time."""

    def __init__(self, learner: TreeLearner[Any], rows: Rows) -> None:
        self.learner, self.rows = learner, rows
        self.training = learner.training(as_table(rows.X), rows.y, rows.sample_weight)
        if self.training.target.outputs:
            raise ValueError("y has several numbers a row, for which trees are not judged node by node: use cross_val_score")
        self.encoded = self.training.table()
        settings = learner.settings(self.training)
        self.encoded.prepare(settings)
        target = learner.judged_target(self.training, settings)
        # Where class weights were made weights of the rows, the rows carry them already.
        self.target = target if self.training.factors is None else replace(target, factors=())
        self.costs = costs_of(self.target)

    @property
    def n_rows(self) -> int:
        """Rows of the table, those of weight 0 apart."""
        return len(self.training.codes)

    def folds(self, folds: Any, random_state: Any) -> list[tuple[Whole, Whole]]:
        """Rows to learn from and rows to judge by."""
        classes = self.training.codes if self.training.target.nominal else None
        return fold_rows(folds, self.n_rows, classes, seed_of(random_state), self.training.kept, self.rows.X)

    def grow(self, rows: Whole, watch: Watch | None = None, learner: TreeLearner[Any] | None = None) -> _core.Tree:
        """The tree that the learner, or another that reads tables alike, makes of these rows."""
        return (learner or self.learner).regrow(self.training, self.encoded, rows, Progress(watch=watch))

    def judge(self, core: _core.Tree, rows: Whole, costs: _core.Costs | None = None) -> Losses:
        """Losses of these rows at every node of a tree, by given costs or those of the learner the table was read for."""
        return held_out(core, self.encoded.part(rows), costs or self.costs)


def regrower_of(learner: TreeLearner[Any], tree: Tree, rows: Rows) -> Regrower:
    """The training rows of a tree, to grow others from; others than those are refused."""
    again = Regrower(learner, rows)
    grown, given = float(tree.node_columns.weight[0]), again.training.total * again.training.row_weight
    if abs(given - grown) > 1e-6 * grown or again.training.target.classes != tree.target.classes:
        raise ValueError(
            f"folds= grows trees anew on X and y, which must be the training rows: they weigh {given:g}, "
            f"the tree was grown from {grown:g}"
        )
    return again


def total_loss(core: _core.Tree, losses: Losses) -> tuple[float, float, float]:
    """Sums of losses, of their squares and of weights over the leaves of a tree."""
    leaf = NodeColumns.of(core).is_leaf
    return float(losses.loss[leaf].sum()), float(losses.square[leaf].sum()), float(losses.weight[0])
