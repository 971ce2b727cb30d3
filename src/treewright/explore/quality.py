"""How a model does on the rows that were given, as ``predict`` answers them: the figure in the page's head."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.explore.facts import RowsGiven
from treewright.table import TargetSchema


def quality(model: Any, target: TargetSchema, rows: RowsGiven | None, y: Any, training: bool) -> dict[str, Any] | None:
    """How many of the rows are told their class, or how far off numbers are, root mean square, one for each of the target's."""
    if rows is None or y is None:
        return None
    predicted = np.asarray(model.predict(rows.table))
    out: dict[str, Any] = {"rows": rows.n_rows, "training": training}
    if target.classes is not None:
        codes = codes_of(predicted, target)
        return {
            **out,
            "right": int(np.sum(codes == rows.target)),
            "confusion": _confusion(rows.target, codes, len(target.classes)),
        }
    off = predicted.reshape(rows.n_rows, -1) - np.asarray(y, np.float64).reshape(rows.n_rows, -1)
    return {**out, "rmse": [float(f"{one:.6g}") for one in np.sqrt(np.mean(off**2, axis=0)).tolist()]}


def _confusion(actual: Any, predicted: Any, k: int) -> list[list[int]]:
    """Actual class, predicted class, and of how many rows: the pairs that occur, of classes the model knows."""
    actual = np.asarray(actual, np.int64)
    known = actual < k
    pairs, counts = np.unique(actual[known] * k + predicted[known], return_counts=True)
    return [[pair // k, pair % k, n] for pair, n in zip(pairs.tolist(), counts.tolist(), strict=True)]


def leaves_right(model: Any, tree: Any, rows: RowsGiven | None) -> dict[int, int] | None:
    """How many rows of every leaf are told their class, where leaves say scores: the counts of classes do not tell."""
    if not tree.leaf_model.scored or rows is None or rows.target is None:
        return None
    right = codes_of(np.asarray(model.predict(rows.table)), tree.target) == rows.target
    ends = np.asarray(tree.apply(rows.table))
    return {leaf.id: int(np.sum(right[ends == leaf.id])) for leaf in tree.leaves()}


def codes_of(predicted: Any, target: TargetSchema) -> Any:
    """Positions of the classes that were said."""
    place = {label: k for k, label in enumerate(target.classes or ())}
    return np.array([place[label] for label in predicted.tolist()], np.int64)
