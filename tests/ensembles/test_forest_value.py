"""A forest as a value: how answers are combined, in one pass and member by member, parts of it, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.ensembles.tables import mixed
from treewright.model import forest_targets
from treewright.model.combine import COMBINATIONS, Confidence, Mean, Median, Product, Vote
from treewright.model.forest import Forest
from treewright.table import read_cells


def grown(classes: bool, missing: str | None = None, n: int = 5) -> tuple[Any, Any, list[Any]]:
    """A forest over a mixed table, and its members as estimators."""
    X, labels, numbers = mixed(160, missing=0.25)
    member = tw.TreeClassifier(missing=missing, max_depth=4) if classes else tw.TreeRegressor(missing=missing, max_depth=4)
    kind = tw.BaggingClassifier if classes else tw.BaggingRegressor
    bagged = kind(member, n).fit(X, labels if classes else numbers)
    return bagged.forest_, X, bagged.estimators_


@pytest.mark.parametrize("missing", ["learned", "fraction"])
@pytest.mark.parametrize("kind", ["mean", "vote", "confidence", "product"])
def test_shares_of_classes_are_combined_as_defined(kind: str, missing: str) -> None:
    forest, X, members = grown(True, missing)
    weights = (0.5, 2.0, 1.0, 1.0, 3.0)
    model = replace(forest, weights=weights, combine=COMBINATIONS[kind]())
    shares = [member.predict_proba(X)[:, np.argsort(np.argsort(forest.target.classes))] for member in members]
    votes = [np.array(forest.target.classes) == member.predict(X)[:, None] for member in members]
    if kind == "mean":
        expected = sum(w * s for w, s in zip(weights, shares, strict=True)) / sum(weights)
    elif kind == "vote":
        expected = sum(w * v for w, v in zip(weights, votes, strict=True)) / sum(weights)
    elif kind == "confidence":
        expected = sum(w * v * s for w, v, s in zip(weights, votes, shares, strict=True))
        expected = expected / expected.sum(axis=1, keepdims=True)
    else:
        product = np.prod([s**w for w, s in zip(weights, shares, strict=True)], axis=0)
        mean = sum(w * s for w, s in zip(weights, shares, strict=True))
        expected = np.where(product.sum(axis=1, keepdims=True) > 0, product, mean)
        expected = expected / expected.sum(axis=1, keepdims=True)
    assert model.predict_proba(X) == pytest.approx(expected, abs=1e-12)
    assert list(model.stages(X))[-1].tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("missing", ["learned", "fraction"])
def test_one_pass_says_what_members_say_one_by_one(missing: str) -> None:
    for classes in (True, False):
        forest, X, _ = grown(classes, missing)
        for combine in (Mean(), Vote()) if classes else (Mean(),):
            model = replace(forest, combine=combine)
            slow = combine.combined(model.members, np.array(model.weights), read_cells(X, model.schema), 1)
            told = model.predict_proba(X) if classes else model.predict(X)[:, None]
            assert np.array_equal(told, slow)
            assert np.array_equal(told, model.predict_proba(X, 3) if classes else model.predict(X, 3)[:, None])


def test_the_median_is_the_least_answer_that_half_of_the_weight_reaches() -> None:
    forest, X, members = grown(False)
    weights = (1.0, 1.0, 2.0, 3.0, 1.0)
    model = replace(forest, weights=weights, combine=Median())
    told = np.array([member.predict(X) for member in members])
    for row, said in zip(told.T, model.predict(X), strict=True):
        reached = [value for value in row if sum(w for w, v in zip(weights, row, strict=True) if v <= value) >= 4.0]
        assert said == min(reached)


def test_equal_votes_go_to_the_class_declared_first() -> None:
    forest, X, _ = grown(True, n=2)
    model = replace(forest, combine=Vote())
    votes = model.votes(X)
    for row, said in zip(votes, model.predict(X), strict=True):
        assert said == min(row, key=forest.target.classes.index)


def test_parts_and_members() -> None:
    forest, X, members = grown(True)
    part = forest.part([3, 0])
    assert len(part) == 2 and part[0] == forest[3] and [*part] == [forest[3], forest[0]]
    assert forest.votes(X)[:, 2].tolist() == members[2].predict(X).tolist()
    assert forest.apply(X).shape == (len(X), 5) and forest.apply(X)[:, 1].tolist() == members[1].apply(X).tolist()
    assert forest == forest.part(range(5)) and forest != part
    with pytest.raises(IndexError):
        forest.part([9])


def test_what_does_not_fit_is_refused() -> None:
    forest, X, _ = grown(True)
    numbers, _, _ = grown(False)
    for change, said in (
        ({"weights": (1.0,)}, "a weight for each"),
        ({"members": (), "weights": ()}, "has members"),
        ({"weights": (1.0, 1.0, 0.0, 1.0, 1.0)}, "finite numbers above 0"),
        ({"combine": Median()}, "combine classes by votes"),
        ({"members": (*forest.members[:4], numbers.members[0])}, "the same target"),
    ):
        with pytest.raises(ValueError, match=said):
            replace(forest, **change)
    for combine in (Vote(), Confidence(), Product()):
        with pytest.raises(ValueError, match="target is numeric"):
            replace(numbers, combine=combine)
    with pytest.raises(ValueError, match="predict_proba needs classes"):
        numbers.predict_proba(X)
    with pytest.raises(ValueError, match="no list of rules"):
        forest.to_rules()
    assert isinstance(forest, Forest)


def test_quantiles_are_told_a_few_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _, y = mixed(120)
    targets = tw.RandomForestRegressor(5, keep_targets=True, max_depth=3, random_state=0).fit(X, y)
    whole = targets.predict_interval(X)
    seen: list[int] = []
    block = forest_targets.ForestTargets._block

    def counted(self: Any, leaves: Any, shares: Any) -> Any:
        seen.append(len(leaves))
        return block(self, leaves, shares)

    monkeypatch.setattr(forest_targets, "_AT_ONCE", 200)
    monkeypatch.setattr(forest_targets.ForestTargets, "_block", counted)
    assert np.array_equal(targets.predict_interval(X), whole)
    assert max(seen) < 60 and sum(seen) in (120, 240)
