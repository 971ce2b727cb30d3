"""What pruning and rows beside the training rows say of a tree: the sizes it can be cut back to, and the errors of each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import counted
from treewright.model.residuals import deviations
from treewright.prune.costs import costs_of
from treewright.prune.rows import Rows, given_rows


def path_facts(tree: Any, model: Any, rows: Rows | None, validation: Rows | None, folds: Any, gap: Any) -> dict[str, Any] | None:
    """The nested trees of cost-complexity pruning and their errors; None where there are none, or they would say otherwise."""
    if folds is not None and not model._regrows:
        raise ValueError("folds= grows trees anew: explore a fitted tree estimator, with its training rows")
    if tree.leaf_model.outputs and (folds is not None or validation is not None):
        raise ValueError("validation= and folds= judge one number a row, this tree says several: leave them out")
    if not tree.leaf_model.by_nodes or tree.n_leaves < 2 or tree.gates or tree.target.measure == "worst":
        return None
    judge = validation or (None if rows is None or rows.losses(tree).as_training(tree) else rows)
    options: dict[str, Any] = {"validation": judge and (judge.X, judge.y, judge.sample_weight)}
    if folds is not None:
        if rows is None:
            raise ValueError("folds= grows trees anew: pass the training rows as X and y")
        options |= {"X": rows.X, "y": rows.y, "folds": folds}
    path = (model if model._regrows else tree).pruning_path(**options)
    out: dict[str, Any] = {
        "step": path.node_steps.tolist(),
        "alpha": _rounded(path.alpha),
        "leaves": path.n_leaves.tolist(),
        "training": _rounded(path.training_error),
        "error": tree.target.error_name,
        "weighted": bool(tree.target.factors),
    }
    if (found := proven(tree, model, out["training"][0], gap)) is not None:
        out["bound"], out["proven"], out["bounds"] = found
    for name in ("validation", "cv"):
        curve = getattr(path, name)
        if curve is not None:
            out[name], out[f"{name}_se"] = _rounded(curve.error), _rounded(curve.se)
            out["best"], out["one_se"] = curve.step("best"), curve.step("1se")  # cross-validation, if there is any, comes last
    return out


def proven(tree: Any, model: Any, error: float, gap: Any = None) -> tuple[float, bool, str] | None:
    """What an exact search has proven that no tree can beat, in the measure of the curve; whether one attains it; which trees."""
    cost: float | None
    if gap is not None:
        cost, bound, attained, which = _checked(tree, gap), gap.depth_bound, gap.depth_proven, "as deep"
    else:
        cost, bound = getattr(model, "objective_", None), getattr(model, "lower_bound_", None)
        if cost is None or bound is None or getattr(model, "cost_per_leaf", None):  # leaves that cost are not in the curve
            return None
        attained, which = model.optimal_, "within the limits"
    return float(f"{error * bound / cost:.6g}") if cost > 0 else 0.0, bool(attained), which


def _checked(tree: Any, gap: Any) -> float:
    """What a tree loses on its training rows; refuse what was found of another tree, or on other rows."""
    ends = tree.node_columns.is_leaf
    own = float(np.asarray(_core.own_risk(tree._core, "error", costs_of(tree.target)))[ends].sum())
    try:
        size, loss = (gap.n_splits, gap.depth), gap.loss
    except AttributeError:
        raise TypeError(f"gap= is what tw.optimality_gap returns, not {type(gap).__name__}") from None
    apart = tree.missing in ("fraction", "spread")  # the leaves have parts of rows, whose answers are mixed
    if size != (tree.n_leaves - 1, tree.depth) or not (apart or math.isclose(loss, own, rel_tol=1e-6, abs_tol=1e-9)):
        raise ValueError(
            f"gap= is of a tree of {counted(size[0], 'split')} that loses {loss:.6g}, this one has {tree.n_leaves - 1} and loses "
            f"{own:.6g} on its training rows: ask for the gap of this tree on those"
        )
    return own


def _rounded(values: Any) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]


def grown_from(tree: Any, X: Any, y: Any) -> bool:
    """Whether these seem to be the rows the tree was grown from: they weigh on its nodes what those did."""
    if X is None or y is None:
        return False
    if not tree.leaf_model.outputs:
        return bool(Rows(X, y).losses(tree).as_training(tree))
    return bool(np.allclose(np.asarray(tree.decision_path(X).sum(axis=0)).reshape(-1), tree.node_columns.weight))


def given_counts(tree: Any, X: Any, y: Any, validation: Any) -> dict[str, Any] | None:
    """By node: how many of the rows beside the training rows pass it, and what they would lose if it were a leaf.

    Of numbers how far they are off, in the unit in which ``spread`` and ``deviation`` tell the same of the training rows; of
    leaves with equations from those, and nothing of the nodes above them.
    """
    rows = given_rows(validation) or (given_rows(X, y) if y is not None else None)
    if rows is None or tree.leaf_model.outputs or tree.leaf_model.scored:
        return None
    if tree.leaf_model.computed:
        return _given_to_equations(tree, rows, validation is None)
    losses = rows.losses(tree)
    if validation is None and losses.as_training(tree):
        return {"training": True}
    weight = _rounded(losses.weight)
    if tree.target.classes is not None:
        return {"training": False, "weight": weight, "loss": _rounded(losses.loss), **_given_classes(tree, rows)}
    mean = np.divide(losses.loss, losses.weight, out=np.zeros(tree.n_nodes), where=losses.weight > 0)
    off = [tree.target.spread(*pair) for pair in zip(mean.tolist(), tree.node_columns.value.tolist(), strict=True)]
    return {"training": False, "weight": weight, "off": _rounded(np.array(off))}


def _given_classes(tree: Any, rows: Rows) -> dict[str, Any]:
    """The classes of the rows that pass every node: as those of the training rows, a run of classes and weights a node.

    Nothing where rows may be divided among branches, for what a row counts at a node is not known here.
    """
    if tree.missing in ("fraction", "spread") or tree.gates:
        return {}
    k = len(tree.target.classes)
    _, codes, read = rows.numbers(tree)
    passed = tree.decision_path(rows.X)
    passed = (passed if read.keep is None else passed[read.keep]).tocoo()
    known = codes[passed.row] < k
    row, node = passed.row[known], passed.col[known].astype(np.int64)
    pairs, place = np.unique(node * k + codes[row], return_inverse=True)
    sums = np.bincount(place, None if read.given is None else read.given[row], len(pairs))
    begin = np.concatenate([[0], np.cumsum(np.bincount(pairs // k, minlength=tree.n_nodes))])
    return {"class_begin": begin.tolist(), "class_id": (pairs % k).tolist(), "class_weight": _rounded(sums)}


def _given_to_equations(tree: Any, rows: Rows, perhaps_training: bool) -> dict[str, Any]:
    arrays, target, read = rows.numbers(tree)
    leaf = np.asarray(tree._core.route(arrays, len(target), 1)[0])
    weight = np.bincount(leaf, read.given, tree.n_nodes)
    off = deviations(leaf, target, tree.leaf_model.answers(arrays, len(target)), read.given, tree.n_nodes)
    ends = tree.node_columns.is_leaf
    if perhaps_training and np.allclose(weight[ends], tree.node_columns.weight[ends], rtol=1e-9):
        # Answers that are mixed are not those of single equations.
        kept = None if tree.gates else tree.leaf_model.deviations
        if kept is None or np.allclose(off, kept, rtol=1e-6, atol=1e-9 * float(kept.max())):
            return {"training": True}
    return {"training": False, "weight": _rounded(weight), "off": _rounded(off)}
