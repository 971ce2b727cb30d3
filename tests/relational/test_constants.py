"""Constants of every kind through relations, clauses, text, files, SQL and Prolog: equal ones are written alike and read back."""

from __future__ import annotations

import datetime as dt
import pickle
import shutil
import sqlite3
import subprocess
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.model.clauses import Clause, Clauses, Literal, Variable

X = Variable("x")
DAY = dt.date(2020, 2, 29)
NOON = dt.datetime(2020, 2, 29, 12)


@pytest.mark.parametrize(
    ("given", "held"),
    [
        (np.int64(3), 3),
        (np.float64(2.5), 2.5),
        (np.str_("a"), "a"),
        (np.bool_(True), True),
        (Decimal("1.5"), 1.5),
        (Decimal(7), 7),
        (Fraction(1, 4), 0.25),
        (DAY, DAY),
        (pd.Timestamp(NOON), NOON),
        (np.datetime64("2020-02-29T12:00", "ns"), NOON),
        (np.datetime64("2020-02-29"), NOON.replace(hour=0)),
        (NOON.replace(tzinfo=dt.UTC), NOON.replace(tzinfo=dt.UTC)),
    ],
    ids=repr,
)
def test_a_constant_is_one_of_pythons_own_and_comes_back_from_text(given: Any, held: Any) -> None:
    clause = Clause(Literal("p", (X,)), (Literal("q", (X, given)),))
    constant = clause.body[0].args[1]
    assert constant == held and type(constant) is type(held)
    again = Clause.parse(clause.text())
    assert again == clause and type(again.body[0].args[1]) is type(held)
    relations = {"q": [("one", given), ("none", None)]}
    assert Clauses.parse(clause.text()).evaluate(relations) == [("one",)]
    assert Clauses.parse("p(x, y) :- q(x, y).").evaluate(relations) == [("one", held)]


@pytest.mark.parametrize("value", [float("inf"), float("nan"), None, np.float64("-inf"), pd.NaT, Decimal("Infinity"), 10**400])
def test_what_is_not_finite_or_missing_is_no_constant(value: Any) -> None:
    with pytest.raises(ValueError, match="is no constant of q: "):
        Literal("q", (X, value))
    if value is not None:
        with pytest.raises(ValueError, match="is no constant"):
            Clauses.parse("p(x) :- q(x).").added(Clause(Literal("p", (value,)), ()))


def test_what_cannot_be_told_from_others_is_no_constant() -> None:
    with pytest.raises(TypeError, match=r"\[1\] is no constant of q: unhashable"):
        Literal("q", (X, [1]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p(x) :- q(x, 1e999).", "finite"),
        ("p(x) :- q(x, date '2020-02-30').", "date '2020-02-30' is none"),
        ("p(timestamp '1').", "timestamp '1' is none"),
    ],
)
def test_text_of_no_constant(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Clause.parse(text)


def test_the_kinds_of_constants_are_names_of_variables_too() -> None:
    assert Clause.parse("p(date) :- q(date, timestamp).").variables == (Variable("date"), Variable("timestamp"))


KINDS: dict[str, list[Any]] = {
    "text": ["it's", "b"],
    "whole": [7, -8],
    "real": [0.5, 1e20],
    "truth": [True, False],
    "day": [DAY, dt.date(1999, 1, 1)],
    "time": [NOON, dt.datetime(1999, 1, 1, 0, 0, 1, 500)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_constants_in_engines(kind: str) -> None:
    one, other = KINDS[kind]
    frame = pd.DataFrame({"a": ["k", "l"], "b": [one, other]})
    program = replace(
        Clauses((Clause(Literal("p", (X,)), (Literal("q", (X, one)),)),), "p", ("x",)), relations={"q/2": ("a", "b")}
    )
    assert program.evaluate({"q": frame}) == [("k",)]
    with sqlite3.connect(":memory:") as base:
        cells = [value.isoformat(" ") if isinstance(value, dt.datetime) else value for value in (one, other)]
        base.execute("CREATE TABLE q (a, b)")
        base.executemany("INSERT INTO q VALUES (?, ?)", [("k", str(cells[0]) if kind == "day" else cells[0]), ("l", None)])
        assert base.execute(program.to_sql("sqlite")).fetchall() == [("k",)]
    duckdb = pytest.importorskip("duckdb")
    db = duckdb.connect()
    db.register("q", frame)
    assert db.execute(program.to_sql("duckdb")).fetchall() == [("k",)]


@pytest.mark.parametrize(
    ("text", "follows"),
    [
        ("p('zed', x) :- q(x, y).", [("zed", "a"), ("zed", "b")]),
        ("p(x, y) :- q(x, z), y = 'zed'.", [("a", "zed"), ("b", "zed")]),
        ("p(x, y) :- q(x, y), x != 'zed'.", [("a", "b"), ("b", "a")]),
        ("p(x, y) :- q(x, y). p('zed', x) :- p(x, y).", [("a", "b"), ("b", "a"), ("zed", "a"), ("zed", "b"), ("zed", "zed")]),
        ("p(x, y) :- q(x, z), not q(y, 'zed').", [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]),
        ("p(x, y) :- q(x, y), not s(z, x).", [("b", "a")]),
        ("p(x, y) :- q(x, z), not s(w, y).", [("a", "b"), ("b", "b")]),
        ("p(x, y) :- q(x, y), not s(z, 'zed').", [("a", "b"), ("b", "a")]),
        ("p(x, y) :- q(x, y), not s(z, 'a').", []),
    ],
)
def test_constants_of_clauses_and_unbound_variables_mean_the_same_everywhere(
    text: str, follows: list[tuple[str, str]], tmp_path: Path
) -> None:
    rows = {"q": [("a", "b"), ("b", "a")], "s": [("a", "a")]}
    types = {"p/2": ("t", "t"), "q/2": ("t", "t"), "s/2": ("t", "t")}
    program = replace(Clauses.parse(text), types=types)
    assert sorted(program.evaluate(rows)) == follows
    if follows:
        assert program.holds(follows, rows).all()
        assert program.explain(follows[-1], rows).holds
    with sqlite3.connect(":memory:") as base:
        for name, tuples in rows.items():
            base.execute(f"CREATE TABLE {name} (A, B)")
            base.executemany(f"INSERT INTO {name} VALUES (?, ?)", tuples)
        assert sorted(base.execute(program.to_sql("sqlite")).fetchall()) == follows
    if shutil.which("swipl") is None:
        return
    facts = "".join(f"{name}({', '.join(row)}).\n" for name, tuples in rows.items() for row in tuples)
    (tmp_path / "program.pl").write_text(facts + program.to_prolog())
    goal = "forall(distinct(A-B, p(A, B)), (write(A), write(' '), writeln(B)))"
    done = subprocess.run(
        ["swipl", "-q", "-g", goal, "-t", "halt", str(tmp_path / "program.pl")], capture_output=True, text=True, timeout=60
    )
    assert sorted(tuple(line.split()) for line in done.stdout.splitlines()) == follows, done.stderr


def test_prolog_compares_numbers_by_value_and_writes_them_as_prolog_reads_them() -> None:
    program = Clauses.parse("p(x) :- q(x, y), y = 3, z = 'a', z != x, y != 1e20, r(x, '[]').")
    assert program.to_prolog() == "p(A) :- q(A, B), B =:= 3, C = a, C \\= A, B =\\= 1.0e+20, r(A, []).\n"
    # What nothing has bound cannot be compared by value.
    assert Clauses.parse("p(x, y) :- q(x), y = 3.").to_prolog() == "p(A, B) :- q(A), B = 3.\n"
    # The relation of all constants of a type is called like no other.
    free = replace(Clauses.parse("p(x, y) :- constant1(x)."), types={"p/2": ("t", "t"), "constant1/1": ("t",)})
    assert free.to_prolog() == "p(A, B) :- constant2(B), constant1(A).\nconstant2(A) :- constant1(A).\n"
    reach = Clauses.parse("reach(x, y) :- edge(x, y). reach(x, y) :- edge(x, z), reach(z, y).")
    assert reach.to_prolog().startswith(":- table reach/2.\n")


@pytest.mark.parametrize(
    ("cells", "others", "message"),
    [
        ([True, 1], ["a"], r"truth values \(True\) and numbers \(1\)"),
        ([1, True], ["a"], r"numbers \(1\) and truth values \(True\)"),
        ([False, "x"], ["a"], "truth values .* and other constants"),
    ],
)
def test_truth_values_are_no_numbers(cells: list[Any], others: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tw.Foil().fit({"p": list(zip("ab", cells, strict=True)), "q": [("a",)]}, "q", [("b",)])


def test_columns_of_truth_values_and_of_numbers_are_of_two_types() -> None:
    relations = {"flag": [("a", True), ("b", False)], "count": [("a", 1), ("b", 0)], "t": [("a",)]}
    foil = tw.Foil().fit(relations, "t", [("b",)])
    assert foil.clauses_.types["flag/2"][1] != foil.clauses_.types["count/2"][1]
    with pytest.raises(ValueError, match=r"type 'v' has truth values .*flag/2.* and numbers .*count/2"):
        tw.Foil(types={"flag.B": "v", "count.B": "v"}).fit(relations, "t", [("b",)])
    with pytest.raises(ValueError, match=r"numbers \(1\) and truth values \(True\)"):
        Clauses.parse("p(x) :- flag(x, y), count(x, y).").evaluate(relations)
    with pytest.raises(ValueError, match=r"numbers .* and other constants .'red'."):
        Clauses.parse("p(x) :- count(x, 'red').").evaluate(relations)


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        (5, "constants=5 is not allowed: it must be a list"),
        ([[1]], "holds what is no constant"),
        ({"q": 5}, r"constants\['q'\]=5 is not allowed"),
        (b"ab", "must be a list"),
    ],
)
def test_constants_to_name_are_a_list(constants: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tw.Foil(constants=constants).fit({"q": [("a",)], "t": [("a",)]}, "t", [("b",)])


def test_facts_behind_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "facts.pl").write_bytes(b"\xef\xbb\xbfq(a).\nt(a).\n")
    (tmp_path / "neg.pl").write_bytes(b"\xef\xbb\xbft(b).\n")
    assert str(tw.Foil().fit(tmp_path, "t").clauses_) == "t(A) :- q(A)."


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"name": ""}, TypeError, "of a name"),
        ({"name": 3}, TypeError, "of a name"),
        ({"columns": "ab"}, TypeError, "tuple of text"),
        ({"columns": ("a", "a")}, ValueError, "different names"),
        ({"columns": ()}, ValueError, "there must be some"),
        ({"columns": (1, 2)}, TypeError, "tuple of text"),
        ({"clauses": ("p(x).",)}, TypeError, "is no clause"),
        ({"relations": [("q/2", "ab")]}, TypeError, "must be a dictionary"),
        ({"relations": {"q/2": ("a",)}}, ValueError, "does not say that it has 1 argument"),
        ({"relations": {"q": ("a",)}}, ValueError, "does not say"),
        ({"types": {"q/1": "t"}}, TypeError, "tuple of text"),
        ({"types": {3: ("t",)}}, ValueError, "does not say"),
    ],
)
def test_clauses_check_themselves(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    good = Clauses.parse("p(x, y) :- q(x, y).")
    with pytest.raises(error, match=message):
        replace(good, **changes)
    assert replace(good, columns=["a", "b"]).columns == ("a", "b")  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [-1, 1.5, True, "3"])
def test_what_a_clause_covers_is_a_number_of_tuples(count: Any) -> None:
    with pytest.raises(ValueError, match="no number of tuples"):
        Clause(Literal("p", (X,)), (), positive=count)


CHAIN = Clauses.parse("reach(x, y) :- edge(x, y). reach(x, y) :- edge(x, z), reach(z, y).")


def test_long_proofs_do_not_recurse() -> None:
    reached = Clauses.parse("reached(x) :- start(x). reached(x) :- edge(y, x), reached(y).")
    edges = {"edge": [(i, i + 1) for i in range(1500)], "start": [(0,)]}
    proof = reached.explain((1500,), edges)
    assert len(list(proof.walk())) == 1501 and repr(proof) == "<Proof: reached(1500) by 1501 steps>"
    again = pickle.loads(pickle.dumps(proof))
    assert again == proof and hash(again) == hash(proof) and again.text() == proof.text()
    assert again != reached.explain((1499,), edges)
    assert proof.text().splitlines()[:4] == [
        f"reached(1500)   by {reached[1].text()}",
        "  edge(1499, 1500)",
        f"  reached(1499)   by {reached[1].text()}",
        "    edge(1498, 1499)",
    ]


def test_what_proofs_share_stands_once() -> None:
    """Each number rests on the two below it: unfolded that are as many lines as Fibonacci's numbers."""
    twice = Clauses.parse("f(x) :- zero(x). f(x) :- next(x, y), f(y), next(y, z), f(z).")
    relations = {"zero": [(0,), (1,)], "next": [(i + 1, i) for i in range(60)]}
    proof = twice.explain((60,), relations)
    assert len(list(proof.walk())) == 61
    lines = [line.strip() for line in proof.text().splitlines()]
    assert len(lines) < 300 and sum(line.endswith("as above") for line in lines) == 58
    assert pickle.loads(pickle.dumps(proof)) == proof


def test_the_tuple_of_a_proof_rests_on_earlier_ones() -> None:
    """Where edges lead back to where they began, a proof does not lead there."""
    ring = {"edge": [(i, (i + 1) % 7) for i in range(7)]}
    for row in CHAIN.evaluate(ring):
        facts = [one.fact for _, one in CHAIN.explain(row, ring).walk()]
        assert len(facts) == len(set(facts)) <= 7


def test_elements_of_structures_are_not_named() -> None:
    """A list with its head and its tail is no attribute of anything; a colour that stands in one wide table is."""
    parts = [("ab", "A", "b"), ("b", "B", "[]"), ("aa", "A", "a"), ("a", "A", "[]")]
    table = [("ab", "red", 1.5), ("b", "blue", 2.5), ("aa", "red", 3.5), ("a", "blue", 0.5)]
    foil = tw.Foil(trace=True).fit({"components": parts, "table": table, "long": [("ab",), ("aa",)]}, "long")
    named = {arg for state in foil.trace_ for one in state.literals for arg in one.literal.args if isinstance(arg, str)}
    assert named == {"red", "blue"}


def test_of_several_unknown_constants_the_same_is_told_whatever_the_hashes() -> None:
    relations = {"p": [("a", "b")], "q": [("a",)]}
    for lost in (["zz", "yy", "xx", "ww"], ["ww", "xx", "yy", "zz"]):
        with pytest.raises(ValueError, match="constants: 'ww' occurs in no relation"):
            tw.Foil(constants=lost).fit(relations, "q", [("b",)])
