"""Forests out of core: the file is the one that a fit in memory writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.scale.tables import in_memory, numbers, same, table
from tests.scale.test_weights import weighted
from treewright import _core
from treewright.scale import fitting, levels


@pytest.fixture(autouse=True)
def _many_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "shard_rows", lambda columns, memory: 500)
    monkeypatch.setattr(levels, "small_rows", lambda columns, memory: 200)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("rows", [64, 500, 4000])
def test_shards_and_threads_change_no_byte(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, threads: int, rows: int) -> None:
    monkeypatch.setattr(fitting, "shard_rows", lambda columns, memory: rows)
    frame = table(3000)
    params: dict[str, Any] = {"n_estimators": 7, "max_bins": 30, "n_jobs": threads, "random_state": 3}
    est = tw.scale.fit(tw.RandomForestClassifier(**params), frame, target="y")
    assert len(est.forest_) == 7
    assert same(est, in_memory(tw.RandomForestClassifier(**params), frame), tmp_path)


@pytest.mark.parametrize(
    "params",
    [
        {"bootstrap": False},
        {"max_features": None},
        {"max_features": 1},
        {"max_samples": 0.3},
        {"max_depth": 2},
        {"class_weight": "balanced"},
        {"class_weight": "balanced_subsample"},
        {"class_weight": {"yes": 4.0}, "criterion": "entropy"},
        {"missing": "majority", "min_samples_leaf": 5},
    ],
    ids=str,
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_settings_mean_the_same(tmp_path: Path, params: dict[str, Any], weight: str | None) -> None:
    frame = table(1500, seed=1)
    if weight is not None:
        frame = weighted(frame, "some are nothing")
    chosen = {"n_estimators": 5, "max_bins": 30, **params}
    est = tw.scale.fit(tw.RandomForestClassifier(**chosen), frame, target="y", weight=weight)
    assert same(est, in_memory(tw.RandomForestClassifier(**chosen), frame, weight), tmp_path)


@pytest.mark.parametrize("weight", [None, "whole", "parts"])
@pytest.mark.parametrize("features", [1.0, 2])
def test_forests_of_numbers(tmp_path: Path, weight: str | None, features: Any) -> None:
    frame = numbers(1500, seed=2)
    if weight is not None:
        frame = weighted(frame, weight)
    name = None if weight is None else "w"
    chosen = {"n_estimators": 5, "max_bins": 30, "max_features": features}
    est = tw.scale.fit(tw.RandomForestRegressor(**chosen), frame, target="y", weight=name)
    assert same(est, in_memory(tw.RandomForestRegressor(**chosen), frame, name), tmp_path)


def test_columns_that_offer_nothing_are_made_up_for(tmp_path: Path) -> None:
    """Where the columns drawn first are constant, others are drawn."""
    frame = table(1200, seed=3)[["single", "y"]].assign(**{f"c{j}": 1.0 for j in range(9)})
    chosen = {"n_estimators": 3, "max_bins": 30, "max_features": 1}
    est = tw.scale.fit(tw.RandomForestClassifier(**chosen), frame, target="y")
    assert min(tree.n_leaves for tree in est.forest_.trees) > 20
    assert same(est, in_memory(tw.RandomForestClassifier(**chosen), frame), tmp_path)


def test_many_trees_are_grown_some_at_a_time(tmp_path: Path) -> None:
    frame = table(600, seed=4)
    est = tw.scale.fit(tw.RandomForestClassifier(23, max_bins=20), frame, target="y", scratch=tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert same(est, in_memory(tw.RandomForestClassifier(23, max_bins=20), frame), tmp_path)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 7, 64, 1000, 1025])
@pytest.mark.parametrize("step", [1, 10, 4096])
def test_rows_are_drawn_the_same_part_by_part(n_rows: int, step: int) -> None:
    for draws in (1, n_rows, max(1, n_rows // 3)):
        whole = _core.drawn_counts(5, 2, n_rows, draws)
        parts = _core.DrawnCounts(5, 2, n_rows, draws)
        assert np.array_equal(np.concatenate([parts.next(step) for _ in range(-(-n_rows // step))]), whole)
        assert len(parts.next(step)) == 0
