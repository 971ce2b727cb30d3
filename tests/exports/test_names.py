"""Exports among other things: names that are taken, tables in schemas, cells nobody expects."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.exports.postgres import run
from tests.exports.runners import javascript_answers, model_answers


def test_answers_give_way_to_columns_of_their_names() -> None:
    duckdb = pytest.importorskip("duckdb")
    X = pd.DataFrame({"Prediction": [1.0, 2, 3, 4], "leaf": [0.0, 1, 0, 1], "probability_a": [5.0, 6, 7, 8]})
    est = tw.CARTClassifier().fit(X, ["a", "a", "b", "b"])
    with duckdb.connect() as db:
        db.register("rows", X)
        db.execute(f"CREATE TABLE told AS {est.to_sql('duckdb', give=['prediction', 'shares', 'leaf'], keep=list(X))}")
        told = db.execute("SELECT * FROM told").df()
    assert list(told) == [*X, "predicted prediction", "predicted probability_a", "probability_b", "predicted leaf"]
    assert told["predicted prediction"].tolist() == est.predict(X).tolist()
    assert told["Prediction"].tolist() == X["Prediction"].tolist()
    assert " AS prediction" in est.to_sql("duckdb", keep=["leaf"])


@pytest.mark.parametrize("classes", [("A", "a"), ("x" * 80 + "1", "x" * 80 + "2"), ("é" * 40 + "1", "é" * 40 + "2")])
def test_answers_whose_names_engines_take_for_one(classes: tuple[str, str]) -> None:
    duckdb = pytest.importorskip("duckdb")
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    est = tw.CARTClassifier().fit(X, np.repeat(classes, 2))
    with duckdb.connect() as db:
        db.register("rows", X)
        db.execute(f"CREATE TABLE told AS {est.to_sql('duckdb', give='shares')}")
        told = db.execute("SELECT * FROM told").df()
    second = f"probability_{classes[1]}"
    assert list(told) == ["x", f"probability_{classes[0]}", f"{second} (2)" if classes == ("A", "a") else second]
    assert told.iloc[:, 1:].to_numpy().tolist() == est.predict_proba(X).tolist()
    with closing(sqlite3.connect(":memory:")) as lite:
        lite.execute("CREATE TABLE rows AS SELECT 1.0 AS x")
        lite.execute(f"CREATE TABLE told AS {est.to_sql('sqlite', give='shares')}")
        names = [row[1] for row in lite.execute("PRAGMA table_info(told)")]
    assert names == list(told)
    query = f"CREATE TEMP TABLE told AS {est.to_sql('postgresql', give='shares', table='seen')};\nSELECT * FROM told"
    assert run("CREATE TEMP TABLE seen AS SELECT CAST(1 AS DOUBLE PRECISION) AS x;", query) == [["1", "1", "0"]]


def test_columns_named_as_those_of_the_query() -> None:
    X = pd.DataFrame({"tw_leaf": [1.0, 2, 3, 4], "tw1_row": [0.0, 1, 0, 1]})
    est = tw.CARTClassifier().fit(X, ["a", "b", "b", "a"])
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE rows (tw_leaf, tw1_row)")
        db.executemany("INSERT INTO rows VALUES (?, ?)", X.to_numpy().tolist())
        told = db.execute(est.to_sql("sqlite", keep=list(X))).fetchall()
    assert told == [(*cells, said) for cells, said in zip(X.to_numpy().tolist(), est.predict(X), strict=True)]


def test_javascript_reads_offsets_with_seconds() -> None:
    X = pd.DataFrame({"d": pd.date_range("1843-01-01", "1960-01-01", periods=60, tz="Europe/Berlin")})
    assert X["d"][0].isoformat().endswith("+00:53:28")
    est = tw.CARTClassifier().fit(X, np.where(np.arange(60) % 20 < 9, "a", "b"))
    javascript_answers(est, X).equal(model_answers(est, X))


def test_classes_that_onnx_cannot_count_to_are_named() -> None:
    pytest.importorskip("onnx")
    est = tw.CARTClassifier().fit([[1.0], [2.0]], [2**60, 2**60 + 1])
    with pytest.raises(ValueError, match=r"the class 1152921504606846976 is beyond 2\^53"):
        est.to_onnx()


def test_tables_in_schemas() -> None:
    duckdb = pytest.importorskip("duckdb")
    est = tw.CARTClassifier().fit(pd.DataFrame({"x": [1.0, 2.0]}), ["a", "b"])
    with duckdb.connect() as db:
        db.execute('CREATE SCHEMA s; CREATE TABLE s.t AS SELECT 1.0 AS x; CREATE TABLE "s.t" AS SELECT 2.0 AS x')
        for table, said in (("s.t", "a"), (("s", "t"), "a"), (("s.t",), "b")):
            assert db.execute(est.to_sql("duckdb", table=table, keep=[])).fetchall() == [(said,)]


@pytest.mark.parametrize("name", ["int", "while", "class", "_Bool", "__x", "9a", "a b", "", None])
def test_names_that_c_does_not_allow(name: Any) -> None:
    est = tw.CARTClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ValueError, match="is not allowed"):
        est.to_c(name)


def python(est: Any) -> Any:
    module: dict[str, Any] = {}
    exec(est.to_python(), module)
    return module["predict"]


@pytest.mark.parametrize(
    "cell", [10**400, [1], {}, 1j, object(), np.array([1.0, 2.0]), "1", b"1", dt.date(2024, 1, 1), float("inf"), Decimal("1e999")]
)
def test_the_python_export_refuses_strange_cells_with_one_error(cell: Any) -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0], "town": ["a", "b", "a"], "flag": [True, False, True]})
    predict = python(tw.TreeClassifier(max_depth=1).fit(X[["x"]], ["a", "b", "b"]))
    with pytest.raises(ValueError, match="column 'x'"):
        predict({"x": cell})
    if isinstance(cell, (list, dict, np.ndarray)):
        with pytest.raises(ValueError, match="column 'town'"):
            python(tw.TreeClassifier(max_depth=1).fit(X[["town"]], ["a", "b", "a"]))({"town": cell})


def test_the_python_export_refuses_what_is_no_row_and_what_is_no_truth() -> None:
    X = pd.DataFrame({"flag": [True, False, True]})
    predict = python(tw.CARTClassifier().fit(X, ["a", "b", "a"]))
    assert (predict([True]), predict({"flag": 0})) == ("a", "b")
    for row in (None, 3, "a"):
        with pytest.raises(ValueError, match="is no row"):
            predict(row)
    with pytest.raises(ValueError, match="only True, False, 1 and 0"):
        predict({"flag": 0.5})
