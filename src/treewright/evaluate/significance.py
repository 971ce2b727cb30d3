"""Tests of whether two models differ, by their scores on the same folds or their errors on the same rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, fdtrc, stdtr, stdtrit

Floats = NDArray[np.float64]


def corrected_error(scores: Floats, ratio: float) -> float:
    """Standard error of the mean of scores whose training rows overlap (Nadeau and Bengio 2003).

    Scores of folds are not independent: the variance of their mean is (1/n + ratio) times that of a score, where ``ratio`` is the
    number of test rows over that of training rows. The textbook's 1/n alone makes intervals far too narrow.
    """
    if len(scores) < 2:
        return math.nan
    # Around one of them: equal scores vary by nothing, not by what rounding leaves of their mean.
    return math.sqrt((1 / len(scores) + ratio) * float(np.var(scores - scores[0], ddof=1)))


def half_width(error: float, n: int, confidence: float) -> float:
    """How far an interval reaches to either side of a mean of ``n`` scores with that standard error."""
    return float(stdtrit(n - 1, (1 + confidence) / 2)) * error if n > 1 else math.nan


def corrected_t(differences: Floats, ratio: float) -> tuple[float, float]:
    """Corrected resampled paired t test (Nadeau and Bengio 2003): t and its two-sided p-value.

    Parameters
    ----------
    differences : array
        Score of the first model less that of the second, a fold each.
    ratio : float
        Test rows over training rows of a fold.
    """
    mean, error = float(np.mean(differences)), corrected_error(differences, ratio)
    if _nothing(differences):
        return 0.0, 1.0
    if error <= 1e-12 * abs(mean):  # the same in every fold
        return math.copysign(math.inf, mean), 0.0
    t = mean / error
    return t, float(2 * stdtr(len(differences) - 1, -abs(t)))


def combined_f(differences: Floats) -> tuple[float, float]:
    """Combined 5x2cv F test (Alpaydin 1999): F and its p-value.

    Parameters
    ----------
    differences : array of shape (5, 2)
        Score of the first model less that of the second: five repeats of two folds.
    """
    if _nothing(differences):
        return 0.0, 1.0
    squares = float(np.sum(differences**2))
    spread = float(np.sum((differences - differences.mean(axis=1, keepdims=True)) ** 2))
    if spread <= 1e-24 * squares:
        return math.inf, 0.0
    f = squares / (2 * spread)
    return f, float(fdtrc(10, 5, f))


def least_p(n_rows: int) -> float:
    """The least p-value that rows can bring about: if models are equally good, each row favours either as a fair coin falls.

    Tests of scores take folds for many independent draws, and are surer of few rows than these can make anyone.
    """
    return 2.0 ** (1 - n_rows)


def mcnemar(first: int, second: int) -> float:
    """McNemar's test: the two-sided p-value, exact by the binomial distribution for any number of rows.

    Parameters
    ----------
    first, second : int
        Rows that only the first, and only the second model has right. Where the models are equally good, either is as likely.
    """
    n, fewer = first + second, min(first, second)
    # P(at most `fewer` of n fair coins), an incomplete beta function.
    return 1.0 if first == second else min(1.0, 2 * float(betainc(n - fewer, fewer + 1, 0.5)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number (Holm 1979).

    If those below 0.05 are called differences, the chance that any of them is none is at most 5 %, however many are tested.
    """
    order = np.argsort(p_values, kind="stable")
    out, least = [1.0] * len(p_values), 0.0
    for rank, at in enumerate(order.tolist()):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[at]))
        out[at] = least
    return out


def _nothing(differences: Floats) -> bool:
    return not np.any(differences)
