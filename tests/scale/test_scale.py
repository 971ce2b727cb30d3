"""Tables larger than memory: the model is the one made in memory, byte for byte, however rows lie and whoever counts them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import treewright as tw
from tests.scale.tables import in_memory, same, table
from treewright.scale import fitting, levels
from treewright.scale.fitting import memory_bytes


@pytest.fixture(autouse=True)
def _many_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards and subtrees of few rows, so that small tables take every step."""
    monkeypatch.setattr(fitting, "shard_rows", lambda columns, memory: 700)
    monkeypatch.setattr(levels, "small_rows", lambda columns, memory: 300)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("rows", [64, 700, 2500, 5000])
def test_shards_and_threads_change_no_byte(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, threads: int, rows: int) -> None:
    """One shard of all rows, 79 of 64: the same file."""
    monkeypatch.setattr(fitting, "shard_rows", lambda columns, memory: rows)
    frame = table()
    path = tmp_path / "table.parquet"
    frame.to_parquet(path, row_group_size=900)
    est = tw.CARTClassifier(max_bins=40, n_jobs=threads)
    expected = in_memory(tw.CARTClassifier(max_bins=40, n_jobs=threads), frame)
    assert tw.scale.fit(est, str(path), target="y") is est
    assert est.tree_.n_nodes > 300
    assert same(est, expected, tmp_path)
    assert est.n_features_in_ == 9
    assert est.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    assert np.array_equal(est.predict(frame.drop(columns="y")), expected.predict(frame.drop(columns="y")))


@pytest.mark.parametrize(
    "params",
    [
        {"max_bins": 255},
        {"max_bins": 300, "criterion": "info_gain"},
        {"max_bins": 2},
        {"max_depth": 3},
        {"max_depth": 0},
        {"min_samples_leaf": 50, "min_samples_split": 0.02},
        {"max_features": 3, "random_state": 5},
        {"ties": "seeded", "random_state": 7},
        {"min_impurity_decrease": 0.002},
        {"missing": "majority"},
        {"cp": 0.01},
        {"ccp_alpha": 0.002},
    ],
    ids=str,
)
def test_settings_mean_the_same(tmp_path: Path, params: dict[str, Any]) -> None:
    frame = table(seed=1)
    chosen = {"max_bins": 50, **params}
    est = tw.scale.fit(tw.CARTClassifier(**chosen), frame, target="y")
    assert same(est, in_memory(tw.CARTClassifier(**chosen), frame), tmp_path)


@pytest.mark.parametrize("small", [1, 50, 5000])
def test_where_subtrees_begin_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small: int) -> None:
    monkeypatch.setattr(levels, "small_rows", lambda columns, memory: small)
    frame = table(3000, seed=2)
    est = tw.scale.fit(tw.CARTClassifier(max_bins=30), frame, target="y")
    assert same(est, in_memory(tw.CARTClassifier(max_bins=30), frame), tmp_path)


def test_sources_are_alike(tmp_path: Path) -> None:
    frame = table(2000, seed=3)
    for at in range(4):
        frame.iloc[at * 500 : (at + 1) * 500].to_parquet(tmp_path / f"part{at}.parquet")
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    expected = in_memory(tw.CARTClassifier(max_bins=30), frame)
    sources: list[Any] = [
        tmp_path,
        str(tmp_path / "part*.parquet"),
        [tmp_path / f"part{at}.parquet" for at in range(4)],
        ds.dataset(tmp_path, format="parquet"),
        arrow,
        arrow.to_reader(300),
        frame,
    ]
    for source in sources:
        est = tw.scale.fit(tw.CARTClassifier(max_bins=30), source, target="y")
        assert same(est, expected, tmp_path), source


def test_relations_of_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = table(1500, seed=4).drop(columns=["category", "order"])
    relation = duckdb.sql("select * from frame")
    est = tw.scale.fit(tw.CARTClassifier(max_bins=30), relation, target="y")
    assert same(est, in_memory(tw.CARTClassifier(max_bins=30), frame), tmp_path)


def batches(frames: list[pd.DataFrame]) -> Iterator[pa.RecordBatch]:
    for frame in frames:
        yield from pa.Table.from_pandas(frame, preserve_index=False).to_batches()


def reader(schema: pa.Schema, frames: list[pd.DataFrame]) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(schema, (pa.record_batch(b.columns, schema=schema) for b in batches(frames)))


def test_parts_may_be_empty_or_know_only_some_levels(tmp_path: Path) -> None:
    """Classes, levels and missing cells that one part alone has; parts without rows first, last and in between."""
    frame = (
        table(1200, seed=5)[["single", "double", "text", "y"]].sort_values(["y", "text"], ascending=False).reset_index(drop=True)
    )
    schema = pa.Table.from_pandas(frame, preserve_index=False).schema
    empty = pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
    whole = pa.Table.from_pandas(frame, preserve_index=False)
    parts = [empty, *whole.slice(0, 500).to_batches(), empty, *whole.slice(500).to_batches(), empty]
    est = tw.scale.fit(tw.CARTClassifier(max_bins=30), pa.RecordBatchReader.from_batches(schema, parts), target="y")
    assert same(est, in_memory(tw.CARTClassifier(max_bins=30), frame), tmp_path)


def test_declared_classes_keep_their_order(tmp_path: Path) -> None:
    frame = table(800, seed=6)
    frame["y"] = pd.Categorical(frame["y"], ["yes", "perhaps", "never", "no"])
    est = tw.scale.fit(tw.CARTClassifier(max_bins=30), frame, target="y")
    expected = in_memory(tw.CARTClassifier(max_bins=30), frame)
    assert est.tree_.target.classes == ("yes", "perhaps", "never", "no")
    assert same(est, expected, tmp_path)


def test_whole_numbers_are_classes(tmp_path: Path) -> None:
    frame = table(800, seed=7)
    frame["y"] = frame["y"].map({"yes": 7, "no": -2, "perhaps": 3})
    est = tw.scale.fit(tw.CARTClassifier(max_bins=30), frame, target="y")
    assert est.classes_.tolist() == [-2, 3, 7]
    assert same(est, in_memory(tw.CARTClassifier(max_bins=30), frame), tmp_path)


@pytest.mark.parametrize(
    ("est", "error", "words"),
    [
        (tw.CARTClassifier(), ValueError, "set max_bins, such as max_bins=255"),
        (tw.CARTClassifier(max_bins=9, significance=0.05), ValueError, "significance=0.05 is for tables in memory"),
        (tw.CARTClassifier(max_bins=9, forced={"column": "x"}), ValueError, "forced=.* is for tables in memory"),
        (tw.CARTRegressor(max_bins=9, keep_targets=True), ValueError, "keep_targets=True is for tables in memory"),
        (tw.CARTRegressor(max_bins=9, criterion="absolute_error"), ValueError, "criterion='absolute_error' is for"),
        (tw.CARTClassifier(max_bins=9, min_weight_fraction_leaf=0.1), ValueError, "min_weight_fraction_leaf=0.1 is for"),
        (tw.RandomForestClassifier(max_bins=9, oob_score=True), ValueError, "oob_score=True is for tables in memory"),
        (tw.RandomForestClassifier(max_bins=9, bootstrap="balanced"), ValueError, "bootstrap='balanced' is for tables in memory"),
        (tw.RandomForestClassifier(max_bins=9, warm_start=True), ValueError, "warm_start=True is for tables in memory"),
        (tw.RandomForestClassifier(), ValueError, "set max_bins, such as max_bins=255"),
        (tw.CARTClassifier(max_bins=9, max_leaf_nodes=4), ValueError, "max_leaf_nodes=4 is for"),
        (tw.CARTClassifier(max_bins=9, missing="surrogate"), ValueError, "missing='surrogate' is for"),
        (tw.CARTClassifier(max_bins=9, criterion="twoing"), ValueError, "criterion='twoing' is for"),
        (tw.RipperClassifier(), TypeError, "RipperClassifier is not learned"),
        (tw.ExtraTreesClassifier(), TypeError, "ExtraTreesClassifier is not learned"),
        ("cart", TypeError, "est='cart'"),
        (tw.CARTClassifier(max_bins=9, missing="refuse"), ValueError, "column 'x' has 1 missing cell .*missing='refuse'"),
    ],
    ids=str,
)
def test_what_is_not_grown_by_levels_is_refused_by_name(est: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        tw.scale.fit(est, pa.table({"x": [1.0, None], "y": [0, 1]}), target="y")


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("nowhere/*.parquet", FileNotFoundError, "there is no such file"),
        (3, TypeError, "source=3 is neither a file"),
        (pa.table({"x": [1.0], "z": [0]}), ValueError, "target: column 'y' is unknown"),
        (pa.table({"y": [1]}), ValueError, "the column 'y' alone"),
        (pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.int64())}), ValueError, "no rows"),
        (pa.table({"x": [1.0, np.inf], "y": [0, 1]}), ValueError, "column 'x' holds infinity"),
        (pa.table({"x": [[1.0], [2.0]], "y": [0, 1]}), TypeError, "column 'x' has type"),
        (pa.table({"x": [1.0, 2.0], "y": [0, None]}), ValueError, "y"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_sources_that_cannot_be_learned_from(source: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), source, target="y")


def test_parts_of_other_types_are_named() -> None:
    """Levels declared in another order in a later part."""
    one = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["a", "b"]), ordered=True)
    two = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["b", "a"]), ordered=True)
    schema = pa.schema([("size", one.type), ("y", pa.int64())])
    parts = [pa.record_batch([each, pa.array([0, 1])], schema=schema) for each in (one, two)]
    with pytest.raises(ValueError, match=r"column 'size' orders its levels as .*'a', 'b'.* and as .*'b', 'a'.* in batch 1"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), pa.RecordBatchReader.from_batches(schema, parts), target="y")


def test_a_truncated_file_is_an_error_and_the_estimator_stays(tmp_path: Path) -> None:
    frame = table(3000, seed=8)
    path = tmp_path / "table.parquet"
    frame.to_parquet(path, row_group_size=500)
    est = tw.scale.fit(tw.CARTClassifier(max_bins=9), path, target="y")
    before = est.tree_
    path.write_bytes(path.read_bytes()[:-3000])
    with pytest.raises(tw.DataFormatError, match="the Parquet file cannot be read"):
        tw.scale.fit(est, path, target="y")
    assert est.tree_ is before


@pytest.mark.parametrize(
    ("memory", "size"),
    [("500MB", 500_000_000), ("2GiB", 2 << 30), ("1.5 gb", 1_500_000_000), (1 << 27, 1 << 27), ("100000K", 100_000_000)],
)
def test_memory_is_read(memory: Any, size: int) -> None:
    assert memory_bytes(memory) == size


@pytest.mark.parametrize("memory", ["much", "1PB", -1, 0, True, "5", None, 1.5, "10 IB"])
def test_odd_memory_is_refused(memory: Any) -> None:
    with pytest.raises(ValueError, match="memory="):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), pa.table({"x": [1.0], "y": [0]}), target="y", memory=memory)


def test_scratch_is_gone_whatever_happens(tmp_path: Path) -> None:
    frame = table(2000, seed=9)
    tw.scale.fit(tw.CARTClassifier(max_bins=9), frame, target="y", scratch=tmp_path)
    assert list(tmp_path.iterdir()) == []
    frame.loc[1999, "single"] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), frame, target="y", scratch=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="unlinked files are seen in /proc")
def test_a_killed_process_leaves_no_files(tmp_path: Path) -> None:
    """Files have no name while they are used."""
    code = """
import os, signal, sys
import pyarrow as pa, treewright as tw
import treewright.scale.fitting as fitting
def kill(*rest): os.kill(os.getpid(), signal.SIGKILL)
fitting.grow_levels = kill
table = pa.table({"x": list(range(1000)), "y": [0, 1] * 500})
tw.scale.fit(tw.CARTClassifier(max_bins=9), table, target="y", scratch=sys.argv[1])
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, env=os.environ, timeout=120)
    assert done.returncode == -9
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing_and_the_estimator_as_it_was(tmp_path: Path) -> None:
    code = """
import os, signal, sys
import pyarrow as pa, treewright as tw
from treewright.scale import executor, levels
whole = executor.added
def interrupted(*rest, **named):
    os.kill(os.getpid(), signal.SIGINT)
    return whole(*rest, **named)
executor.added = interrupted
table = pa.table({"x": list(range(9000)), "y": [0, 1] * 4500})
levels.small_rows = lambda columns, memory: 100
est = tw.CARTClassifier(max_bins=9)
try:
    tw.scale.fit(est, table, target="y", scratch=sys.argv[1])
except KeyboardInterrupt:
    print("ended", hasattr(est, "tree_"))
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout == "ended False\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the size of files")
def test_a_full_disk_is_named(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
import numpy as np, pyarrow as pa, treewright as tw
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
table = pa.table({"x": np.arange(100_000.0), "y": np.arange(100_000) % 2})
try:
    tw.scale.fit(tw.CARTClassifier(max_bins=9), table, target="y", scratch=sys.argv[1])
except OSError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, capture_output=True, text=True, timeout=120)
    assert "has no room for" in done.stdout and "scratch=" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_parquet_files_of_pandas_are_read(tmp_path: Path) -> None:
    """An index that pandas wrote is a column like any other, as it is to Arrow."""
    frame = table(300, seed=10)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "t.parquet")
    est = tw.scale.fit(tw.CARTClassifier(max_bins=9), tmp_path / "t.parquet", target="y")
    assert est.tree_.n_leaves > 1


def test_a_column_that_names_rows_is_refused_before_all_of_them_are_read() -> None:
    """Its levels are held in memory, so a table larger than memory must not be read to its end for that."""
    schema, read = pa.schema([("id", pa.string()), ("y", pa.string())]), []

    def batches() -> Any:
        for at in range(0, 500_000, 50_000):
            read.append(at)
            names = [str(row) for row in range(at, at + 50_000)]
            yield pa.record_batch([names, ["no", "yes"] * 25_000], schema=schema)

    with pytest.raises(ValueError, match=r"column 'id' has more than 65535 levels.*leave it out"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), pa.RecordBatchReader.from_batches(schema, batches()), target="y")
    assert read == [0, 50_000]


@pytest.mark.parametrize("kind", [str, float])
@pytest.mark.parametrize("weight", [None, "w"])
def test_rows_are_counted_over_the_whole_table(kind: type, weight: str | None) -> None:
    """Over all batches, and over rows that weigh nothing."""
    y = [kind(row % 2) for row in range(300)]
    y[250] = None if kind is str else np.nan
    table = pa.table({"x": np.arange(300.0), "w": np.where(np.arange(300) % 3 == 0, 0.0, 1.0), "y": y})
    names = table if weight else table.drop_columns(["w"])
    for est in (tw.CARTClassifier, tw.CARTRegressor) if kind is float else (tw.CARTClassifier,):
        parts = pa.RecordBatchReader.from_batches(names.schema, names.to_batches(max_chunksize=120))
        with pytest.raises(ValueError, match="the target 'y' has no value in row 250: drop such rows first"):
            tw.scale.fit(est(max_bins=9), parts, target="y", weight=weight)


def test_more_numbers_than_their_sums_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "MOST_NUMBERS", 100)
    frame = pa.table({"x": np.arange(100.0), "y": np.arange(100.0) % 2})
    with pytest.raises(ValueError, match="100 rows: trees of numbers are learned from fewer than 100"):
        tw.scale.fit(tw.CARTRegressor(max_bins=9), frame, target="y")
    assert tw.scale.fit(tw.CARTRegressor(max_bins=9), frame.slice(1), target="y").tree_.n_leaves > 1
    assert tw.scale.fit(tw.CARTClassifier(max_bins=9), frame, target="y").tree_.n_leaves > 1
