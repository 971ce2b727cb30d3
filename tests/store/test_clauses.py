"""Clauses and fitted FOILs in files: as the published schema says, the same bytes again, and damaged ones refused."""

from __future__ import annotations

import copy
import io
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import treewright as tw
from tests.reliability.mutations import changed, paths
from tests.store.models import Asked, relational
from tests.store.test_round_trip import SCHEMA
from treewright.store.document import document_bytes
from treewright.store.files import read_model
from treewright.store.kinds import to_section

NAMES = ["foil-recursive", "foil-numbers", "clauses", "clauses-scored"]
Damage = Callable[[dict[str, Any]], Any]


@cache
def held() -> dict[str, tuple[Any, Asked]]:
    return relational()


def section(name: str) -> dict[str, Any]:
    model, _ = held()[name]
    made = to_section("foil", model._fitted()) if isinstance(model, tw.Foil) else to_section("clauses", model)
    model_section: dict[str, Any] = json.loads(document_bytes(made))["model"]
    return model_section


def read(content: Any) -> Any:
    return read_model(io.BytesIO(document_bytes(content)), "c.json", True)


@pytest.mark.parametrize("name", NAMES)
def test_files_are_as_the_schema_says_and_come_back_the_same(name: str, tmp_path: Path) -> None:
    model, (tuples, relations) = held()[name]
    model.save(tmp_path / "c.json")
    jsonschema.validate(json.loads((tmp_path / "c.json").read_text()), SCHEMA)
    again = tw.load(tmp_path / "c.json")
    again.save(tmp_path / "again.json")
    assert (tmp_path / "c.json").read_bytes() == (tmp_path / "again.json").read_bytes()
    assert again.to_text(scores=True) == model.to_text(scores=True)
    asked = "predict" if isinstance(model, tw.Foil) else "holds"
    assert getattr(again, asked)(tuples, relations).tolist() == getattr(model, asked)(tuples, relations).tolist()


def set_to(*path: Any) -> Damage:
    """A function that puts the last of these where the others lead."""
    *way, last, value = path

    def damage(whole: dict[str, Any]) -> None:
        at: Any = whole
        for key in way:
            at = at[key]
        at[last] = value

    return damage


WRONG: list[tuple[Damage, str]] = [
    (lambda whole: whole.pop("name"), "it has no 'name'"),
    (lambda whole: whole.pop("types"), "it has no 'types'"),
    (set_to("more", 1), "it has \\['more'\\], which this version"),
    (set_to("name", "other"), "is no head of other/2"),
    (set_to("columns", ["A"]), "is no head of kin of/1"),
    (set_to("columns", [1, 2]), "1 is no str"),
    (set_to("clauses", 0, None), "None is no dict"),
    (set_to("clauses", 0, "variables", ["x", "x", "z"]), "a variable stands twice"),
    (set_to("clauses", 0, "variables", ["x y", "y", "z"]), "'x y' is no name of a variable"),
    (set_to("clauses", 0, "covers", [1, 2]), "does not say what it covers"),
    (set_to("clauses", 0, "covers", [1, -2, 0]), "-2 is no number of tuples"),
    (set_to("clauses", 0, "covers", [1, True, 0]), "True is no number of tuples"),
    (set_to("clauses", 0, "head", ["kin of", False]), "a literal has no arguments"),
    (set_to("clauses", 0, "head", 2, 3), "there is no variable 3"),
    (set_to("clauses", 0, "head", 2, -1), "there is no variable -1"),
    (set_to("clauses", 0, "head", 2, "x"), "neither a variable nor a constant"),
    (set_to("clauses", 0, "head", 2, [["list", 1]]), "a constant cannot be told from others"),
    (set_to("clauses", 0, "body", 0, 0, ""), "a literal is named by text"),
    (set_to("clauses", 0, "body", 0, 1, None), "a literal has no arguments"),
    (set_to("clauses", 0, "body", 1, 0, "<"), "compares a variable with another one"),
    (set_to("clauses", 1, "body", 2, 1, True), "a comparison is denied by its opposite"),
    (set_to("clauses", 0, "body", 1, ["kin of", True, 0, 1]), "denies what it defines"),
    (set_to("relations", [["parent", "a", "b"]]), "'parent' does not say how many arguments it has"),
    (set_to("relations", [["parent/3", "a", "b"]]), "'parent/3' does not say how many arguments it has"),
    (set_to("relations", [[]]), "does not say how many arguments it has"),
    (set_to("relations", [["parent/2", "a", "b"]]), "there is no relation person/3"),
    (set_to("types", [["parent/2", "person"]]), "does not say how many arguments it has"),
]


@pytest.mark.parametrize(("damage", "message"), WRONG)
def test_damaged_clauses_are_refused_and_the_error_says_why(damage: Damage, message: str) -> None:
    whole = section("clauses")
    damage(whole)
    with pytest.raises(tw.ModelFormatError, match=message) as caught:
        read(whole)
    assert "c.json" in str(caught.value) and str(caught.value).isprintable() and len(str(caught.value)) < 400
    inside = section("foil-recursive")
    inside["clauses"] = whole
    with pytest.raises(tw.ModelFormatError, match=f"foil: clauses: .*{message}"):
        read(inside)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda whole: whole.pop("n_weighed"), "None is no int"),
        (set_to("n_covered_positive", -1), "fewer than no tuples"),
        (set_to("n_positive", True), "True is no int"),
        (set_to("params", "max_depth", 0), "not those of a fitted Foil: max_depth=0"),
        (set_to("params", "negation", "never"), "negation='never'"),
        (set_to("params", "depth", 3), "it has \\['depth'\\]"),
        (set_to("clauses", "kind", "tree"), "kind 'tree' is unknown here"),
        (set_to("clauses", []), "clauses: \\[\\] is no dict"),
    ],
)
def test_damaged_foils_are_refused_and_the_error_says_why(damage: Damage, message: str) -> None:
    whole = section("foil-numbers")
    damage(whole)
    with pytest.raises(tw.ModelFormatError, match=message):
        read(whole)


@pytest.mark.parametrize("name", NAMES)
def test_any_change_is_refused_or_gives_clauses_that_answer(name: str) -> None:
    whole, draw = section(name), random.Random(1)
    _, (tuples, relations) = held()[name]
    ways, taken, refused = paths(whole), 0, 0
    for _ in range(300):
        content = changed(draw, copy.deepcopy(whole), ways)
        try:
            document = document_bytes(content)
        except (ValueError, TypeError, AttributeError):  # what our own writer does not write
            continue
        try:
            model = read_model(io.BytesIO(document), "c.json", True)
        except tw.ModelFormatError:
            refused += 1
            continue
        taken += 1
        repr(model)
        for question in (
            lambda model=model: model.to_text(scores=True),
            lambda model=model: model.to_prolog(),
            lambda model=model: model.to_sql("sqlite"),
            lambda model=model: (model.predict if isinstance(model, tw.Foil) else model.holds)(tuples, relations),
        ):
            try:
                question()
            except (ValueError, TypeError):  # a changed name: there is no such relation, or it has other arguments
                continue
    assert taken > 5 and refused > 50
