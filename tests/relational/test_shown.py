"""What people see of clauses: notebooks, brief text, and a warning where nothing was learned."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import treewright as tw
from tests.cli.runs import run
from tests.relational.sets import family
from tests.relational.test_clauses import some_clauses
from treewright.model.clauses import Clause, Clauses, Literal, Variable


def wide() -> dict[str, Any]:
    X = np.round(np.random.default_rng(3).normal(size=(200, 12)), 3)
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(12)])
    table.insert(0, "item", [f"i{i}" for i in range(200)])
    return {"measured": table, "odd": table[table.x3 < table.x7][["item"]]}


def test_brief_text_shows_what_a_wide_table_is_asked_about() -> None:
    clauses = tw.Foil().fit(wide(), "odd").clauses_
    unused = ", ".join("_" * 3)
    assert clauses.to_text(brief=True) == (
        f"odd(item) :- measured(item, {unused}, x3, {unused}, x7, {', '.join('_' * 4)}), x3 < x7."
    )
    assert clauses.to_text(brief=True, sentences=True).endswith("x3 < x7 THEN odd(item)")
    again = Clauses.parse(clauses.to_text(brief=True))
    assert sorted(again.evaluate(wide())) == sorted(clauses.evaluate(wide()))
    assert len(set(again[0].body[0].args)) == 13


@settings(max_examples=100, deadline=None)
@given(some_clauses())
def test_brief_text_is_read_back_as_the_same_but_for_names(clause: Clause) -> None:
    again = Clause.parse(clause.text(brief=True))
    assert again.renamed(dict(zip(again.variables, clause.variables, strict=True))) == clause
    assert again.text(brief=True) == clause.text(brief=True)


def test_an_underscore_is_another_variable_wherever_it_stands() -> None:
    rows = {"q": [("a", "b"), ("b", "c"), ("d", "d")]}
    assert Clauses.parse("p(x) :- q(x, _), not q(_, x).").evaluate(rows) == [("a",)]
    assert len(Clauses.parse("p(x) :- q(x, _), q(_, A).")[0].variables) == 4
    with pytest.raises(ValueError, match="no name of a variable"):
        Variable("_")


def test_what_stands_in_the_head_or_is_compared_keeps_its_name() -> None:
    text = "p(x, y) :- q(x, z), z > 3, not s(_, x)."
    assert Clause.parse(text).text(brief=True) == text


def test_notebooks_show_clauses_beside_the_estimator() -> None:
    foil = tw.Foil()
    assert "grandparent" not in foil._repr_mimebundle_()["text/html"]
    bundle = foil.fit(family(), "grandparent")._repr_mimebundle_()
    own = foil.clauses_._repr_mimebundle_()
    assert own["text/plain"] == foil.to_text(scores=True, brief=True)
    assert bundle["text/plain"] == f"Foil()\n{own['text/plain']}" and bundle["text/html"].endswith(own["text/html"])


def test_names_do_not_steer_notebooks_and_long_programs_are_cut() -> None:
    clause = Clause(Literal("<b>", (Variable("x"),)), (Literal("q\x1b", (Variable("x"), "</pre>")),))
    page = Clauses((clause,) * 2000, "<b>", ("x",))._repr_mimebundle_()
    assert "<b>" not in page["text/html"] and page["text/html"].count("</pre>") == 1 and "\x1b" not in page["text/plain"]
    assert sum(map(len, page.values())) < 40_000
    shown = page["text/plain"].splitlines()
    assert shown[-1] == f"… {2001 - len(shown)} more clauses"
    assert "no clauses" in Clauses((), "p", ("x",))._repr_mimebundle_()["text/plain"]


@pytest.mark.parametrize(
    ("relations", "message"),
    [
        (
            {"p": [("a", "b"), ("c", "d")], "t": [("a",), ("d",)]},
            "nothing was learned of t/1; no clause is accurate enough and worth .* coding_limit",
        ),
        ({"p": [("a", "b")], "t": [("a",), ("b",)]}, "nothing was learned of t/1; there are no negative tuples"),
    ],
)
def test_a_fit_that_learns_nothing_says_so(relations: Any, message: str) -> None:
    with pytest.warns(tw.TreewrightWarning, match=message):
        foil = tw.Foil().fit(relations, "t")
    assert len(foil.clauses_) == 0 and not foil.predict([("a",)]).any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.Foil().fit({**relations, "t": [("a",)]}, "t", [("b",)])


def test_brief_clauses_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, table in wide().items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    assert run("foil", str(tmp_path), "--target", "odd", "--to", "brief") == 0
    out = capsys.readouterr().out
    assert "_, x3, _" in out and "% " in out
    (tmp_path / "odd.csv").write_text("item\n" + "".join(f"i{i}\n" for i in range(200)))
    assert run("foil", str(tmp_path), "--target", "odd") == 0
    assert "nothing was learned of odd/1; there are no negative tuples" in capsys.readouterr().err
