"""Tuning and learning curves: the errors are those of scikit-learn's cross-validation over the same folds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, PredefinedSplit, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from treewright.evaluate.tuning import _pick
from treewright.prune import Curve
from treewright.table.folds import shuffled_folds


def noisy(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(list("xyz"), n)})
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    y = np.where(np.nan_to_num(X["a"]) * X["b"] > 0, "yes", "no")
    return X, np.where(rng.random(n) < 0.15, "no", y)


@pytest.mark.parametrize("learner", [tw.CARTClassifier, tw.CARTRegressor])
def test_errors_are_those_of_cross_validation(learner: Any) -> None:
    X, y = noisy()
    truth = y if learner is tw.CARTClassifier else np.nan_to_num(X["a"].to_numpy()) + (y == "yes")
    fold = np.arange(400) % 4
    tuned = tw.tune(learner(), X, truth, folds=fold, max_depth=[1, 3, None], min_samples_leaf=[1, 20])
    assert [candidate["max_depth"] for candidate in tuned.candidates] == [1, 1, 3, 3, None, None]
    for k, candidate in enumerate(tuned.candidates):
        said = cross_val_predict(learner(**candidate), X, truth, cv=PredefinedSplit(fold))
        loss = (said != truth).astype(float) if learner is tw.CARTClassifier else (said - truth) ** 2
        assert tuned.cv.error[k] == pytest.approx(loss.mean(), abs=1e-12)
        assert tuned.cv.se[k] == pytest.approx(loss.std() / 20, abs=1e-12)
    assert tuned.params == tuned.candidates[int(np.argmin(tuned.cv.error))]
    assert tuned.estimator.tree_ == learner(**tuned.params).fit(X, truth).tree_


@pytest.mark.parametrize("over", ["max_depth", "max_leaf_nodes", "min_impurity"])
def test_values_of_a_limit_are_found(over: str) -> None:
    X, y = noisy()
    tuned = tw.tune(tw.CARTClassifier(), X, y, over, rule="1se")
    assert 8 <= len(tuned.candidates) <= 12
    whole = tw.CARTClassifier().fit(X, y).tree_
    assert tuned.n_leaves.min() == 1
    assert tuned.n_leaves.max() > 0.7 * whole.n_leaves
    assert 1 < tuned.estimator.tree_.n_leaves < whole.n_leaves / 2
    table = tuned.as_dict()
    assert list(table) == [over, "n_leaves", "cv_error", "cv_se"]
    assert {len(column) for column in table.values()} == {len(tuned.candidates)}
    best = tw.tune(tw.CARTClassifier(), X, y, over)
    assert best.n_leaves[best.chosen] >= tuned.n_leaves[tuned.chosen]
    assert best.cv.error[best.chosen] <= tuned.cv.error[tuned.chosen] <= best.cv.error[best.chosen] + best.cv.se[best.chosen]


def test_any_number_of_threads_and_every_learner() -> None:
    X, y = noisy(200)
    for est, values in [
        (tw.C45Classifier(), {"confidence": [0.05, 0.5]}),
        (tw.ID3Classifier(missing="majority"), {"max_depth": [1, 2]}),
        (tw.REPTreeClassifier(), {"min_samples_leaf": [2, 9]}),
        (tw.TreeClassifier(numeric="discretised", nominal="multiway", missing="own"), {"purity": [0.7, 1.0]}),
    ]:
        one, many = (tw.tune(est, X, y, folds=3, n_jobs=jobs, **values) for jobs in (1, 3))
        assert np.array_equal(one.cv.error, many.cv.error)
        assert one.params == many.params and one.estimator.tree_ == many.estimator.tree_
        assert not hasattr(est, "tree_")


def test_weights_count_as_repeated_rows() -> None:
    X, y = noisy(120)
    weight = np.random.default_rng(1).integers(0, 3, 120)
    fold = np.arange(120) % 3
    rows = np.repeat(np.arange(120), weight)
    weighted = tw.tune(tw.CARTClassifier(), X, y, sample_weight=weight, folds=fold, max_depth=[1, 4])
    repeated = tw.tune(tw.CARTClassifier(), X.iloc[rows], y[rows], folds=fold[rows], max_depth=[1, 4])
    np.testing.assert_allclose(weighted.cv.error, repeated.cv.error, atol=1e-12)
    np.testing.assert_allclose(weighted.cv.se, repeated.cv.se, atol=1e-12)


def test_progress_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import treewright.progress as progress

    clock = iter(np.arange(0.0, 1e6, 7.0))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    X, y = noisy(60)
    tw.tune(tw.CARTClassifier(), X, y, max_depth=[1, 2], folds=2, verbose=True)
    assert "tuning  100% of 4 trees" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y), "nothing to choose from"),
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y, max_depth=[]), "nothing to choose from"),
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y, max_depth=3), "must be a sequence of values"),
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y, max_dept=[3]), "'max_dept' is unknown; did you mean 'max_depth'"),
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y, "depth"), "over 'depth' is unknown; did you mean 'max_depth'"),
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y, max_depth=[-1]), "max_depth=-1 is not allowed"),
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y, "max_depth", max_depth=[1]), "values of its own"),
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y, max_depth=[1], rule="se"), "rule 'se' is unknown"),
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y[:9], max_depth=[1]), "X has 60 rows and y has 9"),
        (lambda X, y: tw.tune(tw.CARTClassifier(), X, y, categorical_features=[["a"]]), "is unknown"),
        (lambda X, y: tw.tune(DecisionTreeClassifier(), X, y, max_depth=[1]), "no tree estimator of treewright"),
        (lambda X, y: tw.learning_curve(tw.CARTClassifier(), X, y, sizes=[0.0]), "sizes=0.0 is not allowed"),
        (lambda X, y: tw.learning_curve(tw.CARTClassifier(), X, y, sizes=[1000]), "at most 48"),
        (lambda X, y: tw.learning_curve(tw.CARTClassifier(), X, y, sizes=[]), "at least one size"),
    ],
)
def test_wrong_requests_are_answered(call: Any, message: str) -> None:
    X, y = noisy(60)
    with pytest.raises((ValueError, TypeError), match=message):
        call(X, y)


def test_models_in_leaves_are_left_to_others() -> None:
    X, y = noisy(60)
    numbers = X[["b"]].to_numpy().ravel()
    model = tw.M5Regressor().fit(X[["b"]], numbers)
    for call in (
        lambda: tw.tune(tw.M5Regressor(), X[["b"]], numbers, max_depth=[1]),
        lambda: tw.learning_curve(tw.M5Regressor(), X[["b"]], numbers),
        lambda: tw.tune(tw.C45Classifier(soft=True), X, y, confidence=[0.1]),
    ):
        with pytest.raises(TypeError, match="GridSearchCV and learning_curve"):
            call()
    with pytest.raises(ValueError, match="say equations"):
        model.prune("cost_complexity", X[["b"]], numbers, folds=3)
    with pytest.raises(ValueError, match="say equations"):
        model.pruning_path()


def test_learning_curve_is_that_of_the_rows() -> None:
    X, y = noisy(300)
    curve = tw.learning_curve(tw.CARTClassifier(), X, y, sizes=[0.2, 100, 1.0], folds=KFold(3), random_state=4)
    assert curve.n_rows.tolist() == [40, 100, 200]
    assert curve.training.error.tolist() == [0.0, 0.0, 0.0]
    said = cross_val_predict(tw.CARTClassifier(), X, y, cv=KFold(3))
    assert curve.cv.error[-1] == pytest.approx(np.mean(said != y), abs=1e-12)
    table = curve.as_dict()
    assert list(table) == ["n_rows", "n_leaves", "training_error", "training_se", "cv_error", "cv_se"]
    many = tw.learning_curve(tw.CARTClassifier(), X, y, sizes=[0.2, 100, 1.0], folds=KFold(3), random_state=4, n_jobs=2)
    assert np.array_equal(curve.cv.error, many.cv.error)


def test_folds_are_dealt_by_the_seed() -> None:
    X, y = noisy(100)
    codes = np.unique(y, return_inverse=True)[1]
    dealt = tw.tune(tw.CARTClassifier(), X, y, folds=shuffled_folds(100, 4, codes, 9), max_depth=[2])
    counted = tw.tune(tw.CARTClassifier(), X, y, folds=4, random_state=9, max_depth=[2])
    assert dealt.cv.error[0] == counted.cv.error[0]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_it(jobs: int) -> None:
    code = f"""
    import numpy as np, treewright as tw
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 20)); y = rng.integers(0, 2, 60_000)
    tw.tune(tw.CARTClassifier(), X[:60], y[:60], max_depth=[1, 2])  # Python loses an interrupt that meets the lock of an import
    print("ready", flush=True)
    try:
        tw.tune(tw.CARTClassifier(), X, y, max_depth=range(1, 300), n_jobs={jobs})
    except KeyboardInterrupt:
        print("ended", flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, env=os.environ, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.7)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert said == "ended\n"


def test_families_of_one_column_are_compared() -> None:
    """The encoding that is shared by all settings serves intervals of whole columns as it does thresholds."""
    X, y = noisy()
    X, fold = X[["a", "b"]], np.arange(400) % 4
    tuned = tw.tune(tw.TreeClassifier(max_depth=3), X, y, folds=fold, numeric=["threshold", "discretised"])
    for k, candidate in enumerate(tuned.candidates):
        said = cross_val_predict(tw.TreeClassifier(max_depth=3, **candidate), X, y, cv=PredefinedSplit(fold))
        assert tuned.cv.error[k] == pytest.approx((said != y).mean(), abs=1e-12)


def test_of_equally_good_candidates_the_smallest_sets_the_standard_error() -> None:
    cv = Curve(np.array([0.30, 0.20, 0.20, 0.25, 0.205]), np.array([0.50, 0.01, 0.06, 0.90, 0.90]))
    leaves = np.array([1.0, 9.0, 5.0, 3.0, 7.0])
    assert _pick(cv, leaves, "best") == 2
    assert _pick(cv, leaves, "1se") == 3  # within 0.06 of 0.20
    assert _pick(cv, leaves[[0, 2, 1, 3, 4]], "1se") == 1  # within 0.01: 0.205 is, with more leaves
    assert _pick(Curve(np.full(3, 0.2), np.zeros(3)), np.array([4.0, 2.0, 2.0]), "1se") == 1  # of equals the first


@pytest.mark.parametrize(
    ("sizes", "rows"),
    [
        ([1, 1.0], [48]),
        ([2, 48], [2, 48]),
        ([0.001, 0.04], [2]),
        ([0.5, 0.51], [24]),
        ([0.26, 3], [3, 12]),
        ([np.int64(7), np.float32(0.25)], [7, 12]),
    ],
)
def test_sizes_are_rows_or_shares_of_the_smallest_fold(sizes: list[Any], rows: list[int]) -> None:
    X, y = noisy(60)
    assert tw.learning_curve(tw.CARTClassifier(), X, y, sizes=sizes).n_rows.tolist() == rows


def test_what_differs_by_rounding_only_is_as_good() -> None:
    assert 0.7 + 0.1 < 0.8
    assert _pick(Curve(np.array([0.7, 0.8]), np.array([0.1, 0.0])), np.array([5.0, 1.0]), "1se") == 1
    assert _pick(Curve(np.array([0.7, np.nextafter(0.7, 1)]), np.zeros(2)), np.array([5.0, 1.0]), "best") == 1
    assert _pick(Curve(np.array([0.7, 0.7 + 1e-9]), np.zeros(2)), np.array([5.0, 1.0]), "best") == 0
    assert _pick(Curve(np.array([0.0, 0.0, 1e-9]), np.zeros(3)), np.array([5.0, 2.0, 1.0]), "1se") == 1


def test_sizes_that_are_asked_for_without_being_given() -> None:
    X, y = noisy(500)
    assert tw.learning_curve(tw.CARTClassifier(max_depth=1), X, y).n_rows.tolist() == [40, 80, 140, 200, 300, 400]


@pytest.mark.parametrize("size", [True, False, "all", -0.5, 1.5, 0, None])
def test_sizes_that_are_none(size: Any) -> None:
    X, y = noisy(60)
    with pytest.raises(ValueError, match=r"sizes=.* is not allowed.*share above 0 up to 1"):
        tw.learning_curve(tw.CARTClassifier(), X, y, sizes=[size])
