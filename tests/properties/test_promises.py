"""What criteria promise the engines (``search/criterion.hpp``), as the registry lists it, on any rows.

``concave``: no division of a set is worth less than the set. ``rank_is_score``: at one node, columns compare by their scores as
they do by their merits.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import treewright as tw
from treewright import _core

from .tables import modest

CRITERIA = {part["name"]: part for part in _core.criteria()}
TOLERANCE = 1e-9


@st.composite
def sets(draw: st.DrawFn, most: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A column that divides rows into sets, each with so many rows of every target."""
    counts = st.lists(st.sampled_from([0, 1, 3, 9]), min_size=4, max_size=4)
    drawn = np.array(draw(st.lists(counts, min_size=2, max_size=most)))
    assume(drawn[:, 1:].any())  # Poisson's deviance needs an event
    which, target = np.nonzero(drawn)
    each = drawn[which, target]
    return pd.DataFrame({"c0": np.array(list("uvwx"))[which.repeat(each)]}), target.repeat(each)


@st.composite
def rows(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray]:
    """Two nominal columns of up to four levels, one of numbers, and small whole targets."""
    n = draw(st.integers(4, 30))
    cells = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    one, two, three, y = (np.array(draw(cells)) for _ in range(4))
    assume(y.any())
    levels = np.array(list("uvwx"))
    return pd.DataFrame({"c0": levels[one], "c1": levels[two], "c2": three.astype(float)}), y


@st.composite
def costs(draw: st.DrawFn, criterion: str, y: np.ndarray) -> dict[str, Any]:
    """Losses or priors, for criteria that know them."""
    k = len(np.unique(y))
    if not CRITERIA[criterion]["priors"] or k < 2:
        return {}
    dear = st.sampled_from([1, 1, 1, 20])
    loss = np.array(draw(st.lists(dear, min_size=k * k, max_size=k * k))).reshape(k, k) * (1 - np.eye(k))
    priors = np.array(draw(st.lists(st.integers(1, 5), min_size=k, max_size=k)), float)
    drawn: dict[str, Any] = draw(st.sampled_from([{}, {"loss": loss}, {"priors": priors / priors.sum()}]))
    return drawn


def root_of(criterion: str, X: pd.DataFrame, y: np.ndarray, **options: Any) -> tw.Node:
    learner = tw.TreeClassifier if CRITERIA[criterion]["classes"] else tw.TreeRegressor
    return learner(criterion=criterion, max_depth=1, **options).fit(X, y).tree_.root


def loses_worth(criterion: str, X: pd.DataFrame, y: np.ndarray, **options: Any) -> bool:
    """Whether the branches of a split are together less pure than the rows they divide."""
    nominal = "subset" if CRITERIA[criterion]["two_branches"] else "multiway"
    root = root_of(criterion, X, y, nominal=nominal, **options)
    below = sum(child.weight * child.impurity for child in root.children)
    return bool(root.children) and below > root.weight * root.impurity + TOLERANCE * len(y)


def twoing(candidate: tw.Candidate, X: pd.DataFrame, y: np.ndarray) -> float:
    """What twoing places cuts by."""
    cells = X[candidate.column]
    left = (cells <= candidate.cut if candidate.cut is not None else cells.map(candidate.levels).astype(int) == 0).to_numpy()
    gaps = [abs(np.mean(y[left] == label) - np.mean(y[~left] == label)) for label in np.unique(y)]
    return float(left.mean() * (1 - left.mean()) / 4 * sum(gaps) ** 2)


# What a criterion scores a division by, where that is not the fall of its impurity.
SCORES: dict[str, Callable[[tw.Candidate, pd.DataFrame, np.ndarray], float]] = {"twoing": twoing}


def ranks_otherwise(criterion: str, X: pd.DataFrame, y: np.ndarray, **options: Any) -> bool:
    """Whether two columns stand in one order by their scores and in the other by their merits."""
    root = root_of(criterion, X, y, keep_candidates=True, **options)
    score = SCORES.get(criterion, lambda candidate, X, y: candidate.gain)
    found = [(score(candidate, X, y), candidate.merit) for candidate in root.candidates]
    return any(a[0] > b[0] + TOLERANCE and a[1] < b[1] - TOLERANCE for a, b in permutations(found, 2))


@pytest.mark.parametrize("criterion", [name for name, part in CRITERIA.items() if part["concave"]])
def test_no_division_is_worth_less_than_the_set(criterion: str) -> None:
    @modest(150)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        X, y = data.draw(sets(2 if CRITERIA[criterion]["two_branches"] else 4))
        assert not loses_worth(criterion, X, y, **data.draw(costs(criterion, y)))

    holds()


@pytest.mark.parametrize("criterion", [name for name, part in CRITERIA.items() if part["rank_is_score"]])
def test_columns_compare_by_scores_as_by_merits(criterion: str) -> None:
    @modest(150)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        X, y = data.draw(rows())
        nominal = data.draw(st.sampled_from(["subset"] if CRITERIA[criterion]["two_branches"] else ["subset", "multiway"]))
        changed = {} if criterion in SCORES else data.draw(costs(criterion, y))
        assert not ranks_otherwise(criterion, X, y, nominal=nominal, **changed)

    holds()


def test_a_lie_about_worth_would_be_seen() -> None:
    """Where two classes are dear to confuse and a third lies between them, the Gini index under losses is not concave."""
    y = np.array([0, 0, 0, 2, 2, 2, 0, 1, 1, 1, 1, 2])
    X = pd.DataFrame({"c0": list("u" * 6 + "v" * 6)})
    loss = [[0, 1, 9], [1, 0, 1], [9, 1, 0]]
    assert not CRITERIA["generalised_gini"]["concave"] and loses_worth("generalised_gini", X, y, loss=loss)
    assert not loses_worth("gini", X, y)


def test_a_lie_about_ranks_would_be_seen() -> None:
    """The gain ratio prefers few branches to a larger gain."""
    y = np.array([0, 1, 2, 3] * 3)
    X = pd.DataFrame({"c0": list("uvwx" * 2 + "uuuu"), "c1": (y == 0).astype(float)})
    assert not CRITERIA["gain_ratio"]["rank_is_score"] and ranks_otherwise("gain_ratio", X, y, nominal="multiway")
    assert not ranks_otherwise("info_gain", X, y, nominal="multiway")


def test_the_promises_are_made() -> None:
    """Nothing would be checked if none were."""
    assert sum(part["concave"] for part in CRITERIA.values()) >= 5
    assert sum(part["rank_is_score"] for part in CRITERIA.values()) >= 5
