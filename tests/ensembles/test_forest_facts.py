"""Importances, near and typical rows, and quantiles of forests, each against its definition written down naively."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.ensembles.tables import mixed
from treewright.inspect import proximity


def test_permuted_cells_cost_what_members_lose_on_rows_they_did_not_see() -> None:
    X, y, _ = mixed(300, missing=0.0)
    X["constant"] = 1.0
    forest = tw.RandomForestClassifier(30).fit(X, y)
    found = forest.importances("permutation", X, y)
    assert list(found) == X.columns.tolist() and found["constant"] == 0.0
    assert found["age"] > found["size"] > found["noise"] and abs(found["noise"]) < 0.05
    # A column that no tree asks about costs nothing, whatever its cells.
    plain = tw.RandomForestClassifier(10, max_depth=1, max_features=None).fit(X, y)
    used = set(plain.forest_.used_columns)
    assert all(value == 0.0 for name, value in plain.importances("permutation", X, y).items() if name not in used)
    assert forest.importances("permutation", X, y) == found
    # By hand, for one member: the rise must be of the size of a real permutation of the same rows.
    rows = np.setdiff1d(np.arange(len(X)), forest.estimators_samples_[0])
    member, rng, rises = forest.estimators_[0], np.random.default_rng(0), []
    for _ in range(200):
        other = X.iloc[rows].copy()
        other["age"] = rng.permutation(other["age"].to_numpy())
        rises.append(np.mean(member.predict(other) != y[rows]) - np.mean(member.predict(X.iloc[rows]) != y[rows]))
    assert np.min(rises) - 0.1 < found["age"] < np.max(rises) + 0.1


def test_corrected_importances_of_noise_are_near_0_however_many_values_it_has() -> None:
    rng = np.random.default_rng(1)
    many, few = [], []
    for seed in range(6):
        X = pd.DataFrame(
            {"many": rng.normal(size=300), "few": rng.integers(0, 2, 300).astype(float), "told": rng.normal(size=300)}
        )
        y = np.where(X["told"] + 0.5 * rng.normal(size=300) > 0, "a", "b")
        forest = tw.RandomForestClassifier(40, random_state=seed).fit(X, y)
        plain, corrected = forest.importances(), forest.importances("corrected", X, y)
        assert corrected["told"] > 5 * max(abs(corrected["many"]), abs(corrected["few"]))
        assert plain["many"] > 3 * plain["few"]  # what is corrected
        many.append(corrected["many"])
        few.append(corrected["few"])
    assert abs(np.mean(many)) < 0.02 and abs(np.mean(few)) < 0.02
    assert min(many) < 0 < max(many)


def test_importances_say_what_they_need() -> None:
    X, y, _ = mixed(80)
    forest = tw.RandomForestClassifier(5).fit(X, y)
    assert list(forest.importances().values()) == forest.feature_importances_.tolist()
    with pytest.raises(ValueError, match=r"needs the training table"):
        forest.importances("permutation")
    with pytest.raises(ValueError, match="another number of rows"):
        forest.importances("permutation", X[:50], y[:50])
    with pytest.raises(ValueError, match="rows they were grown without"):
        tw.RandomForestClassifier(5, bootstrap=False).fit(X, y).importances("permutation", X, y)
    with pytest.raises(ValueError, match="method"):
        forest.importances("gain")


def test_near_rows_share_leaves() -> None:
    X, y, _ = mixed(90)
    forest = tw.RandomForestClassifier(15, max_depth=4).fit(X, y)
    leaves = forest.apply(X)
    near = (leaves[:, None, :] == leaves[None, :, :]).mean(axis=2)
    rows, shares = forest.proximities(X, k=7)
    for row in range(len(X)):
        others = [(-near[row, other], other) for other in range(len(X)) if other != row]
        expected = sorted(others)[:7]
        assert rows[row].tolist() == [other for _, other in expected]
        assert shares[row] == pytest.approx([-share for share, _ in expected])
    everybody, _ = forest.proximities(X, k=500)
    assert [sorted([*others, row]) for row, others in enumerate(everybody.tolist())] == [[*range(len(X))]] * len(X)
    to, own = forest.proximities(X[:10], k=200, to=X[10:60])
    assert to.shape == (10, 50) and own[0, 0] == near[0, 10:60].max()


def test_typical_rows_are_medians_of_neighbours() -> None:
    X, y, _ = mixed(150)
    forest = tw.RandomForestClassifier(15, max_depth=4).fit(X, y)
    rows, _ = forest.proximities(X, k=20)
    typical = forest.prototypes(X, y, k=20)
    assert set(typical) == set(y)
    for label, cells in typical.items():
        best = max(range(len(X)), key=lambda row: ((y[rows[row]] == label).sum(), -row))
        chosen = X.iloc[rows[best][y[rows[best]] == label]]
        assert cells["age"] == chosen["age"].median() and cells["size"] == pytest.approx(chosen["size"].median())
        assert cells["colour"] in set(chosen["colour"].mode())
    with pytest.raises(ValueError, match="prototypes are of classes"):
        tw.RandomForestRegressor(3).fit(X, np.arange(150.0)).prototypes(X, y)


@pytest.mark.parametrize("weighted", [False, True])
def test_quantiles_are_those_of_weighted_training_targets(weighted: bool, tmp_path: Path) -> None:
    X, _, y = mixed(120)
    weights = np.random.default_rng(2).integers(1, 4, len(X)).astype(float) if weighted else np.ones(len(X))
    forest = tw.RandomForestRegressor(9, min_samples_leaf=4, keep_targets=True).fit(X, y, sample_weight=weights)
    leaves = forest.apply(X)
    shares = (0.0, 0.1, 0.5, 0.9, 1.0)
    found = forest.predict_quantiles(X, shares)
    for row in range(len(X)):
        weight = np.zeros(len(X))
        for tree in range(leaves.shape[1]):
            same = np.where(leaves[:, tree] == leaves[row, tree], weights, 0.0)
            weight += same / same.sum()
        order = np.argsort(y)
        cumulated = np.cumsum(weight[order]) / weight.sum()
        held = weight[order] > 0
        for share, told in zip(shares, found[row], strict=True):
            assert told == y[order][held][np.argmax(cumulated[held] >= share - 1e-12)]
    assert np.array_equal(forest.predict_quantiles(X, 0.5), found[:, 2])
    assert np.array_equal(forest.predict_interval(X, 0.8), found[:, [1, 3]])
    forest.save(tmp_path / "forest.json")
    assert np.array_equal(tw.load(tmp_path / "forest.json").predict_quantiles(X, shares), found)


def test_intervals_hold_new_rows() -> None:
    X, _, y = mixed(900, missing=0.05)
    forest = tw.RandomForestRegressor(60, min_samples_leaf=5, keep_targets=True).fit(X[:600], y[:600])
    low, high = forest.predict_interval(X[600:], 0.9).T
    assert 0.82 < np.mean((y[600:] >= low) & (y[600:] <= high)) < 0.97


def test_quantiles_say_what_they_need() -> None:
    X, _, y = mixed(60)
    with pytest.raises(ValueError, match="keep_targets=True"):
        tw.RandomForestRegressor(3).fit(X, y).predict_quantiles(X)
    forest = tw.RandomForestRegressor(3, keep_targets=True).fit(X, y)
    with pytest.raises(ValueError, match="numbers from 0 to 1"):
        forest.predict_quantiles(X, 1.5)
    with pytest.raises(ValueError, match="tells several"):
        tw.RandomForestRegressor(3, keep_targets=True).fit(X, np.column_stack([y, y])).predict_quantiles(X)


@pytest.mark.parametrize(("depth", "trees", "n"), [(3, 20, 300), (9, 15, 500), (2, 300, 200), (None, 7, 700)])
def test_proximities_however_they_are_found(depth: int | None, trees: int, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listed where few rows share a leaf, looked through in bytes or 16 bits where many do: always the definition."""
    rng = np.random.default_rng(n)
    X = rng.random((n, 4)).round(2)
    forest = tw.RandomForestClassifier(trees, max_depth=depth, random_state=0).fit(X, X[:, 0] + X[:, 1] > 1).forest_
    own = forest.apply(X)
    for to in (None, X[: n // 3]):
        others = own if to is None else forest.apply(to)
        shared = np.sum(own[:, None, :] == others[None, :, :], axis=2)
        if to is None:
            np.fill_diagonal(shared, -1)
        for k in (1, 9, n + 3):
            most = min(k, len(others) - (to is None))
            near = np.argsort(-shared, axis=1, kind="stable")[:, :most]
            for listed in (0.0, 1e30):
                monkeypatch.setattr(proximity, "_LISTED", listed)
                monkeypatch.setattr(proximity, "_SOON", 0.0)
                for threads in (1, 2):
                    rows, shares = proximity.proximities(forest, X, k, to, threads)
                    np.testing.assert_array_equal(rows, near)
                    np.testing.assert_array_equal(shares, np.take_along_axis(shared, near, axis=1) / trees)


def test_proximities_that_would_take_hours_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    iris = tw.datasets.load_iris()
    est = tw.RandomForestClassifier(5, max_depth=2, random_state=0).fit(iris.X, iris.y)
    monkeypatch.setattr(proximity, "_MOST_LOOKS", 1e5)
    with pytest.raises(ValueError, match=r"150 rows beside 150 in 5 trees would take hours, .*: give to= a sample of the rows"):
        est.proximities(iris.X)
    assert len(est.proximities(iris.X, to=iris.X[:50])[0]) == 150
