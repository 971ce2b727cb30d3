"""Scores of classes in leaves: every bit of the shares where they are written, and the same class everywhere, ties included."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.exports.runners import RUNNERS, Answers, c_answers, c_library, model_answers
from tests.exports.test_programs import edge_rows
from tests.properties.tables import make_case


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("options", [{"random_state": 4}, {"pruned": False, "iterations": 5}], ids=["pruned", "grown"])
def test_any_cell(export: str, options: dict[str, Any]) -> None:
    case = make_case(2, 200)
    est = tw.LogisticTreeClassifier(**options).fit(case.X, case.classes)
    assert est.tree_.n_leaves > 5 and len(est.classes_) == 3
    rows = edge_rows(est.tree_, case.X, 9)
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


def _weak() -> Any:
    """A model of three classes whose scores are small and near each other, and of which one has no rows."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(400, 2))
    y = np.where(rng.random(400) < 0.5 + 0.1 * np.tanh(X[:, 0]), "z", "b")
    y[::5] = "m"
    classes = pd.Categorical(y, categories=["z", "none", "m", "b"])
    est = tw.LogisticTreeClassifier(iterations=3).fit(pd.DataFrame(X, columns=["x", "w"]), pd.Series(classes))
    assert est.tree_.target.classes != tuple(est.classes_)
    return est


def _turning(est: Any) -> pd.DataFrame:
    """The numbers around which the answer turns, one after the other."""
    w = np.linspace(-2, 2, 9)
    said = est.predict(pd.DataFrame({"x": np.full(9, -50.0), "w": w}))
    low, high = np.full(9, -50.0), np.full(9, 50.0)
    assert (est.predict(pd.DataFrame({"x": high, "w": w})) != said).all()
    for _ in range(80):
        middle = (low + high) / 2
        same = est.predict(pd.DataFrame({"x": middle, "w": w})) == said
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    near = low[:, None] + np.spacing(low)[:, None] * np.arange(-30, 30)
    return pd.DataFrame({"x": near.ravel(), "w": np.repeat(w, 60)})


@pytest.mark.parametrize("export", RUNNERS)
def test_ties_and_classes_without_rows(export: str) -> None:
    est = _weak()
    rows = _turning(est)
    expected = model_answers(est, rows)
    two = np.sort(np.array(expected.shares), axis=1)[:, -2:]
    equal = two[:, 0] == two[:, 1]
    assert 20 < equal.sum() < len(rows) - 20
    RUNNERS[export](est, rows).equal(expected)


@pytest.mark.parametrize("export", RUNNERS)
def test_scores_of_every_size(export: str) -> None:
    rng = np.random.default_rng(12)
    rows = pd.DataFrame(rng.normal(size=(1500, 2)) * 10 ** rng.uniform(-9, 5, (1500, 1)), columns=["x", "w"])
    if export != "postgresql":  # which stops at numbers beyond all
        rows.iloc[:6] = [[1e308, -1e308], [-1e308, 1e308], [1.7e308, 1.7e308], [-1.7e308, -1.7e308], [0, 0], [-0.0, 5e-324]]
    est = _weak()
    expected = model_answers(est, rows)
    least = np.min(expected.shares, axis=1)
    assert (least == 0).any() and ((least > 0) & (least < 1e-250)).any() and (least > 0.1).any()
    RUNNERS[export](est, rows).equal(expected)


@pytest.mark.parametrize("export", ["sqlite", "duckdb", "python"])
def test_sums_of_infinite_scores_of_both_signs(export: str) -> None:
    rng = np.random.default_rng(14)
    X = pd.DataFrame(rng.normal(size=(300, 2)) * 1e-5, columns=["x", "w"])
    est = tw.LogisticTreeClassifier(iterations=9, pruned=False, max_depth=0).fit(X, np.where(X["x"] + X["w"] > 0, "a", "b"))
    rows = pd.DataFrame({"x": [1e308, -1e308, 1e308, 0.0], "w": [-1e308, 1e308, 1e308, 1.0]})
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


def test_c_that_may_fuse_operations() -> None:
    est = _weak()
    rows = pd.DataFrame(np.random.default_rng(13).normal(size=(500, 2)) * 30, columns=["x", "w"])
    c_answers(est, rows, "-O3", "-march=native", "-ffp-contract=fast").equal(model_answers(est, rows))


def test_scores_that_no_cell_changes() -> None:
    est = tw.LogisticTreeClassifier(iterations=1).fit(pd.DataFrame({"x": [1.0] * 20}), list("ab") * 9 + ["a", "a"])
    rows = pd.DataFrame({"x": [1.0, np.nan, 7.0]})
    assert not est._program().linear
    for export in RUNNERS:
        RUNNERS[export](est, rows).equal(model_answers(est, rows))


def test_refused_cells_have_no_answer() -> None:
    X = pd.DataFrame({"c": list("uvwu") * 20, "x": np.arange(80.0) % 7})
    est = tw.LogisticTreeClassifier(unseen="error", iterations=9).fit(X, np.where(X["c"] == "u", "a", "b"))
    assert 0 in est._program().used
    names: dict[str, Any] = {}
    exec(est.to_python(), names)
    with pytest.raises(ValueError, match="a level never seen"):
        names["predict"]({"c": "strange", "x": 1.0})
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE rows (c, x)")
        db.executemany("INSERT INTO rows VALUES (?, ?)", [("strange", 1.0), ("u", 1.0)])
        said = [row[-1] for row in db.execute(est.to_sql("sqlite"))]
    assert said == [None, "a"]
    with c_library(est.to_c("m")) as lib:
        import ctypes

        shares = np.zeros(2)
        for row, code in (([np.inf, 1.0], -1), ([0.0, np.inf], 0 if 1 not in est._program().used else -1), ([0.0, 1.0], 0)):
            cells = np.array(row)
            at, to = ctypes.c_void_p(cells.ctypes.data), ctypes.c_void_p(shares.ctypes.data)
            assert lib.m_predict_proba(at, to) == code
            assert (lib.m_predict(at) == -1) == (code == -1)


def test_the_tree_itself_gives_shares_of_all_declared_classes() -> None:
    tree = _weak().tree_
    names: dict[str, Any] = {}
    exec(tree.to_python(), names)
    rows = pd.DataFrame({"x": [0.1, 3.0], "w": [0.0, np.nan]})
    said = Answers([], [names["predict"](row) for row in rows.to_numpy().tolist()], [])
    assert said.prediction == tree.predict(rows).tolist()
    assert [names["predict_proba"](row) for row in rows.to_numpy().tolist()] == tree.predict_proba(rows).tolist()
