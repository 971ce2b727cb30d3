"""A path of nested trees, from the whole one to its root alone, with the errors of each: what pruning chooses from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.model import Tree
from treewright.prune.rows import Losses

Floats = NDArray[np.float64]
RULES = ("best", "1se")


@dataclass(frozen=True)
class Curve:
    """Mean loss of every tree of a path on some rows, and its standard error: sqrt(R (1 - R) / N) for shares of errors."""

    error: Floats
    se: Floats

    @classmethod
    def of(cls, loss: Floats, square: Floats, weight: Floats | float, row_weight: float = 1.0) -> Curve:
        """From sums of losses, of their squares, and of weights; the error of a mean counts rows, each of ``row_weight``."""
        error = np.maximum(loss, 0.0) / weight
        return cls(error, np.sqrt(np.maximum(square / weight - error**2, 0.0) / (weight / row_weight)))

    def step(self, rule: str) -> int:
        """The step a rule takes: the least error ("best"), or the smallest tree within a standard error of it ("1se")."""
        parts.check_name("rule", rule, RULES)
        least = float(self.error.min())
        best = int(np.flatnonzero(self.error <= least + 1e-12 * abs(least))[-1])
        if rule == "best":
            return best
        return int(np.flatnonzero(self.error <= (self.error[best] + self.se[best]) * (1 + 1e-12))[-1])


@dataclass(frozen=True)
class Overfitting:
    """Whether a tree over-fits: another has a larger training error and a smaller one on rows it was not grown from.

    Attributes
    ----------
    overfits : bool
        Whether there is such a tree on the path.
    by : str
        The rows the errors to come were measured on: "cv", "validation" or "pruning".
    leaves, training_error, error : int, float, float
        Of the tree in question.
    better_step : int or None
        The step of the path with the smallest error, if the tree over-fits.
    better_leaves, better_training_error, better_error : int, float, float
        Of that tree, or of the tree itself.
    """

    overfits: bool
    by: str
    leaves: int
    training_error: float
    error: float
    better_step: int | None
    better_leaves: int
    better_training_error: float
    better_error: float

    def __str__(self) -> str:
        seen = {"cv": "in cross-validation", "validation": "on the validation rows", "pruning": "on the pruning rows"}[self.by]
        own = f"The tree of {self.leaves} leaves errs {self.training_error:.4g} on its training rows and {self.error:.4g} {seen}"
        if not self.overfits:
            return f"{own}. No smaller tree of the path does better there: it does not over-fit."
        return (
            f"{own}. It over-fits: cut back to {self.better_leaves} leaves it errs more in training "
            f"({self.better_training_error:.4g}) and less {seen} ({self.better_error:.4g})."
        )


@dataclass(frozen=True, eq=False)
class PruningPath:
    """Nested trees from the whole one to its root alone. Step 0 is the tree as it was grown.

    Errors are those the tree was grown by: shares of wrong rows (mean losses, where answers have prices; rows counting as their
    classes do under priors), or of numbers the mean squared or absolute error, or half the mean Poisson deviance.

    Attributes
    ----------
    method : str
        The method whose path this is.
    alpha : array
        What a leaf must cost for the tree of a step (``"cost_complexity"``); the largest critical value that gives it
        (``"critical_value"``); the number of ended nodes (``"reduced_error"``).
    n_leaves : array of int
        Leaves of the tree of each step.
    training_error : array
        Error of each step on the rows the tree was grown from.
    pruning, validation, cv : Curve or None
        Errors of each step on the rows that choose, on rows that only judge, and in cross-validation, with standard errors.
    chosen : int or None
        The step that was taken.
    """

    method: str
    tree: Tree
    alpha: Floats
    n_leaves: NDArray[np.int64]
    training_error: Floats
    pruning: Curve | None
    validation: Curve | None
    cv: Curve | None
    _step: NDArray[np.int64]  # by node: the first step at which it is a leaf, or gone
    chosen: int | None = None

    def __len__(self) -> int:
        return len(self.alpha)

    def tree_at(self, step: int) -> Tree:
        """Return the tree of a step."""
        if not -len(self) <= step < len(self):
            raise IndexError(f"step {step} does not exist: the path has steps 0 to {len(self) - 1}")
        return self.tree._cut((self._step <= step % len(self)).astype(np.uint8))

    @property
    def node_steps(self) -> NDArray[np.int64]:
        """By node of the whole tree: the first step at which it is a leaf, or gone. One pass draws the tree of any step."""
        return self._step

    @property
    def chooser(self) -> str:
        """The rows a rule goes by: "cv" if there was cross-validation, else "pruning", else "validation"."""
        for name in ("cv", "pruning", "validation"):
            if getattr(self, name) is not None:
                return name
        raise ValueError("this path has training errors only, by which the largest tree is best: pass rows, or folds=")

    def choose(self, rule: str = "best") -> int:
        """Return the step a rule takes, by ``chooser``: "best", or "1se" for the smallest tree within a standard error."""
        curve: Curve = getattr(self, self.chooser)
        return curve.step(rule)

    def with_chosen(self, step: int) -> PruningPath:
        """Return the same path with a step marked as taken."""
        return replace(self, chosen=step)

    def overfitting(self, step: int = 0, by: str | None = None) -> Overfitting:
        """Say whether the tree of a step over-fits, as Mitchell defines it.

        Parameters
        ----------
        step : int, default 0
            The tree in question; 0 is the whole one.
        by : {"cv", "validation", "pruning"}, optional
            By which errors; the first of these that there are.
        """
        if by is None:
            by = next((name for name in ("cv", "validation", "pruning") if getattr(self, name) is not None), self.chooser)
        curve = getattr(self, parts.check_name("by", by, ("cv", "validation", "pruning")))
        if curve is None:
            raise ValueError(f"this path has no {by} errors")
        error, training = curve.error, self.training_error
        worse = (error < error[step]) & (training > training[step])
        overfits = bool(worse.any())
        best = int(np.flatnonzero(worse & (error <= error[worse].min()))[-1]) if overfits else step
        return Overfitting(
            overfits,
            by,
            int(self.n_leaves[step]),
            float(training[step]),
            float(error[step]),
            best if overfits else None,
            int(self.n_leaves[best]),
            float(training[best]),
            float(error[best]),
        )

    def as_dict(self) -> dict[str, NDArray[Any]]:
        """The path as a table: one entry a step in every column."""
        table: dict[str, NDArray[Any]] = {
            "step": np.arange(len(self)),
            "n_leaves": self.n_leaves,
            "alpha": self.alpha,
            "training_error": self.training_error,
        }
        for name in ("pruning", "validation", "cv"):
            curve = getattr(self, name)
            if curve is not None:
                table[f"{name}_error"], table[f"{name}_se"] = curve.error, curve.se
        return table

    def __str__(self) -> str:
        """The table, its middle left out where it is long; ``*`` marks the step that was taken."""
        table = self.as_dict()
        shown = list(range(len(self)))
        if len(shown) > 24:
            shown = sorted({*shown[:12], *shown[-12:], *([] if self.chosen is None else [self.chosen])})
        columns = [
            [name.replace("_", " "), *(format(column[step], "g" if column.dtype.kind == "i" else ".4g") for step in shown)]
            for name, column in table.items()
        ]
        marks = [" ", *("*" if step == self.chosen else " " for step in shown)]
        widths = [max(map(len, column)) for column in columns]
        rows = zip(*columns, strict=True)
        lines = ["  ".join([mark, *map(str.rjust, row, widths)]) for mark, row in zip(marks, rows, strict=True)]
        for i in range(len(shown) - 1, 0, -1):
            if (left_out := shown[i] - shown[i - 1] - 1) > 0:
                lines.insert(i + 1, f"   … {left_out} more")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<PruningPath: {self.method}, {len(self)} trees of {self.n_leaves[0]} to {self.n_leaves[-1]} leaves>"


def steps_of(keys: Floats, rounding: float) -> Floats:
    """The different keys, ascending. Those that sums in another order set apart are one, the largest: there all of them end."""
    values = np.unique(keys)
    return values[np.append(np.diff(values) > rounding * values[1:], True)[: len(values)]]


def step_sums(step: NDArray[np.int64], parent: NDArray[np.int32], values: Floats, n_steps: int) -> Floats:
    """Sum a value of nodes over the leaves of the tree of each step. ``step`` never rises from a node to one below it."""
    # A node is a leaf from its own step on, until its parent is one.
    comes = np.bincount(step, weights=values, minlength=n_steps + 1)
    goes = np.bincount(step[parent[1:]], weights=values[1:], minlength=n_steps + 1)
    return np.cumsum((comes - goes)[:n_steps])


def make_path(
    method: str,
    tree: Tree,
    keys: Floats,
    own: Floats,
    pruning: Losses | None,
    validation: Losses | None,
    above: bool = False,
) -> PruningPath:
    """The path along which nodes end in the order of their keys, which never rise from a node to one below it; infinite: never.

    A step is called by the key at which its last nodes end; ``above``: nodes end above their keys, so it is called by the next.
    """
    inner, parent = ~tree.node_columns.is_leaf, tree.node_columns.parent
    reached = keys[inner & np.isfinite(keys)]
    values = np.unique(reached) if above else steps_of(reached, 1e-12)
    step = np.where(inner, np.searchsorted(values, keys) + 1, 0)
    alpha = np.append(np.unique(keys[inner]), np.inf) if above else np.concatenate([[0.0], values])
    n_steps = len(values) + 1

    def curve(losses: Losses | None) -> Curve | None:
        if losses is None:
            return None
        loss, square = (step_sums(step, parent, sums, n_steps) for sums in (losses.loss, losses.square))
        return Curve.of(loss, square, float(losses.weight[0]), losses.row_weight)

    weight = tree.root.weight
    training = np.maximum(step_sums(step, parent, own, n_steps), 0.0) / weight
    leaves = step_sums(step, parent, np.ones(tree.n_nodes), n_steps).astype(np.int64)
    return PruningPath(method, tree, alpha, leaves, training, curve(pruning), curve(validation), None, step)
