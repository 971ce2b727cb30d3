"""Tables behind textbook figures: impurity of two classes, and how often a committee of independent members is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import out_of_range, unknown

TIES = ("half", "right", "wrong")


def impurity_curves(n: int = 201) -> dict[str, NDArray[np.float64]]:
    """Impurity of two classes by the share ``p`` of the first: entropy in bits, Gini, error."""
    p = np.arange(n) / (n - 1)
    q = p[::-1]  # 1 - p, exactly symmetric
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(p > 0, p * np.log2(p), 0.0) - np.where(q > 0, q * np.log2(q), 0.0)
    return {"p": p, "entropy": entropy + 0.0, "gini": 2 * p * q, "error": np.minimum(p, q)}


def vote_errors(members: int, error: float) -> NDArray[np.float64]:
    """Probability that exactly 0, 1, ... of so many independent members err, each with the same probability."""
    if not isinstance(members, int) or members < 1:
        raise out_of_range("members", members, "a whole number from 1 up")
    if not 0 <= error <= 1:
        raise out_of_range("error", error, "a probability")
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(members + 1), members, error))


def binomial_vote(n: Any, p: Any, *, ties: str = "half") -> Any:
    """Probability that the majority of independent voters is right, each of whom is right with the same probability.

    Exact to about twelve digits for any number of voters, by the incomplete beta function: nothing is summed, and nothing
    overflows. :func:`plot_votes` draws the distribution behind it, by the probability to err.

    Parameters
    ----------
    n : int or array of int
        How many voters.
    p : float or array of float
        The probability that a voter is right; combined with ``n`` as NumPy combines arrays.
    ties : {"half", "right", "wrong"}, default "half"
        What half of an even number of voters is worth: a fair coin decides, so that it counts half; or a tie is right, or wrong.

    Returns
    -------
    float or array of float
        A number where both are numbers.

    Examples
    --------
    >>> import treewright as tw
    >>> round(1 - tw.binomial_vote(21, 0.7), 6)
    0.02639
    >>> tw.binomial_vote([1, 3, 5], 0.6).round(3)
    array([0.6  , 0.648, 0.683])
    """
    from scipy.special import betainc

    voters, right = np.asarray(n), np.asarray(p)
    if voters.dtype.kind not in "iu" or np.any(voters < 1):
        raise out_of_range("n", n, "a whole number of voters from 1 up, or an array of them")
    if right.dtype.kind not in "iuf" or not np.all((right >= 0) & (right <= 1)):
        raise out_of_range("p", p, "a probability, or an array of them")
    if ties not in TIES:
        raise unknown("ties", ties, TIES)
    # P(at least k of n) = I_p(k, n - k + 1). With a coin for ties an even number of voters does as well as one voter fewer.
    half = voters // 2
    enough, lack = (voters + 1) // 2, (voters + 1) // 2
    if ties != "half":
        enough = half if ties == "right" else half + 1
        enough = np.where(voters % 2 == 1, half + 1, enough)
        lack = voters - enough + 1
    found = betainc(enough.astype(float), lack.astype(float), right.astype(float))
    return float(found) if found.ndim == 0 else found
