"""Members are what their learner makes of the same rows: every member is a model people can open and learn again alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw
from tests.ensembles.tables import mixed
from treewright.model import RuleSet, Tree

CLASSIFIERS = [
    tw.RandomForestClassifier(4, random_state=3),
    tw.RandomForestClassifier(4, max_samples=0.3, class_weight={"low": 2.0, "middle": 1.0, "high": 1.0}),
    tw.BaggingClassifier(tw.C45Classifier(), 4),
    tw.BaggingClassifier(tw.RipperClassifier(), 3, max_samples=0.6, bootstrap=False),
    tw.BaggingClassifier(tw.PartClassifier(), 3),
    tw.CommitteeClassifier(tw.REPTreeClassifier(), folds=3),
    tw.CommitteeClassifier(tw.C45RulesClassifier(), folds=3),
    tw.BaggingClassifier(tw.LogisticTreeClassifier(), 2),
]
REGRESSORS = [
    tw.RandomForestRegressor(4, max_features=2),
    tw.BaggingRegressor(tw.M5Regressor(), 3),
    tw.CommitteeRegressor(tw.M5RulesRegressor(), folds=3),
]


def same(member: Any, alone: Any) -> bool:
    """Whether two models are one, but for the levels they know: a member knows those of the whole table."""
    if isinstance(member, Tree):
        return member == alone.knowing(member.schema)
    assert isinstance(member, RuleSet)
    return str(member) == str(alone)


@pytest.mark.parametrize(
    "ensemble", CLASSIFIERS + REGRESSORS, ids=lambda e: f"{type(e).__name__}-{getattr(e, 'estimator', None)}"
)
@pytest.mark.parametrize("weighted", [False, True])
def test_members_are_models_learned_alone_from_the_same_weights(ensemble: Any, weighted: bool) -> None:
    X, classes, numbers = mixed()
    y = classes if hasattr(ensemble, "predict_proba") else numbers
    weights = np.random.default_rng(1).integers(1, 4, len(X)).astype(float) if weighted else None
    fitted = clone(ensemble).fit(X, y, sample_weight=weights)
    for at, member in enumerate(fitted.estimators_):
        counts = np.bincount(fitted.estimators_samples_[at], minlength=len(X)).astype(float)
        alone = clone(member).fit(X, y, sample_weight=counts * (1.0 if weights is None else weights))
        assert same(fitted.forest_.members[at], alone._model)
        rows = counts > 0
        assert member.predict(X[rows]).tolist() == alone.predict(X[rows]).tolist()


def test_a_member_of_some_columns_is_the_model_of_these_columns() -> None:
    X, classes, numbers = mixed()
    for base, y in ((tw.C45Classifier(), classes), (tw.PartClassifier(), classes), (tw.LogisticTreeClassifier(), classes)):
        bagged = tw.BaggingClassifier(base, 5, max_features=3, bootstrap=False).fit(X, y)
        for member, columns in zip(bagged.estimators_, bagged.estimators_features_, strict=True):
            assert len(columns) == 3
            alone = clone(member).fit(X.iloc[:, columns], y)
            assert member.predict(X).tolist() == alone.predict(X.iloc[:, columns]).tolist()
            assert np.array_equal(member.predict_proba(X), alone.predict_proba(X.iloc[:, columns]))
    for regressor in (tw.M5Regressor(), tw.M5Regressor(smoothing="blend"), tw.M5RulesRegressor(), tw.TreeRegressor()):
        bagged = tw.BaggingRegressor(regressor, 5, max_features=0.6, bootstrap=False).fit(X, numbers)
        for member, columns in zip(bagged.estimators_, bagged.estimators_features_, strict=True):
            alone = clone(member).fit(X.iloc[:, columns], numbers)
            assert np.array_equal(member.predict(X), alone.predict(X.iloc[:, columns]))
    many = np.column_stack([numbers, -numbers])
    bagged = tw.BaggingRegressor(None, 3, max_features=2, bootstrap=False).fit(X, many)
    for member, columns in zip(bagged.estimators_, bagged.estimators_features_, strict=True):
        assert np.array_equal(member.predict(X), clone(member).fit(X.iloc[:, columns], many).predict(X.iloc[:, columns]))


def test_a_random_state_is_asked_once_a_fit(tmp_path: Any) -> None:
    X, y, _ = mixed()
    state = np.random.RandomState(7)
    bagged = tw.BaggingClassifier(tw.REPTreeClassifier(), 4, max_features=2, random_state=state).fit(X, y)
    before = state.get_state()[2]
    for member, columns in zip(bagged.estimators_, bagged.estimators_features_, strict=True):
        assert set(member.tree_.used_columns) <= {X.columns[j] for j in columns}
    assert state.get_state()[2] == before
    more = tw.RandomForestClassifier(20, warm_start=True, oob_score=True, random_state=np.random.RandomState(3)).fit(X, y)
    more.set_params(n_estimators=30).fit(X, y)
    assert more.forest_ == tw.RandomForestClassifier(30, random_state=more.seed_).fit(X, y).forest_
    same = tw.BaggingClassifier(tw.REPTreeClassifier(), 4, max_features=2, random_state=bagged.seed_).fit(X, y)
    assert same.forest_ == bagged.forest_
    same.save(tmp_path / "model.json")
    assert [c.tolist() for c in tw.load(tmp_path / "model.json").estimators_features_] == [
        c.tolist() for c in bagged.estimators_features_
    ]


def test_columns_drawn_with_replacement_are_seen_once() -> None:
    X, y, _ = mixed()
    bagged = tw.BaggingClassifier(n_estimators=30, bootstrap_features=True).fit(X, y)
    seen = bagged.estimators_features_
    assert all(len(set(columns.tolist())) == len(columns) and np.all(np.diff(columns) > 0) for columns in seen)
    # Five draws of five columns leave out a third of them.
    assert 3.0 < np.mean([len(columns) for columns in seen]) < 3.8
    for member, columns in zip(bagged.forest_, seen, strict=True):
        assert set(member.used_columns) <= {X.columns[j] for j in columns}


@pytest.mark.parametrize(
    "ensemble", CLASSIFIERS + REGRESSORS, ids=lambda e: f"{type(e).__name__}-{getattr(e, 'estimator', None)}"
)
def test_threads_do_not_change_a_byte(ensemble: Any, tmp_path: Any) -> None:
    X, classes, numbers = mixed(missing=0.3)
    y = classes if hasattr(ensemble, "predict_proba") else numbers
    files = []
    for threads in (1, 2, 5):
        path = tmp_path / f"{threads}.json"
        fitted = clone(ensemble).set_params(n_jobs=threads).fit(X, y)
        fitted.forest_.save(path)
        files.append(path.read_bytes())
        assert fitted.predict(X).tolist() == tw.load(path).predict(X).tolist()
    assert files[0] == files[1] == files[2]


@pytest.mark.filterwarnings("ignore:.*nobody can judge")
def test_more_members_are_added_to_those_there_are() -> None:
    X, classes, numbers = mixed()
    for begun, whole, y in (
        (tw.RandomForestClassifier(3, warm_start=True, oob_score=True), tw.RandomForestClassifier(7, oob_score=True), classes),
        (tw.BaggingRegressor(tw.M5Regressor(), 3, warm_start=True), tw.BaggingRegressor(tw.M5Regressor(), 7), numbers),
    ):
        begun.fit(X, y)
        first = begun.forest_.members
        begun.set_params(n_estimators=7)
        begun.fit(X, y)
        whole.fit(X, y)
        assert begun.forest_ == whole.forest_ and begun.forest_.members[:3] == first
        assert getattr(begun, "oob_score_", None) == getattr(whole, "oob_score_", None)
        with pytest.raises(ValueError, match="n_estimators=2 is less than the 7 members"):
            begun.set_params(n_estimators=2).fit(X, y)
