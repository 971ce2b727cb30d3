"""Answers that keep an order, and columns that may not meet: for all rows, in every engine, after any pruning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import modest
from treewright.learn import settings

pytestmark = pytest.mark.filterwarnings("ignore::treewright.errors.TreewrightWarning")  # of tables that are too small


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"


def make(seed: int, rows: int, holes: bool, nominal: bool = True) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Columns of many and of few values, of two values, of mostly one value and of levels; a target that half follows them."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {
        "many": np.round(rng.normal(size=rows), int(rng.integers(1, 9))),
        "few": rng.integers(0, int(rng.choice([3, 9, 40])), rows).astype(float),
        "two": rng.integers(0, 2, rows).astype(float),
        "sparse": np.where(rng.random(rows) < 0.9, 0.0, rng.normal(size=rows)),
    }
    if nominal:
        columns["level"] = pd.Categorical.from_codes(rng.integers(0, 5, rows), list("vwxyz"))
    X = pd.DataFrame(columns)
    signal = np.sin(2 * X["many"]) + X["few"] / (X["few"].max() + 1) - X["two"] * rng.choice([-1, 1]) + X["sparse"]
    numbers = (signal + 0.5 * rng.normal(size=rows)).to_numpy()
    if holes:
        for name in X.columns:
            X.loc[rng.random(rows) < 0.15, name] = np.nan
    return X, numbers, (numbers > np.median(numbers)).astype(int)


def shifted(X: pd.DataFrame, rng: np.random.Generator, name: str) -> list[pd.DataFrame]:
    """The same rows with one column higher and higher."""
    grid = np.unique(X[name].dropna())
    grid = np.sort(rng.choice(grid, min(12, len(grid)), replace=False))
    return [X.assign(**{name: value}) for value in [grid[0] - 1, *grid, grid[-1] + 1]]


def assert_in_order(answer: Any, X: pd.DataFrame, directions: dict[str, int], rng: np.random.Generator) -> None:
    for name, sign in directions.items():
        answers = np.array([answer(rows) for rows in shifted(X, rng, name)])
        scale = max(1e-300, float(np.abs(answers).max()))
        assert (sign * np.diff(answers, axis=0) >= -1e-12 * scale).all(), (name, sign)


def estimators(rng: np.random.Generator, **common: Any) -> tuple[Any, Any]:
    limits = {"max_depth": [None, 4][rng.integers(0, 2)], "max_leaf_nodes": [None, 9][rng.integers(0, 2)]}
    more = {"min_samples_leaf": int(rng.choice([1, 3])), "splitter": rng.choice(["best", "best", "random"]), "random_state": 3}
    if rng.random() < 0.2 and more["splitter"] == "best":
        more["max_bins"] = 16
    classes = tw.TreeClassifier(
        criterion=rng.choice(["gini", "entropy", "error", "twoing", "gain_ratio"]),
        nominal=rng.choice(["subset", "one_vs_rest", "multiway"]),
        **limits,
        **more,
        **common,
    )
    if classes.criterion == "twoing" and (classes.nominal == "multiway" or classes.missing == "own"):
        classes.nominal, classes.missing = "subset", "learned"
    if classes.criterion in ("gini", "entropy") and rng.random() < 0.3:
        classes.class_weight = {0: 1.0, 1: 3.0}
    numbers = tw.TreeRegressor(criterion=rng.choice(["variance", "variance", "absolute_error"]), **limits, **more, **common)
    if numbers.criterion == "absolute_error" and numbers.missing == "own":
        numbers.missing = "learned"
    return classes, numbers


@modest(60)
@given(st.integers(0, 10**6), st.integers(5, 150), st.booleans())
def test_answers_keep_their_order(seed: int, rows: int, holes: bool) -> None:
    rng = np.random.default_rng(seed)
    X, numbers, classes = make(seed, rows, holes)
    directions = {"many": int(rng.choice([-1, 1])), "few": int(rng.choice([-1, 1])), "two": int(rng.choice([-1, 0, 1]))}
    missing = str(rng.choice(["learned", "own", "ignore", "most_common"]))
    weights = [None, rng.integers(1, 4, rows).astype(float), rng.random(rows) + 0.01][rng.integers(0, 3)]
    by_class, by_number = estimators(rng, missing=missing, monotonic_cst=directions)
    by_class.fit(X, classes, sample_weight=weights)
    by_number.fit(X, numbers, sample_weight=weights)
    other, _, _ = make(seed + 1, 30, holes)  # rows that training never saw
    kept = {name: sign for name, sign in directions.items() if sign}
    assert_in_order(lambda rows: by_class.predict_proba(rows)[:, -1], other, kept, rng)
    assert_in_order(by_number.predict, other, kept, rng)


@pytest.mark.parametrize("seed", range(60))
def test_every_engine_refuses_the_same_splits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([2, 3, 9, 40, 200, 1200, 5000]))
    X, numbers, classes = make(seed, rows, bool(rng.integers(0, 2)))
    weights = [None, None, rng.integers(1, 4, rows).astype(float), rng.random(rows) + 0.01][rng.integers(0, 4)]
    by_class, by_number = estimators(
        rng,
        missing="learned",
        monotonic_cst={"many": int(rng.choice([-1, 1])), "few": 1, "two": int(rng.choice([0, 1]))},
        interaction_cst=[None, None, "pairwise", [{"many", "few"}, {"few", "level", "two"}]][rng.integers(0, 4)],
        max_features=[None, None, 2][rng.integers(0, 3)],
        n_jobs=int(rng.choice([1, 2])),
    )
    if by_class.nominal == "multiway" or by_class.criterion == "gain_ratio":
        by_class.nominal, by_class.criterion = "subset", "gini"
    for est, y in ((by_class, classes), (by_number, numbers)):
        states = []
        for settings.ENGINE in ("plain", "automatic"):
            states.append(est.fit(X, y, sample_weight=weights).tree_.state())
        for name, column in states[0].items():
            assert np.array_equal(column, states[1][name], equal_nan=True), (est, name)


def test_the_sorted_engine_grows_trees_that_keep_an_order() -> None:
    """It is asked for by name: the twins above would be the same engine twice, were it not to apply."""
    X, numbers, classes = make(1, 400, True)
    settings.ENGINE = "sorted"
    for splitter in ("best", "random"):
        common: dict[str, Any] = {"splitter": splitter, "monotonic_cst": {"few": 1}, "interaction_cst": "pairwise"}
        tw.CARTClassifier(**common).fit(X, classes)
        tw.CARTRegressor(**common).fit(X, numbers)
        tw.CARTRegressor(criterion="poisson", **common).fit(X.drop(columns="level").fillna(0), numbers - numbers.min())


def test_without_an_order_the_tree_is_the_usual_one() -> None:
    X, numbers, classes = make(2, 500, True)
    for est, y in ((tw.CARTClassifier(), classes), (tw.CARTRegressor(), numbers)):
        usual = est.fit(X, y).tree_
        free = est.set_params(monotonic_cst=[0] * 5, interaction_cst=[list(X.columns)]).fit(X, y).tree_
        assert usual == free


@pytest.mark.parametrize("seed", range(8))
def test_pruned_trees_keep_the_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, numbers, classes = make(seed, 300, bool(seed % 2))
    directions = {"many": 1, "few": -1}
    other, _, _ = make(seed + 100, 40, False)
    for est, y in ((tw.CARTClassifier(monotonic_cst=directions), classes), (tw.CARTRegressor(monotonic_cst=directions), numbers)):
        fitted = est.fit(X, y)
        answer = "predict_proba" if y is classes else "predict"
        for pruned in [fitted.prune("cost_complexity", X, y, folds=3), fitted.prune("cost_complexity", leaves=4)]:
            last = (lambda rows, p=pruned: p.predict_proba(rows)[:, 1]) if answer == "predict_proba" else pruned.predict
            assert_in_order(last, other, directions, rng)


@pytest.mark.parametrize("forest", ["RandomForest", "ExtraTrees"])
@pytest.mark.parametrize("target", ["Classifier", "Regressor"])
def test_forests_keep_the_order(forest: str, target: str) -> None:
    rng = np.random.default_rng(5)
    X, numbers, classes = make(5, 300, False, nominal=False)
    est = getattr(tw, forest + target)(10, monotonic_cst={"many": 1, "few": -1}, random_state=0, max_features=2)
    est.fit(X, classes if target == "Classifier" else numbers)
    answer = (lambda rows: est.predict_proba(rows)[:, 1]) if target == "Classifier" else est.predict
    assert_in_order(answer, X.iloc[:40], {"many": 1, "few": -1}, rng)


def ways(tree: tw.Tree) -> set[frozenset[str]]:
    """The columns that are asked for on the way to every leaf."""
    entries, out, open_ = tree.node_entries, set(), [(0, frozenset())]
    while open_:
        node, way = open_.pop()
        if not entries.n_children[node]:
            out.add(way)
            continue
        way |= {tree.columns[entries.column[node]].name}
        open_ += [(entries.first_child[node] + b, way) for b in range(entries.n_children[node])]
    return out


@modest(40)
@given(st.integers(0, 10**6), st.integers(5, 200), st.booleans())
def test_columns_meet_within_their_sets(seed: int, rows: int, holes: bool) -> None:
    rng = np.random.default_rng(seed)
    X, numbers, classes = make(seed, rows, holes)
    names = list(X.columns)
    sets = [set(rng.choice(names, int(rng.integers(1, 4)), replace=False).tolist()) for _ in range(int(rng.integers(1, 4)))]
    rest = set(names) - set.union(*sets)
    for together, allowed in (
        (sets, [*sets, rest]),
        ([[names.index(name) for name in each] for each in sets], [*sets, rest]),
        ("pairwise", [{a, b} for a in names for b in names]),
        ("no_interactions", [{a} for a in names]),
    ):
        for est, y in zip(
            estimators(rng, interaction_cst=together, max_features=int(rng.integers(1, 6))), (classes, numbers), strict=True
        ):
            for way in ways(est.fit(X, y).tree_):
                assert any(way <= each for each in allowed), (together, way)
