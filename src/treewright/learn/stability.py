"""Stability of a tree: the same learner on bootstrap samples of its rows, tree by tree compared with it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from treewright.learn.jobs import Progress, Watch, run_jobs
from treewright.learn.tree import TreeLearner
from treewright.learn.values import seed_of, threads, whole
from treewright.model import Tree
from treewright.model.stability import Seen, Stability, survivors
from treewright.table.streams import as_table


def stability(
    learner: TreeLearner[Any],
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any,
    n_resamples: int,
    random_state: Any,
    n_jobs: int | None,
    verbose: bool,
) -> Stability:
    """How often each split of the tree survives when the rows the learner grew it from are drawn anew."""
    count = whole("n_resamples", n_resamples, 1, 100_000)
    seed = seed_of(random_state)
    training = learner.training(as_table(X), y, sample_weight)
    if [column.name for column in training.columns] != [column.name for column in tree.columns] or (
        training.target.classes != tree.target.classes
    ):
        raise ValueError("stability grows trees anew on X and y, which must be the training rows: columns or classes differ")
    n = len(training.codes)

    def one(number: int, watch: Watch | None) -> tuple[dict[int, Seen], int]:
        rows = np.sort(np.random.default_rng((seed, number)).integers(0, n, n))
        sample = training.subset(rows)
        settings = learner.settings(sample)
        settings.threads = 1
        state = learner.grow(sample, settings, Progress(watch=watch)).core.state()
        return survivors(tree, state), int(np.sum(np.asarray(state["n_children"]) == 0))

    jobs = [partial(one, number) for number in range(count)]
    return Stability(tree, run_jobs(jobs, threads(n_jobs), "resampling" if verbose else None))
