"""Choosing how far a tree may grow by cross-validation: every fold and candidate grows from one encoded table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright import parts
from treewright.errors import shown, unknown
from treewright.evaluate.check import tree_learner
from treewright.learn.jobs import Watch, run_jobs
from treewright.learn.regrow import Regrower, total_loss
from treewright.learn.values import threads
from treewright.model.node_columns import NodeColumns
from treewright.prune import Curve
from treewright.prune.path import RULES
from treewright.prune.rows import Rows

OVER = ("max_depth", "max_leaf_nodes", "min_impurity")
READING = ("recipe", "categorical_features")  # say how the table is read


@dataclass(frozen=True, eq=False)
class Tuned:
    """What :func:`tune` found.

    Attributes
    ----------
    estimator : estimator
        Fitted on all rows with the parameters that were chosen.
    params : dict
        These parameters.
    candidates : list of dict
        All that were tried.
    cv : Curve
        Error of each candidate in cross-validation, with its standard error.
    n_leaves : array
        Mean number of leaves of each candidate's trees.
    chosen : int
        Which candidate was chosen.
    """

    estimator: Any
    params: dict[str, Any]
    candidates: list[dict[str, Any]]
    cv: Curve
    n_leaves: NDArray[np.float64]
    chosen: int

    def as_dict(self) -> dict[str, Any]:
        """The candidates as a table: one entry each in every column."""
        names = list(self.candidates[0])
        table: dict[str, Any] = {name: [candidate[name] for candidate in self.candidates] for name in names}
        return table | {"n_leaves": self.n_leaves, "cv_error": self.cv.error, "cv_se": self.cv.se}

    def __repr__(self) -> str:
        error = self.cv.error[self.chosen]
        values = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"<Tuned: {values}; error {error:.4g} in cross-validation, of {len(self.candidates)} candidates>"


def tune(
    est: Any,
    X: Any,
    y: Any,
    over: str | None = None,
    *,
    sample_weight: Any = None,
    folds: Any = 5,
    rule: str = "best",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    **values: Iterable[Any],
) -> Tuned:
    """Choose parameters that limit a tree's growth by cross-validation.

    Parameters
    ----------
    est : tree estimator
        The learner; it stays as it is.
    X, y : table and target
        The training rows.
    over : {"max_depth", "max_leaf_nodes", "min_impurity"}, optional
        A parameter whose values are found: up to a dozen, between a lone leaf and the tree that grows without the limit.
    sample_weight : array, optional
        Weights of the rows.
    folds : int, array or splitter, default 5
        How many folds, the number of the fold of every row, or a scikit-learn splitter.
    rule : {"best", "1se"}, default "best"
        The least error, or of the candidates within one standard error of it the one with the fewest leaves.
    random_state : int, RandomState instance or None, default None
        Which rows go to which fold; None is the seed 0.
    n_jobs : int, optional
        Trees that are grown at once; -1 for all processors. The result is the same for any number.
    verbose : bool, default False
        Show progress on standard error.
    **values
        Parameters of the learner, each with the values to try; several are combined, every value with every other.

    Returns
    -------
    Tuned

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> tw.tune(tw.CARTClassifier(), iris.X, iris.y, max_depth=[1, 2, 3, 4]).params
    {'max_depth': 2}
    """
    est = tree_learner(est)
    parts.check_name("rule", rule, RULES)
    again = Regrower(est._learner, Rows(X, y, sample_weight))
    grid = _grid(est, again, over, values)
    learners = [clone(est).set_params(**candidate) for candidate in grid]
    divided = again.folds(folds, random_state)

    def judged(learner: Any, train: Any, test: Any, watch: Watch | None) -> tuple[float, ...]:
        core = again.grow(train, watch, learner._learner)
        loss, square, weight = total_loss(core, again.judge(core, test))
        return loss, square, weight, float(np.count_nonzero(NodeColumns.of(core).is_leaf))

    jobs = [partial(judged, learner, train, test) for learner in learners for train, test in divided]
    found = np.array(run_jobs(jobs, threads(n_jobs), "tuning" if verbose else None)).reshape(len(grid), len(divided), 4)
    loss, square, weight, leaves = found.sum(axis=1).T
    cv = Curve.of(loss, square, float(weight[0]))
    leaves = leaves / len(divided)
    chosen = _pick(cv, leaves, rule)
    fitted = learners[chosen].fit(X, y, sample_weight)
    return Tuned(fitted, grid[chosen], grid, cv, leaves, chosen)


def _pick(cv: Curve, leaves: NDArray[np.float64], rule: str) -> int:
    """Of the candidates that are good enough the one with the fewest leaves, and of these the first."""
    least = float(cv.error.min())
    allowed = least + 1e-12 * abs(least)
    best = np.flatnonzero(cv.error <= allowed)
    if rule == "1se":
        allowed = (least + cv.se[best[np.argmin(leaves[best])]]) * (1 + 1e-12)
    good = np.flatnonzero(cv.error <= allowed)
    return int(good[np.argmin(leaves[good])])


def _grid(est: Any, again: Regrower, over: str | None, values: dict[str, Iterable[Any]]) -> list[dict[str, Any]]:
    allowed = sorted(set(est.get_params(deep=False)) - set(READING))
    if over is not None:
        if parts.check_name("over", over, OVER) in values:
            raise ValueError(f"{over} has values of its own: leave over= out")
        values = {**values, over: _found(est, again, over)}
    for name, tried in values.items():
        if name not in allowed:
            raise unknown(f"parameter of {type(est).__name__}", name, allowed)
        if isinstance(tried, (str, bytes)) or not isinstance(tried, Iterable):
            raise TypeError(f"{name}={shown(tried)} must be a sequence of values to try, such as [{shown(tried)}]")
    lists = {name: list(tried) for name, tried in values.items()}
    if not lists or any(not tried for tried in lists.values()):
        raise ValueError(
            "there is nothing to choose from: name a parameter, such as 'max_depth', or give values, such as max_depth=[2, 4]"
        )
    return [dict(zip(lists, combined, strict=True)) for combined in product(*lists.values())]


def _found(est: Any, again: Regrower, over: str, most: int = 12) -> list[Any]:
    """Values of a limit between a lone leaf and the tree without it."""
    if over not in est.get_params(deep=False):
        raise unknown(f"parameter of {type(est).__name__}", over, est.get_params(deep=False))
    core = again.grow(np.arange(again.n_rows), None, clone(est).set_params(**{over: None})._learner)
    nodes = NodeColumns.of(core)
    if over == "min_impurity":
        # Roots of folds may be a little less pure than that of all rows.
        return np.linspace(0, 1.1 * float(nodes.impurity[0]), most).tolist()
    if over == "max_leaf_nodes":
        leaves = int(np.count_nonzero(nodes.is_leaf))
        return np.unique(np.round(np.geomspace(1, leaves, most)).astype(int)).tolist()
    return np.unique(np.round(np.linspace(0, int(np.max(core.depths())), most)).astype(int)).tolist()
