"""Group N, numbers: neighbouring floats, huge and tiny values, what lies exactly on a threshold, and dates."""

from __future__ import annotations

import datetime as dt
import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

import treewright as tw

SETS = {"iris": load_iris, "wine": load_wine, "breast": load_breast_cancer, "diabetes": load_diabetes}


def test_N1_small_differences() -> None:
    est = tw.CARTClassifier().fit([[0.0], [1e-7]], [0, 1])
    assert est.tree_.n_leaves == 2
    assert est.predict([[0.0], [1e-7]]).tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int32, np.uint32, np.uint64])
@pytest.mark.parametrize("low", [2**24, 2**31 - 2, 2**24 - 1])
def test_N2_beyond_single_precision(dtype: Any, low: int) -> None:
    X = np.array([[low], [low + 1]], dtype)
    est = tw.CARTClassifier().fit(X, [0, 1])
    assert est.tree_.n_leaves == 2
    assert est.predict(X).tolist() == [0, 1]
    frame = pd.DataFrame(X, columns=["x"])
    assert tw.CARTClassifier().fit(frame, [0, 1]).predict(frame).tolist() == [0, 1]


def test_N2_beyond_double_precision_is_said() -> None:
    X = np.array([[2**53], [2**53 + 1]])
    with pytest.warns(tw.TreewrightWarning, match=r"'x0'.*2\*\*53.*categorical_features"):
        est = tw.CARTClassifier().fit(X, [0, 1])
    assert est.tree_.n_leaves == 1
    assert tw.CARTClassifier(categorical_features=[0]).fit(X, [0, 1]).predict(X).tolist() == [0, 1]


def test_N2_beyond_double_precision_is_said_of_nullable_columns_too() -> None:
    frame = pd.DataFrame({"id": pd.array([2**53, 2**53 + 1, None], dtype="Int64")})
    with pytest.warns(tw.TreewrightWarning, match=r"'id'.*2\*\*53"):
        tw.CARTClassifier().fit(frame, [0, 1, 1])


NEIGHBOURS = [0.0, -0.0, 5e-324, 1.0, -1.0, 1e308, float(np.finfo(np.float32).max), -5e-324, 1e-310, -1e308, 0.1]


def neighbours() -> Any:
    """All pairs of neighbours that are finite in their type."""
    with np.errstate(over="ignore", under="ignore"):
        for dtype in (np.float64, np.float32):
            for low in NEIGHBOURS:
                a = dtype(low)
                b = np.nextafter(a, dtype(np.inf))
                if np.isfinite(a) and np.isfinite(b):
                    yield a, b


@pytest.mark.parametrize("at", ["midpoint", "observed"])
@pytest.mark.parametrize("relation", ["<=", "<"])
@pytest.mark.parametrize(("a", "b"), list(neighbours()), ids=str)
def test_N4_neighbouring_floats(a: Any, b: Any, relation: str, at: str) -> None:
    dtype = a.dtype
    X = np.array([[a], [b]], dtype)
    est = tw.TreeClassifier(relation=relation, threshold_at=at).fit(X, [0, 1])
    assert est.tree_.n_leaves == 2
    assert est.predict(X).tolist() == [0, 1]
    (cut,) = est.tree_.root.split.cuts
    assert float(a) <= cut < float(b) if relation == "<=" else float(a) < cut <= float(b)
    assert est.tree_.to_rules().matches(X).tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("numeric", ["threshold", "ternary", "discretised"])
def test_N4_many_neighbours(numeric: str) -> None:
    x = [1.0]
    while len(x) < 12:
        x.append(float(np.nextafter(x[-1], 2)))
    X = np.array(x)[:, None]
    y = np.arange(12) // 2 % 3
    est = tw.TreeClassifier(numeric=numeric, discretise="equal_frequency", bins=12).fit(X, y)
    assert est.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("numeric", ["threshold", "ternary", "discretised"])
@pytest.mark.parametrize("method", ["equal_width", "equal_frequency", "mdlp"])
def test_N5_midpoint_of_the_extremes(numeric: str, method: str) -> None:
    X = np.array([[-1.7e308]] * 20 + [[1.7e308]] * 20)
    y = [0] * 20 + [1] * 20
    est = tw.TreeClassifier(numeric=numeric, discretise=method).fit(X, y)
    assert all(np.isfinite(c) for c in est.tree_.root.split.cuts)
    assert est.predict(X).tolist() == y
    assert est.tree_.to_text()


BEYOND = {
    "CARTClassifier": ("min_gain", "min_samples_split", "min_samples_leaf", "min_impurity", "min_weight_fraction_leaf", "purity"),
    "CARTRegressor": ("min_impurity_decrease", "max_leaf_nodes", "max_features", "min_samples_leaf"),
    "C45Classifier": ("confidence",),
    "TreeClassifier": ("significance",),
    "LogisticTreeClassifier": ("folds",),
}


@pytest.mark.parametrize(("name", "key"), [(name, key) for name, keys in BEYOND.items() for key in keys])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.filterwarnings("ignore:the table has 24 rows")
def test_N2_parameters_beyond_double_precision_are_taken_or_refused(name: str, key: str, sign: int) -> None:
    X = np.arange(24.0).reshape(-1, 1)
    limits = ("min_samples_split", "min_samples_leaf", "max_leaf_nodes", "max_features", "folds")
    refused = pytest.raises(ValueError, match=f"^{key}=.* is not allowed: it must be")
    with nullcontext() if sign > 0 and key in limits else refused:
        getattr(tw, name)(**{key: sign * 10**400}).fit(X, np.arange(24) % 3)


def test_N6_zero_and_minus_zero_are_one_value() -> None:
    for X in ([[0.0], [-0.0]], [[-0.0], [0.0]], [[-0.0], [0.0], [0.0]]):
        est = tw.CARTClassifier().fit(X, [0, 1, 1][: len(X)])
        assert est.tree_.n_leaves == 1
    est = tw.CARTClassifier().fit([[-1.0], [-0.0], [0.0], [1.0]], [0, 1, 1, 0])
    assert est.predict([[-0.0], [0.0]]).tolist() == [1, 1]
    nominal = tw.CARTClassifier(categorical_features=[0]).fit([[-0.0], [0.0], [1.0]], [0, 0, 1])
    assert nominal.tree_.columns[0].levels in ((0.0, 1.0), (-0.0, 1.0))


@pytest.mark.parametrize("name", SETS)
def test_N7_recount_of_known_data(name: str) -> None:
    X, y = SETS[name](return_X_y=True)
    kind = tw.CARTRegressor if name == "diabetes" else tw.CARTClassifier
    weights = np.random.default_rng(0).integers(1, 5, len(y)) / 4
    for given in (None, weights):
        tree = kind().fit(X, y, sample_weight=given).tree_
        counted = tree.decision_path(X).T @ (np.ones(len(y)) if given is None else given)
        assert np.array_equal(np.asarray(counted).ravel(), tree.state()["weight"])


def test_N7_node_weights_are_sums_of_the_weights_given() -> None:
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(500, 3)), rng.random(500)
    tree = tw.CARTRegressor(max_depth=4).fit(X, X[:, 0], sample_weight=w).tree_
    counted = np.asarray(tree.decision_path(X).T @ w).ravel()
    np.testing.assert_allclose(tree.state()["weight"], counted, rtol=1e-10)


@pytest.mark.parametrize("first", [np.float64, np.float32])
@pytest.mark.parametrize("relation", ["<=", "<"])
def test_N8_every_answer_gives_the_same_leaf(first: Any, relation: str) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2000, 4)).astype(first)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    est = tw.TreeClassifier(relation=relation, max_depth=6).fit(X, y)
    tree = est.tree_
    cuts = np.array([node.split.cuts[0] for node in tree.nodes() if not node.is_leaf])
    on = np.concatenate([cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)])
    rows = np.concatenate([rng.normal(size=(20_000, 4)), rng.choice(on, (20_000, 4))])
    for Z in (rows, rows.astype(np.float32), np.asfortranarray(rows), rows.astype(">f8")):
        leaf = est.apply(Z)
        rules = tree.to_rules()
        held = rules.matches(Z)
        assert (held.sum(axis=1) == 1).all()
        assert np.array_equal(np.array([r.leaf for r in rules])[np.argmax(held, axis=1)], leaf)
        labels = np.array([tree.node(i).prediction if tree.node(i).is_leaf else -1 for i in range(tree.n_nodes)])
        assert np.array_equal(est.predict(Z), labels[leaf])
        last = np.maximum.reduceat(est.decision_path(Z).indices, est.decision_path(Z).indptr[:-1])
        assert all(tree.node(int(i)).is_leaf for i in np.unique(leaf))
        assert np.array_equal(last, leaf)  # children come after parents
    single = est.apply(rows.astype(np.float32))
    assert np.array_equal(single, est.apply(rows.astype(np.float32).astype(np.float64)))


def test_N8_a_value_equal_to_the_shown_threshold_goes_where_the_text_says() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        a, b = np.sort(rng.normal(size=2) * 10.0 ** rng.integers(-5, 6))
        for relation in ("<=", "<"):
            est = tw.TreeClassifier(relation=relation).fit([[a], [b]], [0, 1])
            word, sign, number = est.tree_.root.children[0].condition.text().split()
            assert (word, sign) == ("x0", relation)
            shown = float(number)
            assert a <= shown < b if relation == "<=" else a < shown <= b


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("how", ["cube", "exp"])
def test_N10_known_data(name: str, how: str) -> None:
    X, y = SETS[name](return_X_y=True)
    rank = np.unique(X[:, 2], return_inverse=True)[1].astype(float)
    X[:, 2] = rank
    Z = X.copy()
    Z[:, 2] = rank**3 if how == "cube" else np.exp(rank / 50)
    kind = tw.CARTRegressor if name == "diabetes" else tw.CARTClassifier
    one, two = kind().fit(X, y), kind().fit(Z, y)
    assert np.array_equal(one.apply(X), two.apply(Z))
    assert np.array_equal(one.tree_.state()["column"], two.tree_.state()["column"])


X4 = np.array([[0.0], [1.0], [2.0], [3.0]])


@pytest.mark.parametrize(
    "y",
    [
        1e15 + np.array([0.0, 0, 1, 1]),
        np.array([1e300, 1e300, -1e300, -1e300]),
        np.array([1.7e308, 1.7e308, -1.7e308, -1.7e308]),
        np.array([0, 0, 1e-300, 1e-300]),
        np.array([0, 0, 5e-324, 5e-324]),
        np.array([1e20, 1e20, 1.0, 2.0]),
        np.array([1e300, 1e300, 1.0, 2.0]),
        np.array([1.0, np.nextafter(1.0, 2), 1.0, 1.0]),
        -1e15 - np.array([0.0, 0, 0.125, 0.125]),
    ],
    ids=str,
)
@pytest.mark.parametrize("weights", [None, [1e-3, 2.0, 3e3, 0.1]])
@pytest.mark.filterwarnings("ignore:.*a few units of their rounding:treewright.TreewrightWarning")
def test_N11_targets_of_any_size(y: np.ndarray, weights: Any) -> None:
    est = tw.CARTRegressor().fit(X4, y, sample_weight=weights)
    assert est.predict(X4).tolist() == y.tolist()
    state = est.tree_.state()
    assert np.isfinite(state["impurity"]).all()
    assert (state["impurity"] >= 0).all()
    assert np.isfinite(state["gain"]).all()
    assert np.isfinite(est.feature_importances_).all()


@pytest.mark.parametrize("value", [1e300, -1.7e308, 0.1, 1e-300, 5e-324, 0.0, 1e15 + 0.3])
@pytest.mark.parametrize("n", [3, 1000])
def test_N11_a_constant_target_is_one_leaf(value: float, n: int) -> None:
    X = np.random.default_rng(0).normal(size=(n, 2))
    est = tw.CARTRegressor().fit(X, np.full(n, value), sample_weight=np.random.default_rng(1).random(n))
    assert est.tree_.n_leaves == 1
    assert est.predict(X[:1]).tolist() == [value]
    assert est.tree_.root.impurity == 0


@pytest.mark.parametrize("times", [1, 1000])
@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.CARTRegressor, tw.ID3Classifier])
def test_N13_parity(kind: Any, times: int) -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * times)
    y = X[:, 0] ^ X[:, 1]
    est = kind().fit(X, y)
    assert est.predict(X).tolist() == y.tolist()
    assert est.tree_.n_leaves == 4
    assert kind(min_gain=1e-9).fit(X, y).tree_.n_leaves == 1
    best = kind(max_leaf_nodes=4).fit(X, y)
    assert best.predict(X).tolist() == y.tolist()


def test_N13_parity_of_three() -> None:
    X = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])
    y = X.sum(axis=1) % 2
    assert tw.CARTClassifier().fit(X, y).predict(X).tolist() == y.tolist()


# --- dates

DAYS = [dt.date(2020, 1, 1), dt.date(2020, 3, 1), dt.date(2021, 1, 1), dt.date(2022, 1, 1)]
DATES: dict[str, Any] = {
    "pandas ns": pd.DataFrame({"when": pd.to_datetime(DAYS).as_unit("ns")}),
    "pandas s": pd.DataFrame({"when": pd.to_datetime(DAYS).as_unit("s")}),
    "pandas utc": pd.DataFrame({"when": pd.to_datetime(DAYS).tz_localize("UTC")}),
    "pandas arrow": pd.DataFrame({"when": pd.Series(pd.to_datetime(DAYS), dtype="timestamp[ns][pyarrow]")}),
    "pandas date32": pd.DataFrame({"when": pd.Series(DAYS, dtype="date32[pyarrow]")}),
    "polars date": pl.DataFrame({"when": DAYS}),
    "polars datetime": pl.DataFrame({"when": DAYS}).with_columns(pl.col("when").cast(pl.Datetime("ns"))),
    "polars zone": pl.DataFrame({"when": DAYS}).with_columns(pl.col("when").cast(pl.Datetime("ms", "UTC"))),
    "numpy day": np.array(DAYS, "M8[D]")[:, None],
    "numpy ns": np.array(DAYS, "M8[ns]")[:, None],
}


@pytest.mark.parametrize("name", DATES)
def test_N_dates_are_shown_as_dates(name: str) -> None:
    X = DATES[name]
    est = tw.CARTClassifier().fit(X, [0, 0, 1, 1])
    assert est.tree_.columns[0].kind == "date"
    assert "<= 2020-08-01" in est.tree_.to_text()
    assert "<= 2020-08-01" in str(est.tree_.to_rules())
    assert est.predict(X).tolist() == [0, 0, 1, 1]
    for other in DATES.values():
        zones = [isinstance(frame, (pd.DataFrame, pl.DataFrame)) and "UTC" in str(frame["when"].dtype) for frame in (X, other)]
        if isinstance(other, np.ndarray) == isinstance(X, np.ndarray) and zones[0] == zones[1]:
            assert est.predict(other).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("name", DATES)
def test_N_dates_are_nominal_on_request(name: str) -> None:
    X = DATES[name]
    est = tw.CARTClassifier(categorical_features=[0]).fit(X, [0, 1, 0, 1])
    assert est.tree_.columns[0].kind == "nominal"
    assert len(est.tree_.columns[0].levels) == 4
    assert est.tree_.n_leaves == 2
    assert est.predict(X).tolist() == [0, 1, 0, 1]
    assert "2021-01-01" in est.tree_.to_text()


def test_N_dates_with_holes_and_times_of_day() -> None:
    X = pd.DataFrame({"when": pd.to_datetime(["2020-01-01 08:00", None, "2020-01-01 08:04", "2020-01-01 08:06"])})
    est = tw.CARTClassifier().fit(X, [0, 0, 1, 1])
    assert est.predict(X).tolist() == [0, 0, 1, 1]
    assert "2020-01-01 08:02" in est.tree_.to_text()
    close = pd.DataFrame({"when": pd.to_datetime([0, 1, 2, 3], unit="us")})
    assert tw.CARTClassifier().fit(close, [0, 1, 0, 1]).predict(close).tolist() == [0, 1, 0, 1]


def test_N_dates_before_1970_and_far_away() -> None:
    X = np.array(["0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"], "M8[D]")[:, None]
    est = tw.CARTClassifier().fit(X, [0, 1, 0, 1])
    assert est.predict(X).tolist() == [0, 1, 0, 1]
    assert "1969-12-31" in est.tree_.to_text()
    beyond = np.array(["-9000-01-01", "20000-01-01"], "M8[D]")[:, None]
    assert tw.CARTClassifier().fit(beyond, [0, 1]).tree_.to_text()


def test_N_durations_are_shown_as_durations() -> None:
    X = pd.DataFrame({"took": pd.to_timedelta([1, 2, 4, 5], unit="h")})
    est = tw.CARTClassifier().fit(X, [0, 0, 1, 1])
    assert "took <= 3:00:00" in est.tree_.to_text()
    assert est.predict(pl.from_pandas(X)).tolist() == [0, 0, 1, 1]


def test_N_dates_of_nanoseconds_stay_distinct_or_are_warned_of() -> None:
    """Microseconds are kept; two moments a nanosecond apart must not become one without a word."""
    X = pd.DataFrame({"when": np.array([1, 2], "M8[ns]")})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        said = tw.CARTClassifier().fit(X, [0, 1]).predict(X).tolist()
    assert said == [0, 1] or any("when" in str(w.message) for w in caught)


def test_N_dates_and_numbers_are_not_confused() -> None:
    est = tw.CARTClassifier().fit(DATES["pandas ns"], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="'when' was date in training and is number now: convert"):
        est.predict(pd.DataFrame({"when": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="'when'"):
        est.predict(pd.DataFrame({"when": ["2020-01-01"]}))
    with pytest.raises(ValueError, match=r"'when'.*date"):
        est.predict(pd.DataFrame({"when": pd.to_timedelta([1, 2], unit="h")}))
    numeric = tw.CARTClassifier().fit(pd.DataFrame({"when": [1.0, 2.0]}), [0, 1])
    with pytest.raises(ValueError, match=r"'when'.*number"):
        numeric.predict(DATES["pandas ns"])
