"""Group A, the interface: columns by name, no writes to the input, no state left over, shapes, containers."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treewright as tw

FRAME = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [4.0, 3, 2, 1]})
Y = [0, 0, 1, 1]
CONTAINERS = {
    "pandas": lambda f: f,
    "polars": pl.from_pandas,
    "arrow": pa.Table.from_pandas,
    "batch": lambda f: pa.RecordBatch.from_pandas(f),
}


@pytest.mark.parametrize("later", CONTAINERS)
@pytest.mark.parametrize("first", CONTAINERS)
def test_A2_columns_in_another_order(first: str, later: str) -> None:
    est = tw.CARTClassifier().fit(CONTAINERS[first](FRAME), Y)
    for method in (est.predict, est.predict_proba, est.apply, est.decision_path):
        with pytest.raises(ValueError, match="order"):
            method(CONTAINERS[later](FRAME[["b", "a"]]))


@pytest.mark.parametrize("kind", CONTAINERS)
def test_A2_extra_and_missing_columns_are_named(kind: str) -> None:
    est = tw.CARTClassifier().fit(CONTAINERS[kind](FRAME), Y)
    with pytest.raises(ValueError, match="extra"):
        est.predict(CONTAINERS[kind](FRAME.assign(extra=1.0)))
    with pytest.raises(ValueError, match="b"):
        est.predict(CONTAINERS[kind](FRAME[["a"]]))
    with pytest.raises(ValueError, match="c"):
        est.predict(CONTAINERS[kind](FRAME.rename(columns={"b": "c"})))


def test_A2_column_labels_that_are_numbers() -> None:
    frame = pd.DataFrame({0: [1.0, 2, 3, 4], 1: [4.0, 3, 2, 1]})
    est = tw.CARTClassifier().fit(frame, Y)
    with pytest.raises(ValueError, match="order"):
        est.predict(frame[[1, 0]])


def test_A2_the_tree_and_its_rules_look_at_names_too() -> None:
    tree = tw.CARTClassifier().fit(FRAME, Y).tree_
    for ask in (tree.predict, tree.apply, tree.predict_proba, tree.to_rules().matches):
        with pytest.raises(ValueError, match=r"order|column"):
            ask(FRAME[["b", "a"]])


def test_A2_wrong_number_of_columns_in_an_array() -> None:
    est = tw.CARTClassifier().fit(FRAME.to_numpy(), Y)
    with pytest.raises(ValueError, match=r"X has 3 features.*expecting 2"):
        est.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"3 columns.*fitted with 2"):
        est.tree_.predict(np.zeros((2, 3)))


def test_A2_doubled_names() -> None:
    twice = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(ValueError, match=r"unique.*'a'"):
        tw.CARTClassifier().fit(twice, [0, 1])


def test_A3_predict_does_not_touch_the_frame() -> None:
    frame = pd.DataFrame(
        {
            "o": pd.Series(["x", "y", None, "x"], dtype=object),
            "s": ["u", "v", "w", "u"],
            "c": pd.Categorical(["p", "q", "p", "q"]),
            "n": pd.array([1, None, 3, 4], dtype="Int64"),
            "d": pd.to_datetime(["2020-01-01", None, "2021-01-01", "2022-01-01"]),
            "f": [1.5, np.nan, 2.5, 3.5],
        },
        index=[9, 9, 3, 1],
    )
    before = frame.copy(deep=True)
    est = tw.CARTClassifier().fit(frame, Y)
    pd.testing.assert_frame_equal(frame, before, check_exact=True)
    strange = frame.assign(
        o=pd.Series(["new", "y", None, "x"], dtype=object, index=frame.index), c=pd.Categorical(["p", "zzz", "p", None])
    )
    before = strange.copy(deep=True)
    flags = strange["f"].to_numpy().flags.writeable
    for method in (est.predict, est.predict_proba, est.apply, est.decision_path):
        with pytest.warns(tw.UnseenLevelWarning):
            method(strange)
    pd.testing.assert_frame_equal(strange, before, check_exact=True)
    assert strange["f"].to_numpy().flags.writeable == flags
    assert strange["c"].cat.categories.tolist() == before["c"].cat.categories.tolist()
    assert strange.attrs == before.attrs


def test_A3_arrays_weights_and_targets_are_left_alone() -> None:
    X = np.array([["a", 1.0], ["b", None], ["a", 3.0]], object)
    y = np.array(["k", "l", "k"], object)
    w = np.array([1.0, 0.0, 2.0])
    kept = copy.deepcopy((X, y, w))
    est = tw.CARTClassifier().fit(X, y, sample_weight=w)
    est.predict(X[[0, 2]])
    for a, b in zip((X, y, w), kept, strict=True):
        assert a.tolist() == b.tolist()


@pytest.mark.parametrize("regress", [False, True])
@pytest.mark.parametrize("how", ["readonly", "fortran", "reversed", "memmap", "swapped", "strided", "rows", "window", "mmap32"])
def test_A4_memory_layouts(how: str, regress: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(200, 5)), 1)
    X[rng.random((200, 5)) < 0.1] = np.nan
    if how == "mmap32":
        X = X.astype(np.float32)
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 2]) > 0).astype(float if regress else int)
    if how == "readonly":
        Z = X.copy()
        Z.setflags(write=False)
    elif how == "fortran":
        Z = np.asfortranarray(X)
    elif how == "reversed":
        Z = X[::-1, ::-1].copy()[::-1, ::-1]
    elif how in ("memmap", "mmap32"):
        X.tofile(tmp_path / "x")
        Z = np.memmap(tmp_path / "x", X.dtype, "r", shape=X.shape)
    elif how == "swapped":
        Z = X.astype(X.dtype.newbyteorder())
    elif how == "strided":
        wide = np.zeros((200, 15))
        wide[:, ::3] = X
        Z = wide[:, ::3]
    elif how == "rows":
        Z = np.repeat(X, 2, axis=0)[::2]
    else:
        Z = np.pad(X, 3)[3:-3, 3:-3]
    kind = tw.CARTRegressor if regress else tw.CARTClassifier
    plain = kind().fit(X, y)
    est = kind().fit(Z, y)
    assert est.tree_ == plain.tree_
    assert np.array_equal(est.predict(Z), plain.predict(X))
    assert np.array_equal(plain.apply(Z), plain.apply(X))
    weights = np.arange(400.0)[::-2] % 4
    assert kind().fit(Z, y[::-1][::-1], sample_weight=weights).tree_ == kind().fit(X, y, sample_weight=weights.copy()).tree_
    assert np.array_equal(np.asarray(Z), X, equal_nan=True)


def test_A4_broadcast_arrays() -> None:
    X = np.broadcast_to(np.array([[1.0], [2.0], [3.0], [4.0]]), (4, 3))
    assert tw.CARTClassifier().fit(X, Y).tree_ == tw.CARTClassifier().fit(X.copy(), Y).tree_
    row = np.broadcast_to(np.array([1.0, 2.0]), (4, 2))
    assert tw.CARTClassifier().fit(row, Y).tree_.n_leaves == 1
    y = np.broadcast_to(np.array(1.5), (4,))
    assert tw.CARTRegressor().fit(X, y, sample_weight=np.broadcast_to(2.0, (4,))).tree_.n_leaves == 1
    flags = np.broadcast_to(np.array([[True], [False], [True], [False]]), (4, 2))
    assert tw.CARTClassifier().fit(flags, Y).tree_ == tw.CARTClassifier().fit(flags.copy(), Y).tree_


def test_A6_refit_forgets_the_first_fit() -> None:
    est = tw.CARTClassifier(keep_candidates=True).fit(FRAME.assign(c=list("uvuv")), list("xyzx"))
    assert est.n_features_in_ == 3
    again = est.fit(np.array([[1.0], [2.0]]), [True, False])
    fresh = tw.CARTClassifier(keep_candidates=True).fit(np.array([[1.0], [2.0]]), [True, False])
    assert vars(again).keys() == vars(fresh).keys()
    assert again.tree_ == fresh.tree_
    assert again.classes_.tolist() == [False, True]
    assert not hasattr(again, "feature_names_in_")
    assert again.feature_importances_.shape == (1,)
    copied = clone(again)
    assert not hasattr(copied, "tree_")
    assert copied.get_params() == again.get_params()
    with pytest.raises(NotFittedError):
        copied.predict([[1.0]])


def test_A6_set_params_after_fit_does_not_change_the_answers() -> None:
    est = tw.CARTClassifier(missing="own").fit(FRAME, Y)
    before = est.predict_proba(FRAME)
    est.set_params(max_depth=0, missing="refuse", unseen="error", criterion="twoing")
    holed = FRAME.assign(a=np.nan)
    assert np.array_equal(est.predict_proba(FRAME), before)
    assert len(est.predict(holed)) == 4
    assert est.fit(FRAME, Y).tree_.n_leaves == 1


@pytest.mark.parametrize(
    ("X", "y", "weight", "params"),
    [
        (FRAME, [0, 1, np.nan, 1], None, {}),
        (FRAME, [0, 1, 1], None, {}),
        (FRAME, [0.5, 0.25, 1.5, 2.5], None, {}),
        (FRAME.assign(a=np.inf), Y, None, {}),
        (FRAME, Y, [0, 0, 0, 0], {}),
        (FRAME, Y, [1, 1, -1, 1], {}),
        (FRAME, Y, None, {"max_depth": -1}),
        (FRAME, Y, None, {"criterion": "ginni"}),
        (FRAME.assign(a=np.nan), Y, None, {"missing": "refuse"}),
        (FRAME.rename(columns={"b": "a"}), Y, None, {}),
    ],
)
def test_A7_a_failed_fit_leaves_no_mix(X: Any, y: Any, weight: Any, params: dict[str, Any]) -> None:
    est = tw.CARTClassifier().fit(pd.DataFrame({"z": ["p", "q"]}), ["k", "l"])
    before = {name: value for name, value in vars(est).items() if name.endswith("_")}
    est.set_params(**params)
    with pytest.raises(ValueError):
        est.fit(X, y, sample_weight=weight)
    assert {name: value for name, value in vars(est).items() if name.endswith("_")}.keys() == before.keys()
    assert all(getattr(est, name) is value for name, value in before.items())
    assert est.predict(pd.DataFrame({"z": ["p", "q"]})).tolist() == ["k", "l"]
    est.set_params(**{name: tw.CARTClassifier().get_params()[name] for name in params})
    assert est.fit(FRAME, Y).predict(FRAME).tolist() == Y


@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.CARTRegressor, tw.ID3Classifier, tw.TreeClassifier])
def test_A9_empty_tables_are_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        kind().fit(np.empty((0, 2)), [])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        kind().fit(np.empty((2, 0)), [0, 1])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        kind().fit(FRAME.iloc[:0], [])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        kind().fit(pd.DataFrame(index=[0, 1]), [0, 1])
    with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
        kind().fit(pl.DataFrame(), [])
    with pytest.raises(ValueError, match="2D"):
        kind().fit([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match="2D"):
        kind().fit(np.zeros((2, 2, 2)), [0, 1])
    est = kind().fit([[1.0]], [5])
    assert est.predict([[9.0]]).tolist() == [5]
    assert est.tree_.n_leaves == 1
    with pytest.raises(ValueError, match="2D"):
        est.predict([1.0])


@pytest.mark.parametrize("missing", ["learned", "fraction", "own"])
def test_A9_predict_no_rows(missing: str) -> None:
    X = pd.DataFrame({"s": ["u", "v", None, "u"], "n": [1.0, None, 3.0, 4.0], "c": pd.Categorical(list("pqpq"))})
    est = tw.TreeClassifier(missing=missing).fit(X, list("abab"))
    for none in (X.iloc[:0], pl.from_pandas(X)[:0], pa.Table.from_pandas(X).slice(0, 0)):
        assert est.predict(none).shape == (0,)
        assert est.predict(none).dtype == est.classes_.dtype
        assert est.predict_proba(none).shape == (0, 2)
        assert est.apply(none).dtype == np.int64
        assert est.decision_path(none).shape == (0, est.tree_.n_nodes)
        assert est.tree_.to_rules().matches(none).shape == (0, est.tree_.n_leaves)
    for other in (
        tw.LogisticTreeClassifier(iterations=2),
        tw.C45Classifier(soft=True),
        tw.SoftTreeClassifier(holdout=0, max_depth=1),
        tw.RipperClassifier(),
        tw.PartClassifier(),
        tw.TreeNeighborsClassifier(),
    ):
        other.fit(X, list("abab"))
        assert other.predict(X.iloc[:0]).shape == (0,)
        assert other.predict_proba(X.iloc[:0]).shape == (0, 2)
    for number in (tw.M5Regressor(), tw.M5RulesRegressor()):
        assert number.fit(X, [1.0, 2.0, 3.0, 5.0]).predict(X.iloc[:0]).shape == (0,)
    reg = tw.CARTRegressor().fit(FRAME.to_numpy(), Y)
    assert reg.predict(np.empty((0, 2))).dtype == np.float64
    assert reg.predict(np.empty((0, 2), np.int8)).shape == (0,)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.coo_array])
def test_A10_sparse_tables_are_read_as_what_they_hold(make: Any) -> None:
    est = tw.CARTClassifier().fit(make(np.eye(4)), Y)
    assert est.tree_ == tw.CARTClassifier().fit(np.eye(4), Y).tree_
    assert np.array_equal(est.predict(make(np.eye(4))), est.predict(np.eye(4)))


def test_A10_sparse_tables_of_no_use_are_named() -> None:
    est = tw.CARTClassifier().fit(np.eye(4), Y)
    for use in (lambda X: tw.CARTClassifier().fit(X, Y), est.predict):
        with pytest.raises(TypeError, match=r"X is sparse and holds complex128: only"):
            use(sp.csr_matrix(np.eye(4) * 1j))


def test_A10_lazy_frames_are_collected() -> None:
    lazy = pl.from_pandas(FRAME).lazy()
    assert tw.CARTClassifier().fit(lazy, Y).tree_ == tw.CARTClassifier().fit(pl.from_pandas(FRAME), Y).tree_


@pytest.mark.parametrize(
    ("column", "word"),
    [
        (pd.Series([[1], [2], [3], [4]]), "list"),
        (pd.Series([{"a": 1}] * 4), "dict"),
        (pd.Series([1, "1", True, None], dtype=object), "mixes"),
        (pd.Series([1j, 2, 3, 4]), "omplex|type"),
        (pd.Series(pd.interval_range(0, 4)), r"type interval\[int64, right\].*left"),
    ],
)
def test_A10_columns_of_no_use_are_named(column: Any, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=word) as caught:
        tw.CARTClassifier().fit(pd.DataFrame({"odd one": column}), Y)
    assert "odd one" in str(caught.value)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [([[1], [2], [3], [4]], pl.List(pl.Int64)), ([{"a": 1}] * 4, pl.Struct({"a": pl.Int64}))],
)
def test_A10_nested_polars_columns_are_named(values: Any, dtype: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="odd one"):
        tw.CARTClassifier().fit(pl.DataFrame({"odd one": pl.Series(values, dtype=dtype)}), Y)


def test_A10_other_arrays() -> None:
    with pytest.raises(ValueError, match=r"[Cc]omplex"):
        tw.CARTClassifier().fit(np.eye(4) * 1j, Y)
    with pytest.raises(TypeError, match="structured"):
        tw.CARTClassifier().fit(np.zeros(4, [("a", float)]), Y)
    masked = np.ma.masked_array(np.arange(4.0)[:, None], mask=[[0], [0], [1], [1]])
    est = tw.CARTClassifier().fit(masked.filled(np.nan), Y)
    assert est.predict(masked.filled(np.nan)).tolist() == Y


def test_A10_a_masked_array_is_not_read_without_its_mask() -> None:
    """The values under a mask are not data: missing, or a clear refusal."""
    masked = np.ma.masked_array([[0.0], [0.0], [0.0], [1e9]], mask=[[0], [0], [0], [1]])
    try:
        est = tw.CARTClassifier().fit(masked, [0, 0, 0, 1])
    except (TypeError, ValueError):
        return
    assert 1e8 not in [round(c, -8) for c in est.tree_.root.split.cuts]
    assert est.tree_.root.split.family == "presence"


TARGETS: dict[str, Any] = {
    "nan": [0, 1, np.nan, 1],
    "none": np.array(["a", None, "b", "b"], object),
    "string NA": pd.Series(["a", None, "b", "b"], dtype="string"),
    "str NA": pd.Series(["a", None, "b", "b"]),
    "Int64 NA": pd.Series([1, None, 2, 2], dtype="Int64"),
    "categorical NA": pd.Series(pd.Categorical(["a", None, "b", "b"])),
    "polars text null": pl.Series(["a", None, "b", "b"]),
    "polars int null": pl.Series([1, None, 2, 2]),
    "arrow null": pa.array([1, None, 2, 2]),
    "arrow chunked null": pa.chunked_array([["a", None, "b", "b"]]),
    "NaT": np.array(["NaT", "2020-01-01", "2021-01-01", "2021-01-01"], "M8[D]"),
    "pandas NaT": pd.Series(pd.to_datetime([None, "2020-01-01", "2021-01-01", "2021-01-01"])),
    "boolean NA": pd.Series([True, None, False, True], dtype="boolean"),
}


@pytest.mark.parametrize("name", TARGETS)
def test_A7_targets_with_holes_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="y contains"):
        tw.CARTClassifier().fit(FRAME, TARGETS[name])


@pytest.mark.parametrize("weight", [None, [1, 0, 1, 1], [2, 1, 1, 1]])
@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.CARTRegressor])
@pytest.mark.parametrize("y", [[0, 1, 1], [0, 1, 1, 0, 1]])
def test_A7_lengths_that_differ(kind: Any, y: list[int], weight: Any) -> None:
    with pytest.raises(ValueError, match=f"4.*{len(y)}|{len(y)}.*4"):
        kind().fit(FRAME, y, sample_weight=weight)


def test_A7_targets_of_the_wrong_kind() -> None:
    with pytest.raises(ValueError, match="numeric"):
        tw.CARTRegressor().fit(FRAME, list("abcd"))
    with pytest.raises(ValueError, match=r"infinity \(row 2\)"):
        tw.CARTRegressor().fit(FRAME, [1, 2, np.inf, 3])
    with pytest.raises(ValueError, match=r"NaN \(row 1\)"):
        tw.CARTRegressor().fit(FRAME, [1, np.nan, 2, 3])
    with pytest.raises(ValueError, match="numbers and text"):
        tw.CARTClassifier().fit(FRAME, np.array(["a", 1, "b", 2], object))
    with pytest.raises(ValueError, match="1d"):
        tw.CARTClassifier().fit(FRAME, np.eye(4))
    with pytest.raises(ValueError):
        tw.CARTRegressor().fit(FRAME, np.array([1j, 2, 3, 4]))
