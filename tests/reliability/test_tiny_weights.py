"""The smallest weights there are, and weights of very different size: a right answer or a named error, and nothing in between."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")  # what is kept roughly, or heavy, is said
LEAST = 5e-324
DRAW = np.random.default_rng(0)
X = pd.DataFrame({"a": DRAW.normal(size=60).round(2), "b": DRAW.choice(list("uvw"), 60), "c": DRAW.normal(size=60).round(1)})
X.loc[::9, "c"] = np.nan
CLASSES = np.where(X.a + (X.b == "u") > 0.3, "p", np.where(X.c.fillna(0) > 0.4, "q", "r"))
NUMBERS = (X.a * 2 + X.c.fillna(0)).to_numpy()
WEIGHTS = {
    "all the least": np.full(60, LEAST),
    "a few of the least": DRAW.integers(1, 5, 60) * LEAST,
    "denormal and normal": np.where(np.arange(60) % 2, 2.3e-308, 1e-310),
    "one heavy": np.r_[1.0, np.full(59, LEAST)],
    "one of 1e300": np.r_[1e300, np.full(59, 1e-300)],
    "a class of the least": np.where(CLASSES == "p", LEAST, 1.0),
    "large copies": np.full(60, 1e300),
    "large": DRAW.random(60) * 1e300,
}
FACTORS = {"p": 1e30, "q": 1e-30, "r": 1.0}
CLASSIFIERS: dict[str, Any] = {
    "cart": tw.CARTClassifier(),
    "priors": tw.CARTClassifier(priors={"p": 0.5, "q": 0.3, "r": 0.2}),
    "balanced": tw.CARTClassifier(class_weight="balanced"),
    "class weights": tw.CARTClassifier(class_weight=FACTORS),
    "weighed rows": tw.CARTClassifier(class_weight="balanced", min_weight_fraction_leaf=0.01),
    "losses": tw.CARTClassifier(loss=[[0, 1, 2], [3, 0, 1], [1, 1, 0]]),
    "rpart": tw.CARTClassifier(recipe="rpart"),
    "c45": tw.C45Classifier(),
    "soft": tw.C45Classifier(soft=True),
    "windows": tw.C45Classifier(trials=2),
    "j48": tw.C45Classifier(variant="j48"),
    "reptree": tw.REPTreeClassifier(),
    "lmt": tw.LogisticTreeClassifier(),
    "ripper": tw.RipperClassifier(),
    "irep": tw.IrepClassifier(),
    "part": tw.PartClassifier(),
    "c45rules": tw.C45RulesClassifier(),
    "forest": tw.RandomForestClassifier(n_estimators=5, random_state=0),
    "balanced forest": tw.RandomForestClassifier(n_estimators=5, class_weight="balanced", random_state=0),
}
REGRESSORS: dict[str, Any] = {
    "cart": tw.CARTRegressor(),
    "absolute": tw.CARTRegressor(criterion="absolute_error"),
    "rpart": tw.CARTRegressor(recipe="rpart"),
    "reptree": tw.REPTreeRegressor(),
    "m5": tw.M5Regressor(),
    "m5rules": tw.M5RulesRegressor(),
    "forest": tw.RandomForestRegressor(n_estimators=5, random_state=0),
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_W3_shares_of_tiny_weights(name: str, weights: str) -> None:
    est = CLASSIFIERS[name].fit(X, CLASSES, sample_weight=WEIGHTS[weights])
    shares = est.predict_proba(X)
    assert np.all(np.isfinite(shares)) and shares.sum(axis=1) == pytest.approx(1.0)
    if hasattr(est, "pruning_path") and name != "lmt":
        path = est.pruning_path(X, CLASSES, sample_weight=WEIGHTS[weights], folds=3)
        assert np.all(np.isfinite(path.training_error)) and np.all(np.isfinite(path.cv.error))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", REGRESSORS)
def test_W3_numbers_of_tiny_weights(name: str, weights: str) -> None:
    if name in ("m5", "m5rules") and weights.startswith("large"):
        with pytest.raises(ValueError, match=r"sample_weight sums to .* divide the weights by"):
            REGRESSORS[name].fit(X, NUMBERS, sample_weight=WEIGHTS[weights])
        return
    assert np.all(np.isfinite(REGRESSORS[name].fit(X, NUMBERS, sample_weight=WEIGHTS[weights]).predict(X)))


@pytest.mark.parametrize(
    "name", ["cart", "priors", "balanced", "class weights", "weighed rows", "c45", "reptree", "part", "ripper"]
)
def test_W3_equal_weights_answer_alike_however_small(name: str) -> None:
    said = [
        CLASSIFIERS[name].fit(X, CLASSES, sample_weight=np.full(60, each)).predict(X).tolist() for each in (0.3, 2.3e-308, LEAST)
    ]
    assert said[0] == said[1] == said[2]
