"""Fits that are begun again go on where they were lost, and take nothing from another fit, or from a file that is damaged."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.scale.tables import in_memory, numbers, same, table
from tests.scale.wire import NO_CLUSTER, Wire
from treewright.scale import checkpoint, executor, fitting, levels, shards
from treewright.store.binary import section_of, to_bytes


@pytest.fixture(autouse=True)
def _many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "DaskExecutor", Wire)
    monkeypatch.setattr(fitting, "partition_rows", lambda columns, memory: 700)
    monkeypatch.setattr(fitting, "shard_rows", lambda columns, memory: 700)
    monkeypatch.setattr(levels, "small_rows", lambda columns, memory: 300)


class Lost(Exception):
    """The process is gone."""


def lose_after(monkeypatch: pytest.MonkeyPatch, writes: int) -> None:
    """So many files are written; then the process is lost, while it writes the next."""
    whole, left = checkpoint.write_whole, [writes]

    def write(path: Any, contents: bytes) -> None:
        if not left[0]:
            raise Lost
        left[0] -= 1
        whole(path, contents)

    monkeypatch.setattr(checkpoint, "write_whole", write)


def asked_of_shards(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What shards are asked from now on."""
    asked: list[Any] = []
    whole = executor.ThreadExecutor.total

    def total(self: Any, work: Any, *rest: Any, **named: Any) -> Any:
        asked.append(work)
        return whole(self, work, *rest, **named)

    monkeypatch.setattr(executor.ThreadExecutor, "total", total)
    return asked


@pytest.mark.parametrize("elsewhere", [False, True], ids=["threads", "partitions"])
@pytest.mark.parametrize("made", [table, numbers], ids=["classes", "numbers"])
@pytest.mark.parametrize("writes", [0, 1, 3, 7])
def test_a_fit_that_was_lost_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: Any, elsewhere: bool, writes: int
) -> None:
    frame = made(2500)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=400)
    est = tw.CARTClassifier if made is table else tw.CARTRegressor
    expected = in_memory(est(max_bins=30), frame)
    where: dict[str, Any] = {"client": NO_CLUSTER if elsewhere else None, "checkpoint": tmp_path / "kept"}
    with monkeypatch.context() as patched:
        lose_after(patched, writes)
        with pytest.raises(Lost):
            tw.scale.fit(est(max_bins=30), tmp_path / "t.parquet", target="y", **where)
    assert len(list((tmp_path / "kept").iterdir())) == writes
    got = tw.scale.fit(est(max_bins=30), tmp_path / "t.parquet", target="y", **where)
    assert same(got, expected, tmp_path)
    assert not (tmp_path / "kept").exists()


def test_nothing_is_counted_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Lost after the last subtree: shards are asked for nothing but sizes of subtrees, and none is grown."""
    frame = table(1500)
    est = tw.CARTClassifier(max_bins=30)
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint.Checkpoint, "drop", lambda self: None)
        tw.scale.fit(est, frame, target="y", checkpoint=tmp_path / "kept")
    assert len(list((tmp_path / "kept").iterdir())) > 5
    asked, whole = asked_of_shards(monkeypatch), est.tree_
    monkeypatch.setattr(levels, "grow", None)
    assert tw.scale.fit(est, frame, target="y", checkpoint=tmp_path / "kept").tree_ == whole
    assert asked == [shards.sizes]


def begun(folder: Path, frame: pd.DataFrame, **params: Any) -> list[Path]:
    """The files of a fit that was lost at its end."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(checkpoint.Checkpoint, "drop", lambda self: None)
        tw.scale.fit(tw.CARTClassifier(**{"max_bins": 30, **params}), frame, target="y", checkpoint=folder)
    return sorted(folder.iterdir())


@pytest.mark.parametrize(
    ("params", "named", "words"),
    [
        ({"max_depth": 4}, {}, "max_depth was 'None' there and is '4' here"),
        ({"max_bins": 31}, {}, "max_bins was '30' there and is '31' here"),
        ({"random_state": 3}, {}, "random_state was"),
        ({}, {"memory": "2GB"}, "memory was '1000000000' there and is '2000000000' here"),
        ({}, {"target": "few"}, "target was"),
    ],
)
def test_a_checkpoint_of_another_fit_is_refused_before_the_table_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, params: dict[str, Any], named: dict[str, Any], words: str
) -> None:
    frame = table(900)
    begun(tmp_path / "kept", frame)
    monkeypatch.setattr(fitting, "read_rows", None)
    est = tw.CARTClassifier(**{"max_bins": 30, **params})
    with pytest.raises(tw.scale.CheckpointError, match=f"is of another fit: {words}.*remove this one to begin anew"):
        tw.scale.fit(est, frame, **{"target": "y", "checkpoint": tmp_path / "kept", **named})
    assert not hasattr(est, "tree_")


def test_a_checkpoint_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    frame = table(900)
    begun(tmp_path / "kept", frame)
    monkeypatch.setattr(tw, "__version__", "99.0")
    with pytest.raises(tw.scale.CheckpointError, match=r"the version of treewright was .* there and is '99.0' here"):
        tw.scale.fit(tw.CARTClassifier(max_bins=30), frame, target="y", checkpoint=tmp_path / "kept")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_checkpoint_of_another_table_is_refused(tmp_path: Path, n_jobs: int) -> None:
    frame = table(900)
    begun(tmp_path / "kept", frame)
    other = frame.copy()
    other.loc[899, "single"] = -other.loc[899, "single"]
    with pytest.raises(tw.scale.CheckpointError, match="is of another fit: the table was"):
        tw.scale.fit(tw.CARTClassifier(max_bins=30, n_jobs=n_jobs), other, target="y", checkpoint=tmp_path / "kept")
    assert tw.scale.fit(tw.CARTClassifier(max_bins=30, n_jobs=n_jobs), frame, target="y", checkpoint=tmp_path / "kept")


def test_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "notes.txt").write_text("mine")
    tw.scale.fit(tw.CARTClassifier(max_bins=9), table(900), target="y", checkpoint=tmp_path / "kept")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["notes.txt"]


def test_forests_refuse_a_checkpoint_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="RandomForestClassifier: checkpoint= is for single trees"):
        tw.scale.fit(tw.RandomForestClassifier(max_bins=9), table(300), target="y", checkpoint=tmp_path / "kept")


def test_damaged_files_are_named(tmp_path: Path) -> None:
    """Any byte of a file changed, or the file cut at any length."""
    frame = table(900)
    files = begun(tmp_path / "kept", frame)
    draw = random.Random(0)
    for path in (files[0], files[-1]):
        whole = path.read_bytes()
        for _ in range(12):
            at = draw.randrange(len(whole))
            for content in (whole[:at], whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1 :]):
                path.write_bytes(content)
                with pytest.raises(tw.scale.CheckpointError, match=rf"{path.name} is not a valid checkpoint: .*remove it"):
                    tw.scale.fit(tw.CARTClassifier(max_bins=30), frame, target="y", checkpoint=tmp_path / "kept")
        path.write_bytes(whole)
    (files[0]).unlink()
    files[0].mkdir()
    with pytest.raises(tw.scale.CheckpointError, match="not a regular file"):
        tw.scale.fit(tw.CARTClassifier(max_bins=30), frame, target="y", checkpoint=tmp_path / "kept")


def change(value: Any, draw: random.Random) -> Any:
    """A section with one entry that is something else."""
    if isinstance(value, dict) and value:
        name = draw.choice(sorted(value))
        return {**value, name: change(value[name], draw)}
    if isinstance(value, list) and value:
        at = draw.randrange(len(value))
        return [*value[:at], change(value[at], draw), *value[at + 1 :]]
    if hasattr(value, "dtype") and value.size and draw.random() < 0.8:
        out = value.copy()
        out[draw.randrange(len(out))] = draw.choice([0, 1, 2, 255, *([] if out.dtype.kind == "u" else [-1, -1000])])
        return out if draw.random() < 0.8 else out[: draw.randrange(len(out))]
    return draw.choice([None, -1, 3.5, "text", [], {}, [1, 2]])


@pytest.mark.parametrize("made", [table, numbers], ids=["classes", "numbers"])
def test_forged_files_are_an_error_or_a_tree(tmp_path: Path, made: Any) -> None:
    """Their checksums are right: what they hold is refused, or learned from as if it were so."""
    frame = made(900)
    est = tw.CARTClassifier if made is table else tw.CARTRegressor
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(checkpoint.Checkpoint, "drop", lambda self: None)
        tw.scale.fit(est(max_bins=30), frame, target="y", checkpoint=tmp_path / "kept")
        files = sorted((tmp_path / "kept").iterdir())
        draw = random.Random(1)
        for _ in range(60):
            path = draw.choice(files)
            whole = path.read_bytes()
            path.write_bytes(to_bytes(change(section_of(whole), draw)))
            try:
                tree = tw.scale.fit(est(max_bins=30), frame, target="y", checkpoint=tmp_path / "kept").tree_
            except tw.scale.CheckpointError:
                pass
            else:
                assert tree.n_leaves > 0
            for each in set((tmp_path / "kept").iterdir()) - set(files):
                each.unlink()
            path.write_bytes(whole)


@pytest.mark.parametrize("state", [np.random.RandomState(0), np.random])
def test_a_random_state_that_goes_on_is_refused(tmp_path: Path, state: Any) -> None:
    est = tw.CARTClassifier(max_bins=255, max_features=1, random_state=state)
    with pytest.raises(ValueError, match=r"random_state=.*the same seed: give a whole number"):
        tw.scale.fit(est, table(500), target="y", checkpoint=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("folder", [3, b"kept", ["kept"]])
def test_a_checkpoint_is_a_folder(folder: Any) -> None:
    with pytest.raises(TypeError, match=r"checkpoint=.*: it must be the path of a folder"):
        tw.scale.fit(tw.CARTClassifier(max_bins=255), table(100), target="y", checkpoint=folder)
