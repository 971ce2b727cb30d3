"""Tables in partitions that are read elsewhere: the model is the one made in memory, and odd partitions are named."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from tests.scale.tables import in_memory, numbers, same, table
from tests.scale.wire import NO_CLUSTER, Wire
from treewright import _core
from treewright.scale import fitting, levels, partitions
from treewright.scale.executor import narrowed
from treewright.scale.shards import Plan, ShardRows, answer


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that goes through pickles, and parts of few rows, so that small tables take every step."""
    monkeypatch.setattr(fitting, "DaskExecutor", Wire)
    monkeypatch.setattr(fitting, "partition_rows", lambda columns, memory: 700)
    monkeypatch.setattr(levels, "small_rows", lambda columns, memory: 300)


class Frame:
    """What is asked of a frame of Dask: its columns, and partitions that are yet to be computed."""

    def __init__(self, *parts: Any) -> None:
        self.columns, self.parts = list(parts[0].columns), parts

    def to_delayed(self) -> list[Any]:
        return [SimpleNamespace(compute=lambda part=part: part) for part in self.parts]


def frame_of(frame: pd.DataFrame, *ends: int) -> Frame:
    return Frame(*(frame.iloc[a:b] for a, b in zip([0, *ends], [*ends, len(frame)], strict=True)))


def fitted(est: Any, source: Any) -> Any:
    return tw.scale.fit(est, source, target="y", client=NO_CLUSTER)


@pytest.mark.parametrize("rows", [64, 700, 2500, 5000])
@pytest.mark.parametrize("made", [table, numbers], ids=["classes", "numbers"])
def test_parts_of_files_change_no_byte(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: Any, rows: int) -> None:
    monkeypatch.setattr(fitting, "partition_rows", lambda columns, memory: rows)
    frame, folder = made(3000), tmp_path / "files"
    folder.mkdir()
    for at in range(3):
        frame.iloc[at * 1000 : (at + 1) * 1000].to_parquet(folder / f"part{at}.parquet", row_group_size=130)
    est = tw.CARTClassifier if made is table else tw.CARTRegressor
    expected = in_memory(est(max_bins=40), frame)
    assert same(fitted(est(max_bins=40), str(folder / "part*.parquet")), expected, tmp_path)
    assert same(fitted(est(max_bins=40), ds.dataset(folder, format="parquet")), expected, tmp_path)


@pytest.mark.parametrize(
    "params",
    [
        {"max_bins": 300, "criterion": "info_gain"},
        {"max_bins": 2},
        {"max_depth": 3},
        {"max_depth": 0},
        {"min_samples_leaf": 50, "min_samples_split": 0.02},
        {"max_features": 3, "random_state": 5},
        {"ties": "seeded", "random_state": 7},
        {"min_impurity_decrease": 0.002},
        {"missing": "majority"},
        {"class_weight": "balanced"},
        {"priors": {"no": 0.5, "perhaps": 0.25, "yes": 0.25}},
        {"cp": 0.01},
        {"ccp_alpha": 0.002},
    ],
    ids=str,
)
def test_settings_mean_the_same_elsewhere(tmp_path: Path, params: dict[str, Any]) -> None:
    frame = table(2000, seed=1)
    chosen = {"max_bins": 50, **params}
    est = fitted(tw.CARTClassifier(**chosen), frame_of(frame, 300, 900))
    assert same(est, in_memory(tw.CARTClassifier(**chosen), frame), tmp_path)


@given(st.lists(st.integers(0, 400), max_size=6).map(sorted), st.integers(0, 3))
@settings(max_examples=25)
def test_any_division_gives_the_same_model(ends: list[int], seed: int) -> None:
    """Partitions without rows among them, first, last and in between."""
    frame = table(400, seed).sort_values(["y", "text"], ignore_index=True)  # classes and levels that one partition alone has
    expected = in_memory(tw.CARTClassifier(max_bins=20), frame)
    assert fitted(tw.CARTClassifier(max_bins=20), frame_of(frame, *ends)).tree_ == expected.tree_


def test_partitions_may_differ_in_numbers_and_know_only_some_cells(tmp_path: Path) -> None:
    """Whole numbers here, others there; a column without a cell; declared levels that differ: the union is learned from."""
    rng = np.random.default_rng(0)
    parts = [
        pd.DataFrame({"x": rng.integers(0, 50, 300), "t": ["a", "b", None] * 100, "c": pd.Categorical(["u"] * 300, ["u", "v"])}),
        pd.DataFrame({"x": rng.random(300) * 50, "t": [None] * 300, "c": pd.Categorical(["w"] * 300, ["w"])}),
        pd.DataFrame({"x": np.full(300, np.nan), "t": ["0", "c", "b"] * 100, "c": pd.Categorical(["v"] * 300, ["u", "v"])}),
    ]
    for part in parts:
        part["y"] = np.where(rng.random(300) + (part["t"] == "b") > 0.8, "yes", "no")
    whole = pd.concat([part.astype({"c": object, "t": object}) for part in parts], ignore_index=True)
    whole["c"] = pd.Categorical(whole["c"], ["u", "v", "w"])
    expected = in_memory(tw.CARTClassifier(max_bins=20), whole)
    assert same(fitted(tw.CARTClassifier(max_bins=20), Frame(*parts)), expected, tmp_path)


def odd(**columns: Any) -> Frame:
    """Two partitions, the second of which has other cells."""
    rows = {"x": [1.0, 2.0], "y": ["a", "b"]}
    return Frame(pd.DataFrame(rows), pd.DataFrame({**rows, **columns}))


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        (odd(x=["p", "q"]), ValueError, "column 'x' is numbers in partition 0 and text in partition 1"),
        (odd(x=[True, False]), ValueError, "column 'x' is numbers in partition 0 and truth values in partition 1"),
        (odd(y=[1, 2]), ValueError, "target 'y' is text in partition 0 and numbers in partition 1"),
        (odd(y=["a", None]), ValueError, "partition 1: .*y"),
        (odd(x=[[1], [2]]), ValueError, "partition 1: column 'x'"),
        (odd(x=[1, "b"]), ValueError, "partition 1: "),
        (odd(z=[1, 2]), ValueError, r"partition 1: its columns are \['x', 'y', 'z'\], and \['x', 'y'\]"),
        (odd(x=[np.inf, 1.0]), ValueError, "column 'x' holds infinity"),
        (Frame(pd.DataFrame({"x": [1.0], "z": [1]})), ValueError, "target: column 'y' is unknown"),
        (Frame(pd.DataFrame({"y": [1]})), ValueError, "the column 'y' alone"),
        (Frame(pd.DataFrame({"x": [], "y": []})), ValueError, "no rows to learn from"),
        (pa.table({"x": [1.0], "y": [1]}), TypeError, "workers of a cluster read Parquet files that all of them reach"),
        ("nowhere/*.parquet", FileNotFoundError, "no such file"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_odd_partitions_are_named(source: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        fitted(tw.CARTClassifier(max_bins=9), source)


def test_orders_that_differ_are_named() -> None:
    one, two = (pd.DataFrame({"x": pd.Categorical(["a", "b"], list(order), ordered=True), "y": [0, 1]}) for order in ("ab", "ba"))
    with pytest.raises(ValueError, match=r"column 'x' orders its levels as \['a', 'b'\] in partition 0 .* in partition 1"):
        fitted(tw.CARTClassifier(max_bins=9), Frame(one.astype({"x": one["x"].dtype}), two))


def test_classes_are_declared_everywhere_or_nowhere() -> None:
    one, two = (pd.DataFrame({"x": [1.0, 2.0], "y": y}) for y in (pd.Categorical(["a", "b"]), ["c", "b"]))
    with pytest.raises(ValueError, match=r"the target 'y' is categories in partition 0 and text or numbers in partition 1"):
        fitted(tw.CARTClassifier(max_bins=9), Frame(one, two))


def test_files_are_named(tmp_path: Path) -> None:
    """A later file has another type: that is seen before anything is read. One that is broken later is named, too."""
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": [0, 1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": ["p", "q"], "y": [0, 1]}), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"column 'x' is double in .*a\.parquet' and string in .*b\.parquet'"):
        fitted(tw.CARTClassifier(max_bins=9), str(tmp_path / "*.parquet"))
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(whole[:4] + bytes(len(whole) // 4) + whole[4 + len(whole) // 4 :])
    with pytest.raises(ValueError, match=r"a\.parquet"):
        fitted(tw.CARTClassifier(max_bins=9), str(tmp_path / "a.parquet"))
    (tmp_path / "c.csv").write_text("x,y\n1,a\n")
    with pytest.raises(ValueError, match=r"c\.csv' is no Parquet file"):
        fitted(tw.CARTClassifier(max_bins=9), str(tmp_path / "c.csv"))


@pytest.mark.parametrize(
    ("est", "words"),
    [
        (tw.RipperClassifier(), "RipperClassifier is not learned from tables larger than memory"),
        (tw.C45Classifier(), "C45Classifier is not learned"),
        (tw.RandomForestClassifier(max_bins=9), "RandomForestClassifier: client= is for single trees"),
        (tw.CARTClassifier(), "set max_bins"),
    ],
    ids=["ripper", "c45", "forest", "no bins"],
)
def test_what_is_not_grown_elsewhere_is_refused_by_name(est: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        fitted(est, odd())


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4), st.sampled_from([0, 7, 15, 31, 47]))
def test_messages_hold_the_same_numbers(values: list[int], shift: int) -> None:
    counts = np.array(values, np.int64) >> shift
    narrow = narrowed(counts)
    assert np.result_type(narrow, np.int64) == np.int64  # they are added to such
    assert narrow.astype(np.int64).tolist() == counts.tolist()
    if len(values) and abs(counts).max() < 100:
        assert narrow.itemsize == 1


def test_frames_of_dask_need_a_client() -> None:
    with pytest.raises(TypeError, match=r"source is a frame of Dask.*pass client="):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), odd(), target="y")


def test_weights_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="weight='x': rows on a cluster weigh one each"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), odd(), target="y", weight="x", client=NO_CLUSTER)


def test_a_partition_that_changes_is_named() -> None:
    """What was told of it before its rows are coded is held against what is coded."""
    raw = partitions.read(
        partitions.Partition("partition 3", ["x", "y"], pd.DataFrame({"x": [1.0], "y": [0]})), fitting.Classes("y")
    )
    book = partitions.CodeBook([np.zeros(0, np.uint64)], [1], [np.dtype(np.float64)], np.dtype(np.uint8))
    with pytest.raises(
        partitions.PartitionError, match="partition 3 held other rows when it was read again: write it to Parquet"
    ):
        partitions.code(raw, book, [None], np.zeros(1, np.uint8), b"another")


def test_where_rows_are_is_found_anew() -> None:
    """A shard that was sent, or is asked about a level that is long past, answers as before."""
    rng = np.random.default_rng(0)
    facts = _core.CodedColumns()
    for _ in range(3):
        facts.add(False, 9, 0, [])
    codes, target = rng.integers(0, 9, (500, 3), np.uint8), rng.integers(0, 2, 500).astype(np.uint8)
    facts.set_weights(500)
    facts.class_totals = np.bincount(target).tolist()
    chosen = _core.GrowSettings()
    chosen.criterion, chosen.missing = "gini", "learned"
    plan = pickle.loads(pickle.dumps(Plan(facts, chosen)))
    grower = _core.level_grower(plan.facts, plan.settings, 20, 10**6)
    shard, known, asked = ShardRows(codes, target), list[Any](), list[Any]()
    while grower.question.nodes:
        question = pickle.loads(pickle.dumps(grower.question))
        found = answer(shard, plan, known, question)
        asked.append((list(known), question, found))
        grower.take(found)
        known.append(pickle.loads(pickle.dumps(grower.divisions)))
    assert len(asked) > 3
    for past, question, found in [*reversed(asked), *asked]:
        assert np.array_equal(answer(shard, plan, past, question), found)
        with shard.divided(plan, past) as rows:
            assert past or rows.rows_of(0).tolist() == list(range(500))  # in their order
        sent = pickle.loads(pickle.dumps(shard))
        sent.codes.flags.writeable = False
        assert np.array_equal(answer(sent, plan, past, question), found)
    with pytest.raises(ValueError, match="other columns than the shard has"):
        answer(ShardRows(codes[:, :2].copy(), target), Plan(_two(facts), plan.settings), known, asked[-1][1])


def _two(facts: Any) -> Any:
    """The facts of two of the columns."""
    out = _core.CodedColumns()
    for _ in range(2):
        out.add(False, 9, 0, [])
    out.set_weights(500)
    out.class_totals = facts.class_totals
    return out
