"""Rules read from trees: rows 5, 10 and 113 to 116."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

import treewright as tw


def fig_9_1() -> tuple[pd.DataFrame, pd.Series]:
    """Two numbers; class C1 left of w10 = 5.5, and to the right of it below w20 = 3.5."""
    X = pd.DataFrame([(a, b) for a in range(1, 11) for b in range(1, 8)], columns=["x1", "x2"], dtype=float)
    return X, pd.Series(np.where((X["x1"] <= 5.5) | (X["x2"] <= 3.5), "C1", "C2"), name="class")


def test_row_5_the_disjunction_of_play_tennis() -> None:
    data = tw.datasets.load_play_tennis()
    tree = tw.ID3Classifier().fit(data.X, data.y).tree_
    rules = tree.to_rules()
    (yes,) = (d for d in rules.dnf() if d.says == "yes")
    assert yes.text() == (
        "if (outlook = sunny and humidity = normal) or outlook = overcast or (outlook = rain and wind = weak) then play = yes"
    )
    every = pd.DataFrame(list(product(*(c.levels for c in tree.columns))), columns=tree.schema.names)
    assert (rules.matches(every).sum(axis=1) == 1).all()
    from treewright.model.rules import cells_of

    assert np.array_equal(yes.matches(cells_of(every, tree.schema)), tree.predict(every) == "yes")


def test_row_10_one_rule_per_class() -> None:
    X, y = fig_9_1()
    tree = tw.CARTClassifier().fit(X, y).tree_
    first, second = tree.to_rules().dnf()
    terms = {"x1 <= 5.5", "(x1 > 5.5 and x2 <= 3.5)"}
    if tree.root.split.column == "x2":  # both orders of the two tests describe the region
        terms = {"x2 <= 3.5", "(x2 > 3.5 and x1 <= 5.5)"}
    assert first.text() in {f"if {' or '.join(order)} then class = C1" for order in (sorted(terms), sorted(terms)[::-1])}
    assert second.text() in {"if x1 > 5.5 and x2 > 3.5 then class = C2", "if x2 > 3.5 and x1 > 5.5 then class = C2"}
    assert (first.confidence, second.confidence) == (1, 1)
    assert first.support + second.support == 1


@pytest.fixture(scope="module")
def job() -> tuple[tw.datasets.Dataset, tw.Tree]:
    data = tw.datasets.load_age_job()
    return data, tw.TreeRegressor(nominal="multiway").fit(data.X, data.y).tree_


def test_row_113_five_rules(job: tuple[tw.datasets.Dataset, tw.Tree]) -> None:
    rules = job[1].to_rules()
    assert {(frozenset(c.text() for c in rule.when), round(rule.says, 9)) for rule in rules} == {
        (frozenset({"age > 38.5", "years_in_job > 2.5"}), 0.8),
        (frozenset({"age > 38.5", "years_in_job <= 2.5"}), 0.6),
        (frozenset({"age <= 38.5", "job_type = A"}), 0.4),
        (frozenset({"age <= 38.5", "job_type = B"}), 0.3),
        (frozenset({"age <= 38.5", "job_type = C"}), 0.2),
    }
    assert rules.used == ["age", "years_in_job", "job_type"]
    assert set(job[1].schema.names) - set(rules.used) == {"x3"}


def test_row_114_supports_sum_to_one(job: tuple[tw.datasets.Dataset, tw.Tree]) -> None:
    rules = job[1].to_rules()
    assert sorted(round(rule.support, 9) for rule in rules) == [0.15, 0.15, 0.2, 0.2, 0.3]
    again = rules.scored(job[0].X, job[0].y)
    assert [rule.support for rule in again] == [rule.support for rule in rules]


def test_row_115_older_people_by_years_younger_by_job_type(job: tuple[tw.datasets.Dataset, tw.Tree]) -> None:
    for rule in job[1].to_rules():
        other = {c.column.name for c in rule.when} - {"age"}
        age = rule.condition("age")
        assert age is not None
        assert other == ({"years_in_job"} if age.low is not None else {"job_type"})


def test_row_116_age_is_dropped_from_r3() -> None:
    data = tw.datasets.load_age_job()
    tree = tw.TreeRegressor(nominal="multiway").fit(data.X, data.y).tree_
    # Where people of job type A are at 0.4 at every age, the age says nothing about them.
    y = data.y.where(data.X["job_type"] != "A", 0.4)
    (r3,) = (rule for rule in tree.to_rules() if {c.text() for c in rule.when} == {"age <= 38.5", "job_type = A"})
    simpler = tw.RuleSet((r3,), tree.schema, tree.target).simplify(data.X, y)
    assert simpler[0].text("y") == "if job_type = A then y = 0.4  (7 rows, ± 0)"
    # On the data it was learned from the age matters, and stays.
    kept = tw.RuleSet((r3,), tree.schema, tree.target).simplify(data.X, data.y)
    assert {c.text() for c in kept[0].when} == {"age <= 38.5", "job_type = A"}
    # The new rule overlaps with those of the older people: no longer a tree.
    with_r3 = tree.to_rules().add(simpler[0])
    assert (with_r3.matches(data.X).sum(axis=1) > 1).any()
