"""How far a tree is from the best one: its loss on some rows, and what no tree as small can beat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import counted
from treewright.learn.optimal import (
    DEEPEST,
    MOST_SUBSET_LEVELS,
    POLICIES,
    OptimalTreeClassifierLearner,
    OptimalTreeClassifierParameters,
    OptimalTreeRegressorLearner,
    OptimalTreeRegressorParameters,
)
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.prune.rows import Rows
from treewright.table import TargetSchema


@dataclass(frozen=True, eq=False)
class OptimalityGap:
    """How far a tree is from the best of its size and of its depth, on the rows that were given.

    Attributes
    ----------
    loss : float
        What its answers lose on the rows: errors by weight, expected losses under a loss matrix, or squared errors.
    n_splits, depth : int
        Its size, as splits in two (a tree of n leaves has n - 1), and its depth.
    size_bound : float
        No tree of at most so many splits and at most so deep loses less.
    depth_bound : float
        No tree at most so deep loses less.
    size_proven, depth_proven : bool
        Whether a tree was found that loses no more than that, so that the bound is the optimum.
    best : Tree
        The best tree of that depth that is known: the one found, or the tree itself.
    best_loss : float
        What it loses.
    smaller : Tree
        The best known tree that is no deeper and has no more splits.
    smaller_loss : float
        What it loses.
    """

    loss: float
    n_splits: int
    depth: int
    size_bound: float
    depth_bound: float
    size_proven: bool
    depth_proven: bool
    best: Tree
    best_loss: float
    smaller: Tree
    smaller_loss: float

    @property
    def share(self) -> float:
        """By which share of its loss a tree as small could be better at most."""
        return (self.loss - self.size_bound) / self.loss if self.loss > 0 else 0.0

    def to_text(self) -> str:
        """The same in three lines."""
        name = "squared error" if self.best.target.classes is None else "loss" if self.best.target.losses else "errors"
        lines = [f"this tree: {name} {_text(self.loss)} with {counted(self.n_splits, 'split')}, depth {self.depth}"]
        for what, bound, proven, found in (
            ("as small", self.size_bound, self.size_proven, self.smaller_loss),
            ("as deep", self.depth_bound, self.depth_proven, self.best_loss),
        ):
            if proven:
                lines.append(f"the best tree {what}: {_text(found)}" + (", as this one" if found >= self.loss else ""))
            elif bound >= found:
                lines.append(f"the best tree {what}: not known to lose less than {_text(found)}, whose tests are of another kind")
            else:
                lines.append(f"the best tree {what}: between {_text(bound)} and {_text(found)} (more is not proven)")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"OptimalityGap({self.to_text()})"


def _text(loss: float) -> str:
    return f"{loss:.6g}"


def optimality_gap(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    time_limit: float | None = 10.0,
    max_steps: int | None = None,
    cache_mb: int = 256,
) -> OptimalityGap:
    """Compare a tree with the best one of its size, and of its depth, by an exact search.

    Parameters
    ----------
    model : Tree, or a fitted estimator that holds one
        The tree; class weights and losses it was learned with count here, too.
    X, y, sample_weight : table, target and weights
        The rows, usually those it was trained on.
    time_limit : float or None, default 10
        Seconds for each of the two searches. What they have proven by then is told; it is never wrong, but may be little.
    max_steps : int, optional
        A limit of work instead, which always gives the same answer (with ``time_limit=None``).
    cache_mb : int, default 256
        As in :class:`OptimalTreeClassifier`.

    Returns
    -------
    OptimalityGap
        Bounds are for trees of splits in two: thresholds, one level against the others, or, where the tree has other sets of
        levels, any sets of at most ten levels. A tree whose tests are of another kind may lose less than these.
    """
    tree = _tree(model)
    rows = _Judged.of(tree, Rows(X, y, sample_weight))
    loss = rows.loss(tree)
    n_splits, depth = tree.n_leaves - 1, tree.depth
    params: dict[str, Any] = {
        "max_depth": min(depth, DEEPEST),
        "missing": tree.missing if tree.missing in POLICIES and tree.missing != "majority" else "learned",
        "nominal": _nominal(tree),
        "time_limit": time_limit,
        "max_steps": max_steps,
        "cache_mb": cache_mb,
    }
    as_deep = rows.search(params)
    full = n_splits >= 2 ** min(depth, DEEPEST) - 1
    as_small = as_deep if full else rows.search({**params, "max_splits": n_splits})
    if depth > DEEPEST:  # of deeper trees than are searched nothing is known
        as_deep, as_small = replace(as_deep, bound=0.0), replace(as_small, bound=0.0)
    # What is found for one question answers the other as well, and so does the tree itself: trees as small are as deep.
    smaller = min(as_small, _Found(tree, loss, 0.0), key=_Found.by_loss)
    if as_deep.tree.n_leaves - 1 <= n_splits:
        smaller = min(smaller, as_deep, key=_Found.by_loss)
    best = min(as_deep, smaller, key=_Found.by_loss)
    bounds = [max(as_small.bound, as_deep.bound), as_deep.bound]
    # A tree whose tests are of another kind may lose less than is proven of those that were searched.
    of_size, of_depth = (abs(each.loss - bound) <= 1e-9 * bound for each, bound in zip((smaller, best), bounds, strict=True))
    size_bound, depth_bound = (min(each.loss, bound) for each, bound in zip((smaller, best), bounds, strict=True))
    found = (best.tree, best.loss, smaller.tree, smaller.loss)
    return OptimalityGap(loss, n_splits, depth, size_bound, depth_bound, of_size, of_depth, *found)


@dataclass(frozen=True)
class _Found:
    """A tree, what it loses, and what no tree as small, or as deep, can beat."""

    tree: Tree
    loss: float
    bound: float

    def by_loss(self) -> float:
        """The order of what is found."""
        return self.loss


@dataclass(frozen=True)
class _Judged:
    """Rows, and how trees are judged on them: by the class factors and the losses of one tree."""

    rows: Rows
    target: TargetSchema
    truth: NDArray[Any]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, tree: Tree, rows: Rows) -> _Judged:
        """The rows by what the tree was learned with."""
        _, truth, read = rows.numbers(tree)
        weights = np.ones(len(truth)) if read.given is None else read.given
        return cls(rows, tree.target, truth, weights)

    def loss(self, tree: Tree) -> float:
        """What the answers of the tree lose, which is what its leaves lose unless rows go down several branches."""
        arrays, truth, _ = self.rows.numbers(tree)
        said = tree.predict_cells((arrays, len(truth)))
        if self.target.classes is None:
            return float(self.weights @ (said - truth) ** 2)
        places = {label: k for k, label in enumerate(self.target.classes)}
        answers = np.array([places[label] for label in said.tolist()])
        n = len(places)
        losses = np.reshape(self.target.losses, (n, n)) if self.target.losses else 1.0 - np.eye(n)
        return float(self.weights * self.factors @ losses[truth, answers])

    @property
    def factors(self) -> NDArray[np.float64]:
        """What each row counts by its class."""
        return np.array(self.target.factors)[self.truth] if self.target.factors else np.ones(len(self.truth))

    def search(self, params: dict[str, Any]) -> _Found:
        """The best tree of the rows."""
        learner: Any
        if self.target.classes is None:
            learner = OptimalTreeRegressorLearner(OptimalTreeRegressorParameters(**params))
        else:
            learner = OptimalTreeClassifierLearner(OptimalTreeClassifierParameters(**params, **self._costs(self.target.classes)))
        learned = learner.learn(self.rows.X, self.rows.y, self.rows.sample_weight)
        # A search lets all rows together count what they weigh; the factors of the tree do so for its own training rows.
        unit = float(self.weights @ self.factors) / float(self.weights.sum())
        cost, bound = (learned.facts[name] * unit for name in ("objective_", "lower_bound_"))
        return _Found(_tree(learned.model), cost, bound)

    def _costs(self, classes: tuple[Any, ...]) -> dict[str, Any]:
        """Class weights and losses of the classes that occur among the rows."""
        out: dict[str, Any] = {}
        occur = sorted(set(self.truth.tolist()), key=lambda k: classes[k])
        if self.target.factors:
            out["class_weight"] = {classes[k]: self.target.factors[k] for k in occur}
        if self.target.losses:
            n = len(classes)
            out["loss"] = [[self.target.losses[i * n + j] for j in occur] for i in occur]
        return out


def _tree(model: Any) -> Tree:
    learner = getattr(model, "_learner_class", TreeLearner)
    tree = getattr(model, "_model", model)
    if not isinstance(tree, Tree) or not issubclass(learner, TreeLearner):
        raise TypeError(f"an optimality gap is of a single tree, this is {type(model).__name__}")
    if tree.leaf_model.computed or tree.leaf_model.outputs or not tree.leaf_model.by_nodes or tree.target.measure == "worst":
        raise ValueError(
            "an optimality gap is of trees whose leaves say a class or one number, judged by errors or squares; those of "
            f"{'this tree' if model is tree else type(model).__name__} do not"
        )
    return tree


def _nominal(tree: Tree) -> str:
    """Any sets of levels where the tree has such, and no column has too many."""
    levels = [len(seen) for column, seen in zip(tree.columns, tree.schema.known, strict=True) if column.nominal]
    few = all(n <= MOST_SUBSET_LEVELS for n in levels)
    return "subset" if levels and few else "one_vs_rest"
