"""Shapes the engine was not tuned for: what rows and classes weigh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import default_rng

from bench.workloads import Array, Workload


def weights(workload: Workload, kind: str | None) -> Callable[[int], Array | None]:
    """Weights of the first training rows: evenly drawn (`float`), 1 to 5 (`whole`), or how often a row is drawn (`bootstrap`)."""
    rng, n = default_rng(7), workload.n_train
    if kind is None:
        return lambda rows: None
    drawn = {
        "float": lambda: rng.random(n) + 1e-3,
        "whole": lambda: rng.integers(1, 6, n).astype(float),
        "bootstrap": lambda: np.bincount(rng.integers(0, n, n), minlength=n).astype(float),
    }[kind]()
    return lambda rows: drawn[:rows]


def class_weights(workload: Workload) -> dict[Any, float]:
    """Every class counts more than the one before it."""
    return {int(label): 1 + 0.7 * float(label) for label in np.unique(workload.y)}


def priors(workload: Workload) -> Array:
    """Every class is likelier than the one before it."""
    shares = np.arange(1.0, len(np.unique(workload.y)) + 1)
    return np.asarray(shares / shares.sum())
