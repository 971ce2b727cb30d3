"""Rules of partial trees: every part of every row is decided once, and what the rules say is what they counted."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import treewright as tw
from tests.properties.tables import make_case, modest
from treewright.learn import settings
from treewright.model.rules import by_column


def parts_of(rules: tw.RuleSet, X: Any) -> np.ndarray:
    """Rows x (rules and the default), rule by rule and condition by condition: what each takes of what is left."""
    cells = by_column(rules._cells(X)[0])
    left = np.ones(len(cells[0]))
    out = []
    for rule in rules:
        share = np.ones(len(left))
        for condition in rule.when:
            known = cells[condition.index] >= 0 if condition.column.nominal else ~np.isnan(cells[condition.index].astype(float))
            of_missing = 1.0 if condition.missing else condition.missing_share
            share *= np.where(known, condition.holds(cells), of_missing)
        out.append(left * share)
        left = left * (1 - share)
    return np.column_stack([*out, left])


@modest(15)
@given(seed=st.integers(0, 10**6), pruned=st.booleans(), least=st.sampled_from([1, 2, 5]))
def test_every_part_of_every_row_is_decided_once(seed: int, pruned: bool, least: int) -> None:
    case = make_case(seed, 80)
    est = tw.PartClassifier(pruned=pruned, min_samples_leaf=least).fit(case.X, case.classes)
    rules = est.ruleset_
    parts = parts_of(rules, case.X)
    assert rules.otherwise is not None
    assert not rules.otherwise.when
    every = [*rules, rules.otherwise]
    assert [rule.weight for rule in every] == pytest.approx(parts.sum(axis=0))
    assert sum(rule.weight for rule in every) == pytest.approx(len(case.X))
    # The votes are the parts, each with the classes that its rule decided.
    counts = np.array([np.zeros(len(est.classes_)) if rule.counts is None else rule.counts for rule in every])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    assert rules.predict_proba(case.X) == pytest.approx(parts @ shares)
    # A rule says the class of most weight among what it decides.
    places = {label: k for k, label in enumerate(rules.target.classes or ())}
    for rule, own in zip(every, counts, strict=True):
        assert own.max() == pytest.approx(own[places[rule.says]])
    largest = parts.argmax(axis=1)
    sure = np.sort(parts, axis=1)[:, -1] > np.sort(parts, axis=1)[:, -2] + 1e-9
    found = est.apply(case.X)
    assert np.array_equal(np.where(found < 0, len(rules), found)[sure], largest[sure])
    again = pickle.loads(pickle.dumps(est))
    assert np.array_equal(again.predict_proba(case.X), est.predict_proba(case.X))


def test_the_weather(tmp_path: Any) -> None:
    data = tw.datasets.load_play_tennis()
    est = tw.PartClassifier().fit(data.X, data.y)
    assert [str(condition) for rule in est.ruleset_ for condition in rule.when] == ["outlook = overcast", "humidity = high"]
    assert est.ruleset_.errors(data.X, data.y) == 2
    est.save(tmp_path / "part.json")
    assert tw.load(tmp_path / "part.json").ruleset_ == est.ruleset_
    full = tw.PartClassifier(pruned=False, min_samples_leaf=1).fit(data.X, data.y).ruleset_
    assert full.errors(data.X, data.y) == 0


def test_iris_as_weka_has_it() -> None:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    rules = tw.PartClassifier().fit(X, y).ruleset_
    assert rules.otherwise is not None
    assert [(rule.says, rule.weight) for rule in (*rules, rules.otherwise)] == [(0, 50.0), (1, 48.0), (2, 52.0)]
    assert rules.errors(X, y) == 4
    assert len(tw.PartClassifier(pruned=False).fit(X, y).ruleset_) > 2


def test_weights_are_repeated_rows_and_the_order_of_rows_does_not_matter() -> None:
    case = make_case(7, 90)
    weights = np.random.default_rng(0).integers(0, 4, 90)
    rows = np.repeat(np.arange(90), weights)
    once = tw.PartClassifier().fit(case.X, case.classes, sample_weight=weights).ruleset_
    twice = tw.PartClassifier().fit(case.X.iloc[rows], case.classes[rows]).ruleset_
    mixed = np.random.default_rng(1).permutation(rows)
    third = tw.PartClassifier().fit(case.X.iloc[mixed], case.classes[mixed]).ruleset_
    assert str(once) == str(twice) == str(third)
    # What missing cells divide is added up in another order; the rules are the same, shares of missing cells included.
    assert once.rules == twice.rules == third.rules
    assert any(0 < condition.missing_share < 1 for rule in once for condition in rule.when)
    assert [rule.weight for rule in once] == pytest.approx([rule.weight for rule in twice], rel=1e-13)


def test_what_is_refused() -> None:
    case = make_case(1, 30)
    for options, name in (({"confidence": 0.7}, "confidence"), ({"min_samples_leaf": -1}, "min_samples_leaf")):
        with pytest.raises(ValueError, match=name):
            tw.PartClassifier(**options).fit(case.X, case.classes)


def crowded_case(seed: int, rows: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Numbers that are close together, some within WEKA's 1e-5 of the next, numbers that tell nothing, levels, and holes."""
    rng = np.random.default_rng(seed)
    dense = rng.random(rows, dtype=np.float32)
    whole = rng.integers(0, 40, rows).astype(float)
    level = rng.integers(0, 6, rows)
    y = ((dense > 0.7) & (level != 2) | (whole > 30) & (level == 4)).astype(np.int64) + (rng.random(rows) < 0.03)
    X = pd.DataFrame({"dense": dense, "near": dense.astype(float) + 1e-6 * rng.random(rows), "whole": whole})
    for name in ("noise", "more"):
        X[name] = rng.standard_normal(rows)
    X["level"] = pd.Categorical.from_codes(level, list("uvwxyz"))
    X.loc[rng.random(rows) < 0.05, "whole"] = np.nan
    return X, y


@pytest.mark.parametrize("params", [{}, {"pruned": False}, {"penalty": False}, {"min_samples_leaf": 10}], ids=str)
@pytest.mark.parametrize(("seed", "rows"), [(0, 3000), (1, 700), (2, 150)])
def test_what_is_kept_of_the_rows_that_are_left_changes_no_rule(
    seed: int, rows: int, params: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = crowded_case(seed, rows)
    weights = None if seed == 0 else np.random.default_rng(seed).choice([0.0, 1.0, 2.5], rows)
    est = tw.PartClassifier(**params)
    quick = est.fit(X, y, weights).ruleset_
    with monkeypatch.context() as patch:
        patch.setattr(settings, "ENGINE", "plain")
        plain = est.fit(X, y, weights).ruleset_
    assert len(quick) > 1
    assert quick.to_text() == plain.to_text()
    assert [(rule.when, rule.says, tuple(rule.counts)) for rule in quick] == [
        (rule.when, rule.says, tuple(rule.counts)) for rule in plain
    ]
