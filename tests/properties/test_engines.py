"""Two engines, one tree: the sorted engine gives the plain engine's tree at every kernel level and for any threads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core
from treewright.learn import settings

# Those that the sorted engine is made for.
ENROLLED = {part["name"]: part for part in _core.criteria() if part["sorted"]}
CRITERIA = tuple(name for name, part in ENROLLED.items() if part["classes"])
NUMBER_CRITERIA = tuple(name for name in ENROLLED if name not in CRITERIA)
LEVELS = range(_core.kernel_levels()[1] + 1)


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"
    _core.use_kernel_level(_core.kernel_levels()[1])


def grown(engine: str, est: Any, X: Any, y: Any) -> tw.Tree:
    settings.ENGINE = engine
    return est.fit(X, y).tree_


def assert_twins(est: Any, X: Any, y: Any) -> None:
    plain = grown("plain", est, X, y)
    fast = grown("sorted", est, X, y)
    for name, column in plain.state().items():
        assert np.array_equal(column, fast.state()[name], equal_nan=True), (est, name)
    assert plain == fast


def table(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for j in range(int(rng.integers(1, 7))):
        kind = int(rng.integers(0, 6))
        if kind == 0:
            cells: Any = rng.standard_normal(rows)
        elif kind == 1:  # around the border between counted columns and lists
            cells = rng.integers(0, int(rng.choice([2, 3, 63, 64, 65, 66, 200])), rows).astype(float)
        elif kind == 2:
            cells = np.round(rng.standard_normal(rows) * 3) / 2
        elif kind == 3:
            cells = np.full(rows, 7.0)
        elif kind == 4:
            cells = np.sort(rng.standard_normal(rows)).astype(np.float32)
        else:
            levels = int(rng.integers(1, 30))
            cells = pd.Categorical.from_codes(rng.integers(0, levels, rows), [f"l{i}" for i in range(levels)])
        if rng.random() < 0.4:
            cells = pd.Series(cells)
            cells[rng.random(rows) < rng.choice([0.05, 0.3, 1.0])] = np.nan
        columns[f"c{j}"] = cells
    return pd.DataFrame(columns)


def targets(rng: np.random.Generator, X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    numbers = X.select_dtypes("number").sum(axis=1).to_numpy() + rng.standard_normal(len(X)) * rng.choice([0, 0.5])
    numbers = np.round(numbers) if rng.random() < 0.4 else numbers
    k = int(rng.choice([2, 2, 3, 5]))
    codes = np.digitize(numbers, np.quantile(numbers, np.linspace(0, 1, k + 1)[1:-1]))
    return (codes + (rng.random(len(X)) < 0.2) * rng.integers(0, k, len(X))) % k, numbers * rng.choice([1.0, 1e300, 1e-300, 1e-6])


def options(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "nominal": rng.choice(["subset", "one_vs_rest"]),
        "missing": rng.choice(["learned", "majority", "surrogate", "surrogate"]),
        "chooser": rng.choice(["best", "best", "above_average"]),
        "ties": rng.choice(["first", "seeded"]),
        "min_samples_leaf": int(rng.choice([1, 1, 3])),
        "min_samples_split": int(rng.choice([2, 5])),
        "max_depth": [None, None, 4][rng.integers(0, 3)],
        "max_leaf_nodes": [None, None, 7][rng.integers(0, 3)],
        "max_features": [None, None, 2][rng.integers(0, 3)],
        "min_gain": float(rng.choice([0, 0, 0.01])),
        "relation": rng.choice(["<=", "<"]),
        "n_jobs": int(rng.choice([1, 2, 3])),
    }


def costs(rng: np.random.Generator, criterion: str, y: np.ndarray) -> dict[str, Any]:
    """Priors or losses, for criteria that know them."""
    k = len(np.unique(y))
    if not ENROLLED[criterion]["priors"] or k < 2 or rng.random() < 0.5:
        return {}
    if rng.random() < 0.5:
        priors = rng.random(k) + 0.1
        return {"priors": priors / priors.sum()}
    return {"loss": (1 - np.eye(k)) * rng.integers(1, 5, (k, k)), "class_weight": rng.choice([None, "balanced"])}


@pytest.mark.parametrize("seed", range(72))
def test_engines_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = table(rng, int(rng.integers(20, 300)) if seed % 10 else 5000)
    classes, numbers = targets(rng, X)
    chosen = options(rng)
    criterion = CRITERIA[seed % len(CRITERIA)]
    significance = [None, None, 0.2][rng.integers(0, 3)]
    chosen_costs = costs(rng, criterion, classes)
    assert_twins(tw.TreeClassifier(criterion=criterion, significance=significance, **chosen, **chosen_costs), X, classes)
    assert_twins(tw.TreeRegressor(**chosen), X, numbers)


def test_all_criteria_of_numbers_are_compared() -> None:
    assert NUMBER_CRITERIA == ("poisson", "variance")


@pytest.mark.parametrize("seed", range(36))
def test_engines_agree_on_the_poisson_deviance(seed: int) -> None:
    """Counts, rates and amounts; a node's deviance is summed up in the order of its rows, which both engines keep."""
    rng = np.random.default_rng(seed)
    X = table(rng, int(rng.choice([20, 90, 300, 1200, 4000])))
    for name in X.columns[X.isna().any()]:
        X[name] = X[name].fillna(X[name].cat.categories[0] if isinstance(X[name].dtype, pd.CategoricalDtype) else 0.0)
    numbers = np.abs(targets(rng, X)[1])
    counts = rng.poisson(np.clip(numbers / max(numbers.mean(), 1e-300), 0, 20))
    chosen = options(rng)
    if chosen["missing"] == "surrogate":  # there are none of this criterion
        chosen["missing"] = "learned"
    weights = [None, None, rng.random(len(X)) + 1e-3, rng.integers(1, 4, len(X)).astype(float)][rng.integers(0, 4)]
    for y in (numbers, counts, 1e-9 * (counts > 1) + 1e9 * (counts > 3)):
        if y.max() == 0 or not np.isfinite(y).all():
            continue
        states = []
        for settings.ENGINE in ("plain", "sorted"):
            states.append(tw.TreeRegressor(criterion="poisson", **chosen).fit(X, y, sample_weight=weights).tree_.state())
        for name, column in states[0].items():
            assert np.array_equal(column, states[1][name], equal_nan=True), name


@pytest.mark.parametrize("missing", ["learned", "surrogate"])
@pytest.mark.parametrize("k", [2, 4, "numbers"])
def test_engines_agree_on_large_nodes(k: Any, missing: str) -> None:
    """More rows than a small frame holds: 32-bit lists, then subtrees of their own."""
    rng = np.random.default_rng(7)
    rows = 40_000
    X = np.column_stack(
        [rng.standard_normal(rows), np.round(rng.standard_normal(rows) * 20), rng.integers(0, 5, rows), rng.random(rows)]
    )
    X[rng.random(X.shape) < 0.02] = np.nan
    score = np.nan_to_num(X[:, 0] * X[:, 3] + 0.05 * X[:, 1]) + 0.3 * rng.standard_normal(rows)
    if k == "numbers":
        assert_twins(tw.CARTRegressor(min_samples_leaf=5, n_jobs=2, missing=missing), X, score)
    else:
        y = np.digitize(score, np.quantile(score, np.linspace(0, 1, k + 1)[1:-1]))
        assert_twins(tw.CARTClassifier(min_samples_leaf=2, n_jobs=2, missing=missing), X, y)


@pytest.mark.parametrize("classes", [3, 7, 20])
@pytest.mark.parametrize("seed", range(4))
def test_blocks_of_many_classes_that_are_passed_over_hold_no_better_cut(seed: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([100, 500, 3000]))
    shares = rng.dirichlet(np.full(classes, 0.7 if seed % 2 else 5.0))  # of uneven and of like classes
    y = rng.choice(classes, rows, p=shares)
    X = rng.standard_normal((rows, 12))
    X[:, 0] += 0.1 * rng.standard_normal(classes)[y]
    X[:, 1] = np.round(X[:, 1] * 4)
    # Classes stand one after the other again and again: the best cut lies inside a block, far from what both its ends are worth.
    for column in range(2, 8):
        X[:, column] = (
            rng.permutation(rows) // rng.integers(20, 90) + rng.permutation(classes)[y] / classes + 1e-6 * rng.random(rows)
        )
    # Depth keeps nodes large, so that most of what is compared was passed over block by block.
    for depth in (3, None):
        assert_twins(tw.CARTClassifier(max_depth=depth), X, y)
        X[rng.random(X.shape) < 0.02] = np.nan  # and with the missing rows on either side


@pytest.mark.parametrize("level", LEVELS)
def test_every_kernel_level_gives_the_same_bytes(level: int) -> None:
    rng = np.random.default_rng(11)
    X = rng.standard_normal((3000, 6)).astype(np.float32)
    X[:, 5] = np.round(X[:, 5] * 30)
    score = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.standard_normal(3000)
    for est, y in (
        (tw.CARTClassifier(), (score > 0).astype(int)),
        (tw.CARTClassifier(), np.digitize(score, [-1, 0, 1])),
        (tw.CARTRegressor(), score),
    ):
        plain = grown("plain", est, X, y)
        _core.use_kernel_level(level)
        assert _core.kernel_levels()[0] == level
        assert grown("sorted", est, X, y) == plain
        _core.use_kernel_level(LEVELS[-1])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_every_kernel_level_divides_levels_alike(level: int, holes: float) -> None:
    """Both engines judge sets of levels with the same kernel: only another kernel level can tell a mistake from the truth."""
    rng = np.random.default_rng(12)
    codes = np.column_stack([rng.integers(0, n, 2000) for n in (3, 5, 8, 12, 40)])
    y = (codes[:, 0] + codes[:, 3] % 3 + codes[:, 4] % 2 + (rng.random(2000) < 0.2)) % 4
    X = pd.DataFrame({f"c{j}": pd.Series([f"v{code}" for code in column], dtype=object) for j, column in enumerate(codes.T)})
    X = X.mask(rng.random(X.shape) < holes)
    trees = []
    for each in (LEVELS[-1], level):
        _core.use_kernel_level(each)
        trees.append(grown("sorted", tw.CARTClassifier(min_samples_leaf=3), X, y))
    _core.use_kernel_level(LEVELS[-1])
    assert trees[0] == trees[1]


def test_nearly_pure_nodes_keep_their_useless_ties() -> None:
    """Rounding grows with the rows, the gain does not: columns that gain nothing tie, and the first one wins in both engines."""
    n, positives = 36_012, 12
    y = np.zeros(n, int)
    y[:positives] = 1
    thirds, halves = np.arange(n) % 3 == 0, np.arange(n) % 2 == 0
    for criterion in ("info_gain", "gini"):
        assert_twins(tw.CARTClassifier(criterion=criterion, max_depth=1), np.column_stack([thirds, halves]).astype(float), y)


def test_many_levels() -> None:
    """More levels than 16 bits can number."""
    rng = np.random.default_rng(3)
    codes = rng.permutation(70_000)
    X = pd.DataFrame({"id": pd.Categorical.from_codes(codes, [str(i) for i in range(70_000)]), "x": rng.random(70_000)})
    assert_twins(tw.CARTClassifier(max_depth=3), X, (codes % 7 < 3).astype(int) ^ (X["x"].to_numpy() > 0.5))


def test_shared_tables(shared: Path) -> None:
    files = sorted((shared / "data").glob("*.parquet"))
    assert len(files) > 70
    for file in files:
        frame = pd.read_parquet(file)
        frame = frame[frame.iloc[:, -1].notna()]
        if len(frame) > 6000:
            frame = frame.iloc[:6000]
        X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
        if isinstance(y.dtype, pd.CategoricalDtype):
            assert_twins(tw.CARTClassifier(), X, y)
        else:
            assert_twins(tw.CARTRegressor(), X, y)


@pytest.mark.parametrize(
    "chosen",
    [
        {"keep_candidates": True, "splitter": "random"},
        {"numeric": "ternary"},
        {"nominal": "multiway"},
        {"missing": "fraction"},
        {"ties": min},
    ],
)
def test_the_sorted_engine_refuses_what_it_cannot_carry(chosen: dict[str, Any]) -> None:
    """Forced, it must not quietly hand over: otherwise the twins above could be the plain engine twice."""
    X, y = np.array([[0.0], [1.0], [2.0], [np.nan]]), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="sorted engine does not apply"):
        grown("sorted", tw.TreeClassifier(**chosen), X, y)
    assert grown("automatic", tw.TreeClassifier(**chosen), X, y).n_leaves >= 2


def test_the_sorted_engine_refuses_deviances_with_missing_rows() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [np.nan]]), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="sorted engine does not apply"):
        grown("sorted", tw.TreeRegressor(criterion="poisson"), X, y)


@pytest.mark.parametrize("seed", range(40))
def test_engines_keep_the_same_candidates(seed: int) -> None:
    """All columns are searched to their end, and cuts are counted: those with the missing rows on either side apart."""
    rng = np.random.default_rng(seed)
    X = table(rng, int(rng.choice([20, 120, 400, 1500])))
    classes, numbers = targets(rng, X)
    chosen = options(rng) | {"max_features": None}
    chosen |= {"keep_candidates": True} if seed % 2 else {"max_competitors": int(rng.integers(1, 4))}
    weights = [None, rng.random(len(X)) + 1e-3, rng.integers(1, 4, len(X)).astype(float)][rng.integers(0, 3)]
    criterion = CRITERIA[seed % len(CRITERIA)]
    for est, y in ((tw.TreeClassifier(criterion=criterion, **chosen), classes), (tw.TreeRegressor(**chosen), numbers)):
        states = []
        for settings.ENGINE in ("plain", "sorted"):
            states.append(est.fit(X, y, sample_weight=weights).tree_.state())
        for name, column in states[0].items():
            assert np.array_equal(column, states[1][name], equal_nan=True), (est, name)


def test_kept_candidates_count_their_cuts() -> None:
    X, y = np.arange(200.0)[:, None], (np.arange(200) % 7 == 0).astype(int)
    assert tw.CARTClassifier(keep_candidates=True).fit(X, y).tree_.root.candidates[0].tried == 199


@pytest.mark.parametrize("rows", [200, 1100, 40_000])
def test_nodes_of_two_rows_in_every_loop(rows: int) -> None:
    # Best-first growth, several threads and large nodes do not settle pairs on the way: their lists must be divided all the same.
    rng = np.random.default_rng(rows)
    X = np.column_stack([rng.integers(0, 30, rows), rng.integers(0, 2, rows), rng.integers(0, 400, rows), rng.normal(size=rows)])
    y = rng.integers(0, 12, rows)
    z = np.where(rng.random(rows) < 0.01, rng.normal(size=rows), 0.0)
    leaves = min(rows - 1, 3000)
    for est in (tw.CARTClassifier(max_leaf_nodes=leaves), tw.CARTRegressor(max_leaf_nodes=leaves)):
        assert_twins(est, X, y)
    for threads in (1, 2):
        assert_twins(tw.CARTClassifier(n_jobs=threads), X, y)
        assert_twins(tw.CARTRegressor(n_jobs=threads), X, z)
        assert_twins(tw.CARTClassifier(n_jobs=threads), X, z != 0)


@pytest.mark.parametrize("rows", [300, 2500, 40_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_drawn_columns_in_frames_of_every_size(rows: int, weighted: bool) -> None:
    """Some columns are drawn at every node: pairs of rows, frames of few rows, small frames and large ones find the same."""
    rng = np.random.default_rng(rows)
    X = rng.standard_normal((rows, 6))
    X[:, 4] = np.round(X[:, 4] * 2)  # often constant in small nodes: more columns are drawn there
    X[:, 5] = 0.0
    score = X[:, 0] * X[:, 1] + X[:, 4] + rng.standard_normal(rows)
    weights = rng.integers(1, 5, rows).astype(float) if weighted else None
    for max_features, threads in ((1, 1), (2, 2)) if rows < 40_000 else ((2, 1),):
        shared = {"max_features": max_features, "random_state": 3, "n_jobs": threads}
        for est, y in (
            (tw.TreeClassifier(**shared), score > 0),
            (tw.TreeClassifier(**shared), np.digitize(score, [-1, 0, 1])),
            (tw.TreeRegressor(**shared), score),
        ):
            trees = []
            for settings.ENGINE in ("plain", "sorted"):
                trees.append(est.fit(X, y, sample_weight=weights).tree_)
            assert trees[0] == trees[1]


@pytest.mark.parametrize("share", [0.02, 0.2])
def test_few_rows_that_share_a_value(share: float) -> None:
    """The best place of a list is first looked for as if no two rows shared a value; here it often lies between two that do."""
    rng = np.random.default_rng(5)
    rows = 2000
    y = rng.integers(0, 2, rows)
    X = np.sort(rng.standard_normal((rows, 3)), axis=0)
    y[X[:, 0] > 0] = 1 - y[X[:, 0] > 0]
    for j in range(3):
        same = np.flatnonzero(rng.random(rows - 1) < share)
        X[same + 1, j] = X[same, j]
    X = X[rng.permutation(rows)]
    for weights in (None, rng.integers(1, 5, rows).astype(float)):
        for est in (tw.CARTClassifier(), tw.CARTClassifier(criterion="entropy"), tw.CARTRegressor()):
            trees = []
            for settings.ENGINE in ("plain", "sorted"):
                trees.append(est.fit(X, y, sample_weight=weights).tree_)
            assert trees[0] == trees[1]


def test_fractional_weights_leave_no_trace_in_pure_leaves() -> None:
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(3000, 3)), rng.random(3000) + 0.01
    y = rng.integers(0, 3, 3000)
    trees = []
    for engine, threads in (("plain", 1), ("sorted", 1), ("sorted", 3)):
        settings.ENGINE = engine
        trees.append(tw.CARTClassifier(n_jobs=threads).fit(X, y, sample_weight=w).tree_)
    assert trees[0] == trees[1] == trees[2]


@pytest.mark.parametrize("engine", ["plain", "automatic"])
def test_gains_beyond_the_largest_number_do_no_harm(engine: str) -> None:
    rng = np.random.default_rng(0)
    settings.ENGINE = engine
    for scale in (1e155, 1e160, 1e300):
        est = tw.TreeRegressor(chooser="above_average").fit(rng.normal(size=(700, 3)), rng.normal(size=700) * scale)
        assert np.all(np.isfinite(est.predict(rng.normal(size=(5, 3)))))


def numbers_of_all_kinds(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Columns of few and many values, whole, tiny and huge, and of values too close for C4.5 to cut between."""
    kinds = (
        lambda: rng.standard_normal(rows),
        lambda: rng.integers(0, int(rng.choice([2, 3, 64, 65, 200])), rows).astype(float),
        lambda: np.full(rows, 7.0),
        lambda: rng.standard_normal(rows) * 1e-4,
        lambda: rng.integers(0, 100, rows) * 6e-6 + rng.integers(0, 3, rows),
        lambda: rng.standard_normal(rows) * 1e9,
    )
    X = np.column_stack([kinds[int(rng.integers(0, len(kinds)))]() for _ in range(int(rng.integers(1, 7)))])
    return X if rng.random() < 0.5 else np.asfortranarray(X.astype(np.float32))


@pytest.mark.parametrize("seed", range(48))
def test_engines_agree_on_c45(seed: int) -> None:
    """Cuts are counted, columns measured by each other, nodes closed while the tree grows."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([20, 100, 500, 2000, 5000]))
    X = numbers_of_all_kinds(rng, rows)
    k = int(rng.choice([2, 2, 3, 5, 20]))
    score = X[:, 0] / (np.abs(X[:, 0]).max() + 1) + rng.standard_normal(rows) * 0.5
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, k + 1)[1:-1]))
    y = np.where(rng.random(rows) < 0.2, rng.integers(0, k, rows), y).astype(str)
    assert_twins(
        tw.C45Classifier(
            variant=("r8", "j48")[seed % 2],
            penalty=bool(rng.random() < 0.7),
            min_samples_leaf=int(rng.choice([1, 2, 5])),
            criterion="gain_ratio" if seed % 4 != 2 or rng.random() < 0.6 else "info_gain",  # J48 has no other
            pruned=bool(rng.random() < 0.7),
            n_jobs=int(rng.choice([1, 2])),
        ),
        X,
        y,
    )


def test_engines_agree_on_c45_of_large_nodes() -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40_000, 3)).astype(np.float32)
    X[:, 1] = np.round(X[:, 1] * 20)
    score = X[:, 0] * X[:, 2] + 0.05 * X[:, 1] + 0.3 * rng.standard_normal(len(X))
    for n_jobs in (1, 2):
        assert_twins(tw.C45Classifier(n_jobs=n_jobs), X, (score > 0).astype(int))
