"""Tables to be learned from in memory and in parts, and whether both give the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa


def table(n: int = 5000, seed: int = 0) -> pd.DataFrame:
    """Numbers in both precisions, of many and few values, levels, truth values, dates and missing cells."""
    rng = np.random.default_rng(seed)
    day = np.datetime64("2024-01-01") + rng.integers(0, 400, n)
    frame = pd.DataFrame(
        {
            "single": rng.standard_normal(n).astype(np.float32),
            "double": np.where(rng.random(n) < 0.1, np.nan, rng.standard_normal(n)),
            "zeros": np.where(rng.random(n) < 0.7, 0.0, rng.exponential(size=n)),
            "few": rng.integers(0, 9, n),
            "flag": rng.random(n) < 0.3,
            "day": day.astype("datetime64[us]"),
            "text": rng.choice(["r", "q", "p"], n),
            "category": pd.Categorical.from_codes(rng.integers(-1, 3, n), ["b", "never", "a"]),
            "order": pd.Categorical.from_codes(rng.integers(0, 3, n), ["low", "middle", "high"], ordered=True),
        }
    )
    frame.loc[rng.random(n) < 0.05, "text"] = None
    score = frame["single"] * frame["double"].fillna(0.5) + (frame["text"] == "q") + frame["flag"] * frame["few"] / 5
    frame["y"] = np.where(score > 0.8, "yes", np.where(score > 0, "no", "perhaps"))
    noise = rng.random(n) < 0.1
    frame.loc[noise, "y"] = rng.choice(["yes", "no"], int(noise.sum()))
    return frame


def numbers(n: int = 5000, seed: int = 0) -> pd.DataFrame:
    """The same columns, and a target of numbers, some far from the others."""
    frame = table(n, seed)
    rng = np.random.default_rng(seed + 1)
    score = frame["single"] * frame["double"].fillna(0.5) + (frame["text"] == "q") + frame["flag"] * frame["few"] / 5
    frame["y"] = score + np.where(rng.random(n) < 0.01, 1e6, 0.1) * rng.standard_normal(n)
    return frame


def in_memory(est: Any, frame: pd.DataFrame, weight: str | None = None) -> Any:
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    beside = ["y"] if weight is None else ["y", weight]
    return est.fit(arrow.drop_columns(beside), frame["y"], None if weight is None else frame[weight])


def written(est: Any, path: Path) -> bytes:
    est.save(path)
    return path.read_bytes()


def same(one: Any, other: Any, folder: Path) -> bool:
    return written(one, folder / "one.json") == written(other, folder / "other.json")
