"""Tests of pairs against their formulas, written down naively, and what they must do where models are equally good."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from treewright.evaluate.significance import combined_f, corrected_error, corrected_t, half_width, holm, mcnemar

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("n", [2, 10, 30])
@pytest.mark.parametrize("ratio", [1 / 9, 1.0])
def test_corrected_t(n: int, ratio: float) -> None:
    differences = RNG.normal(0.01, 0.03, n).tolist()
    mean = sum(differences) / n
    variance = sum((d - mean) ** 2 for d in differences) / (n - 1)
    t = mean / math.sqrt((1 / n + ratio) * variance)
    found, p = corrected_t(np.array(differences), ratio)
    assert found == pytest.approx(t, rel=1e-12)
    assert p == pytest.approx(2 * stats.t.sf(abs(t), n - 1), rel=1e-10)
    reach = half_width(corrected_error(np.array(differences), ratio), n, 1 - p)  # the interval that just reaches 0
    assert reach == pytest.approx(abs(mean), rel=1e-8)


def test_combined_f() -> None:
    differences = RNG.normal(0.02, 0.03, (5, 2)).tolist()
    above = sum(d**2 for repeat in differences for d in repeat)
    below = sum((d - sum(repeat) / 2) ** 2 for repeat in differences for d in repeat)
    f = above / (2 * below)
    found, p = combined_f(np.array(differences))
    assert found == pytest.approx(f, rel=1e-12)
    assert p == pytest.approx(stats.f.sf(f, 10, 5), rel=1e-10)
    assert stats.f.sf(4.735, 10, 5) == pytest.approx(0.05, abs=1e-4)  # the paper's limit


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 1), (0, 1), (5, 0), (3, 9), (40, 22), (1, 200)])
def test_mcnemar_is_a_sum_over_coins(first: int, second: int) -> None:
    n = first + second
    tail = sum((Fraction(math.comb(n, k), 2**n) for k in range(min(first, second) + 1)), Fraction(0))
    assert mcnemar(first, second) == mcnemar(second, first) == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-12)


def test_mcnemar_of_many_rows() -> None:
    assert mcnemar(50_500, 49_500) == pytest.approx(stats.binomtest(49_500, 100_000).pvalue, rel=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_the_closure_of_bonferroni(p: list[float]) -> None:
    """A hypothesis is rejected if every set it is in would be rejected by Bonferroni: its adjusted p is the largest of these."""
    n = len(p)
    for at, found in enumerate(holm(p)):
        sets = [s for k in range(1, n + 1) for s in combinations(range(n), k) if at in s]
        assert found == pytest.approx(max(min(1.0, len(s) * min(p[i] for i in s)) for s in sets), abs=1e-12)


def test_models_that_never_differ_and_that_always_do() -> None:
    same, apart = np.zeros(10), np.full(10, 0.125)
    assert corrected_t(same, 0.1) == (0.0, 1.0) and corrected_t(apart, 0.1) == (math.inf, 0.0)
    assert corrected_t(-apart, 0.1) == (-math.inf, 0.0)
    assert combined_f(same.reshape(5, 2)) == (0.0, 1.0) and combined_f(apart.reshape(5, 2)) == (math.inf, 0.0)
    assert corrected_error(np.full(10, 1 / 3), 0.1) == 0.0
    assert math.isnan(corrected_error(np.array([0.5]), 0.1)) and math.isnan(half_width(0.1, 1, 0.95))


def test_p_values_are_uniform_where_nothing_differs() -> None:
    """Scores of halves that do not overlap are as the tests assume them: each level is exceeded about as often as it says."""
    rng = np.random.default_rng(1)
    p_f, p_t = [], []
    for _ in range(2000):
        p_f.append(combined_f(rng.normal(0, 0.03, (5, 2)))[1])
        # Scores whose training rows overlap: a common part of the variance that the correction stands for.
        common = rng.normal(0, math.sqrt(1 / 9 / (1 + 1 / 9)))
        p_t.append(corrected_t(common + rng.normal(0, math.sqrt(1 / (1 + 1 / 9)), 10), 1 / 9)[1])
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(p_t) < level) == pytest.approx(level, abs=0.06)
        assert np.mean(np.array(p_f) < level) == pytest.approx(level, abs=0.12)
    coins = rng.binomial(60, 0.5, 2000)
    p_m = np.array([mcnemar(int(k), 60 - int(k)) for k in coins])
    assert 0.01 < np.mean(p_m < 0.05) <= 0.06  # exact: never more often than it says, but for chance
