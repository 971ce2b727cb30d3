"""Out of core against in memory: `python -m bench.parts 2000000 4000000`; long, for the docs, 10000000 20000000.

Tables of 20 columns of float32 are made in pieces and written as Parquet, then learned from by `tw.scale.fit(memory="1GB")`
and by reading them whole and `est.fit`, each in a process of its own: CPU seconds, and how far its own memory grew, mapped
files apart.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

_PIECE = 500_000
_SHAPES = {"depth 8": {"max_depth": 8}, "fully grown": {}}
_SIDES = ("parts", "memory", "xgboost")


def write_pieces(folder: Path, rows: int, columns: int = 20) -> None:
    """Two classes that depend on a few of the columns, with noise; the same rows for the same numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for at in range(0, rows, _PIECE):
        rng = np.random.default_rng((7, at))
        n = min(_PIECE, rows - at)
        X = rng.standard_normal((n, columns), np.float32)
        score = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * X[:, 3] + rng.standard_normal(n, np.float32)
        table = {**{f"x{j}": X[:, j] for j in range(columns)}, "w": rng.random(n), "y": (score > 0).astype(np.int8), "z": score}
        pq.write_table(pa.table(table), folder / f"part-{at // _PIECE:05}.parquet")


class Watch:
    """The most anonymous memory this process has had since (Linux)."""

    def __init__(self) -> None:
        self.begin, self.most, self.done = own_memory(), 0, threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self.done.wait(0.02):
            self.most = max(self.most, own_memory() - self.begin)


def own_memory() -> int:
    """Bytes of this process that are no mapped files."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:"))


def learn(side: str, folder: str, task: str, params: dict[str, Any]) -> dict[str, Any]:
    """Learn once in this process."""
    import pyarrow.parquet as pq

    import treewright as tw

    target, weight = ("z", None) if task == "numbers" else ("y", "w" if task == "weights" else None)
    others = [name for name in ("y", "z", "w") if name not in (target, weight)]
    kind = tw.CARTRegressor if task == "numbers" else tw.CARTClassifier
    if task == "forest":
        kind, params = tw.RandomForestClassifier, {"n_estimators": 10, **params}
    columns = [f"x{j}" for j in range(20)]
    est = kind(max_bins=255, **params)
    pattern = f"{folder}/*.parquet"
    watch, begin = Watch(), _cpu()
    if side == "parts":
        import pyarrow.dataset as ds

        from treewright.scale.fitting import learn as in_parts

        learned = in_parts(
            est._learner, ds.dataset(folder, format="parquet"), target=target, weight=weight, memory="1GB", ignore=others
        )
        est._take(learned)
    elif side == "memory":
        table = pq.read_table(folder)
        rows = table["w"].to_numpy() if weight else None
        est.fit(table.select(columns), table[target].to_numpy(), rows)
    else:
        return _xgboost(pattern, columns, target, params, watch)
    watch.done.set()
    leaves = est.tree_.n_leaves if hasattr(est, "tree_") else sum(tree.n_leaves for tree in est.forest_.trees)
    return {"cpu": _cpu() - begin, "memory": watch.most, "leaves": leaves}


def _xgboost(pattern: str, columns: list[str], target: str, params: dict[str, Any], watch: Watch) -> dict[str, Any]:
    """One tree of XGBoost from external memory, a file at a time."""
    import glob

    import pyarrow.parquet as pq
    import xgboost

    class Files(xgboost.DataIter):
        def __init__(self) -> None:
            self.files, self.at = sorted(glob.glob(pattern)), 0
            super().__init__(cache_prefix=f"{tempfile.mkdtemp()}/cache")

        def next(self, input_data: Any) -> bool:
            if self.at == len(self.files):
                return False
            table = pq.read_table(self.files[self.at])
            input_data(
                data=np.column_stack([table[name].to_numpy() for name in columns]),
                label=table[target].to_numpy().astype(np.float32),
            )
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    begin = _cpu()
    matrix = xgboost.ExtMemQuantileDMatrix(Files(), max_bin=256)
    chosen = {"max_depth": params.get("max_depth", 0), "tree_method": "hist", "nthread": 1, "objective": "binary:logistic"}
    booster = xgboost.train(chosen, matrix, num_boost_round=1)
    watch.done.set()
    leaves = sum(line.count("leaf=") for line in booster.get_dump())
    return {"cpu": _cpu() - begin, "memory": watch.most, "leaves": leaves}


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure the sizes that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int, nargs="+")
    parser.add_argument("--sides", default="parts,memory", help="of parts, memory, xgboost")
    parser.add_argument("--shapes", default="depth 8,fully grown")
    parser.add_argument("--task", default="classes", choices=["classes", "numbers", "weights", "forest"])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child is not None:
        side, folder, task, shape = json.loads(args.child)
        print(json.dumps(learn(side, folder, task, _SHAPES[shape])))
        return
    print(f"{'rows':>12}  {'shape':<12} {'side':<8} {'CPU s':>8} {'memory MB':>10} {'leaves':>9}")
    for rows in args.rows:
        with tempfile.TemporaryDirectory() as folder:
            write_pieces(Path(folder), rows)
            for shape in args.shapes.split(","):
                for side in args.sides.split(","):
                    asked = json.dumps([side, folder, args.task, shape])
                    command = [sys.executable, "-m", "bench.parts", str(rows), "--child", asked]
                    found = json.loads(
                        subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
                    )
                    told = f"{found['cpu']:8.2f} {found['memory'] / 1e6:10.0f} {found['leaves']:9,}"
                    print(f"{rows:>12,}  {shape:<12} {side:<8} {told}", flush=True)


if __name__ == "__main__":
    main()
