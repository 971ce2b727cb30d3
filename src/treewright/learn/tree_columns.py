"""What a tree knows, used by other learners: the columns it tests, and how many rows its leaves hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.learn.c45 import C45Learner, C45Parameters
from treewright.learn.learner import Learned, Learner
from treewright.learn.neighbors import Neighbors
from treewright.learn.reptree import REPTreeRegressorLearner, REPTreeRegressorParameters
from treewright.learn.training import count_rows
from treewright.learn.tree import TreeLearner
from treewright.learn.values import whole
from treewright.model import Tree
from treewright.model.rules import by_column
from treewright.store.damage import need
from treewright.table import read_cells
from treewright.table.streams import as_table
from treewright.table.weights import read_weights


@dataclass(eq=False, repr=False)
class TreeColumnsParameters:
    """Parameters of ``TreeColumns``, which describes them."""

    estimator: Any = None


@dataclass(eq=False, repr=False)
class TreeNeighborsParameters:
    """Parameters of ``TreeNeighborsClassifier``, which describes them."""

    estimator: Any = None
    n_neighbors: int | None = None


P = TypeVar("P", bound=TreeColumnsParameters | TreeNeighborsParameters)


class ColumnsLearner(Learner[P]):
    """What both share: a tree, of an estimator that is fitted or grown here, and the columns it tests."""

    holds = "tree_"
    stored: ClassVar[dict[str, str]] = {**Learner.stored, "tree_": "tree", "columns_": "value"}

    def default(self, y: Any) -> TreeLearner[Any]:
        """The learner that grows the tree where no estimator is given."""
        return C45Learner(C45Parameters())

    def tree(self, X: Any, y: Any, sample_weight: Any) -> Tree:
        """The tree of a fitted estimator, or one that is grown here."""
        estimator = self.params.estimator
        tree = self.default(y).learn(X, y, sample_weight).model if estimator is None else getattr(estimator, "tree_", None)
        if not isinstance(tree, Tree):
            raise TypeError(
                f"estimator must grow a tree of this package, such as C45Classifier(), not {type(estimator).__name__}"
            )
        return tree

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        need(learned, "tree_" in learned and "columns_" in learned, "it has no 'tree_' or no 'columns_'")
        width, columns = len(learned["tree_"].columns), learned["columns_"]
        own = learned["n_features_in_"]
        need(width, width == own, f"its tree is over {width} columns instead of {own}")
        numbers = isinstance(columns, list) and all(type(j) is int and 0 <= j < width for j in columns)
        need(columns, numbers and sorted(set(columns)) == columns, "columns_ are no columns of its tree")


class TreeColumnsLearner(ColumnsLearner[TreeColumnsParameters]):
    """Keeps the columns that a tree tests."""

    name = "TreeColumns"
    Parameters = TreeColumnsParameters

    def default(self, y: Any) -> TreeLearner[Any]:
        """C4.5 for classes, REPTree for numbers that are not whole."""
        if y is None:
            raise ValueError(
                "TreeColumns requires y to be passed, but the target y is None: it keeps the columns that tell y apart"
            )
        from sklearn.utils.multiclass import type_of_target

        if type_of_target(y, input_name="y").startswith("continuous"):
            return REPTreeRegressorLearner(REPTreeRegressorParameters())
        return super().default(y)

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Learned:
        """Note which columns the tree tests."""
        X = as_table(X)
        count_rows(X)
        tree = self.tree(X, y, sample_weight)
        return Learned(tree, {"columns_": tested_columns(tree)})


class TreeNeighborsLearner(ColumnsLearner[TreeNeighborsParameters]):
    """Nearest neighbours in the columns that a tree tests."""

    name = "TreeNeighborsClassifier"
    Parameters = TreeNeighborsParameters
    stored: ClassVar[dict[str, str]] = {
        **ColumnsLearner.stored,
        **dict.fromkeys(("n_neighbors_", "classes_", "points_", "answers_", "weights_", "centre_", "scale_"), "value"),
    }

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Learned:
        """Keep the rows as points, and how many neighbours vote."""
        from sklearn.utils.validation import column_or_1d

        X = as_table(X)
        n_rows = count_rows(X)
        tree = self.tree(X, y, sample_weight)
        wanted = None if self.params.n_neighbors is None else whole("n_neighbors", self.params.n_neighbors, 1)
        read = read_weights(sample_weight, n_rows)
        kept = slice(None) if read.keep is None else read.keep
        weights = np.ones(n_rows)[kept] if read.counted is None else read.counted
        total = float(weights.sum())
        columns = tested_columns(tree)
        numbers = numbers_of(X, tree, columns)[kept]
        centre, scale = _means(numbers, weights), _spreads(numbers, weights)
        points = points_of(X, tree, columns, centre, scale)[kept]
        classes, places = np.unique(column_or_1d(y, warn=True)[kept], return_inverse=True)
        facts = {
            "columns_": columns,
            "n_neighbors_": max(1, min(round(total / tree.n_leaves) if wanted is None else wanted, math.floor(total))),
            "classes_": classes,
            "points_": points,
            "answers_": places.astype(np.int64),
            "weights_": weights,
            "centre_": centre,
            "scale_": scale,
        }
        return Learned(tree, facts)

    def predict(self, learned: dict[str, Any], X: Any) -> NDArray[Any]:
        """The most frequent class among the neighbours of every row."""
        return Votes(learned).labels(X)

    def shares(self, learned: dict[str, Any], X: Any) -> NDArray[np.float64]:
        """Share of every class among the neighbours, sorted."""
        return Votes(learned).shares(X)

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        for name in ("n_neighbors_", "classes_", "points_", "answers_", "weights_", "centre_", "scale_"):
            need(name, name in learned, f"it has no {name!r}")
        tested = [learned["tree_"].columns[j] for j in learned["columns_"]]
        width = sum(len(column.levels) + 1 if column.nominal else 1 for column in tested)
        plain = sum(not column.nominal for column in tested)
        for name, kind in (
            ("points_", np.float64),
            ("answers_", np.int64),
            ("weights_", np.float64),
            ("centre_", np.float64),
            ("scale_", np.float64),
        ):
            value = learned[name]
            fits = isinstance(value, np.ndarray) and value.dtype == kind and bool(np.all(np.isfinite(value)))
            need(name, fits, f"{name} is no array of numbers")
        points, answers, weights = learned["points_"], learned["answers_"], learned["weights_"]
        centre, scale, classes, k = (learned[name] for name in ("centre_", "scale_", "classes_", "n_neighbors_"))
        need(points, points.ndim == 2 and points.shape[1] == width, "points_ do not fit its columns")
        need(answers, answers.shape == (len(points),), "answers_ are not those of its points")
        fits = weights.shape == (len(points),) and bool(np.all(weights > 0))
        need(weights, len(points) > 0 and fits, "weights_ are not those of its points")
        need(scale, centre.shape == scale.shape == (plain,) and bool(np.all(scale > 0)), "its scale is damaged")
        need(classes, isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0, "its classes are damaged")
        need(answers, bool(np.all((answers >= 0) & (answers < len(classes)))), "answers_ are no classes")
        need(k, type(k) is int and 1 <= k <= max(1.0, float(weights.sum())), "n_neighbors_ is not a number of its points")


class Votes:
    """What the neighbours of rows answer, made of what was learned; the search for neighbours is made ready once."""

    def __init__(self, learned: dict[str, Any]) -> None:
        self.tree, self.columns, self.classes = learned["tree_"], learned["columns_"], learned["classes_"]
        self.centre, self.scale = learned["centre_"], learned["scale_"]
        points, answers, weights = learned["points_"], learned["answers_"], learned["weights_"]
        self.neighbors = Neighbors(points, answers, weights, learned["n_neighbors_"], len(self.classes))

    def shares(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the neighbours, the classes sorted."""
        return self.neighbors.shares(points_of(X, self.tree, self.columns, self.centre, self.scale))

    def labels(self, X: Any) -> NDArray[Any]:
        """The most frequent class among the neighbours of every row."""
        return np.asarray(self.classes[np.argmax(self.shares(X), axis=1)])


def tested_columns(tree: Tree) -> list[int]:
    """Positions of the columns a tree tests, in table order; all columns if it tests none."""
    return [tree.schema.names.index(name) for name in tree.used_columns] or list(range(len(tree.columns)))


def numbers_of(X: Any, tree: Tree, columns: list[int]) -> NDArray[np.float64]:
    """The numeric ones of some columns, as a matrix."""
    cells = by_column(read_cells(X, tree.schema)[0])
    chosen = [cells[j].astype(np.float64) for j in columns if not tree.columns[j].nominal]
    return np.column_stack(chosen) if chosen else np.empty((len(cells[0]), 0))


def points_of(
    X: Any, tree: Tree, columns: list[int], centre: NDArray[np.float64], scale: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The rows as points whose distances are those of the tested columns."""
    cells = by_column(read_cells(X, tree.schema)[0])
    numbers = (numbers_of(X, tree, columns) - centre) / scale
    coordinates = [np.where(np.isnan(numbers), 0.0, numbers)]
    for j in columns:
        if tree.columns[j].nominal:
            # Levels are corners of a simplex with edges of length 1, and so is what is missing.
            levels = np.arange(-1, len(tree.columns[j].levels))
            coordinates.append((np.maximum(cells[j], -1)[:, None] == levels[None, :]) / np.sqrt(2.0))
    return np.hstack(coordinates)


def _means(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    present = ~np.isnan(numbers) * weights[:, None]
    total = present.sum(axis=0)
    return (np.where(present > 0, numbers, 0.0) * present).sum(axis=0) / np.where(total > 0, total, 1.0)


def _spreads(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    spread: NDArray[np.float64] = np.sqrt(_means((numbers - _means(numbers, weights)) ** 2, weights))
    return np.where(spread > 0, spread, 1.0)
