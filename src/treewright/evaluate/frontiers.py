"""Accuracy against size: every learner of the package in several sizes, and the smallest model that is good enough."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreewrightWarning, out_of_range, real, shown
from treewright.evaluate.measuring import Ended, FitError, Split, Task
from treewright.evaluate.significance import corrected_error
from treewright.evaluate.variants import Variant, variants
from treewright.learn.values import seed_of, threads, whole
from treewright.progress import Bar
from treewright.show.frontier import frontier_data, frontier_frame, frontier_page, frontier_plot, frontier_svg, frontier_text
from treewright.show.tables import score_text
from treewright.store.atomic import write_whole
from treewright.table.target import several_numbers

TASKS = ("classes", "numbers")
_FEW = 12  # distinct whole numbers that are still classes


@dataclass(frozen=True, eq=False)
class Point:
    """One learner with one setting of its size.

    Attributes
    ----------
    name, learner : str
        The learner with its parameters, and alone.
    params : dict
        What is not as by default.
    mean, se : float
        Its score in cross-validation, and the standard error, corrected for the overlap of training rows.
    size : float
        How much there is to read: tests, answers and terms of equations.
    counts : dict
        What its models consist of on average.
    scores : array
        The score in every fold.
    estimator : estimator
        Not fitted; ``estimator.fit(X, y)`` is the model.
    """

    name: str
    learner: str
    params: dict[str, Any]
    mean: float
    se: float
    size: float
    counts: dict[str, float]
    scores: NDArray[np.float64]
    estimator: Any


@dataclass(frozen=True, eq=False)
class Frontier:
    """What :func:`frontier` found. Printed it is text, in a notebook a picture and a table.

    Attributes
    ----------
    scoring : str
        The score; more is better.
    points : tuple of Point
        Every readable model that was measured, from the smallest to the largest.
    ceiling : Point or None
        The random forest, which nobody reads; None where it was left out.
    best, chosen : Point
        The readable model with the largest score, and the smallest within one standard error of it.
    unseen : float
        What the choice is worth: for every fold the score there of the model that the other folds would have chosen.
    left_out : tuple of (str, str)
        What was not measured, and why.
    n_rows, n_folds, n_fits : int
        Rows, folds, and fits that were made.
    """

    scoring: str
    points: tuple[Point, ...]
    ceiling: Point | None
    best: Point
    chosen: Point
    unseen: float
    left_out: tuple[tuple[str, str], ...]
    n_rows: int
    n_folds: int
    n_fits: int

    @property
    def steps(self) -> tuple[Point, ...]:
        """The frontier itself: models that score more than every smaller one."""
        out: list[Point] = []
        for point in self.points:
            if not out or point.mean > out[-1].mean:
                out.append(point)
        return tuple(out)

    def to_frame(self) -> Any:
        """Return every model as a row of a frame."""
        return frontier_frame(self)

    def to_text(self) -> str:
        """Write the frontier, the best of every learner, and the choice in a sentence."""
        return frontier_text(self)

    def to_svg(self) -> str:
        """Draw score against size as SVG."""
        return frontier_svg(self)

    def to_html(self, path: Any = None, title: str | None = None) -> str | None:
        """Write one page with the picture and the table: to a file, or as a string. It loads nothing and holds no rows."""
        page = frontier_page(self, title)
        if path is None:
            return page
        write_whole(path, page.encode("utf-8", "backslashreplace"))
        return None

    def plot(self, ax: Any = None) -> Any:
        """Draw score against size on matplotlib axes."""
        return frontier_plot(self, ax)

    def data(self) -> dict[str, Any]:
        """Return a report for other programs: numbers, text and lists."""
        return frontier_data(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        chosen = f"{shown(self.chosen.name)} with {self.scoring} {score_text(self.chosen.mean)}"
        return f"<Frontier: {len(self.points)} models, chosen {chosen}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "image/svg+xml": self.to_svg()}


def frontier(
    X: Any,
    y: Any,
    *,
    task: str | None = None,
    learners: Sequence[str] | None = None,
    scoring: Any = None,
    folds: Any = 10,
    max_fits: int | None = None,
    budget: float | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> Frontier:
    """Measure score against size for every learner of the package, and name the smallest model that is good enough.

    Every learner of trees and rules is cross-validated as it is by default and in several sizes, all on the same folds, with a
    random forest as the ceiling. Size is what a reader meets: tests, answers and terms of equations, one each.

    Parameters
    ----------
    X, y : table and target
        The rows.
    task : {"classes", "numbers"}, optional
        What the target is. By default numbers with fractions, and whole numbers of more than 12 values, are numbers.
    learners : sequence of str, optional
        Only these, such as ["CART", "Ripper"].
    scoring : str or callable, optional
        As in :func:`compare`: by default the accuracy of classes and R² of numbers.
    folds : int, array or splitter, default 10
        As in :func:`compare`.
    max_fits : int, optional
        How many fits may be made. One learner as it is by default comes first, then the forest, then the other learners, then the
        sizes in turn; what no longer fits in is listed in ``left_out``.
    budget : float, optional
        Seconds after which no fit is begun, and one that lasts is ended. What is measured then depends on the machine: for
        results that can be repeated use ``max_fits``.
    random_state : int, RandomState instance or None, default None
        Which rows go to which fold; None is the seed 0.
    n_jobs : int, optional
        Fits at the same time; -1 for all processors. The result is the same for any number.
    verbose : bool, default False
        Show progress on standard error.

    Returns
    -------
    Frontier
        A learner that refuses the table is no error: ``left_out`` says why.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> found = tw.frontier(iris.X, iris.y, learners=["CART", "Ripper"])
    >>> found
    <Frontier: 8 models, chosen 'CART max_leaf_nodes=3' with accuracy 0.933>
    >>> model = found.chosen.estimator.fit(iris.X, iris.y)
    """
    classes = task_of(task, y) == "classes"
    measured = _Search(Task(X, y, classes, scoring, seed_of(random_state)), folds, max_fits, budget, threads(n_jobs), verbose)
    ceiling, every, left_out = variants(classes, measured.task.n_rows, learners)
    top, points = measured.run(ceiling, every)
    if not points:
        where, why = (*measured.left_out, *left_out)[0]
        raise ValueError(f"no readable model could be measured; {where}: {why}")
    points.sort(key=lambda point: (point.size, -point.mean, point.name))
    scores = np.array([point.scores for point in points])
    sizes = np.array([point.size for point in points])
    best, chosen = choose(scores, sizes, measured.ratio)
    return Frontier(
        measured.task.scoring,
        tuple(points),
        top,
        points[best],
        points[chosen],
        unseen_score(scores, sizes, measured.ratio),
        (*left_out, *measured.left_out),
        measured.task.n_rows,
        len(measured.splits),
        measured.n_fits,
    )


def task_of(task: str | None, y: Any) -> str:
    """Whether a target is classes or numbers, as it was said, or by its cells."""
    if task is not None:
        if task not in TASKS:
            raise out_of_range("task", task, 'None, "classes" or "numbers"')
        return task
    if several_numbers(y):
        raise ValueError("y has several columns: give one class or number per row")
    cells = np.asarray(y)
    if getattr(getattr(y, "dtype", None), "categories", None) is not None or cells.dtype.kind not in "iuf":
        return "classes"
    return "numbers" if cells.dtype.kind == "f" or len(np.unique(cells)) > _FEW else "classes"


def choose(scores: NDArray[np.float64], sizes: NDArray[np.float64], ratio: float) -> tuple[int, int]:
    """Of models by rows, with their scores by folds: the best (of equals the smallest), and the smallest within one SE of it."""
    means = scores.mean(axis=1)
    order = np.lexsort((sizes, -means))
    best = int(order[0])
    error = corrected_error(scores[best], ratio)
    least = means[best] - (error if np.isfinite(error) else 0.0)
    good = np.flatnonzero(means >= least - 1e-12 * abs(least))
    return best, int(good[np.lexsort((-means[good], sizes[good]))[0]])


def unseen_score(scores: NDArray[np.float64], sizes: NDArray[np.float64], ratio: float) -> float:
    """The mean over folds of the score there of the model that the other folds choose: free of the flattery of the choice."""
    n = scores.shape[1]
    if n < 3:
        return float("nan")
    return float(np.mean([scores[choose(np.delete(scores, fold, 1), sizes, ratio)[1], fold] for fold in range(n)]))


class _SpentError(Ended):
    """The time is over."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Search:
    """Measures variants one after the other, as far as the budget goes."""

    def __init__(self, task: Task, folds: Any, max_fits: Any, budget: Any, threads: int, verbose: bool) -> None:
        self.task, self.threads, self.verbose = task, threads, verbose
        self.splits: list[Split] = task.splits(folds, 1)
        self.ratio = float(np.mean([len(split.test) / len(split.train) for split in self.splits]))
        self.max_fits = None if max_fits is None else whole("max_fits", max_fits, 1)
        self.budget = None if budget is None else real("budget", budget, 0, above=True)
        self.started = time.monotonic()
        self.n_fits = self.total = 0
        self.left_out: list[tuple[str, str]] = []

    def run(self, ceiling: Variant, every: list[list[Variant]]) -> tuple[Point | None, list[Point]]:
        """A learner as it is by default, the ceiling, the other learners, then the sizes in turn."""
        turns = [[variant for variant in turn if variant is not None] for turn in zip_longest(*every)]
        order = [*chain(*turns)]
        order.insert(1, ceiling)  # early, because others may take all the time
        self.total = len(self.splits) * len(order)
        top: Point | None = None
        plain: dict[str, Point] = {}
        points: list[Point] = []
        with Bar("frontier", "fits") as bar:
            for variant in order:
                usual = plain.get(variant.learner)
                if variant.params and (usual is None or _idle(variant, usual)):
                    continue  # refused already, or a limit that is kept anyway
                point = self._point(variant, bar)
                if variant is ceiling:
                    top = point
                elif point is not None:
                    plain.setdefault(variant.learner, point)
                    points += [] if any(_same(point, other) for other in points) else [point]
            if self.verbose:
                bar(self.n_fits, self.n_fits)
        return top, points

    def _point(self, variant: Variant, bar: Bar) -> Point | None:
        if (why := self._spent()) is not None:
            self.left_out.append((variant.name, why))
            return None
        try:
            with warnings.catch_warnings():
                # Sizes that change nothing, and whatever else a learner says of this table: it is said when it is fitted.
                warnings.simplefilter("ignore", TreewrightWarning)
                models = {variant.name: variant.estimator}
                found = self.task.measure(models, self.splits, self.threads, begin=self._begin)[variant.name]
        except (FitError, _SpentError) as error:
            self.left_out.append((variant.name, error.reason))
            return None
        self.n_fits += len(self.splits)
        if self.verbose:
            bar.title = f"frontier, {variant.learner}"
            bar(self.n_fits, self.total)
        if (counts := found.size) is None:
            self.left_out.append((variant.name, "its models are neither trees nor rules, and have no size"))
            return None
        return self._made(variant, found.scores, counts)

    def _made(self, variant: Variant, scores: NDArray[np.float64], counts: dict[str, float]) -> Point:
        mean, se = float(np.mean(scores)), corrected_error(scores, self.ratio)
        return Point(variant.name, variant.learner, variant.params, mean, se, counts["size"], counts, scores, variant.estimator)

    def _spent(self) -> str | None:
        if self.max_fits is not None and self.n_fits + len(self.splits) > self.max_fits:
            return f"max_fits={self.max_fits} was reached, a model takes {len(self.splits)} fits"
        return f"the budget of {self.budget:g} s was spent" if self._late() else None

    def _late(self) -> bool:
        return self.budget is not None and time.monotonic() - self.started > self.budget

    def _begin(self) -> None:
        """End a fit when the time is over: what was measured of the model until then is thrown away."""
        if self._late():
            raise _SpentError(f"the budget of {self.budget:g} s was spent while it was measured")


def _idle(variant: Variant, usual: Point) -> bool:
    """Whether a limit is far above what the learner makes by default."""
    limit = variant.params.get("max_leaf_nodes")
    return limit is not None and limit > 2 * usual.counts.get("leaves", np.inf)


def _same(one: Point, other: Point) -> bool:
    """Whether a limit changed nothing."""
    return one.learner == other.learner and one.counts == other.counts and np.array_equal(one.scores, other.scores)
