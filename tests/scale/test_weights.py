"""Numbers, weights and costs out of core: the file is the one that a fit in memory writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from tests.scale.tables import in_memory, numbers, same, table
from treewright.scale import executor, fitting, levels


@pytest.fixture(autouse=True)
def _many_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards and subtrees of few rows, so that small tables take every step."""
    monkeypatch.setattr(fitting, "shard_rows", lambda columns, memory: 700)
    monkeypatch.setattr(levels, "small_rows", lambda columns, memory: 200)


def weighted(frame: pd.DataFrame, kind: str) -> pd.DataFrame:
    rng = np.random.default_rng(9)
    n = len(frame)
    weights = {
        "whole": rng.integers(0, 4, n).astype(float),
        "parts": rng.random(n) + 0.01,
        "equal parts": np.full(n, 0.3),
        "two each": np.full(n, 2.0),
        "one each": np.ones(n),
        "some are nothing": np.where(rng.random(n) < 0.3, 0.0, rng.exponential(size=n)),
        "far apart": 10.0 ** rng.integers(-4, 4, n),
        "32-bit": rng.random(n).astype(np.float32) + 1,
    }
    return frame.assign(w=weights[kind])


KINDS = ["whole", "parts", "equal parts", "two each", "one each", "some are nothing", "far apart", "32-bit"]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("rows", [79, 5000])
def test_numbers_by_levels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, threads: int, rows: int) -> None:
    monkeypatch.setattr(fitting, "shard_rows", lambda columns, memory: rows)
    frame = numbers()
    est = tw.scale.fit(tw.CARTRegressor(max_bins=40, n_jobs=threads), frame, target="y")
    assert est.tree_.n_nodes > 1000
    assert same(est, in_memory(tw.CARTRegressor(max_bins=40, n_jobs=threads), frame), tmp_path)


@pytest.mark.parametrize(
    "params",
    [
        {"max_bins": 300},
        {"max_depth": 3},
        {"max_depth": 0},
        {"min_samples_leaf": 30, "min_samples_split": 0.05},
        {"max_features": 2, "random_state": 5},
        {"max_features": 7, "random_state": 5},
        {"ties": "seeded", "random_state": 7},
        {"min_impurity_decrease": 0.002},
        {"min_impurity": 0.3},
        {"missing": "majority"},
        {"cp": 0.01},
        {"ccp_alpha": 0.002},
    ],
    ids=str,
)
def test_settings_of_numbers(tmp_path: Path, params: dict[str, Any]) -> None:
    frame = numbers(3000, seed=1)
    chosen = {"max_bins": 50, **params}
    est = tw.scale.fit(tw.TreeRegressor(**chosen), frame, target="y")
    assert same(est, in_memory(tw.TreeRegressor(**chosen), frame), tmp_path)


@pytest.mark.parametrize(
    "target",
    ["constant", "two values", "whole numbers", "huge", "tiny", "far away", "32-bit", "zeros of both signs"],
)
def test_targets_of_every_scale(tmp_path: Path, target: str) -> None:
    """Each node has steps of its own."""
    frame = numbers(2000, seed=2)
    y = frame["y"].to_numpy()
    rng = np.random.default_rng(3)
    targets = {
        "constant": np.full(len(y), 3.5),
        "two values": (y > 0.5).astype(float),
        "whole numbers": np.clip(y, -9, 9).astype(np.int64),
        "huge": y * 1e290,
        "tiny": y * 1e-300,
        "far away": 1e15 + rng.integers(0, 3, len(y)),
        "32-bit": y.astype(np.float32),
        "zeros of both signs": np.where(rng.random(len(y)) < 0.5, -0.0, 0.0) + np.where(y > 1, 1.0, -0.0),
    }
    frame["y"] = targets[target]
    est = tw.scale.fit(tw.CARTRegressor(max_bins=30), frame, target="y")
    assert same(est, in_memory(tw.CARTRegressor(max_bins=30), frame), tmp_path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("numeric", [False, True], ids=["classes", "numbers"])
def test_weights_count_as_in_memory(tmp_path: Path, kind: str, numeric: bool) -> None:
    frame = weighted((numbers if numeric else table)(3000, seed=4), kind)
    est = tw.CARTRegressor if numeric else tw.CARTClassifier
    got = tw.scale.fit(est(max_bins=30, min_samples_leaf=2), frame, target="y", weight="w")
    assert "w" not in got.feature_names_in_
    assert same(got, in_memory(est(max_bins=30, min_samples_leaf=2), frame, "w"), tmp_path)


@pytest.mark.parametrize("rows", [64, 3000])
@pytest.mark.parametrize("small", [1, 100, 3000])
def test_weights_in_shards_and_pieces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rows: int, small: int) -> None:
    monkeypatch.setattr(fitting, "shard_rows", lambda columns, memory: rows)
    monkeypatch.setattr(levels, "small_rows", lambda columns, memory: small)
    frame = weighted(numbers(1500, seed=5), "parts")
    est = tw.scale.fit(tw.CARTRegressor(max_bins=20, n_jobs=2), frame, target="y", weight="w")
    assert same(est, in_memory(tw.CARTRegressor(max_bins=20, n_jobs=2), frame, "w"), tmp_path)


def test_a_row_of_weight_2_is_the_row_twice() -> None:
    frame = table(1000, seed=6)
    weights = np.random.default_rng(7).integers(0, 4, 1000)
    twice = frame.loc[np.repeat(frame.index, weights)].reset_index(drop=True)
    one = tw.scale.fit(tw.CARTClassifier(max_bins=20), frame.assign(w=weights), target="y", weight="w")
    two = tw.scale.fit(tw.CARTClassifier(max_bins=20), twice, target="y")
    assert one.tree_.to_text() == two.tree_.to_text()


@pytest.mark.parametrize(
    "params",
    [
        {"class_weight": "balanced"},
        {"class_weight": {"yes": 3.0, "no": 0.5}},
        {"priors": [0.2, 0.3, 0.5]},
        {"loss": [[0, 1, 2], [4, 0, 1], [1, 3, 0]]},
        {"loss": [[0, 1, 2], [4, 0, 1], [1, 3, 0]], "priors": [0.2, 0.3, 0.5], "criterion": "info_gain"},
        {"class_weight": "balanced", "criterion": "info_gain", "missing": "majority"},
        {"class_weight": "balanced", "cp": 0.005},
    ],
    ids=str,
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_costs_of_classes(tmp_path: Path, params: dict[str, Any], weight: str | None) -> None:
    frame = table(3000, seed=8)
    if weight is not None:
        frame = weighted(frame, "parts")
    est = tw.scale.fit(tw.CARTClassifier(max_bins=30, **params), frame, target="y", weight=weight)
    assert same(est, in_memory(tw.CARTClassifier(max_bins=30, **params), frame, weight), tmp_path)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([1.0, -1.0], "weight: column 'w', rows from 0 on: .*-1.0 is not allowed"),
        ([1.0, np.nan], "weight: column 'w', rows from 0 on: .*nan is not allowed"),
        ([1.0, None], "weight: column 'w' has no value in row 1"),
        ([0.0, 0.0], "weight: all cells of column 'w' are 0"),
        ([1e308, 1e308], "the sum of .* overflows"),
        (["a", "b"], "weight: column 'w' is of type string"),
    ],
    ids=str,
)
def test_odd_weights_are_refused(cells: list[Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), pa.table({"x": [1.0, 2.0], "w": cells, "y": [0, 1]}), target="y", weight="w")


def test_the_weight_is_a_column_and_not_the_target() -> None:
    rows = pa.table({"x": [1.0, 2.0], "w": [1.0, 2.0], "y": [0, 1]})
    with pytest.raises(ValueError, match="weight: column 'v' is unknown"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), rows, target="y", weight="v")
    with pytest.raises(ValueError, match="weight='y' is the target"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), rows, target="y", weight="y")
    with pytest.raises(ValueError, match="the column 'y' alone"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), rows.drop_columns(["x"]), target="y", weight="w")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([1.0, None], "the target 'y' has no value in row 1"),
        ([1.0, np.inf], "the target 'y'.*infinity"),
        (["a", "b"], "must be numeric"),
    ],
    ids=str,
)
def test_odd_targets_of_numbers_are_refused(cells: list[Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.scale.fit(tw.CARTRegressor(max_bins=9), pa.table({"x": [1.0, 2.0], "y": cells}), target="y")


@pytest.mark.parametrize("counters", [1, 2000, 20_000])
@pytest.mark.parametrize("numeric", [False, True], ids=["classes", "numbers"])
def test_how_many_nodes_are_counted_together_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, counters: int, numeric: bool
) -> None:
    """A question is about so many counters, or about one node (of numbers, two siblings)."""
    monkeypatch.setattr(levels, "counters", lambda memory: counters)
    asked: list[int] = []
    added = executor.added

    def watched(*args: Any, **named: Any) -> Any:
        total = added(*args, **named)
        asked.append(len(total))
        return total

    monkeypatch.setattr(executor, "added", watched)
    frame = (numbers if numeric else table)(4000, seed=11)
    est = tw.CARTRegressor if numeric else tw.CARTClassifier
    got = tw.scale.fit(est(max_bins=20), frame, target="y")
    assert same(got, in_memory(est(max_bins=20), frame), tmp_path)
    # The root is asked for the range of its numbers, then for sums; siblings have grids of their own and are asked together.
    least = max(asked[:2]) * (2 if numeric else 1)
    assert max(asked) <= max(counters, least)
    assert len(asked) > 8
