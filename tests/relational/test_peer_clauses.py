"""The clauses of FOIL 6.4 (Quinlan) on the relational sets: ours are equal, or say the same with as many literals."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import treewright as tw
from tests.relational.sets import family, lists
from treewright.table.relations import read_relations

KIN = {
    "wife": "wife(A,B) :- husband(B,A).",
    "husband": "husband(A,B) :- wife(B,A).",
    "mother": "mother(A,B) :- father(C,B), wife(A,C).",
    "father": "father(A,B) :- mother(C,B), wife(C,A).",
    "daughter": "daughter(A,B) :- son(C,B), sister(A,C).",
    "son": "son(A,B) :- daughter(C,B), sister(C,A).",
    "sister": "sister(A,B) :- brother(B,A).",
    "brother": "brother(A,B) :- sister(B,A).",
}
FOLDERS = [
    ("can_reach", "can_reach", "can_reach(A,B) :- linked_to(A,B). can_reach(A,B) :- linked_to(A,C), can_reach(C,B)."),
    ("member", "mem", "mem(A,B) :- components(B,A,D). mem(A,B) :- components(B,C,D), mem(A,D)."),
    ("trains", "eastbound", "eastbound(A) :- has_car(A,B), closed(B), short(B)."),
    *(("kinship", name, text) for name, text in KIN.items()),
]


def same(ours: tw.Clauses, theirs: tw.Clauses, relations: object) -> None:
    """Both say the same of the same relations, in as many clauses and literals."""
    assert sorted(map(repr, ours.evaluate(relations))) == sorted(map(repr, theirs.evaluate(relations)))
    assert ours.sizes == theirs.sizes


@pytest.mark.parametrize("negation", [False, True])
@pytest.mark.parametrize(("folder", "target", "text"), FOLDERS, ids=[f"{a}-{b}" for a, b, _ in FOLDERS])
def test_relational_sets_give_the_clauses_of_foil(shared: Path, folder: str, target: str, text: str, negation: bool) -> None:
    path = shared / "data" / "relational" / folder
    foil = tw.Foil(negation=negation).fit(path, target)
    assert foil.n_covered_positive_ == foil.n_positive_
    assert foil.n_covered_negative_ == 0
    relations, _ = read_relations(path)
    same(foil.clauses_, tw.Clauses.parse(text, like=foil.clauses_), relations)
    held = set(relations.named(target).tuples())
    assert held <= set(foil.evaluate())


@pytest.mark.parametrize("target", ["aunt", "uncle", "niece", "nephew"])
def test_the_other_relations_of_kinship_are_defined_in_full(shared: Path, target: str) -> None:
    path = shared / "data" / "relational" / "kinship"
    foil = tw.Foil().fit(path, target)
    assert set(foil.evaluate()) == set(read_relations(path)[0].named(target).tuples())


def test_append() -> None:
    given, names = lists()
    foil = tw.Foil(negation=False).fit(given, "append")
    theirs = "append(A,B,B) :- null(A). append(A,B,C) :- components(A,D,E), components(C,D,F), append(E,B,F)."
    same(foil.clauses_, tw.Clauses.parse(theirs, like=foil.clauses_), given)
    assert sorted(foil.evaluate()) == sorted(given["append"])
    # of lists that were not there: all of two letters up to length 4
    more, _ = lists("xy", 4)
    held = foil.clauses_.holds(more["append"], more)
    assert held.all()
    wrong = [
        row for row in itertools.product(sorted({row[0] for row in more["append"]}), repeat=3) if row not in set(more["append"])
    ][::97]
    assert not foil.clauses_.holds(wrong, more).any()
    assert len(names) == 40


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("ancestor", "ancestor(A,B) :- parent(A,B). ancestor(A,B) :- parent(C,B), ancestor(A,C)."),
        ("grandparent", "grandparent(A,B) :- parent(C,B), parent(A,C)."),
    ],
)
def test_families(target: str, text: str) -> None:
    given = family()
    relations = {"parent": given["parent"], target: given[target]}
    foil = tw.Foil(negation=False).fit(relations, target)
    same(foil.clauses_, tw.Clauses.parse(text, like=foil.clauses_), relations)
    larger = family(6)
    assert sorted(foil.evaluate({"parent": larger["parent"]})) == sorted(larger[target])
