"""Row 158: independent voters that err with 30 %, and when their majority does."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.show.curves import vote_errors

WORTH = {"half": Fraction(1, 2), "right": Fraction(1), "wrong": Fraction(0)}


def test_the_figures_of_the_course() -> None:
    assert 1 - tw.binomial_vote(21, 0.7) == pytest.approx(0.026390, abs=5e-7)
    assert 0.3 / (1 - tw.binomial_vote(21, 0.7)) == pytest.approx(11.4, abs=0.05)
    assert tw.binomial_vote(11, 0.3) == pytest.approx(0.078225, abs=5e-7)
    assert type(tw.binomial_vote(11, 0.3)) is float
    assert tw.binomial_vote(21, 0.3) == pytest.approx(float(vote_errors(21, 0.3)[11:].sum()), rel=1e-12)


@pytest.mark.parametrize("ties", WORTH)
def test_every_small_vote_is_a_sum(ties: str) -> None:
    for n in range(1, 14):
        for share in (0.0, 0.125, 0.3, 0.5, 0.7, 1.0):
            p = Fraction(share)
            chances = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
            worth = [Fraction(2 * k > n) if 2 * k != n else WORTH[ties] for k in range(n + 1)]
            exact = sum((c * w for c, w in zip(chances, worth, strict=True)), Fraction(0))
            assert tw.binomial_vote(n, share, ties=ties) == pytest.approx(float(exact), rel=1e-13, abs=1e-300)


@pytest.mark.parametrize(("n", "p"), [(1001, 0.49), (1001, 0.3), (100_001, 0.49), (100_001, 0.505)])
def test_large_votes_to_many_digits(n: int, p: float) -> None:
    with localcontext() as context:
        context.prec = 50
        right = Decimal(p)
        k = n // 2 + 1
        chance = Decimal(comb(n, k)) * right**k * (1 - right) ** (n - k)
        total = Decimal(0)
        while k <= n and chance > total * Decimal("1e-30"):
            total += chance
            chance *= Decimal(n - k) / (k + 1) * right / (1 - right)
            k += 1
    assert tw.binomial_vote(n, p) == pytest.approx(float(total), rel=1e-12)


def test_arrays_are_combined() -> None:
    grid = tw.binomial_vote(np.arange(1, 100, 2)[:, None], np.linspace(0, 1, 11))
    assert grid.shape == (50, 11) and np.all((grid >= 0) & (grid <= 1))
    assert np.all(np.diff(grid, axis=1) >= 0)  # better voters
    assert np.all(np.diff(grid[:, 6:], axis=0) >= 0) and np.all(np.diff(grid[:, :5], axis=0) <= 0)  # more of them (Condorcet)
    assert grid[:, 5] == pytest.approx(0.5)
    assert isinstance(tw.binomial_vote(3, 0.6), float)
    assert tw.binomial_vote(100_000, 0.7) == tw.binomial_vote(99_999, 0.7) == 1.0


def test_many_members_can_be_drawn() -> None:
    chances = vote_errors(100_000, 0.49)
    assert chances.sum() == pytest.approx(1.0)
    assert chances[50_001:].sum() == pytest.approx(tw.binomial_vote(100_000, 0.49, ties="wrong"))


@pytest.mark.parametrize(
    ("n", "p", "ties", "message"),
    [
        (0, 0.5, "half", "n=0 is not allowed"),
        (2.5, 0.5, "half", "n=2.5 is not allowed"),
        (True, 0.5, "half", "n=True is not allowed"),
        (3, 1.5, "half", "p=1.5 is not allowed"),
        (3, float("nan"), "half", "p=nan is not allowed"),
        (3, "a", "half", "p='a' is not allowed"),
        (3, 0.5, "coin", "ties 'coin' is unknown"),
    ],
)
def test_wrong_requests_are_answered(n: Any, p: Any, ties: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tw.binomial_vote(n, p, ties=ties)
