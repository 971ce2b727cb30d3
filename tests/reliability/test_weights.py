"""Group W, weights, classes, degenerate tables and limits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

LIMITS: list[dict[str, Any]] = [
    {},
    {"min_samples_leaf": 3},
    {"min_samples_leaf": 0.05},
    {"min_samples_split": 10},
    {"min_samples_split": 0.2},
    {"max_leaf_nodes": 6},
    {"min_impurity_decrease": 0.01},
    {"min_gain": 0.01},
    {"min_impurity": 0.1},
    {"max_depth": 3, "max_features": 1, "random_state": 3},
]
KINDS = [tw.CARTClassifier, tw.CARTRegressor, tw.TreeClassifier, tw.TreeRegressor]


def table(seed: int = 0, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 3)), 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, (np.nan_to_num(X[:, 0]) + rng.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_W1_weight_zero_is_no_row(kind: Any, limits: dict[str, Any]) -> None:
    X, y = table()
    weights = np.random.default_rng(1).integers(0, 2, len(y))
    at = weights > 0
    assert kind(**limits).fit(X, y, sample_weight=weights).tree_ == kind(**limits).fit(X[at], y[at]).tree_


@pytest.mark.parametrize("criterion", ["gini", "info_gain", "gain_ratio", "error", "twoing", "gain_over_rest", "risk"])
def test_W1_every_criterion(criterion: str) -> None:
    X, y = table(3)
    weights = np.random.default_rng(1).integers(0, 2, len(y))
    at = weights > 0
    est = tw.TreeClassifier(criterion=criterion, loss=[[0, 1], [3, 0]] if criterion == "risk" else None)
    assert est.fit(X, y, sample_weight=weights).tree_ == est.fit(X[at], y[at]).tree_


def test_W1_rows_of_no_weight_may_hold_anything() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, np.inf, np.nan]})
    est = tw.CARTClassifier().fit(X, np.array(["a", "b", None, np.nan], object), sample_weight=[1, 1, 0, 0])
    assert est.classes_.tolist() == ["a", "b"]
    reg = tw.CARTRegressor().fit(X, [1.0, 2.0, np.nan, np.inf], sample_weight=[1, 1, 0, 0])
    assert reg.predict(X.iloc[:2]).tolist() == [1.0, 2.0]
    kept = tw.CARTClassifier().fit(X, ["a", "b", "gone", "gone"], sample_weight=[1, 1, 0, 0])
    assert kept.predict_proba(X.iloc[:1]).shape == (1, 2)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_W2_whole_weights_are_repeated_rows(kind: Any, limits: dict[str, Any]) -> None:
    X, y = table(2)
    weights = np.random.default_rng(4).integers(1, 4, len(y))
    at = np.repeat(np.arange(len(y)), weights)
    est = kind(**limits)
    assert est.fit(X, y, sample_weight=weights).tree_ == est.fit(X[at], y[at]).tree_
    assert est.fit(X, y, sample_weight=weights.astype(np.uint8)).tree_ == est.fit(X[at], y[at]).tree_


def test_W2_scaled_weights_grow_the_same_tree() -> None:
    X, y = table(5)
    weights = np.random.default_rng(4).integers(1, 4, len(y))
    one = tw.CARTClassifier().fit(X, y, sample_weight=weights).tree_.state()
    for scale in (2.0**-20, 2.0**-9, 0.5, 4.0, 2.0**30):
        two = tw.CARTClassifier().fit(X, y, sample_weight=weights * scale).tree_.state()
        for name in ("parent", "column", "cut_at", "missing_to", "label", "impurity", "gain"):
            assert np.array_equal(one[name], two[name]), (scale, name)
        assert np.array_equal(one["weight"] * scale, two["weight"])


@pytest.mark.parametrize("kind", KINDS)
def test_W3_weights_that_are_refused(kind: Any) -> None:
    X, y = table()
    n = len(y)
    with pytest.raises(ValueError, match="all entries of sample_weight are zero"):
        kind().fit(X, y, sample_weight=np.zeros(n))
    for bad in (np.nan, np.inf, -np.inf, -1.0, -1e-300):
        weights = np.ones(n)
        weights[7] = bad
        with pytest.raises(ValueError, match=r"sample_weight\[7\].*from 0 up"):
            kind().fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match=f"sample_weight has 3 entries, X has {n} rows"):
        kind().fit(X, y, sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match="1D"):
        kind().fit(X, y, sample_weight=np.ones((n, 2)))
    with pytest.raises((ValueError, TypeError)):
        kind().fit(X, y, sample_weight=["a"] * n)
    with pytest.raises((ValueError, TypeError)):
        kind().fit(X, y, sample_weight=np.array([None] * n, object))


def test_W3_complex_weights_are_refused() -> None:
    X, y = table()
    with pytest.raises((ValueError, TypeError)):
        tw.CARTClassifier().fit(X, y, sample_weight=np.ones(len(y)) * 1j)


X4 = np.array([[0.0], [1.0], [2.0], [3.0]])


@pytest.mark.parametrize("scale", [1e-300, 1e-308, 5e-324, 1e-200, 1e-30, 1e30, 1e200, 1e300, 1e307])
@pytest.mark.parametrize("each", [[1, 1, 1, 1], [1, 2, 3, 4]])
def test_W3_weights_of_any_size(scale: float, each: list[int]) -> None:
    weights = np.array(each) * scale
    est = tw.CARTClassifier().fit(X4, [0, 0, 1, 1], sample_weight=weights)
    assert est.predict(X4).tolist() == [0, 0, 1, 1]
    assert est.predict_proba(X4).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    reg = tw.CARTRegressor().fit(X4, [0.0, 0, 1, 1], sample_weight=weights)
    assert reg.predict(X4).tolist() == [0, 0, 1, 1]
    assert np.isfinite(est.feature_importances_).all()
    assert est.tree_.to_text()


@pytest.mark.parametrize("scale", [1e-308, 1e-300, 1e-290, 1e-200, 1e200, 1e300])
def test_W3_node_weights_of_any_size(scale: float) -> None:
    weights = np.array([1, 2, 3, 4]) * scale
    tree = tw.CARTClassifier().fit(X4, [0, 0, 1, 1], sample_weight=weights).tree_
    assert tree.root.weight == pytest.approx(10 * scale, rel=1e-9, abs=0)
    assert sum(tree.root.value.values()) == pytest.approx(10 * scale, rel=1e-9, abs=0)


@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.CARTRegressor])
def test_W3_weights_whose_sum_is_infinite(kind: Any) -> None:
    """The sum overflows: an error that names sample_weight, or the right tree; never NaN."""
    weights = np.full(4, 1.7e308)
    refusal = None
    try:
        est = kind().fit(X4, [0, 0, 1, 1], sample_weight=weights)
    except ValueError as error:
        refusal = str(error)
    if refusal is None:
        assert est.predict(X4).tolist() == [0, 0, 1, 1]
    else:
        assert "sample_weight" in refusal


def test_W3_weights_of_very_different_size() -> None:
    with pytest.warns(tw.TreewrightWarning, match=r"from 4.94e-324 to 1e\+300.*the lightest count as 1e\+286; drop such rows"):
        est = tw.CARTClassifier().fit(X4, [0, 0, 1, 1], sample_weight=[1e300, 1e-300, 1.0, 5e-324])
    assert est.predict(X4).tolist() == [0, 0, 1, 1]
    light = tw.CARTClassifier().fit(X4, [0, 1, 1, 1], sample_weight=[1e-11, 1, 1, 1])
    assert light.predict(X4).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.CARTRegressor])
def test_W3_weights_are_exact_or_it_is_said(kind: Any) -> None:
    """Weights are kept to 2^-46 of their sum: figures are true to 1 %, or a warning says by how much they are not."""
    rng = np.random.default_rng(1)
    heard = 0
    for exponent in range(16):
        weights = [10.0**exponent, 1, *rng.random(2)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tree = kind().fit(X4, [0, 1, 0, 1], sample_weight=weights).tree_
        off = max(abs(leaf.weight / weight - 1) for leaf, weight in zip(tree.leaves(), weights, strict=True))
        said = [
            str(warning.message)
            for warning in caught
            if "are off by up to" in str(warning.message) or "count as" in str(warning.message)
        ]
        assert len(said) == (off > 0.01), (exponent, off)
        heard += len(said)
    assert 0 < heard < 8
    whole = kind().fit(X4, [0, 1, 0, 1], sample_weight=[10**13, 1, 2, 3]).tree_  # whole weights are exact up to 2^46
    assert [leaf.weight for leaf in whole.leaves()] == [10**13, 1, 2, 3]


def test_W3_a_table_too_light_for_any_split_is_said() -> None:
    with pytest.warns(tw.TreewrightWarning, match="the table has 4 rows, a split needs 10.*lower the limits"):
        est = tw.CARTClassifier(min_samples_leaf=5).fit(X4, [0, 0, 1, 1], sample_weight=np.full(4, 0.1))
    assert est.tree_.n_leaves == 1
    assert tw.CARTClassifier().fit(X4, [0, 0, 1, 1], sample_weight=np.full(4, 0.1)).tree_.n_leaves == 2


def test_W5_a_class_with_one_row() -> None:
    X, y = table(7)
    y = y.astype(object)
    y[3] = 2
    est = tw.CARTClassifier(min_samples_leaf=5).fit(X, y.astype(int))
    assert est.classes_.tolist() == [0, 1, 2]
    assert est.predict_proba(X).shape == (len(y), 3)
    assert est.predict_proba(X)[:, 2].max() > 0


DEGENERATE: dict[str, tuple[Any, Any, Any]] = {
    "one class": ([[1.0], [2.0], [3.0]], ["k"] * 3, "k"),
    "constant columns": ([[1.0, 5.0]] * 4, ["b", "a", "b", "a"], "a"),
    "same rows, majority": ([[1.0]] * 3, ["b", "b", "a"], "b"),
    "one row": ([[1.0]], [3], 3),
    "constant text": ([["u"]] * 3, [1, 0, 1], 1),
    "all missing": ([[np.nan]] * 4, [0, 1, 1, 0], 0),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_W6_a_single_leaf(name: str) -> None:
    X, y, says = DEGENERATE[name]
    est = tw.CARTClassifier(keep_candidates=True).fit(np.array(X, object if isinstance(X[0][0], str) else float), y)
    tree = est.tree_
    assert (tree.n_nodes, tree.n_leaves, tree.depth, tree.n_splits) == (1, 1, 0, 0)
    assert tree.root.prediction == says
    assert est.feature_importances_.tolist() == [0.0] * len(X[0])
    assert len(tree.to_rules()) == 1
    assert tree.to_rules()[0].when == ()
    assert str(says) in tree.to_text()
    assert str(says) in str(tree.to_rules())
    assert len(tree.regions()) == 1
    assert tree.trace() == []
    assert tree.merge_leaves() == tree
    assert est.decision_path(np.array(X, object)).toarray().tolist() == [[1]] * len(X)
    assert est.get_depth() == 0
    assert est.get_n_leaves() == 1
    assert tree.used_columns == []


def test_W6_ties_follow_the_declared_order() -> None:
    y = pd.Series(pd.Categorical(["b", "a"], categories=["b", "a"]))
    assert tw.CARTClassifier().fit([[1.0], [1.0]], y).predict([[1.0]]).tolist() == ["b"]
    assert tw.CARTClassifier().fit([[1.0], [1.0]], ["b", "a"]).predict([[1.0]]).tolist() == ["a"]


def test_W6_constant_numbers() -> None:
    reg = tw.CARTRegressor().fit([[1.0], [2.0]], [5.5, 5.5])
    assert reg.tree_.n_leaves == 1
    assert reg.predict([[9.0]]).tolist() == [5.5]
    same = tw.CARTRegressor().fit([[1.0], [1.0]], [1.0, 2.0])
    assert same.predict([[1.0]]).tolist() == [1.5]


def test_W7_many_classes() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10_000, 50_000)
    X = np.column_stack([y // 100 + rng.normal(size=50_000) / 10, y % 100])
    est = tw.CARTClassifier(max_depth=10, n_jobs=2).fit(X, y)
    state = est.tree_.state()
    assert len(state["class_id"]) < 0.2 * est.tree_.n_nodes * 10_000
    assert est.predict(X[:1000]).shape == (1000,)
    assert est.predict_proba(X[:10]).shape == (10, len(est.classes_))
    np.testing.assert_allclose(est.predict_proba(X[:10]).sum(axis=1), 1)
    assert est.tree_.root.value.keys() == set(est.classes_.tolist())


@pytest.mark.parametrize("missing", ["learned", "own", "fraction", "majority", "ignore", "most_common"])
def test_W9_a_constant_column_with_one_hole(missing: str) -> None:
    X = [[1.0], [1.0], [np.nan], [1.0]]
    est = tw.TreeClassifier(missing=missing).fit(X, [0, 0, 1, 0])
    assert len(est.predict(X)) == 4
    if missing in ("learned", "own"):
        assert est.predict(X).tolist() == [0, 0, 1, 0]


def test_W9_identifiers_and_the_target_itself() -> None:
    n = 200
    y = np.random.default_rng(0).integers(0, 2, n)
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(n)], "copy": y.astype(str)})
    est = tw.CARTClassifier().fit(frame[["copy"]], y)
    assert est.tree_.n_leaves == 2
    assert est.predict(frame[["copy"]]).tolist() == y.tolist()
    ids = tw.ID3Classifier().fit(frame[["id"]], y)
    assert ids.predict(frame[["id"]]).tolist() == y.tolist()
    assert ids.tree_.n_leaves == n


def test_W11_limits_that_leave_one_leaf() -> None:
    with pytest.warns(tw.TreewrightWarning, match="the table has 4 rows, a split needs"):
        assert tw.CARTClassifier(min_samples_leaf=5).fit(X4, [0, 0, 1, 1]).tree_.n_leaves == 1
    with pytest.warns(tw.TreewrightWarning, match="the table has 4 rows, a split needs"):
        assert tw.CARTClassifier(min_samples_split=9).fit(X4, [0, 0, 1, 1]).tree_.n_leaves == 1
    assert tw.CARTClassifier(max_depth=0).fit(X4, [0, 0, 1, 1]).tree_.n_leaves == 1
    assert tw.CARTClassifier(max_leaf_nodes=1).fit(X4, [0, 0, 1, 1]).tree_.n_leaves == 1
    assert tw.CARTClassifier(max_leaf_nodes=2).fit(X4, [0, 1, 2, 3]).tree_.n_leaves == 2
    assert tw.CARTClassifier(max_depth=10**30).fit(X4, [0, 0, 1, 1]).tree_.n_leaves == 2
    assert tw.CARTClassifier(max_leaf_nodes=10**15).fit(X4, [0, 0, 1, 1]).tree_.n_leaves == 2
    assert tw.CARTClassifier(max_depth=np.int8(1), min_samples_leaf=np.int64(1)).fit(X4, [0, 1, 2, 3]).tree_.depth == 1


BAD: list[tuple[str, Any]] = [
    *[("max_depth", v) for v in (-1, 1.5, "3", np.bool_(True), True, np.nan, np.inf, [3], 2.0)],
    *[("max_leaf_nodes", v) for v in (0, -5, 2.5, "many", True, np.nan)],
    *[("min_samples_leaf", v) for v in (0, -1, -0.5, np.nan, np.inf, "1", True, np.bool_(False), [1])],
    *[("min_samples_split", v) for v in (0, -1, np.nan, np.inf, "2", True)],
    *[("min_impurity_decrease", v) for v in (-0.1, np.nan, np.inf, "x", True, None)],
    *[("min_gain", v) for v in (-0.1, np.nan, "x", None)],
    *[("min_impurity", v) for v in (-0.1, np.nan, "x", True)],
    *[("purity", v) for v in (-0.1, 1.1, np.nan, "x")],
    *[("significance", v) for v in (-0.1, 1.1, np.nan, "x")],
    *[("max_features", v) for v in (0, -1, 1.5, 0.0, "auto", True, np.nan, np.array([1, 2]), [1])],
    *[("n_jobs", v) for v in (0, 1.5, "all", True, np.nan)],
    *[("criterion", v) for v in ("ginni", "", 3, ["gini"])],
    *[("missing", v) for v in ("learnd", "surrogat", 1)],
    *[("ties", v) for v in ("frist", 1)],
    *[("unseen", v) for v in ("ignore", 1, None)],
    *[("random_state", v) for v in (-1, "x", 1.5)],
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=lambda v: repr(v)[:20])
def test_W11_bad_values_are_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError) as caught:
        tw.CARTClassifier(**{name: value}).fit(X4, [0, 0, 1, 1])
    text = str(caught.value)
    assert name in text
    assert repr(value)[:30] in text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("numeric", "treshold"),
        ("nominal", "subsets"),
        ("threshold_at", "midpont"),
        ("relation", "=<"),
        ("chooser", "bests"),
        ("discretise", "mldp"),
        ("bins", 1),
        ("bins", 2.5),
        ("recipe", "crat"),
    ],
)
def test_W11_bad_parts_are_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name) as caught:
        tw.TreeClassifier(**{name: value}).fit(X4, [0, 0, 1, 1])
    assert repr(value) in str(caught.value)
    assert "did you mean" in str(caught.value) or "must be" in str(caught.value) or "known" in str(caught.value)
    with pytest.raises(TypeError, match="recipe"):
        tw.TreeClassifier(recipe=5).fit(X4, [0, 0, 1, 1])


def test_W11_wrong_guess_is_offered() -> None:
    with pytest.raises(ValueError, match="criterion 'ginni' is unknown; did you mean 'gini'"):
        tw.CARTClassifier(criterion="ginni").fit(X4, [0, 0, 1, 1])


@pytest.mark.parametrize(
    "loss",
    [[[0, 1]], [[0, 1], [np.nan, 0]], [[0, -1], [1, 0]], [[1, 1], [1, 0]], "x", [[0, 1], [1]], [[0, "a"], [1, 0]]],
)
def test_W11_bad_losses_are_named(loss: Any) -> None:
    with pytest.raises(ValueError, match="loss"):
        tw.CARTClassifier(criterion="risk", loss=loss).fit(X4, [0, 0, 1, 1])


def test_W11_ties_callable_that_answers_nonsense() -> None:
    X = [[0, 0], [1, 1]]
    for answer in ("zz", 9, None, -1):
        with pytest.raises(ValueError, match=r"ties.*x0.*x1"):
            tw.CARTClassifier(ties=lambda names, path, answer=answer: answer).fit(X, [0, 1])
    est = tw.CARTClassifier(ties=lambda names, path: names[-1]).fit(X, [0, 1])
    assert est.tree_.used_columns == ["x1"]

    def broken(names: Any, path: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tw.CARTClassifier(ties=broken).fit(X, [0, 1])
