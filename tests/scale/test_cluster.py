"""A cluster of Dask: the model is the one made in memory, byte for byte, whatever workers there are, and whoever is lost."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.scale.tables import in_memory, numbers, same, table
from treewright.scale import cluster as of_dask
from treewright.scale import fitting, levels

distributed = pytest.importorskip("distributed", reason="distributed is not installed")
dd = pytest.importorskip("dask.dataframe", reason="frames of Dask are not installed")

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="workers are killed by signals"),
    pytest.mark.xdist_group("cluster"),  # one cluster for all
    # What goes wrong between a client and a cluster that is taken from it is said by threads of Dask, too.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]

PATIENCE = 400  # seconds after which a test is taken to hang


@pytest.fixture(autouse=True)
def _never_hangs() -> Iterator[None]:
    def hangs(*rest: Any) -> None:
        raise TimeoutError(f"nothing has come of it for {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def _many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "partition_rows", lambda columns, memory: 700)
    monkeypatch.setattr(levels, "small_rows", lambda columns, memory: 300)
    monkeypatch.setattr(of_dask, "PATIENCE", 300.0)  # on a machine that is busy, workers take long to come again


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    """Three workers, each a process of one thread, that come again when they are killed."""
    options = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with distributed.LocalCluster(processes=True, **options) as cluster:
        yield cluster


@pytest.fixture
def client(workers: Any) -> Iterator[Any]:
    with distributed.Client(workers) as client:
        client.wait_for_workers(3, timeout=180)
        yield client
        until(lambda: not tasks(client))  # whatever a test does, nothing is left


def tasks(client: Any) -> list[str]:
    return client.run_on_scheduler(lambda dask_scheduler: list(map(str, dask_scheduler.tasks)))


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextlib.contextmanager
def in_this_process(n: int = 1) -> Iterator[tuple[Any, Any]]:
    """A cluster that is there at once, and whose scheduler may go."""
    options = {"n_workers": n, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with distributed.LocalCluster(processes=False, **options) as cluster, distributed.Client(cluster) as client:
        yield cluster, client


def at_total(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], Any]) -> None:
    """Do something while an answer is on its way: bins are counted first, then levels."""
    whole, count = of_dask.DaskExecutor._result, [0]

    def result(self: Any, future: Any) -> Any:
        count[0] += 1
        if count[0] == number:
            act()
        return whole(self, future)

    monkeypatch.setattr(of_dask.DaskExecutor, "_result", result)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_K1_workers_and_partitions_change_no_byte(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: Any, workers: Any, n: int
) -> None:
    """Files read by one, two and three workers, in as many parts as there are, in four, and in one."""
    frame = table(2000)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=100)
    expected = in_memory(tw.CARTClassifier(max_bins=40), frame)
    some = list(client.run(os.getpid, on_error="ignore"))[:n]
    submit = client.submit
    monkeypatch.setattr(client, "submit", lambda *args, **named: submit(*args, **{**named, "workers": some}))
    for rows in (100, 2500) if n == 2 else (700,):
        monkeypatch.setattr(fitting, "partition_rows", lambda columns, memory, rows=rows: rows)
        est = tw.CARTClassifier(max_bins=40)
        assert tw.scale.fit(est, str(tmp_path / "t.parquet"), target="y", client=client) is est
        assert same(est, expected, tmp_path)


@pytest.mark.parametrize("made", [table, numbers], ids=["classes", "numbers"])
@pytest.mark.parametrize("partitions", [2, 7])
def test_K2_frames_of_dask(tmp_path: Path, client: Any, made: Any, partitions: int) -> None:
    """Partitions without rows first, in between and last."""
    frame = made(1500, seed=2).drop(columns=["order"])
    est = tw.CARTClassifier if made is table else tw.CARTRegressor
    lazy = dd.from_pandas(frame, npartitions=partitions, sort=False)
    empty = lazy[lazy["few"] > 100]
    got = tw.scale.fit(est(max_bins=30), dd.concat([empty, lazy, empty, empty]), target="y", client=client)
    assert same(got, in_memory(est(max_bins=30), lazy.compute()), tmp_path)


def kill(client: Any, n: int = 1) -> None:
    """Workers lost at one blow."""
    for process in list(client.run(os.getpid, on_error="ignore").values())[:n]:
        os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize(("at", "n"), [(1, 1), (6, 2), (22, 3)])
def test_K4_killed_workers_change_no_byte(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: Any, at: int, n: int) -> None:
    """One while partitions are read, two while bins are counted, all three while levels are."""
    frame = table(2000, seed=3)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=300)
    killed: list[int] = []
    at_total(monkeypatch, at, lambda: killed.append(kill(client, n)))  # type: ignore[func-returns-value]
    est = tw.scale.fit(tw.CARTClassifier(max_bins=40), str(tmp_path / "t.parquet"), target="y", client=client)
    assert killed
    assert same(est, in_memory(tw.CARTClassifier(max_bins=40), frame), tmp_path)


def test_a_partition_that_changes_after_a_loss_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: Any) -> None:
    """Its rows were lost with the worker that held them, and are others when they are read again."""
    frame = table(1200, seed=4)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=300)

    def change() -> None:
        other = frame.copy()
        other["single"] = -other["single"]
        other.to_parquet(tmp_path / "t.parquet", row_group_size=300)
        kill(client, 3)  # whoever holds them

    at_total(monkeypatch, 12, change)
    with pytest.raises((tw.scale.PartitionError, OSError), match=r"t\.parquet"):
        tw.scale.fit(tw.CARTClassifier(max_bins=40), str(tmp_path / "t.parquet"), target="y", client=client)


def test_ctrl_c_leaves_nothing_on_the_cluster(monkeypatch: pytest.MonkeyPatch, client: Any) -> None:
    """The fixture looks for tasks that are left."""
    est = tw.CARTClassifier(max_bins=30)
    at_total(monkeypatch, 9, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        tw.scale.fit(est, dd.from_pandas(table(1500), npartitions=5), target="y", client=client)
    assert not hasattr(est, "tree_")


def test_work_that_kills_its_workers_is_given_up(client: Any) -> None:
    """Dask gives up such a piece after a number of workers; here after the first."""

    def part(at: int) -> pd.DataFrame:
        if at == 2:
            os._exit(1)
        return table(50)

    def set_allowed(number: int) -> int:
        return client.run_on_scheduler(_allowed_failures, number)

    lazy = dd.from_map(part, range(4), meta=table(50))
    before = set_allowed(0)
    try:
        with pytest.raises(
            tw.scale.ClusterError, match=r"tcp://.* were lost while they did the same piece of work, mostly for want"
        ):
            tw.scale.fit(tw.CARTClassifier(max_bins=9), lazy, target="y", client=client)
    finally:
        set_allowed(before)


def _allowed_failures(number: int, dask_scheduler: Any) -> int:
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def test_K3_errors_of_partitions_come_back_by_name(client: Any) -> None:
    """The error is that of the partition, and nothing is left."""

    def part(at: int) -> pd.DataFrame:
        return pd.DataFrame({"x": [1.0, 2.0] if at < 2 else ["p", "q"], "y": ["a", "b"]})

    lazy = dd.from_map(part, range(4), meta=part(0), enforce_metadata=False)
    with pytest.raises(tw.scale.PartitionError, match="column 'x' is numbers in partition 0 and text in partition 2"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), lazy, target="y", client=client)


def test_K8_a_worker_of_another_version_is_named(client: Any) -> None:
    """Before anything is done; and by the worker itself, should it have come later."""
    one = next(iter(client.run(os.getpid, on_error="ignore")))  # not one that an earlier test has killed
    frame = dd.from_pandas(table(300), npartitions=3)

    def pretend(version: str) -> None:
        import treewright

        treewright.__version__ = version

    client.run(pretend, "0.0.7", workers=[one])
    try:
        with pytest.raises(tw.scale.ClusterError, match=rf"worker {one} has treewright 0\.0\.7, and here it is {tw.__version__}"):
            tw.scale.fit(tw.CARTClassifier(max_bins=9), frame, target="y", client=client)
        late = client.submit(of_dask._carried, tw.__version__, len, [1], workers=[one], pure=False)
        with pytest.raises(tw.scale.ClusterError, match=r"has treewright 0\.0\.7, and the fit was begun with"):
            late.result(timeout=60)
        late.release()
    finally:
        client.run(pretend, tw.__version__, workers=[one])


def test_a_cluster_without_workers_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_dask, "PATIENCE", 3.0)
    with in_this_process() as (cluster, client):
        at_total(monkeypatch, 5, lambda: cluster.scale(0))
        with pytest.raises(
            tw.scale.ClusterError, match="for 3 seconds there is no worker: start some; what a fit with checkpoint="
        ):
            tw.scale.fit(tw.CARTClassifier(max_bins=9), dd.from_pandas(table(900), npartitions=3), target="y", client=client)


def test_K6_workers_that_pause_for_want_of_memory_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask lets such workers begin nothing."""
    monkeypatch.setattr(of_dask, "PATIENCE", 3.0)

    def pause(dask_worker: Any) -> None:
        from distributed.core import Status

        dask_worker.memory_manager.memory_monitor_interval = None
        for callback in dask_worker.periodic_callbacks.values():
            callback.stop() if "memory" in str(callback.callback) else None
        dask_worker.status = Status.paused

    with in_this_process() as (_, client):
        at_total(monkeypatch, 5, lambda: client.run(pause))
        with pytest.raises(tw.scale.ClusterError, match="all 1 workers are paused: for want of memory; give workers more"):
            tw.scale.fit(tw.CARTClassifier(max_bins=9), dd.from_pandas(table(900), npartitions=3), target="y", client=client)


def test_a_lost_scheduler_ends_the_fit_and_another_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: Any) -> None:
    frame = table(2000, seed=5)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=300)
    where = {"target": "y", "checkpoint": tmp_path / "kept"}
    with monkeypatch.context() as patched, in_this_process(2) as (own, first):
        at_total(patched, 25, own.close)
        with pytest.raises(tw.scale.ClusterError, match=r"lost.*goes on from there"):
            tw.scale.fit(tw.CARTClassifier(max_bins=40), str(tmp_path / "t.parquet"), client=first, **where)
    assert list((tmp_path / "kept").iterdir())
    est = tw.scale.fit(tw.CARTClassifier(max_bins=40), str(tmp_path / "t.parquet"), client=client, **where)
    assert same(est, in_memory(tw.CARTClassifier(max_bins=40), frame), tmp_path)
    assert not (tmp_path / "kept").exists()


def test_what_is_no_client_is_refused(client: Any) -> None:
    frame = table(300)
    for odd in ("tcp://127.0.0.1:8786", 3, object()):
        with pytest.raises(TypeError, match=r"is no distributed\.Client"):
            tw.scale.fit(tw.CARTClassifier(max_bins=9), frame, target="y", client=odd)
    gone = distributed.Client(client.scheduler.address)
    gone.close()
    with pytest.raises(tw.scale.ClusterError, match="is closed: connect it"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), frame, target="y", client=gone)


@pytest.mark.parametrize("est", [tw.CARTClassifier(max_depth=4), tw.CARTRegressor(max_depth=4)], ids=["classes", "numbers"])
def test_frames_are_answered_where_they_lie(client: Any, est: Any) -> None:
    """Equal to the answers in memory, with the index of the rows; a partition without rows has none."""
    frame = (table if hasattr(est, "predict_proba") else numbers)(600, seed=6)
    est.fit(frame.drop(columns="y"), frame["y"])
    lazy = dd.from_pandas(frame.drop(columns="y"), npartitions=4)
    lazy = dd.concat([lazy[lazy["few"] > 100], lazy])
    got = tw.scale.predict(est, lazy).compute()
    rows = lazy.compute()
    assert got.tolist() == est.predict(rows).tolist()
    assert got.index.equals(rows.index)
    assert tw.scale.predict(est, lazy)._meta.dtype == got.dtype
    if hasattr(est, "predict_proba"):
        shares = tw.scale.predict_proba(est, lazy).compute()
        assert np.array_equal(shares.to_numpy(), est.predict_proba(rows))
        assert shares.columns.tolist() == est.classes_.tolist()
    else:
        with pytest.raises(TypeError, match="CARTRegressor predicts no shares of classes"):
            tw.scale.predict_proba(est, lazy)
    with pytest.raises(TypeError, match="is no frame of Dask"):
        tw.scale.predict(est, rows)
    with pytest.raises(TypeError, match=r"tw\.scale\.predict answers them"):
        est.predict(lazy)
