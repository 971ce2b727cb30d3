"""How well predictions agree with the truth: accuracy and a table of confusions, or errors of numbers; and cross-validation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.cli.learn import Task, data_error
from treewright.cli.measures import MEASURES, Probabilities, per_class, priced_answers
from treewright.cli.say import UsageError
from treewright.errors import TreewrightWarning, visible
from treewright.show.cells import cells, cut_to

_MOST = 12  # classes in a table of confusions that is shown
_LISTED = 1000  # and in one for machines
_NAME = 14  # columns of a class in it


def quiet(learner: Any) -> Any:
    """The same learner, which shows no progress of its own."""
    return learner.changed(verbose=False) if "verbose" in learner.given else learner


def cross_validate(fit: Callable[[Task], Any], task: Task, folds: int, seed: int) -> list[Answers]:
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
    out = []
    for inside, outside in divide.split(np.zeros(len(truth)), truth.astype(str) if task.classes else truth):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TreewrightWarning)  # levels that only other folds have
            try:
                model = fit(task.rows(inside))
                out.append(answers(model, task.rows(outside)))
            except (ValueError, TypeError) as error:
                raise data_error(error, task.name) from error
    return out


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model answers for some rows.

    Attributes
    ----------
    task : Task
        The rows, with the actual answers.
    predicted : array
        The answers.
    classes, shares : tuple, array or None
        The probability of each of these classes for every row; nothing for numbers, no probabilities of very many classes.
    """

    task: Task
    predicted: Any
    classes: tuple[Any, ...] = ()
    shares: Any = None

    def aligned(self, place: dict[Any, int]) -> NDArray[np.float64]:
        """The probabilities, a column for every class of all rows."""
        out = np.zeros((len(self.task.y), len(place)))
        out[:, [place[label] for label in self.classes]] = self.shares
        return out


@dataclass(frozen=True, slots=True)
class Scores:
    """How well answers agree with the actual ones: in words, as values, and what a picture is made of."""

    text: str
    data: dict[str, Any]
    picture: Any


def answers(model: Any, task: Task) -> Answers:
    """Ask a model about rows."""
    predicted = model.predict(task.X)
    if not task.classes:
        return Answers(task, predicted)
    own = model is model._model
    classes = model._model.target.classes if own else model.classes_.tolist()
    if len(classes) > _LISTED:  # nothing is measured that would take a number for every row and class
        return Answers(task, predicted, tuple(classes))
    return Answers(task, predicted, tuple(classes), np.asarray(model.predict_proba(task.X)))


def scored(results: list[Answers], where: str, costs: list[list[float]] | None = None) -> Scores:
    """Say how well the answers about some sets of rows agree with the actual ones."""
    if results[0].task.classes:
        return _class_scores(results, where, costs)
    if costs is not None:
        raise UsageError("numbers have no costs of classes", "--cost", "leave it out")
    return _number_scores(results, where)


def _mean_and_error(values: list[float]) -> tuple[float, float | None]:
    mean = float(np.mean(values))
    # Around one of them: equal scores vary by nothing, not by what rounding leaves of their mean.
    return mean, float(np.std(np.subtract(values, values[0]), ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None


def _class_scores(results: list[Answers], where: str, costs: list[list[float]] | None) -> Scores:
    right = [float(np.mean(np.asarray(each.task.y) == each.predicted)) for each in results]
    truth = np.concatenate([np.asarray(each.task.y, dtype=object) for each in results])
    predicted = np.concatenate([np.asarray(each.predicted, dtype=object) for each in results])
    labels = sorted(
        {*truth.tolist(), *predicted.tolist(), *(label for each in results for label in each.classes)},
        key=lambda label: (str(type(label)), label),
    )
    place = {label: i for i, label in enumerate(labels)}
    actual, answer = (np.array([place[label] for label in each.tolist()], np.int64) for each in (truth, predicted))
    table = None
    if len(labels) <= _LISTED:  # one of more classes would take more memory than the rows
        table = np.bincount(actual * len(labels) + answer, minlength=len(labels) ** 2).reshape(len(labels), -1)
    mean, error = _mean_and_error(right)
    n, hits = len(truth), int(np.sum(actual == answer))
    baseline = float(np.bincount(actual).max() / n)
    spread = f" ± {error:.3f}" if error is not None else ""
    text = f"accuracy {mean:.3f}{spread} {where}: {hits} of {n} rows right (baseline (majority class): {baseline:.3f})"
    names = [visible(str(label)) for label in labels]
    data: dict[str, Any] = {
        "accuracy": mean,
        "standard_error": error,
        "baseline": baseline,
        "rows": n,
        "right": hits,
        "classes": [str(label) for label in labels],
        "confusions": None if table is None else table.tolist(),
        "folds": right,
    }
    measured = None
    if table is not None:
        each = per_class(table)
        data["per_class"] = {name: dict(zip(MEASURES, row, strict=True)) for name, row in zip(data["classes"], each, strict=True)}
        if len(labels) <= _MOST:
            text += "\n\n" + _confusions(names, table.tolist(), each)
        shares = np.concatenate([each.aligned(place) for each in results])
        measured = Probabilities.of(labels, actual, shares)
        text += f"\n\n{measured.text()}"
        data |= measured.data()
        if costs is not None:
            priced = priced_answers(labels, actual, answer, shares, costs)
            text += f"\n{priced.text()}"
            data["costs"] = priced.data()
    return Scores(text, data, (names, table, measured) if measured is not None else None)


def _confusions(labels: list[str], table: list[list[int]], measures: list[list[float | None]]) -> str:
    names = [cut_to(label, _NAME) for label in labels]
    wide = [max(cells(name), *(len(str(row[j])) for row in table)) for j, name in enumerate(names)]
    first = max([*(cells(name) for name in names), len("actual")])

    def right(text: str, width: int) -> str:
        return " " * (width - cells(text)) + text

    head = "  ".join(right(name, w) for name, w in zip(names, wide, strict=True))
    lines = [f"{'actual':<{first}}   predicted {head}   {'  '.join(MEASURES)}"]
    for name, row, each in zip(names, table, measures, strict=True):
        counts = "  ".join(right(str(n), w) for n, w in zip(row, wide, strict=True))
        texts = ("-" if value is None else f"{value:.3f}" for value in each)
        told = "  ".join(f"{text:>{len(what)}}" for what, text in zip(MEASURES, texts, strict=True))
        lines.append(f"{name}{' ' * (first - cells(name))}             {counts}   {told}")
    return "\n".join(lines)


def _number_scores(results: list[Answers], where: str) -> Scores:
    truth = np.concatenate([np.asarray(each.task.y, dtype=np.float64) for each in results])
    predicted = np.concatenate([np.asarray(each.predicted, dtype=np.float64) for each in results])
    squared = float(np.mean((truth - predicted) ** 2))
    absolute = float(np.mean(np.abs(truth - predicted)))
    variance = float(np.var(truth))
    share = 1 - squared / variance if variance > 0 else math.nan
    per_fold = [math.sqrt(float(np.mean((np.asarray(each.task.y, dtype=np.float64) - each.predicted) ** 2))) for each in results]
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
    return Scores(text, data, (truth, predicted))
