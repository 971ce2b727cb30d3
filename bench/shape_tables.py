"""Tables of the shapes that people meet beside the tuned ones: whole numbers, zeros, holes, counts, several numbers a row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import default_rng

from bench.workloads import Array, Workload, w1s, w2


def _table(name: str, num: Array, y: Array, task: str = "class") -> Workload:
    return Workload(name, num, np.empty((len(num), 0), np.int16), y, len(num) * 4 // 5, task=task)


def _whole(n: int) -> tuple[Array, Array]:
    rng = default_rng(3)
    num = rng.integers(0, 21, (n, 20)).astype(np.float32)
    signal = (num[:, 0] > 10) * 1.0 + (num[:, 1] + num[:, 2] > 20) + (num[:, 3] - 10) * (num[:, 4] - 10) / 50
    return num, signal + rng.normal(0, 1, n)


def whole_classes() -> Workload:
    """Whole numbers 0 to 20 in all columns, two classes."""
    num, y = _whole(125_000)
    return _table("whole", num, (y > 1).astype(np.int32))


def whole_numbers() -> Workload:
    """The same with a number as target."""
    return _table("whole_numbers", *_whole(125_000), task="reg")


def _zeros() -> tuple[Array, Array]:
    rng = default_rng(5)
    num = np.where(rng.random((125_000, 100)) < 0.01, rng.normal(0, 1, (125_000, 100)), 0).astype(np.float32)
    return num, num[:, :20].sum(axis=1) + 0.3 * rng.normal(0, 1, len(num))


def zeros() -> Workload:
    """99 of 100 cells are zero, two classes."""
    num, y = _zeros()
    return _table("zeros", num, (y > 0.1).astype(np.int32))


def zeros_numbers() -> Workload:
    """The same with a number as target."""
    return _table("zeros_numbers", *_zeros(), task="reg")


def holes() -> Workload:
    """W1s with three of ten cells missing."""
    whole = w1s()
    num = whole.num.copy()
    num[default_rng(2).random(num.shape) < 0.3] = np.nan
    return Workload("holes", num, whole.nom, whole.y, whole.n_train)


def counts() -> Workload:
    """W2 of 20,000 rows, its target as counts."""
    whole = w2(20_000)
    y = np.round(np.abs(whole.y - whole.y.min()) / whole.y.std() * 3)
    return Workload("counts", whole.num, whole.nom, y, whole.n_train, task="reg")


def several() -> Workload:
    """W2 of 20,000 rows, five numbers a row as target."""
    whole = w2(20_000)
    noise = default_rng(1).normal(0, whole.y.std(), (len(whole.y), 5))
    return Workload("several", whole.num, whole.nom, whole.y[:, None] + noise, whole.n_train, task="reg")


TABLES: dict[str, Callable[[], Workload]] = {
    "whole": whole_classes,
    "whole_numbers": whole_numbers,
    "zeros": zeros,
    "zeros_numbers": zeros_numbers,
    "holes": holes,
    "counts": counts,
    "several": several,
}
