"""Kills workers of a cluster while trees are grown: after every step, one or several, and clients with them. A program.

    python -m tests.scale.chaos [ROUNDS] [SEED]

First a worker is killed at every step of one fit; then, in so many rounds, tables, parts and workers are drawn, and several
are killed at steps that are drawn, or the process that fits is killed and the fit begun again from its checkpoint. Every model
must be the one made in memory, byte for byte, within a time limit; whatever is not ends the program with its seed.
"""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import distributed

import treewright as tw
from tests.scale.tables import in_memory, numbers, table, written
from treewright.scale import cluster as of_dask
from treewright.scale import fitting, levels

LIMIT = 300  # seconds of one fit


def main(rounds: int, seed: int) -> None:
    """Run everything."""
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with tempfile.TemporaryDirectory() as name, distributed.LocalCluster(n_workers=3, **options) as cluster:
        folder = Path(name)
        steps = every_step(folder, cluster)
        print(f"a worker killed at each of {steps} steps: the same bytes", flush=True)
        kills = sum(one_round(folder, cluster, random.Random(seed + at), seed + at) for at in range(rounds))
        print(f"{rounds} rounds, {kills} workers and clients killed: the same bytes")


def every_step(folder: Path, cluster: Any) -> int:
    """Kill a worker at the first step, the second, and so on, until a fit has no such step."""
    frame = table(1500)
    frame.to_parquet(folder / "every.parquet", row_group_size=250)
    est = tw.CARTClassifier(max_bins=30)
    expected = written(in_memory(tw.CARTClassifier(max_bins=30), frame), folder / "expected.json")
    step = 0
    while True:
        step += 1
        with distributed.Client(cluster) as client, Watched({step: 1}, client) as watched:
            client.wait_for_workers(3, timeout=180)
            limited(
                lambda client=client: tw.scale.fit(est, str(folder / "every.parquet"), target="y", client=client), f"step {step}"
            )
        require(written(est, folder / "got.json") == expected, f"step {step}")
        if not watched.killed:
            return step - 1


def one_round(folder: Path, cluster: Any, draw: random.Random, seed: int) -> int:
    """A fit with several losses; how many."""
    numeric = draw.random() < 0.3
    frame = (numbers if numeric else table)(draw.randrange(500, 4000), seed)
    path = folder / f"{seed}.parquet"
    frame.to_parquet(path, row_group_size=draw.randrange(50, 900))
    est: Any = (tw.CARTRegressor if numeric else tw.CARTClassifier)(max_bins=draw.choice([10, 40, 300]))
    expected = written(in_memory(type(est)(max_bins=est.max_bins), frame), folder / "expected.json")
    plan = {draw.randrange(1, 30): draw.randrange(1, 4) for _ in range(draw.randrange(1, 5))}
    if draw.random() < 0.3:
        return client_killed(folder, path, est, expected, cluster, draw, seed)
    with distributed.Client(cluster) as client, Watched(plan, client) as watched:
        limited(lambda: tw.scale.fit(est, str(path), target="y", client=client), f"seed {seed}")
    require(written(est, folder / "got.json") == expected, f"seed {seed}: {plan}")
    return watched.killed


def client_killed(folder: Path, path: Path, est: Any, expected: bytes, cluster: Any, draw: random.Random, seed: int) -> int:
    """The process that fits is killed again and again; a checkpoint takes every next one further."""
    task = {
        "address": cluster.scheduler_address,
        "path": str(path),
        "kept": str(folder / f"kept-{seed}"),
        "name": type(est).__name__,
        "max_bins": est.max_bins,
        "out": str(folder / "got.json"),
    }
    killed = 0
    while True:
        task["write"] = draw.randrange(1, 6) if killed < 4 else 0
        done = subprocess.run([sys.executable, "-m", "tests.scale.chaos", "fit", json.dumps(task)], check=False, timeout=LIMIT)
        if done.returncode == 0:
            break
        require(done.returncode == -signal.SIGKILL, f"seed {seed}: the fit ended with {done.returncode}")
        killed += 1
    require((folder / "got.json").read_bytes() == expected, f"seed {seed}: after {killed} clients")
    require(not Path(task["kept"]).exists(), f"seed {seed}: its checkpoint is left")
    return killed


def fit_and_die(task: dict[str, Any]) -> None:
    """Fit, and be killed after so many files of the checkpoint were written (0: live)."""
    small()
    from treewright.scale import checkpoint

    whole, left = checkpoint.write_whole, [task["write"]]

    def write(path: Any, contents: bytes) -> None:
        whole(path, contents)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    checkpoint.write_whole = write  # type: ignore[assignment]
    est = getattr(tw, task["name"])(max_bins=task["max_bins"])
    with distributed.Client(task["address"]) as client:
        tw.scale.fit(est, task["path"], target="y", client=client, checkpoint=task["kept"]).save(task["out"])


class Watched:
    """Kills so many workers at the steps of a plan."""

    def __init__(self, plan: dict[int, int], client: Any) -> None:
        self.plan, self.client, self.step, self.killed = plan, client, 0, 0

    def __enter__(self) -> Watched:
        self.whole = of_dask.DaskExecutor._result

        def result(executor: Any, future: Any) -> Any:
            self.step += 1
            for process in list(self.client.run(os.getpid, on_error="ignore").values())[: self.plan.get(self.step, 0)]:
                os.kill(process, signal.SIGKILL)
                self.killed += 1
            return self.whole(executor, future)

        of_dask.DaskExecutor._result = result  # type: ignore[method-assign]
        return self

    def __exit__(self, *rest: Any) -> None:
        of_dask.DaskExecutor._result = self.whole  # type: ignore[method-assign]


def limited(work: Any, name: str) -> None:
    """Do something within the time limit."""

    def hangs(*rest: Any) -> None:
        sys.exit(f"{name}: nothing has come of it for {LIMIT} seconds")

    signal.signal(signal.SIGALRM, hangs)
    signal.alarm(LIMIT)
    begin = time.monotonic()
    work()
    signal.alarm(0)
    print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)


def require(holds: bool, name: str) -> None:
    """End with what went wrong."""
    if not holds:
        sys.exit(f"{name}: another model")


def small() -> None:
    """Parts and subtrees of few rows, so that small tables take every step."""
    fitting.partition_rows = lambda columns, memory: 500  # type: ignore[assignment]
    levels.small_rows = lambda columns, memory: 200  # type: ignore[assignment]


if __name__ == "__main__":
    if sys.argv[1:2] == ["fit"]:
        fit_and_die(json.loads(sys.argv[2]))
    else:
        small()
        given = [int(each) for each in sys.argv[1:]]
        main(*(given + [10, 1][len(given) :]))
