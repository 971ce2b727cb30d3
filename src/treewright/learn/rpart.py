"""rpart's complexity table, and its errors by cross-validation as rpart finds them (Therneau and Atkinson, rpart 4.1)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learn.costs import loss_sums
from treewright.learn.jobs import Watch, run_jobs
from treewright.learn.regrow import Regrower, regrower_of
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.model.node_columns import NodeColumns
from treewright.model.weighing import in_rows
from treewright.prune.costs import costs_of
from treewright.prune.path import step_sums
from treewright.prune.rows import Rows
from treewright.prune.rpart import CpRow, JudgedCpRow, capped_complexity, rpart_table
from treewright.table import TargetSchema

Floats = NDArray[np.float64]


def complexity_table(learner: TreeLearner[Any], tree: Tree, labels: list[Any] | None) -> list[CpRow]:
    """The table that rpart prints of a tree; ``labels``: the classes that occur."""
    risk = np.asarray(_core.own_risk(tree._core, "error", costs_of(tree.target)))
    return rpart_table(tree._core, risk, learner.pruned_at, altering(learner, tree, labels))


def altering(learner: TreeLearner[Any], tree: Tree, labels: list[Any] | None) -> list[float]:
    """What a row of each class counts where splits are compared, beyond its weight in the node."""
    if not tree.target.losses or labels is None:
        return []
    return list(loss_sums(learner.chosen["loss"], tree.target.classes or (), labels))


def judged_table(
    learner: TreeLearner[Any], tree: Tree, labels: list[Any] | None, rows: Rows, folds: Any, random_state: Any
) -> list[JudgedCpRow]:
    """The table with the errors of every tree in cross-validation and their standard errors.

    A complexity, and the one at which trees are cut, is an amount of risk there: for the tree of a fold it is taken in proportion
    to its weight, not as a share of the fold's own root. A row of a class counts as much in a fold as in the whole table.
    """
    table = complexity_table(learner, tree, labels)
    again = regrower_of(learner, tree, rows)
    uncut = learner.changed(cp=0.0)
    root = float(_core.own_risk(in_rows(tree._core, tree.target), "error", again.costs)[0])
    # Between the complexities of neighbouring rows; ten times the first stands for infinity.
    cp = np.array([row.cp for row in table]) * root
    limits = np.append(np.sqrt(cp[1:] * cp[:-1])[::-1], 10 * cp[0])
    factor, costs = altering(learner, tree, labels), row_costs(again.target)

    def judged(train: Any, test: Any, watch: Watch | None) -> tuple[Floats, Floats]:
        core = again.grow(train, watch, uncut)
        share = again.training.total_of(train) / again.training.total
        risk = np.asarray(_core.own_risk(core, "error", again.costs)) * weight_kept(again, train)
        alpha = learner.pruned_at * root * share
        complexity = capped_complexity(core, risk, alpha / risk[0] if risk[0] > 0 else 0.0, factor)
        nodes = NodeColumns.of(core)
        step = np.where(nodes.is_leaf, 0, np.searchsorted(limits * share, complexity))
        losses = again.judge(core, test, costs)
        loss, square = (step_sums(step, nodes.parent, each, len(limits)) for each in (losses.loss, losses.square))
        return loss, square

    jobs = [partial(judged, train, test) for train, test in again.folds(folds, random_state)]
    found = run_jobs(jobs, learner.threads, "cross-validating" if learner.given["verbose"] else None, "folds")
    loss, square = (sum(column)[::-1] for column in zip(*found, strict=True))
    se = np.sqrt(np.maximum(square - loss**2 / again.training.total, 0.0))
    unit = root if root > 0 else 1.0
    errors, spreads = (loss / unit).tolist(), (se / unit).tolist()
    return [JudgedCpRow(*row, error, spread) for row, error, spread in zip(table, errors, spreads, strict=True)]


def row_costs(target: TargetSchema) -> _core.Costs:
    """Costs in which what a row of a class counts is part of what an error costs, as in the standard errors of rpart."""
    if not target.factors:
        return costs_of(target)
    k = len(target.factors)
    losses = np.array(target.losses).reshape(k, k) if target.losses else 1.0 - np.eye(k)
    return _core.Costs([], (np.array(target.factors)[:, None] * losses).ravel().tolist(), target.measure)


def weight_kept(again: Regrower, rows: NDArray[np.int64]) -> float:
    """What rows count in all, by their classes, over their weight, which the tree of a fold keeps instead."""
    factors = again.target.factors
    if not factors:
        return 1.0
    training = again.training
    counted = None if training.counted is None else training.counted[rows]
    counts = np.bincount(training.codes[rows], counted, len(factors))
    return float(np.array(factors) @ counts) / training.total_of(rows)
