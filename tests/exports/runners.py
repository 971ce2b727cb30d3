"""Runs exports for real: each function takes a fitted estimator and rows, and gives leaves, answers and shares of the export."""

from __future__ import annotations

import ctypes
import datetime as dt
import json
import math
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw


@dataclass
class Answers:
    """What was predicted for every row; shares are empty for numbers."""

    leaf: list[int]
    prediction: list[Any]
    shares: list[list[float]]

    def equal(self, other: Answers) -> None:
        assert self.leaf == other.leaf
        assert self.prediction == other.prediction
        assert self.shares == other.shares


def model_answers(est: Any, X: Any) -> Answers:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.UnseenLevelWarning)
        shares = est.predict_proba(X).tolist() if hasattr(est, "predict_proba") else []
        return Answers(est.apply(X).tolist(), est.predict(X).tolist(), shares)


def records(X: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain Python values; missing cells are None."""
    columns = {name: [None if _gone(v) else _plain(v) for v in X[name].tolist()] for name in X.columns}
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _gone(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))


def _plain(value: Any) -> Any:
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    if isinstance(value, pd.Timedelta):
        return value.to_pytimedelta()
    return value


# -- Python ------------------------------------------------------------------------------------------------------------


def python_answers(est: Any, X: pd.DataFrame) -> Answers:
    names: dict[str, Any] = {"__name__": "exported"}
    exec(compile(est.to_python(), "exported", "exec"), names)
    rows = records(X)
    shares = [names["predict_proba"](row) for row in rows] if hasattr(est, "predict_proba") else []
    return Answers([names["leaf"](row) for row in rows], [names["predict"](row) for row in rows], shares)


# -- JavaScript --------------------------------------------------------------------------------------------------------

_SCRIPT = """
import { readFileSync, writeFileSync } from "node:fs";
import * as model from "./model.mjs";
const rows = JSON.parse(readFileSync("rows.json", "utf8"), (key, cell) => cell && cell.digits ? BigInt(cell.digits) : cell);
const plain = (key, value) => typeof value === "bigint" ? Number(value) : value;
const answers = {
  leaf: rows.map((row) => model.leaf(row)),
  prediction: rows.map((row) => model.predict(row)),
  shares: model.classes.length > 0 ? rows.map((row) => model.predictProba(row)) : [],
};
writeFileSync("answers.json", JSON.stringify(answers, plain));
"""


def javascript_answers(est: Any, X: pd.DataFrame) -> Answers:
    if shutil.which("node") is None:
        pytest.skip("Node is not installed (Debian: apt-get install nodejs)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.mjs").write_text(est.to_javascript(), encoding="utf-8")
        (folder / "run.mjs").write_text(_SCRIPT, encoding="utf-8")
        rows = [{name: _digits(cell) for name, cell in row.items()} for row in records(X)]
        (folder / "rows.json").write_text(json.dumps(rows, default=_json), encoding="utf-8")
        done = subprocess.run(["node", "run.mjs"], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    return Answers(found["leaf"], found["prediction"], found["shares"])


def _digits(cell: Any) -> Any:
    return {"digits": str(cell)} if isinstance(cell, int) and abs(cell) > 2**53 else cell


def _json(value: Any) -> Any:
    if isinstance(value, dt.timedelta):
        return value // dt.timedelta(microseconds=1)
    return value.isoformat()


# -- C -----------------------------------------------------------------------------------------------------------------

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"]


@contextmanager
def c_library(source: str, *flags: str) -> Iterator[Any]:
    """A C export, compiled and loaded."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model.c"
        path.write_text(source, encoding="ascii")
        command = ["gcc", *(flags or ("-O1",)), *STRICT, "-shared", "-fPIC", str(path), "-o", f"{path}.so", "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:2000]
        yield ctypes.CDLL(f"{path}.so")


def c_answers(est: Any, X: pd.DataFrame, *flags: str) -> Answers:
    answers = ctypes.c_int32 if hasattr(est, "predict_proba") else ctypes.c_double
    with c_library(est.to_c("m"), *flags) as lib:
        rows = c_rows(lib, est.tree_, X)
        n = len(rows)
        at = [rows[i].ctypes.data_as(ctypes.c_void_p) for i in range(n)]
        leaf = _c_leaves(est, lib, at)
        if est.tree_.target.outputs:
            return Answers(leaf, _c_numbers(lib, rows, len(est.tree_.target.outputs)), [])
        lib.m_predict.restype = answers
        one = [lib.m_predict(row) for row in at]
        many = np.empty(n, answers)
        lib.m_predict_many(rows.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(n), many.ctypes.data_as(ctypes.c_void_p))
        assert many.tolist() == one
        if answers is ctypes.c_double:
            return Answers(leaf, one, [])
        shares = np.empty((n, len(est.classes_)))
        for i in range(n):
            assert lib.m_predict_proba(at[i], shares[i].ctypes.data_as(ctypes.c_void_p)) == 0
        classes = est.classes_.tolist()
        classes += [label for label in est.tree_.target.classes if label not in classes]  # scores may say them
        return Answers(leaf, [classes[k] for k in one], shares.tolist())


def _c_leaves(est: Any, lib: Any, at: list[Any]) -> list[Any]:
    members = len(est._program().members)
    if not members:
        return [lib.m_leaf(row) for row in at]
    leaves = np.empty((len(at), members), np.int32)
    for row, each in zip(at, leaves, strict=True):
        assert lib.m_leaf(row, each.ctypes.data_as(ctypes.c_void_p)) == 0
    return leaves.tolist()


def _c_numbers(lib: Any, rows: np.ndarray, outputs: int) -> list[list[float]]:
    one, many = np.full((2, len(rows), outputs), np.nan)
    lib.m_predict_many(*map(ctypes.c_void_p, (rows.ctypes.data, len(rows), many.ctypes.data)))
    for row, numbers in zip(rows, one, strict=True):
        assert lib.m_predict(ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(numbers.ctypes.data)) == 0
    assert many.tolist() == one.tolist()
    return one.tolist()


def c_rows(lib: Any, tree: tw.Tree, X: pd.DataFrame) -> np.ndarray:
    """Rows as the C export wants them; levels are looked up by the export itself."""
    out = np.empty((len(X), len(tree.columns)))
    for j, column in enumerate(tree.columns):
        cells = [row[column.name] for row in records(X[[column.name]])]
        out[:, j] = [math.nan if cell is None else _c_cell(lib, j, column.kind, cell) for cell in cells]
    return np.ascontiguousarray(out)


def _c_cell(lib: Any, j: int, kind: str, cell: Any) -> float:
    if kind in ("nominal", "ordered"):
        if isinstance(cell, int) and abs(cell) > 2**53:
            cell = str(cell)
        if isinstance(cell, str):
            lib.m_level.restype = ctypes.c_double
            text = cell.encode()
            return float(lib.m_level(j, text, ctypes.c_size_t(len(text))))
        lib.m_level_number.restype = ctypes.c_double
        return float(lib.m_level_number(j, ctypes.c_double(micro(cell))))
    return micro(cell)


def micro(cell: Any) -> float:
    """A number, or the microseconds of a date or duration."""
    if isinstance(cell, dt.datetime):
        return float((cell - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1))
    if isinstance(cell, dt.date):
        return micro(dt.datetime(cell.year, cell.month, cell.day))
    return float(cell // dt.timedelta(microseconds=1)) if isinstance(cell, dt.timedelta) else float(cell)


# -- SQL ---------------------------------------------------------------------------------------------------------------


def _several_leaves(est: Any) -> bool:
    """Whether a row has several leaves, so that SQL gives none: thresholds are passed in parts, or there are members."""
    program = est._program()
    return bool(program.soft or program.members)


def _query(est: Any, dialect: str) -> str:
    soft = _several_leaves(est)
    give = ["prediction"] + ["shares"] * hasattr(est, "predict_proba") + ["leaf"] * (not soft)
    return str(est.to_sql(dialect=dialect, table="the rows", give=give, keep=["the row"], key="the row"))


def _answers(est: Any, X: pd.DataFrame, rows: list[tuple[Any, ...]]) -> Answers:
    """Answers from the rows of a query, put in order."""
    rows = sorted(rows)
    assert [row[0] for row in rows] == list(range(len(X)))
    soft = _several_leaves(est)
    leaf = model_answers(est, X).leaf if soft else [row[-1] for row in rows]
    if est.tree_.target.outputs:
        return Answers(leaf, [list(row[1 : None if soft else -1]) for row in rows], [])
    shares = [list(row[2 : None if soft else -1]) for row in rows] if hasattr(est, "predict_proba") else []
    return Answers(leaf, [row[1] for row in rows], shares)


def duckdb_answers(est: Any, X: pd.DataFrame, dialect: str = "duckdb") -> Answers:
    import duckdb
    import pyarrow as pa

    with duckdb.connect() as db:
        table = pa.Table.from_pandas(X.assign(**{"the row": np.arange(len(X))}), preserve_index=False)
        db.register("the rows", table)
        return _answers(est, X, db.execute(_query(est, dialect)).fetchall())


def ansi_answers(est: Any, X: pd.DataFrame) -> Answers:
    return duckdb_answers(est, X, "ansi")


def sqlite_answers(est: Any, X: pd.DataFrame) -> Answers:
    import sqlite3

    db = sqlite3.connect(":memory:")
    try:
        names = [*X.columns, "the row"]
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        db.execute(f'CREATE TABLE "the rows" ({columns})')
        rows = [[*(_sqlite(cell) for cell in row.values()), i] for i, row in enumerate(records(X))]
        db.executemany(f'INSERT INTO "the rows" VALUES ({", ".join("?" * len(names))})', rows)
        return _answers(est, X, db.execute(_query(est, "sqlite")).fetchall())
    finally:
        db.close()


def _sqlite(cell: Any) -> Any:
    if isinstance(cell, dt.timedelta):
        return cell // dt.timedelta(microseconds=1)
    return cell.isoformat(" ") if isinstance(cell, dt.datetime) else cell.isoformat() if isinstance(cell, dt.date) else cell


def postgresql_answers(est: Any, X: pd.DataFrame, dialect: str = "postgresql") -> Answers:
    from tests.exports.postgres import run

    if dialect == "ansi":  # durations are numbers there
        X = X.assign(**{column.name: X[column.name].map(micro) for column in est.tree_.columns if column.kind == "duration"})
    rows = run(_create(est.tree_, X, dialect), _query(est, dialect))
    classes = est.classes_.tolist() if hasattr(est, "predict_proba") else []
    kind = type(classes[0]) if classes else float
    told = [(int(row[0]), _cast(kind, row[1]), *map(float, row[2:])) for row in rows]
    return _answers(est, X, told)


def _cast(kind: type, text: str) -> Any:
    return text == "t" if kind is bool else kind(text)


_TYPES = {"number": "double precision", "bool": "boolean", "date": "timestamp", "duration": "interval"}


def _create(tree: tw.Tree, X: pd.DataFrame, dialect: str) -> str:
    """Statements that make the table of the rows in PostgreSQL."""
    types = _TYPES | ({"duration": "double precision"} if dialect == "ansi" else {})
    kinds = {column.name: types.get(column.kind, "text") for column in tree.columns}
    kinds |= {column.name: "numeric" for column in tree.columns if column.levels and not isinstance(column.levels[0], str)}
    names = [*X.columns, "the row"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    columns = ", ".join(f"{q} {kinds.get(n, 'bigint')}" for q, n in zip(quoted, names, strict=True))
    lines = ["\t".join([*(_copied(cell) for cell in row.values()), str(i)]) for i, row in enumerate(records(X))]
    return f'CREATE TEMP TABLE "the rows" ({columns});\nCOPY "the rows" FROM STDIN;\n' + "\n".join([*lines, "\\.\n"])


def _copied(cell: Any) -> str:
    """A cell in the text format of COPY."""
    if cell is None:
        return "\\N"
    if isinstance(cell, dt.timedelta):
        return f"{cell // dt.timedelta(microseconds=1)} microseconds"
    text = repr(cell) if isinstance(cell, float) else cell.isoformat(" ") if isinstance(cell, dt.datetime) else str(cell)
    return "".join({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}.get(sign, sign) for sign in text)


def ansi_on_postgresql(est: Any, X: pd.DataFrame) -> Answers:
    return postgresql_answers(est, X, "ansi")


# -- ONNX --------------------------------------------------------------------------------------------------------------


def onnx_answers(est: Any, X: pd.DataFrame, complete: bool = False) -> Answers:
    import onnxruntime

    model = est.to_onnx(complete=complete)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    # Missing is an empty text; where that is a level, any text that is none.
    empty = {one.name for one in est._program().inputs if any(label == ("t", "") for _, label in one.labels)}
    fed = {one.name: _fed(one, X, "\x7f none" if one.name in empty else "") for one in session.get_inputs()}
    found = dict(zip([one.name for one in session.get_outputs()], session.run(None, fed), strict=True))
    return Answers(found["leaf"].tolist(), found["prediction"].tolist(), found["shares"].tolist() if "shares" in found else [])


def _fed(one: Any, X: pd.DataFrame, none: str) -> np.ndarray:
    if one.name == "X" and len(one.shape) == 2:
        return np.ascontiguousarray(X.to_numpy(float))
    cells = [row[one.name] for row in records(X[[one.name]])]
    if one.type == "tensor(string)":
        return np.array([none if cell is None else cell for cell in cells], object)
    if one.type == "tensor(int64)":
        return np.array(cells, np.int64)
    return np.array([math.nan if cell is None else micro(cell) for cell in cells])


RUNNERS = {
    "python": python_answers,
    "javascript": javascript_answers,
    "c": c_answers,
    "duckdb": duckdb_answers,
    "ansi": ansi_answers,
    "sqlite": sqlite_answers,
    "postgresql": postgresql_answers,
    "onnx": onnx_answers,
}
EVERY = {**RUNNERS, "ansi on postgresql": ansi_on_postgresql}
