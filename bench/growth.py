"""How the cost of a fit grows with rows, columns, classes, levels and depth.

`python -m bench.growth` measures it, prints the table of docs/performance.md and draws docs/growth.svg.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.random import default_rng

from bench.workloads import Array, w1

_DOCS = Path(__file__).resolve().parents[1] / "docs"


@dataclass(frozen=True)
class Axis:
    """What grows, its values, and a function that makes a fit of each; others stay as `words` say."""

    name: str
    words: str
    values: Sequence[int]
    make: Callable[[int], Callable[[], Any]]


def _fit(X: Any, y: Array, **settings: Any) -> Callable[[], Any]:
    import treewright as tw

    return lambda: tw.CARTClassifier(n_jobs=1, **settings).fit(X, y)


def _rows(n: int) -> Callable[[], Any]:
    num, _, y = w1(n).train
    return _fit(num, y)


def _columns(count: int) -> Callable[[], Any]:
    rng = default_rng(count)
    num = rng.standard_normal((50_000, count)).astype(np.float32)
    return _fit(num, (num[:, 0] + num[:, 1] * num[:, 2] + 0.5 * rng.standard_normal(len(num)) > 0).astype(int))


def _classes(count: int) -> Callable[[], Any]:
    rng = default_rng(count)
    num = rng.standard_normal((20_000, 20)).astype(np.float32)
    signal = num[:, 0] + num[:, 1] * num[:, 2] + 0.5 * rng.standard_normal(len(num))
    return _fit(num, np.argsort(np.argsort(signal)) * count // len(num))


def _levels(count: int) -> Callable[[], Any]:
    import pandas as pd

    rng = default_rng(count)
    codes = rng.integers(0, count, (50_000, 10))
    signal = sum(rng.standard_normal(count)[codes[:, j]] for j in range(4)) + rng.standard_normal(len(codes))
    names = [f"L{level}" for level in range(count)]
    frame = pd.DataFrame({f"c{j}": pd.Categorical.from_codes(column, names) for j, column in enumerate(codes.T)})
    return _fit(frame, (np.asarray(signal) > 0).astype(int))


def _depth(depth: int) -> Callable[[], Any]:
    num, _, y = w1(200_000).train
    return _fit(num, y, max_depth=depth)


AXES = (
    Axis("rows", "20 numeric columns, 2 classes, fully grown", (12_500, 25_000, 50_000, 100_000, 200_000, 400_000), _rows),
    Axis("columns", "50,000 rows, numeric, 2 classes, fully grown", (5, 10, 20, 40, 80, 160), _columns),
    Axis("classes", "20,000 rows, 20 numeric columns, fully grown", (2, 4, 8, 16, 32, 64, 128, 256, 512), _classes),
    Axis("levels", "50,000 rows, 10 nominal columns, 2 classes, fully grown", (4, 8, 16, 32, 64, 128, 256), _levels),
    Axis("depth", "200,000 rows, 20 numeric columns, 2 classes", (1, 2, 4, 8, 16), _depth),
)


def measure(fits: Sequence[Callable[[], Any]], repeat: int) -> list[float]:
    """CPU seconds of each fit, the least of several turns."""
    seconds = [float("inf")] * len(fits)
    for _ in range(repeat):
        for i, fit in enumerate(fits):
            began = process_time()
            fit()
            seconds[i] = min(seconds[i], process_time() - began)
    return seconds


def exponent(values: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of log seconds over log values."""
    return float(np.polyfit(np.log(values), np.log(seconds), 1)[0])


def draw(found: Sequence[tuple[Axis, list[float]]], path: Path) -> None:
    """One small picture per axis, both scales logarithmic."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 8})
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(found), figsize=(2.2 * len(found), 2.2), layout="constrained")
    for (axis, seconds), panel in zip(found, panels, strict=True):
        panel.loglog(axis.values, seconds, "o-", color="#205080", markersize=3, linewidth=1)
        straight = seconds[0] * np.asarray(axis.values) / axis.values[0]
        panel.loglog(axis.values, straight, ":", color="#808080", linewidth=1)
        panel.set_title(f"{axis.name}: exponent {exponent(axis.values, seconds):.2f}")
        panel.set_xlabel(axis.name)
    panels[0].set_ylabel("CPU seconds")
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure all axes, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("axes", nargs="*", choices=[[], *(axis.name for axis in AXES)], metavar="AXIS")
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    found = []
    print("| what grows | beside it | from, to | seconds | exponent |\n|---|---|---|---|---|")
    for axis in AXES:
        if given.axes and axis.name not in given.axes:
            continue
        seconds = measure([axis.make(value) for value in axis.values], given.repeat)
        found.append((axis, seconds))
        told = ", ".join(f"{second:.3g}" for second in seconds)
        ends = f"{axis.values[0]:,} to {axis.values[-1]:,}"
        print(f"| {axis.name} | {axis.words} | {ends} | {told} | {exponent(axis.values, seconds):.2f} |", flush=True)
    if not given.axes:
        draw(found, _DOCS / "growth.svg")


if __name__ == "__main__":
    main()
