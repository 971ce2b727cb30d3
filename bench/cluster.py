"""Dask on this machine against threads, and XGBoost on Dask: `python -m bench.cluster 5000000`; `--overhead` for latency.

Two workers of a local cluster, one thread each, started and warmed beforehand, read the Parquet files that `bench.parts` writes.
CPU seconds are those of all processes: of whoever fits, of the scheduler and of the workers.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from bench.parts import write_pieces

_SHAPES = {"depth 8": {"max_depth": 8}, "fully grown": {}}


def cpu_of_all() -> float:
    """CPU seconds of this process and of those it started, which live on."""
    this = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in (this, *this.children(recursive=True)))


def measured(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU seconds of all processes, seconds on the clock, and what came of it."""
    cpu, clock = cpu_of_all(), time.monotonic()
    found = work()
    return cpu_of_all() - cpu, time.monotonic() - clock, found


def fit(folder: str, client: Any, params: dict[str, Any], n_jobs: int) -> int:
    """Our tree; its leaves."""
    import pyarrow.dataset as ds

    import treewright as tw
    from treewright.scale.fitting import learn

    names = [f"x{j}" for j in range(20)]
    est: Any = tw.CARTClassifier(max_bins=255, n_jobs=n_jobs, **params)
    source = ds.dataset(folder, format="parquet")
    source = source.replace_schema(source.schema.empty_table().select([*names, "y"]).schema)
    learned = learn(est._learner, source, target="y", memory="1GB", client=client)
    return int(learned["tree_"].n_leaves)


def fit_xgboost(folder: str, client: Any, params: dict[str, Any]) -> int:
    """One tree of XGBoost on the same cluster."""
    import dask.dataframe as dd
    from xgboost import dask as dxgb

    frame = dd.read_parquet(folder)
    matrix = dxgb.DaskQuantileDMatrix(client, frame[[f"x{j}" for j in range(20)]], frame["y"], max_bin=256)
    chosen = {"max_depth": params.get("max_depth", 0), "tree_method": "hist", "objective": "binary:logistic"}
    booster = dxgb.train(client, chosen, matrix, num_boost_round=1)["booster"]
    return sum(line.count("leaf=") for line in booster.get_dump())


class Counted:
    """What an executor is asked, and how long whoever asks waits."""

    def __enter__(self) -> Counted:
        from treewright.scale import cluster

        self.waits: list[tuple[str, float]] = []
        self.whole = cluster.DaskExecutor._result

        def result(executor: Any, future: Any) -> Any:
            begin = time.monotonic()
            out = self.whole(executor, future)
            self.waits.append((str(future.key).partition("-")[0].removeprefix("treewright_"), time.monotonic() - begin))
            return out

        cluster.DaskExecutor._result = result  # type: ignore[method-assign]
        return self

    def __exit__(self, *rest: Any) -> None:
        from treewright.scale import cluster

        cluster.DaskExecutor._result = self.whole  # type: ignore[method-assign]


def main() -> None:
    """Measure."""
    import distributed

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int)
    parser.add_argument("--sides", default="threads,dask,xgboost")
    parser.add_argument("--shapes", default="depth 8,fully grown")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--overhead", action="store_true", help="a fit of few rows, of which nearly all is waiting for Dask")
    args = parser.parse_args()
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.ERROR}
    start = distributed.LocalCluster(n_workers=args.workers, **options)
    with tempfile.TemporaryDirectory() as folder, start as cluster, distributed.Client(cluster) as client:
        write_pieces(Path(folder), args.rows)
        if args.overhead:
            return _overhead(folder, client)
        _warm(client, args.sides.split(","))
        print(f"{'rows':>12}  {'shape':<12} {'side':<8} {'CPU s':>8} {'clock s':>8} {'leaves':>9}")
        for shape in args.shapes.split(","):
            for side in args.sides.split(","):
                params = _SHAPES[shape]
                work = {
                    "threads": lambda params=params: fit(folder, None, params, args.workers),
                    "dask": lambda params=params: fit(folder, client, params, 1),
                    "xgboost": lambda params=params: fit_xgboost(folder, client, params),
                }[side]
                cpu, clock, leaves = measured(work)
                print(f"{args.rows:>12,}  {shape:<12} {side:<8} {cpu:8.2f} {clock:8.2f} {leaves:>9,}", flush=True)
        return None


def _warm(client: Any, sides: list[str]) -> None:
    """Let everybody import what will be needed, by fits of few rows."""
    with tempfile.TemporaryDirectory() as folder:
        write_pieces(Path(folder), 20_000)
        for side in sides:
            if side == "xgboost":
                fit_xgboost(folder, client, {"max_depth": 2})
            else:
                fit(folder, client if side == "dask" else None, {"max_depth": 2}, 1)


def _overhead(folder: str, client: Any) -> None:
    from treewright.scale import fitting, levels

    fitting.partition_rows = lambda columns, memory: 1000  # type: ignore[assignment]
    levels.small_rows = lambda columns, memory: 200  # type: ignore[assignment]
    fit(folder, client, {"max_depth": 8}, 1)  # warm
    with Counted() as counted:
        cpu, clock, _ = measured(lambda: fit(folder, client, {"max_depth": 8}, 1))
    kinds: dict[str, list[float]] = {}
    for kind, wait in counted.waits:
        kinds.setdefault(kind, []).append(wait)
    print(f"{len(counted.waits)} waits, {clock:.2f} s, {cpu:.2f} CPU s")
    for kind, waits in kinds.items():
        print(f"  {kind:<10} {len(waits):>4} x {1000 * sum(waits) / len(waits):7.1f} ms, at least {1000 * min(waits):.1f} ms")


if __name__ == "__main__":
    main()
