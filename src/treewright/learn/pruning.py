"""Pruning a learned tree: what the tree can do alone, and choosing by cross-validation, which grows trees anew."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.learn.constraints import directions, sets_of
from treewright.learn.jobs import Watch, run_jobs
from treewright.learn.regrow import regrower_of
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.model.node_columns import NodeColumns
from treewright.prune.methods import path_of, prune_tree
from treewright.prune.path import RULES, Curve, PruningPath, step_sums
from treewright.prune.registry import check_options, path_names
from treewright.prune.rows import Rows, given_rows


def kept_by(learner: TreeLearner[Any], tree: Tree, method: str) -> Tree:
    """The tree; refuse it where a branch that was put in another's place breaks what is known of the columns."""
    order, together = learner.chosen.get("monotonic_cst"), learner.chosen.get("interaction_cst")
    if order is not None or together is not None:
        from treewright.learn.edits.known import Known

        classes = tree.target.classes
        there = (
            sorted(classes[code] for code in tree.node_columns.class_id[slice(*tree.node_entries.run("class", 0))])
            if classes
            else []
        )
        signs = [] if order is None else directions(order, tree.columns, classes, there)
        sets = [] if together is None else sets_of(together, [column.name for column in tree.columns])
        try:
            Known(tree._core, signs, sets).check(tree.columns)
        except ValueError as error:
            raise ValueError(f"{method!r} puts branches in other places, and {error}; use e.g. 'cost_complexity'") from error
    return tree


def prune(
    learner: TreeLearner[Any],
    tree: Tree,
    method: str,
    rows: Rows | None,
    *,
    folds: Any,
    rule: str,
    validation: Any,
    random_state: Any,
    options: dict[str, Any],
) -> tuple[Tree, PruningPath | None]:
    """Cut back a tree that the learner grew; also the path it was chosen from, where there was one."""
    parts.check_name("rule", rule, RULES)
    pruner = check_options(method, options)
    extents = pruner.decided_by(options)
    if folds is not None and extents:
        raise ValueError(f"{extents[0]} says how far to prune, folds= would choose it: give one of them")
    to_end = pruner.to_path_end(options)
    along = not extents and (pruner.chooses or to_end)
    if not along and rule != "best":
        one = f"{extents[0]}=" if extents else repr(method)
        raise ValueError(f"rule={rule!r} chooses from a path of trees; {one} makes one tree without choosing")
    if not along and (folds is not None or validation is not None):
        given = "folds" if folds is not None else "validation"
        raise ValueError(f"{given}= needs a path of trees to choose from; {method!r} makes one tree without choosing")
    if not along or (rows is None and folds is None):
        return kept_by(learner, prune_tree(tree, method, rows, options), method), None
    judging = given_rows(validation)
    path = pruning_path(learner, tree, method, rows, folds, judging, random_state, pruner.of_path(options))
    step = len(path) - 1 if to_end else path.choose(rule)
    return path.tree_at(step), path.with_chosen(step)


def pruning_path(
    learner: TreeLearner[Any],
    tree: Tree,
    method: str,
    rows: Rows | None,
    folds: Any,
    validation: Rows | None,
    random_state: Any,
    options: dict[str, Any],
) -> PruningPath:
    """The nested trees that pruning chooses from; with ``folds`` their errors by cross-validation, too."""
    if folds is None:
        return path_of(tree, method, rows, validation, options)
    if parts.check_name("method", method, path_names()) != "cost_complexity":
        raise ValueError(f"folds= chooses among the trees of 'cost_complexity', not of {method!r}")
    if rows is None:
        raise ValueError("folds= grows trees anew: pass the training rows as X and y")
    path = path_of(tree, method, None, validation, options)
    return replace(path, cv=cross_validated(learner, path, rows, folds, random_state, options))


def cross_validated(
    learner: TreeLearner[Any], path: PruningPath, rows: Rows, folds: Any, random_state: Any, options: dict[str, Any]
) -> Curve:
    """Error of every tree of a cost-complexity path by cross-validation (Breiman et al. 1984, section 8.5.2).

    Each fold grows a tree of its own; the tree of a step is judged by the subtrees of these at the geometric mean of its own
    alpha and the next.
    """
    again = regrower_of(learner, path.tree, rows)
    alphas = between(path, learner.pruned_at)

    def judged(train: Any, test: Any, watch: Watch | None) -> tuple[Any, ...]:
        core = again.grow(train, watch)
        losses = again.judge(core, test)
        nodes = NodeColumns.of(core)
        keys = np.asarray(_core.prune_keys(path.method, core, options, again.costs))
        step = np.where(~nodes.is_leaf, np.searchsorted(alphas, keys), 0)
        sums = (step_sums(step, nodes.parent, each, len(alphas)) for each in (losses.loss, losses.square))
        return *sums, float(losses.weight[0])

    jobs = [partial(judged, train, test) for train, test in again.folds(folds, random_state)]
    found = run_jobs(jobs, learner.threads, "cross-validating" if learner.given["verbose"] else None, "folds")
    loss, square, weight = (sum(column) for column in zip(*found, strict=True))
    return Curve.of(loss, square, weight)


def between(path: PruningPath, pruned_at: float = 0.0) -> NDArray[np.float64]:
    """The costs at which the trees of folds stand for those of a path: geometric means of neighbouring alphas.

    ``pruned_at``: the share of the root's error at which the whole tree has been cut already.
    """
    alpha = path.alpha.copy()
    alpha[0] = pruned_at * path.training_error[-1]
    costs = np.append(np.sqrt(alpha[:-1]) * np.sqrt(alpha[1:]), np.inf)
    if len(alpha) > 1 and alpha[1] == 0:
        costs[0] = -1.0  # the tree as it was grown, and those of the folds likewise
    return costs
