"""Rows that the tests of the page ask about, as the page takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from treewright.model.rules import cells_of


def weather(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "outlook": rng.choice(["sunny", "overcast", "rain", "snow"], n),
            "temperature": rng.normal(15, 8, n).round(1),
            "windy": rng.random(n) < 0.4,
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True),
        }
    )
    stay = (
        ((X.outlook == "rain") & X.windy)
        | ((X.outlook == "sunny") & (X.temperature > 18))
        | ((X.outlook == "snow") & (X["size"] > "S"))
    )
    y = np.where(stay ^ (rng.random(n) < 0.05), "stay", "go")
    X.loc[rng.random(n) < 0.1, "outlook"] = None
    X.loc[rng.random(n) < 0.1, "temperature"] = np.nan
    return X, y


def cells(X: pd.DataFrame) -> list[list[Any]]:
    """Rows as the page's predictor takes them."""
    plain = [[None if pd.isna(v) else v for v in X[name].astype(object).tolist()] for name in X.columns]
    return [list(row) for row in zip(*plain, strict=True)]


def numbered(X: pd.DataFrame, schema: Any) -> list[list[Any]]:
    """Rows as the page follows them: numbers, and numbers of levels."""
    read = zip(schema.columns, cells_of(X, schema), strict=True)
    columns = [[None if x != x or (column.nominal and x < 0) else x for x in cells.tolist()] for column, cells in read]
    return [list(row) for row in zip(*columns, strict=True)]


def well(page: Any) -> None:
    assert page.failed == [], page.failed
    assert [url for url in page.requests if not url.startswith("file:")] == []
