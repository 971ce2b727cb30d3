"""Learners that read their table from Parquet themselves: whole, or in parts."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np

from bench.contender import Contender
from bench.workloads import Array, Workload

_FILES = 4


def from_parquet(workload: Workload, in_parts: bool, **settings: Any) -> Contender:
    """CART in bins of a folder of Parquet files, which are written before the clock starts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import treewright as tw

    folder = tempfile.TemporaryDirectory(prefix="bench-")
    num, _, y = workload.train
    names = [f"x{j}" for j in range(num.shape[1])]
    for at, rows in enumerate(np.array_split(np.arange(len(y)), _FILES)):
        table = pa.table({**{name: num[rows, j] for j, name in enumerate(names)}, "y": y[rows]})
        pq.write_table(table, f"{folder.name}/part{at}.parquet")
    learner = tw.CARTRegressor if workload.task == "reg" else tw.CARTClassifier
    given: dict[str, Any] = {"max_bins": 255, "n_jobs": 1} | settings

    def fit(num: Array, nom: Array, y: Array) -> Any:
        if in_parts:
            return tw.scale.fit(learner(**given), folder.name, target="y", memory="1GB")
        table = pq.read_table(folder.name)
        return learner(**given).fit(table.drop_columns(["y"]), table["y"].to_numpy())

    def predict(model: Any, num: Array, nom: Array) -> Array:
        return np.asarray(model.predict(pa.table({name: num[:, j] for j, name in enumerate(names)})))

    return Contender(fit, predict, lambda model: int(model.tree_.n_leaves))
