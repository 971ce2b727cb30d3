"""Windowing: trees from a part of the rows (Quinlan 1979, 1983, 1993)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.learn.c45 import C45Learner
from treewright.learn.windowing import WindowTree, balanced, exact, first_window, iterate, usual_window

N = 600
RNG = np.random.default_rng(5)
BITS = RNG.integers(0, 2, (N, 6))
# A concept of four of six bits: consistent, so that a window can be right about everything.
CLASSES = np.where((BITS[:, 0] & BITS[:, 1]) | (BITS[:, 2] & BITS[:, 3]), "yes", "no")
X = pd.DataFrame({f"b{j}": np.where(BITS[:, j] == 1, "t", "f") for j in range(6)})


@pytest.mark.parametrize("keeps", ["all", "keys"])
@pytest.mark.parametrize("seed", range(5))
def test_id3_is_right_about_everything(keeps: str, seed: int) -> None:
    est = tw.ID3Classifier(window=30, window_keeps=keeps, random_state=seed).fit(X, CLASSES)
    assert np.array_equal(est.predict(X), CLASSES)
    # It was grown from a part of the rows.
    assert 30 <= est.tree_.root.weight < N


def test_a_window_that_keeps_keys_stays_small() -> None:
    sizes = {
        keeps: [
            tw.ID3Classifier(window=40, window_keeps=keeps, random_state=seed).fit(X, CLASSES).tree_.root.weight
            for seed in range(6)
        ]
        for keeps in ("all", "keys")
    }
    assert sizes["keys"] == [40.0] * 6
    assert max(sizes["all"]) > 40


def test_inconsistent_rows_end_with_all_of_them() -> None:
    noisy = CLASSES.copy()
    noisy[:50] = np.where(noisy[:50] == "yes", "no", "yes")
    for keeps in ("all", "keys"):
        tree = tw.ID3Classifier(window=0.05, window_keeps=keeps).fit(X, noisy).tree_
        assert tree.n_leaves > 1  # it came to an end


def test_a_window_of_all_rows_is_no_window() -> None:
    whole = tw.ID3Classifier().fit(X, CLASSES).tree_
    assert tw.ID3Classifier(window=N).fit(X, CLASSES).tree_.to_text() == whole.to_text()
    assert tw.ID3Classifier(window=10 * N).fit(X, CLASSES).tree_.n_nodes == whole.n_nodes


@pytest.mark.parametrize(
    ("counts", "size", "target"),
    [
        ((50, 50, 50), 30, [10, 10, 10]),
        ((2, 100), 20, [2, 18]),
        ((100, 0, 3), 9, [6, 0, 3]),
        ((5, 5), 7, [3, 4]),
        ((1, 1), 9, [1, 1]),
    ],
)
def test_first_windows_are_even(counts: tuple[int, ...], size: int, target: list[int]) -> None:
    codes = np.repeat(np.arange(len(counts)), counts)
    assert balanced(codes, size, len(counts)) == target
    order, window = first_window(codes, target, np.random.default_rng(0))
    assert window == sum(target)
    assert sorted(order.tolist()) == list(range(len(codes)))
    assert np.bincount(codes[order[:window]], minlength=len(counts)).tolist() == target


@pytest.mark.parametrize(("n", "window"), [(24, 9), (100, 20), (150, 30), (1000, 200), (3, 3)])
def test_usual_window(n: int, window: int) -> None:
    assert usual_window(n) == window


class Script:
    """Stands in for growing: says which rows are wrong in each cycle, and remembers the windows it was given."""

    def __init__(self, n: int, wrong: list[list[int]]) -> None:
        self.n = n
        self.wrong = wrong
        self.windows: list[list[int]] = []

    def __call__(self, rows: Any) -> WindowTree:
        cycle = len(self.windows)
        self.windows.append(rows.tolist())
        said = np.zeros(self.n, np.int64)
        said[self.wrong[cycle]] = 1
        return WindowTree(cycle, said, np.arange(self.n) // 2)


def test_c45_takes_in_half_of_the_exceptions_or_the_increment() -> None:
    script = Script(20, [[5, 9, 13, 15, 17, 19], [0, 19], []])
    cycles: list[tuple[int, int]] = []
    best = iterate(script, np.zeros(20, np.int64), np.arange(20), 4, 1, cycles)
    assert script.windows[0] == [0, 1, 2, 3]
    assert script.windows[1] == [0, 1, 2, 3, 5, 9, 13]  # six exceptions: half of them, which is more than one
    assert len(script.windows[2]) == 8  # one exception outside, one wrong inside
    assert best == 2
    assert cycles == [(4, 6), (7, 2), (8, 0)]


def test_c45_keeps_the_tree_with_the_fewest_errors() -> None:
    script = Script(8, [[7], [0, 1, 2, 7], [0, 1]])
    assert iterate(script, np.zeros(8, np.int64), np.arange(8), 4, 2, []) == 0


def test_keys_are_kept_and_others_replaced() -> None:
    script = Script(10, [[6, 8], []])
    exact(script, np.zeros(10, np.int64), np.arange(10), 4, 5, "keys", 10, [])
    # Leaves hold two rows each: 0 and 2 are keys, 3 and 1 make way.
    assert sorted(script.windows[1]) == [0, 2, 6, 8]


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400), "c": rng.choice(["u", "v", None], 400)})
    y = np.where((table["a"] > 0.3) ^ (table["c"] == "u"), "p", "q")
    y[rng.random(400) < 0.05] = "q"
    return table, y


def test_trials_of_c45(mixed: tuple[pd.DataFrame, np.ndarray]) -> None:
    table, y = mixed
    est = tw.C45Classifier(trials=5, random_state=2).fit(table, y)
    # Pruned and described by all rows, whatever it was grown from.
    assert est.tree_.root.weight == pytest.approx(400)
    assert sum(leaf.weight for leaf in est.tree_.leaves()) == pytest.approx(400)
    assert est.score(table, y) > 0.9
    again = tw.C45Classifier(trials=5, random_state=2).fit(table, y)
    assert again.tree_ == est.tree_
    values = set(table["a"]) | set(table["b"])
    assert all(cut in values for node in est.tree_.nodes() if node.split for cut in node.split.cuts)
    # More trials can only lower what is chosen by.
    more = tw.C45Classifier(trials=15, random_state=2).fit(table, y)
    assert more.estimated_errors_ <= est.estimated_errors_


def test_j48_has_no_windows(mixed: tuple[pd.DataFrame, np.ndarray]) -> None:
    with pytest.raises(ValueError, match="trials"):
        tw.C45Classifier(variant="j48", trials=3).fit(*mixed)
    with pytest.raises(ValueError, match="grouped"):
        tw.C45Classifier(variant="j48", grouped=True).fit(*mixed)


def test_what_was_tried_is_told(mixed: tuple[pd.DataFrame, np.ndarray], tmp_path: Any) -> None:
    table, y = mixed
    est = tw.C45Classifier(trials=3, window=50, increment=7, random_state=2).fit(table, y)
    trial, size, wrong = est.windows_.T
    assert trial.tolist() == sorted(trial) and set(trial) == {0, 1, 2}
    for k in range(3):
        mine = size[trial == k]
        assert mine[0] == 50
        assert np.all(np.diff(mine) > 0)
    assert np.all((wrong >= 0) & (wrong < 400))
    assert len(est.trial_errors_) == 3
    assert est.trial_errors_.min() == pytest.approx(est.estimated_errors_, rel=1e-10)
    est.save(tmp_path / "m.json")
    again = tw.load(tmp_path / "m.json")
    assert np.array_equal(again.windows_, est.windows_) and np.array_equal(again.trial_errors_, est.trial_errors_)
    assert not hasattr(tw.C45Classifier().fit(table, y), "windows_")
    assert not hasattr(est.set_params(trials=0, window=None, increment=None).fit(table, y), "windows_")


def test_the_size_of_a_window_asks_for_windows(mixed: tuple[pd.DataFrame, np.ndarray]) -> None:
    table, y = mixed
    by_size = tw.C45Classifier(window=60, random_state=1).fit(table, y)
    assert by_size.tree_ == tw.C45Classifier(window=60, trials=10, random_state=1).fit(table, y).tree_
    assert len(by_size.trial_errors_) == 10
    assert len(tw.C45Classifier(increment=9, random_state=1).fit(table, y).trial_errors_) == 10


def test_id3_tells_its_windows(mixed: tuple[pd.DataFrame, np.ndarray]) -> None:
    table, y = mixed
    est = tw.ID3Classifier(window=40, random_state=1, missing="most_common").fit(table, y)
    assert est.windows_[0, 1] == 40
    assert est.windows_[-1, 2] == np.sum(est.predict(table) != y)


def test_of_trees_with_as_few_errors_the_first_is_kept() -> None:
    script = Script(8, [[7], [6], [0]])
    assert iterate(script, np.zeros(8, np.int64), np.arange(8), 4, 2, []) == 0


@pytest.mark.parametrize(
    ("errors", "kept"), [([30, 20, 20], 1), ([30, 20, 20 - 1e-12], 1), ([30, 20, 19.999], 2), ([7, 7, 7], 0)]
)
def test_of_trials_that_are_equal_but_for_rounding_the_first_is_kept(
    mixed: tuple[pd.DataFrame, np.ndarray], monkeypatch: pytest.MonkeyPatch, errors: list[float], kept: int
) -> None:
    table, y = mixed
    trees: list[Any] = []

    def estimated(self: Any, core: Any, target: Any) -> float:
        trees.append(core)
        return float(errors[(len(trees) - 1) % 3])

    monkeypatch.setattr(C45Learner, "estimated_errors", estimated)
    tree = tw.C45Classifier(trials=3, window=20, random_state=4).fit(table, y).tree_
    cuts = [core.state()["cut_at"].tolist() for core in trees[:3]]
    assert len({*map(str, cuts)}) == 3  # three trees that can be told apart
    assert tree.state()["cut_at"].tolist() == cuts[kept]
