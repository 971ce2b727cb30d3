"""How a model does on the rows it was grown from."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from treewright import _core
from treewright.cli.learn import Task

# Every row ends in one leaf, the same when it is learned from and when it is asked about.
_ONE_LEAF = ("learned", "own", "majority", "refuse")


def training_facts(estimator: Any, task: Task) -> dict[str, Any]:
    """How a model does on the rows it was grown from: errors of classes, and how many it expects; or the error of numbers."""
    rows = len(task.y)
    if (seen := _out_of_bag(estimator, task)) is not None:
        return seen
    if not task.classes:
        squared = (estimator.predict(task.X) - np.asarray(task.y)) ** 2
        return {"rows": rows, "rmse": math.sqrt(float(np.mean(squared)))}
    wrong = errors_in_leaves(estimator, task)
    if wrong is None:
        wrong = int(np.sum(estimator.predict(task.X) != np.asarray(task.y)))
    expected = getattr(estimator, "estimated_errors_", None)
    return {"rows": rows, "errors": wrong, **({"expected": expected} if isinstance(expected, float) else {})}


def _out_of_bag(estimator: Any, task: Task) -> dict[str, Any] | None:
    """The same of an ensemble whose rows were judged by members that did not learn from them; None of other models."""
    learned = estimator.learned
    if "oob_errors_" not in learned:
        return None
    told = learned["oob_decision_function_" if task.classes else "oob_prediction_"]
    rows, error = int(np.sum(~np.isnan(told.reshape(len(told), -1)[:, 0]))), float(learned["oob_errors_"][-1])
    if not rows:
        return None
    known = {"errors": round(error * rows)} if task.classes else {"rmse": math.sqrt(error)}
    return {"rows": rows, "out_of_bag": True, **known}


def training_text(estimator: Any, task: Task) -> str:
    """The same in words."""
    facts = training_facts(estimator, task)
    if "out_of_bag" in facts:
        judged = "" if facts["rows"] == len(task.y) else f" (of {len(task.y)}, the others were drawn for every member)"
        if "rmse" in facts:
            return f"error out of bag (root mean square) {facts['rmse']:.6g} of {facts['rows']} rows{judged}"
        return f"errors out of bag {facts['errors']} of {facts['rows']}{judged}"
    if "rmse" in facts:
        return f"training error (root mean square) {facts['rmse']:.6g}"
    text = f"training errors {facts['errors']} of {facts['rows']}"
    if "expected" in facts:
        text += f"; {facts['expected']:.1f} expected of as many new rows ({facts['expected'] / facts['rows']:.1%})"
    return text


def errors_in_leaves(estimator: Any, task: Task) -> int | None:
    """Count the training errors in the leaves of a tree; None where these do not hold the training rows as they are."""
    tree = estimator._model
    if not tree.has_nodes or tree.leaf_model.computed or tree.missing not in _ONE_LEAF or tree.gates:
        return None
    if {label: n for label, n in tree.root.value.items() if n} != Counter(task.y.counts()):
        return None  # priors, or rows held back
    risk = np.asarray(_core.own_risk(tree._core, "error", _core.Costs([], [], "variance")))
    return round(float(risk[tree.node_columns.is_leaf].sum()))
