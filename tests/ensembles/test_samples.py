"""Which rows members learn from: exact draws by row number, and what the rows left out tell (acceptance rows 157, 160, 161)."""

from __future__ import annotations

import math
import pickle
from copy import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.ensembles.tables import mixed, named
from treewright import _core
from treewright.learn.sampling import Drawing


@given(st.integers(0, 2**64 - 1), st.integers(0, 10_000), st.integers(1, 300), st.integers(0, 900))
def test_draws_add_up(seed: int, member: int, n_rows: int, draws: int) -> None:
    counts = _core.drawn_counts(seed, member, n_rows, draws)
    assert len(counts) == n_rows and int(counts.sum()) == draws
    some = min(draws, n_rows)
    rows = _core.drawn_rows(seed, member, n_rows, some)
    assert len(set(rows.tolist())) == some and set(rows.tolist()) <= set(range(n_rows))


@pytest.mark.parametrize(("m", "expected"), [(14, 0.645665), (100, 0.633968), (5000, 0.632121)])
def test_row_161_share_of_distinct_rows(m: int, expected: float) -> None:
    exact = 1 - (1 - 1 / m) ** m
    assert exact == pytest.approx(expected, abs=1e-4)
    members = 4000 if m < 1000 else 300
    drawing = Drawing(m, m, 0)
    shares = np.array([np.count_nonzero(drawing.counts(at)) / m for at in range(members)])
    # Distinct rows of a draw: their variance is known.
    variance = ((1 - 1 / m) ** m - (1 - 1 / m) ** (2 * m) + (m - 1) * ((1 - 2 / m) ** m - (1 - 1 / m) ** (2 * m))) / m
    assert abs(shares.mean() - exact) < 4.5 * math.sqrt(variance / members)
    assert shares.var() == pytest.approx(variance, rel=0.35)


def test_draws_are_a_multinomial() -> None:
    # Counts of a row are binomial, and those of two rows have the covariance -draws / m^2.
    m, draws, members = 7, 20, 6000
    counts = np.array([_core.drawn_counts(5, at, m, draws) for at in range(members)], float)
    mean, variance = draws / m, draws / m * (1 - 1 / m)
    assert np.abs(counts.mean(axis=0) - mean).max() < 5 * math.sqrt(variance / members)
    covariance = np.cov(counts.T)
    assert np.abs(np.diag(covariance) - variance).max() < 0.2
    assert np.abs(covariance[~np.eye(m, dtype=bool)] + draws / m**2).max() < 0.2


def test_balanced_draws_take_as_many_of_each_class() -> None:
    X, y, _ = mixed()
    forest = tw.RandomForestClassifier(5, bootstrap="balanced").fit(X, y)
    least = min(np.unique(y, return_counts=True)[1])
    for rows in forest.estimators_samples_:
        assert np.unique(y[rows], return_counts=True)[1].tolist() == [least] * 3


def test_rows_of_weight_0_are_not_drawn() -> None:
    X, y, _ = mixed()
    weights = np.where(np.arange(len(X)) % 3 == 0, 0.0, 1.0)
    forest = tw.RandomForestClassifier(3).fit(X, y, sample_weight=weights)
    some = tw.RandomForestClassifier(3).fit(X[weights > 0], y[weights > 0])
    for rows, own in zip(forest.estimators_samples_, some.estimators_samples_, strict=True):
        assert np.all(weights[rows] > 0)
        assert np.array_equal(rows, np.flatnonzero(weights > 0)[own])


@pytest.mark.parametrize("folds", [4, "given", "splitter"])
def test_rows_157_and_160_committees_learn_from_all_folds_but_one(folds: Any) -> None:
    from sklearn.model_selection import KFold

    X, y, numbers = mixed()
    given = {"given": np.arange(len(X)) % 4, "splitter": KFold(4, shuffle=True, random_state=0)}.get(folds, folds)
    for committee, target in ((tw.CommitteeClassifier(folds=given), y), (tw.CommitteeRegressor(folds=given), numbers)):
        committee.fit(X, target)
        samples = committee.estimators_samples_
        left = [np.setdiff1d(np.arange(len(X)), rows) for rows in samples]
        assert len(samples) == 4 and sorted(np.concatenate(left).tolist()) == list(range(len(X)))
        assert all(len(rows) == len(X) * 3 // 4 for rows in samples)
    if folds == 4:  # by class, each fold has its share
        first = tw.CommitteeClassifier(folds=4).fit(X, y)
        counts = [np.unique(np.delete(y, rows), return_counts=True)[1] for rows in first.estimators_samples_]
        assert np.ptp(counts, axis=0).max() <= 1


def explicit(forest: Any, X: Any, y: Any) -> list[Any]:
    """What members that did not learn from a row say of it, added up one by one."""
    out = []
    for row in range(len(X)):
        said = []
        for at, member in enumerate(forest.estimators_):
            if row in set(forest.estimators_samples_[at].tolist()):
                continue
            one = X.iloc[[row]]
            if hasattr(forest, "classes_"):
                hard = getattr(forest, "voting", "soft") == "hard"
                said.append(forest.classes_ == member.predict(one)[0] if hard else member.predict_proba(one)[0])
            else:
                said.append(member.predict(one)[0])
        out.append(np.mean(said, axis=0) if said else None)
    return out


@pytest.mark.filterwarnings("ignore:.*nobody can judge")
@pytest.mark.parametrize(
    "forest",
    [
        tw.RandomForestClassifier(9, oob_score=True),
        tw.BaggingClassifier(tw.C45Classifier(), 9, oob_score=True),
        tw.BaggingClassifier(tw.RipperClassifier(), 6, oob_score=True, voting="soft", max_features=3),
        tw.RandomForestRegressor(9, oob_score=True),
        tw.BaggingRegressor(tw.M5Regressor(), 6, oob_score=True),
        tw.CommitteeClassifier(folds=5, oob_score=True),
    ],
    ids=named,
)
def test_out_of_bag_answers_are_those_of_members_that_did_not_see_the_row(forest: Any) -> None:
    X, classes, numbers = mixed(120)
    y = classes if hasattr(forest, "predict_proba") else numbers
    forest.fit(X, y)
    expected = explicit(forest, X, y)
    judged = [row for row, answer in enumerate(expected) if answer is not None]
    if hasattr(forest, "classes_"):
        told = forest.oob_decision_function_
        right = [forest.classes_[np.argmax(expected[row])] == y[row] for row in judged]
        assert forest.oob_score_ == pytest.approx(np.mean(right))
        assert forest.oob_errors_[-1] == pytest.approx(1 - np.mean(right))
    else:
        told = forest.oob_prediction_
        truth, said = y[judged], np.array([expected[row] for row in judged])
        assert forest.oob_score_ == pytest.approx(1 - np.sum((truth - said) ** 2) / np.sum((truth - truth.mean()) ** 2))
        assert forest.oob_errors_[-1] == pytest.approx(np.mean((truth - said) ** 2))
    for row, answer in enumerate(expected):
        if answer is None:
            assert np.isnan(told[row]).all()
        else:
            assert told[row] == pytest.approx(answer)


def test_the_curve_is_the_error_of_the_first_members() -> None:
    X, y, _ = mixed()
    with pytest.warns(tw.TreewrightWarning, match="nobody can judge them"):
        few = tw.RandomForestClassifier(3, oob_score=True).fit(X, y)
    many = tw.RandomForestClassifier(40, oob_score=True).fit(X, y)
    assert len(many.oob_errors_) == 40 and np.array_equal(many.oob_errors_[:3], few.oob_errors_)


def test_a_score_may_be_a_function() -> None:
    from sklearn.metrics import balanced_accuracy_score

    X, y, _ = mixed()
    forest = tw.RandomForestClassifier(40, oob_score=balanced_accuracy_score).fit(X, y)
    told = forest.classes_[np.argmax(forest.oob_decision_function_, axis=1)]
    assert forest.oob_score_ == pytest.approx(balanced_accuracy_score(y, told))


@pytest.mark.parametrize("kind", [tw.RandomForestClassifier, tw.BaggingClassifier])
def test_members_of_other_rows_are_not_judged_out_of_bag(kind: Any) -> None:
    X, y, _ = mixed()
    mixed_up = np.random.default_rng(0).permutation(len(X))
    begun = kind(n_estimators=30, oob_score=True, warm_start=True).fit(X, y)
    twin = pickle.loads(pickle.dumps(begun)).set_params(n_estimators=40).fit(X.copy(), y.copy())
    whole = kind(n_estimators=40, oob_score=True).fit(X, y)
    assert twin.oob_score_ == whole.oob_score_ and np.array_equal(twin.oob_errors_, whole.oob_errors_)
    begun.set_params(n_estimators=40)
    others: list[tuple[Any, Any, dict[str, Any]]] = [
        (X.iloc[mixed_up], y[mixed_up], {}),
        (X.iloc[:-1], y[:-1], {}),
        (X, y[mixed_up], {}),
        (X, y, {"max_samples": 0.5}),
    ]
    for rows, target, params in others:
        with pytest.raises(ValueError, match=r"oob_score=True: the 30 members of the last fit were learned from other rows"):
            copy(begun).set_params(**params).fit(rows, target)
        grown = copy(begun).set_params(oob_score=False, **params).fit(rows, target)  # they may grow all the same
        assert len(grown.forest_) == 40 and grown.forest_.members[:30] == begun.forest_.members
        with pytest.raises(AttributeError, match="no samples"):
            _ = grown.estimators_samples_
        with pytest.raises(ValueError, match="other rows"):
            grown.set_params(oob_score=True, n_estimators=41).fit(rows, target)
    weighted = np.ones(len(X))
    weighted[0] = 2
    with pytest.raises(ValueError, match="other rows"):
        begun.fit(X, y, weighted)
    without = kind(n_estimators=3, bootstrap=False, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="other rows, or rows were drawn in another way"):
        without.set_params(bootstrap=True, oob_score=True, n_estimators=5).fit(X, y)
