"""What happens to files while they are learned from, or did before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treewright as tw
from tests.scale.tables import same, table
from treewright.scale import fitting, ingest


def learned(source: Any, **more: Any) -> Any:
    return tw.scale.fit(tw.CARTClassifier(max_bins=30, **more), source, target="y", memory="64MiB")


def parts(folder: Path, columns: list[dict[str, Any]]) -> str:
    for at, each in enumerate(columns):
        pq.write_table(pa.table(each), folder / f"part{at}.parquet")
    return str(folder / "part*.parquet")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pa.array([1, 2, 3], pa.int64()), pa.array([0.5, 2.5, 3.5])),
        (pa.array([1, 2, 3], pa.int8()), pa.array([100, 2000, 30000], pa.int32())),
        (pa.array([1, 2, 3], pa.float32()), pa.array([0.1, 2.1, 3.1], pa.float64())),
        (pa.array(["a", "b", "c"]), pa.array(["d", "b", "a"], pa.large_string())),
        (pa.array([None, None, None], pa.null()), pa.array(["d", "b", "a"])),
        (pa.array([1.5, 2.5, 3.5]), pa.array([None, None, None], pa.null())),
        (pa.array(["a", "b", "c"]).dictionary_encode(), pa.array(["d", "c", "a"]).dictionary_encode()),
    ],
    ids=lambda array: str(array.type),
)
def test_K3_types_of_files_are_put_together(tmp_path: Path, first: Any, second: Any) -> None:
    """As Arrow puts tables together."""
    y = ["p", "q", "q"]
    source = parts(tmp_path, [{"x": first, "y": y}, {"x": second, "y": y}])
    whole = pa.concat_tables([pa.table({"x": first}), pa.table({"x": second})], promote_options="permissive")
    est = learned(source)
    assert same(est, tw.CARTClassifier(max_bins=30).fit(whole, pd.Series(y * 2, name="y")), tmp_path)


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"x": ["1", "2"], "y": ["p", "q"]}, "column 'x' is int64 in '.*part0.parquet' and string in '.*part1.parquet'"),
        ({"x": [True, False], "y": ["p", "q"]}, "column 'x' is int64 in '.*part0.parquet' and bool in '.*part1.parquet'"),
        ({"y": ["p", "q"]}, "column 'x' is in '.*part0.parquet' and not in '.*part1.parquet'"),
        ({"x": [1, 2], "y": ["p", "q"], "z": [1, 2]}, "column 'z' is in '.*part1.parquet' and not in '.*part0.parquet'"),
    ],
    ids=str,
)
def test_K3_other_columns_are_refused_with_both_files(tmp_path: Path, second: dict[str, Any], words: str) -> None:
    source = parts(tmp_path, [{"x": [1, 2], "y": ["p", "q"]}, second])
    with pytest.raises(ValueError, match=words):
        learned(source)


def test_columns_may_stand_in_another_order(tmp_path: Path) -> None:
    one, two = {"a": [1, 2], "b": [3, 3], "y": ["p", "q"]}, {"y": ["q", "p"], "b": [3, 3], "a": [2, 1]}
    assert learned(parts(tmp_path, [one, two])).predict(pd.DataFrame({"a": [1, 2], "b": [3, 3]})).tolist() == ["p", "q"]


def test_K2_files_without_rows(tmp_path: Path) -> None:
    frame = table(600, seed=1)
    whole = pa.Table.from_pandas(frame, preserve_index=False)
    for at, rows in enumerate([slice(0, 0), slice(0, 400), slice(400, 400), slice(400, 600), slice(0, 0)]):
        pq.write_table(whole.slice(rows.start, rows.stop - rows.start), tmp_path / f"part{at}.parquet")
    expected = tw.CARTClassifier(max_bins=30).fit(whole.drop_columns(["y"]), frame["y"])
    assert same(learned(str(tmp_path / "part*.parquet")), expected, tmp_path)


@pytest.mark.parametrize("left", [0, 3, 100, 5000])
def test_a_truncated_file_is_named(tmp_path: Path, left: int) -> None:
    source = parts(tmp_path, [{"x": np.arange(5000.0), "y": np.arange(5000) % 2}] * 2)
    path = tmp_path / "part1.parquet"
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(tw.DataFormatError, match=r"part1\.parquet: the Parquet file cannot be read"):
        learned(source)


def test_a_file_that_is_overwritten_while_it_is_read_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its end was read, what stands before it is other bytes now; the estimator stays as it was."""
    rng = np.random.default_rng(2)
    source = parts(tmp_path, [{"x": rng.random(200_000), "y": rng.integers(0, 2, 200_000)}] * 2)
    path = tmp_path / "part1.parquet"
    take = ingest.Column.take

    def taken(self: Any, raw: Any, batch: int) -> Any:
        if batch == 0:
            size = path.stat().st_size
            path.write_bytes(bytes(size // 2) + path.read_bytes()[size // 2 :])
        return take(self, raw, batch)

    est = learned(pa.table({"x": [1.0, 2.0], "y": [0, 1]}))
    before = est.tree_
    monkeypatch.setattr(ingest.Column, "take", taken)
    with pytest.raises(tw.DataFormatError, match=r"part1\.parquet: the Parquet file cannot be read"):
        tw.scale.fit(est, source, target="y", scratch=tmp_path)
    assert est.tree_ is before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["part0.parquet", "part1.parquet"]


def test_a_file_that_changes_once_it_was_read_does_no_harm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Rows are read once."""
    frame = table(800, seed=3)
    frame.to_parquet(tmp_path / "t.parquet")
    expected = learned(frame)
    training_of = fitting.training_of

    def gone(rows: Any) -> Any:
        (tmp_path / "t.parquet").write_bytes(b"gone")
        return training_of(rows)

    monkeypatch.setattr(fitting, "training_of", gone)
    assert same(learned(tmp_path / "t.parquet"), expected, tmp_path)


def test_a_scratch_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(OSError, match=str(folder)):
            tw.scale.fit(tw.CARTClassifier(max_bins=9), pa.table({"x": [1.0, 2.0], "y": [0, 1]}), target="y", scratch=folder)
