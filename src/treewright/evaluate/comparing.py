"""Several models on the same folds: what they score, how sure that is, and which of them differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from treewright.errors import out_of_range, real, shown
from treewright.evaluate.measuring import Measured, Split, Task
from treewright.evaluate.significance import combined_f, corrected_error, corrected_t, half_width, holm, least_p, mcnemar
from treewright.learn.values import seed_of, threads, whole
from treewright.show.comparison import (
    comparison_frame,
    comparison_html,
    comparison_plot,
    comparison_svg,
    comparison_text,
    pairs_frame,
)
from treewright.show.tables import score_text

_FEW_ROWS = 0.05  # the least p-value of tables of which nothing can be claimed


@dataclass(frozen=True)
class Significance:
    """The outcome of one test of one pair of models.

    Attributes
    ----------
    statistic : float
        Student's t, F, or for McNemar's test the rows that only the first model has right less those only the second has.
    p : float
        How likely so large a difference is, up or down, if the models are equally good.
    p_holm : float
        The same adjusted for the number of pairs, by Holm's method.
    """

    statistic: float
    p: float
    p_holm: float


@dataclass(frozen=True, eq=False)
class ModelScore:
    """What one model scored.

    Attributes
    ----------
    name : str
        Its name in the comparison.
    scores : array
        Its score in every fold, repeat by repeat.
    mean, se : float
        Their mean, and its standard error, corrected for the overlap of training rows.
    low, high : float
        The interval in which the expected score lies with the confidence of the comparison.
    size : dict or None
        What its models consist of on average (leaves, rules, conditions, …), and ``size``, how much there is to read; None where
        they are neither trees nor rules.
    """

    name: str
    scores: NDArray[np.float64]
    mean: float
    se: float
    low: float
    high: float
    size: dict[str, float] | None


@dataclass(frozen=True)
class Pair:
    """Two models compared.

    Attributes
    ----------
    first, second : str
        Their names.
    difference, low, high : float
        Mean score of the first less that of the second, and its interval by the corrected t test.
    tests : dict of str to Significance
        The tests that could be made, by name.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    tests: dict[str, Significance]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`compare` found. Printed it is text, in a notebook a picture and tables.

    Attributes
    ----------
    scoring : str
        The score; more is better.
    models : tuple of ModelScore
        The models in the order they were given.
    pairs : tuple of Pair
        Every pair of them.
    n_rows, n_folds, n_repeats : int
        Rows, folds of a repeat, and repeats.
    confidence : float
        Of the intervals.
    notes : tuple of str
        What a reader should know: how to read the tests, and which could not be made.
    """

    scoring: str
    models: tuple[ModelScore, ...]
    pairs: tuple[Pair, ...]
    n_rows: int
    n_folds: int
    n_repeats: int
    confidence: float
    notes: tuple[str, ...]

    @property
    def best(self) -> ModelScore:
        """The model with the largest mean score; of equals the first."""
        return max(self.models, key=lambda model: model.mean)

    def pair(self, first: str, second: str) -> Pair:
        """Two models compared, by their names in the order in which they were given."""
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
        raise KeyError(f"no pair ({shown(first)}, {shown(second)}): names are {shown([model.name for model in self.models])}")

    def to_frame(self) -> Any:
        """Return the scores as a frame, a row per model."""
        return comparison_frame(self)

    def pairs_frame(self) -> Any:
        """Return the tests as a frame, a row per pair."""
        return pairs_frame(self)

    def to_text(self) -> str:
        """Write scores, tests and how to read them."""
        return comparison_text(self)

    def to_html(self) -> str:
        """Write the same as HTML, with the picture; every name is escaped, and there are no scripts."""
        return comparison_html(self)

    def to_svg(self) -> str:
        """Draw the scores with their intervals as SVG."""
        return comparison_svg(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores with their intervals on matplotlib axes."""
        return comparison_plot(self, ax)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        best = f"{shown(self.best.name)} with {self.scoring} {score_text(self.best.mean)}"
        return f"<Comparison: {len(self.models)} models, best {best}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "text/html": self.to_html()}


def compare(
    models: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    folds: Any = 10,
    repeats: int = 3,
    confidence: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Comparison:
    """Compare models on the same folds: scores with intervals, sizes, and tests of every pair.

    Three tests are made, because each errs in its own way: the corrected t test on the scores of all folds, the combined F test
    on five repeats of two folds, and, of classes, McNemar's exact test on the rows that exactly one of two models has right in
    the first repeat. With several pairs, the adjusted values (``p_holm``) are those to go by.

    Parameters
    ----------
    models : list or dict of estimators
        Classifiers, or regressors, of this package or any with scikit-learn's interface; a dict gives them names. They stay as
        they are. Random choices without a seed get one, so that results can be repeated.
    X, y : table and target
        The rows.
    scoring : str or callable, optional
        A scikit-learn scorer, or a function of (fitted model, X, y); more is better. By default the accuracy of classes and
        R² of numbers.
    folds : int, array or splitter, default 10
        How many folds, which keep the shares of the classes; or the fold of every row, or a scikit-learn splitter, such as one
        that keeps groups of rows together. The last two are used as they are: once, and without the F test, which needs halves.
    repeats : int, default 3
        How often the rows are divided anew.
    confidence : float, default 0.95
        Of the intervals.
    random_state : int, RandomState instance or None, default None
        Which rows go together; None is the seed 0.
    n_jobs : int, optional
        Fits at the same time; -1 for all processors. The result is the same for any number.
    verbose : bool, default False
        Show progress on standard error.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> models = {"tree": tw.CARTClassifier(), "stump": tw.CARTClassifier(max_depth=1)}
    >>> found = tw.compare(models, iris.X, iris.y)
    >>> found
    <Comparison: 2 models, best 'tree' with accuracy 0.933>
    >>> found.pair("tree", "stump").tests["corrected_t"].p_holm < 0.001
    True
    """
    named = named_models(models)
    task = Task(X, y, _task_of(named), scoring, seed_of(random_state))
    confidence = real("confidence", confidence, 0, 1, above=True)
    if confidence == 1:
        raise out_of_range("confidence", confidence, "a number above 0 and below 1")
    counted = isinstance(folds, (int, np.integer)) and not isinstance(folds, bool)
    repeats = whole("repeats", repeats, 1, 1000) if counted else 1
    splits = task.splits(folds, repeats)
    halves = task.splits(2, 5) if counted and len(named) > 1 and task.n_rows >= 4 else []
    found = task.measure(named, [*splits, *halves], threads(n_jobs), "comparing" if verbose else None)
    n = len(splits)
    ratio = float(np.mean([len(split.test) / len(split.train) for split in splits]))
    first = [at for at, split in enumerate(splits) if split.repeat == 1]
    once = np.array_equal(np.sort(np.concatenate([splits[at].test for at in first])), np.arange(task.n_rows))
    scored = tuple(_scored(name, each, n, ratio, confidence, task) for name, each in found.items())
    pairs = _pairs(found, splits, first if once and task.classes else [], bool(halves), ratio, confidence, task.n_rows)
    notes = _notes(task, len(named), bool(halves), once, pairs)
    return Comparison(task.scoring, scored, pairs, task.n_rows, len(first), splits[-1].repeat, confidence, notes)


def named_models(models: Any) -> dict[str, Any]:
    """Return models by name; those of a list are named after their classes, with numbers where these repeat."""
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
        if len(named) < len(models):
            raise ValueError(f"the names {shown(list(models))} are not all different as text: give every model a name of its own")
    elif isinstance(models, Iterable) and not isinstance(models, (str, bytes)):
        listed = list(models)
        kinds = [type(model).__name__ for model in listed]
        named = {
            kind if kinds.count(kind) == 1 else f"{kind} {kinds[: at + 1].count(kind)}": model
            for at, (kind, model) in enumerate(zip(kinds, listed, strict=True))
        }
    else:
        raise TypeError(f"models={shown(models)} must be a list of estimators, or a dict of names and estimators")
    if not named:
        raise ValueError("models is empty: give at least one estimator, such as CARTClassifier()")
    for name, model in named.items():
        if isinstance(model, type) or not all(hasattr(model, verb) for verb in ("fit", "predict", "get_params")):
            raise TypeError(f"model {shown(name)} is {shown(model)}: give an estimator, such as CARTClassifier()")
    return named


def _task_of(named: Mapping[str, Any]) -> bool:
    """Whether models learn classes; those of one comparison must learn the same."""
    kinds: dict[bool, str] = {}
    for name, model in named.items():
        if not (is_classifier(model) or is_regressor(model)):
            raise TypeError(f"model {shown(name)} is neither a classifier nor a regressor")
        kinds.setdefault(is_classifier(model), name)
    if len(kinds) == 2:
        raise ValueError(
            f"{shown(kinds[True])} learns classes and {shown(kinds[False])} numbers: compare models of the same kind"
        )
    return True in kinds


def _scored(name: str, found: Measured, n: int, ratio: float, confidence: float, task: Task) -> ModelScore:
    scores = found.scores[:n]
    mean, se = float(np.mean(scores)), corrected_error(scores, ratio)
    reach = half_width(se, n, confidence)
    low, high = (float(np.clip(mean + end, *task.bounds)) for end in (-reach, reach))
    return ModelScore(name, scores, mean, se, low, high, Measured(found.outcomes[:n]).size)


def _pairs(
    found: Mapping[str, Measured],
    splits: list[Split],
    first: list[int],
    halves: bool,
    ratio: float,
    confidence: float,
    n_rows: int,
) -> tuple[Pair, ...]:
    """Test every pair; ``first``: the splits that judge every row once, for McNemar's test."""
    n, least = len(splits), least_p(n_rows)
    drafts = []
    for one, other in combinations(found, 2):
        differences = found[one].scores - found[other].scores
        tests = {"corrected_t": corrected_t(differences[:n], ratio)} if n > 1 else {}
        if halves:
            tests["combined_f"] = combined_f(differences[n:].reshape(5, 2))
        tests = {test: (statistic, max(p, least)) for test, (statistic, p) in tests.items()}
        if first:
            a, b = (np.concatenate([found[name].outcomes[at].right for at in first]) for name in (one, other))
            only = int(np.sum(a & ~b)), int(np.sum(b & ~a))
            tests["mcnemar"] = float(only[0] - only[1]), mcnemar(*only)
        reach = half_width(corrected_error(differences[:n], ratio), n, confidence)
        drafts.append((one, other, float(np.mean(differences[:n])), reach, tests))
    adjusted = {test: holm([draft[4][test][1] for draft in drafts]) for test in (drafts[0][4] if drafts else ())}
    return tuple(
        Pair(
            one,
            other,
            mean,
            mean - reach,
            mean + reach,
            {test: Significance(*outcome, adjusted[test][at]) for test, outcome in tests.items()},
        )
        for at, (one, other, mean, reach, tests) in enumerate(drafts)
    )


def _notes(task: Task, n_models: int, halves: bool, once: bool, pairs: tuple[Pair, ...]) -> tuple[str, ...]:
    out = []
    if n_models < 2:
        return ()
    if least_p(task.n_rows) >= _FEW_ROWS:
        out.append(f"No test of {task.n_rows} rows can tell models apart, however their scores differ: more rows are needed.")
    if len(pairs) > 1:
        out.append(
            f"{len(pairs)} pairs were tested: of pairs that do not differ, one in twenty has p < 0.05 by chance alone. Go by the "
            "adjusted values (Holm), which keep the chance of any false claim at 5 %."
        )
    out.append("A large p does not show that two models are equal, only that these rows cannot tell them apart.")
    if task.classes and once:
        out.append(
            "McNemar's test counts rows of one division into folds: it says nothing of how models vary with their training rows."
        )
    elif task.classes:
        out.append("McNemar's test was left out: these folds do not judge every row once.")
    if not halves:
        out.append("The 5x2cv F test was left out: it divides the rows into halves of its own, and needs at least 4 of them.")
    return tuple(out)
