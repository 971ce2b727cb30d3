"""Exports give exactly the leaves, answers and shares of the model, on any tree and any row."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.exports.runners import RUNNERS, ansi_on_postgresql, c_library, model_answers, onnx_answers
from tests.exports.trees import deep
from tests.properties.tables import DIVIDED, POLICIES, Case, cases, estimators, make_case, modest

LOADED = (tw.TreeClassifier, tw.TreeRegressor)  # hypothesis takes what their first import does for a strategy's own doing


def edge_rows(tree: tw.Tree, X: pd.DataFrame, seed: int, n: int = 200) -> pd.DataFrame:
    """Rows with values on and beside every threshold, missing cells and unseen levels."""
    rng = np.random.default_rng(seed)
    state = tree.state()
    columns: dict[str, Any] = {}
    for j, column in enumerate(tree.columns):
        if column.nominal:
            columns[column.name] = rng.choice(np.array([*column.levels, "unseen", None], object), n)
            continue
        at = [state["cut_at"][b:e] for b, e in _cuts_of(state, j)]
        cuts = np.concatenate([*at, X[column.name].dropna().to_numpy(float), [0.0]])
        pool = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), [np.nan] * (len(cuts) // 2 + 1)])
        columns[column.name] = rng.choice(pool, n)
    return pd.DataFrame(columns)


def _cuts_of(state: Any, j: int) -> list[tuple[int, int]]:
    begin = state["cut_begin"]
    return [(int(begin[i]), int(begin[i + 1])) for i in np.flatnonzero(state["column"] == j)] if len(begin) else []


@pytest.mark.filterwarnings("ignore:.*a split needs")
@pytest.mark.parametrize("export", RUNNERS)
@modest(12)
@given(cases(), estimators(POLICIES), st.integers(0, 10**6))
def test_any_tree(export: str, case: Case, est: Any, seed: int) -> None:
    est.fit(case.X, case.target(est))
    rows = edge_rows(est.tree_, case.X, seed, 60)
    if export == "onnx" and est.missing in DIVIDED:
        whole = rows.dropna()
        whole = whole[~whole.isin(["unseen"]).any(axis=1)]
        said, expected = onnx_answers(est, whole, complete=True), model_answers(est, whole)
        answered = [i for i, leaf in enumerate(said.leaf) if leaf >= 0]
        assert [said.leaf[i] for i in answered] == [expected.leaf[i] for i in answered]
        assert [said.prediction[i] for i in answered] == [expected.prediction[i] for i in answered]
    said, expected = RUNNERS[export](est, rows), model_answers(est, rows)
    if est.missing == "surrogate":  # nodes for surrogates stand between those of the tree: leaves have other numbers
        pairs = set(zip(said.leaf, expected.leaf, strict=True))
        assert len(pairs) == len(set(said.leaf)) == len(set(expected.leaf))
        said.leaf = expected.leaf
    said.equal(expected)


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("smoothing", ["m5", "none", "blend"])
def test_equations_in_leaves(export: str, smoothing: str) -> None:
    rng = np.random.default_rng(3)
    n = 200
    X = pd.DataFrame({"a": rng.normal(size=n), "b c": rng.normal(size=n), "c": rng.choice(list("uvwx"), n)})
    y = np.where(X["a"] > 0, 2 * X["b c"], 5 - X["a"]) + 3 * X["c"].isin(["v", "x"]) + 0.1 * rng.normal(size=n)
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    X.loc[rng.random(n) < 0.1, "c"] = None
    est = tw.M5Regressor(smoothing=smoothing, band=0.4).fit(X, y)
    assert est.tree_.n_leaves > 1
    rows = edge_rows(est.tree_, X, 4, 80)
    if smoothing == "blend":
        ramps = est._program().soft.values()
        edges = np.array([edge for ramp in ramps for edge in ramp.at])
        rows.loc[: 3 * len(edges) - 1, "a"] = [*edges, *np.nextafter(edges, -9), *np.nextafter(edges, 9)]
        assert any(0 < ramp.below(ramp.fill) < 1 for ramp in ramps if ramp.fill is not None)  # missing cells are divided, too
        rows = pd.concat([rows, X[X["a"].isna()]], ignore_index=True)
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


@pytest.mark.parametrize("export", [*RUNNERS, "ansi on postgresql"])
def test_sums_of_levels_alone_are_rounded_as_the_model_rounds(export: str) -> None:
    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.choice(list("uvw"), (300, 8)), columns=list("abcdefgh"))
    y = sum((X[name] == "u") * size for name, size in zip(X, (0.1, 0.7, 1 / 3, 0.05, 0.2, 0.3, 0.9, 0.4), strict=True))
    est = tw.M5Regressor().fit(X, y + 0.3 * rng.normal(size=300))
    assert max(len(terms) for answer in est._program().answers for terms in answer.terms) > 5
    {**RUNNERS, "ansi on postgresql": ansi_on_postgresql}[export](est, X).equal(model_answers(est, X))


@pytest.mark.parametrize("export", [name for name in RUNNERS if name != "postgresql"])  # which stops at numbers beyond all
def test_blended_answers_beyond_all_numbers(export: str) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["x", "z"])
    est = tw.M5Regressor(smoothing="blend", band=0.3).fit(X, np.where(X["x"] > 0, X["z"] * 50, -X["z"] * 90) + X["x"])
    rows = pd.DataFrame({"x": rng.normal(size=40) * 0.1, "z": [1.7e308, -1.7e308, 1.0, 1e300] * 10})
    expected = model_answers(est, rows)
    assert max(map(abs, expected.prediction)) > 1e307 and np.all(np.isfinite(expected.prediction))
    RUNNERS[export](est, rows).equal(expected)


@pytest.mark.parametrize("export", ["python", "javascript", "c", "onnx"])  # SQL writes the sums as they are
@pytest.mark.parametrize("learner", [tw.M5Regressor, lambda: tw.M5Regressor(smoothing="none"), tw.M5RulesRegressor])
def test_equations_beyond_all_numbers(export: str, learner: Any) -> None:
    from tests.exports.test_rules import RuleModel

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["x", "z"])
    est = learner().fit(X, np.where(X["x"] > 0, X["z"] * 50, -X["z"] * 90) + X["x"])
    rows = pd.DataFrame({"x": rng.normal(size=40), "z": [1.7e308, -1.7e308, 1.0, 1e300] * 10})
    said = est.predict(rows)
    assert {-np.finfo(float).max, np.finfo(float).max} < {*said.tolist()} and np.all(np.isfinite(said))
    model = RuleModel(est) if hasattr(est, "ruleset_") else est
    RUNNERS[export](model, rows).equal(model_answers(model, rows))


@pytest.mark.parametrize("export", RUNNERS)
def test_bands_that_no_number_is_in_or_all_are(export: str) -> None:
    x = np.array([0.0, 1e-300, 1.0, 1 + 2**-52, 1e16, 1e16 + 2, -1e17, 5e-324] * 5)
    for band in (1e-300, 1e300):
        est = tw.M5Regressor(smoothing="blend", band=band).fit(pd.DataFrame({"x": x}), np.sign(x - 1))
        assert est.tree_.n_leaves > 1
        rows = edge_rows(est.tree_, pd.DataFrame({"x": x}), 1, 60)
        RUNNERS[export](est, rows).equal(model_answers(est, rows))


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("missing", ["learned", "majority", "ignore"])
def test_several_numbers(export: str, missing: str) -> None:
    case = make_case(7, 150)
    Y = pd.DataFrame({"a b": case.numbers, "prediction": case.numbers**2 / 3, "n": np.arange(150.0) % 7 / 7})
    est = tw.TreeRegressor(missing=missing, max_leaf_nodes=25).fit(case.X, Y)
    assert est.tree_.n_leaves > 10
    rows = edge_rows(est.tree_, case.X, 8)
    said, expected = RUNNERS[export](est, rows), model_answers(est, rows)
    assert {len(numbers) for numbers in said.prediction} == {3}
    said.equal(expected)


def test_several_numbers_are_answers_of_their_names() -> None:
    import sqlite3

    Y = pd.DataFrame({"up": [1.0, 1.0, 5.0], 'so"': [2.0, 2.0, 0.1]})
    est = tw.CARTRegressor(min_samples_split=2, min_samples_leaf=1).fit(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), Y)
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.execute('CREATE TABLE rows (x, "prediction of up")')
        db.execute("INSERT INTO rows VALUES (3, 0)")
        found = db.execute(est.to_sql("sqlite", keep=["prediction of up"]))
        names = [column[0] for column in found.description]
        assert names == ["prediction of up", "predicted prediction of up", 'prediction of so"']
        assert found.fetchall() == [(0, 5.0, 0.1)]
    assert 'm_output[] = {"up", "so\\042"}' in est.to_c("m")


def test_several_numbers_of_a_refused_row() -> None:
    import ctypes

    est = tw.TreeRegressor(missing="refuse").fit([[1.0], [2.0]], [[1.0, 2.0], [3.0, 4.0]])
    with c_library(est.to_c("m")) as lib:
        rows, said = np.array([[1.0], [np.nan], [2.0]]), np.zeros((3, 2))
        lib.m_predict_many(*map(ctypes.c_void_p, (rows.ctypes.data, 3, said.ctypes.data)))
        assert lib.m_predict(ctypes.c_void_p(rows[1:].ctypes.data), ctypes.c_void_p(said[1:].ctypes.data)) == -1
    np.testing.assert_array_equal(said, [[1, 2], [np.nan, np.nan], [3, 4]])


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("missing", ["fraction", "learned", "own"])
def test_soft_thresholds(export: str, missing: str) -> None:
    case = make_case(0, 200)
    est = tw.C45Classifier(soft=True, pruned=False, missing=missing).fit(case.X, case.classes)
    rows = edge_rows(est.tree_, case.X, 0)
    expected = model_answers(est, rows)
    assert len({tuple(shares) for shares in expected.shares}) > est.tree_.n_leaves / 2
    np.testing.assert_allclose(np.sum(expected.shares, axis=1), 1)
    RUNNERS[export](est, rows).equal(expected)


def test_rows_that_go_several_ways_and_hold_a_refused_level() -> None:
    X = pd.DataFrame({"c": list("uvwu") * 20, "x": np.arange(80.0) % 7})
    est = tw.C45Classifier(unseen="error", pruned=False).fit(X, np.where((X["c"] == "u") ^ (X["x"] > 3), "a", "b"))
    assert est._program().spreads and est._program().used == [0, 1]
    rows = [("strange", 1.0), ("strange", None), ("u", None), (None, 1.0)]
    with contextlib.closing(sqlite3.connect(":memory:")) as lite:
        lite.execute("CREATE TABLE rows (c, x)")
        lite.executemany("INSERT INTO rows VALUES (?, ?)", rows)
        said = lite.execute(est.to_sql("sqlite", keep=[])).fetchall()
    assert [one for (one,) in said] == [None, None, *est.predict(pd.DataFrame(rows[2:], columns=["c", "x"]))]


@pytest.mark.parametrize("export", RUNNERS)
def test_soft_thresholds_between_the_ends_of_all_numbers(export: str) -> None:
    end = float(np.finfo(float).max)
    X = pd.DataFrame({"a": [1e308, -1e308] * 20})
    X.loc[::5, "a"] = end
    est = tw.C45Classifier(soft=True).fit(X, ["p", "q"] * 19 + ["q", "p"])
    (soft,) = est.soft_thresholds_.values()
    assert -end <= soft.lower <= soft.cut < soft.upper <= end
    inside = np.linspace(0, 1, 5) * (soft.upper - soft.cut) + soft.cut
    rows = pd.DataFrame({"a": [*inside, 1e308, end, -end, 0.0, np.nan]})
    expected = model_answers(est, rows)
    assert np.isfinite(expected.shares).all() and len({tuple(row) for row in expected.shares}) >= 5
    RUNNERS[export](est, rows).equal(expected)


def test_thresholds_at_the_ends_of_all_numbers() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0] * 9})
    est = tw.PartClassifier().fit(X, ["p", "q", "q"] * 9)
    end = float(np.finfo(float).max)
    always = est.ruleset_.add(f"if a >= -{end!r} then target = p", 0)
    module: dict[str, Any] = {}
    exec(always.to_python(), module)
    assert [module["predict"]({"a": cell}) for cell in (-end, 2.0, end)] == ["p"] * 3
    tree = est._program()
    with pytest.raises(ValueError, match="'a': a threshold at the end of all numbers"):
        replace(tree, cuts=[tuple(np.inf for _ in cuts) for cuts in tree.cuts])


@pytest.mark.parametrize("export", RUNNERS)
def test_soft_thresholds_of_a_tree_without_any(export: str) -> None:
    rng = np.random.default_rng(8)
    X = pd.DataFrame(rng.choice(list("uvw"), (300, 5)), columns=list("abcde"))
    y = np.array(list("xyz"))[(X == "u").sum(axis=1) % 3]
    est = tw.C45Classifier(soft=True, pruned=False).fit(X, y)
    rows = X.mask(rng.random(X.shape) < 0.4)
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("missing", ["learned", "fraction"])
def test_depth_of_2000(export: str, missing: str) -> None:
    votes = missing == "fraction"
    est, rows = deep(300 if votes and export == "postgresql" else 2000, missing)  # its recursive joins take a minute
    some = rows.iloc[:: 300 if votes else 7]
    RUNNERS[export](est, some).equal(model_answers(est, some))
