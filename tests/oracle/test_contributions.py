"""Contributions of columns equal their definition, over all sets of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.properties.tables import POLICIES, make_case

from .contributions import by_background, by_training_rows

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*a split needs:treewright.TreewrightWarning"),
    pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning"),
]

CLOSE = {"rtol": 0, "atol": 1e-12}

CLASSIFIERS = {
    "cart": tw.CARTClassifier(),
    "id3": tw.ID3Classifier(),
    "c45": tw.C45Classifier(pruned=False),
    "soft": tw.C45Classifier(pruned=False, soft=True),
    "reptree": tw.REPTreeClassifier(pruned=False),
    "ternary": tw.TreeClassifier(numeric="ternary", nominal="multiway", missing="fraction"),
    "grouped": tw.TreeClassifier(nominal="grouped", missing="fraction"),
    **{missing: tw.TreeClassifier(nominal="subset", missing=missing) for missing in POLICIES},
    **{f"multiway-{m}": tw.TreeClassifier(nominal="multiway", missing=m) for m in POLICIES if m != "surrogate"},
}
REGRESSORS = {
    "cart": tw.CARTRegressor(),
    **{missing: tw.TreeRegressor(missing=missing) for missing in POLICIES if missing != "most_common_in_class"},
}


def answered(est: Any, X: Any) -> Any:
    return est.predict_proba(X) if hasattr(est, "predict_proba") else est.predict(X)


def assert_equal(found: Any, expected: tuple[Any, Any]) -> None:
    base, values = expected
    assert np.abs(values).max() > 0.01
    np.testing.assert_allclose(np.atleast_1d(found.base), base, **CLOSE)
    np.testing.assert_allclose(found.values.reshape(values.shape), values, **CLOSE)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_shares_of_classes(name: str, seed: int) -> None:
    holes = name != "id3"  # which refuses missing cells
    case = make_case(seed, 60, holes)
    est = CLASSIFIERS[name].fit(case.X, case.classes)
    rows = make_case(seed + 10, 8, holes).X
    assert est.tree_.depth > 2
    found = est.contributions(rows)
    assert_equal(found, by_training_rows(est.tree_, rows))
    np.testing.assert_allclose(found.answers, answered(est, rows), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", REGRESSORS)
def test_numbers(name: str) -> None:
    case = make_case(3, 60)
    est = REGRESSORS[name].fit(case.X, case.numbers)
    rows = make_case(13, 8).X
    found = est.contributions(rows)
    assert_equal(found, by_training_rows(est.tree_, rows))
    np.testing.assert_allclose(found.answers, answered(est, rows), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "name", ["cart", "id3", "c45", "soft", "ternary", "grouped", "learned", "own", "surrogate", "multiway-spread"]
)
def test_shares_of_classes_against_a_background(name: str) -> None:
    holes = name != "id3"
    case = make_case(4, 60, holes)
    est = CLASSIFIERS[name].fit(case.X, case.classes)
    rows, others = make_case(14, 4, holes).X, make_case(15, 11, holes).X
    found = est.contributions(rows, others)
    assert_equal(found, by_background(est.predict_proba, rows, others))
    np.testing.assert_allclose(found.answers, answered(est, rows), rtol=0, atol=1e-9)


def test_several_numbers() -> None:
    case = make_case(5, 60)
    y = np.column_stack([case.numbers, np.nan_to_num(case.X["smooth"]) ** 2, np.arange(60.0)])
    est = tw.CARTRegressor().fit(case.X, y)
    rows, others = make_case(15, 5).X, make_case(16, 9).X
    found = est.contributions(rows)
    assert found.values.shape == (5, 6, 3)
    assert_equal(found, by_training_rows(est.tree_, rows))
    np.testing.assert_allclose(found.answers, est.predict(rows), rtol=0, atol=1e-9)
    assert_equal(est.contributions(rows, others), by_background(est.predict, rows, others))


FORESTS = {
    "forest": tw.RandomForestClassifier(n_estimators=5, random_state=1),
    "bagging": tw.BaggingClassifier(tw.C45Classifier(), n_estimators=4, random_state=1),
    "boosting": tw.AdaBoostClassifier(n_estimators=4, random_state=1),
    "numbers": tw.RandomForestRegressor(n_estimators=5, random_state=1),
}


@pytest.mark.parametrize("name", FORESTS)
def test_forests(name: str) -> None:
    holes = name in ("forest", "numbers")  # of votes a row must not be divided
    case = make_case(6, 80, holes=holes)
    est = FORESTS[name]
    est.fit(case.X, case.target(est))
    forest = est.forest_
    rows = make_case(16, 5, holes=holes).X
    votes = forest.combine.kind == "vote"
    each = [by_training_rows(tree, rows, votes) for tree in forest.trees]
    shares = np.array(forest.weights) / sum(forest.weights)
    expected = [sum(share * one[part] for share, one in zip(shares, each, strict=True)) for part in (0, 1)]
    found = est.contributions(rows)
    assert_equal(found, (expected[0], expected[1]))
    np.testing.assert_allclose(found.answers, answered(est, rows), rtol=0, atol=1e-9)
    others = make_case(17, 7, holes=holes).X
    assert_equal(est.contributions(rows, others), by_background(lambda X: answered(est, X), rows, others))


OTHERS = {
    "logistic": tw.LogisticTreeClassifier(),
    "ripper": tw.RipperClassifier(random_state=1),
    "c45rules": tw.C45RulesClassifier(),
    "m5": tw.M5Regressor(),
    "m5rules": tw.M5RulesRegressor(),
    "median": tw.AdaBoostRegressor(n_estimators=4, random_state=1),
    "mean of rules": tw.BaggingClassifier(tw.RipperClassifier(), n_estimators=3, random_state=1, voting="soft"),
    "confidence": tw.AdaBoostClassifier(tw.C45Classifier(), n_estimators=3, algorithm="c5.0"),
    "divided votes": tw.BaggingClassifier(tw.C45Classifier(), n_estimators=3, random_state=1),
}


@pytest.mark.parametrize("name", OTHERS)
def test_models_that_are_no_sum_over_leaves(name: str) -> None:
    case = make_case(8, 80)
    est = OTHERS[name]
    case.classes = np.where(np.nan_to_num(case.X["few"]) + (case.X["text"] == "u") > 0, "a", "b")  # what rules can find
    est.fit(case.X, case.target(est))
    with pytest.raises(ValueError, match="give background="):
        est.contributions(case.X)
    rows, others = make_case(18, 3).X, make_case(19, 6).X
    found = est.contributions(rows, others)
    assert_equal(found, by_background(lambda X: answered(est, X), rows, others))
    np.testing.assert_allclose(found.answers, answered(est, rows), rtol=0, atol=1e-9)
