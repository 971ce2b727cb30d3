"""Stacking and voting (acceptance rows 163 and 164): no leak, files, and what members say of a row."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, PredefinedSplit

import treewright as tw
from tests.ensembles.tables import mixed

MEMBERS = [("c45", tw.C45Classifier()), ("rules", tw.RipperClassifier()), ("forest", tw.RandomForestClassifier(5))]
NUMBERS = [("m5", tw.M5Regressor()), ("tree", tw.TreeRegressor(max_depth=3))]


class Keeps(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted to."""

    def fit(self, X: Any, y: Any) -> Keeps:
        self.X_, self.classes_ = np.array(X), np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), int)


class KeepsNumbers(RegressorMixin, Keeps):
    """The same for numbers."""


@settings(max_examples=12)
@given(st.integers(0, 3), st.integers(0, 10_000))
def test_row_163_level_one_of_a_fold_does_not_know_its_targets(fold: int, seed: int) -> None:
    X, y, numbers = mixed(120)
    folds = np.arange(len(X)) % 4
    held = np.flatnonzero(folds == fold)
    moved = np.random.default_rng(seed).permutation(held)
    for kind, keeps, members, target in (
        (tw.StackingClassifier, Keeps, MEMBERS[:2], y),
        (tw.StackingRegressor, KeepsNumbers, NUMBERS, numbers),
    ):
        other = target.copy()
        other[held] = target[moved]
        one = kind(members, keeps(), cv=PredefinedSplit(folds)).fit(X, target).final_estimator_.X_
        two = kind(members, keeps(), cv=PredefinedSplit(folds)).fit(X, other).final_estimator_.X_
        assert np.array_equal(one[held], two[held])


def test_row_163_level_one_is_what_members_say_out_of_fold() -> None:
    X, y, _ = mixed(120)
    folds = np.arange(len(X)) % 3
    level_one = tw.StackingClassifier(MEMBERS[:2], Keeps(), cv=PredefinedSplit(folds)).fit(X, y).final_estimator_.X_
    for fold in range(3):
        for at, (_, member) in enumerate(MEMBERS[:2]):
            alone = clone(member).fit(X[folds != fold], np.unique(y, return_inverse=True)[1][folds != fold])
            assert np.array_equal(level_one[folds == fold, 3 * at : 3 * at + 3], alone.predict_proba(X[folds == fold]))


def test_labels_are_nominal_cells_of_the_final_estimator() -> None:
    X, y, _ = mixed()
    stack = tw.StackingClassifier(MEMBERS[:2], tw.TreeClassifier(nominal="multiway", max_depth=2), stack_method="predict").fit(
        X, y
    )
    assert [column.nominal for column in stack.final_estimator_.tree_.schema.columns] == [True, True]
    assert stack.final_estimator is not stack.final_estimator_ and stack.final_estimator.categorical_features is None
    chosen = tw.StackingClassifier(MEMBERS[:2], tw.TreeClassifier(categorical_features=[0]), stack_method="predict").fit(X, y)
    assert chosen.final_estimator_.categorical_features == [0]


def test_row_164_majority_and_weighted() -> None:
    X, y, numbers = mixed()
    members = [("a", tw.TreeClassifier(max_depth=1)), ("b", tw.TreeClassifier(max_depth=2)), ("c", tw.C45Classifier())]
    classes = sorted(set(y))
    for weights in (None, [1, 1, 3]):
        vote = tw.VotingClassifier(members, weights=weights).fit(X, y)
        told = np.array([clone(member).fit(X, y).predict(X) for _, member in members])
        for row, said in zip(told.T, vote.predict(X), strict=True):
            counts = [sum(w for w, own in zip(weights or [1] * 3, row, strict=True) if own == label) for label in classes]
            assert said == classes[int(np.argmax(counts))]
    mean = tw.VotingRegressor(NUMBERS, weights=[1, 3]).fit(X, numbers).predict(X)
    each = [clone(member).fit(X, numbers).predict(X) for _, member in NUMBERS]
    assert mean == pytest.approx((each[0] + 3 * each[1]) / 4)


def together() -> list[Any]:
    return [
        tw.StackingClassifier(MEMBERS),
        tw.StackingClassifier(MEMBERS[:2], tw.TreeClassifier(max_depth=3), stack_method="predict", cv=3),
        tw.VotingClassifier(MEMBERS, voting="soft"),
        tw.VotingClassifier([*MEMBERS[:2], ("gone", "drop")], weights=[1.0, 2.0, 5.0]),
        tw.VotingClassifier([("stack", tw.StackingClassifier(MEMBERS[:1])), *MEMBERS[1:]]),
        tw.StackingRegressor(NUMBERS),
        tw.VotingRegressor(NUMBERS, weights=[0.5, 2]),
    ]


@pytest.mark.parametrize("at", range(7))
def test_saved_and_pickled_they_answer_the_same(at: int, tmp_path: Path) -> None:
    X, classes, numbers = mixed()
    model = together()[at]
    y = numbers if "Regressor" in type(model).__name__ else classes
    model.fit(X, y)
    path = tmp_path / "model.json.gz"
    model.save(path)
    loaded = tw.load(path)
    assert type(loaded) is type(model) and loaded.n_features_in_ == 5
    assert loaded.feature_names_in_.tolist() == X.columns.tolist()
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        assert other.predict(X).tolist() == model.predict(X).tolist()
        if hasattr(model, "predict_proba"):
            assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
    path2 = tmp_path / "again.json.gz"
    loaded.save(path2)
    assert path2.read_bytes() == path.read_bytes()
    assert str(loaded.explain(X.iloc[0])) == str(model.explain(X.iloc[0]))
    assert loaded.fit(X, y).predict(X).tolist() == model.predict(X).tolist()


def test_a_member_that_is_not_ours_is_named_when_it_is_saved(tmp_path: Path) -> None:
    X, y, _ = mixed(missing=0.0)
    X = X[["size", "age"]]
    vote = tw.VotingClassifier([("tree", tw.TreeClassifier()), ("line", LogisticRegression())]).fit(X, y)
    with pytest.raises(TypeError, match=r"line=LogisticRegression\(\) is no estimator of treewright"):
        vote.save(tmp_path / "vote.json")
    stack = tw.StackingClassifier([("tree", tw.TreeClassifier())], LogisticRegression()).fit(X, y)
    with pytest.raises(TypeError, match=r"final_estimator=LogisticRegression\(\) is no estimator"):
        stack.save(tmp_path / "stack.json")
    assert list(tmp_path.iterdir()) == []
    assert "line:" in str(vote.explain(X.iloc[0])) and "tree:" in str(stack.explain(X.iloc[0]))


def test_an_explanation_says_what_every_member_says() -> None:
    X, y, _ = mixed()
    vote = tw.VotingClassifier(MEMBERS).fit(X, y)
    for row in range(8):
        told = vote.explain(X.iloc[row])
        assert told.says == vote.predict(X.iloc[[row]])[0]
        for name, member in vote.named_estimators_.items():
            assert told.members[name] == vote.classes_[member.predict(X.iloc[[row]])[0]]
            assert told.shares[name] == pytest.approx(member.predict_proba(X.iloc[[row]]).max(), abs=1e-8)
    stack = tw.StackingClassifier(MEMBERS[:2]).fit(X, y)
    told = stack.explain(X.iloc[0])
    assert told.inputs[0] == "c45: high" and len(told.inputs) == stack.final_estimator_.n_features_in_
    assert "c45: high=" in str(told) and stack.final_estimator_.classes_.tolist() == stack.classes_.tolist()


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda s: s.update(names=["c45", "c45"]), "a name each"),
        (lambda s: s.update(names=["c45"]), "a name each"),
        (lambda s: s["names"].__setitem__(0, "a__b"), "cannot be called"),
        (lambda s: s.update(methods=["predict_proba"]), "one answer each"),
        (lambda s: s["methods"].__setitem__(0, "save"), "cannot be asked for"),
        (lambda s: s["methods"].__setitem__(0, "predict"), "as many columns"),
        (lambda s: s.update({"class": "Pipeline"}), "unknown"),
        (lambda s: s["params"].update(passthrough=True), "as many columns"),
        (lambda s: s["params"].update(estimators=3), "does not know"),
        (lambda s: s.update(classes=None), "no classes"),
        (lambda s: s.update(members=[]), "a name each"),
    ],
)
def test_damaged_files_are_refused(edit: Any, said: str, tmp_path: Path) -> None:
    X, y, _ = mixed(80)
    path = tmp_path / "stack.json"
    tw.StackingClassifier(MEMBERS[:2]).fit(X, y).save(path)
    document = json.loads(path.read_text())
    edit(document["model"])
    path.write_text(json.dumps(document))
    with pytest.raises(tw.ModelFormatError, match=said):
        tw.load(path, edited=True)


@pytest.mark.parametrize("cv", [None, 4])
def test_a_sorted_table_is_stacked_as_a_mixed_one(cv: Any) -> None:
    # In folds of rows in a row, members would be asked about values they never saw.
    rng = np.random.default_rng(0)
    X = np.sort(rng.normal(size=(300, 1)), axis=0)
    y = np.where(np.arange(300) // 20 % 2, "in", "out")
    stack = tw.StackingClassifier([("tree", tw.CARTClassifier())], cv=cv).fit(X, y)
    assert stack.score(X, y) > 0.9 and stack.cv is cv
    numbers = X[:, 0] ** 3 + 0.1 * rng.normal(size=300)
    regressor = tw.StackingRegressor([("tree", tw.CARTRegressor(min_samples_leaf=5)), ("m5", tw.M5Regressor())], cv=cv)
    seen = tw.compare({"stack": regressor, "tree": tw.CARTRegressor(min_samples_leaf=5)}, X, numbers, folds=5, repeats=1)
    assert seen.models[0].mean > seen.models[1].mean - 0.02
    given = [
        tw.StackingClassifier([("tree", tw.CARTClassifier())], Keeps(), cv=each).fit(X, y) for each in (cv, KFold(3), KFold(3))
    ]
    assert np.array_equal(given[1].final_estimator_.X_, given[2].final_estimator_.X_)
    assert not np.array_equal(given[0].final_estimator_.X_, given[1].final_estimator_.X_)  # a splitter is used as it is


@pytest.mark.parametrize("kind", [tw.StackingClassifier, tw.VotingClassifier])
def test_a_fit_that_fails_leaves_the_one_before_it(kind: Any) -> None:
    X, y, _ = mixed(60)
    model = kind(MEMBERS[:2]).fit(X, y)
    before, said = dict(vars(model)), model.predict(X).tolist()
    with pytest.raises(ValueError):
        model.fit(X.rename(columns=str.upper).iloc[:20], y[:19])
    assert vars(model) == before and model.predict(X).tolist() == said
