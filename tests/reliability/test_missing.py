"""Group M, missing and infinite cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw

NAN = np.nan
ONE_BRANCH = ["learned", "own", "majority", "ignore", "most_common", "most_common_in_class"]
ALL = [*ONE_BRANCH, "fraction", "spread"]


@pytest.mark.parametrize("missing", ["learned", "own"])
@pytest.mark.parametrize("known", [0.0, -5.0, 1e300])
def test_M1_missing_against_present(missing: str, known: float) -> None:
    X = [[known], [known], [known], [NAN], [NAN]]
    y = [0, 0, 0, 1, 1]
    est = tw.TreeClassifier(missing=missing).fit(X, y)
    assert est.tree_.root.split.family == "presence"
    assert est.predict(X).tolist() == y
    assert est.predict([[1e6], [-1e6], [NAN]]).tolist() == [0, 0, 1]
    assert "missing" in str(est.tree_.to_rules())
    reg = tw.TreeRegressor(missing=missing).fit(X, y)
    assert reg.predict(X).tolist() == y


@pytest.mark.parametrize("missing", ["learned", "own"])
def test_M1_missing_against_present_nominal(missing: str) -> None:
    X = pd.DataFrame({"s": ["u", "u", "u", None, None]})
    est = tw.TreeClassifier(missing=missing).fit(X, [0, 0, 0, 1, 1])
    assert est.predict(X).tolist() == [0, 0, 0, 1, 1]
    with pytest.warns(tw.UnseenLevelWarning):
        assert est.predict(pd.DataFrame({"s": ["new"]})).tolist() == [1]


def test_M2_a_hole_in_place_of_the_lowest_value() -> None:
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        x = np.array([0.0, 0, 0, 0, 1, 2, 3, 4])
        y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
        order = rng.permutation(8)
        x, y = x[order], y[order]
        holed = np.where(x == 0, NAN, x)
        one = tw.CARTClassifier(min_impurity_decrease=0.25).fit(x[:, None], y).tree_
        two = tw.CARTClassifier(min_impurity_decrease=0.25).fit(holed[:, None], y).tree_
        assert one.n_leaves == two.n_leaves == 2
        assert one.root.gain == two.root.gain == 0.5
        assert two.predict(holed[:, None]).tolist() == y.tolist()


@pytest.mark.parametrize("missing", ALL)
@pytest.mark.parametrize("empty", [[NAN] * 6, [None] * 6], ids=["nan", "none"])
def test_M3_a_column_of_holes_only(missing: str, empty: list[Any]) -> None:
    y = [0, 0, 0, 1, 1, 1]
    for column in (
        pd.Series(empty, dtype=float),
        pd.Series(empty, dtype=object),
        pd.Categorical(empty, categories=["a"]),
        pd.Categorical(empty),
    ):
        X = pd.DataFrame({"void": column, "x": [1.0, 2, 3, 4, 5, 6]})
        est = tw.TreeClassifier(missing=missing).fit(X, y)
        assert est.tree_.used_columns == ["x"]
        assert est.predict(X).tolist() == y
        alone = tw.TreeClassifier(missing=missing).fit(X[["void"]], y)
        assert alone.tree_.n_leaves == 1
        assert alone.predict(X[["void"]]).tolist() == [0] * 6


def test_M3_arrow_columns_without_a_type() -> None:
    for X in (
        pa.table({"void": pa.nulls(4), "x": [1, 2, 3, 4]}),
        pl.DataFrame({"void": [None] * 4, "x": [1, 2, 3, 4]}),
    ):
        est = tw.CARTClassifier().fit(X, [0, 0, 1, 1])
        assert est.predict(X).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("missing", ALL)
@pytest.mark.parametrize("regress", [False, True])
def test_M3_holes_inside_one_node_only(missing: str, regress: bool) -> None:
    if regress and missing == "most_common_in_class":
        return
    a = np.repeat([0.0, 1.0], 20)
    b = np.where(a == 0, NAN, np.tile([1.0, 2.0], 20))
    y = np.where(a == 0, 0, np.where(b == 1, 1, 2))
    X = np.column_stack([a, b])
    est = (tw.TreeRegressor if regress else tw.TreeClassifier)(missing=missing).fit(X, y)
    known = a == 1
    assert est.predict(X[known]).tolist() == y[known].tolist()
    assert np.isfinite(np.asarray(est.predict(X), float)).all()
    assert est.decision_path(X).shape == (40, est.tree_.n_nodes)


@pytest.mark.parametrize("missing", ["learned", "own", "majority", "ignore", "most_common"])
def test_M3_holes_at_predict_only_go_to_the_larger_branch(missing: str) -> None:
    X = [[1.0], [2.0], [3.0], [4.0], [5.0]]
    est = tw.TreeClassifier(missing=missing).fit(X, [0, 0, 1, 1, 1])
    assert est.predict([[NAN]]).tolist() == [1]
    assert est.apply([[NAN]]).tolist() == est.apply([[5.0]]).tolist()
    shares = tw.TreeClassifier(missing="fraction").fit(X, [0, 0, 1, 1, 1]).predict_proba([[NAN]])
    np.testing.assert_allclose(shares, [[0.4, 0.6]])
    nominal = tw.TreeClassifier(missing=missing).fit(pd.DataFrame({"s": list("aabbb")}), [0, 0, 1, 1, 1])
    assert nominal.predict(pd.DataFrame({"s": pd.Series([None], dtype="str")})).tolist() == [1]
    assert nominal.predict(pd.DataFrame({"s": [NAN]})).tolist() == [1]


def test_M3_refuse_names_the_column_at_fit_and_predict() -> None:
    frame = pd.DataFrame({"good": [1.0, 2], "leaky": [1.0, NAN]})
    with pytest.raises(
        ValueError, match=r"'leaky' has 1 missing cell \(NaN\).*missing='refuse'.*fill it, or use e.g. missing='most_common'"
    ):
        tw.ID3Classifier().fit(frame, [0, 1])
    est = tw.ID3Classifier().fit(frame.fillna(5), [0, 1])
    with pytest.raises(ValueError, match=r"'leaky' is missing.*row 1.*fill it, or fit with e.g. missing='most_common'"):
        est.predict(frame)
    text = tw.ID3Classifier().fit(pd.DataFrame({"s": ["a", "b"]}), [0, 1])
    with pytest.raises(ValueError, match="'s'"):
        text.predict(pd.DataFrame({"s": ["a", None]}))
    with pytest.raises(ValueError, match="s: 'zz' 1"):
        text.predict(pd.DataFrame({"s": ["a", "zz"]}))


@pytest.mark.parametrize(("name", "row"), [("n", 3), ("c", 2), ("m", 1)])
def test_M3_refuse_names_the_cell_among_columns_of_all_kinds(name: str, row: int) -> None:
    X = pd.DataFrame({"n": [1.0, 2, 3, 4], "c": list("aabb"), "m": [4.0, 3, 2, 1]})
    model = tw.TreeClassifier(missing="refuse").fit(X, [0, 0, 1, 1])
    assert model.predict(X).tolist() == [0, 0, 1, 1]  # the first level is a level
    X.loc[row, name] = None
    with pytest.raises(ValueError, match=rf"^column '{name}' is missing \(NaN\) in row {row} and missing='refuse'"):
        model.predict(X)


def test_M4_every_kind_of_missing_is_missing() -> None:
    kinds = [None, NAN, np.float32("nan"), pd.NA, pd.NaT, float("nan")]
    X = pd.DataFrame({"s": pd.Series(["a", "b", "a", "b", *kinds], dtype=object)})
    n = pd.DataFrame({"n": pd.Series([1, 2, 1, 2, *kinds], dtype=object)})
    y = [0, 1, 0, 1, *[2] * len(kinds)]
    for frame in (X, n):
        est = tw.CARTClassifier().fit(frame, y)
        assert est.predict(frame).tolist() == y
    array = n.to_numpy()
    assert tw.CARTClassifier().fit(array, y).predict(array).tolist() == y


@pytest.mark.parametrize("missing", ["learned", "own", "majority", "ignore", "most_common"])
@pytest.mark.parametrize("numeric", ["threshold", "ternary", "discretised"])
def test_M4_paths_leaves_and_rules_agree(missing: str, numeric: str) -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 6, (300, 4)).astype(float)
    X[rng.random(X.shape) < 0.3] = NAN
    y = (np.nan_to_num(X[:, 0], nan=9) + np.nan_to_num(X[:, 1]) > 5).astype(int)
    est = tw.TreeClassifier(missing=missing, numeric=numeric, max_depth=5).fit(X, y)
    new = rng.integers(-1, 8, (500, 4)).astype(float)
    new[rng.random(new.shape) < 0.4] = NAN
    rules = est.tree_.to_rules()
    for rows in (X, new):
        held = rules.matches(rows)
        assert (held.sum(axis=1) == 1).all()
        leaf = est.apply(rows)
        assert np.array_equal(np.array([r.leaf for r in rules])[np.argmax(held, axis=1)], leaf)
        path = est.decision_path(rows)
        assert (np.asarray(path[np.arange(len(rows)), leaf]).ravel() == 1).all()
        assert np.array_equal(np.diff(path.indptr), [est.tree_.node(int(i)).depth + 1 for i in leaf])


@pytest.mark.parametrize("missing", ALL)
def test_M5_weights_of_rows_with_holes(missing: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 6, (80, 3)).astype(float)
    X[rng.random(X.shape) < 0.3] = NAN
    y = rng.integers(0, 2, 80)
    w = rng.integers(1, 4, 80)
    at = np.repeat(np.arange(80), w)
    one = tw.TreeClassifier(missing=missing).fit(X, y, sample_weight=w)
    two = tw.TreeClassifier(missing=missing).fit(X[at], y[at])
    assert np.array_equal(one.tree_.state()["column"], two.tree_.state()["column"])
    np.testing.assert_allclose(one.tree_.state()["weight"], two.tree_.state()["weight"], rtol=1e-9)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=1e-9, atol=1e-12)


INFINITE: dict[str, Any] = {
    "array": lambda v: np.array([[1.0, 2.0], [3.0, v]]),
    "float32": lambda v: np.array([[1.0, 2.0], [3.0, v]], np.float32),
    "float16": lambda v: np.array([[1.0, 2.0], [3.0, v]], np.float16),
    "objects": lambda v: np.array([[1.0, 2.0], [3.0, v]], object),
    "pandas": lambda v: pd.DataFrame({"x0": [1.0, 3.0], "x1": [2.0, v]}),
    "nullable": lambda v: pd.DataFrame({"x0": [1.0, 3.0], "x1": pd.array([2.0, v], dtype="Float64")}),
    "polars": lambda v: pl.DataFrame({"x0": [1.0, 3.0], "x1": [2.0, v]}),
    "arrow": lambda v: pa.table({"x0": [1.0, 3.0], "x1": [2.0, v]}),
}


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("kind", INFINITE)
def test_M6_infinity_is_refused_with_its_place(kind: str, value: float) -> None:
    words = "column 'x1' holds infinity in row 1: replace it"
    with pytest.raises(ValueError, match=words):
        tw.CARTClassifier().fit(INFINITE[kind](value), [0, 1])
    est = tw.CARTClassifier().fit(INFINITE[kind](5.0), [0, 1])
    for method in (est.predict, est.predict_proba, est.apply, est.decision_path, est.tree_.to_rules().matches):
        with pytest.raises(ValueError, match=words):
            method(INFINITE[kind](value))


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (lambda: tw.REPTreeClassifier(random_state=0), np.inf),
        (lambda: tw.C45Classifier(window=20, random_state=0), np.inf),
        (lambda: tw.C45Classifier(trials=2, random_state=0), -np.inf),
        (lambda: tw.ID3Classifier(window=20, random_state=0), np.inf),
        (lambda: tw.ID3Classifier(window=20, random_state=0), np.nan),
    ],
)
def test_M6_cells_are_refused_in_rows_that_trees_are_not_grown_from(make: Any, value: float) -> None:
    """Rows held out for pruning, and rows outside a window."""
    X = np.arange(120.0).reshape(60, 2)
    for row in range(0, 60, 3):
        cell = X[row, 1]
        X[row, 1] = value
        with pytest.raises(ValueError, match=rf"column 'x1' .* in row {row}\b"):
            make().fit(X, np.arange(60) // 20 % 2)
        X[row, 1] = cell


def test_M6_infinity_in_a_row_of_no_weight_does_not_exist() -> None:
    X = [[1.0], [2.0], [np.inf]]
    est = tw.CARTClassifier().fit(X, [0, 1, 1], sample_weight=[1, 1, 0])
    assert est.tree_.n_leaves == 2


def test_M6_infinity_is_refused_in_columns_the_tree_does_not_use() -> None:
    est = tw.CARTClassifier().fit([[0.0, 7.0], [1.0, 7.0]], [0, 1])
    with pytest.raises(ValueError, match="'x1' holds infinity"):
        est.predict([[0.0, np.inf]])
    nominal = tw.CARTClassifier(categorical_features=[0]).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="'x0' holds infinity"):
        nominal.predict([[np.inf]])


def test_M6_infinity_in_a_nominal_column_at_fit() -> None:
    with pytest.raises(ValueError, match="'x0' holds infinity"):
        tw.CARTClassifier(categorical_features=[0]).fit([[0.0], [np.inf]], [0, 1])
