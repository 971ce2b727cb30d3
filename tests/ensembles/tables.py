"""Tables that the tests of ensembles share: numbers, text, levels and missing cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def mixed(
    n_rows: int = 240, seed: int = 0, missing: float = 0.1
) -> tuple[pd.DataFrame, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A frame, classes and numbers that depend on it."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "colour": rng.choice(["red", "green", "blue", "grey"], n_rows),
            "age": rng.integers(0, 9, n_rows).astype(float),
            "kind": pd.Categorical(rng.choice(["p", "q"], n_rows), ["p", "q", "never"]),
            "noise": rng.normal(size=n_rows),
        }
    )
    numbers = 2.0 * X["size"].to_numpy() + 3.0 * (X["colour"] == "red").to_numpy() + X["age"].to_numpy() + rng.normal(size=n_rows)
    classes = np.array(["low", "middle", "high"], object)[np.digitize(numbers, np.quantile(numbers, [0.4, 0.75]))]
    for column in ("size", "colour"):
        X.loc[rng.random(n_rows) < missing, column] = None
    return X, classes, numbers


def named(ensemble: Any) -> str:
    """An ensemble in the name of a test."""
    return f"{type(ensemble).__name__}-{getattr(ensemble, 'estimator', None)}"
