"""What the comparisons with WEKA's recorded answers share: records, tables and the fixed folds."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

HERE = Path(__file__).parent


@cache
def recorded(name: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(gzip.decompress((HERE / "recorded" / f"{name}.json.gz").read_bytes()))
    return answer


def table(shared: Path, name: str) -> tuple[pd.DataFrame, pd.Series]:
    own = HERE / "tables" / f"{name}.csv"
    frame = pd.read_csv(own) if own.exists() else pd.read_parquet(shared / "data" / f"{name}.parquet")
    frame = frame[frame.iloc[:, -1].notna()].reset_index(drop=True)
    return frame.iloc[:, :-1], frame.iloc[:, -1]


def fold_answers(estimator: Any, X: pd.DataFrame, y: pd.Series) -> NDArray[Any]:
    """Predictions of every row by trees of the other folds; row i is in fold i mod 10."""
    fold = np.arange(len(y)) % 10
    said = np.empty(len(y), object if y.dtype == "category" else float)
    for k in range(10):
        said[fold == k] = estimator.fit(X[fold != k], y[fold != k]).predict(X[fold == k])
    return said
