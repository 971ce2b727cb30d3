"""What an exact search promises besides the optimum: true bounds when it is ended, the same tree for the same work."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from bench.optimal import binary
from treewright.learn.optimal import OptimalTreeClassifierLearner

# Training errors of the best tree of depth 2 and 3 over every threshold, as ConTree 1.0.8 proves them.
RECORDED = {
    "iris": (6, 1),
    "breast-w": (27, 18),
    "banknote": (100, 23),
    "column-3c": (50, 29),
    "diabetes": (171, 151),
    "ionosphere": (29, 19),
    "wdbc": (22, 9),
}


def random_table(seed: int, n: int = 300, columns: int = 4, classes: int = 2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((n, columns)), 2)
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3)).astype(int) + (rng.random(n) < 0.25) * rng.integers(0, classes, n)
    return X, y % classes


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_optima(shared: Path, name: str) -> None:
    table = pd.read_parquet(shared / "data" / f"{name}.parquet")
    X, y = table.iloc[:, :-1].astype(float), table.iloc[:, -1]
    X = X.fillna(X.mean())
    for depth, errors in zip((2, 3), RECORDED[name], strict=True):
        est = tw.OptimalTreeClassifier(max_depth=depth).fit(X, y)
        assert est.optimal_ and est.objective_ == errors
        assert np.sum(est.predict(X) != y) == errors


# The same of columns of zeros and ones (deciles and levels), as STreeD 1.4.0 proves them.
BINARY = {
    "iris": {2: 9, 3: 4, 4: 0},
    "breast-w": {2: 29, 3: 19, 4: 12},
    "diabetes": {2: 178, 3: 162},
    "vote": {2: 17, 3: 12, 4: 5},
    "monks-2": {2: 142, 3: 142, 4: 142},
    "car": {2: 384, 3: 326, 4: 261},
    "banknote": {2: 109, 3: 30, 4: 9},
    "kr-vs-kp": {2: 418, 3: 198},
}


@pytest.mark.parametrize("name", BINARY)
def test_recorded_optima_of_binary_columns(shared: Path, name: str) -> None:
    num, _, y = binary(name).train
    for depth, errors in BINARY[name].items():
        est = tw.OptimalTreeClassifier(max_depth=depth).fit(num, y)
        assert est.optimal_ and est.objective_ == errors == np.sum(est.predict(num) != y)


def test_iris_to_the_last_row() -> None:
    iris = tw.datasets.load_iris()
    errors = [tw.OptimalTreeClassifier(max_depth=d).fit(iris.X, iris.y).objective_ for d in range(5)]
    assert errors == [100, 50, 6, 1, 0]


@pytest.mark.parametrize("seed", range(6))
def test_no_tree_as_small_is_better(seed: int) -> None:
    """Greedy, pruned and drawn trees of the same depth, or of the same depth and size, are never better."""
    X, y = random_table(seed, 120, 3, 2 + seed % 2)
    best = {d: tw.OptimalTreeClassifier(max_depth=d).fit(X, y).objective_ for d in (1, 2, 3)}
    assert best[1] >= best[2] >= best[3]
    for depth in (1, 2, 3):
        others = [
            tw.CARTClassifier(max_depth=depth),
            tw.TreeClassifier(max_depth=depth, criterion="error"),
            tw.TreeClassifier(max_depth=depth, criterion="entropy"),
            tw.TreeClassifier(max_depth=depth, splitter="random", random_state=seed),
            tw.CARTClassifier(max_depth=depth, cp=0.02),
            tw.BacktrackingTreeClassifier(max_depth=depth, depth=2, max_thresholds=20),
        ]
        for other in others:
            other.fit(X, y)
            errors = int(np.sum(other.predict(X) != y))
            assert errors >= best[depth]
            splits = other.tree_.n_leaves - 1
            assert errors >= tw.OptimalTreeClassifier(max_depth=depth, max_splits=splits).fit(X, y).objective_


@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_never_wrong(seed: int) -> None:
    """Ended anywhere, the bound lies below the optimum, the tree is as good as it is said to be, and more work never harms."""
    X, y = random_table(seed, 200, 4, 2 + seed % 2)
    whole = tw.OptimalTreeClassifier(max_depth=3).fit(X, y)
    bounds, costs = [], []
    for steps in [1, 5, 20, 60, 150, 400, 1000, 3000, 10000, 30000, whole.steps_ // 2, whole.steps_ + 1]:
        est = tw.OptimalTreeClassifier(max_depth=3, max_steps=steps).fit(X, y)
        assert est.lower_bound_ <= whole.objective_ <= est.objective_
        assert np.sum(est.predict(X) != y) == est.objective_
        assert est.steps_ <= steps and est.optimal_ == (est.lower_bound_ == est.objective_)
        assert est.ended_ == ("proven" if est.optimal_ else "steps")
        assert est.gap_ == pytest.approx(1 - est.lower_bound_ / est.objective_)
        again = tw.OptimalTreeClassifier(max_depth=3, max_steps=steps, n_jobs=2).fit(X, y)
        assert again.tree_.to_sql() == est.tree_.to_sql() and again.lower_bound_ == est.lower_bound_
        bounds.append(est.lower_bound_)
        costs.append(est.objective_)
    assert costs[-1] == whole.objective_ and bounds[-1] == whole.objective_
    numbers = tw.OptimalTreeRegressor(max_depth=3).fit(X, X[:, 2] + y)
    for steps in (1, 100, 1000, 10000):
        est = tw.OptimalTreeRegressor(max_depth=3, max_steps=steps).fit(X, X[:, 2] + y)
        assert est.lower_bound_ <= numbers.objective_ * (1 + 1e-9) and est.objective_ >= numbers.objective_ * (1 - 1e-9)
        assert np.sum((est.predict(X) - X[:, 2] - y) ** 2) == pytest.approx(est.objective_)


@pytest.mark.parametrize("seed", range(3))
def test_two_levels_ended_anywhere(seed: int) -> None:
    """A search of two levels knows next to nothing before it is done, and claims no more."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((150, 8)).round(2), rng.integers(0, 3, 150)
    whole = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    open_ = 0
    for steps in range(1, whole.steps_, 11):
        est = tw.OptimalTreeClassifier(max_depth=2, max_steps=steps).fit(X, y)
        assert est.lower_bound_ <= whole.objective_ <= est.objective_
        assert est.optimal_ == (est.ended_ == "proven") == (est.gap_ == 0)
        open_ += est.objective_ > whole.objective_
    assert open_ >= 5


def test_two_splits_that_just_pay() -> None:
    """Three wrong rows cost more than two more leaves, and no single split saves anything."""
    X, y = np.repeat([[0.0], [1.0], [2.0]], 3, axis=0), np.repeat(["a", "b", "a"], 3)
    est = tw.OptimalTreeClassifier(max_depth=2, cost_per_leaf=1).fit(X, y)
    assert (est.objective_, est.tree_.n_leaves, est.optimal_) == (3, 3, True)


def test_the_clock_is_looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least every 10,000 steps; the search ends at the first look that is too late."""
    looks: list[float] = []

    def clock() -> float:
        looks.append(float(len(looks)))
        return looks[-1]

    monkeypatch.setattr(OptimalTreeClassifierLearner, "clock", staticmethod(clock))
    X, y = np.random.default_rng(0).random((300, 6)), np.random.default_rng(1).integers(0, 2, 300)
    for limit in (1, 7, 30):
        looks.clear()
        est = tw.OptimalTreeClassifier(max_depth=4, time_limit=limit).fit(X, y)
        assert est.ended_ == "time" and not est.optimal_
        assert len(looks) == limit + 1
        assert est.steps_ <= 10_000 * limit
        assert est.lower_bound_ < est.objective_


def test_no_time_at_all() -> None:
    X, y = random_table(0)
    est = tw.OptimalTreeClassifier(max_depth=3, time_limit=0).fit(X, y)
    assert est.objective_ >= tw.OptimalTreeClassifier(max_depth=3).fit(X, y).objective_


def test_the_memory_of_the_cache_changes_no_tree() -> None:
    X, y = random_table(3, 120)
    trees = [tw.OptimalTreeClassifier(max_depth=4, cache_mb=mb).fit(X, y) for mb in (0, 1, 64)]
    assert len({est.objective_ for est in trees}) == 1 and all(est.optimal_ for est in trees)


CHILD = """
import resource, sys
import numpy as np
import treewright as tw
X, y = np.random.default_rng(0).random((400, 6)), np.random.default_rng(1).integers(0, 2, 400)
tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (160 << 20), -1))
est = tw.OptimalTreeClassifier(max_depth=4, cache_mb=4, max_steps=6_000_000).fit(X, y)
print(est.ended_, est.objective_ > est.lower_bound_)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are Linux's")
def test_a_child_of_little_memory() -> None:
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-800:]
    assert done.stdout.split() == ["steps", "True"]


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, signal.raise_signal, [signal.SIGINT])
    timer.start()
    return timer


def long_search() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    return rng.random((1500, 12)), rng.integers(0, 3, 1500)


@pytest.mark.parametrize("fitted", [False, True])
def test_an_interrupt_leaves_the_estimator_as_it_was(fitted: bool) -> None:
    X, y = long_search()
    est = tw.OptimalTreeClassifier(max_depth=2)
    if fitted:
        est.fit(X[:50], y[:50])
    est.set_params(max_depth=5)
    before = est.tree_ if fitted else None
    interrupt_after(0.3)
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        est.fit(X, y)
    assert time.perf_counter() - begin < 10  # half a second where nobody else works
    assert getattr(est, "tree_", None) is before and hasattr(est, "optimal_") == fitted


def test_an_interrupt_that_keeps_the_best_tree() -> None:
    X, y = long_search()
    est = tw.OptimalTreeClassifier(max_depth=5, keep_on_interrupt=True)
    interrupt_after(0.3)
    est.fit(X, y)
    assert est.ended_ == "interrupt" and est.optimal_ is False and 0 < est.gap_ <= 1
    assert np.sum(est.predict(X) != y) == est.objective_
    assert est.objective_ <= np.sum(tw.TreeClassifier(max_depth=5).fit(X, y).predict(X) != y)


def test_bad_parameters() -> None:
    X, y = random_table(0, 30)
    for name, value in [
        ("max_depth", -1),
        ("max_depth", 21),
        ("max_depth", None),
        ("max_splits", -1),
        ("cost_per_leaf", -0.5),
        ("max_thresholds", 0),
        ("missing", "fraction"),
        ("nominal", "multiway"),
        ("max_steps", 0),
        ("time_limit", -1.0),
        ("cache_mb", -1),
        ("keep_on_interrupt", 1),
    ]:
        with pytest.raises(ValueError, match=name):
            tw.OptimalTreeClassifier(**{name: value}).fit(X, y)
    with pytest.raises(ValueError, match="cost_per_leaf"):
        tw.OptimalTreeRegressor(cost_per_leaf=2).fit(X, y)
    levels = pd.DataFrame({"town": [f"t{i % 12}" for i in range(30)]})
    with pytest.raises(ValueError, match=r"'town' has 12 levels.*at most 10.*one_vs_rest"):
        tw.OptimalTreeClassifier(nominal="subset").fit(levels, y)
    with pytest.raises(ValueError, match=r"257 classes.*at most 256"):
        tw.OptimalTreeClassifier(max_depth=1).fit(np.arange(257.0).reshape(-1, 1), np.arange(257))


def test_too_many_tests_of_levels_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.learn.optimal.MOST_CELLS", 10_000 * 8000)
    X = pd.DataFrame({"few": list("ab") * 4000, "town": pd.Categorical([f"t{i}" for i in range(8000)])})
    said = r"'town' alone makes 16,000 tests.*all columns 16,004; of 8,000 rows at most 10,000 are held"
    with pytest.raises(ValueError, match=said):
        tw.OptimalTreeClassifier(max_depth=1).fit(X, np.arange(8000) % 2)


def test_fewer_thresholds() -> None:
    X, y = random_table(2, 250)
    every = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    few = tw.OptimalTreeClassifier(max_depth=2, max_thresholds=5).fit(X, y)
    assert few.objective_ >= every.objective_
    assert few.steps_ < every.steps_
    ends = [tw.OptimalTreeClassifier(max_depth=1, max_thresholds=1).fit(X[:, [j]], y).apply(X[:, [j]]) for j in range(4)]
    assert all(abs(np.mean(leaf == leaf.max()) - 0.5) < 0.1 for leaf in ends if leaf.max() > 0)  # a cut at the median


def test_the_result_is_a_tree_like_any_other() -> None:
    titanic = pd.DataFrame({"age": [20.0, 30, None, 50, 5, 60] * 5, "town": list("abcabc") * 5})
    y = ["yes", "no", "no", "yes", "yes", "no"] * 5
    est = tw.OptimalTreeClassifier(max_depth=3).fit(titanic, y)
    assert est.objective_ == 0 and (est.predict(titanic) == y).all()
    assert est.tree_.to_rules().predict(titanic).tolist() == y
    assert "SELECT" in est.tree_.to_sql().upper() and "<svg" in est.tree_.to_svg()
    assert est.tree_.feature_importances.sum() == pytest.approx(1)


@pytest.mark.parametrize("n", [20_000, 60_000])
def test_a_row_far_from_thousands_of_others_is_set_apart(n: int) -> None:
    """What one row may add to a cost is as much as all rows cost: no bound of many rows may make less of it."""
    rng = np.random.default_rng(1)
    x = rng.permutation(n).astype(float)
    y = rng.normal(size=n) * 1e-3
    rank = n // 2 + 37  # not where the search looks first
    others = np.isin(x, (rank, rank - n // 5, rank + n // 5)).astype(float)  # a column that is nearly as good, at once
    y[x == rank] = 50.0
    est = tw.OptimalTreeRegressor(max_depth=2).fit(np.c_[x, others], y)
    apart = sum(float(((y[rows] - y[rows].mean()) ** 2).sum()) for rows in (x < rank, x == rank, x > rank))
    assert est.optimal_ and est.objective_ <= apart * (1 + 1e-9)


def test_the_clock_is_looked_at_within_a_step_of_many_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at a column by rows of a hundred classes takes a hundred times as long: it counts as more rows."""
    looks: list[float] = []

    def clock() -> float:
        looks.append(float(len(looks)))
        return 0.0

    monkeypatch.setattr(OptimalTreeClassifierLearner, "clock", staticmethod(clock))
    X, y = np.random.default_rng(0).random((3000, 8)), np.random.default_rng(1).integers(0, 2, 3000)
    many = np.arange(3000) % 100
    counted = []
    for target in (y, many):
        looks.clear()
        est = tw.OptimalTreeClassifier(max_depth=2, time_limit=1e9, max_steps=4000).fit(X, target)
        counted.append(len(looks) / est.steps_)
    assert counted[1] > 5 * counted[0]


def test_progress_tells_the_best_tree_and_what_is_proven(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = np.random.default_rng(0).random((600, 8)), np.random.default_rng(1).integers(0, 2, 600)
    est = tw.OptimalTreeClassifier(max_depth=4, verbose=True, time_limit=1.5).fit(X, y)
    said = re.findall(r"searching.*proven: best ([\d.]+), none below ([\d.]+)", capsys.readouterr().err)
    assert said and all(est.objective_ <= float(best) <= 300 and float(bound) <= est.objective_ for best, bound in said)


def test_a_bound_is_below_what_rounding_may_hide() -> None:
    """Products of weights and losses are rounded; ended anywhere, the bound stays below the optimum, taken from all digits."""
    rng = np.random.default_rng(3)
    X, y, weights = rng.random((60, 2)), rng.integers(0, 3, 60), rng.random(60) * 1e5
    loss = rng.random((3, 3)) * (1 - np.eye(3))
    best = tw.OptimalTreeClassifier(max_depth=3, loss=loss).fit(X, y, weights)
    own = np.sum(weights * loss[y, best.predict(X)])
    assert best.objective_ == pytest.approx(own, rel=1e-12) and best.optimal_
    for steps in (1, 20, 100, 300, 700, 1500, 3000):
        est = tw.OptimalTreeClassifier(max_depth=3, loss=loss, max_steps=steps).fit(X, y, weights)
        assert est.lower_bound_ <= best.objective_ <= est.objective_
