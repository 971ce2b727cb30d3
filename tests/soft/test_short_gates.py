"""Gates of few terms, and softening as a verb of estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.oblique.tables import circle, diagonal, mixed


def longest(tree: Any) -> int:
    return max((len(source.equation.terms) for source in tree.splits.derived.values()), default=1)


def test_terms_that_weigh_least_go() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 8))
    y = X[:, 2] - 2 * X[:, 5] + rng.normal(0, 0.1, 600) > 0.1
    whole = tw.SoftTreeClassifier(restarts=0).fit(X, y)
    short = tw.SoftTreeClassifier(restarts=0, max_terms=2).fit(X, y)
    assert longest(whole.tree_) > 2 == longest(short.tree_)
    root = short.tree_.splits.derived[0].equation
    assert {term.column for term in root.terms} == {"x2", "x5"}
    assert short.score(X, y) > 0.97


@pytest.mark.parametrize("refine", [False, True])
def test_no_gate_has_more_terms(refine: bool) -> None:
    X, y = mixed()
    for most in (1, 2, 3):
        est = tw.SoftTreeClassifier(restarts=0, max_terms=most, refine=refine).fit(X, y)
        assert longest(est.tree_) <= most
        assert est.tree_.gates and est.score(X, y) > 0.5
    assert tw.SoftTreeRegressor(restarts=0, max_terms=1).fit(X, X["flag"] + X["a b"].fillna(3)).tree_.n_leaves > 1
    many = tw.SoftTreeClassifier(restarts=0, max_terms=100).fit(X, y)
    assert many.tree_ == tw.SoftTreeClassifier(restarts=0).fit(X, y).tree_


@pytest.mark.parametrize("given", [0, -1, 1.5, "two"])
def test_numbers_of_terms_that_cannot_be(given: Any) -> None:
    X, y = diagonal()
    with pytest.raises((ValueError, TypeError), match="max_terms"):
        tw.SoftTreeClassifier(max_terms=given).fit(X, y)


@pytest.mark.parametrize("hard", [tw.CARTClassifier(max_depth=3, missing="majority"), tw.ObliqueTreeClassifier(restarts=1)])
def test_estimators_are_softened(hard: Any, tmp_path: Any) -> None:
    X, y = mixed()
    hard.fit(X, y)
    before = hard.tree_
    soft = hard.soften(X, y, ridge=0.2, random_state=3)
    assert isinstance(soft, tw.SoftTreeClassifier) and hard.tree_ is before
    assert soft.tree_ == hard.tree_.soften(X, y, ridge=0.2, random_state=3)
    assert soft.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert soft.classes_.tolist() == hard.classes_.tolist() and soft.feature_names_in_.tolist() == list(X.columns)
    assert soft.get_params()["ridge"] == 0.2
    soft.save(tmp_path / "m.json")
    again = tw.load(tmp_path / "m.json")
    assert again.tree_ == soft.tree_ and again.predict(X).tolist() == soft.predict(X).tolist()
    assert soft.fit(X, y).tree_ != hard.tree_.soften(X, y, ridge=0.2, random_state=3)


def test_numbers_and_what_is_refused() -> None:
    X, y = circle()
    target = X[:, 0] ** 2 + np.abs(X[:, 1])
    soft = tw.CARTRegressor(max_depth=3).fit(X, target).soften(X, target, columns="all", iterations=0)
    assert isinstance(soft, tw.SoftTreeRegressor) and len(soft.tree_.gates) == 7
    with pytest.raises(ValueError, match="not fitted"):
        tw.CARTClassifier().soften(X, y)
    with pytest.raises(ValueError, match="columns"):
        tw.CARTClassifier(max_depth=2).fit(X, y).soften(X, y, columns="some")
    with pytest.raises(ValueError, match=r"features|columns"):
        tw.CARTClassifier(max_depth=2).fit(X, y).soften(X[:, :1], y)
    with pytest.raises(ValueError, match="computes what it says"):
        tw.M5Regressor().fit(X, target).soften(X, target)
    several = tw.CARTRegressor(max_depth=2).fit(X, np.column_stack([target, target]))
    with pytest.raises(ValueError, match="several numbers"):
        several.soften(X, target)
