"""Models fitted and scored on the same folds: what comparisons and the frontier are made of."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import get_scorer, get_scorer_names

from treewright.errors import TreewrightWarning, UnseenLevelWarning, outside, shown, unknown, visible
from treewright.evaluate.size import mean_size, size_of
from treewright.learn.jobs import Watch, run_jobs, watched
from treewright.table.folds import fold_rows
from treewright.table.frames import shape_of, take_rows
from treewright.table.streams import as_table
from treewright.table.target import read_classes, read_numbers

Rows = NDArray[np.int64]
Scorer = Callable[[Any, Any, Any], float]
_TELL = 200  # characters of an error that is quoted


@dataclass(frozen=True)
class Split:
    """The rows to learn from and those to be judged by, and which fold of which repeat they are, from 1."""

    train: Rows
    test: Rows
    repeat: int
    fold: int

    def __str__(self) -> str:
        return f"repeat {self.repeat}, fold {self.fold}"


@dataclass(frozen=True)
class Outcome:
    """What a model fitted to the training rows of a split is worth: its score, its size, and which test rows it has right."""

    score: float
    size: dict[str, float] | None
    right: NDArray[np.bool_] | None


@dataclass(frozen=True)
class Measured:
    """The outcomes of one model on all splits."""

    outcomes: tuple[Outcome, ...]

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of every split."""
        return np.array([outcome.score for outcome in self.outcomes])

    @property
    def size(self) -> dict[str, float] | None:
        """What the model consists of, the mean over splits."""
        return mean_size([outcome.size for outcome in self.outcomes])


class FitError(ValueError):
    """A model failed on some rows; the message says which model, where and why."""

    def __init__(self, name: str, split: Split, reason: str) -> None:
        self.name, self.split, self.reason = name, split, reason
        super().__init__(f"model {shown(name)} failed in {split}: {reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.split, self.reason)


class Ended(Exception):
    """The work is not to go on: there is no more time for it."""


class Task:
    """A table and its target, and how models of it are scored.

    Attributes
    ----------
    classes : bool
        Whether the target is classes, not numbers.
    scoring : str
        The name of the score.
    bounds : tuple of float
        The least and the largest value that a score can have, as far as that is known.
    """

    def __init__(self, X: Any, y: Any, classes: bool, scoring: Any, seed: int) -> None:
        self.X, self.y, self.classes, self.seed = as_table(X), y, classes, seed
        self.n_rows = shape_of(self.X)[0]
        target, self.codes = read_classes(y, None)[:2] if classes else read_numbers(y, None)
        self._truth = np.array([*(target.classes or ()), None], dtype=object)[self.codes] if classes else self.codes
        if len(self.codes) != self.n_rows:
            raise ValueError(f"X has {self.n_rows} rows and y has {len(self.codes)}: give one answer per row")
        self.scoring, self._scorer = _scorer(scoring, classes)
        own = self._scorer is None
        self.bounds = (0.0 if own and classes else -np.inf, 1.0 if own else np.inf)

    def splits(self, folds: Any, repeats: int) -> list[Split]:
        """Rows divided into folds, so many times; the folds keep the shares of the classes."""
        classes = self.codes if self.classes else None
        out = []
        for repeat in range(repeats):
            with warnings.catch_warnings():
                if repeat:  # a class with few rows is told of once
                    warnings.simplefilter("ignore", TreewrightWarning)
                divided = fold_rows(folds, self.n_rows, classes, _mixed(self.seed, repeat), X=self.X)
            out += [Split(train, test, repeat + 1, fold + 1) for fold, (train, test) in enumerate(divided)]
        if not out:
            raise ValueError("folds= gives no fold: give a number of folds, or a splitter that divides the rows")
        empty = next((split for split in out if not len(split.train) or not len(split.test)), None)
        if empty is not None:
            raise ValueError(f"{empty} has no rows to learn from, or none to be judged by: use fewer folds")
        return out

    def measure(
        self,
        models: Mapping[str, Any],
        splits: Sequence[Split],
        threads: int = 1,
        title: str | None = None,
        begin: Callable[[], None] | None = None,
    ) -> dict[str, Measured]:
        """Fit every model to every split and score it; a failure is a :class:`FitError`.

        ``begin`` is called before every fit and now and then while it lasts, and may raise :class:`Ended`.
        """
        jobs = [partial(self._outcome, name, model, split, begin) for name, model in models.items() for split in splits]
        with warned_once():
            found = run_jobs(jobs, threads, title, "fits")
        n = len(splits)
        return {name: Measured(tuple(found[at * n : (at + 1) * n])) for at, name in enumerate(models)}

    def _outcome(self, name: str, model: Any, split: Split, begin: Callable[[], None] | None, _watch: Watch | None) -> Outcome:
        def watch(done: int, total: int) -> None:
            if _watch is not None:
                _watch(done, total)
            if begin is not None:
                begin()

        watch(0, 0)
        try:
            fitted = seeded(clone(model), _mixed(self.seed, split.repeat, split.fold))
            with nullcontext() if begin is None else watched(watch):
                fitted.fit(take_rows(self.X, split.train), take_rows(self.y, split.train))
            X, y = take_rows(self.X, split.test), take_rows(self.y, split.test)
            truth, right = self._truth[split.test], None
            if self.classes:
                right = np.asarray(np.asarray(fitted.predict(X)).ravel().astype(object) == truth, dtype=bool)
            if self._scorer is not None:
                score = float(self._scorer(fitted, X, y))
            else:
                score = _r2(truth, fitted.predict(X)) if right is None else float(np.mean(right))
        except (MemoryError, Ended):
            raise
        except Exception as error:
            raise FitError(name, split, _reason(error)) from error
        if not np.isfinite(score):
            raise FitError(name, split, f"its score by {self.scoring} is {score}; use fewer folds, or another scoring=")
        return Outcome(score, size_of(fitted), right)


def _reason(error: Exception) -> str:
    """The first line of an error; what kind it is, unless it is one that speaks for itself."""
    text = visible(str(error).strip().partition("\n")[0])
    text = text if len(text) <= _TELL else f"{text[: _TELL - 1]}…"
    kind = type(error).__name__
    return text if text and type(error) in (ValueError, TypeError) else f"{kind}: {text}" if text else kind


def seeded(model: Any, seed: int) -> Any:
    """Give every random choice that has no seed yet, also of estimators inside, one; ours have a seed of their own."""
    if type(model).__module__.partition(".")[0] == "treewright" and not hasattr(model, "estimators"):
        return model
    open_ = [
        name
        for name, value in model.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return model.set_params(**dict.fromkeys(sorted(open_), seed % 2**32)) if open_ else model


def _mixed(seed: int, *more: int) -> int:
    """Another seed for every place; that of the first repeat is the one given."""
    return seed if not any(more) else int(np.random.SeedSequence([seed, *more]).generate_state(1, np.uint64)[0])


def _scorer(scoring: Any, classes: bool) -> tuple[str, Scorer | None]:
    """The name of a score, and the function; None: accuracy of classes, R² of numbers."""
    if scoring is None or scoring == ("accuracy" if classes else "r2"):
        return "accuracy" if classes else "R²", None
    if isinstance(scoring, str):
        if scoring not in get_scorer_names():
            raise unknown("scoring", scoring, get_scorer_names())
        return scoring, get_scorer(scoring)
    if not callable(scoring):
        raise TypeError(f"scoring={shown(scoring)} must be the name of a scikit-learn scorer, or a function of (model, X, y)")
    named = scoring if hasattr(scoring, "__name__") else getattr(scoring, "_score_func", None)
    return visible(getattr(named, "__name__", "score")), scoring


def _r2(truth: NDArray[np.float64], answers: Any) -> float:
    """Share of the variance of the test rows that is explained; NaN where they have none."""
    left = float(np.sum((truth - np.asarray(answers, np.float64).ravel()) ** 2))
    whole = float(np.sum((truth - truth.mean()) ** 2))
    return 1 - left / whole if whole > 0 else float("nan")


@contextmanager
def warned_once() -> Iterator[None]:
    """Warn of the same once, however many fits say it; levels that only other folds have are no surprise."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", UnseenLevelWarning)
        yield
    for text, category in dict.fromkeys((str(each.message), each.category) for each in caught):
        warnings.warn(text, category, stacklevel=outside())
