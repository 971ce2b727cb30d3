"""How well predictions agree with the truth: accuracy and a table of confusions, or errors of numbers; and cross-validation."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from treewright.cli.learn import Task, data_error, fitted
from treewright.errors import TreewrightWarning, visible
from treewright.show.cells import cells, cut_to

_MOST = 12  # classes in a table of confusions that is shown
_LISTED = 1000  # and in one for machines
_NAME = 14  # columns of a class in it


def cross_validate(learner: Any, task: Task, folds: int, seed: int) -> list[tuple[Task, Any]]:
    """Predict every row by a tree grown without its fold; the folds keep the shares of the classes where that is possible."""
    from sklearn.model_selection import KFold, StratifiedKFold

    truth = np.asarray(task.y)
    divide: Any = KFold(folds, shuffle=True, random_state=seed)
    if task.classes:
        _, counts = np.unique(truth.astype(str), return_counts=True)
        if counts.min() >= folds:
            divide = StratifiedKFold(folds, shuffle=True, random_state=seed)
        else:
            warnings.warn(
                f"a class has only {counts.min()} rows for {folds} folds: the folds do not keep the shares of the classes",
                TreewrightWarning,
                stacklevel=2,
            )
    quiet = learner.changed(verbose=False) if "verbose" in learner.given else learner
    out = []
    for inside, outside in divide.split(np.zeros(len(truth)), truth.astype(str) if task.classes else truth):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TreewrightWarning)  # levels that only other folds have
            try:
                model = fitted(quiet, task.X.take(inside), task.y.take(inside))
                rest = Task(task.name, task.X.take(outside), task.y.take(outside), task.classes)
                out.append((rest, model.predict(rest.X)))
            except (ValueError, TypeError) as error:
                raise data_error(error, task.name) from error
    return out


def score_text(results: list[tuple[Task, Any]], where: str) -> tuple[str, dict[str, Any]]:
    """Say how well the predictions of some sets of rows agree with the truth, in words and as values."""
    if results[0][0].classes:
        return _class_scores(results, where)
    return _number_scores(results, where)


def _mean_and_error(values: list[float]) -> tuple[float, float | None]:
    mean = float(np.mean(values))
    # Around one of them: equal scores vary by nothing, not by what rounding leaves of their mean.
    return mean, float(np.std(np.subtract(values, values[0]), ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None


def _class_scores(results: list[tuple[Task, Any]], where: str) -> tuple[str, dict[str, Any]]:
    right = [float(np.mean(np.asarray(task.y) == predicted)) for task, predicted in results]
    truth = np.concatenate([np.asarray(task.y, dtype=object) for task, _ in results])
    predicted = np.concatenate([np.asarray(each, dtype=object) for _, each in results])
    labels = sorted({*truth.tolist(), *predicted.tolist()}, key=lambda label: (str(type(label)), label))
    place = {label: i for i, label in enumerate(labels)}
    true, said = (np.array([place[label] for label in each.tolist()], np.int64) for each in (truth, predicted))
    table = None
    if len(labels) <= _LISTED:  # one of more classes would take more memory than the rows
        table = np.bincount(true * len(labels) + said, minlength=len(labels) ** 2).reshape(len(labels), -1).tolist()
    mean, error = _mean_and_error(right)
    n, hits = len(truth), int(np.sum(true == said))
    baseline = float(np.bincount(true).max() / n)
    spread = f" ± {error:.3f}" if error is not None else ""
    text = f"accuracy {mean:.3f}{spread} {where}: {hits} of {n} rows right (always the largest class: {baseline:.3f})"
    if table is not None and len(labels) <= _MOST:
        text += "\n\n" + _confusions([visible(str(label)) for label in labels], table)
    data = {
        "accuracy": mean,
        "standard_error": error,
        "baseline": baseline,
        "rows": n,
        "right": hits,
        "classes": [str(label) for label in labels],
        "confusions": table,
        "folds": right,
    }
    return text, data


def _confusions(labels: list[str], table: list[list[int]]) -> str:
    names = [cut_to(label, _NAME) for label in labels]
    wide = [max(cells(name), *(len(str(row[j])) for row in table)) for j, name in enumerate(names)]
    first = max([*(cells(name) for name in names), len("truth")])

    def right(text: str, width: int) -> str:
        return " " * (width - cells(text)) + text

    lines = ["truth" + " " * (first - 5) + "   said " + "  ".join(right(name, w) for name, w in zip(names, wide, strict=True))]
    for name, row in zip(names, table, strict=True):
        counts = "  ".join(right(str(n), w) for n, w in zip(row, wide, strict=True))
        lines.append(name + " " * (first - cells(name)) + "        " + counts)
    return "\n".join(lines)


def _number_scores(results: list[tuple[Task, Any]], where: str) -> tuple[str, dict[str, Any]]:
    truth = np.concatenate([np.asarray(task.y, dtype=np.float64) for task, _ in results])
    predicted = np.concatenate([np.asarray(each, dtype=np.float64) for _, each in results])
    squared = float(np.mean((truth - predicted) ** 2))
    absolute = float(np.mean(np.abs(truth - predicted)))
    variance = float(np.var(truth))
    share = 1 - squared / variance if variance > 0 else math.nan
    per_fold = [math.sqrt(float(np.mean((np.asarray(task.y, dtype=np.float64) - each) ** 2))) for task, each in results]
    _, error = _mean_and_error(per_fold)
    spread = f" ± {error:.3g}" if error is not None else ""
    text = (
        f"root mean square error {math.sqrt(squared):.6g}{spread} {where}; mean absolute error {absolute:.6g}; "
        f"R² {share:.3f} ({len(truth)} rows)"
    )
    data = {
        "rmse": math.sqrt(squared),
        "standard_error": error,
        "mae": absolute,
        "r2": None if math.isnan(share) else share,
        "rows": len(truth),
        "folds": per_fold,
    }
    return text, data
