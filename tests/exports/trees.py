"""Fitted models for the tests of exports: very deep ones, ones of every kind of column, and rows to try them on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import treewright as tw

HOSTILE = [
    "';DROP TABLE rows;--",
    'say "hi"',
    "back\\slash\\",
    "*/ int x; /*",
    "-- comment",
    "line\nbreak\r",
    "a\u2028b",
    "</script><script>alert(1)</script>",
    "${x}`",
    "\x00nul\x00",
    "\u202egnp.exe",
    "𝔘nicode 😀",
    "??/ ??=",
    "%s %d {x}",
    "",
    "1",
    "None",
    "__proto__",
    "constructor",
    "model_leaf",
    "n" * 5000,
]


def deep(depth: int = 2000, missing: str = "learned") -> tuple[Any, pd.DataFrame]:
    """A tree that takes one row away with every split, and rows on and beside its thresholds."""
    X = pd.DataFrame({"x": np.arange(depth + 1) * 0.1})
    est = tw.TreeClassifier(missing=missing).fit(X, np.arange(depth + 1) % 2)
    assert est.tree_.depth == depth
    cuts = est.tree_.state()["cut_at"]
    values = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), [np.nan, -1.0, 1e9]])
    return est, pd.DataFrame({"x": values})


def every_kind(seed: int, n: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """A table with a column of every kind, with hostile names and levels, and a target that needs them all."""
    rng = np.random.default_rng(seed)

    def holes(values: Any) -> Any:
        return pd.Series(values).mask(rng.random(n) < 0.08)

    number = np.round(rng.normal(size=n), 3)
    flag = rng.random(n) < 0.5
    moment = pd.Timestamp("1969-12-30") + pd.to_timedelta(rng.integers(0, 10**12, n), unit="us")
    day = pd.Timestamp("2020-02-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D")
    span = pd.to_timedelta(rng.integers(-(10**10), 10**10, n), unit="us")
    size = rng.integers(0, 4, n)
    text = rng.integers(0, len(HOSTILE), n)
    whole = rng.choice([1, 2, 3, 2**60, 2**60 + 1], n)
    X = pd.DataFrame(
        {
            "number": holes(number),
            HOSTILE[0]: holes(pd.Series(flag, dtype="boolean")),
            HOSTILE[1]: holes(moment.astype("M8[us]")),
            "day": holes(day.astype("M8[us]")),
            HOSTILE[3]: holes(span.astype("m8[us]")),
            HOSTILE[5]: pd.Categorical.from_codes(
                np.where(rng.random(n) < 0.1, -1, size), ["S", "M'", 'L"', "--XL"], ordered=True
            ),
            HOSTILE[11]: holes(pd.Series(np.array(HOSTILE, object)[text], dtype="str")),
            "whole": whole,
        }
    )
    signal = number + flag + (moment.hour % 5) / 2 + size + (text % 3) + (whole % 3) + day.month + span / pd.Timedelta("1h")
    return X, np.asarray(np.floor(signal) % 4, int)


WHOLE = ["whole"]  # read as levels
