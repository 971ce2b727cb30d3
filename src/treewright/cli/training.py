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


def training_text(estimator: Any, task: Task) -> str:
    """Say how a model does on the rows it was grown from."""
    rows = len(task.y)
    if not task.classes:
        squared = (estimator.predict(task.X) - np.asarray(task.y)) ** 2
        return f"training error (root mean square) {math.sqrt(float(np.mean(squared))):.6g}"
    wrong = errors_in_leaves(estimator, task)
    if wrong is None:
        wrong = int(np.sum(estimator.predict(task.X) != np.asarray(task.y)))
    text = f"training errors {wrong} of {rows}"
    expected = getattr(estimator, "estimated_errors_", None)
    if isinstance(expected, float):
        text += f"; {expected:.1f} expected of as many new rows ({expected / rows:.1%})"
    return text


def errors_in_leaves(estimator: Any, task: Task) -> int | None:
    """Count the training errors in the leaves of a tree; None where these do not hold the training rows as they are."""
    tree = getattr(estimator, "tree_", None)
    if tree is None or tree.models is not None or tree.missing not in _ONE_LEAF or getattr(estimator, "soft", False):
        return None
    if {label: n for label, n in tree.root.value.items() if n} != Counter(task.y.counts()):
        return None  # priors, or rows held back
    risk = np.asarray(_core.own_risk(tree._core, "error", _core.Stakes([], [], "variance")))
    return round(float(risk[tree._state["n_children"] == 0].sum()))
