"""Group C, categories: matched by label, never by position or code."""

from __future__ import annotations

import time
import unicodedata
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw

FRAMES: dict[str, Any] = {
    "pandas": lambda v: pd.DataFrame({"s": v}),
    "objects": lambda v: pd.DataFrame({"s": pd.Series(v, dtype=object)}),
    "categorical": lambda v: pd.DataFrame({"s": pd.Categorical(v)}),
    "polars": lambda v: pl.DataFrame({"s": v}),
    "polars categorical": lambda v: pl.DataFrame({"s": pl.Series(v, dtype=pl.Categorical)}),
    "arrow": lambda v: pa.table({"s": v}),
    "arrow dictionary": lambda v: pa.table({"s": pa.array(v).dictionary_encode()}),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_C1_unseen_levels(kind: str) -> None:
    make = FRAMES[kind]
    est = tw.CARTClassifier().fit(make(["a", "b", "b", "a", "b"]), [0, 1, 1, 0, 1])
    with pytest.warns(tw.UnseenLevelWarning, match=r"3 cells in 4 rows.*\(s: 'new' 2, 'old' 1\).*treated as missing") as caught:
        assert est.predict(make(["new", "a", "new", "old"])).tolist() == [1, 0, 1, 1]
    assert len(caught) == 1
    strict = tw.CARTClassifier(unseen="error").fit(make(["a", "b", "b", "a", "b"]), [0, 1, 1, 0, 1])
    with pytest.raises(ValueError, match=r"s: 'new' 1.*unseen='missing'"):
        strict.predict(make(["new", "a"]))
    assert strict.predict(make(["b", "a"])).tolist() == [1, 0]


def test_C1_the_warning_points_at_the_caller() -> None:
    est = tw.CARTClassifier().fit(pd.DataFrame({"s": ["a", "b"]}), [0, 1])
    new = pd.DataFrame({"s": ["new"]})
    for method in (est.predict, est.predict_proba, est.apply, est.tree_.predict):
        with pytest.warns(tw.UnseenLevelWarning) as caught:
            method(new)
        assert caught[0].filename == __file__


def test_C1_numpy_objects_and_fraction() -> None:
    X = np.array([["a"], ["b"], ["b"], ["a"]], object)
    est = tw.TreeClassifier(missing="fraction").fit(X, [0, 1, 1, 0])
    with pytest.warns(tw.UnseenLevelWarning):
        assert est.predict_proba(np.array([["zz"]], object)).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("unseen", ["missing", "error"])
def test_C1_declared_levels_that_never_occurred_are_unseen(unseen: str) -> None:
    kind = pd.CategoricalDtype(["a", "b", "never"])
    X = pd.DataFrame({"s": pd.Series(["a", "b", "b"], dtype=kind)})
    new = pd.DataFrame({"s": pd.Series(["never", "a"], dtype=kind)})
    est = tw.CARTClassifier(unseen=unseen).fit(X, [0, 1, 1])
    if unseen == "error":
        with pytest.raises(ValueError, match="never"):
            est.predict(new)
    else:
        assert est.predict(new).tolist() == [1, 0]  # it was declared: no warning, which would be an error here
    multiway = tw.TreeClassifier(nominal="multiway", unseen=unseen).fit(X, [0, 1, 1])
    assert multiway.predict(new).tolist() == [1, 0]  # its own empty branch repeats the parent


def test_C2_other_order_fewer_and_more_levels() -> None:
    y = [0, 1, 2, 0, 1, 2]
    est = tw.CARTClassifier().fit(pd.DataFrame({"s": pd.Categorical(list("abcabc"))}), y)
    for levels in (["c", "b", "a"], ["b", "c", "a"], ["z", "a", "y", "c", "b"]):
        X = pd.DataFrame({"s": pd.Categorical(list("abc"), categories=levels)})
        assert est.predict(X).tolist() == [0, 1, 2]
        assert est.predict(X.iloc[[2]]).tolist() == [2]
    assert est.predict(pd.DataFrame({"s": ["c", "a"]})).tolist() == [2, 0]
    assert est.predict(pl.DataFrame({"s": pl.Series(["c", "b"], dtype=pl.Enum(["c", "b"]))})).tolist() == [2, 1]
    assert est.predict(pa.table({"s": pa.DictionaryArray.from_arrays([1, 0], ["b", "c"])})).tolist() == [2, 1]
    repeated = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.uint8()), ["b", "c", "b"])
    assert est.predict(pa.table({"s": repeated})).tolist() == [1, 2, 1]


def test_C2_ordered_levels_are_matched_by_label() -> None:
    size = pd.CategoricalDtype(["S", "M", "L"], ordered=True)
    est = tw.CARTClassifier().fit(pd.DataFrame({"t": pd.Series(["S", "M", "L"], dtype=size)}), [0, 0, 1])
    assert est.tree_.columns[0].kind == "ordered"
    other = pd.CategoricalDtype(["L", "M", "S"], ordered=True)
    assert est.predict(pd.DataFrame({"t": pd.Series(["S", "M", "L"], dtype=other)})).tolist() == [0, 0, 1]
    assert est.predict(pd.DataFrame({"t": ["L", "S"]})).tolist() == [1, 0]
    with pytest.warns(tw.UnseenLevelWarning, match="XL"):
        est.predict(pd.DataFrame({"t": ["XL"]}))
    assert "t <= M" in est.tree_.to_text()


IDS = [-5, 2**31, 2**40, 10**18, 10**18 + 1, 0]


@pytest.mark.parametrize(
    "make",
    [
        lambda v: np.array(v)[:, None],
        lambda v: pd.DataFrame({"id": v}),
        lambda v: pd.DataFrame({"id": pd.array(v, dtype="Int64")}),
        lambda v: pd.DataFrame({"id": pd.array([*v[:-1], None], dtype="Int64")}),
        lambda v: pl.DataFrame({"id": v}),
        lambda v: pl.DataFrame({"id": [*v[:-1], None]}),
        lambda v: pa.table({"id": [*v[:-1], None]}),
        lambda v: pd.DataFrame({"id": pd.Series(v, dtype=object)}),
        lambda v: pd.DataFrame({"id": pd.Categorical(v)}),
    ],
    ids=["numpy", "pandas", "Int64", "Int64 hole", "polars", "polars hole", "arrow hole", "object", "categorical"],
)
def test_C3_whole_numbers_as_categories_stay_distinct(make: Any) -> None:
    X = make(IDS)
    y = list("abcdef")
    est = tw.CARTClassifier(categorical_features=[0]).fit(X, y)
    assert est.predict(X).tolist() == y


def test_C3_one_is_one_point_zero() -> None:
    est = tw.CARTClassifier(categorical_features=[0]).fit(np.array([[1], [2], [3]]), list("abc"))
    assert est.predict(np.array([[1.0], [3.0]])).tolist() == ["a", "c"]
    with pytest.warns(tw.UnseenLevelWarning):
        est.predict(np.array([[1.5]]))
    flags = tw.CARTClassifier(categorical_features=["f"]).fit(pd.DataFrame({"f": [True, False]}), list("ab"))
    with pytest.raises(ValueError, match="'f' held booleans in training and holds text now, such as 'True'"):
        flags.predict(pd.DataFrame({"f": ["True"]}))
    texts = tw.CARTClassifier().fit(pd.DataFrame({"f": ["1", "2"]}), list("ab"))
    with pytest.raises(ValueError, match="'f' held text in training and holds numbers now"):
        texts.predict(pd.DataFrame({"f": [1, 2]}))
    tiny = tw.CARTClassifier(categorical_features=[0]).fit(np.array([[0.1], [0.1 + 1e-16 * 2], [0.3]]), list("abc"))
    assert tiny.tree_.n_leaves == 3


def test_C3_floats_as_categories_match_across_precision() -> None:
    X = np.array([[0.5], [1.25], [3.0]], np.float32)
    est = tw.CARTClassifier(categorical_features=[0]).fit(X, list("abc"))
    assert est.predict(X.astype(np.float64)).tolist() == list("abc")


def test_C3_categorical_features_are_checked() -> None:
    frame = pd.DataFrame({"alpha": [1, 2], "beta": [3, 4]})
    with pytest.raises(ValueError, match=r"categorical_features.*'alpah'.*did you mean 'alpha'"):
        tw.CARTClassifier(categorical_features=["alpah"]).fit(frame, [0, 1])
    for bad in ([5], [-1], [1.5], [None]):
        with pytest.raises(ValueError, match=r"categorical_features=.*below 2"):
            tw.CARTClassifier(categorical_features=bad).fit(frame, [0, 1])
    with pytest.raises(ValueError, match=r"categorical_features is a mask of 1 entry, X has 2 columns"):
        tw.CARTClassifier(categorical_features=[True]).fit(frame, [0, 1])
    for good in (["beta"], "beta", [1], 1, [False, True], np.array([False, True]), np.array([1]), ("beta",), {"beta"}):
        est = tw.CARTClassifier(categorical_features=good).fit(frame, [0, 1])
        assert [c.kind for c in est.tree_.columns] == ["number", "nominal"]


def test_C3_categorical_features_may_be_an_index() -> None:
    """What ``X.select_dtypes(...).columns`` returns."""
    frame = pd.DataFrame({"alpha": [1, 2], "beta": [3, 4]})
    for good in (pd.Index(["beta"]), pd.Series([False, True]), range(1, 2)):
        est = tw.CARTClassifier(categorical_features=good).fit(frame, [0, 1])
        assert [c.kind for c in est.tree_.columns] == ["number", "nominal"]


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest", "multiway"])
@pytest.mark.parametrize("n_levels", [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000])
def test_C4_numbers_of_levels(nominal: str, n_levels: int) -> None:
    codes = np.tile(np.arange(n_levels), 3)
    X = pd.DataFrame({"s": pd.Categorical.from_codes(codes, [f"v{i:05d}" for i in range(n_levels)])})
    y = (codes % 2).astype(int)
    est = tw.TreeClassifier(nominal=nominal, max_leaf_nodes=None if nominal != "one_vs_rest" else 20).fit(X, y)
    if nominal != "one_vs_rest":
        assert est.predict(X).tolist() == y.tolist()
    if nominal == "subset":
        assert est.tree_.n_leaves == min(2, n_levels)
    rules = est.tree_.to_rules()
    held = rules.matches(X)
    assert (held.sum(axis=1) == 1).all()
    reg = tw.TreeRegressor(nominal=nominal, max_depth=3).fit(X, codes.astype(float) ** 2)
    assert np.isfinite(reg.predict(X)).all()


@pytest.mark.parametrize("n_classes", [2, 5])
def test_C4_a_hundred_thousand_levels(n_classes: int) -> None:
    n = 100_000
    codes = np.random.default_rng(0).permutation(n)
    X = pd.DataFrame({"s": pd.Categorical.from_codes(codes, [f"v{i}" for i in range(n)])})
    y = codes % n_classes
    start = time.monotonic()
    est = tw.CARTClassifier(max_depth=4).fit(X, y)
    assert np.mean(est.predict(X) == y) > 0.9
    assert time.monotonic() - start < 10


NASTY = [
    "a",
    "A",
    "a ",
    " a",
    unicodedata.normalize("NFC", "é"),
    unicodedata.normalize("NFD", "é"),
    "",
    "x" * 10**6,
    "a,b",
    "a\nb",
    'a"b',
    "a'b",
    "{",
    "nul\0",
    "nul",
    "nan",
    "None",
    "NA",
    "?",
    "\u202e",
    "<b>",
    "1",
    "1.0",
]


@pytest.mark.parametrize("kind", list(FRAMES))
def test_C6_levels_that_look_alike_stay_distinct(kind: str) -> None:
    X = FRAMES[kind](NASTY)
    y = [f"k{i:02d}" for i in range(len(NASTY))]
    est = tw.TreeClassifier(nominal="multiway").fit(X, y)
    assert est.predict(X).tolist() == y
    assert sorted(est.tree_.columns[0].levels) == sorted(NASTY)
    assert tw.CARTClassifier().fit(X, y).predict(X).tolist() == y
    text = est.tree_.to_text()
    assert "\0" not in text
    assert "\u202e" not in text
    *nodes, bar = text.splitlines()
    assert len(nodes) == est.tree_.n_nodes
    assert bar.startswith("bar: ")
    assert str(est.tree_.to_rules())


def test_C6_classes_that_look_alike_stay_distinct() -> None:
    X = np.arange(len(NASTY))[:, None]
    for y in (np.array(NASTY, object), pd.Series(NASTY)):
        est = tw.CARTClassifier().fit(X, y)
        assert est.predict(X).tolist() == NASTY


def test_C6_classes_of_a_polars_series_stay_distinct() -> None:
    """Not by way of fixed-width text, which drops a trailing NUL and pads every label to the longest."""
    y = ["nul", "nul\0"]
    assert tw.CARTClassifier().fit([[0.0], [1.0]], pl.Series(y)).predict([[0.0], [1.0]]).tolist() == y


def test_C6_numpy_text_keeps_a_trailing_nul_or_says_nothing_of_it() -> None:
    X = np.array([["nul\0x"], ["nul"]])
    assert tw.CARTClassifier().fit(X, [0, 1]).predict(X).tolist() == [0, 1]


def test_C8_a_level_of_no_weight_is_unseen() -> None:
    X = pd.DataFrame({"s": ["a", "b", "ghost", "a", "b"]})
    est = tw.CARTClassifier().fit(X, [0, 1, 0, 0, 1], sample_weight=[1, 1, 0, 1, 1])
    assert est.tree_.columns[0].levels == ("a", "b")
    with pytest.warns(tw.UnseenLevelWarning, match="ghost"):
        est.predict(X)


def test_C8_a_declared_level_of_no_weight_is_no_surprise() -> None:
    X = pd.DataFrame({"s": pd.Categorical(["a", "b", "ghost", "a", "b"])})
    est = tw.CARTClassifier().fit(X, [0, 1, 0, 0, 1], sample_weight=[1, 1, 0, 1, 1])
    assert len(est.predict(X)) == 5  # warnings are errors here
    assert est.tree_.columns[0].levels == ("a", "b", "ghost")


def test_C8_a_level_seen_elsewhere_is_routed_without_a_word() -> None:
    X = pd.DataFrame({"n": [0.0] * 4 + [1.0] * 5, "s": list("aabb") + list("ccdda")})
    y = [0, 0, 1, 1, 2, 2, 3, 3, 2]
    est = tw.CARTClassifier().fit(X, y)
    new = pd.DataFrame({"n": [0.0, 1.0], "s": ["c", "b"]})
    assert len(est.predict(new)) == 2
    cut = est.tree_._cut(np.eye(1, est.tree_.n_nodes, 1, dtype=np.uint8)[0])
    assert len(cut.predict(new)) == 2
