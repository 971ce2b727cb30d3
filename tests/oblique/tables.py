"""Tables whose classes lie on either side of a slope or a curve, as the acceptance rows describe them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

Table = tuple[Any, Any]


def diagonal() -> Table:
    X = np.random.default_rng(1).random((3000, 2))
    X = X[np.abs(X.sum(axis=1) - 1) > 0.01][:1000]
    return X, X.sum(axis=1) > 1


def circle() -> Table:
    X = np.random.default_rng(2).uniform(-1, 1, (1000, 2))
    return X, (X**2).sum(axis=1) < 2 / np.pi


def sphere5() -> Table:
    X = np.random.default_rng(3).standard_normal((2000, 5))
    return X, (X**2).sum(axis=1) < 4.351460


def parity() -> Table:
    X = np.random.default_rng(4).uniform(-1, 1, (400, 2))
    X = X[np.abs(X).min(axis=1) > 0.02]
    return X, X[:, 0] * X[:, 1] > 0


def mixed(n: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers far from 0, levels, dates and missing cells; the classes depend on all of them."""
    rng = np.random.default_rng(0)
    day = rng.integers(0, 1000, n)
    X = pd.DataFrame(
        {
            "a b": rng.normal(3, 2, n),
            "big": rng.normal(-1e5, 30, n),
            "c": rng.choice(list("xyz"), n),
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(day, "D"),
            "flag": rng.random(n) < 0.5,
        }
    )
    score = (X["a b"] - 3) ** 2 / 4 + (X["big"] + 1e5) / 30 + (X["c"] == "x") + day / 1000 + X["flag"]
    y = np.where(score < 2.2, "in", np.where(score < 3.5, "near", "out"))
    X.loc[rng.random(n) < 0.1, "a b"] = np.nan
    X.loc[rng.random(n) < 0.1, "c"] = None
    X.loc[rng.random(n) < 0.1, "day"] = pd.NaT
    return X, y
