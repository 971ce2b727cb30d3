"""Rows divided into folds for cross-validation: by a number, by the numbers of the folds, or by a scikit-learn splitter."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreewrightWarning, out_of_range, outside, shown

Whole = NDArray[np.int64]


def shuffled_folds(n_rows: int, k: int, classes: NDArray[Any] | None, seed: int) -> Whole:
    """The fold of every row: shuffled, then assigned class by class, so that folds differ by at most one row of a class."""
    order = np.random.default_rng(seed).permutation(n_rows)
    if classes is not None:
        order = order[np.argsort(np.asarray(classes)[order], kind="stable")]
    fold = np.empty(n_rows, np.int64)
    fold[order] = np.arange(n_rows) % k
    return fold


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
        raise ValueError("cross-validation needs at least 2 rows: n_samples=1")
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
