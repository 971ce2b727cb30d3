"""Criteria of numeric targets against naive enumeration of every split at every node, errors from their definitions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

CRITERIA = ("absolute_error", "worst_case", "poisson")
MEAN = 1e-6  # how much the mean error of both sides counts against the worst one
Rows = list[int]


class Naive:
    """A table, and what a set of its rows is worth."""

    def __init__(self, criterion: str, table: pd.DataFrame, y: Any, weight: Any, missing: str, least: float) -> None:
        self.criterion, self.table, self.y, self.weight, self.missing, self.least = criterion, table, y, weight, missing, least

    def total(self, rows: Rows) -> float:
        return math.fsum(self.weight[i] for i in rows)

    def centre(self, rows: Rows) -> float:
        if self.criterion == "worst_case":
            return (min(self.y[i] for i in rows) + max(self.y[i] for i in rows)) / 2
        if self.criterion == "poisson":
            return math.fsum(self.weight[i] * self.y[i] for i in rows) / self.total(rows)
        order = sorted(rows, key=lambda i: self.y[i])
        below = 0.0
        for place, i in enumerate(order):
            below += self.weight[i]
            if 2 * below == self.total(rows):
                return float(self.y[i] + self.y[order[place + 1]]) / 2
            if 2 * below > self.total(rows):
                return float(self.y[i])
        raise AssertionError

    def error(self, rows: Rows) -> float:
        """Of one set of rows: mean, or of the worst row."""
        if not rows:
            return 0.0
        said = self.centre(rows)
        if self.criterion == "worst_case":
            return max(abs(self.y[i] - said) for i in rows)
        if self.criterion == "absolute_error":
            return math.fsum(self.weight[i] * abs(self.y[i] - said) for i in rows) / self.total(rows)
        terms = (self.weight[i] * self.y[i] * math.log(self.y[i] / said) for i in rows if self.y[i] > 0)
        return math.fsum(terms) / self.total(rows)

    def divided(self, sides: list[Rows]) -> float:
        weights = [self.total(side) for side in sides]
        mean = math.fsum(w * self.error(side) for w, side in zip(weights, sides, strict=True)) / sum(weights)
        if self.criterion != "worst_case":
            return mean
        return max(map(self.error, sides)) + MEAN * mean

    def divisions(self, rows: Rows) -> Iterator[tuple[str, list[Rows]]]:
        """Every division in two that a tree may make, as the error sees it."""
        for name in self.table.columns:
            cells = self.table[name]
            known = [i for i in rows if not pd.isna(cells.iloc[i])]
            gone = [i for i in rows if pd.isna(cells.iloc[i])]
            groups: dict[Any, Rows] = {}
            for i in known:
                groups.setdefault(cells.iloc[i], []).append(i)
            numeric = pd.api.types.is_numeric_dtype(cells)
            if self.missing == "most_common" and known:
                groups[self.typical(groups, numeric)] += gone
            order = sorted(groups) if numeric else sorted(groups, key=lambda level: (self.centre(groups[level]), level))
            for cut in range(1, len(order)):
                left = [i for value in order[:cut] for i in groups[value]]
                right = [i for value in order[cut:] for i in groups[value]]
                if self.missing == "learned" and gone:
                    yield name, [left + gone, right]
                    yield name, [left, right + gone]
                else:
                    yield name, [left, right]
            if self.missing == "learned" and gone and known:
                yield name, [known, gone]

    def typical(self, groups: dict[Any, Rows], numeric: bool) -> Any:
        """What missing cells are filled with: the median, or the level of most weight, the first of equals."""
        if not numeric:
            return max(sorted(groups), key=lambda level: self.total(groups[level]))
        below, half = 0.0, sum(map(self.total, groups.values())) / 2
        for value in sorted(groups):
            below += self.total(groups[value])
            if below >= half:
                return value
        raise AssertionError

    def share(self, seen: Rows, rows: Rows) -> float:
        return self.total(seen) / self.total(rows) if self.missing == "majority" else 1.0

    def best(self, rows: Rows) -> float | None:
        """The highest fall of the error."""
        falls = []
        for _, sides in self.divisions(rows):
            if min(map(self.total, sides)) < self.least:
                continue
            if self.criterion == "poisson" and any(all(self.y[i] == 0 for i in side) for side in sides):
                continue
            seen = [i for side in sides for i in side]
            before = self.error(seen) * (1 + MEAN if self.criterion == "worst_case" else 1)
            falls.append((before - self.divided(sides)) * self.share(seen, rows))
        return max(falls) if falls else None


def a_case(criterion: str, seed: int) -> tuple[Naive, dict[str, Any]]:
    draw = Random(f"{criterion}-{seed}")
    n = draw.randint(6, 28)
    missing = draw.choice(["learned", "majority", "refuse", "ignore", "most_common"])
    holes = missing != "refuse"

    def cell(value: Any) -> Any:
        return None if holes and draw.random() < 0.15 else value

    table = pd.DataFrame(
        {
            "a": pd.array([cell(float(draw.randint(0, 5))) for _ in range(n)], "Float64"),
            "b": pd.array([cell(draw.gauss(0, 1)) for _ in range(n)], "Float64"),
            "c": pd.Categorical([cell(draw.choice("uvw")) for _ in range(n)], ["u", "v", "w"]),
        }
    )
    y = np.array([float(draw.randint(0, 6)) for _ in range(n)])
    if draw.random() < 0.5:  # many rows without an event
        y = np.maximum(y - 4, 0.0)
    y[0] += 1
    weight = np.array([float(draw.choice([1, 1, 2, 3])) for _ in range(n)])
    least = draw.choice([1, 1, 3])
    return Naive(criterion, table, y, weight, missing, least), {"missing": missing, "min_samples_leaf": least}


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(60))
def test_every_node_against_all_divisions(criterion: str, seed: int) -> None:
    naive, options = a_case(criterion, seed)
    est = tw.CARTRegressor(criterion=criterion, **options).fit(naive.table, naive.y, sample_weight=naive.weight)
    path = est.decision_path(naive.table).tocsc()
    scale = max(naive.error(list(range(len(naive.y)))), 1e-3)
    taking_part = {0: list(range(len(naive.y)))}
    for node in est.tree_.nodes():
        rows = taking_part.pop(node.id)
        assert node.weight == pytest.approx(naive.total(rows))
        assert node.prediction == pytest.approx(naive.centre(rows), abs=1e-9)
        assert node.impurity == pytest.approx(naive.error(rows), abs=1e-9 * scale)
        best = naive.best(rows)
        if node.is_leaf:
            assert best is None or naive.error(rows) == 0
            continue
        assert best is not None
        # What a node's division brings, and that no other brings more.
        column = naive.table[node.split.column]
        known = [i for i in rows if not pd.isna(column.iloc[i])]
        below = [[i for i in rows if path[i, child.id]] for child in node.children]
        seen = rows
        if naive.missing in ("majority", "ignore"):
            seen = known
        sides = [[i for i in side if i in seen] for side in below]
        for child, everyone, side in zip(node.children, below, sides, strict=True):
            taking_part[child.id] = side if naive.missing == "ignore" else everyone
        before = naive.error(seen) * (1 + MEAN if criterion == "worst_case" else 1)
        fall = (before - naive.divided(sides)) * naive.share(seen, rows)
        assert fall == pytest.approx(best, abs=1e-8 * scale)
        if criterion == "worst_case":
            assert node.gain == pytest.approx(fall, abs=3e-6 * scale)
        else:
            assert node.gain == pytest.approx(max(0.0, fall), abs=1e-8 * scale)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weight_two_is_the_row_twice(criterion: str) -> None:
    rng = np.random.default_rng(3)
    X, y, weight = rng.normal(size=(60, 3)), rng.integers(0, 9, 60).astype(float), rng.integers(0, 4, 60)
    again = np.repeat(np.arange(60), weight)
    options: dict[str, Any] = {"criterion": criterion, "max_depth": 4}
    a = tw.CARTRegressor(**options).fit(X, y, sample_weight=weight)
    b = tw.CARTRegressor(**options).fit(X[again], y[again])
    assert np.array_equal(a.predict(X), b.predict(X))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_any_number_of_threads_grows_the_same_tree(criterion: str) -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(3000, 3)), rng.poisson(3, 3000).astype(float)
    one, two = (tw.CARTRegressor(criterion=criterion, max_depth=6, n_jobs=jobs).fit(X, y).tree_ for jobs in (1, 2))
    assert one == two


def test_medians_as_scikit_learn_has_them() -> None:
    from sklearn.tree import DecisionTreeRegressor

    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(400, 4)), rng.normal(size=400)
    for criterion, target in (("absolute_error", y), ("poisson", np.exp(y))):
        ours = tw.CARTRegressor(criterion=criterion, max_depth=5).fit(X, target)
        theirs = DecisionTreeRegressor(criterion=criterion, max_depth=5, random_state=0).fit(X, target)
        assert ours.tree_.root.impurity == pytest.approx(theirs.tree_.impurity[0])
        assert ours.predict(X) == pytest.approx(theirs.predict(X))
