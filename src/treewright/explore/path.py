"""What pruning and rows beside the training rows say of a tree: the sizes it can be cut back to, and the errors of each."""

from __future__ import annotations

from typing import Any

from treewright.explore.linear import said_elsewhere
from treewright.prune.rows import Rows, given_rows


def path_facts(tree: Any, model: Any, rows: Rows | None, validation: Rows | None, folds: Any) -> dict[str, Any] | None:
    """The nested trees of cost-complexity pruning and their errors; None where there are none, or they would say otherwise."""
    if folds is not None and not hasattr(model, "pruning_path"):
        raise ValueError("folds= grows trees anew: explore a fitted tree estimator, with its training rows")
    if tree.vectors is not None and (folds is not None or validation is not None):
        raise ValueError("validation= and folds= judge one number a row, this tree says several: leave them out")
    if said_elsewhere(tree) or tree.n_leaves < 2 or getattr(model, "soft_thresholds_", None) or tree.target.measure == "worst":
        return None
    judge = validation or (None if rows is None or rows.losses(tree).as_training(tree) else rows)
    options: dict[str, Any] = {"validation": judge and (judge.X, judge.y, judge.sample_weight)}
    if folds is not None:
        if rows is None:
            raise ValueError("folds= grows trees anew: pass the training rows as X and y")
        options |= {"X": rows.X, "y": rows.y, "folds": folds}
    path = (model if hasattr(model, "pruning_path") else tree).pruning_path(**options)
    out: dict[str, Any] = {
        "step": path.node_steps.tolist(),
        "alpha": _rounded(path.alpha),
        "leaves": path.n_leaves.tolist(),
        "training": _rounded(path.training_error),
    }
    for name in ("validation", "cv"):
        curve = getattr(path, name)
        if curve is not None:
            out[name], out[f"{name}_se"] = _rounded(curve.error), _rounded(curve.se)
            out["best"], out["one_se"] = curve.step("best"), curve.step("1se")  # cross-validation, if there is any, comes last
    return out


def _rounded(values: Any) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]


def given_counts(tree: Any, X: Any, y: Any, validation: Any) -> dict[str, Any] | None:
    """By node: how many of the rows beside the training rows pass it, and what they would lose were it a leaf."""
    rows = given_rows(validation) or (given_rows(X, y) if y is not None else None)
    if rows is None or said_elsewhere(tree):
        return None
    losses = rows.losses(tree)
    if validation is None and losses.as_training(tree):
        return {"training": True}
    return {"training": False, "weight": _rounded(losses.weight), "loss": _rounded(losses.loss)}
