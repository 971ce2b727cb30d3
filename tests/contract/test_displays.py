"""scikit-learn's displays and its tools about fitted models take ours as they are, with tables of text and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay, partial_dependence, permutation_importance
from sklearn.metrics import (
    ConfusionMatrixDisplay,
    DetCurveDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
)
from sklearn.model_selection import LearningCurveDisplay, TunedThresholdClassifierCV, ValidationCurveDisplay

import treewright as tw

CLASSIFIERS = [tw.CARTClassifier(max_depth=3), tw.C45Classifier(), tw.RipperClassifier(random_state=0)]


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "town": rng.choice(["Ulm", "Bonn"], 200),
            "size": rng.random(200).round(2),
            "age": rng.integers(20, 60, 200).astype(float),
        }
    )
    return X, np.where((X["size"] > 0.5) ^ (rng.random(200) < 0.2), "yes", "no")


@pytest.mark.parametrize("est", CLASSIFIERS, ids=lambda est: type(est).__name__)
def test_displays_of_classes(est: Any, table: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = table
    est.fit(X, y)
    for display in (RocCurveDisplay, PrecisionRecallDisplay, DetCurveDisplay, CalibrationDisplay):
        shown = display.from_estimator(est, X, y, pos_label="yes", ax=Figure().add_subplot())
        assert shown.line_.get_xydata().shape[1] == 2
    shown = ConfusionMatrixDisplay.from_estimator(est, X, y, ax=Figure().add_subplot())
    assert shown.confusion_matrix.sum() == 200
    assert [text.get_text() for text in shown.ax_.get_xticklabels()] == ["no", "yes"]


@pytest.mark.parametrize("est", CLASSIFIERS, ids=lambda est: type(est).__name__)
def test_tools_around_classifiers(est: Any, table: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = table
    found = permutation_importance(est.fit(X, y), X, y, n_repeats=3, random_state=0).importances_mean
    assert int(np.argmax(found)) == 1
    calibrated = CalibratedClassifierCV(est, cv=3).fit(X, y)
    assert np.allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    tuned = TunedThresholdClassifierCV(est, cv=3).fit(X, y)
    assert set(tuned.predict(X)) <= {"no", "yes"}


def test_partial_dependence_and_boundaries(table: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = table
    X = X.assign(town=np.resize(["Ulm", "Bonn", "Jena"], len(X)))  # of two scikit-learn 1.6 takes the grid for the classes
    est = tw.CARTClassifier(max_depth=3).fit(X, y)
    found = partial_dependence(est, X, ["town"], categorical_features=["town"], response_method="predict_proba")
    assert found["grid_values"][0].tolist() == ["Bonn", "Jena", "Ulm"]
    PartialDependenceDisplay.from_estimator(
        est, X, ["size", "age", "town"], categorical_features=["town"], ax=Figure().add_subplot()
    )
    two = tw.CARTClassifier(max_depth=3).fit(X[["size", "age"]], y)
    shown = DecisionBoundaryDisplay.from_estimator(two, X[["size", "age"]], response_method="predict", ax=Figure().add_subplot())
    assert set(np.unique(shown.response)) == {0, 1}


def test_curves_and_errors_of_numbers(table: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, _ = table
    y = X["size"] * 3 + (X["town"] == "Ulm")
    est = tw.CARTRegressor(max_depth=4)
    LearningCurveDisplay.from_estimator(est, X, y, cv=3, ax=Figure().add_subplot())
    ValidationCurveDisplay.from_estimator(
        est, X, y, param_name="max_depth", param_range=[1, 2, 3], cv=3, ax=Figure().add_subplot()
    )
    PredictionErrorDisplay.from_estimator(est.fit(X, y), X, y, ax=Figure().add_subplot())
