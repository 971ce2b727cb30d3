"""Columns of every kind, hostile names and levels, refused cells, large tables, and programs that are no trees."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.exports.runners import RUNNERS, ansi_on_postgresql, c_library, c_rows, model_answers, records
from tests.exports.test_programs import edge_rows
from tests.exports.test_rules import RuleModel
from tests.exports.trees import HOSTILE, WHOLE, every_kind
from treewright.export.labels import Input, Label
from treewright.export.program import ANSWER, Answer, Program
from treewright.export.scripts import python_module


def _holdable(X: pd.DataFrame, export: str) -> pd.DataFrame:
    """Rows that an engine can hold: PostgreSQL and the runtime of ONNX have no texts with NUL."""
    if export not in ("postgresql", "ansi", "onnx"):
        return X
    held = X.apply(lambda column: ~column.astype(str).str.contains("\x00")).all(axis=1)
    return X[held].reset_index(drop=True)


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("params", [{"missing": "learned"}, {"missing": "own", "nominal": "multiway", "numeric": "ternary"}])
def test_every_kind_of_column(export: str, params: dict[str, Any]) -> None:
    X, y = every_kind(0)
    est = tw.TreeClassifier(categorical_features=WHOLE, **params).fit(X, y)
    assert len(est.tree_.used_columns) == X.shape[1]
    rows = _holdable(every_kind(1, 300)[0], export)
    if export == "onnx":  # it has no missing whole numbers
        rows["whole"] = rows["whole"].astype("int64")
    run = ansi_on_postgresql if export == "ansi" else RUNNERS[export]  # DuckDB takes moments apart into whole seconds only
    run(est, rows).equal(model_answers(est, rows))


@pytest.mark.parametrize("export", RUNNERS)
def test_hostile_classes(export: str) -> None:
    names = [name for name in HOSTILE if "\x00" not in name or export not in ("ansi", "postgresql", "onnx")]
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.integers(0, 40, 300).astype(float)})
    est = tw.CARTClassifier().fit(X, np.array(names, object)[X["x"].astype(int).to_numpy() % len(names)])
    rows = edge_rows(est.tree_, X, 1)
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


def test_a_name_that_sql_cannot_hold_is_refused() -> None:
    X = pd.DataFrame({"a\x00b": [1.0, 2.0]})
    est = tw.CARTClassifier().fit(X, ["u", "v"])
    with pytest.raises(ValueError, match="NUL"):
        est.to_sql()


@pytest.mark.parametrize("export", ["python", "javascript", "duckdb", "sqlite"])
@pytest.mark.parametrize("labels", [[True, False], [1.0, 2.0], [7, -3]])
def test_classes_keep_their_type(export: str, labels: list[Any]) -> None:
    X = pd.DataFrame({"x": np.arange(20.0)})
    est = tw.CARTClassifier().fit(X, np.array(labels)[np.arange(20) % 2])
    RUNNERS[export](est, X).equal(model_answers(est, X))


def test_order_of_shares_is_that_of_classes() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    y = pd.Series(pd.Categorical(["b", "a", "b", "a"], categories=["z", "b", "a"]))
    est = tw.CARTClassifier(max_depth=1).fit(X, y)
    names: dict[str, Any] = {}
    exec(est.to_python(), names)
    assert names["classes"] == est.classes_.tolist() == ["a", "b"]
    assert [names["predict_proba"](row) for row in records(X)] == est.predict_proba(X).tolist()
    exec(est.tree_.to_python(), names)
    assert names["classes"] == ["z", "b", "a"]
    assert [names["predict_proba"](row) for row in records(X)] == est.tree_.predict_proba(X).tolist()


def _refusing() -> Any:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 3, "c": list("uvuw") * 3})
    return tw.ID3Classifier().fit(X, np.array(list("abcd") * 3))


def test_refused_cells_have_no_answer() -> None:
    est = _refusing()
    rows = pd.DataFrame({"x": [1.0, np.nan, 3.0], "c": ["u", "u", "never"]})
    names: dict[str, Any] = {}
    exec(est.to_python(), names)
    assert names["predict"](records(rows)[0]) == est.predict(rows.iloc[[0]])[0]
    said = 0
    for row in records(rows)[1:]:
        # Only columns that are tested are looked at.
        if any(row[name] in (None, "never") for name in est.tree_.used_columns):
            with pytest.raises(ValueError, match=r"missing|never seen"):
                names["predict"](row)
            said += 1
    assert said >= 1
    with pytest.raises(ValueError, match="infinity"):
        names["predict"]({"x": float("inf"), "c": "u"})
    import duckdb

    with duckdb.connect() as db:
        db.register("rows", rows)
        answers = db.execute(est.to_sql("duckdb", keep=["x"])).fetchall()
    assert sum(row[-1] is None for row in answers) == said
    with c_library(est.to_c("m")) as lib:
        found = c_rows(lib, est.tree_, rows)
        import ctypes

        codes = [lib.m_predict(found[i].ctypes.data_as(ctypes.c_void_p)) for i in range(3)]
    assert codes.count(-1) == said
    assert codes[0] >= 0


def test_unseen_levels_are_refused_where_the_model_refuses_them() -> None:
    X = pd.DataFrame({"c": list("uvw") * 5, "x": np.arange(15.0)})
    est = tw.C45Classifier(unseen="error", min_samples_leaf=1).fit(X, list("abc") * 5)
    import duckdb

    rows = pd.DataFrame({"c": ["u", "never", None], "x": [0.0, 1.0, 2.0]})
    with duckdb.connect() as db:
        db.register("rows", rows)
        answers = dict(db.execute(est.to_sql("duckdb", keep=["x"])).fetchall())
    assert answers[0.0] == "a"
    assert answers[1.0] is None
    assert answers[2.0] == est.predict(rows.iloc[[2]])[0]
    names: dict[str, Any] = {}
    exec(est.to_python(), names)
    with pytest.raises(ValueError, match="never seen in training"):
        names["predict"]({"c": "never", "x": 1.0})


LEARNERS = {
    "fractions": lambda: tw.C45Classifier(unseen="error", pruned=False),
    "soft": lambda: tw.C45Classifier(unseen="error", soft=True),
    "part": lambda: tw.PartClassifier(unseen="error"),
    "scores": lambda: tw.LogisticTreeClassifier(unseen="error", iterations=3),
    "m5": lambda: tw.M5Regressor(unseen="error"),
    "blend": lambda: tw.M5Regressor(unseen="error", smoothing="blend"),
    "m5rules": lambda: tw.M5RulesRegressor(unseen="error"),
}


@pytest.mark.parametrize("learner", LEARNERS)
def test_refused_levels_have_no_answer_in_onnx_either(learner: str) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80).round(1), "b": rng.choice(list("uvw"), 80)})
    X.loc[::7, "a"], X.loc[::9, "b"] = np.nan, None
    est: Any = LEARNERS[learner]()
    numbers = not hasattr(est, "predict_proba")
    est.fit(X, X["a"].fillna(0) * 2 + (X["b"] == "v") if numbers else np.where((X["a"] > 0) ^ (X["b"] == "u"), "p", "q"))
    cells = {"a": X["a"].to_numpy(), "b": X["b"].fillna("").to_numpy(object)}
    model = est.to_onnx()
    session = onnxruntime.InferenceSession(model.SerializeToString())
    assert {one.name for one in session.get_inputs()} == {"a", "b"}
    assert session.run(["prediction"], cells)[0].tolist() == est.predict(X).tolist()
    cells["b"] = np.where(np.arange(80) % 2 == 0, "strange", cells["b"])
    (said,) = session.run(["prediction"], cells)
    module: dict[str, Any] = {}
    exec(est.to_python(), module)
    for i, told in enumerate(said.tolist()):
        row = {"a": cells["a"][i], "b": cells["b"][i] or None}
        if told == "" or told != told:
            with pytest.raises(ValueError, match="never seen"):
                module["predict"](row)
        else:
            assert module["predict"](row) == told
    assert sum(told == "" or told != told for told in said.tolist()) > 10


@pytest.mark.parametrize("export", RUNNERS)
def test_no_rows(export: str) -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, np.nan, 4.0] * 5, "b": [*"uvw", None] * 5})
    for est in (
        tw.CARTClassifier(),
        tw.C45Classifier(min_samples_leaf=1),
        tw.LogisticTreeClassifier(iterations=2),
        tw.M5Regressor(),
    ):
        est.fit(X, np.arange(20) % 4 if hasattr(est, "predict_proba") else np.arange(20.0))
        model = est if hasattr(est, "tree_") else RuleModel(est)
        assert RUNNERS[export](model, X.iloc[:0]).prediction == est.predict(X.iloc[:0]).tolist() == []


@pytest.mark.parametrize("export", ["c", "duckdb", "sqlite", "onnx", "postgresql"])
def test_100000_rows(export: str) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(np.round(rng.normal(size=(3000, 4)), 2), columns=list("abcd"))
    X["t"] = rng.choice([*"pqrs"], 3000)
    X = X.mask(rng.random(X.shape) < 0.05)
    y = np.floor(X["a"].fillna(0) + X["b"].fillna(1) * X["c"].fillna(1) + (X["t"] == "q")).astype(int) % 3
    est = tw.CARTClassifier(max_leaf_nodes=200).fit(X, y)
    rows = edge_rows(est.tree_, X, 5, 100_000)
    if export == "c":
        import ctypes

        with c_library(est.to_c("m"), "-O2") as lib:
            cells = c_rows(lib, est.tree_, rows)
            said = np.empty(len(rows), np.int32)
            lib.m_predict_many(
                *(ctypes.c_void_p(cells.ctypes.data), ctypes.c_size_t(len(rows)), ctypes.c_void_p(said.ctypes.data))
            )
            leaves = [lib.m_leaf(ctypes.c_void_p(cells.ctypes.data + i * cells.strides[0])) for i in range(len(rows))]
        expected = model_answers(est, rows)
        assert leaves == expected.leaf
        assert est.classes_[said].tolist() == expected.prediction
        return
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


def test_rules_fit_the_program() -> None:
    """A list of rules: every condition that fails goes on with the next rule, so ways meet."""
    program = Program(
        inputs=(Input("a", "number"), Input("b", "nominal", ((0, Label("t", "u")), (1, Label("t", "v"))))),
        target="y",
        classes=(Label("t", "no"), Label("t", "yes")),
        order=(0, 1),
        # 1. a <= 1 and b = u: yes.  2. a > 5: yes.  Otherwise no.
        column=[0, 1, ANSWER, 0, ANSWER, ANSWER],
        cuts=[(1.0,), (0.0,), (), (5.0,), (), ()],
        to=[(1, 3), (2, 3), (), (5, 4), (), ()],
        less=[False] * 6,
        missing=[3, 3, -1, 5, -1, -1],
        answer=[-1, -1, 1, -1, 1, 0],
        answers=[Answer(0, (0.75, 0.25)), Answer(1, (0.0, 1.0))],
        ways={},
    )
    from treewright.export.sql import sql_query

    rows = [(a, b) for a in (0.0, 1.0, 2.0, 6.0, None) for b in ("u", "v", None)]
    expected = ["yes" if a is not None and ((a <= 1 and b == "u") or a > 5) else "no" for a, b in rows]
    names: dict[str, Any] = {}
    exec(python_module(program), names)
    assert [names["predict"](list(row)) for row in rows] == expected
    import duckdb

    with duckdb.connect() as db:
        db.execute("CREATE TABLE rows (id INTEGER, a DOUBLE, b VARCHAR)")
        db.executemany("INSERT INTO rows VALUES (?, ?, ?)", [(i, *row) for i, row in enumerate(rows)])
        said = dict(db.execute(sql_query(program, "duckdb", keep=["id"])).fetchall())
    assert [said[i] for i in range(len(rows))] == expected


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed (Debian: apt-get install nodejs)")
def test_javascript_explains_and_answers_what_if(tmp_path: Path) -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 3, "c": list("uvuw") * 3})
    est = tw.CARTClassifier().fit(X, list("abab") * 3)
    (tmp_path / "model.mjs").write_text(est.to_javascript(), encoding="utf-8")
    script = """
    import { explain, whatIf } from "./model.mjs";
    const row = JSON.parse('{"x": 1.0, "c": "u"}');
    console.log(JSON.stringify([explain(row), whatIf(row, { c: "v", x: 2 })]));
    """
    (tmp_path / "run.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    why, change = json.loads(done.stdout)
    path = est.decision_path(pd.DataFrame({"x": [1.0], "c": ["u"]})).indices.tolist()
    assert [step["node"] for step in why["steps"]] + [end["leaf"] for end in why["ends"]] == path
    assert why["says"] == "a" and why["shares"] == [1.0, 0.0]
    step = why["steps"][0]
    constrained = step["levels"] == ["u"] if step["column"] == "c" else step["high"] is not None
    assert constrained
    assert change["before"]["says"] == "a" and change["after"]["says"] == "b"
    assert change["row"] == {"x": 2, "c": "v"}


def test_javascript_has_nothing_a_page_could_trip_over() -> None:
    X, y = every_kind(2)
    text = tw.TreeClassifier(categorical_features=WHOLE).fit(X, y).to_javascript()
    value = text[text.index("export const program") :]
    assert value.isascii()
    assert "<" not in value and ">" not in value


def test_pictures_escape_names() -> None:
    X, y = every_kind(0)
    est = tw.TreeClassifier(categorical_features=WHOLE).fit(X, y)
    dot, mermaid = est.to_dot(), est.to_mermaid()
    line = r'(?:  n\d+ \[label="(?:[^"\\\x00-\x1f]|\\.)*"(?:, style="rounded,filled", fillcolor="#eeeeee")?\];'
    edge = r'|  n\d+ -> n\d+ \[label="(?:[^"\\\x00-\x1f]|\\.)*"\];)'
    assert all(re.fullmatch(line + edge, one) for one in dot.splitlines()[3:-1])
    assert dot.count("[label=") == 2 * est.tree_.n_nodes - 1
    plain = r'(?:  n\d+(?:\["[^"]*"\]|\(\["[^"]*"\]\))|  n\d+ -->\|"[^"]*"\| n\d+)'
    assert all(re.fullmatch(plain, one) for one in mermaid.splitlines()[1:])
    assert "<script" not in mermaid and "DROP TABLE rows;" not in mermaid
    assert est.to_dot(max_depth=1).count("leaves") >= 1
    if shutil.which("dot"):
        done = subprocess.run(["dot", "-Tplain"], input=dot.encode(), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr


def test_depth_in_pictures() -> None:
    from tests.exports.trees import deep

    est, _ = deep()
    assert est.to_dot().count(" -> ") == est.to_mermaid().count("-->") == 4000


def test_thresholds_have_all_their_digits() -> None:
    X = np.array([[0.1], [0.1 + 2**-54], [0.3], [1e300], [5e-324], [-2.5]])
    est = tw.CARTRegressor().fit(X, np.arange(6.0))
    cuts = {repr(cut) for cut in est.tree_.state()["cut_at"].tolist()}
    for text in (est.to_python(), est.to_javascript(), est.to_c(), est.to_sql("duckdb")):
        assert all(cut in text or cut.removesuffix(".0") in text for cut in cuts)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda est: est.to_c("1x"), "name='1x' is not allowed"),
        (lambda est: est.to_sql("oracle"), "dialect 'oracle' is unknown"),
        (lambda est: est.to_sql(give="probability"), "give 'probability' is unknown"),
        (lambda est: tw.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], list("aabb")).to_sql(), "key='id'"),
    ],
)
def test_errors_say_what_to_do(call: Any, said: str) -> None:
    est = tw.CARTClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ValueError, match=re.escape(said)):
        call(est)


@pytest.mark.parametrize("form", ["c", "python", "javascript", "sql", "onnx", "dot", "mermaid"])
def test_one_leaf(form: str) -> None:
    est = tw.CARTClassifier().fit(pd.DataFrame({"x": [1.0, 1.0]}), ["a", "a"])
    assert getattr(est, f"to_{form}")()
    if form in RUNNERS:
        X = pd.DataFrame({"x": [1.0, np.nan]})
        RUNNERS[form](est, X).equal(model_answers(est, X))
    if form == "sql":
        X = pd.DataFrame({"x": [1.0, np.nan]})
        RUNNERS["sqlite"](est, X).equal(model_answers(est, X))
