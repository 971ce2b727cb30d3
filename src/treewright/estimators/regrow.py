"""Trees grown again on parts of one table, which is read and encoded once: for folds, candidates and learning curves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.estimators.jobs import Watch
from treewright.estimators.settings import seed_of
from treewright.prune.costs import costs_of
from treewright.prune.rows import Losses, Rows, held_out
from treewright.table.folds import fold_rows
from treewright.table.frames import as_table

T = TypeVar("T")
Whole = NDArray[np.int64]


def twin(est: T) -> T:
    """A shallow copy; ``copy.copy`` would write the model out and read it in."""
    out = object.__new__(type(est))
    vars(out).update(vars(est))
    return out


class Regrower:
    """A table to grow trees from, some rows at a time."""

    def __init__(self, est: Any, rows: Rows) -> None:
        self.est = twin(est)  # reading the target sets attributes
        self.rows = rows
        self.params = {**self.est._parameters(), "verbose": False}
        self.training = self.est._training(as_table(rows.X), rows.y, rows.sample_weight, self.params)
        if self.training.target.outputs:
            raise ValueError("y has several numbers a row, for which trees are not judged node by node: use cross_val_score")
        self.whole = self.training.table()
        settings = self.est._settings(self.training, self.params)
        self.whole.prepare(settings)
        target = self.est._judged(self.training, settings)
        # Where class weights were made weights of the rows, the rows carry them already.
        self.costs = costs_of(target if self.training.factors is None else replace(target, factors=()))

    @property
    def n_rows(self) -> int:
        """Rows of the table, those of weight 0 apart."""
        return len(self.training.codes)

    def folds(self, folds: Any, random_state: Any) -> list[tuple[Whole, Whole]]:
        """Rows to learn from and rows to judge by."""
        classes = self.training.codes if self.training.target.nominal else None
        return fold_rows(folds, self.n_rows, classes, seed_of(random_state), self.training.kept, self.rows.X)

    def grow(self, rows: Whole, watch: Watch | None = None, est: Any = None) -> _core.Tree:
        """The tree that the estimator, or another that reads tables alike, makes of these rows."""
        if est is None:
            return self.est._regrown(self.training, self.whole, rows, {**self.params, "watch": watch})
        est = twin(est)
        vars(est).update({name: value for name, value in vars(self.est).items() if name == "classes_"})
        return est._regrown(self.training, self.whole, rows, {**est._parameters(), "verbose": False, "watch": watch})

    def judge(self, core: _core.Tree, rows: Whole) -> Losses:
        """What these rows say about every node of a tree, by the losses of the estimator the table was read for."""
        return held_out(core, self.whole.part(rows), self.costs)


def total_loss(core: _core.Tree, losses: Losses) -> tuple[float, float, float]:
    """Sums of losses, of their squares and of weights over the leaves of a tree."""
    leaf = core.state()["n_children"] == 0
    return float(losses.loss[leaf].sum()), float(losses.square[leaf].sum()), float(losses.weight[0])
