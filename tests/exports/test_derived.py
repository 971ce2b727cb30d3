"""Tests of numbers that are computed from several cells: the same branch in every language, to the last bit of the sum."""

from __future__ import annotations

import ctypes
import json
import math
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.exports.made import DERIVED, INPUTS, derived_values, drawn, drawn_rows, joined, made
from tests.exports.runners import EVERY, RUNNERS, c_library, c_rows, javascript_answers, model_answers, records
from tests.exports.test_divided import no_answers
from tests.properties import test_derived_numbers as several
from treewright import _core
from treewright.export.program import ANSWER, REFUSED, Derived, Program, Term
from treewright.export.rule_program import rule_program
from treewright.table import read_cells


@pytest.mark.parametrize("export", EVERY)
@pytest.mark.parametrize("options", [{"divides": False}, {}, {"soft": True, "numbers": True}], ids=str)
def test_any_program(export: str, options: dict[str, bool]) -> None:
    tested = set()
    for seed in range(6):
        one = made(drawn(seed, derived=DERIVED, **options))
        rows = drawn_rows(seed)
        tested |= {column - len(INPUTS) for column in one.program.column}
        EVERY[export](one, rows).equal(model_answers(one, rows))
    assert tested >= {0, 1, 2}


def _tree(*derived: Derived, missing: int = 1, cut: float = 0.0, inputs: Any = INPUTS) -> Program:
    """A tree that asks for each of some numbers in turn: what lies above the cut goes on."""
    base = drawn(0, numbers=True)
    size = 2 * len(derived) + 1
    tests = range(0, size - 1, 2)
    return replace(
        base,
        inputs=inputs,
        column=[len(inputs) + k // 2 if k in tests else ANSWER for k in range(size)],
        cuts=[(cut,) if k in tests else () for k in range(size)],
        to=[(k + 1, k + 2) if k in tests else () for k in range(size)],
        less=[False] * size,
        missing=[k + missing if k in tests and missing > 0 else REFUSED for k in range(size)],
        answer=[REFUSED if k in tests else k % 5 for k in range(size)],
        ways={},
        derived=derived,
    )


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("missing", [1, 2])
def test_trees_nest_tests_of_sums(export: str, missing: int) -> None:
    """Trees are nested tests and whole paths in SQL, not a table of jumps."""
    many = [DERIVED[k % 3]._replace(intercept=0.6 - 0.1 * k) for k in range(8)]
    one = made(_tree(*many, missing=missing))
    rows = drawn_rows(7, 120)
    assert len({*model_answers(one, rows).leaf}) > 4
    assert "RECURSIVE" not in one.to_sql(dialect="sqlite")
    RUNNERS[export](one, rows).equal(model_answers(one, rows))


def test_sums_are_those_of_equations() -> None:
    """The number is what the equation of a leaf says of the same cells, bit by bit."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200), "c": rng.choice(list("uvwx"), 200)})
    y = 2 * X["b"] - X["a"] / 3 + X["c"].isin(["v", "x"]) + 5 * (X["a"] > 0) * X["b"]
    X = X.mask(rng.random(X.shape) < 0.1)
    tree = tw.M5Regressor(smoothing="none").fit(X, y).tree_
    program = tree._program()
    checked = 0
    for leaf in tree.leaves():
        answer = program.answers[program.answer[leaf.id]]
        if not answer.terms[0]:
            continue
        said = tree.models.equation(leaf.id).answers(read_cells(X, tree.schema)[0])
        model = made(_tree(Derived("sum", answer.values[0], answer.terms[0]), inputs=program.inputs))
        assert [model.predictor._cell(row, 3) for row in records(X)] == said.tolist()
        checked += len(answer.terms[0])
    assert checked > 4


@pytest.mark.parametrize("divides", [False, True])
@pytest.mark.parametrize("needs_all", [False, True])
def test_levels_that_are_refused_have_no_answer(divides: bool, needs_all: bool) -> None:
    inputs = tuple(replace(one, strict=one.by_level) for one in INPUTS)
    terms = (Term(0, 0.5, 0.1, None), Term(2, 0.4, 0.0, (0,)), Term(1, -0.2, 0.3, None))
    tree = _tree(Derived("sum", 0.1, terms, needs_all), inputs=inputs, missing=2)
    one = made(joined([tree, tree]) if divides else tree)
    rows = drawn_rows(4, 80)
    refused = one.refused(rows)
    assert refused.tolist() == (rows["d"] == "x").tolist()
    whole = rows[~refused].reset_index(drop=True)
    for export in ("c", "javascript", "sqlite", "duckdb", "postgresql", "onnx"):
        RUNNERS[export](one, whole).equal(model_answers(one, whole))
        if export != "javascript":
            said = no_answers(export, one, rows[refused].reset_index(drop=True))
            assert len(said) > 5 and all(each is None or each != each for each in said), export


@pytest.mark.parametrize("soft", [False, True])
def test_refused_levels_below_a_root(soft: bool) -> None:
    inputs = tuple(replace(one, strict=one.by_level) for one in INPUTS)
    for seed in range(4):
        one = made(drawn(seed, numbers=True, inputs=inputs, derived=DERIVED, soft=soft))
        rows = drawn_rows(seed)
        said = np.array(no_answers("onnx", one, rows), float)
        assert np.isnan(said).tolist() == one.refused(rows).tolist()


@pytest.mark.parametrize("export", ["python", "javascript", "c", "sqlite", "duckdb", "onnx"])
def test_sums_beyond_all_numbers(export: str) -> None:
    """Too large a sum lies beyond every cut; where infinite terms of both signs meet, the number is missing."""
    one = made(_tree(Derived("sum", 0.0, (Term(0, 10.0, 0.0, None), Term(1, 10.0, 0.0, None))), missing=2, cut=1e300))
    rows = pd.DataFrame({"a": [1e308, -1e308, 1e308, 1.0, np.nan], "b c": [0.0, 0.0, -1e308, 2.0, 1e308], "d": "u", "e": True})
    expected = model_answers(one, rows)
    assert expected.leaf == [2, 1, 2, 1, 2]
    RUNNERS[export](one, rows).equal(expected)


def test_numbers_are_computed_where_they_are_tested() -> None:
    """A column that only sums beside the way of a row need is not looked at."""
    tree = _tree(Derived("first", 0.0, (Term(0, 1.0, 0.0, None),)), Derived("second", 0.0, (Term(1, 1.0, 0.0, None),)))
    predictor = made(tree).predictor
    assert predictor.leaf({"a": -1.0}) == 1
    with pytest.raises(ValueError, match="the row has no column 'b c'"):
        predictor.leaf({"a": 1.0})
    with c_library(made(tree).to_c("m")) as lib:
        rows = pd.DataFrame({"a": [-1.0, 1.0], "b c": [np.inf, np.inf], "d": "u", "e": True})
        cells = c_rows(lib, made(tree).tree_, rows)
        assert [lib.m_leaf(ctypes.c_void_p(row.ctypes.data)) for row in cells] == [1, -1]


def test_missing_numbers_that_are_refused_are_named(tmp_path: Path) -> None:
    tree = _tree(DERIVED[1], missing=REFUSED)
    row = {"a": None, "b c": 1.0, "d": "u", "e": True}
    said = "the number 'all of it' is missing, and the model refuses missing cells"
    names: dict[str, Any] = {}
    exec(made(tree).to_python(), names)
    with pytest.raises(ValueError, match=said):
        names["predict"](row)
    with pytest.raises(AssertionError, match=said.replace("'", '"')):
        javascript_answers(made(tree), pd.DataFrame([row]))


def test_javascript_explains_tests_of_sums(tmp_path: Path) -> None:
    tree = _tree(*DERIVED)
    (tmp_path / "model.mjs").write_text(made(tree).to_javascript(), encoding="utf-8")
    script = """
    import { explain } from "./model.mjs";
    console.log(JSON.stringify(explain(JSON.parse('{"a": 0.5, "b c": 0.25, "d": "u", "e": true}'))));
    """
    (tmp_path / "run.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    steps = json.loads(done.stdout)["steps"]
    assert [step["column"] for step in steps][:2] == ["a third", "all of it"]
    assert (steps[0]["low"], steps[0]["high"], steps[0]["levels"]) == (0.0, None, None)


def test_code_of_sums_is_carried_where_there_are_any() -> None:
    with_, without = made(_tree(DERIVED[0])), made(drawn(0))
    for write in ("to_python", "to_javascript"):
        assert "derived" in getattr(with_, write)() and "derived" not in getattr(without, write)()
    assert "m_derived" in with_.to_c("m") and "derived" not in without.to_c("m")
    for text in (with_.to_python(), with_.to_javascript(), with_.to_c("m"), without.to_c("m")):
        assert not re.search(r"-- (only|without|end)", text)


def test_numbers_of_nothing_are_refused() -> None:
    for terms in ((), (Term(len(INPUTS), 1.0, 0.0, None),)):
        with pytest.raises(ValueError, match="the number 'none' is not computed from columns"):
            _tree(Derived("none", 0.0, terms))
    with pytest.raises(ValueError, match="'sum': a threshold at the end of all numbers"):
        _tree(Derived("sum", 0.0, (Term(0, 1.0, 0.0, None),)), cut=float(np.finfo(float).max))


def test_values_of_sums_lie_on_cuts() -> None:
    """The tests above compare numbers with themselves: a last bit that differs sends a row the other way."""
    program = drawn(2, derived=DERIVED)
    rows = drawn_rows(2)
    met = 0
    for node, column in enumerate(program.column):
        if column >= len(INPUTS):
            met += len({*program.cuts[node]} & {*derived_values(DERIVED[column - len(INPUTS)], INPUTS, rows)})
    assert met > 3


class _Grown:
    """A tree that answers as its estimator does."""

    def __init__(self, tree: tw.Tree) -> None:
        self.tree_, self.classes_ = tree, np.array(tree.classes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tree_, name)


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("missing", ["learned", "fraction", "refuse"])
@pytest.mark.parametrize("fill", [[math.nan] * 3, [0.25, 1.0, 0.0]], ids=["missing with a cell", "filled"])
def test_trees_over_several_columns(export: str, missing: str, fill: list[float]) -> None:
    (a, b, codes), labels = several.made(5, 200)
    if missing == "refuse":
        a, b, codes = np.nan_to_num(a), np.nan_to_num(b), np.maximum(codes, 0)
    X = pd.DataFrame({"a": a, "b b": b, "c": pd.Categorical.from_codes(codes, ["u", "v", "w"])})
    fitted = tw.TreeClassifier(missing=missing, max_depth=1).fit(X, np.where(labels == 1, "yes", "no")).tree_
    plain = several.tree_of_one(several.derived([a, b, codes], fill), labels, missing=missing, max_depth=4)
    tree = tw.Tree(_core.Tree.from_state(several.over_several(plain, fill)), fitted.schema, fitted.target)
    program = tree._program()
    assert program.derived[0].name == "0.5 * a - 2 * b b + 1.5 * (c = v)"
    assert {one.needs_all for one in program.derived} == {math.isnan(fill[0])}
    RUNNERS[export](_Grown(tree), X).equal(model_answers(_Grown(tree), X))


@pytest.mark.parametrize("export", RUNNERS)
def test_rules_over_several_columns(export: str) -> None:
    (a, b, codes), labels = several.made(6, 200)
    fill = [0.25, 1.0, 0.0]
    X = pd.DataFrame({"a": a, "b b": b, "c": pd.Categorical.from_codes(codes, ["u", "v", "w"])})
    fitted = tw.TreeClassifier(max_depth=1).fit(X, np.where(labels == 1, "yes", "no")).tree_
    plain = several.tree_of_one(several.derived([a, b, codes], fill), labels, max_depth=4)
    rules = tw.Tree(_core.Tree.from_state(several.over_several(plain, fill)), fitted.schema, fitted.target).to_rules()
    program = rule_program(tw.RuleSet(rules.rules[:-1], rules.schema, rules.target, True, tw.Rule((), rules[-1].says)))
    # Cuts of one number that a rule passes are one condition; the rules share the number.
    assert len(program.rules) > 3 and len(program.derived) == 1
    one = made(program)
    cells = read_cells(X, rules.schema)[0]
    held = [np.all([condition.holds(cells) for condition in rule.when], axis=0) for rule in rules.rules[:-1]]
    first = np.argmax([*held, np.ones(len(X), bool)], axis=0)
    assert one.apply(X).tolist() == np.array([*(answer for _, answer in program.rules), program.size - 1])[first].tolist()
    RUNNERS[export](one, X).equal(model_answers(one, X))
