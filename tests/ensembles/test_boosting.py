"""AdaBoost against its definitions written down naively (acceptance row 162), and what ends it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw
from tests.ensembles.tables import mixed
from treewright import _core


def naive_classes(base: Any, X: Any, y: Any, rounds: int, samme: bool, rate: float) -> list[tuple[Any, float, float]]:
    """Members, what each counts and its error: M1 multiplies weights of right rows, SAMME those of wrong ones."""
    classes = sorted(set(y))
    weights = np.full(len(y), 1.0 / len(y))
    out = []
    for _ in range(rounds):
        member = clone(base).fit(X, y, sample_weight=weights * len(y))
        wrong = member.predict(X) != y
        error = float(weights[wrong].sum())
        if error >= (1 - 1 / len(classes) if samme else 0.5):
            break
        if error == 0:
            out.append((member, math.inf, 0.0))
            break
        if samme:
            count = rate * (math.log((1 - error) / error) + math.log(len(classes) - 1))
            weights = np.where(wrong, weights * math.exp(count), weights)
        else:
            beta = (error / (1 - error)) ** rate
            count = math.log(1 / beta)
            weights = np.where(wrong, weights, weights * beta)
        weights = weights / weights.sum()
        out.append((member, count, error))
    return out


@pytest.mark.parametrize("samme", [True, False])
@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize("base", [tw.TreeClassifier(max_depth=2), tw.C45Classifier(min_samples_leaf=8), tw.PartClassifier()])
def test_row_162_reweighting(samme: bool, rate: float, base: Any) -> None:
    X, y, _ = mixed(300)
    expected = naive_classes(base, X, y, 6, samme, rate)
    boosted = tw.AdaBoostClassifier(base, n_estimators=6, algorithm="samme" if samme else "m1", learning_rate=rate).fit(X, y)
    assert len(boosted.forest_) == len(expected)
    assert boosted.estimator_errors_ == pytest.approx([error for *_, error in expected])
    finite = [count for _, count, _ in expected if math.isfinite(count)]
    assert boosted.estimator_weights_[: len(finite)] == pytest.approx(finite)
    votes = np.zeros((len(X), 3))
    for (member, _, _), count, own in zip(expected, boosted.estimator_weights_, boosted.estimators_, strict=True):
        assert own.predict(X).tolist() == member.predict(X).tolist()
        votes += count * (member.predict(X)[:, None] == boosted.classes_)
    assert boosted.predict_proba(X) == pytest.approx(votes / votes.sum(axis=1, keepdims=True))
    assert list(boosted.staged_predict(X))[-1].tolist() == boosted.predict(X).tolist()
    assert next(boosted.staged_predict(X)).tolist() == expected[0][0].predict(X).tolist()


def test_row_162_wrong_rows_gain_weight() -> None:
    X, y, _ = mixed(300)
    first = tw.TreeClassifier(max_depth=1).fit(X, y)
    wrong = first.predict(X) != y
    weights = np.where(wrong, (1 - wrong.mean()) / wrong.mean() * 2, 1.0)
    second = tw.TreeClassifier(max_depth=1).fit(X, y, sample_weight=weights)
    boosted = tw.AdaBoostClassifier(n_estimators=2).fit(X, y)
    assert boosted.estimators_[1].predict(X).tolist() == second.predict(X).tolist() != first.predict(X).tolist()


@pytest.mark.parametrize("judge", ["member", "ensemble"])
def test_row_162_resampling_draws_rows_by_their_weight(judge: str) -> None:
    X, y, _ = mixed(400)
    boosted = tw.AdaBoostClassifier(tw.TreeClassifier(max_depth=2), n_estimators=8, resample=True, judge=judge).fit(X, y)
    again = tw.AdaBoostClassifier(tw.TreeClassifier(max_depth=2), n_estimators=8, resample=True, judge=judge).fit(X, y)
    other = clone(again).set_params(random_state=1).fit(X, y)
    assert boosted.forest_ == again.forest_ != other.forest_
    # A member learned from drawn rows: its root weighs as many as there are, in whole numbers.
    for member in boosted.forest_.members:
        assert member.root.weight == len(X) and member.root.weight == sum(member.root.value.values())
    if judge == "member":
        assert boosted.score(X, y) > boosted.estimators_[0].score(X, y)


def test_row_162_the_course_judges_all_members_so_far() -> None:
    X, y, _ = mixed(300)
    base, weights, votes, members = tw.TreeClassifier(max_depth=2), np.ones(len(y)), np.zeros((len(y), 3)), []
    labels = np.array(sorted(set(y)), object)
    for _ in range(6):
        member = clone(base).fit(X, y, sample_weight=weights * len(y) / weights.sum())
        members.append(member)
        votes += member.predict(X)[:, None] == labels
        wrong = labels[np.argmax(votes, axis=1)] != y
        error = weights[wrong].sum() / weights.sum()
        weights = np.where(wrong, weights * 2 * (1 - error) / error, weights)
    boosted = tw.AdaBoostClassifier(base, n_estimators=6, judge="ensemble").fit(X, y)
    assert boosted.estimator_weights_.tolist() == [1.0] * 6
    for own, member in zip(boosted.estimators_, members, strict=True):
        assert own.predict(X).tolist() == member.predict(X).tolist()


def naive_trials(base: Any, X: Any, y: Any, trials: int) -> tuple[list[Any], list[Any]]:
    """C5.0's trials as its program counts them, row by row."""
    n, weight = len(y), [1.0] * len(y)
    votes: list[dict[Any, float]] = [{} for _ in y]
    members, history = [], []
    for trial in range(trials):
        member = clone(base).fit(X, y, sample_weight=weight)
        said, shares = member.predict(X), member.predict_proba(X).max(axis=1)
        if trial == trials - 1:
            members.append(member)
            break
        wrong_weight = right_weight = 0.0
        wrong = [False] * n
        cases = 0
        for i in range(n):
            if weight[i] <= 0:
                continue
            votes[i][said[i]] = votes[i].get(said[i], 0.0) + shares[i]
            best = max(votes[i].values())
            if trial + 1 > trials / 2 and best > votes[i].get(y[i], 0.0) + (trials - 1 - trial):
                weight[i] = 0.0
                continue
            cases += 1
            wrong[i] = said[i] != y[i]
            if wrong[i]:
                wrong_weight += weight[i]
            else:
                right_weight += weight[i]
        if wrong_weight < 0.1:
            members.append(member)
            break
        if (trial and member.tree_.n_leaves == 1) or wrong_weight / cases >= 0.49:
            break
        members.append(member)
        extra = 0.25 * (right_weight - wrong_weight)
        scale = cases / (right_weight + wrong_weight)
        for i in range(n):
            if weight[i] > 0:
                if wrong[i]:
                    weight[i] = scale * (weight[i] + extra / sum(wrong))
                else:
                    weight[i] = max(scale * weight[i] * (right_weight - extra) / right_weight, 1e-3)
        history.append(list(weight))
    return members, history


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_trials_of_c50(seed: int) -> None:
    X, y, _ = mixed(300, seed)
    base = tw.C45Classifier(min_samples_leaf=10)
    members, history = naive_trials(base, X, y, 10)
    boosted = tw.AdaBoostClassifier(base, n_estimators=10, algorithm="c5.0").fit(X, y)
    assert len(boosted.forest_) == len(members) > 2
    assert any(0.0 in weights for weights in history), "some rows are given up in the second half"
    votes = np.zeros((len(X), 3))
    for own, member in zip(boosted.estimators_, members, strict=True):
        assert own.predict(X).tolist() == member.predict(X).tolist()
        votes += (member.predict(X)[:, None] == boosted.classes_) * member.predict_proba(X)
    assert boosted.predict_proba(X) == pytest.approx(votes / votes.sum(axis=1, keepdims=True))


def test_two_trials_are_none() -> None:
    # C5.0 gives boosting up where the second trial is the last that serves: its first tree stands alone.
    X, y, _ = mixed(60, missing=0.0)
    base = tw.C45Classifier(min_samples_leaf=1, confidence=1.0)
    assert len(naive_trials(base, X, y, 10)[0]) <= 2
    boosted = tw.AdaBoostClassifier(base, n_estimators=10, algorithm="c5.0").fit(X, y)
    assert len(boosted.forest_) == 1 and boosted.forest_[0] == clone(base).fit(X, y).tree_


def naive_numbers(base: Any, X: Any, y: Any, rounds: int, loss: str) -> tuple[list[Any], list[float]]:
    weights, members, counts = np.full(len(y), 1.0 / len(y)), [], []
    for _ in range(rounds):
        member = clone(base).fit(X, y, sample_weight=weights * len(y))
        off = np.abs(member.predict(X) - y)
        share = off / off.max()
        each = {"linear": share, "square": share**2, "exponential": 1 - np.exp(-share)}[loss]
        mean = float((each * weights).sum())
        if mean >= 0.5:
            break
        beta = mean / (1 - mean)
        members.append(member)
        counts.append(math.log(1 / beta))
        weights = weights * beta ** (1 - each)
        weights = weights / weights.sum()
    return members, counts


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_numbers_by_r2(loss: str) -> None:
    X, _, y = mixed(300)
    base = tw.TreeRegressor(max_depth=3)
    members, counts = naive_numbers(base, X, y, 6, loss)
    boosted = tw.AdaBoostRegressor(base, n_estimators=6, loss=loss, resample=False).fit(X, y)
    assert boosted.estimator_weights_ == pytest.approx(counts)
    told = np.column_stack([member.predict(X) for member in members])
    for row, said in zip(told, boosted.predict(X), strict=True):
        half, order = sum(counts) / 2, np.argsort(row, kind="stable")
        running, at = 0.0, -1
        while running < half:
            at += 1
            running += counts[order[at]]
        assert said == pytest.approx(row[order[at]])
    drawn = tw.AdaBoostRegressor(base, n_estimators=6, loss=loss).fit(X, y)
    assert drawn.score(X, y) > tw.TreeRegressor(max_depth=3).fit(X, y).score(X, y)


def test_a_member_without_errors_ends_it_and_decides() -> None:
    X, y, numbers = mixed(60, missing=0.0)
    perfect = tw.AdaBoostClassifier(tw.TreeClassifier(), n_estimators=9).fit(X, y)
    assert len(perfect.forest_) == 1 and perfect.estimator_errors_.tolist() == [0.0] and perfect.score(X, y) == 1.0
    exact = tw.AdaBoostRegressor(tw.TreeRegressor(), n_estimators=9, resample=False).fit(X, numbers)
    assert len(exact.forest_) == 1 and exact.score(X, numbers) == 1.0
    # The fourth member of this table is the first without errors: it outvotes the others.
    y2 = np.where((X["age"] > 2) & (X["age"] < 6), "in", "out").astype(object)
    late = tw.AdaBoostClassifier(tw.TreeClassifier(max_depth=1), n_estimators=9).fit(X, y2)
    weights = late.estimator_weights_
    if late.estimator_errors_[-1] == 0.0:
        assert weights[-1] > weights[:-1].sum()
    assert late.score(X, y2) == 1.0


def test_members_no_better_than_guessing() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 1)).astype(float), np.tile(["a", "b"], 20)
    X = np.repeat(X[:20], 2, axis=0)  # every cell has as many of both classes
    with pytest.warns(tw.TreewrightWarning, match="no better than guessing: it stays the only one"):
        stumps = tw.AdaBoostClassifier(n_estimators=5).fit(X, y)
    assert len(stumps.forest_) == 1 and stumps.estimator_weights_.tolist() == [1.0]


def test_weights_reach_far_without_a_word() -> None:
    # Hundreds of rounds move weights apart by more than the core keeps: that is boosting, no fault of the user.
    X, y, _ = mixed(120, missing=0.0)
    boosted = tw.AdaBoostClassifier(tw.TreeClassifier(max_depth=3, min_samples_leaf=10), n_estimators=300).fit(X, y)
    assert len(boosted.forest_) > 10 and boosted.score(X, y) > 0.9


def test_the_order_of_rows_does_not_matter_without_draws() -> None:
    X, y, _ = mixed(200)
    order = np.random.default_rng(3).permutation(len(X))
    for algorithm in ("samme", "m1", "c5.0"):
        one = tw.AdaBoostClassifier(tw.C45Classifier(), n_estimators=8, algorithm=algorithm).fit(X, y)
        two = tw.AdaBoostClassifier(tw.C45Classifier(), n_estimators=8, algorithm=algorithm).fit(X.iloc[order], y[order])
        assert one.forest_ == two.forest_


@pytest.mark.parametrize(("written", "same"), [("SAMME", "samme"), ("M1", "m1"), ("C5.0", "c5.0")])
def test_algorithms_are_known_by_their_published_spelling(written: str, same: str) -> None:
    X, y, _ = mixed(120)
    fits = [tw.AdaBoostClassifier(tw.C45Classifier(), n_estimators=4, algorithm=name).fit(X, y) for name in (written, same)]
    assert fits[0].forest_ == fits[1].forest_
    with pytest.raises(ValueError, match=r"algorithm 'SAMME.R' is unknown"):
        tw.AdaBoostClassifier(algorithm="SAMME.R").fit(X, y)


@pytest.mark.parametrize("seed", range(5))
def test_weights_of_the_next_member_are_those_that_numpy_makes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.random(200) * 10.0 ** rng.integers(-12, 12, 200)
    wrong = rng.random(200) < 0.3
    rows = np.where(wrong, weights * 7.3, weights)
    expected = rows * (5.1 / _core.exact_sum(rows))
    assert _core.reweighed(weights, wrong, 7.3, 5.1).tolist() == expected.tolist()
    assert _core.exact_sum(weights, wrong) == _core.exact_sum(weights[wrong])
    assert _core.exact_sum(weights) == pytest.approx(math.fsum(weights), rel=1e-15)
    for refused in (lambda: _core.reweighed(weights, wrong[1:], 7.3, 5.1), lambda: _core.exact_sum(weights, wrong[1:])):
        with pytest.raises(ValueError, match="does not fit"):
            refused()
