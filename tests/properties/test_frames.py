"""One table, many containers: the same tree and the same answers, and predict may use another container than fit."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw

from .tables import same_state

N = 200
RNG = np.random.default_rng(8)
NUMBER = [None if RNG.random() < 0.1 else float(v) for v in np.round(RNG.normal(size=N), 1)]
WHOLE = [int(v) for v in RNG.integers(-5, 5, N)]
HOLED = [None if RNG.random() < 0.2 else int(v) for v in RNG.integers(0, 4, N)]
FLAG = [bool(v) for v in RNG.integers(0, 2, N)]
FLAG_HOLED = [None if RNG.random() < 0.1 else bool(v) for v in RNG.integers(0, 2, N)]
TEXT = [None if RNG.random() < 0.1 else str(v) for v in RNG.choice(["beta", "alpha", "gamma", "Ünal"], N)]
WHEN = [None if RNG.random() < 0.1 else dt.datetime(2020, 1, 1) + dt.timedelta(hours=int(h)) for h in RNG.integers(0, 90, N)]
NAMES = ["number", "whole", "holed", "flag", "flag_holed", "text", "when"]
DATA = dict(zip(NAMES, [NUMBER, WHOLE, HOLED, FLAG, FLAG_HOLED, TEXT, WHEN], strict=True))
SCORE = [w + (t == "beta") * 3 + 2 * f + (x or 0) for w, t, f, x in zip(WHOLE, TEXT, FLAG, NUMBER, strict=True)]
Y = np.array([["lo", "mid", "hi"][min(2, max(0, int(s // 3 + 1)))] for s in SCORE])


def pandas_plain() -> Any:
    return pd.DataFrame({k: pd.Series(v, dtype=object) if k in ("text", "flag_holed") else v for k, v in DATA.items()})


def pandas_default() -> Any:
    return pd.DataFrame(DATA)


def pandas_nullable() -> Any:
    return pd.DataFrame(DATA).convert_dtypes()


def pandas_arrow() -> Any:
    return pd.DataFrame(DATA).convert_dtypes(dtype_backend="pyarrow")


def pandas_categorical() -> Any:
    frame = pd.DataFrame(DATA)
    return frame.assign(text=pd.Categorical(TEXT, categories=sorted({t for t in TEXT if t})))


def pandas_tz() -> Any:
    frame = pd.DataFrame(DATA)
    return frame.assign(when=frame["when"].dt.tz_localize("UTC"))


def pandas_index() -> Any:
    return pd.DataFrame(DATA, index=range(1000, 1000 - 3 * N, -3))


def polars_string() -> Any:
    return pl.DataFrame(DATA)


def polars_categorical() -> Any:
    levels = sorted({t for t in TEXT if t})
    return pl.DataFrame(DATA).with_columns(pl.col("text").cast(pl.Enum(levels)).cast(pl.Categorical))


def polars_enum() -> Any:
    return pl.DataFrame(DATA).with_columns(pl.col("text").cast(pl.Enum(sorted({t for t in TEXT if t}))))


def polars_ms() -> Any:
    return pl.DataFrame(DATA).with_columns(pl.col("when").cast(pl.Datetime("ms")))


def polars_chunked() -> Any:
    frame = pl.DataFrame(DATA)
    return pl.concat([frame[:50], frame[50:51], frame[51:]], rechunk=False)


def arrow_table() -> Any:
    return pa.table(DATA)


def arrow_chunked() -> Any:
    table = pa.table(DATA)
    return pa.concat_tables([table.slice(0, 70), table.slice(70, 0), table.slice(70)])


def arrow_dictionary() -> Any:
    table = pa.table(DATA)
    # A dictionary declares its levels in their order; text is sorted, so the dictionary is sorted here.
    levels = sorted({text for text in DATA["text"] if text is not None})
    codes = [None if text is None else levels.index(text) for text in DATA["text"]]
    return table.set_column(5, "text", pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(levels)))


def arrow_large() -> Any:
    table = pa.table(DATA)
    return table.set_column(5, "text", table["text"].cast(pa.large_string()))


def arrow_view() -> Any:
    table = pa.table(DATA)
    return table.set_column(5, "text", table["text"].cast(pa.string_view()))


def arrow_batch() -> Any:
    return pa.RecordBatch.from_pydict(DATA)


def numpy_objects() -> Any:
    X = np.empty((N, 6), object)
    for j, name in enumerate(NAMES[:6]):
        X[:, j] = DATA[name]
    return X


FRAMES: list[Callable[[], Any]] = [
    pandas_default,
    pandas_nullable,
    pandas_arrow,
    pandas_categorical,
    pandas_index,
    polars_string,
    polars_categorical,
    polars_enum,
    polars_ms,
    polars_chunked,
    arrow_table,
    arrow_chunked,
    arrow_dictionary,
    arrow_large,
    arrow_view,
    arrow_batch,
]


@pytest.fixture(scope="module")
def reference() -> Any:
    return tw.CARTClassifier().fit(pandas_plain(), Y)


@pytest.mark.parametrize("make", FRAMES, ids=lambda f: f.__name__)
def test_every_frame_gives_the_same_tree(reference: Any, make: Callable[[], Any]) -> None:
    X = make()
    est = tw.CARTClassifier().fit(X, Y)
    assert [c.name for c in est.tree_.columns] == NAMES
    assert [c.kind for c in est.tree_.columns] == ["number", "number", "number", "bool", "bool", "nominal", "date"]
    same_state(reference.tree_, est.tree_)
    assert reference.tree_.to_text() == est.tree_.to_text()
    assert np.array_equal(est.predict(X), reference.predict(pandas_plain()))


@pytest.mark.parametrize("make", FRAMES, ids=lambda f: f.__name__)
def test_predict_takes_another_frame_than_fit(reference: Any, make: Callable[[], Any]) -> None:
    X = make()
    assert np.array_equal(reference.predict_proba(X), reference.predict_proba(pandas_plain()))
    assert np.array_equal(reference.apply(X), reference.apply(pandas_plain()))
    assert np.array_equal(tw.CARTClassifier().fit(X, Y).predict(pandas_plain()), reference.predict(X))


def test_moments_of_a_time_zone_give_the_same_tree(reference: Any) -> None:
    est = tw.CARTClassifier().fit(pandas_tz(), Y)
    same_state(reference.tree_, est.tree_)
    assert np.array_equal(est.apply(pandas_tz()), reference.apply(pandas_plain()))


def test_numpy_objects_give_the_same_tree() -> None:
    reference = tw.CARTClassifier().fit(pandas_plain()[NAMES[:6]], Y)
    est = tw.CARTClassifier().fit(numpy_objects(), Y)
    same_state(reference.tree_, est.tree_)
    assert np.array_equal(est.predict(numpy_objects()), reference.predict(pandas_plain()[NAMES[:6]]))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "int16", "int8", "uint8", "float16", ">f8", ">i4"])
def test_every_number_type_gives_the_same_tree(dtype: str) -> None:
    X = np.random.default_rng(0).integers(0, 100, (300, 4))
    y = (X[:, 0] + X[:, 1] > 90).astype(int)
    reference = tw.CARTClassifier().fit(X, y)
    cast = X.astype(dtype)
    est = tw.CARTClassifier().fit(cast, y)
    same_state(reference.tree_, est.tree_)
    assert np.array_equal(est.predict(cast), reference.predict(X))
    frame = pd.DataFrame(X.astype(dtype.lstrip(">")), columns=list("abcd"))
    same_state(reference.tree_, tw.CARTClassifier().fit(frame, y).tree_)


@pytest.mark.parametrize("dtype", ["Int64", "Int8", "UInt16", "Float32", "Float64", "int64[pyarrow]", "double[pyarrow]"])
def test_nullable_numbers_with_holes(dtype: str) -> None:
    values = [1, 2, None, 4, 5, None, 7, 8]
    y = [0, 0, 1, 0, 1, 1, 1, 1]
    plain = pd.DataFrame({"x": [np.nan if v is None else float(v) for v in values]})
    frame = pd.DataFrame({"x": pd.Series(values, dtype=dtype)})
    reference = tw.CARTClassifier().fit(plain, y)
    same_state(reference.tree_, tw.CARTClassifier().fit(frame, y).tree_)
    assert np.array_equal(reference.predict(frame), reference.predict(plain))


TARGETS: dict[str, Callable[[], Any]] = {
    "list": lambda: Y.tolist(),
    "objects": lambda: Y.astype(object),
    "pandas": lambda: pd.Series(Y.tolist()),
    "pandas string": lambda: pd.Series(Y.tolist(), dtype="string"),
    "pandas arrow": lambda: pd.Series(Y.tolist(), dtype="string[pyarrow]"),
    "pandas categorical": lambda: pd.Series(pd.Categorical(Y.tolist())),
    "bare categorical": lambda: pd.Categorical(Y.tolist()),
    "polars": lambda: pl.Series("t", Y.tolist()),
    "polars categorical": lambda: pl.Series("t", Y.tolist(), dtype=pl.Enum(["hi", "lo", "mid"])),
    "arrow": lambda: pa.array(Y.tolist()),
    "arrow chunked": lambda: pa.chunked_array([Y[:9].tolist(), Y[9:].tolist()]),
    "arrow dictionary": lambda: pa.array(Y.tolist()).dictionary_encode(),
    "arrow chunked dictionary": lambda: pa.chunked_array([Y[:9].tolist(), Y[9:].tolist()]).dictionary_encode(),
}


@pytest.mark.parametrize("name", TARGETS)
def test_every_kind_of_target_gives_the_same_answers(reference: Any, name: str) -> None:
    X = pandas_plain()
    est = tw.CARTClassifier().fit(X, TARGETS[name]())
    assert est.classes_.tolist() == reference.classes_.tolist()
    assert est.predict(X).tolist() == reference.predict(X).tolist()
    assert np.array_equal(est.predict_proba(X), reference.predict_proba(X))


@pytest.mark.parametrize(
    "make", [pl.Series, pa.array, pd.Series, lambda v: pd.Series(v, dtype="Float64"), lambda v: pa.chunked_array([v])]
)
def test_every_kind_of_number_target_gives_the_same_tree(make: Callable[[Any], Any]) -> None:
    X = pandas_plain()
    y = [round(s, 1) for s in SCORE]
    reference = tw.CARTRegressor(max_depth=4).fit(X, y)
    same_state(reference.tree_, tw.CARTRegressor(max_depth=4).fit(X, make(y)).tree_)
    weights = [1.0 + i % 3 for i in range(N)]
    weighted = tw.CARTRegressor(max_depth=4).fit(X, y, sample_weight=weights)
    same_state(weighted.tree_, tw.CARTRegressor(max_depth=4).fit(X, y, sample_weight=make(weights)).tree_)
