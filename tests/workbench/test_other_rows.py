"""A tree and other rows: leaves renewed, drift told, and two trees compared."""

from __future__ import annotations

import math
import pickle
import warnings
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import UnseenLevelWarning

IRIS = tw.datasets.load_iris()


def model(depth=2, **parameters):
    return tw.CARTClassifier(max_depth=depth, **parameters).fit(IRIS.X, IRIS.y)


def test_the_same_rows_change_nothing():
    est = model()
    again = est.refresh(IRIS.X, IRIS.y)
    one, two = est.tree_.state(), again.tree_.state()
    assert [name for name in one if not np.array_equal(one[name], two[name], equal_nan=True)] in ([], ["gain"])
    np.testing.assert_allclose(one["gain"], two["gain"], rtol=1e-14)
    assert again.drift_.stability == 0
    assert [again.drift_.error_now, again.drift_.error_then] == pytest.approx([0.04, 0.04])
    assert tw.diff(est, again, IRIS.X, IRIS.y).same


def test_other_rows_renew_what_leaves_say_and_nothing_that_is_asked():
    est = model()
    y = np.where(IRIS.y == "setosa", "virginica", IRIS.y)
    weights = np.where(y == "virginica", 2.0, 1.0)
    new = est.refresh(IRIS.X, y, sample_weight=weights)
    assert new.tree_.state()["cut_at"].tolist() == est.tree_.state()["cut_at"].tolist()
    assert new.tree_.node(1).value == {"virginica": 100.0}
    assert new.predict(IRIS.X[:1]).tolist() == ["virginica"]
    assert new.classes_.tolist() == est.classes_.tolist()
    assert new.predict_proba(IRIS.X[:1]).shape == (1, 3)
    assert est.tree_.node(1).value == {"setosa": 50.0}
    assert new.drift_.error_now == pytest.approx(
        float(np.average(est.predict(IRIS.X) != y, weights=np.where(y == "virginica", 2, 1)))
    )


def test_a_leaf_without_rows_says_what_the_node_above_it_says():
    est = model()
    rows = IRIS.y != "setosa"
    new = est.refresh(IRIS.X[rows], IRIS.y[rows])
    assert new.tree_.node(1).weight == 0
    assert new.tree_.node(1).prediction == new.tree_.root.prediction
    assert pickle.loads(pickle.dumps(new)).drift_.stability == new.drift_.stability


def test_numbers_are_renewed_with_their_facts():
    X = pd.DataFrame({"x": np.arange(8.0)})
    est = tw.TreeRegressor(max_depth=1, keep_targets=True).fit(X, [0.0] * 4 + [8.0] * 4)
    new = est.refresh(X, [1.0] * 4 + [9.0, 9, 9, 13])
    assert new.predict(X).tolist() == [1.0] * 4 + [10.0] * 4
    assert new.predict_quantiles(X[:1], [0.5]).tolist() == [[1.0]]
    assert new.drift_.error_then == 0
    assert new.drift_.error_now == pytest.approx(math.sqrt(np.mean([1, 1, 1, 1, 1, 1, 1, 25])))


def test_the_stability_index_is_the_one_that_is_known():
    X = pd.DataFrame({"x": [0.0] * 30 + [1.0] * 70})
    est = tw.CARTClassifier().fit(X, ["a"] * 30 + ["b"] * 70)
    found = est.drift(pd.DataFrame({"x": [0.0] * 60 + [1.0] * 40}))
    p, q = np.array([30.5, 70.5]) / 101, np.array([60.5, 40.5]) / 101
    assert found.stability == pytest.approx(float(((q - p) * np.log(q / p)).sum()))
    assert found.columns[0].stability == pytest.approx(found.stability)
    assert [node.share_now for node in found.nodes] == [1.0, 0.6, 0.4]
    assert found.error_now is None
    assert "much has changed" in str(found)


def test_unseen_levels_and_missing_cells_are_counted_apart():
    train = pd.DataFrame({"c": ["u", "v"] * 10, "d": np.arange(20.0)})
    est = tw.CARTClassifier().fit(train, ["a", "b"] * 10)
    rows = pd.DataFrame({"c": ["u", "w", None, "w"], "d": [0.0, 1, 2, np.nan]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnseenLevelWarning)
        found = est.drift(rows)
    assert found.columns[0].unseen == {"w": 2}
    assert found.columns[0].missing_now == pytest.approx(0.25)
    assert found.columns[1].missing_now == pytest.approx(0.25)
    assert "'w' 2" in str(found)


def test_rows_that_do_not_fit_are_refused():
    est = model()
    with pytest.raises(ValueError, match="fit anew"):
        est.refresh(IRIS.X, np.where(IRIS.y == "setosa", "tulip", IRIS.y))
    with pytest.raises(ValueError, match="150 rows and y has 3"):
        est.drift(IRIS.X, IRIS.y[:3])
    with pytest.raises(ValueError, match="no rows"):
        est.drift(IRIS.X[:0])
    X = pd.DataFrame({"x": np.arange(40.0)})
    linear = tw.M5Regressor().fit(X, np.arange(40.0) ** 2)
    with pytest.raises(ValueError, match="compute"):
        linear.drift(X)
    with pytest.raises(ValueError, match="compute"):
        linear.refresh(X, np.arange(40.0))


def test_trees_are_compared_place_by_place():
    edit = model().edit(IRIS.X, IRIS.y)
    one = edit.tree
    two = edit.split(0, "petal length (cm) <= 2")
    moved = tw.diff(one, edit.regrow(2), IRIS.X, IRIS.y)
    assert moved.nodes[0].nodes == (0, 0)
    assert moved.nodes[0].first == "asks petal length (cm) <= 2.45?"
    assert moved.rows == 150
    changed = one.predict(IRIS.X) != edit.tree.predict(IRIS.X)
    assert moved.changed == changed.sum()
    right = [tree.predict(IRIS.X) == IRIS.y for tree in (one, edit.tree)]
    assert (moved.mended, moved.spoiled) == ((right[1] & ~right[0]).sum(), (right[0] & ~right[1]).sum())
    assert not tw.diff(one, two).same
    assert tw.diff(one, one).to_text().endswith("everywhere")


def test_the_picture_shows_both_trees_and_where_they_part():
    edit = model().edit(IRIS.X, IRIS.y)
    before = edit.tree
    edit.split(2, "sepal width (cm) <= 3")
    found = tw.diff(before, edit.tree, IRIS.X, IRIS.y)
    text = found.to_svg()
    assert text == tw.diff(before, edit.tree, IRIS.X, IRIS.y).to_svg()
    assert "1: 5 nodes, 3 leaves, depth 2" in text
    assert "2: 5 nodes, 3 leaves, depth 2" in text
    assert "petal width (cm) ≤ 1.75?" in text
    assert "sepal width (cm) ≤ 3?" in text
    ElementTree.fromstring(text)
    assert "trees" in found.data() and found.data()["trees"] == ()
    assert set(found._repr_mimebundle_()) == {"text/plain", "text/html", "image/svg+xml"}


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(TypeError, match="second"):
        tw.diff(model(), "tree")
    with pytest.raises(ValueError, match="columns"):
        tw.diff(model(), tw.CARTClassifier().fit(IRIS.X.iloc[:, :2], IRIS.y))
    with pytest.raises(ValueError, match="belong to rows"):
        tw.diff(model(), model(), y=IRIS.y)
    with pytest.raises(ValueError, match="predict something else"):
        tw.diff(model(), tw.CARTRegressor(max_depth=1).fit(IRIS.X, np.arange(150.0)))


def test_names_are_shown_harmless():
    X = pd.DataFrame({"a\x1b[31m": ["u\n", "v"] * 10})
    est = tw.CARTClassifier().fit(X, ["p\x07", "q"] * 10)
    for text in (str(est.drift(X, ["p\x07", "q"] * 10)), str(tw.diff(est, est.refresh(X, ["q", "p\x07"] * 10), X))):
        assert "\x1b" not in text
        assert "\x07" not in text
