"""Which split a model tree takes where WEKA's absolute limits decide: between columns, terms of levels and close cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

Numbers = np.ndarray[Any, Any]


def root(y: Numbers) -> float:
    return float(np.var(y) ** 0.2)


def fall(y: Numbers, low: Numbers) -> float:
    """The fall of the fifth root of the variance."""
    return root(y) - float(low.mean()) * root(y[low]) - float((~low).mean()) * root(y[~low])


def two_near_columns(scale: float) -> tuple[Numbers, Numbers]:
    """The second column divides the rows a little better than the first."""
    y = np.concatenate([np.arange(6.0), [500_000.0, 500_000.5], 1e6 + np.arange(6.0)]) * scale
    low = np.arange(14) < 7
    other = low.copy()
    other[[6, 7]] = other[[7, 6]]
    return np.column_stack([other, low]).astype(float), y


def test_a_target_in_a_large_unit_is_split_by_the_better_column() -> None:
    X, y = two_near_columns(1.0)
    better = fall(y, X[:, 1] == 1) - fall(y, X[:, 0] == 1)
    assert 2e-6 < better < 0.5e-6 * root(y)  # above WEKA's limit, below the same limit in units of the target
    split = tw.M5Regressor(pruned=False).fit(X, y).tree_.root.split
    assert split is not None and split.column == "x1"


def test_a_target_in_a_small_unit_keeps_the_limit_in_its_own_unit() -> None:
    X, y = two_near_columns(2.0**-40)
    assert 0 < fall(y, X[:, 1] == 1) - fall(y, X[:, 0] == 1) < 1e-6 * root(y) < 1e-6
    split = tw.M5Regressor(pruned=False).fit(X, y).tree_.root.split
    assert split is not None and split.column == "x0"


def test_cells_less_than_a_millionth_apart_are_not_cut_apart() -> None:
    x = np.repeat([0.1, 0.5, 0.5 + 4e-7, 0.9], 10)
    y = np.repeat([0.0, 0.0, 9.0, 9.0], 10) + np.tile([0.0, 0.1], 20)
    X = x.reshape(-1, 1)
    cuts = sorted(node.split.cuts[0] for node in tw.M5Regressor(pruned=False).fit(X, y).tree_.nodes() if node.split)
    assert cuts == pytest.approx([0.3, 0.7])
    # In a column in a small unit nothing would be left to cut: a thousandth of its deviation counts as equal there.
    for unit in (2.0**-30, 2.0**-500):
        small = tw.M5Regressor(pruned=False).fit(X * unit, y).tree_
        assert sorted(node.split.cuts[0] / unit for node in small.nodes() if node.split) == cuts
        far = tw.M5Regressor(pruned=False).fit(np.where(X > 0.5, X + 0.1, X) * unit, y).tree_
        assert far.root.split is not None and far.root.split.cuts[0] / unit == pytest.approx(0.55)
    # Quinlan's M5 knows no such limit.
    first = tw.M5Regressor(variant="m5", pruned=False).fit(X, y).tree_.root.split
    assert first is not None and 0.5 < first.cuts[0] < 0.5 + 4e-7


def test_every_term_of_levels_is_a_column_of_its_own() -> None:
    """The second division of the levels is better by less than the limit, so that the first is kept; a number has one."""
    place = np.repeat([0.0, 1.0, 2.0], 8)
    y = place * 0.5 + np.tile([-0.1, 0.1], 12) - np.where(place == 1, 1e-7, 0)
    assert 0 < fall(y, place < 1.5) - fall(y, place < 0.5) < 1e-6 * root(y)
    levels = pd.DataFrame({"x": pd.Categorical(np.array(list("abc"))[place.astype(int)])})
    split = tw.M5Regressor(pruned=False).fit(levels, y).tree_.root.split
    assert split is not None and split.levels == {"a": 0, "b": 1, "c": 1}
    split = tw.M5Regressor(pruned=False).fit(place.reshape(-1, 1), y).tree_.root.split
    assert split is not None and split.cuts[0] == 1.5


@pytest.mark.parametrize("seed", range(10))
def test_a_mirrored_column_is_never_better(seed: int) -> None:
    """It divides the rows alike, summed from the other end; close targets beside far ones are what rounding blurs."""
    rng = np.random.default_rng(seed)
    far = rng.normal(3e5, 9e4, 400)
    y = np.where(rng.random(400) < 0.3, rng.choice([500_000.0, 500_001.0], 400), far)
    x = y + rng.normal(0, 6e4, 400)
    tree = tw.M5Regressor(pruned=False).fit(np.column_stack([x, -x]), y).tree_
    assert tree.n_leaves > 30
    assert {node.split.column for node in tree.nodes() if node.split} == {"x0"}
