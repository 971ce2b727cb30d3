"""What columns mean to a forest, beyond the fall of impurity: shadows (Nembrini, König and Wright 2018), and permuted cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learn.ensemble import SampledLearner
from treewright.learn.sampling import Samples
from treewright.learn.training import Training
from treewright.model import Tree
from treewright.model.forest import Forest
from treewright.model.importance import importances
from treewright.model.rules import by_column
from treewright.model.ties import winner
from treewright.table.streams import as_table

_SHADOW = 0x5AAD0  # keeps draws of shadows apart from those of rows and columns


def corrected(learner: SampledLearner[Any], X: Any, y: Any, sample_weight: Any = None) -> NDArray[np.float64]:
    """Importances less those of shadows: of every column a copy whose cells are permuted, which a second forest sees, too.

    Columns that tell nothing have the expectation 0, whatever their number of distinct values.
    """
    training = learner.training(as_table(X), y, sample_weight)
    n_columns, n_rows = len(training.columns), len(training.codes)
    cells = by_column(training.arrays)
    shadows = [_permuted(cells[j], learner.seed, j, n_rows) for j in range(n_columns)]
    both = Training(
        [*training.columns, *training.columns],
        [*cells, *shadows],
        training.target,
        training.codes,
        training.weights,
        training.classes,
        factors=training.factors,
        row_weight=training.row_weight,
        named=training.named,
    )
    forest = learner.changed(oob_score=False).learn_from(both).model
    assert isinstance(forest, Forest)
    falls = np.mean([_falls(tree, 2 * n_columns) for tree in forest.trees], axis=0)
    return np.asarray(falls[:n_columns] - falls[n_columns:])


def _falls(tree: Tree, n_columns: int) -> NDArray[np.float64]:
    """The fall of impurity by the splits of every column, per unit of the table's weight."""
    falls, unit = importances(tree.leaf_model.nodes, n_columns, "splits")
    return falls * (unit / float(tree.leaf_model.nodes.weight[0]))


def permuted(
    learner: SampledLearner[Any], forest: Forest, samples: Samples, X: Any, y: Any, sample_weight: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By how much members err more on rows they did not learn from once the cells of a column are permuted among these.

    The mean over members, and its standard error: of the share of rows told a wrong class, or of the mean squared error.
    """
    training = learner.training(as_table(X), y, sample_weight)
    cells = by_column(training.arrays)
    weights = np.ones(len(training.codes)) if training.weights is None else training.weights
    rises: list[list[float]] = []
    for at, member in enumerate(forest.members):
        rows = np.flatnonzero(samples.counts(at) == 0)
        if not len(rows):
            continue
        seen = [array[rows] for array in cells]
        truth, weight = training.codes[rows], weights[rows]

        def error(own: list[NDArray[Any]], truth: Any = truth, weight: Any = weight, member: Any = member) -> float:
            told = learner.combine.answers(member, (own, len(truth)), learner.threads)
            if training.target.classes is not None:
                wrong = (winner(told) != truth).astype(np.float64)
            else:
                wrong = ((told - truth.reshape(told.shape)) ** 2).mean(axis=1)
            return float(np.average(wrong, weights=weight))

        before = error(seen)
        rise = []
        for j in range(len(cells)):
            mixed = list(seen)
            mixed[j] = _permuted(seen[j], learner.seed, j * len(forest) + at, len(rows))
            rise.append(error(mixed) - before)
        rises.append(rise)
    if not rises:
        raise ValueError("every row was drawn for every member, so that none is left to judge them: use a smaller max_samples")
    each = np.array(rises)
    spread = each.std(axis=0, ddof=1) if len(each) > 1 else np.full(each.shape[1], np.nan)
    return each.mean(axis=0), spread / np.sqrt(len(each))


def _permuted(cells: NDArray[Any], seed: int, at: int, n_rows: int) -> NDArray[Any]:
    bits = np.random.PCG64([seed, _SHADOW, at]).random_raw(n_rows)
    return np.ascontiguousarray(cells[np.argsort(bits, kind="stable")])
