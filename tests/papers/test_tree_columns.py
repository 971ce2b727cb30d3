"""What a tree knows, used elsewhere: rows 118 to 120, and distilling."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import treewright as tw


def test_row_118_only_tested_columns_are_kept() -> None:
    frame = load_iris(as_frame=True)
    kept = tw.TreeColumns().fit(frame.data, frame.target)
    assert list(kept.get_feature_names_out()) == ["petal length (cm)", "petal width (cm)"]
    assert kept.transform(frame.data).columns.tolist() == list(kept.get_feature_names_out())
    assert kept.transform(frame.data).shape == (150, 2)
    array = tw.TreeColumns().fit(frame.data.to_numpy(), frame.target)
    assert np.array_equal(array.transform(frame.data.to_numpy()), frame.data.to_numpy()[:, [2, 3]])
    knn = make_pipeline(tw.TreeColumns(), KNeighborsClassifier(5))
    assert cross_val_score(knn, frame.data, frame.target).mean() > 0.93


def test_row_118_of_a_fitted_estimator() -> None:
    data = tw.datasets.load_play_tennis()
    id3 = tw.ID3Classifier().fit(data.X, data.y)
    kept = tw.TreeColumns(id3).fit(data.X, data.y)
    assert list(kept.get_feature_names_out()) == id3.tree_.used_columns
    assert kept.tree_ is id3.tree_


def test_row_119_columns_near_the_root_matter_most() -> None:
    X, y = load_iris(return_X_y=True)
    tree = tw.CARTClassifier(min_samples_leaf=5).fit(X, y).tree_
    root = tree.schema.names.index(tree.root.split.column)
    # Coverage weighted by depth: the root covers all rows.
    covered = np.zeros(4)
    for node in tree.nodes():
        if node.split is not None:
            covered[tree.schema.names.index(node.split.column)] += node.weight / tree.root.weight
    assert covered[root] >= 1
    assert tree.feature_importances[root] > 0.3


def test_row_120_tree_guided_neighbours() -> None:
    X, y = load_iris(return_X_y=True)
    est = tw.TreeNeighborsClassifier().fit(X, y)
    assert set(est.columns_) <= {2, 3}
    assert est.n_neighbors_ == round(150 / est.tree_.n_leaves)
    assert cross_val_score(tw.TreeNeighborsClassifier(), X, y).mean() > 0.93
    assert tw.TreeNeighborsClassifier(n_neighbors=1).fit(X, y).n_neighbors_ == 1
    assert np.allclose(est.predict_proba(X).sum(axis=1), 1)


def test_row_120_mixed_columns_with_missing_cells() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "c": rng.choice(["x", "y", "z"], 200), "noise": rng.normal(size=200)})
    y = np.where((X["a"] > 0) & (X["c"] == "x"), "p", "q")
    X.loc[::17, "a"] = np.nan
    est = tw.TreeNeighborsClassifier(tw.CARTClassifier(max_depth=2)).fit(X, y)
    assert est.columns_ == [0, 1]
    assert est.score(X, y) > 0.8


def test_distil_a_forest_into_rules_and_a_tree() -> None:
    frame = load_iris(as_frame=True)
    forest = RandomForestClassifier(20, random_state=0).fit(frame.data, frame.target)
    rules = tw.distil(forest, frame.data)
    assert rules.fidelity == np.mean(rules.estimator.predict(frame.data) == forest.predict(frame.data))
    assert rules.fidelity > 0.93
    assert 0.85 < rules.held_out_fidelity <= 1
    assert "fidelity" in str(rules)
    assert len(rules.ruleset) >= 2
    tree = tw.distil(forest, frame.data, tw.CARTClassifier(max_leaf_nodes=4))
    assert tree.estimator.tree_.n_leaves <= 4
    assert len(tree.ruleset) == tree.estimator.tree_.n_leaves
    number = tw.distil(lambda X: np.asarray(X)[:, 0] * 2, frame.data.to_numpy())
    assert number.estimator.tree_.n_leaves <= 32
    assert number.fidelity > 0.95


def test_distil_errors() -> None:
    with pytest.raises(ValueError, match="one answer for each"):
        tw.distil(lambda X: np.zeros((len(X), 2)), np.zeros((5, 1)))
    with pytest.raises(TypeError, match="must have predict"):
        tw.distil(3, np.zeros((5, 1)))  # type: ignore[arg-type]


def test_distil_measures_by_weights_and_in_full() -> None:
    x = np.random.default_rng(0).normal(size=(200, 2))
    stump = tw.CARTClassifier(max_depth=1)
    half = tw.distil(lambda X: X[:, 0] * X[:, 1] > 0, x, stump, sample_weight=(x[:, 0] > 0) * 1.0)
    assert half.fidelity == 1  # what is wrong is of no weight
    assert half.held_out_fidelity > 0.9
    coarse = tw.CARTRegressor(max_leaf_nodes=4)
    whole = [tw.distil(lambda X, kind=kind: np.round(X[:, 0] * 3).astype(kind), x, coarse) for kind in (int, float)]
    assert whole[0].held_out_fidelity == whole[1].held_out_fidelity
    mixed = [[float(a), "uv"[i % 2]] for i, (a, _) in enumerate(x)]
    assert tw.distil(lambda rows: np.array([row[0] > 0 for row in rows]), mixed).held_out_fidelity > 0.95
    assert np.isnan(tw.distil(lambda X: np.zeros(len(X), int), x[:1]).held_out_fidelity)


def test_columns_are_kept_for_numbers_too() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((400, 4)), columns=list("abcd"))
    kept = tw.TreeColumns().fit(X, np.where(X["c"] > 0.5, 3.5, 1.25) + X["a"])
    assert {"a", "c"} <= set(kept.get_feature_names_out())
    assert len(kept.columns_) < 4


def test_what_grows_no_tree_is_refused() -> None:
    X, y = load_iris(return_X_y=True)
    for make in (tw.TreeColumns, tw.TreeNeighborsClassifier):
        with pytest.raises(TypeError, match="must grow a tree of this package"):
            make(tw.RipperClassifier()).fit(X, y)


def test_row_120_a_missing_level_is_as_far_from_every_level_as_they_are_apart() -> None:
    X = pd.DataFrame({"color": ["red", "blue", None, "green"] * 10})
    est = tw.TreeNeighborsClassifier().fit(X, ["a", "b", "c", "d"] * 10)
    points = est.points_[:4]
    apart = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(apart, 1 - np.eye(4), atol=1e-12)


def test_row_120_the_unit_of_a_column_does_not_matter() -> None:
    X, y = load_iris(return_X_y=True)
    plain = tw.TreeNeighborsClassifier().fit(X, y)
    other = X * [1, 1, 1024, 0.125]
    assert np.array_equal(tw.TreeNeighborsClassifier().fit(other, y).predict(other), plain.predict(X))


def test_row_120_neither_the_order_of_rows_nor_who_repeats_them_matters() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(list("xyz"), 300), "b": rng.choice(list("uv"), 300)})
    y = np.where(rng.random(300) < 0.2 + 0.6 * (X["a"] == "x"), "p", "q")
    plain = tw.TreeNeighborsClassifier(n_neighbors=20).fit(X, y)
    order = np.argsort(y, kind="stable")
    other = tw.TreeNeighborsClassifier(n_neighbors=20).fit(X.iloc[order], y[order])
    assert np.array_equal(plain.predict_proba(X), other.predict_proba(X))
    same = X.iloc[:, plain.columns_]  # more than 20 rows are equal to each: all of them vote
    for i in range(5):
        own = (same == same.iloc[i]).all(axis=1)
        np.testing.assert_allclose(plain.predict_proba(X.iloc[[i]])[0, 0], np.mean(y[own] == "p"))
    weights = rng.integers(0, 4, 300)
    weighed = tw.TreeNeighborsClassifier().fit(X, y, sample_weight=weights)
    again = np.repeat(np.arange(300), weights)
    repeated = tw.TreeNeighborsClassifier().fit(X.iloc[again], y[again])
    assert weighed.n_neighbors_ == repeated.n_neighbors_
    assert np.array_equal(weighed.predict_proba(X), repeated.predict_proba(X))


def test_row_120_the_farthest_share_what_is_left() -> None:
    x = np.array([[0.0], [1.0], [-1.0], [1.0], [5.0]] * 2)
    est = tw.TreeNeighborsClassifier(tw.CARTClassifier(max_depth=1), n_neighbors=4).fit(x, list("abbaabbbaa"))
    # Two rows are at 0 (a, b); six at distance 1 (b, b, a, b, b, a) have two votes.
    np.testing.assert_allclose(est.predict_proba([[0.0]]), [[(1 + 2 * 2 / 6) / 4, (1 + 4 * 2 / 6) / 4]])


def test_what_cannot_be_learned_from_is_refused_before_fitting() -> None:
    data = tw.datasets.load_play_tennis()
    for estimator in ("a", RandomForestClassifier()):  # a forest would stumble over text first
        with pytest.raises(TypeError, match="must grow a tree of this package"):
            tw.TreeColumns(estimator).fit(data.X, data.y)
    tree = tw.ID3Classifier().fit(data.X, data.y)
    with pytest.raises(ValueError, match="says classes such as 'no', and CARTRegressor learns numbers"):
        tw.distil(tree, data.X, tw.CARTRegressor())


def test_distilled_rules_name_the_target_as_the_model_does() -> None:
    iris = tw.datasets.load_iris()
    named = pd.Series(iris.y, name="species")
    forest = tw.RandomForestClassifier(5, random_state=0).fit(iris.X, named)
    for model in (forest, forest.forest_, tw.CARTClassifier().fit(iris.X, named)):
        assert " species = virginica" in str(tw.distil(model, iris.X))
    days = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(150) // 50, unit="D"), name="day")
    assert " day = 2020-01-03" in str(tw.distil(tw.CARTClassifier().fit(iris.X, days), iris.X))
    numbers = tw.CARTRegressor(max_leaf_nodes=4).fit(iris.X.iloc[:, :3], iris.X.iloc[:, 3])
    assert "then petal width (cm) = " in str(tw.distil(numbers, iris.X.iloc[:, :3]))
    assert "then target = " in str(tw.distil(lambda X: np.where(X.iloc[:, 2] < 2, "small", "large"), iris.X))
