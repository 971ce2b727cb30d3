"""Stability: what is compared with what, and that nothing but the rows and the seed decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core
from treewright.model.stability import survivors

from .tables import make_case


def clear(n: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A column that decides alone, behind it one that decides the rest, and noise."""
    rng = np.random.default_rng(seed)
    sure, then = rng.random(n), rng.choice(["p", "q", "r"], n)
    y = np.where(sure > 0.5, "up", np.where(then == "q", "q", "other"))
    return pd.DataFrame({"noise": rng.normal(size=n), "sure": sure, "then": pd.Series(then, dtype="str")}), y


def naive(tree: tw.Tree, other: tw.Tree) -> dict[int, str | None]:
    """By node of the tree that has a place in the other: what is tested there. By names and conditions only."""
    found: dict[int, str | None] = {}

    def walk(a: Any, b: Any) -> None:
        if a.is_leaf:
            return
        same = not b.is_leaf and {a.split.family, b.split.family} != {"presence", "one_vs_rest"}
        found[a.id] = None if b.is_leaf else b.split.column if same else "?"
        if b.is_leaf or b.split.column != a.split.column or not same:
            return
        for i, child in enumerate(a.children):
            if a.split.cuts or a.split.family == "presence" or a.split.levels == b.split.levels:
                walk(child, b.children[i])
            elif a.split.family == "one_vs_rest" and i == 1 and len(a.tree.splits.source(a.id).column.levels) > 2:
                walk(child, b.children[1])

    walk(tree.root, other.root)
    return found


def test_clear_splits_survive_and_the_threshold_s_spread_holds_it() -> None:
    X, y = clear()
    est = tw.C45Classifier().fit(X, y)
    found = est.stability(X, y, n_resamples=30)
    assert [split.column for split in found] == ["sure", "then"]
    root, below = found
    assert (root.path, root.reached, root.kept, root.instead, root.leaf) == ("", 1.0, 1.0, None, 0.0)
    assert below.path.startswith("sure <= ") and (below.reached, below.kept, below.same_levels) == (1.0, 1.0, 1.0)
    assert root.low is not None and root.high is not None and root.threshold is not None
    assert root.low <= root.threshold <= root.high and root.high - root.low < 0.1
    assert found.n_resamples == len(found.leaves) == 30


@pytest.mark.parametrize(
    "est", [tw.C45Classifier(), tw.TreeClassifier(nominal="one_vs_rest", max_depth=4), tw.ID3Classifier(missing="fraction")]
)
def test_the_shares_are_those_of_a_plain_walk(est: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case(5, 150)
    est.fit(case.X[["few", "text", "cat"]], case.classes)
    trees: list[tw.Tree] = []

    def both(tree: tw.Tree, state: Any) -> Any:
        trees.append(tw.Tree(_core.Tree.from_state(state), tree.schema, tree.target))
        return survivors(tree, state)

    monkeypatch.setattr("treewright.learn.stability.survivors", both)
    found = est.stability(case.X[["few", "text", "cat"]], case.classes, n_resamples=15, random_state=3)
    walks = [naive(est.tree_, tree) for tree in trees]
    for split in found:
        seen = [walk[split.node] for walk in walks if split.node in walk]
        assert split.reached == len(seen) / 15
        assert split.kept == seen.count(split.column) / 15
        assert split.leaf == seen.count(None) / 15
    assert 0 < sum(split.kept for split in found) < len(found)


def test_the_seed_alone_decides_and_the_estimator_stays_as_it_is() -> None:
    case = make_case(2, 120)
    est = tw.C45Classifier(soft=True, n_jobs=2).fit(case.X, case.classes)
    before = dict(vars(est))
    one = est.stability(case.X, case.classes, n_resamples=8, random_state=1)
    two = est.stability(case.X, case.classes, n_resamples=8, random_state=1, n_jobs=3)
    assert one.splits == two.splits and np.array_equal(one.leaves, two.leaves)
    assert est.stability(case.X, case.classes, n_resamples=8, random_state=2).splits != one.splits
    assert vars(est).keys() == before.keys() and all(vars(est)[name] is before[name] for name in before)


def test_levels_a_resample_does_not_hold_do_not_matter() -> None:
    X, y = clear(40)
    X["rare"] = pd.Series(["once", *["often"] * 39], dtype="str")
    est = tw.C45Classifier().fit(X, y)
    assert est.stability(X, y, n_resamples=20)[0].kept > 0.9


def test_rows_of_weight_zero_are_never_drawn() -> None:
    X, y = clear(120)
    noise = np.where(np.arange(240) < 120, 1.0, 0.0)
    both = pd.concat([X, X.assign(sure=np.random.default_rng(1).random(120))], ignore_index=True)
    est = tw.C45Classifier().fit(both, np.concatenate([y, y[::-1]]), noise)
    found = est.stability(both, np.concatenate([y, y[::-1]]), sample_weight=noise, n_resamples=10)
    assert found[0].kept == 1.0


def test_it_works_for_numbers_and_is_printed_in_the_tree() -> None:
    case = make_case(8, 100)
    est = tw.CARTRegressor(max_depth=2).fit(case.X, case.numbers)
    found = est.stability(case.X, case.numbers, n_resamples=5)
    assert list(found.to_frame().columns)[:5] == ["node", "column", "path", "reached", "kept"]
    lines = found.to_text(ascii=True).splitlines()
    assert f"[kept {found[0].kept:.0%}" in lines[0]
    assert sum("[kept" in line for line in lines) == len(found) == est.tree_.n_splits
    assert all(line.isascii() for line in lines)
    assert str(found) == found.to_text()
    assert repr(found) == f"<Stability of {len(found)} splits in 5 resampled trees>"


def test_other_rows_are_refused_and_so_is_a_senseless_number() -> None:
    X, y = clear(60)
    est = tw.C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match="must be the training rows: columns or classes differ"):
        est.stability(X.drop(columns="noise"), y)
    with pytest.raises(ValueError, match="n_resamples"):
        est.stability(X, y, n_resamples=0)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        est.stability(X, y[:-1])
