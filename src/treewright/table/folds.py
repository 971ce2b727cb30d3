"""Rows divided into folds for cross-validation: by a number, by the numbers of the folds, or by a scikit-learn splitter."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreewrightWarning, as_float, out_of_range, outside, shown

Whole = NDArray[np.int64]


def shuffled_folds(n_rows: int, k: int, classes: NDArray[Any] | None, seed: int) -> Whole:
    """The fold of every row: shuffled, then assigned class by class, so that folds differ by at most one row of a class."""
    order = np.random.default_rng(seed).permutation(n_rows)
    if classes is not None:
        order = order[np.argsort(np.asarray(classes)[order], kind="stable")]
    fold = np.empty(n_rows, np.int64)
    fold[order] = np.arange(n_rows) % k
    return fold


def label_keys(labels: Sequence[Any]) -> NDArray[np.uint64]:
    """A number per label that depends on the label alone, wherever it was declared; after the last that of a missing one."""
    texts = (repr(as_float(label)) if isinstance(label, Real) and not isinstance(label, bool) else str(label) for label in labels)
    keys = [int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) for text in texts]
    return np.array([*keys, 0], np.uint64)


def row_keys(arrays: Sequence[NDArray[Any]], target: NDArray[Any], seed: int) -> NDArray[np.uint64]:
    """A number per row that depends on the seed and on the cells of the row, not on its index.

    Columns of labels are given by the keys of their labels.
    """
    key = np.full(len(target), (seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) % 2**64, np.uint64)
    for array in [*arrays, target]:
        for column in array.T if array.ndim == 2 else [array]:
            if column.dtype != np.uint64:
                values = column.astype(np.float64) + 0.0  # one zero
                values[np.isnan(values)] = np.nan  # and one NaN
                column = values.view(np.uint64)
            key = (key ^ column) * np.uint64(0xBF58476D1CE4E5B9)
            key ^= key >> np.uint64(29)
    return key * np.uint64(0x94D049BB133111EB)


def held_out_rows(keys: NDArray[np.uint64], weights: NDArray[Any] | None, classes: NDArray[Any] | None, share: float) -> Any:
    """Which rows are held out: about this share of every class by weight, in the order of their keys.

    Equal rows stay together, so that weight 2 is the same as the row twice; a class of one row stays with the training rows.
    """
    groups = _grouped(keys, weights, classes)
    total = np.bincount(groups.of_class, weights=groups.weight)
    before = np.cumsum(groups.weight) - groups.weight
    before -= (np.cumsum(total) - total)[groups.of_class]
    # Sums of weights in another order may differ in their last bits.
    return groups.by_row(before + groups.weight / 2 < share * total[groups.of_class] * (1 - 1e-9))


@dataclass(frozen=True)
class Dealt:
    """Rows dealt into folds: one entry for each fold that holds copies of a row."""

    row: Whole
    fold: Whole
    weight: NDArray[np.float64] | None  # None: 1 each


def deal(keys: NDArray[np.uint64], weights: NDArray[Any] | None, classes: NDArray[Any] | None, k: int) -> Dealt:
    """Deal rows into folds in turn, class by class in the order of their keys.

    Where all weights are whole numbers a row of weight w is w copies, and equal rows follow each other: weight 2 is the row
    twice, and copies lie in as many folds as there are. Otherwise a row is one copy, and equal ones follow each other by weight.
    """
    n = len(keys)
    label = np.zeros(n, np.int64) if classes is None else np.asarray(classes, np.int64)
    weight = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    order = np.lexsort((weight, keys, label))
    copies = weight.astype(np.int64) if np.all(weight == np.floor(weight)) else np.ones(n, np.int64)
    first = np.empty(n, np.int64)  # the turn of the first copy
    first[order] = np.cumsum(copies[order]) - copies[order]
    if np.all(copies == 1):
        return Dealt(np.arange(n), first % k, weights)
    held = copies[:, None] // k + ((np.arange(k) - first[:, None]) % k < copies[:, None] % k)
    row, fold = np.nonzero(held)
    count = held[row, fold].astype(np.float64)
    return Dealt(row, fold, None if np.all(count == 1) else count)


@dataclass(frozen=True)
class _EqualRows:
    """Groups of equal rows of a class, in the order of class and key."""

    order: Whole
    group: Whole  # of the rows in this order
    weight: NDArray[np.float64]  # per group
    of_class: Whole

    def by_row(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of groups as values of their rows."""
        out = np.empty(len(self.order), values.dtype)
        out[self.order] = values[self.group]
        return out


def _grouped(keys: NDArray[np.uint64], weights: NDArray[Any] | None, classes: NDArray[Any] | None) -> _EqualRows:
    label = np.zeros(len(keys), np.int64) if classes is None else np.asarray(classes, np.int64)
    weight = np.ones(len(keys)) if weights is None else np.asarray(weights, np.float64)
    order = np.lexsort((keys, label))
    first = np.ones(len(keys), bool)
    first[1:] = (keys[order][1:] != keys[order][:-1]) | (label[order][1:] != label[order][:-1])
    group = np.cumsum(first) - 1
    return _EqualRows(order, group, np.asarray(np.bincount(group, weights=weight[order]), np.float64), label[order][first])


def fold_rows(
    folds: Any, n_rows: int, classes: NDArray[Any] | None, seed: int = 0, kept: NDArray[Any] | None = None, X: Any = None
) -> list[tuple[Whole, Whole]]:
    """Return the training rows and the test rows, ascending, of every fold.

    Parameters
    ----------
    folds : int, array of numbers, or splitter
        How many folds; the fold of every row; or an object with scikit-learn's ``split``.
    n_rows : int
        Rows there are.
    classes : array or None
        Class of every row, by which folds are balanced.
    seed : int
        Decides which rows go together.
    kept : array of bool, optional
        Which of the caller's rows these are, where ``folds`` has an entry for each of the caller's rows.
    X : table, optional
        What a splitter is shown.
    """
    if isinstance(folds, (int, np.integer)) and not isinstance(folds, bool):
        return _numbered(shuffled_folds(n_rows, _count(int(folds), n_rows, classes), classes, seed))
    if hasattr(folds, "split") and not isinstance(folds, (str, np.ndarray)):
        shown_rows = np.zeros((n_rows, 1)) if X is None else X
        return [(np.sort(train), np.sort(test)) for train, test in folds.split(shown_rows, classes)]
    try:
        numbers = np.asarray(folds)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(f"folds={shown(folds)} must be a number of folds, a whole number per row, or a splitter") from None
    if kept is not None and len(numbers) == len(kept):
        numbers = numbers[kept]
    if len(numbers) != n_rows:
        raise ValueError(f"folds has {len(numbers)} entries, there are {n_rows} rows")
    if len(np.unique(numbers)) < 2:
        raise ValueError("folds must hold at least two different numbers")
    return _numbered(numbers.astype(np.int64))


def _numbered(fold: Whole) -> list[tuple[Whole, Whole]]:
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]


def _count(k: int, n_rows: int, classes: NDArray[Any] | None) -> int:
    if k < 2:
        raise out_of_range("folds", k, "a whole number from 2 up")
    if n_rows < 2:
        raise ValueError("cross-validation needs at least 2 rows")
    if k > n_rows:
        warnings.warn(f"folds={k} is more than the {n_rows} rows: every row is a fold", TreewrightWarning, stacklevel=outside())
        k = n_rows
    if classes is not None:
        rare = int(np.unique(classes, return_counts=True)[1].min())
        if rare < k:
            warnings.warn(
                f"the smallest class has {rare} row{'s'[: rare > 1]}, fewer than folds={k}: some folds have none of it",
                TreewrightWarning,
                stacklevel=outside(),
            )
    return k
