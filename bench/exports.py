"""The exports against `predict`, on 1,000,000 rows: C compiled with `gcc -O2`, and SQL of a tree of 1,000 leaves in DuckDB.

`python -m bench.exports` prints CPU seconds, the least of five runs each, in alternation.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw

ROWS, COLUMNS, REPEATS = 1_000_000, 20, 5


def _table() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=ROWS) > 0).astype(int)


def _least(*runs: Callable[[], Any]) -> list[float]:
    """The least CPU seconds of each, taken in turn."""
    found: list[list[float]] = [[] for _ in runs]
    for _ in range(REPEATS):
        for run, times in zip(runs, found, strict=True):
            begin = time.process_time()
            run()
            times.append(time.process_time() - begin)
    return [min(times) for times in found]


def _line(what: str, est: Any, model: float, export: float) -> None:
    leaves = f"{what:<8} {est.tree_.n_leaves:>7} leaves"
    print(f"{leaves}   predict {model:.3f} s   export {export:.3f} s   {export / model:.2f} x predict")


def c_export(est: Any, X: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "tree.c"
        source.write_text(est.to_c(), encoding="ascii")
        subprocess.run(["gcc", "-O2", "-std=c99", "-shared", "-fPIC", str(source), "-o", f"{source}.so", "-lm"], check=True)
        lib = ctypes.CDLL(f"{source}.so")
        said = np.empty(len(X), np.int32)
        arguments = (ctypes.c_void_p(X.ctypes.data), ctypes.c_size_t(len(X)), ctypes.c_void_p(said.ctypes.data))
        _line("C", est, *_least(lambda: est.predict(X), lambda: lib.tree_predict_many(*arguments)))
        assert np.array_equal(est.classes_[said], est.predict(X))


def duckdb_export(est: Any, X: Any) -> None:
    import duckdb
    import pyarrow as pa

    with duckdb.connect() as db:
        db.execute("SET threads = 1")
        db.register("source", pa.table({f"x{j}": X[:, j] for j in range(COLUMNS)}))
        db.execute("CREATE TABLE rows AS SELECT * FROM source")
        query = est.to_sql("duckdb", keep=[])
        _line("DuckDB", est, *_least(lambda: est.predict(X), lambda: db.execute(query).fetchnumpy()))
        assert np.array_equal(db.execute(query).fetchnumpy()["prediction"], est.predict(X))


def main() -> None:
    X, y = _table()
    for leaves in (8, 1000, None):
        est = tw.CARTClassifier(max_leaf_nodes=leaves).fit(X[:100_000], y[:100_000])
        c_export(est, X)
        if leaves == 1000:
            duckdb_export(est, X)


if __name__ == "__main__":
    main()
