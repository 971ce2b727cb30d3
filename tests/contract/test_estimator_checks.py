"""All of scikit-learn's estimator checks, for every estimator; none is expected to fail."""

from __future__ import annotations

from inspect import signature
from typing import Any
from unittest import SkipTest

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import treewright as tw

ESTIMATORS = [
    tw.ID3Classifier(),
    tw.MemorisingTreeClassifier(),
    tw.BacktrackingTreeClassifier(max_thresholds=8),
    tw.C45Classifier(),
    tw.C45Classifier(variant="j48"),
    tw.CARTClassifier(),
    tw.CARTRegressor(),
    tw.REPTreeClassifier(),
    tw.REPTreeRegressor(),
    tw.CARTRegressor(criterion="absolute_error"),
    tw.CARTRegressor(criterion="worst_case"),
    tw.M5Regressor(),
    tw.M5Regressor(variant="m5", smoothing="blend"),
    tw.LogisticTreeClassifier(),
    tw.OptimalTreeClassifier(max_depth=2),
    tw.OptimalTreeRegressor(max_depth=2),
    tw.ObliqueTreeClassifier(restarts=3),
    tw.ObliqueTreeClassifier(method="cart-lc", max_terms=2),
    tw.ObliqueTreeClassifier(node="quadratic"),
    tw.ObliqueTreeClassifier(node="sphere"),
    tw.ObliqueTreeRegressor(restarts=3),
    tw.ObliqueTreeClassifier(method="fact"),
    tw.ObliqueTreeClassifier(method="lmdt"),
    tw.ObliqueTreeClassifier(node="network", restarts=0),
    tw.ObliqueTreeRegressor(node="network", restarts=0),
    tw.OmnivariateTreeClassifier(choice="bic"),
    tw.QuestTreeClassifier(),
    tw.SoftTreeClassifier(),
    tw.SoftTreeRegressor(restarts=1),
    tw.TreeClassifier(),
    tw.TreeRegressor(),
    tw.TreeClassifier(recipe="id3", criterion="gain_ratio", missing="fraction", chooser="above_average"),
    tw.TreeClassifier(numeric="ternary", missing="own"),
    tw.TreeClassifier(numeric="discretised", discretise="equal_frequency", missing="majority"),
    tw.TreeRegressor(numeric="discretised", missing="spread"),
    tw.RipperClassifier(),
    tw.IrepClassifier(),
    tw.C45RulesClassifier(),
    tw.PartClassifier(),
    tw.M5RulesRegressor(),
    tw.TreeColumns(),
    tw.TreeNeighborsClassifier(),
    tw.RandomForestClassifier(5),
    tw.RandomForestRegressor(5),
    tw.ExtraTreesClassifier(5),
    tw.ExtraTreesRegressor(5),
    tw.BaggingClassifier(n_estimators=3),
    tw.BaggingRegressor(tw.M5Regressor(), n_estimators=3),
    tw.CommitteeClassifier(folds=3),
    tw.CommitteeRegressor(folds=3),
    tw.AdaBoostClassifier(n_estimators=5),
    tw.AdaBoostRegressor(n_estimators=5),
    tw.CoTrainingClassifier(rounds=3),
]


# Where rows are drawn, or dealt into folds, by their position, a row that stands in the table twice is not one of weight 2;
# scikit-learn's own ensembles are excused as well.
DRAWN = ("RandomForest", "Bagging", "Committee", "AdaBoostRegressor")
EXCUSED = {
    "check_sample_weight_equivalence_on_dense_data": DRAWN,
    "check_sample_weight_equivalence_on_sparse_data": DRAWN,
    # A class of no weight is not to be said at all; where it costs nothing, the best tree says it.
    "check_class_weight_classifiers": ("OptimalTree",),
    "check_classifiers_classes": ("CoTraining",),  # it asks for the class -1, which is a row without a class
}


def name_of(check: Any) -> str:
    return getattr(check, "func", check).__name__


CHECKS = [
    pytest.param(estimator, check, id=f"{given!r}-{number}-{name_of(check)}")
    for given in ESTIMATORS
    for number, (estimator, check) in enumerate(estimator_checks_generator(given))
]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_estimator_check(estimator: Any, check: Any) -> None:
    if type(estimator).__name__.startswith(EXCUSED.get(name_of(check), ("nobody",))):
        with pytest.raises((AssertionError, ValueError, tw.TreewrightWarning)):
            check(estimator)
        return
    try:
        check(estimator)
    except SkipTest as skip:
        reason = str(skip)
    else:
        return
    # The only check that may be left out, and only for this reason.
    assert name_of(check) == "check_array_api_input"
    assert "SCIPY_ARRAY_API is not set" in reason
    pytest.skip(reason)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_the_checks_are_not_few(estimator: Any) -> None:
    found = [name_of(check) for _, check in estimator_checks_generator(estimator)]
    assert len(found) > 50
    weighted = "sample_weight" in signature(estimator.fit).parameters
    assert ("check_sample_weight_equivalence_on_dense_data" in found) == weighted
    assert "check_fit2d_1sample" in found


class Forgetful(tw.CARTClassifier):
    """A classifier that breaks a rule: it changes its own parameter when fitted."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.max_depth = 1
        return super().fit(X, y, sample_weight)


def test_a_broken_estimator_is_caught() -> None:
    caught = []
    for estimator, check in estimator_checks_generator(Forgetful()):
        try:
            check(estimator)
        except SkipTest:
            continue
        except AssertionError:
            caught.append(name_of(check))
    assert "check_estimators_overwrite_params" in caught
