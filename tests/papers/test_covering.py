"""Rule induction: rows 121 to 131, and the bit counts of Cohen's and Quinlan's description lengths."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core


def boxes(n: int = 400, noise: float = 0.0) -> tuple[pd.DataFrame, pd.Series]:
    """Two boxes of positives in three numbers and a colour."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 50, (n, 3)), columns=["a", "b", "c"]).astype(float)
    X["colour"] = pd.Categorical.from_codes(rng.integers(0, 3, n), ["red", "green", "blue"])
    y = ((X["a"] <= 20) & (X["b"] >= 25)) | ((X["colour"] == "red") & (X["c"] > 30))
    wrong = rng.random(n) < noise
    return X, pd.Series(np.where(y ^ wrong, "yes", "no"), name="target")


@pytest.mark.parametrize("make", [tw.RipperClassifier, tw.IrepClassifier])
def test_row_121_all_positives_are_covered_without_noise(make: Any) -> None:
    X, y = boxes()
    options = {"prune": False, "rounds": 0} if make is tw.RipperClassifier else {}
    est = make(min_weight=1, **options).fit(X, y)
    held = est.ruleset_.matches(X).any(axis=1)
    minority = est.class_order_[0]
    if options:
        assert np.array_equal(held, (y == minority).to_numpy())
    else:
        assert held[(y == minority).to_numpy()].mean() > 0.9
    assert est.score(X, y) > 0.95


def test_row_122_one_rule_is_grown_to_its_end_before_the_next() -> None:
    # Depth first: the first rule already covers positives only, whatever is left to the others.
    X, y = boxes()
    est = tw.RipperClassifier(prune=False, rounds=0, min_weight=1).fit(X, y)
    assert len(est.ruleset_) > 1
    assert all(rule.confidence == 1 for rule in est.ruleset_)


@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
def test_row_123_ripper_k_and_irep(rounds: int) -> None:
    X, y = boxes(600, 0.05)
    est = tw.RipperClassifier(rounds=rounds).fit(X, y)
    assert est.score(X, y) > 0.9
    assert 1 <= len(est.ruleset_) <= 8
    assert tw.IrepClassifier().fit(X, y).score(X, y) > 0.85


@pytest.mark.parametrize(
    ("label", "column", "level", "figure"),
    [
        ("no", "humidity", "high", 2.712288),
        ("no", "outlook", "sunny", 2.245384),
        ("no", "wind", "strong", 1.456280),
        ("yes", "outlook", "overcast", 2.549720),
        ("yes", "humidity", "normal", 2.490225),
        ("yes", "wind", "weak", 1.334355),
    ],
)
def test_row_124_foil_gain(label: str, column: str, level: str, figure: float) -> None:
    data = tw.datasets.load_play_tennis()
    inside = (data.X[column] == level).to_numpy()
    positive = (data.y == label).to_numpy()
    counts = (inside & positive).sum(), inside.sum(), positive.sum(), len(positive)
    assert _core.literal_gain(*map(float, counts), "foil") == pytest.approx(figure, abs=5e-7)
    p, t, big_p, big_t = counts
    smoothed = p * (log2((p + 1) / (t + 1)) - log2((big_p + 1) / (big_t + 1)))
    assert _core.literal_gain(*map(float, counts), "smoothed") == pytest.approx(smoothed, abs=1e-12)


def test_row_125_grown_until_no_negative_is_covered() -> None:
    X, y = boxes(300)
    for gain in ("foil", "smoothed"):
        est = tw.RipperClassifier(prune=False, rounds=0, min_weight=1, gain=gain).fit(X, y)
        assert all(rule.errors == 0 for rule in est.ruleset_)


def test_row_126_worth_of_a_pruned_rule() -> None:
    assert _core.rule_worth(7.0, 3.0, 20.0, 30.0, "ripper") == (7 - 3) / (7 + 3)
    assert _core.rule_worth(7.0, 3.0, 20.0, 30.0, "irep") == (7 + 30 - 3) / 50
    assert _core.rule_worth(7.0, 3.0, 20.0, 30.0, "smoothed") == 8 / 12
    # The last conditions go: with noise, rules that were pruned on the third that is kept back are shorter.
    X, y = boxes(600, 0.1)
    pruned = tw.RipperClassifier(rounds=0).fit(X, y).ruleset_
    whole = tw.RipperClassifier(rounds=0, prune=False).fit(X, y).ruleset_
    assert max(len(rule.when) for rule in pruned) < max(len(rule.when) for rule in whole)


def test_row_127_the_outer_loop_stops_and_deletes() -> None:
    X, y = boxes(600, 0.15)
    built = tw.RipperClassifier(rounds=0, surplus=1e9, check_error=False).fit(X, y)
    early = tw.RipperClassifier(rounds=0, surplus=1e9, check_error=False, delete_early=True).fit(X, y)
    assert len(early.ruleset_) < len(built.ruleset_)
    assert len(tw.RipperClassifier(rounds=2).fit(X, y).ruleset_) <= len(early.ruleset_)


def test_row_128_64_bits_or_what_it_explains() -> None:
    assert tw.RipperClassifier().surplus == 64
    X, y = boxes(600, 0.1)
    sizes = [len(tw.RipperClassifier(rounds=0, surplus=s, check_error=False).fit(X, y).ruleset_) for s in (0, 64, 1e9)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2]
    explains = tw.RipperClassifier(rounds=0, stop="explains").fit(X, y)
    assert len(explains.ruleset_) <= sizes[0] + 1


def test_row_129_shortest_of_three_is_kept() -> None:
    done: dict[str, int] = {}
    X, y = boxes(500, 0.12)
    for seed in range(12):
        for name, count in tw.RipperClassifier(random_state=seed).fit(X, y).optimised_.items():
            done[name] = done.get(name, 0) + count
    assert all(done[name] > 0 for name in ("kept", "revised", "replaced", "residual")), done


def test_row_130_classes_in_increasing_prevalence() -> None:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    some = np.r_[0:50, 50:90, 100:130]  # 50, 40, 30
    est = tw.RipperClassifier().fit(X[some], y[some])
    assert est.class_order_ == [2, 1, 0]
    assert est.ruleset_.otherwise.says == 0
    said = [rule.says for rule in est.ruleset_]
    assert said == sorted(said, reverse=True)
    assert est.score(X[some], y[some]) > 0.9


def test_row_130_labor_and_equal_classes(shared: Path) -> None:
    table = pd.read_parquet(shared / "data" / "labor.parquet")  # 20 bad, 37 good
    est = tw.RipperClassifier().fit(table.iloc[:, :-1], table.iloc[:, -1])
    assert est.class_order_ == ["bad", "good"]
    assert est.ruleset_.otherwise.says == "good"
    iris = pd.read_parquet(shared / "data" / "iris.parquet")  # 50 each: in declared order
    est = tw.RipperClassifier().fit(iris.iloc[:, :-1], iris.iloc[:, -1])
    assert est.class_order_ == list(est.ruleset_.classes or ())
    assert est.ruleset_.otherwise.says == est.class_order_[-1]


def test_row_131_time_grows_little_faster_than_rows() -> None:
    """The work is counted; seconds are measured by ``make bench ARGS="rules-growth"``."""
    from bench.cases import CASES, Growth
    from bench.workloads import w6

    sizes = [500, 2_000, 8_000]
    passed = []
    for n in sizes:
        num, nom, y = w6(n).train
        est = tw.RipperClassifier(categorical_features=list(range(num.shape[1], num.shape[1] + nom.shape[1])))
        passed.append(est.fit(np.column_stack([num, nom]), y).visits_)
    slope = np.polyfit(np.log(sizes), np.log(passed), 1)[0]
    assert 0.9 < slope < 1.3, passed
    (case,) = (case for case in CASES if isinstance(case, Growth) and case.group == "rules")
    assert case.at_most == 1.3
    assert case.workloads == ("w6(10_000)", "w6(100_000)", "w6(1_000_000)")


@pytest.mark.parametrize(("k", "bits"), [(1, 2.3450), (2, 4.1096), (3, 5.8634), (4, 6.8548)])
def test_bits_of_a_rule(k: int, bits: float) -> None:
    assert _core.rule_bits(k, 10) == pytest.approx(bits, abs=5e-5)


def test_bits_of_exceptions() -> None:
    assert _core.exception_bits(0.4, 50, 100, 5, 10) == pytest.approx(77.67304, abs=5e-6)
    assert _core.exception_bits(0.4, 0, 150, 0, 60) == pytest.approx(166.40561, abs=5e-6)
    assert _core.selected_bits(150, 50, 5, 10) == pytest.approx(78.17098, abs=5e-6)


def test_bits_are_finite_at_the_edges() -> None:
    for cover in (0, 1, 50, 100):
        for fp in {0, cover}:
            for fn in (0, 100 - cover):
                assert np.isfinite(_core.exception_bits(0.3, cover, 100 - cover, fp, fn))
                assert np.isfinite(_core.selected_bits(100, cover, fp, fn))
