"""Pruning as a verb on a fitted estimator: what a tree can do alone, and choosing by cross-validation, which grows trees anew."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright import _core, parts
from treewright.estimators.jobs import Watch, run_jobs
from treewright.estimators.regrow import Regrower, twin
from treewright.model import Tree
from treewright.prune.methods import path_of, prune_tree
from treewright.prune.path import RULES, Curve, PruningPath, step_sums
from treewright.prune.registry import check_options, path_names
from treewright.prune.rows import Rows, given_rows


class Prunable:
    """What fitted tree estimators can do about their size."""

    tree_: Tree
    pruning_path_: PruningPath

    def prune(
        self,
        method: str = "cost_complexity",
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        folds: Any = None,
        rule: str = "best",
        validation: Any = None,
        random_state: Any = None,
        **options: Any,
    ) -> Self:
        """Return a copy of this estimator with its tree cut back; this one stays as it is.

        Parameters
        ----------
        method : str, default "cost_complexity"
            As in :meth:`Tree.prune`.
        X, y : table and target, optional
            A pruning set. With ``folds`` the training rows.
        sample_weight : array, optional
            Their weights.
        folds : int, array or splitter, optional
            Choose by cross-validation ("cost_complexity" only): trees are grown anew on all folds but one and judged on that one.
            How many folds, the number of the fold of every row, or a scikit-learn splitter.
        rule : {"best", "1se"}, default "best"
            Where a path is chosen from: the least error, or the smallest tree within one standard error of it.
        validation : (X, y) or (X, y, sample_weight), optional
            Rows that only judge: their errors are in ``pruning_path_``.
        random_state : int, RandomState instance or None, default None
            Which rows, by position, go to which fold; None is the seed 0.
        **options
            As in :meth:`Tree.prune`.

        Returns
        -------
        estimator
            Fitted. Where a path was chosen from, it is ``pruning_path_``.
        """
        check_is_fitted(self, "tree_")
        self._check_prunable()
        rows = given_rows(X, y, sample_weight)
        parts.check_name("rule", rule, RULES)
        pruner = check_options(method, options)
        decided = pruner.decided_by(options)
        if folds is not None and decided:
            raise ValueError(f"{decided[0]} says how far to prune, folds= would choose it: give one of them")
        to_end = pruner.to_path_end(options)
        along = not decided and (pruner.chooses or to_end)
        if not along and rule != "best":
            one = f"{decided[0]}=" if decided else repr(method)
            raise ValueError(f"rule={rule!r} chooses from a path of trees; {one} makes one tree without choosing")
        if not along and (folds is not None or validation is not None):
            given = "folds" if folds is not None else "validation"
            raise ValueError(f"{given}= needs a path of trees to choose from; {method!r} makes one tree without choosing")
        if not along or (rows is None and folds is None):
            return self._with_tree(prune_tree(self.tree_, method, rows, options))
        path = self._path(method, rows, folds, given_rows(validation), random_state, pruner.of_path(options))
        step = len(path) - 1 if to_end else path.choose(rule)
        out = self._with_tree(path.tree_at(step))
        out.pruning_path_ = path.with_chosen(step)
        return out

    def pruning_path(
        self,
        X: Any = None,
        y: Any = None,
        *,
        method: str = "cost_complexity",
        sample_weight: Any = None,
        folds: Any = None,
        validation: Any = None,
        random_state: Any = None,
        **options: Any,
    ) -> PruningPath:
        """Return the nested trees that pruning chooses from, with size, alpha and errors of each.

        Parameters
        ----------
        X, y, sample_weight, folds, validation, random_state
            As in :meth:`prune`.
        method : {"cost_complexity", "critical_value", "reduced_error"}
            Which path.
        **options
            ``risk`` of "cost_complexity", ``measure`` of "critical_value".

        Returns
        -------
        PruningPath
        """
        check_is_fitted(self, "tree_")
        return self._path(method, given_rows(X, y, sample_weight), folds, given_rows(validation), random_state, options)

    def _check_prunable(self) -> None:
        """Refuse what does not survive pruning."""
        self.tree_._refuse_pruning()
        if getattr(self, "soft", False):
            raise ValueError("soft thresholds belong to the tree they were made for: prune an estimator with soft=False")

    def _pruned_at(self) -> float:
        """The complexity at which trees have been cut when they were fitted, as a share of the root's error."""
        return 0.0

    def _with_tree(self, tree: Tree) -> Self:
        out = twin(self)
        vars(out).pop("pruning_path_", None)
        out.tree_ = tree
        return out

    def _path(
        self, method: str, rows: Rows | None, folds: Any, validation: Rows | None, random_state: Any, options: dict[str, Any]
    ) -> PruningPath:
        if folds is None:
            return path_of(self.tree_, method, rows, validation, options)
        if parts.check_name("method", method, path_names()) != "cost_complexity":
            raise ValueError(f"folds= chooses among the trees of 'cost_complexity', not of {method!r}")
        if rows is None:
            raise ValueError("folds= grows trees anew: pass the training rows as X and y")
        path = path_of(self.tree_, method, None, validation, options)
        return replace(path, cv=cross_validated(self, path, rows, folds, random_state, options))


def cross_validated(est: Any, path: PruningPath, rows: Rows, folds: Any, random_state: Any, options: dict[str, Any]) -> Curve:
    """Error of every tree of a cost-complexity path by cross-validation (Breiman et al. 1984, section 8.5.2).

    Each fold grows a tree of its own; the tree of a step is judged by the subtrees of these at the geometric mean of its own
    alpha and the next.
    """
    again = Regrower(est, rows)
    grown = float(path.tree.node_columns.weight[0])
    if abs(again.training.total - grown) > 1e-6 * grown or again.training.target.classes != path.tree.target.classes:
        raise ValueError(
            f"folds= grows trees anew on X and y, which must be the training rows: they weigh {again.training.total:g}, "
            f"the tree was grown from {grown:g}"
        )
    alphas = between(path, est._pruned_at())

    def judged(train: Any, test: Any, watch: Watch | None) -> tuple[Any, ...]:
        core = again.grow(train, watch)
        losses = again.judge(core, test)
        state = core.state()
        keys = np.asarray(_core.prune_keys(path.method, core, options, again.costs))
        step = np.where(state["n_children"] > 0, np.searchsorted(alphas, keys), 0)
        sums = (step_sums(step, state["parent"], each, len(alphas)) for each in (losses.loss, losses.square))
        return *sums, float(losses.weight[0])

    jobs = [partial(judged, train, test) for train, test in again.folds(folds, random_state)]
    found = run_jobs(jobs, est._threads(), "cross-validating" if getattr(est, "verbose", False) else None, "folds")
    loss, square, weight = (sum(column) for column in zip(*found, strict=True))
    return Curve.of(loss, square, weight)


def between(path: PruningPath, pruned_at: float = 0.0) -> Any:
    """The costs at which the trees of folds stand for those of a path: geometric means of neighbouring alphas.

    ``pruned_at``: the share of the root's error at which the whole tree has been cut already.
    """
    alpha = path.alpha.copy()
    alpha[0] = pruned_at * path.training_error[-1]
    costs = np.append(np.sqrt(alpha[:-1]) * np.sqrt(alpha[1:]), np.inf)
    if len(alpha) > 1 and alpha[1] == 0:
        costs[0] = -1.0  # the tree as it was grown, and those of the folds likewise
    return costs
