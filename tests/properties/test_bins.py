"""Numbers in bins: the bins are those of the definition, every engine grows the same tree of them, and thresholds are real."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core
from treewright.learn import settings

from .tables import make_case, same_state
from .test_engines import targets


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"


def table_of(*columns: Any, weights: Any = None) -> Any:
    table = _core.TableInput(len(columns[0]))
    for j, column in enumerate(columns):
        table.add_numeric(np.asarray(column), [f"c{j}"])
    table.set_classes(np.zeros(len(columns[0]), np.int64), 1)
    if weights is not None:
        table.set_weights(np.asarray(weights, float))
    return table


def bins_of(column: Any, most: int, weights: Any = None, threads: int = 1) -> list[tuple[float, float]]:
    low, high = _core.bins(table_of(column, weights=weights), most, threads)[0]
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True) if not np.isnan(a)]


def defined_bins(column: Any, most: int, weights: Any = None) -> list[tuple[float, float]]:
    """The bins as docs/parts.md defines them."""
    cells = np.asarray(column, float) + 0.0
    weight = np.ones(len(cells)) if weights is None else np.asarray(weights, float)
    there = ~np.isnan(cells)
    values = np.unique(cells[there])
    held = [Fraction(float(weight[there][cells[there] == value].sum())) for value in values]
    if len(values) <= most:
        return [(float(value), float(value)) for value in values]
    total = sum(held)
    heavy = {float(v) for v, w in zip(values, held, strict=True) if w * most >= 2 * total}
    rest = sum(w for v, w in zip(values, held, strict=True) if float(v) not in heavy)
    parts = most - 2 * len(heavy)
    bins: list[tuple[float, float]] = []
    open_since: float | None = None
    last, below = np.nan, Fraction(0)

    def close() -> None:
        nonlocal open_since
        if open_since is not None:
            bins.append((open_since, last))
        open_since = None

    for value, own in zip(map(float, values), held, strict=True):
        if value in heavy:
            close()
            bins.append((value, value))
            continue
        open_since = value if open_since is None else open_since
        last = value
        before, below = below, below + own
        if rest and min(parts * below // rest, parts - 1) > parts * before // rest:
            close()
    close()
    return bins


def columns(rng: np.random.Generator, n: int) -> Iterator[np.ndarray]:
    yield rng.standard_normal(n)
    yield rng.standard_normal(n).astype(np.float32)
    yield rng.integers(-50, 50, n)
    yield rng.integers(0, 5, n).astype(np.uint8)
    yield np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n))
    yield np.where(rng.random(n) < 0.5, -0.0, np.where(rng.random(n) < 0.5, 3.0, rng.standard_normal(n)))
    yield 1.0 + rng.integers(0, 400, n) * 2.0**-52
    yield rng.standard_normal(n) * 10.0 ** rng.integers(-300, 300, n)
    yield np.where(rng.random(n) < 0.3, np.nan, rng.standard_normal(n))
    yield np.full(n, np.nan)
    yield np.full(n, 7.0)
    yield rng.integers(-(2**60), 2**60, n)


@pytest.mark.parametrize("most", [2, 3, 7, 64, 255, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_bins_are_those_of_the_definition(most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 3000))
    for column in columns(rng, n):
        weights = [None, rng.integers(1, 5, n), rng.integers(1, 9, n) / 8][seed]
        found = bins_of(column, most, weights)
        assert found == defined_bins(column, most, weights)
        assert len(found) <= most


def test_bins_do_not_depend_on_order_threads_or_copies() -> None:
    rng = np.random.default_rng(0)
    column = np.round(rng.standard_normal(40_000), 3)
    expected = bins_of(column, 255)
    assert len(expected) == 255
    assert bins_of(rng.permutation(column), 255) == expected
    assert bins_of(column, 255, threads=3) == expected
    copies = rng.integers(1, 4, len(column))
    assert bins_of(np.repeat(column, copies), 100) == bins_of(column, 100, weights=copies)


def table(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    """Numbers of many and few values, levels and missing cells."""
    made: dict[str, Any] = {}
    for j in range(int(rng.integers(1, 7))):
        kind = int(rng.integers(0, 5))
        if kind == 0:
            cells: Any = rng.standard_normal(rows)
        elif kind == 1:
            cells = rng.integers(0, int(rng.choice([2, 3, 64, 65, 200])), rows).astype(np.float32)
        elif kind == 2:
            cells = np.where(rng.random(rows) < 0.7, 0.0, rng.exponential(size=rows))
        elif kind == 3:
            cells = np.full(rows, 7.0)
        else:
            levels = int(rng.integers(1, 30))
            cells = pd.Categorical.from_codes(rng.integers(0, levels, rows), [f"l{i}" for i in range(levels)])
        if rng.random() < 0.4:
            cells = pd.Series(cells)
            cells[rng.random(rows) < rng.choice([0.05, 0.3, 1.0])] = np.nan
        made[f"c{j}"] = cells
    return pd.DataFrame(made)


def options(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "max_bins": int(rng.choice([2, 10, 60, 255, 300])),
        "missing": rng.choice(["learned", "learned", "majority", "surrogate", "most_common"]),
        "ties": rng.choice(["first", "seeded"]),
        "min_samples_leaf": int(rng.choice([1, 1, 3, 9])),
        "min_samples_split": int(rng.choice([2, 5])),
        "max_depth": [None, None, 4][rng.integers(0, 3)],
        "max_leaf_nodes": [None, None, 7][rng.integers(0, 3)],
        "max_features": [None, None, 2][rng.integers(0, 3)],
        "min_impurity_decrease": float(rng.choice([0, 0, 0.001])),
        "n_jobs": int(rng.choice([1, 2, 3])),
    }


def grown(engine: str, est: Any, X: Any, y: Any, weights: Any) -> Any:
    settings.ENGINE = engine
    return est.fit(X, y, sample_weight=weights).tree_


@pytest.mark.parametrize("seed", range(60))
def test_engines_agree_on_tables_in_bins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = table(rng, int(rng.choice([30, 300, 2500, 6000])))
    classes, numbers = targets(rng, X)
    chosen = options(rng)
    weights = [None, None, rng.integers(1, 4, len(X)).astype(float), rng.random(len(X)) + 1e-3][rng.integers(0, 4)]
    nominal = rng.choice(["subset", "one_vs_rest"])
    criterion = ["gini", "info_gain", "twoing"][seed % 3]
    costs = [{}, {}, {"class_weight": "balanced"}, {"loss": 1 - np.eye(len(np.unique(classes)))}][rng.integers(0, 4)]
    for est, y in (
        (tw.TreeClassifier(criterion=criterion, nominal=nominal, **costs, **chosen), classes),
        (tw.TreeRegressor(nominal=nominal, **chosen), numbers),
    ):
        plain = grown("plain", est, X, y, weights)
        fast = grown("automatic", est, X, y, weights)
        for name, column in plain.state().items():
            assert np.array_equal(column, fast.state()[name], equal_nan=True), (est, name)


def test_the_binned_engine_is_the_one_that_grows() -> None:
    """By name, where the choice is not left to others."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((9000, 3)), rng.integers(0, 2, 9000)
    for est in (tw.CARTClassifier(max_bins=50), tw.CARTRegressor(max_bins=50)):
        same_state(grown("binned", est, X, y, None), grown("plain", est, X, y, None))
    with pytest.raises(ValueError, match="the binned engine does not apply"):
        grown("binned", tw.CARTClassifier(), X, y, None)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_few_values_are_bins_of_their_own(kind: str) -> None:
    """The tree is then the one without bins, thresholds and all."""
    case = make_case(3, 4000)
    est = tw.CARTClassifier() if kind == "classes" else tw.CARTRegressor()
    y = case.target(est)
    exact = est.fit(case.X, y).tree_
    assert exact.n_nodes > 100
    same_state(est.set_params(max_bins=4001).fit(case.X, y).tree_, exact)


@pytest.mark.parametrize("strict", [False, True])
def test_rows_go_where_they_were_counted(strict: bool) -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((20_000, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1]) > 0).astype(int)
    for place in ("midpoint", "observed"):
        est = tw.TreeClassifier(max_bins=32, relation="<" if strict else "<=", threshold_at=place).fit(X, y)
        weight = np.bincount(est.apply(X), minlength=est.tree_.n_nodes)
        leaf = est.tree_.node_columns.is_leaf
        assert np.array_equal(weight[leaf], est.tree_.node_columns.weight[leaf])
        cuts = [cut for node in est.tree_.nodes() if node.split is not None for cut in node.split.cuts]
        assert len({(round(float(cut), 9)) for cut in cuts}) > 32  # of four columns
        if place == "observed":
            assert np.isin(np.array(cuts, np.float32), X).all()


def test_orders_threads_and_copies_change_nothing() -> None:
    rng = np.random.default_rng(6)
    X = table(rng, 9000)
    classes, numbers = targets(rng, X)
    copies = rng.integers(1, 3, len(X))
    order = rng.permutation(len(X))
    for est, y in ((tw.CARTClassifier(max_bins=40), classes), (tw.CARTRegressor(max_bins=40), np.clip(numbers, -9, 9))):
        one = est.fit(X, y).tree_
        same_state(est.set_params(n_jobs=4).fit(X, y).tree_, one)
        same_state(est.fit(X.iloc[order], y[order]).tree_, one)
        weighed = est.fit(X, y, sample_weight=copies).tree_
        same_state(est.fit(X.iloc[np.repeat(np.arange(len(X)), copies)], np.repeat(y, copies)).tree_, weighed)


def test_forests_share_bins() -> None:
    rng = np.random.default_rng(7)
    X = rng.standard_normal((1500, 5))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    one = tw.RandomForestClassifier(24, max_bins=20, oob_score=True, random_state=1).fit(X, y)
    two = tw.RandomForestClassifier(24, max_bins=20, oob_score=True, random_state=1, n_jobs=2).fit(X, y)
    for a, b in zip(one.forest_.trees, two.forest_.trees, strict=True):
        same_state(a, b)
    assert one.oob_score_ > 0.85
    cuts = {(n.split.column, c) for t in one.forest_.trees for n in t.nodes() if n.split is not None for c in n.split.cuts}
    # A cut lies between two bins, which need not be neighbours at a node.
    assert len({c for column, c in cuts if column == "x0"}) <= 20 * 19 / 2
    settings.ENGINE = "plain"
    plain = tw.RandomForestClassifier(24, max_bins=20, oob_score=True, random_state=1).fit(X, y)
    for a, b in zip(one.forest_.trees, plain.forest_.trees, strict=True):
        same_state(a, b)
    numbers = tw.RandomForestRegressor(4, max_bins=20, random_state=1).fit(X, X[:, 0])
    assert numbers.score(X, X[:, 0]) > 0.9


def test_folds_judge_real_thresholds() -> None:
    """Trees grown from parts of a table in bins are judged by the cells of its rows."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((3000, 4))
    y = np.where(rng.random(3000) < 0.2, rng.integers(0, 2, 3000), X[:, 0] > 0.3).astype(int)
    est = tw.CARTClassifier(max_bins=60).fit(X, y)
    pruned = est.prune("cost_complexity", X, y, folds=5, rule="1se")
    assert pruned.tree_.n_leaves < 6
    assert pruned.score(X, y) > 0.88


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"max_bins": 1}, "max_bins=1"),
        ({"max_bins": 65_536}, "from 2 to 65535"),
        ({"max_bins": 2.5}, "max_bins=2.5"),
        ({"max_bins": 20, "splitter": "random"}, "splitter='random' draws thresholds"),
        ({"max_bins": 20, "keep_candidates": True}, "keep_candidates=True shows thresholds"),
        ({"max_bins": 20, "max_competitors": 3}, "max_competitors=3 shows thresholds"),
        ({"max_bins": 20, "numeric": "discretised"}, "numeric='discretised' makes intervals"),
        ({"max_bins": 20, "threshold_at": "training"}, "threshold_at='training' looks"),
    ],
    ids=str,
)
def test_what_bins_do_not_tell_is_refused(params: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.TreeClassifier(**params).fit([[0.0], [1.0]], [0, 1])


def test_infinity_and_too_many_levels_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"infinity"):
        tw.CARTClassifier(max_bins=9).fit([[0.0], [np.inf]], [0, 1])
    many = pd.DataFrame({"level": [f"l{i}" for i in range(65_536)]})
    with pytest.raises(ValueError, match=r"'level' has 65536 levels.*max_bins=None"):
        tw.CARTClassifier(max_bins=9).fit(many, np.arange(65_536) % 2)
