"""Our own learners as contenders: one function each, and one line in `OURS`."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.contender import Contender, Entry
from bench.workloads import Array, Workload


def cart(workload: Workload) -> Contender:
    """CART with its defaults, fully grown, on the float32 array or, with nominal columns, on a pandas frame."""
    import treewright as tw

    learner = tw.CARTRegressor if workload.task == "reg" else tw.CARTClassifier
    table = _table(workload)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        return learner(n_jobs=1).fit(table(num, nom), y)

    def predict(model: Any, num: Array, nom: Array) -> Array:
        return np.asarray(model.predict(table(num, nom)))

    return Contender(fit, predict, lambda model: int(model.tree_.n_leaves))


def _table(workload: Workload) -> Any:
    if not workload.levels:
        return lambda num, nom: num

    import pandas as pd

    levels = [[f"L{level}" for level in range(count)] for count in workload.levels]

    def frame(num: Array, nom: Array) -> pd.DataFrame:
        numeric = {f"n{j}": column for j, column in enumerate(num.T)}
        nominal = {f"c{j}": pd.Categorical.from_codes(column, levels[j]) for j, column in enumerate(nom.T)}
        return pd.DataFrame(numeric | nominal)

    return frame


OURS = {
    "cart": Entry("treewright CART", "treewright", cart),
}
