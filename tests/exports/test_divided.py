"""Programs whose ways meet, and part at a cell that is there: 25 trees under one root, and nodes drawn at random."""

from __future__ import annotations

import ctypes
import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.exports.made import INPUTS, drawn, drawn_rows, joined, made
from tests.exports.postgres import run
from tests.exports.runners import EVERY, RUNNERS, _create, c_library, c_rows, model_answers, onnx_answers
from tests.exports.test_programs import edge_rows
from tests.properties.tables import make_case
from treewright.export.program import ANSWER, REFUSED, SPREAD, Program

MEMBERS: dict[str, Any] = {
    "whole": lambda: tw.TreeClassifier(max_depth=4),
    "missing cells spread again": lambda: tw.C45Classifier(pruned=False, max_depth=4),
    "soft thresholds": lambda: tw.C45Classifier(pruned=False, max_depth=3, soft=True),
    "surrogates": lambda: tw.TreeClassifier(max_depth=3, missing="surrogate", nominal="subset"),
    "numbers": lambda: tw.TreeRegressor(max_depth=4, missing="spread"),
    "equations": lambda: tw.M5Regressor(smoothing="none"),
    "blended equations": lambda: tw.M5Regressor(smoothing="blend", band=0.4),
}


def _members(kind: str, many: int) -> tuple[list[Program], tw.Tree, pd.DataFrame]:
    """The programs of trees, each fitted with other weights, one of the trees and their table."""
    case = make_case(3, 160)
    out = []
    for seed in range(many):
        est = MEMBERS[kind]()
        est.fit(case.X, case.target(est), sample_weight=np.random.default_rng(seed).integers(0, 4, 160))
        out.append(est._program())
    return out, est.tree_, case.X


@pytest.mark.parametrize("export", EVERY)
@pytest.mark.parametrize("kind", MEMBERS)
def test_trees_under_one_root(export: str, kind: str) -> None:
    programs, tree, X = _members(kind, 3)
    one = made(joined(programs, [0.5, 0.2, 0.3]))
    rows = edge_rows(tree, X, 2, 60)
    expected = model_answers(one, rows)
    assert len({str(said) for said in (expected.shares or expected.prediction)}) > 10
    EVERY[export](one, rows).equal(expected)


@pytest.mark.parametrize("export", [*RUNNERS])
def test_25_trees_under_one_root(export: str) -> None:
    programs, tree, X = _members("missing cells spread again", 25)
    one = made(joined(programs))
    rows = edge_rows(tree, X, 5, 30)
    expected = model_answers(one, rows)
    assert {len(one.predictor.parts(row)) for row in rows.to_dict("records")} > {25}
    RUNNERS[export](one, rows).equal(expected)


@pytest.mark.parametrize("export", EVERY)
@pytest.mark.parametrize("options", [{}, {"numbers": True}, {"soft": True}, {"soft": True, "numbers": True}], ids=str)
def test_any_ways(export: str, options: dict[str, bool]) -> None:
    rejoined = 0
    for seed in range(6):
        one = made(drawn(seed, **options))
        rows = drawn_rows(seed)
        rejoined += one.program.rejoins
        EVERY[export](one, rows).equal(model_answers(one, rows))
    assert rejoined > 2


@pytest.mark.parametrize("export", ["c", "duckdb", "sqlite", "onnx", "postgresql"])
@pytest.mark.parametrize("soft", [False, True])
def test_a_row_has_no_answer_if_a_part_of_it_has_none(export: str, soft: bool) -> None:
    found = 0
    for seed in (2, 15, 16, 21, 25):  # of some of these rows one part is refused and others are not
        one = made(drawn(seed, numbers=True, soft=soft, refusing=True))
        rows = drawn_rows(seed)
        refused = one.refused(rows)
        whole = rows[~refused & ~one.refused(rows, leaf=True)].reset_index(drop=True)
        EVERY[export](one, whole).equal(model_answers(one, whole))
        said = no_answers(export, one, rows[refused].reset_index(drop=True))
        assert all(one is None or one != one for one in said)
        found += len(said)
    assert found > 40


def no_answers(export: str, one: Any, rows: pd.DataFrame) -> list[Any]:
    """What an export says of rows that have no answer."""
    if export == "c":
        with c_library(one.to_c("m")) as lib:
            lib.m_predict.restype = ctypes.c_int32 if hasattr(one, "predict_proba") else ctypes.c_double
            cells = c_rows(lib, one.tree_, rows)
            return [lib.m_predict(ctypes.c_void_p(row.ctypes.data)) for row in cells]
    if export == "onnx":
        return list(onnx_answers(one, rows).prediction)
    query = one.to_sql(dialect=export, table="the rows", keep=[])
    if export == "postgresql":
        return [float(said[0]) if said and said[0] else None for said in run(_create(one.tree_, rows, export), query)]
    if export == "duckdb":
        with duckdb.connect() as db:
            db.register("the rows", rows.assign(place=range(len(rows))))
            found = db.execute(one.to_sql(dialect=export, table="the rows", keep=["place"])).fetchall()
            return [said for _, said in sorted(found)]
    with closing(sqlite3.connect(":memory:")) as lite:
        rows.to_sql("the rows", lite)
        return [said for (said,) in lite.execute(query).fetchall()]


def test_levels_that_are_refused_in_a_part() -> None:
    """SQL looks at all columns where rows go several ways; the others at those on the ways of the row."""
    inputs = tuple(replace(one, strict=one.by_level) for one in INPUTS)
    for seed in range(6):
        one = made(drawn(seed, numbers=True, inputs=inputs))
        rows = drawn_rows(seed)
        refused = one.refused(rows)
        assert {*rows["d"][refused]} <= {"x"}
        whole = rows[rows["d"] != "x"].reset_index(drop=True)
        for export in ("duckdb", "sqlite", "onnx"):
            RUNNERS[export](one, whole).equal(model_answers(one, whole))
        assert all(said is None for said in no_answers("sqlite", one, rows[refused]))
        said = np.array(no_answers("onnx", one, rows))
        assert np.isnan(said).tolist() == refused.tolist()


def test_onnx_of_complete_rows_divides_them_where_cells_are_there() -> None:
    programs, _, X = _members("missing cells spread again", 3)
    one = made(joined(programs))
    rows = X.dropna().reset_index(drop=True)
    said, expected = onnx_answers(one, rows, complete=True), model_answers(one, rows)
    said.equal(expected)
    assert len(one.to_onnx(complete=True).SerializeToString()) == len(one.to_onnx().SerializeToString())


def test_levels_under_a_root_of_levels() -> None:
    programs, _, X = _members("whole", 3)
    one = made(joined(programs, column=list(X).index("text")))
    for export in ("sqlite", "c", "onnx"):
        RUNNERS[export](one, X).equal(model_answers(one, X))
    onnx_answers(one, X.dropna().reset_index(drop=True), complete=True).equal(model_answers(one, X.dropna()))


def _diamonds(many: int) -> Program:
    """Ways that part and meet again, so often that the parts of a row have no number."""
    size = 3 * many + 1
    tests = [(3 * k, (3 * k + 1, 3 * k + 2), 3 * k + 3) for k in range(many)]
    base = drawn(0, numbers=True)
    ways, column, to = {}, [ANSWER] * size, [()] * size
    for node, both, after in tests:
        ways[node] = tuple((at, 0.5) for at in both)
        to[node] = (SPREAD,)
        column[node] = 0
        for at in both:
            column[at], to[at] = 1, (after,)
    return replace(
        base,
        column=column,
        to=to,
        cuts=[()] * size,
        less=[False] * size,
        missing=[(jumps or (REFUSED,))[0] for jumps in to],
        answer=[REFUSED] * (size - 1) + [0],
        ways=ways,
    )


@pytest.mark.parametrize("export", RUNNERS)
def test_ways_that_part_and_meet_again_and_again(export: str) -> None:
    rows = drawn_rows(0, 5)
    few = made(_diamonds(4))
    RUNNERS[export](few, rows).equal(model_answers(few, rows))
    if export in ("python", "javascript"):
        return
    language = {"c": "C", "onnx": "ONNX"}.get(export, "SQL")
    with pytest.raises(ValueError, match=f"^{language} cannot hold this model: ways meet"):
        RUNNERS[export](made(_diamonds(40)), rows)


def test_onnx_refuses_tables_without_end() -> None:
    # Below a root that divides rows, whole rows go one of two ways that meet, 22 times.
    many = _diamonds(22)
    chain = replace(
        many,
        to=[(k + 1, k + 2) if SPREAD in to else to for k, to in enumerate(many.to)],
        cuts=[(0.0,) if SPREAD in to else () for to in many.to],
        missing=[k + 1 if SPREAD in to else to[0] if to else REFUSED for k, to in enumerate(many.to)],
        ways={},
    )
    one = made(joined([chain, chain]))
    with pytest.raises(ValueError, match=r"^ONNX cannot hold this model: ways meet, and so many"):
        one.to_onnx()
    rows = drawn_rows(3)
    for export in ("sqlite", "c"):
        RUNNERS[export](one, rows).equal(model_answers(one, rows))


def test_scores_of_classes_are_added_up_by_scripts_alone() -> None:
    case = make_case(3, 160)
    programs = []
    for seed in range(2):
        weights = np.random.default_rng(seed).integers(1, 4, 160)
        programs.append(tw.LogisticTreeClassifier(iterations=2).fit(case.X, case.classes, sample_weight=weights)._program())
    one = made(joined(programs))
    RUNNERS["javascript"](one, case.X).equal(model_answers(one, case.X))
    for write, language in ((lambda: one.to_c("m"), "C"), (one.to_onnx, "ONNX"), (lambda: one.to_sql(dialect="sqlite"), "SQL")):
        with pytest.raises(ValueError, match=f"^{language} cannot hold this model: rows go to several leaves, and scores"):
            write()


def test_programs_that_no_writer_could_follow() -> None:
    program = drawn(3, soft=True)
    node = min(program.soft)
    end = program.size - 1
    for ways in (((end, 0.5), (end, 0.5)), ((0, 1.0),), ((end, 0.0),), ((end, math.inf),)):
        with pytest.raises(ValueError, match=r"node 0: the ways of a divided row"):
            replace(program, ways={**program.ways, 0: ways})
    for to in ((end, end), (SPREAD, end), (end,)):
        with pytest.raises(ValueError, match=f"node {node}: a soft threshold"):
            replace(program, to=[to if k == node else jumps for k, jumps in enumerate(program.to)])
    spread = next(k for k, jumps in enumerate(program.to) if SPREAD in (*jumps, program.missing[k]))
    with pytest.raises(ValueError, match=f"node {spread}: it has no ways"):
        replace(program, ways={k: ways for k, ways in program.ways.items() if k != spread})


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("missing", [2, SPREAD])
def test_one_node_from_several_intervals(export: str, missing: int) -> None:
    """Numbers on both sides of an interval go to one node, and those of some intervals several ways."""
    base = drawn(1)
    program = replace(
        base,
        column=[0, 0, *[ANSWER] * 4],
        cuts=[(-1.0, 0.0, 0.5), (-0.5, 0.25), (), (), (), ()],
        to=[(1, 2, 1, SPREAD), (3, 4, 3), (), (), (), ()],
        less=[False] * 6,
        missing=[missing, 4, *[REFUSED] * 4],
        answer=[REFUSED, REFUSED, 0, 1, 2, 3],
        ways={0: ((5, 0.3), (1, 0.7))},
        soft={},
    )
    assert program.is_tree
    one, rows = made(program), drawn_rows(1)
    RUNNERS[export](one, rows).equal(model_answers(one, rows))


@pytest.mark.parametrize("export", ["sqlite", "duckdb"])
def test_soft_thresholds_and_cells_that_are_refused(export: str) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
    est = tw.C45Classifier(soft=True, missing="refuse").fit(X, np.where((X["a"] > 0) ^ (X["c"] > 0.3), "p", "q"))
    rows = X.mask(rng.random(X.shape) < 0.15)
    one = made(est._program())
    refused = one.refused(rows)
    said = np.array(no_answers(export, one, rows), object)
    assert [text is None for text in said] == refused.tolist()
    assert said[~refused].tolist() == one.predict(rows[~refused]).tolist()
