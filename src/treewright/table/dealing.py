"""Rows dealt out, for folds inside a learner: by what stands in them and the number of the copy, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.keys import mixed

Whole = NDArray[np.int64]

MANY = 2**20  # copies that are dealt one by one in any case


@dataclass(frozen=True)
class Dealt:
    """Where rows went: one entry for each fold that holds copies of a row. Of equal rows the first may stand for all."""

    row: Whole
    fold: Whole
    weight: NDArray[np.float64] | None  # None: 1 each

    def of(self, fold: int) -> tuple[Whole, NDArray[np.float64] | None]:
        """The rows of a fold and what they weigh there."""
        here = self.fold == fold
        return self.row[here], None if self.weight is None else self.weight[here]


def deal(keys: NDArray[np.uint64], weights: NDArray[Any] | None, classes: NDArray[Any] | None, k: int) -> Dealt:
    """Deal rows out to folds in turn, class by class.

    ``keys`` tell what stands in the rows (see ``row_keys``). Where all weights are whole a row of weight 2 is the row twice, and
    every copy is dealt by itself; otherwise a row is one copy, and equal rows are told apart by their weights.
    """
    copies = _copies(keys, weights, classes)
    return copies.to(np.arange(len(copies.row)) % k)


def hold_out(keys: NDArray[np.uint64], weights: NDArray[Any] | None, classes: NDArray[Any] | None, share: float) -> Dealt:
    """Deal out about this share of every class by weight to fold 0, the others to fold 1; copies are dealt as by ``deal``.

    A class of one copy goes to fold 1.
    """
    copies = _copies(keys, weights, classes)
    total = np.bincount(copies.of_class, weights=copies.weight)
    before = np.cumsum(copies.weight) - copies.weight - (np.cumsum(total) - total)[copies.of_class]
    # Sums of weights in another order may differ in their last bits.
    held = before + copies.weight / 2 < share * total[copies.of_class] * (1 - 1e-9)
    return copies.to(np.where(held, 0, 1))


@dataclass(frozen=True)
class _Copies:
    """Copies of rows in the order in which they are dealt: by class, then as their keys and numbers fall."""

    row: Whole
    weight: NDArray[np.float64]
    of_class: Whole

    def to(self, fold: Whole) -> Dealt:
        """Copies of a row that went to the same fold, counted together, in the order of the rows."""
        width = int(fold.max(initial=0)) + 1
        place, which = np.unique(self.row * width + fold, return_inverse=True)
        weight = np.asarray(np.bincount(which, weights=self.weight), np.float64)
        return Dealt(place // width, place % width, None if np.all(weight == 1) else weight)


def _copies(keys: NDArray[np.uint64], weights: NDArray[Any] | None, classes: NDArray[Any] | None) -> _Copies:
    weight = np.ones(len(keys)) if weights is None else np.asarray(weights, np.float64)
    label = np.zeros(len(keys), np.int64) if classes is None else np.asarray(classes, np.int64)
    row = np.lexsort((weight, keys, label))
    key, label, weight = keys[row], label[row], weight[row]
    first = np.ones(len(row), bool)
    first[1:] = (key[1:] != key[:-1]) | (label[1:] != label[:-1])
    start, group = np.flatnonzero(first), np.cumsum(first) - 1
    number = np.arange(len(row)) - start[group]
    if np.all(weight == np.floor(weight)):
        total = np.bincount(group, weights=weight)
        # Of very many copies several go together: equal rows are then as many bundles, however their weights were given.
        size = max(1.0, np.ceil(total.sum() / max(MANY, 4 * len(total))))
        count = np.ceil(total / size).astype(np.int64)
        group = np.repeat(np.arange(len(total)), count)
        number = np.arange(len(group)) - (np.cumsum(count) - count)[group]
        weight = np.minimum(size, total[group] - number * size)
        row, key, label = row[start][group], key[start][group], label[start][group]
    order = np.lexsort((mixed(key, number.astype(np.uint64)), label))
    return _Copies(row[order], weight[order], label[order])
