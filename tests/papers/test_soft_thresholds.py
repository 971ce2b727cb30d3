"""Soft thresholds of C4.5 (Quinlan 1993, chapter 8)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.model.gates import SoftThreshold

# Twenty rows in order; the classes overlap between 8 and 13.
VALUES = np.arange(1.0, 21.0)
LABELS = np.array(list("aaaaaaaabababbbbbbbb"))


@pytest.fixture(scope="module")
def est() -> tw.C45Classifier:
    return tw.C45Classifier(soft=True).fit(pd.DataFrame({"x": VALUES}), LABELS)


def by_hand(cut: float) -> tuple[float, float]:
    """The bounds straight from the definition: errors of every threshold, then where they reach the limit."""
    wrong = {t: int(np.sum(LABELS[t > VALUES - 1e-9] != "a") + np.sum(LABELS[t < VALUES - 1e-9] != "b")) for t in VALUES}
    base = wrong[cut]
    limit = base + np.sqrt((base + 0.5) * (20 - base + 0.5) / 21)
    below = next(t for t in VALUES if t < cut and wrong[t] > limit and wrong[t + 1] <= limit)
    lower = below + 1 - (limit - wrong[below + 1]) / (wrong[below] - wrong[below + 1])
    above = [t for t in VALUES if t >= cut and wrong[t] <= limit and wrong.get(t + 1, 0) > limit][-1]
    return lower, above + (limit - wrong[above]) / (wrong[above + 1] - wrong[above])


def test_bounds_lie_where_errors_rise_by_a_standard_error(est: tw.C45Classifier) -> None:
    (soft,) = est.soft_thresholds_.values()
    assert est.tree_.root.split is not None
    assert soft.cut == est.tree_.root.split.cuts[0]
    assert (soft.lower, soft.upper) == pytest.approx(by_hand(soft.cut))
    assert soft.lower < soft.cut < soft.upper


def test_shares_fall_from_one_to_none(est: tw.C45Classifier) -> None:
    (soft,) = est.soft_thresholds_.values()
    at = np.array(
        [
            soft.lower - 1,
            soft.lower,
            (soft.lower + soft.cut) / 2,
            soft.cut,
            (soft.cut + soft.upper) / 2,
            soft.upper,
            soft.upper + 1,
        ]
    )
    assert soft.share_below(at) == pytest.approx([1, 1, 0.75, 0.5, 0.25, 0, 0])


def test_answers_are_mixed_between_the_bounds(est: tw.C45Classifier) -> None:
    (soft,) = est.soft_thresholds_.values()
    hard = tw.C45Classifier().fit(pd.DataFrame({"x": VALUES}), LABELS)
    far = pd.DataFrame({"x": [soft.lower - 0.5, soft.upper + 0.5]})
    assert est.predict_proba(far) == pytest.approx(hard.predict_proba(far))
    low, high = hard.predict_proba(far)
    middle = est.predict_proba(pd.DataFrame({"x": [soft.cut, (soft.lower + soft.cut) / 2]}))
    assert middle[0] == pytest.approx(0.5 * low + 0.5 * high)
    assert middle[1] == pytest.approx(0.75 * low + 0.25 * high)
    rows = pd.DataFrame({"x": np.linspace(0, 21, 100)})
    assert est.predict_proba(rows).sum(axis=1) == pytest.approx(np.ones(100))
    assert np.array_equal(est.predict(rows), est.classes_[np.argmax(est.predict_proba(rows), axis=1)])


def test_missing_cells_go_down_all_branches_as_before(est: tw.C45Classifier) -> None:
    hard = tw.C45Classifier().fit(pd.DataFrame({"x": VALUES}), LABELS)
    row = pd.DataFrame({"x": [np.nan]})
    assert est.predict_proba(row) == pytest.approx(hard.predict_proba(row))


def test_a_clean_threshold_may_still_move_by_a_standard_error() -> None:
    est = tw.C45Classifier(soft=True).fit(pd.DataFrame({"x": VALUES}), np.repeat(["a", "b"], 10))
    (soft,) = est.soft_thresholds_.values()
    # No errors at the cut: the limit is sqrt(0.5 * 20.5 / 21) = 0.6986, reached after that part of a step.
    assert soft.cut == 10
    assert (soft.lower, soft.upper) == pytest.approx((10 - 0.69863, 10 + 0.69863), abs=1e-4)


def test_a_side_without_room_is_a_step() -> None:
    soft = SoftThreshold(0, "x", 5.0, 5.0, 7.0)
    assert soft.share_below(np.array([4.9, 5.0, np.nextafter(5.0, 6.0), 6.0, 7.0])) == pytest.approx([1, 1, 0.5, 0.25, 0])
    soft = SoftThreshold(0, "x", 5.0, 5.0, 5.0)
    assert soft.share_below(np.array([5.0, 5.1])) == pytest.approx([1, 0])


def test_mixed_tables() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.choice(["u", "v", "w"], 300), "c": rng.normal(size=300)})
    X.loc[rng.random(300) < 0.1, "a"] = np.nan
    y = np.where((X["a"].fillna(0) > 0) & (X["b"] != "u") | (X["c"] > 1), "p", "q")
    soft = tw.C45Classifier(soft=True).fit(X, y)
    hard = tw.C45Classifier().fit(X, y)
    assert set(soft.soft_thresholds_) == {n.id for n in soft.tree_.nodes() if n.split and n.split.family == "threshold"}
    assert all(t.lower <= t.cut <= t.upper for t in soft.soft_thresholds_.values())
    assert soft.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(300))
    assert np.mean(soft.predict(X) == hard.predict(X)) > 0.9
    with pytest.raises(ValueError, match="soft"):
        tw.C45Classifier(variant="j48", soft=True).fit(X, y)


@pytest.mark.parametrize("seed", range(4))
def test_a_weight_is_a_row_repeated(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=80).round(1), "b": rng.normal(size=80).round(1)})
    y = np.where(X["a"] + rng.normal(size=80) > 0, "p", "q")
    weights = rng.integers(0, 4, 80)
    times = np.repeat(np.arange(80), weights)
    weighted = tw.C45Classifier(soft=True, confidence=0.6).fit(X, y, sample_weight=weights)
    repeated = tw.C45Classifier(soft=True, confidence=0.6).fit(X.iloc[times], y[times])
    assert len(weighted.soft_thresholds_) > 0
    for node, soft in weighted.soft_thresholds_.items():
        other = repeated.soft_thresholds_[node]
        assert (soft.lower, soft.cut, soft.upper) == pytest.approx((other.lower, other.cut, other.upper))
    plain = tw.C45Classifier(soft=True, confidence=0.6).fit(X, y)
    assert plain.soft_thresholds_ != weighted.soft_thresholds_
