"""Splits drawn at random: one tree for both engines, any threads, and draws as the paper has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.learn import settings


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"


def table(rows: int, holes: float) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(rows)
    cells = rng.standard_normal((rows, 6))
    cells[:, 4] = np.round(cells[:, 4] * 2)
    cells[:, 5] = 0.0
    score = cells[:, 0] * cells[:, 1] + cells[:, 4] + 0.5 * rng.standard_normal(rows)
    X = pd.DataFrame(cells, columns=list("abcdef"))
    X["level"] = pd.Categorical.from_codes(rng.integers(0, 9, rows), list("abcdefghi"))
    X["flag"] = pd.Categorical.from_codes(rng.integers(0, 2, rows), ["no", "yes"])
    return X.mask(rng.random(X.shape) < holes), score


OPTIONS: tuple[dict[str, Any], ...] = (
    {"max_features": 3},
    {"max_features": 1, "relation": "<"},
    {"nominal": "one_vs_rest", "missing": "majority", "max_leaf_nodes": 20, "n_jobs": 2},
    {"min_samples_leaf": 3, "threshold_at": "observed", "ties": "seeded", "n_jobs": 2},
)


@pytest.mark.parametrize("rows", [40, 2500, 36_000])
@pytest.mark.parametrize("holes", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_engines_draw_the_same_splits(rows: int, holes: float, weighted: bool) -> None:
    X, score = table(rows, holes)
    weights = np.random.default_rng(1).integers(1, 4, rows).astype(float) if weighted else None
    for chosen in OPTIONS[: 1 if rows > 10_000 else None]:
        for est, y in (
            (tw.TreeClassifier(splitter="random", **chosen), score > 0),
            (tw.TreeClassifier(splitter="random", **chosen), np.digitize(score, [-1, 0, 1])),
            (tw.TreeRegressor(splitter="random", **chosen), score),
        ):
            trees = []
            for settings.ENGINE in ("plain", "sorted"):
                trees.append(est.fit(X, y, sample_weight=weights).tree_)
            assert trees[0] == trees[1]


def numbers(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Numbers that are all there: whole and constant ones, single and double precision, few rows and many; weights or none."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.choice([3, 20, 300, 700])) if seed % 10 else 9000, int(rng.integers(1, 12))
    X = rng.standard_normal((rows, columns))
    X[:, 0] = np.round(X[:, 0] * 2)
    if seed % 3 == 1:
        X[:, -1] = 0.0
    score = X.sum(axis=1) + rng.standard_normal(rows)
    weights = [None, rng.integers(1, 4, rows).astype(float), rng.random(rows) + 0.01, np.ones(rows)][seed % 4]
    return (X.astype(np.float32) if seed % 2 else X), (np.round(score) if seed % 5 == 0 else score), weights


@pytest.mark.parametrize("seed", range(40))
def test_the_engine_of_drawn_cuts_gives_the_same_tree(seed: int) -> None:
    X, score, weights = numbers(seed)
    chosen: dict[str, Any] = {
        "max_features": [None, 1, min(3, X.shape[1]), X.shape[1]][seed % 4],
        "relation": ["<=", "<"][seed % 2],
        "ties": ["first", "seeded"][seed % 7 == 0],
        "min_samples_leaf": [1, 3][seed % 6 == 0],
        "max_depth": [None, 5][seed % 5 == 1],
        "min_impurity_decrease": [0.0, 0.01][seed % 9 == 8],
        "random_state": seed,
    }
    if seed % 5 == 3:
        chosen["threshold_at"] = "observed"
    for est, y in (
        (tw.TreeClassifier(splitter="random", **chosen), score > 0),
        (tw.TreeClassifier(splitter="random", criterion="entropy", **chosen), np.digitize(score, [-1, 0, 1])),
        (tw.TreeRegressor(splitter="random", **chosen), score),
    ):
        trees = []
        for settings.ENGINE in ("drawn", "sorted", *(("plain",) if len(X) < 1000 else ())):
            trees.append(est.fit(X, y, sample_weight=weights).tree_)
        assert all(tree == trees[0] for tree in trees)


def test_thresholds_are_drawn_evenly_between_the_extremes() -> None:
    values = np.array([0.0, 1.0, 4.0, 10.0])
    drawn = [
        tw.TreeRegressor(splitter="random", max_depth=1, random_state=seed).fit(values[:, None], [0.0, 1, 0, 1]).tree_.root.split
        for seed in range(400)
    ]
    cuts = np.sort([split.cuts[0] for split in drawn])
    assert cuts[0] >= 0
    assert cuts[-1] < 10
    assert np.max(np.abs(cuts / 10 - np.linspace(0, 1, 400))) < 0.09  # Kolmogorov's statistic, p = 0.003


def test_sets_of_levels_are_drawn_by_coins() -> None:
    X = pd.DataFrame({"level": pd.Categorical(list("abc") * 20)})
    y = np.arange(60.0)
    branches = [
        tuple(tw.TreeRegressor(splitter="random", max_depth=1, random_state=seed).fit(X, y).tree_.root.split.levels.values())
        for seed in range(200)
    ]
    assert set(branches) == {(0, 1, 1), (0, 0, 1), (0, 1, 0)}  # the first branch holds the lowest level


def test_fully_grown_trees_tell_all_rows_apart() -> None:
    X, score = table(500, 0.0)
    tree = tw.TreeRegressor(splitter="random", max_features=1).fit(X, score)
    assert np.array_equal(tree.predict(X), score)
    assert tree.tree_ != tw.TreeRegressor(splitter="random", max_features=1, random_state=1).fit(X, score).tree_


def test_huge_and_tiny_cells_have_a_threshold_between_them() -> None:
    for cells in ([-1.7e308, 1.7e308], [0.0, 5e-324], [1.0, np.nextafter(1.0, 2.0)]):
        for relation in ("<=", "<"):
            for seed in range(5):
                est = tw.TreeClassifier(splitter="random", relation=relation, random_state=seed)
                assert est.fit(np.array(cells)[:, None], [0, 1]).predict(np.array(cells)[:, None]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("est", "y", "named"),
    [
        (tw.TreeClassifier(splitter="worst"), [0, 1, 0, 1], "splitter"),
        (tw.TreeClassifier(splitter="random", numeric="ternary"), [0, 1, 0, 1], "numeric='ternary'"),
        (tw.TreeClassifier(splitter="random", nominal="grouped", missing="fraction"), [0, 1, 0, 1], "nominal='grouped'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(est: Any, y: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        est.fit([[0.0], [1.0], [2.0], [3.0]], y)


@pytest.mark.parametrize("criterion", ["absolute_error", "worst_case"])
@pytest.mark.parametrize("kind", ["number", "level"])
@pytest.mark.parametrize("missing", [False, True])
def test_criteria_of_whole_sets_draw_the_same_split(criterion: str, kind: str, missing: bool) -> None:
    """The one split of a column is drawn alike, whatever judges it; its gain is that of the definition."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.random(60) if kind == "number" else rng.choice(list("abcdef"), 60)
        X = pd.DataFrame({"x": x})
        if missing:
            X.loc[rng.random(60) < 0.2, "x"] = np.nan if kind == "number" else None
        y = rng.integers(0, 40, 60).astype(float)
        how = {"splitter": "random", "random_state": seed, "max_depth": 1, "missing": "majority"}
        one = tw.TreeRegressor(criterion="variance", **how).fit(X, y).tree_
        other = tw.TreeRegressor(criterion=criterion, **how).fit(X, y).tree_
        assert one.n_leaves == other.n_leaves == 2
        ends, same = one.apply(X), other.apply(X)
        present = X["x"].notna().to_numpy()
        assert len({*zip(ends[present].tolist(), same[present].tolist(), strict=True)}) == 2
        if kind == "number":
            assert one.root.split.cuts == other.root.split.cuts
        if criterion == "absolute_error":
            off = sum(np.abs(y[same == leaf] - np.median(y[same == leaf])).sum() for leaf in set(same.tolist()))
            assert np.abs(other.predict(X) - y).sum() == pytest.approx(off)


def test_several_numbers_draw_the_same_split_as_one() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"x": rng.random(50)})
        Y = rng.random((50, 3))
        how = {"splitter": "random", "random_state": seed, "max_depth": 1}
        one = tw.TreeRegressor(**how).fit(X, Y[:, 0]).tree_
        assert tw.TreeRegressor(**how).fit(X, Y).tree_.root.split.cuts == one.root.split.cuts
