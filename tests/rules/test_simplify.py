"""Rules with needless conditions dropped: a list never gets worse, answers stay, enumeration drops the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import Case, cases, estimators, make_case, modest
from treewright import _core
from treewright.model.linear import Equation
from treewright.model.rule import together
from treewright.model.rules import cells_of
from treewright.model.simplify import halves

pytestmark = pytest.mark.filterwarnings("ignore:.*a split needs", "ignore::treewright.UnseenLevelWarning")


def size(rules: tw.RuleSet) -> int:
    return sum(len(rule.when) for rule in rules)


@modest(40)
@given(
    case=cases(),
    make=st.sampled_from([tw.PartClassifier, tw.RipperClassifier, tw.C45RulesClassifier, tw.M5RulesRegressor]),
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
)
def test_a_list_never_gets_worse(case: Case, make: Any, seed: int, weighted: bool) -> None:
    numbers = make is tw.M5RulesRegressor
    y = case.numbers if numbers else case.classes
    rules = make().fit(case.X, y).ruleset_
    other = make_case(seed, 70)
    rows = (other.X, other.numbers) if numbers else (other.X, np.where(np.isin(other.classes, y), other.classes, y[0]))
    for X, truth, w in ((case.X, y, case.weights), (*rows, other.weights)):
        w = w.astype(float) if weighted and w.sum() > 0 else None
        before = rules.scored(X, truth, w)
        after = rules.simplify(X, truth, w)
        assert after.ordered
        assert size(after) <= size(before)
        assert after.errors(X, truth, w) <= before.errors(X, truth, w) * (1 + 1e-9) + 1e-9
        assert {rule.says for rule in after} <= {rule.says for rule in rules}
        assert after.otherwise.says == rules.otherwise.says


@pytest.mark.parametrize("name", ["monks-1", "car", "vehicle", "soybean", "breast-w", "colic"])
@pytest.mark.parametrize("make", [tw.PartClassifier, tw.RipperClassifier])
def test_lists_of_known_tables(shared: Path, name: str, make: Any) -> None:
    table = pd.read_parquet(shared / "data" / f"{name}.parquet")
    X, y = table.iloc[:, :-1], table.iloc[:, -1]
    rules = make(**({"random_state": 0} if make is tw.RipperClassifier else {})).fit(X, y).ruleset_
    simple = rules.simplify(X, y)
    assert simple.errors(X, y) <= rules.errors(X, y)
    assert size(simple) <= size(rules)


def test_conditions_that_earlier_rules_decide_are_dropped() -> None:
    X = pd.DataFrame({"x": np.arange(30.0), "z": np.arange(30.0) % 2})
    y = np.repeat(["a", "b", "c"], 10)
    rules = tw.CARTClassifier().fit(X, y).tree_.to_rules()
    lines = """if x <= 9 then target = a
        else if 9 < x <= 19 then target = b
        else if x > 19 and z <= 1 then target = c
        else target = a"""
    simple = rules.parse(lines).simplify(X, y)
    assert [len(rule.when) for rule in simple] == [1, 1, 0]
    assert simple[1].when[0].text() == "x <= 19"
    assert simple.errors(X, y) == 0
    # By itself the second rule needs both of its ends: in the list it is judged by the rows that come to it.
    alone = tw.RuleSet(rules.parse(lines).rules, rules.schema, rules.target).simplify(X, y)
    assert [condition.text() for condition in alone[1].when] == ["9 < x <= 19"]


@modest(40)
@given(case=cases(), est=estimators(["learned", "majority", "surrogate"]), seed=st.integers(0, 10**6))
def test_what_is_dropped_is_what_enumeration_drops(case: Case, est: Any, seed: int) -> None:
    y = case.target(est)
    rules = est.fit(case.X, y).tree_.to_rules()
    w = case.weights.astype(float) if case.weights.sum() > 0 else np.ones(len(y))
    simple = rules.simplify(case.X, y, w)
    found = {(rule.says, frozenset(rule.when)) for rule in simple}
    cells = cells_of(case.X, rules.schema)
    for rule in rules:
        assert (rule.says, frozenset(_naive(rule, cells, np.asarray(y), w))) in found


def _naive(rule: tw.Rule, cells: Any, y: Any, w: Any) -> Any:
    def expected(when: Any) -> float:
        held = np.logical_and.reduce([c.holds(cells) for c in when]) if when else np.ones(len(y), bool)
        weight = w[held].sum()
        if y.dtype.kind == "f":
            spread = np.sqrt((w[held] * (y[held] - rule.says) ** 2).sum() / weight) if weight > 0 else 0.0
            return float(spread * (weight + 1) / (weight - 1)) if weight > 1 else np.inf
        wrong = w[held & (y != rule.says)].sum()
        return float((wrong + _core.extra_errors(weight, wrong, 0.25, "quinlan")) / weight) if weight > 0 else np.inf

    when = [half for condition in rule.when for half in halves(condition)]
    covered = np.logical_and.reduce([c.holds(cells) for c in when]) if when else np.ones(len(y), bool)
    slack = 1e-9 * np.abs(y).max() if y.dtype.kind == "f" else 1e-12
    while when and w[covered].sum() > 0:
        without = [expected(when[:i] + when[i + 1 :]) for i in range(len(when))]
        best = max(i for i in range(len(when)) if without[i] == min(without))
        if without[best] > expected(when) + slack:
            break
        when.pop(best)
    return together(when)


def test_numbers_and_equations_stay() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(300), "b": rng.random(300)})
    skewed = np.where(X.a < 0.5, 1, 5) + rng.exponential(2, 300)
    median = tw.CARTRegressor(criterion="absolute_error", max_depth=2).fit(X, skewed).tree_.to_rules()
    simple = median.simplify(X, skewed)
    assert {rule.says for rule in simple} <= {rule.says for rule in median}
    assert size(simple) < size(median)
    bent = np.where(X.a < 0.5, 3 * X.b, 5 - 2 * X.b) + rng.normal(0, 0.01, 300)
    rules = tw.M5RulesRegressor().fit(X, bent).ruleset_
    kept = rules.simplify(X, bent)
    assert any(isinstance(rule.says, Equation) for rule in kept)
    assert {rule.says for rule in kept} <= {rule.says for rule in rules}


@pytest.mark.parametrize("make", [tw.IrepClassifier, tw.RipperClassifier, tw.C45RulesClassifier, tw.PartClassifier])
def test_the_class_that_is_said_has_the_largest_share(make: Any) -> None:
    for seed in range(12):
        case = make_case(seed, 120)
        est = (
            make(random_state=seed).fit(case.X, case.classes)
            if make is not tw.PartClassifier
            else make().fit(case.X, case.classes)
        )
        other = make_case(seed + 100, 120)
        X, y = other.X, np.where(np.isin(other.classes, est.classes_), other.classes, est.classes_[0])
        # Scored on rows that were not learned from, many rules are wrong of most rows.
        for said, shares in (
            (est.predict(case.X), est.predict_proba(case.X)),
            (est.ruleset_.scored(X, y).predict(X), est.ruleset_.scored(X, y).predict_proba(X)),
        ):
            assert np.array_equal(est.classes_[shares.argmax(axis=1)], said)
            np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_shares_are_changed_as_little_as_possible() -> None:
    from treewright.model.ties import leading

    assert leading(np.array([0.2, 0.5, 0.3]), 1).tolist() == [0.2, 0.5, 0.3]
    np.testing.assert_allclose(leading(np.array([0.6, 0.3, 0.1]), 1), [0.45, 0.45, 0.1])
    np.testing.assert_allclose(leading(np.array([0.4, 0.35, 0.25, 0.0]), 2), [1 / 3, 1 / 3, 1 / 3, 0])
    for shares, at in (([0.5, 0.5], 1), ([0.5, 0.5], 0), ([1.0, 0.0, 0.0], 2), ([1 / 3, 1 / 3, 1 / 3], 2)):
        assert leading(np.array(shares), at).argmax() == at
