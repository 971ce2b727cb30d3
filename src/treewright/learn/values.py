"""Single values of parameters, checked with errors that name them: whole numbers, flags, limits of weight, threads, seeds."""

from __future__ import annotations

import math
import numbers
import os
import sys
from typing import Any

import numpy as np

from treewright.errors import as_float, out_of_range


def is_whole(value: Any) -> bool:
    """Whether a parameter is a whole number; True and False are not."""
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))


def whole(name: str, value: Any, low: int, high: int | None = None, *, needed: bool = False) -> int:
    """Return a parameter that must be a whole number from ``low`` up, to ``high`` where work is done so many times.

    Names that begin with max may be None elsewhere, which the error says, unless a number is ``needed``.
    """
    if not is_whole(value) or value < low or (high is not None and value > high):
        wanted = f"a whole number from {low} up" if high is None else f"a whole number from {low} to {high}"
        raise out_of_range(name, value, f"{wanted}, or None" if name.startswith("max") and not needed else wanted)
    return int(value)


def flag(name: str, value: Any) -> bool:
    """Return a parameter that must be True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise out_of_range(name, value, "True or False")
    return bool(value)


def verbose(value: Any) -> bool:
    """Return whether to report progress: True or False, or a number as scikit-learn takes it."""
    return bool(value) if isinstance(value, (bool, np.bool_)) else whole("verbose", value, 0) > 0


def weight_limit(name: str, value: Any, total: float) -> float:
    """Return a minimum weight: a number of rows, or a share of ``total`` if it is a float below 1."""
    if is_whole(value) and value >= 1:
        return min(as_float(value), sys.float_info.max)
    # scikit-learn's 1.0, all rows, makes sense of a node that is split only.
    whole_table = name == "min_samples_split" and not isinstance(value, numbers.Integral) and value == 1.0
    if not isinstance(value, numbers.Real) or not (0 < as_float(value) < 1 or whole_table):
        raise out_of_range(name, value, "a whole number from 1 up, or a share between 0 and 1")
    return float(value) * total


def threads(n_jobs: Any) -> int:
    """Return the number of threads: None is 1, -1 is what the machine or the container allows."""
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        raise out_of_range(
            "n_jobs", n_jobs, "None, a positive whole number, -1 for all processors, or -2, -3, … for all but one, two, …"
        )
    if n_jobs > 0:
        return int(min(n_jobs, 256))
    return max(1, allowed_processors() + 1 + int(n_jobs))


def allowed_processors() -> int:
    """Processors this process may use: its affinity, and the quota of its control group."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, period = file.read().split()
        if quota != "max":
            count = min(count, max(1, math.floor(int(quota) / int(period))))
    except (OSError, ValueError):
        pass
    return count


def seed_of(random_state: Any) -> int:
    """Return a 64-bit seed from what scikit-learn calls a random state."""
    if random_state is None:
        return 0
    if is_whole(random_state) and random_state >= 0:
        return int(random_state) % 2**64
    if not isinstance(random_state, np.random.RandomState) and random_state is not np.random:
        raise out_of_range("random_state", random_state, "None, a whole number from 0 up, or a numpy.random.RandomState")
    return int(random_state.randint(2**31 - 1))


def columns_to_draw(value: Any, n_columns: int) -> int:
    """Return how many columns are looked at per node (0: all)."""
    if value is None:
        return 0
    if isinstance(value, str) and value in ("sqrt", "log2"):
        return max(1, int(math.sqrt(n_columns) if value == "sqrt" else math.log2(n_columns)))
    if is_whole(value):
        return min(whole("max_features", value, 1), n_columns)
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)) and 0 < as_float(value) <= 1:
        return max(1, int(float(value) * n_columns))
    raise out_of_range("max_features", value, 'None, "sqrt", "log2", a whole number from 1 up or a share in (0, 1]')
