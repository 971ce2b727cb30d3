"""How far a tree is from the best one: its loss on some rows, and what no tree as small can beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.errors import counted
from treewright.learn.learner import Learned
from treewright.learn.optimal import (
    DEEPEST,
    MOST_SUBSET_LEVELS,
    POLICIES,
    OptimalTreeClassifierLearner,
    OptimalTreeClassifierParameters,
    OptimalTreeRegressorLearner,
    OptimalTreeRegressorParameters,
)
from treewright.model import Tree
from treewright.prune.rows import Rows


@dataclass(frozen=True, eq=False)
class OptimalityGap:
    """How far a tree is from the best of its size and of its depth, on the rows that were given.

    Attributes
    ----------
    loss : float
        What the tree loses on the rows: errors by weight, expected losses under a loss matrix, or squared errors.
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
            else:
                lines.append(f"the best tree {what}: between {_text(bound)} and {_text(found)} (the search was ended)")
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
    rows = Rows(X, y, sample_weight)
    losses = rows.losses(tree)
    ends = tree.node_columns.is_leaf
    loss = float(losses.loss[ends].sum())
    n_splits, depth = tree.n_leaves - 1, tree.depth
    params: dict[str, Any] = {
        "max_depth": min(depth, DEEPEST),
        "missing": tree.missing if tree.missing in POLICIES and tree.missing != "majority" else "learned",
        "nominal": _nominal(tree),
        "time_limit": time_limit,
        "max_steps": max_steps,
        "cache_mb": cache_mb,
    }
    by_depth = _search(tree, rows, params)
    full = n_splits >= 2 ** min(depth, DEEPEST) - 1
    by_size = by_depth if full else _search(tree, rows, {**params, "max_splits": n_splits})
    found = []
    for learned in (by_size, by_depth):
        cost, bound, proven = (learned.facts[name] for name in ("objective_", "lower_bound_", "optimal_"))
        own = loss < cost * (1 - 1e-12)
        # Of deeper trees than are searched, and of tests of other kinds, nothing is known.
        bound = 0.0 if depth > DEEPEST else min(bound, loss)
        found.append((bound, proven and not own and depth <= DEEPEST, tree if own else _tree(learned.model), min(cost, loss)))
    (size_bound, size_proven, smaller, smaller_loss), (depth_bound, depth_proven, best, best_loss) = found
    return OptimalityGap(
        loss, n_splits, depth, size_bound, depth_bound, size_proven, depth_proven, best, best_loss, smaller, smaller_loss
    )


def _tree(model: Any) -> Tree:
    tree = getattr(model, "_model", model)
    if not isinstance(tree, Tree):
        raise TypeError(f"an optimality gap is of a single tree, this is {type(model).__name__}")
    if tree.leaf_model.computed or tree.leaf_model.outputs or not tree.leaf_model.by_nodes or tree.target.measure == "worst":
        raise ValueError("an optimality gap is of trees whose leaves say a class or one number")
    return tree


def _nominal(tree: Tree) -> str:
    """Any sets of levels where the tree has such, and no column has too many."""
    levels = [len(seen) for column, seen in zip(tree.columns, tree.schema.known, strict=True) if column.nominal]
    few = all(n <= MOST_SUBSET_LEVELS for n in levels)
    return "subset" if levels and few else "one_vs_rest"


def _search(tree: Tree, rows: Rows, params: dict[str, Any]) -> Learned:
    """The best tree of the rows."""
    X, y, weights = rows.X, rows.y, rows.sample_weight
    learner: Any
    if tree.target.classes is None:
        learner = OptimalTreeRegressorLearner(OptimalTreeRegressorParameters(**params))
        return _learn(learner, X, y, weights)
    classes = list(tree.target.classes)
    if tree.target.factors:
        params["class_weight"] = dict(zip(classes, tree.target.factors, strict=True))
    if tree.target.losses:
        order = sorted(range(len(classes)), key=lambda i: classes[i])
        n = len(classes)
        params["loss"] = [[tree.target.losses[i * n + j] for j in order] for i in order]
    learner = OptimalTreeClassifierLearner(OptimalTreeClassifierParameters(**params))
    return _learn(learner, X, y, weights)


def _learn(learner: Any, X: Any, y: Any, weights: Any) -> Learned:
    learned: Learned = learner.learn(X, y, weights)
    return learned
