"""Ensembles of scikit-learn as forests of ours: the same numbers to the last bit, the same classes but where shares are equal."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from treewright.model.ties import ROUNDING

Tree, Number = DecisionTreeClassifier, DecisionTreeRegressor


class Plain(DecisionTreeClassifier):
    """A tree that takes no weights: members of bagging see their own rows only, and not all classes."""

    def fit(self, X: Any, y: Any) -> Plain:
        return super().fit(X, y)


class PlainForest(RandomForestClassifier):
    """The same, of a forest."""

    def fit(self, X: Any, y: Any) -> PlainForest:
        return super().fit(X, y)


def classes(missing: bool = True) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = load_wine(return_X_y=True, as_frame=True)
    return _holes(X, missing), np.array(["barolo", "grignolino", "barbera"])[y]


def numbers(missing: bool = True) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return _holes(X, missing), y.to_numpy()


def _holes(X: pd.DataFrame, missing: bool) -> pd.DataFrame:
    return X.mask(np.random.default_rng(0).random(X.shape) < 0.1) if missing else X


def rows_near(X: pd.DataFrame, n: int = 1000) -> pd.DataFrame:
    """The rows, and others whose cells are drawn from the columns and moved a little."""
    rng = np.random.default_rng(1)
    drawn = {name: rng.choice(X[name].to_numpy(), n) * (1 + 1e-8 * rng.integers(-4, 5, n)) for name in X}
    return pd.concat([X, pd.DataFrame(drawn)], ignore_index=True)


CLASSIFIERS = {
    "forest": RandomForestClassifier(12, random_state=0),
    "weighted": RandomForestClassifier(12, class_weight="balanced_subsample", random_state=0),
    "extra": ExtraTreesClassifier(12, max_depth=5, random_state=0),
    "columns": BaggingClassifier(Tree(), 12, max_features=0.4, bootstrap_features=True, random_state=0),
    "few rows": BaggingClassifier(Plain(), 12, max_samples=3, random_state=0),
    "nested": BaggingClassifier(PlainForest(3), 5, max_features=5, max_samples=4, random_state=0),
    "soft": VotingClassifier(
        [("a", Tree(max_depth=2)), ("gone", "drop"), ("b", Tree(max_depth=4)), ("c", ExtraTreesClassifier(3))],
        voting="soft",
        weights=[1, 9, 2, 1.5],
    ),
}


@pytest.mark.parametrize("which", CLASSIFIERS)
def test_class_shares_are_theirs_to_the_last_bit(which: str) -> None:
    X, y = classes()
    theirs = CLASSIFIERS[which].fit(X, y)
    ours = tw.from_sklearn(theirs)
    rows = rows_near(X)
    shares = ours.predict_proba(rows)
    assert isinstance(ours, tw.Forest) and len(ours) == len(theirs.estimators_)
    assert ours.target.classes == tuple(theirs.classes_) and ours.schema.names == list(X)
    if which == "weighted":
        np.testing.assert_allclose(shares, theirs.predict_proba(rows), rtol=1e-13)
    else:
        assert np.array_equal(shares, theirs.predict_proba(rows))
    top = np.sort(shares, axis=1)
    clear = top[:, -1] - top[:, -2] > ROUNDING
    assert clear.mean() > 0.5
    assert np.array_equal(ours.predict(rows)[clear], theirs.predict(rows)[clear])


REGRESSORS = {
    "forest": RandomForestRegressor(12, random_state=0),
    "extra": ExtraTreesRegressor(12, max_depth=6, random_state=0),
    "columns": BaggingRegressor(Number(), 12, max_features=0.4, random_state=0),
    "nested": BaggingRegressor(AdaBoostRegressor(Number(max_depth=3), n_estimators=3), 4, random_state=0),
    "boosted": AdaBoostRegressor(Number(max_depth=4), n_estimators=20, random_state=0),
    "average": VotingRegressor([(f"t{i}", Number(max_depth=i, random_state=i)) for i in range(1, 12)], weights=range(1, 12)),
}


@pytest.mark.parametrize("which", REGRESSORS)
def test_numbers_are_theirs_to_the_last_bit(which: str) -> None:
    theirs = REGRESSORS[which]
    X, y = numbers(missing=which not in ("boosted", "nested"))
    ours = tw.from_sklearn(theirs.fit(X, y))
    rows = rows_near(X)
    assert ours.combine.kind == ("median" if which == "boosted" else "mean")
    assert np.array_equal(ours.predict(rows), theirs.predict(rows))


def test_boosting_that_ended_at_once() -> None:
    """Its one member weighs nothing there, and is the whole answer all the same."""
    X, y = np.zeros((20, 1)), np.repeat([0.0, 1.0], 10)
    theirs = AdaBoostRegressor(Number(), random_state=0).fit(X, y)
    assert len(theirs.estimators_) == 1 and not theirs.estimator_weights_.any()
    assert np.array_equal(tw.from_sklearn(theirs).predict(X), theirs.predict(X))


def test_several_numbers() -> None:
    X, y = numbers()
    theirs = RandomForestRegressor(5, random_state=0).fit(X, np.column_stack([y, -y, y**2]))
    ours = tw.from_sklearn(theirs)
    assert ours.target.outputs == ("y0", "y1", "y2")
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("two", [False, True])
def test_boosted_votes(two: bool) -> None:
    """Shares are shares of votes; scikit-learn's are a softmax of them, as the guide says."""
    X, y = classes(missing=False)
    y = y == "barbera" if two else y
    theirs = AdaBoostClassifier(Tree(max_depth=2 - two), n_estimators=15, random_state=0).fit(X, y)
    ours = tw.from_sklearn(theirs)
    rows, k = rows_near(X), len(theirs.classes_)
    assert ours.combine.kind == "vote" and ours.weights == tuple(theirs.estimator_weights_[: len(ours)])
    assert np.array_equal(ours.predict(rows), theirs.predict(rows))
    powers = np.exp((k * ours.predict_proba(rows) - 1) / (k - 1) ** 2)
    np.testing.assert_allclose(powers / powers.sum(axis=1, keepdims=True), theirs.predict_proba(rows), rtol=1e-12)


def test_votes_for_classes() -> None:
    X, y = classes()
    forest, deep, flat = RandomForestClassifier(5, random_state=0), Tree(random_state=0), Tree(max_depth=1, random_state=0)
    members = [("forest", forest), ("none", Tree(max_depth=1)), ("deep", deep), ("flat", flat)]
    theirs = VotingClassifier(members, weights=[1, 0, 1, 1.5]).fit(X, y)
    ours = tw.from_sklearn(theirs)
    rows = rows_near(X)
    assert ours.combine.kind == "vote" and ours.weights == (1.0, 1.0, 1.5)  # one that counts nothing is no member
    assert np.array_equal(ours.predict(rows), theirs.predict(rows))


def test_one_tree_of_an_ensemble_knows_its_columns_and_classes() -> None:
    X, y = classes()
    for which in ("columns", "few rows"):
        theirs = CLASSIFIERS[which].fit(X, y)
        assert any(len(member.classes_) < 3 for member in theirs.estimators_) == (which == "few rows")
        rows, forest = rows_near(X), tw.from_sklearn(theirs)
        for at, (member, columns) in enumerate(zip(theirs.estimators_, theirs.estimators_features_, strict=True)):
            tree = tw.from_sklearn(theirs, tree=at)
            told = member.predict(rows.to_numpy()[:, columns]).astype(int)
            assert np.array_equal(tree.predict(rows), theirs.classes_[told])
            assert tree == forest[at]


def test_adopted_forests_do_what_forests_do(tmp_path: Path) -> None:
    X, y = classes()
    theirs = RandomForestClassifier(6, max_depth=4, random_state=0).fit(X, y)
    ours = tw.from_sklearn(theirs)
    np.testing.assert_allclose(ours.feature_importances, theirs.feature_importances_, atol=1e-9)
    assert np.array_equal(ours.apply(X).shape, theirs.apply(X).shape)
    ours.save(tmp_path / "forest.json")
    for again in (tw.load(tmp_path / "forest.json"), pickle.loads(pickle.dumps(ours))):
        assert again == ours and np.array_equal(again.predict_proba(X), theirs.predict_proba(X))
    text = (tmp_path / "forest.json").read_text()
    (tmp_path / "forest.json").write_text(text.replace('"mean"', '"mode"'))
    with pytest.raises(tw.ModelFormatError, match="'mode'"):
        tw.load(tmp_path / "forest.json", edited=True)
    assert "mean of 6 trees" in ours.to_text() and ours.to_svg().startswith("<svg")
    assert "of 6 members say" in ours.explain(X.iloc[[0]]).to_sentence()
    found = ours.contributions(X[:20])
    np.testing.assert_allclose(found.answers, theirs.predict_proba(X[:20]), atol=1e-9)
    scope: dict[str, Any] = {}
    exec(ours.to_python(), scope)
    assert [scope["predict"](row) for row in X[:20].to_dict("records")] == ours.predict(X[:20]).tolist()


def test_what_cannot_be_combined_is_refused_by_name() -> None:
    X, y = classes(missing=False)
    with pytest.raises(TypeError, match="IsolationForest combines its trees in a way that no Forest"):
        tw.from_sklearn(IsolationForest(n_estimators=3).fit(X))
    with pytest.raises(TypeError, match="LogisticRegression is no fitted tree"):
        tw.from_sklearn(VotingClassifier([("a", Tree()), ("b", LogisticRegression(max_iter=10_000))]).fit(X.iloc[:, :2], y))
    with pytest.raises(TypeError, match="Pipeline is no fitted tree"):
        tw.from_sklearn(BaggingClassifier(make_pipeline(StandardScaler(), Tree()), 2).fit(X, y))
    with pytest.raises(TypeError, match="VotingClassifier averages what AdaBoostClassifier makes of votes"):
        tw.from_sklearn(VotingClassifier([("a", Tree()), ("b", AdaBoostClassifier(n_estimators=3))], voting="soft").fit(X, y))
    with pytest.raises(ValueError, match="RandomForestClassifier has 2 targets of classes"):
        tw.from_sklearn(RandomForestClassifier(2).fit(X, np.column_stack([y, y])))
    with pytest.raises(TypeError, match="is no fitted tree"):
        tw.from_sklearn(RandomForestClassifier(2))
    with pytest.raises(ValueError, match="must be finite numbers above 0"):
        tw.from_sklearn(VotingClassifier([("a", Tree()), ("b", Tree())], weights=[1, -0.5]).fit(X, y))
    with pytest.raises(TypeError, match="RandomForestClassifier is no fitted tree"):
        tw.from_sklearn(VotingClassifier([("a", RandomForestClassifier(2))]).fit(X, y), tree=0)


def test_many_rows_and_names_of_columns() -> None:
    """Columns without names, and rows in 32 bits."""
    X, y = load_breast_cancer(return_X_y=True)
    theirs = ExtraTreesClassifier(20, random_state=0).fit(X, y)
    ours = tw.from_sklearn(theirs)
    assert ours.schema.names[:2] == ["x0", "x1"] and ours.target.classes == (0, 1)
    for rows in (X, X.astype(np.float32), X[::2]):
        assert np.array_equal(ours.predict_proba(rows), theirs.predict_proba(rows))
