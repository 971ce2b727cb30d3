"""A criterion written in Python: what the core calls for every division it looks at."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown

# Class weights of the node, class weights of its branches -> how good the division is; None: not to be taken.
PythonCriterion = Callable[[NDArray[np.float64], NDArray[np.float64]], float | None]
FAMILIES = ("threshold", "discretised", "subset", "one_vs_rest", "multiway")


def callback_of(
    criterion: PythonCriterion,
    classes: Sequence[Any] | None,
    occurring: Sequence[Any],
    numeric: str,
    nominal: str,
    row_weight: float,
) -> Callable[[NDArray[np.float64], int], float]:
    """Return what the core is to call.

    The core counts all declared classes in their order, and weights in rows; the function sees those of ``classes_``, and the
    weights as they were given.
    """
    name = getattr(criterion, "__name__", type(criterion).__name__)
    if classes is None:
        raise ValueError(f"criterion {name} is a function of class weights, the target is numeric: use 'variance'")
    for family in (numeric, nominal):
        if family not in FAMILIES:
            usable = ", ".join(FAMILIES)
            raise ValueError(f"criterion {name} is a function, which {family!r} splits cannot ask: use one of {usable}")
    place = {label: i for i, label in enumerate(classes)}
    order = [place[label] for label in sorted(occurring)]

    def callback(weights: NDArray[np.float64], branches: int) -> float:
        table = weights.reshape(branches, -1)[:, order] * row_weight
        returned = criterion(table.sum(axis=0), table)
        if returned is None:
            return -math.inf
        try:
            score = float(returned)
        except (TypeError, ValueError):
            raise TypeError(f"criterion {name} returned {shown(returned)}; it must return a number, or None to refuse") from None
        return -math.inf if math.isnan(score) else score

    return callback
