"""Errors by the number of rows a tree is grown from: whether more rows would help, and how far training errors flatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import out_of_range
from treewright.evaluate.check import tree_learner
from treewright.learn.jobs import Watch, run_jobs
from treewright.learn.regrow import Regrower, total_loss
from treewright.learn.values import is_whole, seed_of, threads
from treewright.model.node_columns import NodeColumns
from treewright.prune import Curve
from treewright.prune.rows import Rows

SIZES = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Errors by the number of rows to grow from.

    Attributes
    ----------
    n_rows : array of int
        Rows each tree was grown from.
    training, cv : Curve
        Errors on these rows, and on those of the fold that was left out, over all folds, with standard errors.
    n_leaves : array
        Mean number of leaves.
    """

    n_rows: NDArray[np.int64]
    training: Curve
    cv: Curve
    n_leaves: NDArray[np.float64]

    def as_dict(self) -> dict[str, NDArray[Any]]:
        """The curve as a table: one entry per size in every column."""
        return {
            "n_rows": self.n_rows,
            "n_leaves": self.n_leaves,
            "training_error": self.training.error,
            "training_se": self.training.se,
            "cv_error": self.cv.error,
            "cv_se": self.cv.se,
        }

    def __repr__(self) -> str:
        error = self.cv.error
        return f"<LearningCurve: {self.n_rows[0]} to {self.n_rows[-1]} rows, error {error[0]:.4g} to {error[-1]:.4g}>"


def learning_curve(
    est: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    sizes: Sequence[float] = SIZES,
    folds: Any = 5,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> LearningCurve:
    """Measure errors by the number of rows a tree is grown from, in cross-validation.

    Parameters
    ----------
    est : tree estimator
        The learner; it stays as it is.
    X, y : table and target
        The rows.
    sample_weight : array, optional
        Weights of the rows.
    sizes : sequence of float or int
        How many rows: shares up to 1 of those that are not left out, or whole numbers above 1.
    folds : int, array or splitter, default 5
        How many folds, the number of the fold of every row, or a scikit-learn splitter.
    random_state : int, RandomState instance or None, default None
        Which rows go to which fold, and in which order they are taken; None is the seed 0.
    n_jobs : int, optional
        Trees that are grown at once; -1 for all processors. The result is the same for any number.
    verbose : bool, default False
        Show progress on standard error.

    Returns
    -------
    LearningCurve
    """
    est = tree_learner(est)
    again = Regrower(est._learner, Rows(X, y, sample_weight))
    divided = again.folds(folds, random_state)
    fewest = min(len(train) for train, _ in divided)
    counts = sorted({_rows(size, fewest) for size in sizes})
    if not counts:
        raise out_of_range("sizes", sizes, "at least one size")
    rng = np.random.default_rng(seed_of(random_state))
    orders = [rng.permutation(train) for train, _ in divided]

    def judged(count: int, order: Any, test: Any, watch: Watch | None) -> tuple[float, ...]:
        rows = np.sort(order[:count])
        core = again.grow(rows, watch)
        own, other = again.judge(core, rows), again.judge(core, test)
        leaves = float(np.count_nonzero(NodeColumns.of(core).is_leaf))
        return *total_loss(core, own), *total_loss(core, other), leaves

    jobs = [partial(judged, count, order, test) for count in counts for order, (_, test) in zip(orders, divided, strict=True)]
    found = run_jobs(jobs, threads(n_jobs), "learning" if verbose else None)
    sums = np.array(found).reshape(len(counts), len(divided), 7).sum(axis=1).T
    training, cv = (Curve.of(loss, square, weight) for loss, square, weight in (sums[:3], sums[3:6]))
    return LearningCurve(np.array(counts), training, cv, sums[6] / len(divided))


def _rows(size: Any, most: int) -> int:
    if is_whole(size) and size > 1:
        if size > most:
            raise out_of_range("sizes", size, f"at most {most}, the rows that are left when a fold is left out")
        return int(size)
    if not isinstance(size, (int, float, np.integer, np.floating)) or isinstance(size, bool) or not 0 < float(size) <= 1:
        raise out_of_range("sizes", size, "a share above 0 up to 1, or a whole number of rows from 2 up")
    return max(2, round(float(size) * most)) if most > 1 else 1
