"""Probabilities: scikit-learn calibrates every classifier of the package, and the curve is that of its own function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import brier_score_loss
from sklearn.svm import LinearSVC

import treewright as tw
from tests.evaluate.test_tune import noisy
from treewright.evaluate.calibrating import wilson
from treewright.learn import LEARNERS

CLASSIFIERS = sorted(name for name in LEARNERS if name.endswith("Classifier"))


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_scikit_learn_calibrates_every_classifier(name: str, method: str) -> None:
    X, y = noisy(150)
    X["a"] = X["a"].fillna(0.0)  # ID3 takes no missing cells
    X = X[["a", "b"]] if name == "TreeNeighborsClassifier" else X
    est = getattr(tw, name)()
    train, rest, test = np.arange(70), np.arange(70, 120), np.arange(120, 150)
    fitted = CalibratedClassifierCV(est, method=method, cv=3).fit(X.iloc[train], y[train])
    frozen = CalibratedClassifierCV(FrozenEstimator(est.fit(X.iloc[train], y[train])), method=method).fit(X.iloc[rest], y[rest])
    for model in (fitted, frozen):
        shares = model.predict_proba(X.iloc[test])
        assert shares.shape == (30, 2) and np.allclose(shares.sum(axis=1), 1)
        assert set(model.predict(X.iloc[test])) <= {"no", "yes"}
        assert 0 <= tw.calibration(model, X.iloc[test], y[test]).error <= 1


def fitted() -> tuple[Any, pd.DataFrame, np.ndarray]:
    X, y = noisy(400)
    return tw.RandomForestClassifier(20, random_state=0).fit(X[:200], y[:200]), X[200:], y[200:]


def test_uniform_bins_are_those_of_scikit_learn() -> None:
    model, X, y = fitted()
    found = tw.calibration(model, X, y, strategy="uniform", bins=7)
    p = model.predict_proba(X)[:, 1]
    observed, predicted = calibration_curve(y == "yes", p, n_bins=7, strategy="uniform")
    assert found.label == "yes" and found.observed == pytest.approx(observed) and found.predicted == pytest.approx(predicted)
    assert found.brier == pytest.approx(brier_score_loss(y == "yes", p))
    assert found.n_rows.sum() == 200
    other = tw.calibration(model, X, y, label="no")
    assert other.label == "no" and other.brier == pytest.approx(found.brier)


def test_bins_of_as_many_rows_each() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=500)})
    y = np.where(rng.random(500) < 1 / (1 + np.exp(-2 * X["a"])), "yes", "no")
    model = tw.LogisticTreeClassifier().fit(X, y)
    found = tw.calibration(model, X, y, bins=5)
    assert found.n_rows.tolist() == [100] * 5
    assert np.all(np.diff(found.predicted) > 0)
    tree = tw.CARTClassifier(max_leaf_nodes=3).fit(X, y)  # three probabilities: three bins, exact on its own rows
    own = tw.calibration(tree, X, y)
    assert len(own.predicted) == 3 and own.error == pytest.approx(0, abs=1e-12)
    assert own.observed.tolist() == pytest.approx(own.predicted.tolist())
    assert np.all((own.low < own.observed) & (own.observed < own.high))


def test_the_probability_of_the_predicted_class() -> None:
    iris = tw.datasets.load_iris()
    model = tw.CARTClassifier(max_depth=2).fit(iris.X[::2], iris.y[::2])
    X, y = iris.X[1::2], np.asarray(iris.y[1::2])
    found = tw.calibration(model, X, y)
    sure, right = model.predict_proba(X).max(axis=1), model.predict(X) == y
    assert found.label is None and found.brier == pytest.approx(np.mean((sure - right) ** 2))
    for predicted, observed, n in zip(found.predicted, found.observed, found.n_rows, strict=True):
        rows = np.isclose(sure, predicted)
        assert rows.sum() == n and right[rows].mean() == pytest.approx(observed)
    strange = tw.calibration(model, X, np.where(y == "setosa", "unknown", y))  # a class it has never seen is never right
    assert strange.observed[-1] < 0.5


def test_intervals_are_wilsons() -> None:
    share, n = np.array([0.0, 0.3, 1.0]), np.array([10, 10, 1])
    low, high = wilson(share, n, 1.96)
    for p, m, a, b in zip(share, n, low, high, strict=True):
        for end in (a, b):  # the ends are where the normal test of that probability just gives way
            assert abs(p - end) == pytest.approx(1.96 * np.sqrt(end * (1 - end) / m), abs=1e-12)
        assert a <= p <= b


def test_plots_of_several_models() -> None:
    mpl = pytest.importorskip("matplotlib")
    mpl.use("agg")
    import matplotlib.pyplot as plt

    model, X, y = fitted()
    tree = tw.CARTClassifier(max_leaf_nodes=4).fit(X, y)
    ax = tw.plot_calibration({"forest $x": model, "tree": tree}, X, y, bins=5)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(texts) == 3 and texts[0] == "as it should be" and texts[1].startswith(r"forest \$x: error 0.")
    below = ax.figure.axes[1]
    assert sum(bar.get_height() for bar in below.patches) == 2 * len(y)
    assert below.get_xlabel() == "probability of yes"
    one = tw.plot_calibration(tree, X, y, ax=plt.figure().add_subplot())
    one.figure.canvas.draw()
    found = tw.calibration(tree, X, y)
    assert len(found.plot().containers) == 1 and list(found.to_frame()["n_rows"]) == found.n_rows.tolist()
    assert repr(found).startswith("<Calibration of 'yes': error ")
    plt.close("all")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, X, y: tw.calibration(LinearSVC(), X, y), "LinearSVC has no predict_proba"),
        (lambda m, X, y: tw.calibration(m, X, y[:5]), "X has 200 rows and y has 5"),
        (lambda m, X, y: tw.calibration(m, X, y, label="maybe"), "label='maybe' is not allowed: it must be one of the classes"),
        (lambda m, X, y: tw.calibration(m, X, y, bins=0), "bins=0 is not allowed"),
        (lambda m, X, y: tw.calibration(m, X, y, strategy="equal"), "strategy 'equal' is unknown"),
        (lambda m, X, y: tw.calibration(m, X, y, confidence=2), "confidence=2 is not allowed"),
        (lambda m, X, y: tw.plot_calibration([], X, y), "models is empty"),
        (lambda m, X, y: tw.calibration(tw.CARTClassifier(), X, y), "not fitted"),
    ],
)
def test_wrong_requests_are_answered(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call(*fitted())
