"""What is said of the rows of one fold is not said again of those of the next; levels that were declared are no news."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw

SOURCE = str(Path(tw.__file__).resolve().parents[1])
FOLDS = """
import numpy as np, pandas as pd, treewright as tw
from sklearn.model_selection import cross_val_score
rng = np.random.default_rng(0)
X = pd.DataFrame({"city": [f"c{int(v)}" for v in rng.integers(0, 60, 200)], "x": rng.random(200)})
y = rng.integers(0, 2, 200)
if DECLARED:
    X["city"] = X["city"].astype("category")
for estimator in (tw.CARTClassifier(), tw.C45Classifier()):
    cross_val_score(estimator, X, y, cv=5)
tw.CARTClassifier().fit(X.assign(more=X["city"]), y).predict(pd.DataFrame({"city": ["?"], "x": [0.0], "more": ["new"]}))
"""


@pytest.mark.parametrize(("declared", "told"), [(False, 2), (True, 1)])
def test_folds_are_warned_of_once(declared: bool, told: int) -> None:
    code = FOLDS.replace("DECLARED", str(declared))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": SOURCE}, check=True)
    lines = [line for line in done.stderr.splitlines() if "UnseenLevelWarning" in line]
    assert len(lines) == told, done.stderr
    assert "(city: '?' 1; more: 'new' 1)" in lines[-1]


def test_who_asks_for_all_warnings_gets_them() -> None:
    est = tw.CARTClassifier().fit(pd.DataFrame({"c": ["a", "a", "b", "b"]}), [0, 0, 1, 1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for level in ("x", "y", "z"):
            est.predict(pd.DataFrame({"c": [level]}))
    assert len(caught) == 3
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for level in ("x", "y", "z"):
            est.predict(pd.DataFrame({"c": [level]}))
    assert len(caught) == 1
