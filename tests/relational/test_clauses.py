"""Clauses as values: text and back, files, edits, evaluation, SQL in engines, proofs, and clear errors."""

from __future__ import annotations

import pickle
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import treewright as tw
from tests.cli.runs import run, three_lines
from tests.relational.sets import family, lists
from treewright.model.clauses import Clause, Clauses, Literal, Variable

PARENT = pd.DataFrame(family()["parent"], columns=["a", "b"])
PROGRAMS = [
    "ancestor(x, y) :- parent(x, y).\nancestor(x, y) :- parent(x, z), ancestor(z, y).",
    "grand(x, z) :- parent(x, y), parent(y, z), x != z.",
    "eldest(x) :- parent(x, y), not parent(z, x).",
    "childless(x) :- parent(y, x), not parent(x, z).",
    "sibling(x, y) :- parent(p, x), parent(p, y), x != y.",
    "of_p1(x) :- parent('p1', x).",
    "itself(x, x) :- parent(x, y).",
]
NAMES = st.text("abcXYZ_'\\ é\n", min_size=1, max_size=6)
CONSTANTS = st.one_of(NAMES, st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
VARIABLES = st.sampled_from([Variable(name) for name in ("A", "x", "y1", "long_name")])


@st.composite
def some_clauses(draw: st.DrawFn) -> Clause:
    args = st.lists(st.one_of(VARIABLES, CONSTANTS), min_size=1, max_size=3).map(tuple)
    literal = st.one_of(
        st.builds(Literal, NAMES, args, st.booleans()),
        st.builds(lambda sign, a, b: Literal(sign, (a, b)), st.sampled_from(["=", "!=", "<", ">="]), VARIABLES, CONSTANTS),
    )
    return Clause(Literal(draw(NAMES), draw(args)), tuple(draw(st.lists(literal, min_size=1, max_size=3))))


@settings(max_examples=150, deadline=None)
@given(some_clauses())
def test_text_is_read_back_as_it_was(clause: Clause) -> None:
    assert Clause.parse(clause.text()) == clause
    assert Clause.parse(clause.sentence()) == clause


def with_columns(text: str) -> Clauses:
    read = Clauses.parse(text)
    return Clauses(read.clauses, read.name, read.columns, {"parent/2": ("a", "b")})


def naive(text: str) -> set[tuple[Any, ...]]:
    """What follows, by SQLite."""
    con = sqlite3.connect(":memory:")
    PARENT.to_sql("parent", con, index=False)
    return set(con.execute(with_columns(text).to_sql("sqlite")).fetchall())


@pytest.mark.parametrize("text", PROGRAMS)
def test_sql_gives_what_we_give(text: str) -> None:
    clauses = with_columns(text)
    ours = clauses.evaluate({"parent": PARENT})
    assert len(set(ours)) == len(ours) > 0
    assert naive(text) == set(ours)
    assert clauses.holds(ours, {"parent": PARENT}).all()
    duckdb = pytest.importorskip("duckdb")
    db = duckdb.connect()
    db.register("parent", PARENT)
    assert sorted(db.execute(clauses.to_sql("duckdb")).fetchall()) == sorted(ours)


def test_what_follows_is_what_nested_loops_say() -> None:
    pairs = list(PARENT.itertuples(index=False, name=None))
    assert set(with_columns(PROGRAMS[1]).evaluate({"parent": pairs})) == {(a, d) for a, b in pairs for c, d in pairs if b == c}
    assert set(with_columns(PROGRAMS[0]).evaluate({"parent": pairs})) == set(family()["ancestor"])
    parents = {a for a, _ in pairs}
    assert set(with_columns(PROGRAMS[3]).evaluate({"parent": pairs})) == {(b,) for _, b in pairs if b not in parents}


def test_missing_cells_agree_with_nothing_and_deny_nothing() -> None:
    relations = {"edge": [("a", None), ("a", "b"), (None, "c")], "mark": [("b",)]}
    assert Clauses.parse("out(x, y) :- edge(x, y).").evaluate(relations) == [("a", "b")]
    assert Clauses.parse("bare(x) :- edge(x, y), not mark(y).").evaluate(relations) == []


def test_files_pickles_and_clones() -> None:
    given_relations = {"parent": PARENT, "grandparent": family()["grandparent"]}
    foil = tw.Foil(max_depth=3).fit(given_relations, "grandparent")
    again = pickle.loads(pickle.dumps(foil))
    assert again.clauses_ == foil.clauses_
    assert again.predict([("p1", "p4"), ("p1", "p2")]).tolist() == [True, False]
    assert clone(foil).get_params() == foil.get_params()
    assert not hasattr(clone(foil), "clauses_")


@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_files_hold_clauses_and_parameters(tmp_path: Path, ending: str) -> None:
    foil = tw.Foil(max_depth=3).fit({"parent": PARENT, "grandparent": family()["grandparent"]}, "grandparent")
    path = tmp_path / f"model.{ending}"
    foil.save(path)
    loaded = tw.load(path)
    assert type(loaded) is tw.Foil
    assert loaded.get_params() == foil.get_params()
    assert loaded.clauses_ == foil.clauses_
    assert loaded.predict([("p1", "p4")], {"parent": PARENT}).tolist() == [True]
    with pytest.raises(ValueError, match="relations="):
        loaded.predict([("p1", "p4")])
    foil.clauses_.save(path)
    assert tw.load(path) == foil.clauses_
    assert tw.load(path).types == foil.clauses_.types
    if ending == "json":
        path.write_text(path.read_text().replace('"parent"', '"other"'))
        with pytest.raises(tw.ModelFormatError):
            tw.load(path)
        with pytest.raises(tw.ModelFormatError, match="no relation other/2"):
            tw.load(path, edited=True)


def test_edits_give_new_clauses() -> None:
    two = with_columns(PROGRAMS[0])
    one = two.dropped(1)
    assert len(one) == 1 and len(two) == 2
    assert one.added(two[1]) == two
    assert two.replaced(1, "ancestor(x, y) :- ancestor(x, z), parent(z, y).").recursive
    scored = two.scored({"parent": PARENT}, family()["ancestor"], [("p2", "p1")])
    assert [(c.positive, c.negative, c.new_positive) for c in scored] == [(30, 0, 30), (68, 0, 68)]


def test_proofs_rest_on_facts() -> None:
    given_relations, _ = lists()
    foil = tw.Foil(negation=False).fit(given_relations, "append")
    proof = foil.explain(("lab", "lc", "labc"))
    assert proof.holds and len(list(proof.walk())) == 3
    facts = {("components", row) for row in given_relations["components"]} | {("null", row) for row in given_relations["null"]}
    for _, one in proof.walk():
        for literal in one.body:
            assert literal.relation == "append" or (literal.relation, literal.args) in facts
    failed = foil.explain(("lab", "lc", "lab"))
    assert not failed.holds
    assert "fails at" in failed.text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a(x) :- b(x", "closing parenthesis"),
        ("a(x)", None),
        ("", "no clauses"),
        ("a(x) :- not a(x).", "denies what it defines"),
        ("a(x) :- parent(x, z), y < 3.", "only compared"),
        ("a(x) :- parent(x).", "has 1 argument"),
        ("a(x) :- prent(x, y).", "did you mean 'parent'"),
        ("a(x) :- parent(x, y), x < y.", "only numbers"),
        ("a(x) :- parent(x, y) b(x).", "full stop"),
        ("3(x) :- b(x).", "is wanted"),
    ],
)
def test_what_is_no_clause_is_refused(text: str, message: str | None) -> None:
    if message is None:
        Clauses.parse(text)
        return
    with pytest.raises(ValueError, match=message):
        Clauses.parse(text).evaluate({"parent": PARENT})


@pytest.mark.parametrize(
    ("relations", "target", "message"),
    [
        ({"parent": PARENT}, "prent", "did you mean 'parent'"),
        ({"p": [("a", "b"), ("a",)]}, "p", "has 1 argument,"),
        ({"p": [("a", 1), ("b", "c")]}, "p", "holds numbers"),
        ({"p": [("a", float("inf"))]}, "p", "finite"),
        ({"p": [("a", None)]}, "p", "missing cell"),
        ({}, "p", "no relations"),
    ],
)
def test_bad_relations_are_refused(relations: Any, target: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tw.Foil().fit(relations, target)


def test_a_failed_fit_leaves_the_clauses_before_it() -> None:
    foil = tw.Foil().fit({"parent": PARENT, "grandparent": family()["grandparent"]}, "grandparent")
    before = foil.clauses_
    with pytest.raises(ValueError, match="max_tuples"):
        foil.set_params(max_tuples=10).fit({"parent": PARENT, "grandparent": family()["grandparent"]}, "grandparent")
    assert foil.clauses_ is before


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("p(X).", "no constant"),
        ("p(f(a)).", "arguments of its own"),
        ("p(a)", "full stop"),
        ("p(a) :- q(a).", "full stop"),
        ("p.", "no arg"),
        ("p(" + "9" * 5000 + ").", "5000 digits"),
    ],
)
def test_files_of_facts_name_the_line(tmp_path: Path, fact: str, message: str) -> None:
    (tmp_path / "facts.pl").write_text(f"q(a).  % fine\n{fact}\n")
    with pytest.raises(tw.DataFormatError, match=message) as caught:
        tw.Foil().fit(tmp_path, "q")
    assert caught.value.line == 2 or message == "full stop"


def test_folders_of_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    PARENT.to_csv(tmp_path / "parent.csv", index=False)
    pd.DataFrame(family()["grandparent"], columns=["old", "young"]).to_parquet(tmp_path / "grandparent.parquet")
    (tmp_path / "more.pl").write_text("male(p1). male('p3').")
    assert run("foil", str(tmp_path), "--target", "grandparent", "-o", str(tmp_path / "out.json"), "--quiet") == 0
    assert "grandparent(old, young) :- parent(" in capsys.readouterr().out
    assert tw.load(tmp_path / "out.json").clauses_.name == "grandparent"
    assert run("check", str(tmp_path / "out.json")) == 0
    capsys.readouterr()
    assert run("foil", str(tmp_path), "--target", "granparent") == 3
    assert three_lines(capsys.readouterr().err)[2] == "did you mean 'grandparent'?"
    assert run("predict", str(tmp_path / "out.json"), str(tmp_path / "parent.csv")) == 2


def test_drawn_negatives_and_the_order_of_tuples() -> None:
    relations = {"parent": PARENT, "ancestor": family()["ancestor"]}
    drawn = tw.Foil(negative_share=0.3, random_state=1).fit(relations, "ancestor")
    same = tw.Foil(negative_share=0.3, random_state=1).fit(relations, "ancestor")
    assert drawn.clauses_ == same.clauses_
    assert drawn.n_negative_ == round(863 * 0.3)
    turned = {"parent": PARENT[::-1], "ancestor": family()["ancestor"][::-1]}
    assert str(tw.Foil().fit(turned, "ancestor").clauses_) == str(tw.Foil().fit(relations, "ancestor").clauses_)
    assert np.asarray(drawn.predict(family()["ancestor"])).all()


def test_a_line_of_percent_signs_is_a_comment() -> None:
    """Signs may be told apart in one way only, or time doubles with each."""
    text = "p(x) :- q(x).  " + "%" * 10_000
    assert len(Clauses.parse(text + "\n" + text)) == 2


@pytest.mark.parametrize("negation", [1, 0, "yes", None])
def test_negation_is_one_of_three(negation: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="negation"):
        tw.Foil(negation=negation).fit(family(), "daughter")


def test_a_variable_of_its_type_alone_in_sqlite() -> None:
    types = {"parent/2": ("person", "person"), "beside/2": ("person", "person")}
    program = replace(Clauses.parse("beside(x, y) :- parent(x, z), not parent(y, y), y != 'p1'."), types=types)
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE parent (a, b)")
        base.executemany("INSERT INTO parent VALUES (?, ?)", family()["parent"])
        found = base.execute(program.to_sql()).fetchall()
    assert sorted(found) == sorted(program.evaluate({"parent": PARENT})) and found


def test_recursion_that_cannot_begin_is_told(shared: Path) -> None:
    """Covered by tuples that were given, as Quinlan has it, these clauses derive nothing: there is no first tuple."""
    with pytest.warns(tw.TreewrightWarning, match="cover 2 tuples by recursive literals .* only 0 of them follow"):
        foil = tw.Foil().fit(shared / "data" / "relational" / "can_reach", "linked_to")
    assert foil.clauses_.recursive and foil.evaluate() == []


def test_bindings_grow_by_a_multiple_of_the_tuples(shared: Path) -> None:
    trains = shared / "data" / "relational" / "trains"
    with pytest.warns(tw.TreewrightWarning, match=r"more than 100000 bindings and w.* left out.*raise max_growth, which is 10"):
        tw.Foil().fit(trains, "load/3")
    with pytest.raises(ValueError, match=r"max_growth=None is not allowed: it must be a whole number from 1 to 1000000$"):
        tw.Foil(max_growth=None).fit(trains, "load/3")


def test_tuples_without_arguments_are_refused() -> None:
    foil = tw.Foil().fit({"p": [("a", "b")], "q": [("b", "a")]}, "q", [("a", "b")])
    for ask in (lambda: foil.explain(()), lambda: foil.predict([()]), lambda: tw.Foil().fit({"p": [()]}, "p")):
        with pytest.raises(ValueError, match="tuples without arguments"):
            ask()


def test_arrays_of_records_have_named_columns() -> None:
    pairs = np.array([("a", "b"), ("b", "c")], dtype=[("old", "U3"), ("young", "U3")])
    assert str(tw.Foil().fit({"p": pairs, "q": pairs[:1]}, "q", pairs[1:]).clauses_).startswith("q(old, young) :- p(")


def test_none_for_a_count_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "facts.pl").write_text("p(a, b). q(b, a).")
    assert run("foil", str(tmp_path), "--target", "q", "--max-depth", "none") == 2
    assert "max" in three_lines(capsys.readouterr().err)[0]


def test_tuples_that_follow_later_are_found_by_all_their_arguments() -> None:
    """Each number rests on the two below it, the second of which is asked for by both arguments."""
    program = Clauses.parse("to(x, y) :- start(x, y). to(x, y) :- next(w, y), to(x, w), next(v, w), to(x, v).")
    relations = {"start": [(x, y) for x in "ab" for y in (0, 1)], "next": [(i, i + 1) for i in range(9)]}
    assert set(program.evaluate(relations)) == {(x, y) for x in "ab" for y in range(10)}


def test_a_proof_does_not_rest_on_what_was_found_later() -> None:
    """s leads to b by a; that d leads to b as well says nothing, as s leads to d by b."""
    program = Clauses.parse("reach(x, y) :- edge(x, y). reach(x, y) :- edge(z, y), reach(x, z).")
    edges = {"edge": [("d", "b"), ("s", "a"), ("a", "b"), ("b", "d")]}
    proof = program.explain(("s", "b"), edges)
    assert [one.fact.args for _, one in proof.walk()] == [("s", "b"), ("s", "a")]


def test_a_column_without_values_is_of_the_type_of_its_name() -> None:
    person = pd.DataFrame({"person": ["a", "b"]})
    relations = {"here": person, "gone": person[:0].astype(object), "seen": person[:1], "known": person[:1]}
    types = tw.Foil().fit(relations, "known").clauses_.types
    assert types["gone/1"] == types["here/1"]
