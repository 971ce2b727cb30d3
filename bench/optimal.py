"""Optimal trees: the tables both sides search, and the searches as contenders.

All rows are learned from and judged, so that the objective is the number of training rows that the tree has wrong. Nobody
has a limit of time: a search that returns has proven its tree.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.contender import Contender
from bench.workloads import Array, NotHere, Workload

_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
# Deciles that a column of numbers is asked for.
_DECILES = np.arange(1, 10) / 10
# Work that is far from done within the limit of a second.
LIMIT = 1.0


def binary(table: str) -> Workload:
    """A shared table as columns of zeros and ones: at most nine thresholds a column of numbers, one column a level.

    Missing cells answer no to a threshold and are a level of their own. Columns that say what an earlier one says, or its
    opposite, are left out.
    """
    frame, y = _read(table)
    kept: dict[bytes, Array] = {}
    for name in frame:
        for said in _tests(frame[name]):
            if said.any() and not said.all():
                # A column and its opposite have the same key: that in which the first row answers no.
                kept.setdefault((said ^ said[0]).tobytes(), said)
    return _whole(f"binary_{table}", np.column_stack(list(kept.values())).astype(np.int32), y)


def numbers(table: str) -> Workload:
    """The columns of numbers of a shared table as they are; where one has missing cells they are its mean."""
    frame, y = _read(table)
    cells = frame.select_dtypes("number").to_numpy(np.float64)
    return _whole(f"numbers_{table}", np.where(np.isnan(cells), np.nanmean(cells, axis=0), cells), y)


def _read(table: str) -> tuple[Any, Array]:
    import pandas as pd

    path = _FOLDER / f"{table}.parquet"
    if not path.exists():
        raise NotHere(f"the table {path.name} is not among the shared tables here")
    frame = pd.read_parquet(path)
    y = np.unique(frame.pop(frame.columns[-1]).astype(str), return_inverse=True)[1].astype(np.int32)
    if table == "monks-2":  # its training rows come again among those of the whole space
        again = frame.duplicated().to_numpy()
        frame, y = frame[~again], y[~again]
    return frame, y


def _tests(column: Any) -> list[Array]:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_numeric_dtype(column) and not is_bool_dtype(column):
        x = column.to_numpy(np.float64, na_value=np.nan)
        known = x[~np.isnan(x)]
        cuts = np.unique(np.quantile(known, _DECILES, method="lower"))
        return [x <= cut for cut in cuts[cuts < known.max()]]
    cells = column.astype(object).where(column.notna(), "?").astype(str).to_numpy()
    levels = np.unique(cells)
    return [cells == level for level in (levels[:1] if len(levels) == 2 else levels)]


def _whole(name: str, num: Array, y: Array) -> Workload:
    """All rows to learn from, and the same rows to judge by."""
    return Workload(name, np.vstack([num, num]), np.empty((2 * len(y), 0), np.int16), np.tile(y, 2), len(y))


# The tables of each kind with the depths at which they are searched: those that take anybody more than an instant, and no hours.
BINARY = {
    "iris": (4,), "breast-w": (3, 4), "diabetes": (3, 4), "ionosphere": (2, 3, 4), "vote": (3, 4), "monks-2": (4,), "car": (3, 4),
    "banknote": (3, 4), "kr-vs-kp": (3, 4), "mushroom": (2, 3, 4), "spambase": (2, 3), "adult": (2, 3),
}  # fmt: skip
NUMBERS = {
    "iris": (4,), "breast-w": (3, 4), "banknote": (3, 4), "column-3c": (3, 4), "haberman": (3, 4), "diabetes": (2, 3),
    "ionosphere": (2, 3), "wdbc": (2, 3), "phoneme": (2, 3),
}  # fmt: skip

DEPTHS = range(2, 5)
TABLES: dict[str, Callable[[], Workload]] = {f"binary_{table}": partial(binary, table) for table in BINARY}
TABLES |= {f"numbers_{table}": partial(numbers, table) for table in NUMBERS}


def pystreed(workload: Workload, depth: int) -> Contender:
    """STreeD, misclassified rows."""
    from pystreed import STreeDClassifier

    return _search(workload, lambda: STreeDClassifier("accuracy", max_depth=depth, time_limit=1e6))


def pycontree(workload: Workload, depth: int) -> Contender:
    """ConTree, misclassified rows."""
    from pycontree import ConTree

    return _search(workload, lambda: ConTree(max_depth=depth, time_limit=1e6))


def ours(workload: Workload, depth: int) -> Contender:
    """Our search, misclassified rows."""
    import treewright as tw

    return _search(workload, lambda: tw.OptimalTreeClassifier(max_depth=depth, n_jobs=1), lambda model: bool(model.optimal_))


def _search(workload: Workload, make: Callable[[], Any], proven: Callable[[Any], bool] = lambda model: True) -> Contender:
    num, _, y = workload.train

    def told(model: Any) -> float | None:
        return float(np.sum(np.asarray(model.predict(num)) != y)) if proven(model) else None

    return Contender(lambda num, nom, y: make().fit(num, y), lambda model, num, nom: np.asarray(model.predict(num)), told=told)


def overshoot(workload: Workload, depth: int = 5) -> Contender:
    """By how many seconds our search ends after the limit it was given."""
    import treewright as tw

    def fit(num: Array, nom: Array, y: Array) -> Any:
        begin = time.perf_counter()
        model = tw.OptimalTreeClassifier(max_depth=depth, time_limit=LIMIT, n_jobs=1).fit(num, y)
        return model, time.perf_counter() - begin - LIMIT

    return Contender(fit, lambda made, num, nom: np.asarray(made[0].predict(num)), told=lambda made: float(made[1]))
