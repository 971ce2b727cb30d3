"""C4.5rules release 8: rules and errors as its own program gave them, and the golf example with its accuracies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw

# Rules / errors on all rows; errors on ten folds (row i in fold i modulo 10).
MEASURED = {
    "contact-lenses": (3, 2, 4),
    "weather.nominal": (5, 0, 5),
    "weather.numeric": (4, 0, 6),
    "iris": (4, 4, 7),
    "labor": (3, 2, 8),
    "vote": (5, 12, 20),
    "breast-cancer": (11, 54, 83),
    "diabetes": (8, 138, 195),
}
pytestmark = pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning")
# What may differ, and why.
ALLOWED = {
    "labor": {"rules"},  # the unpruned tree has 22 nodes instead of 17
    "breast-cancer": {"folds"},  # classes of more than ten rules are sifted from random beginnings
}


@pytest.mark.parametrize("name", MEASURED)
def test_row_117_c45rules(shared: Path, name: str) -> None:
    table = pd.read_parquet(shared / "data" / f"{name}.parquet")
    X, y = table.iloc[:, :-1], table.iloc[:, -1]
    rules, errors, folds = MEASURED[name]
    est = tw.C45RulesClassifier().fit(X, y)
    fold = np.arange(len(y)) % 10
    wrong = 0
    for k in range(10):
        part = tw.C45RulesClassifier().fit(X[fold != k], y[fold != k])
        wrong += int((part.predict(X[fold == k]) != y[fold == k].to_numpy()).sum())
    ours = {"rules": len(est.ruleset_), "errors": int((est.predict(X) != y.to_numpy()).sum()), "folds": wrong}
    theirs = {"rules": rules, "errors": errors, "folds": folds}
    assert {what for what in ours if ours[what] != theirs[what]} == ALLOWED.get(name, set()), (ours, theirs)
    assert abs(ours["rules"] - rules) <= 1
    assert abs(wrong - folds) <= 5


def test_row_117_golf(shared: Path) -> None:
    table = pd.read_parquet(shared / "data" / "weather.numeric.parquet")
    est = tw.C45RulesClassifier().fit(table.iloc[:, :-1], table.iloc[:, -1])
    pairs = zip(est.ruleset_, est.estimated_errors_, strict=True)
    said = [({c.text() for c in rule.when}, rule.says, round(100 * (1 - error), 1)) for rule, error in pairs]
    assert said[0] == ({"outlook = overcast"}, "yes", 70.7)
    assert said[1] == ({"outlook = rainy", "windy = FALSE"}, "yes", 63.0)
    assert said[2] == ({"outlook = sunny", "humidity > 75"}, "no", 63.0)
    assert said[3] == ({"outlook = rainy", "windy = TRUE"}, "no", 50.0)
    assert est.ruleset_.otherwise.says == "yes"


def test_row_117_monks_1(shared: Path) -> None:
    """Learned from the 124 rows of its training set, no error there and none among the 432 of its test set."""
    table = pd.read_parquet(shared / "data" / "monks-1.parquet")
    X, y = table.iloc[:, :-1], table.iloc[:, -1].to_numpy()
    wrong = tw.C45RulesClassifier().fit(X[:124], y[:124]).predict(X) != y
    assert (int(wrong[:124].sum()), int(wrong[124:].sum()), len(y)) == (0, 0, 556)
