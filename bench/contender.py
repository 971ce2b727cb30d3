"""What a measurement needs of a learner: a few functions on the arrays of a workload."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from bench.workloads import Array, Workload


@dataclass(frozen=True)
class Contender:
    """A learner made ready for one workload.

    `fit(num, nom, y)` is timed as a whole, so it builds the learner's own table from the arrays; `predict(model, num,
    nom)` gives class codes or numbers; `leaves(model)` counts; `size(model)` is the bytes of the finished tree;
    `told(model)` is a figure that is not seconds. The last three are left out where a learner does not tell.
    """

    fit: Callable[[Array, Array, Array], Any]
    predict: Callable[[Any, Array, Array], Array]
    leaves: Callable[[Any], int] | None = None
    size: Callable[[Any], int] | None = None
    told: Callable[[Any], float | None] | None = None


@dataclass(frozen=True)
class Entry:
    """How a contender is listed: its name in the table, the package it needs, the function that readies it.

    `ready` does its imports when called, so that listing contenders imports none of them.
    """

    title: str
    package: str
    ready: Callable[[Workload], Contender]
    found: Callable[[], bool] | None = None  # where the package is not one of Python
    remedy: str = "pip install -r bench/requirements.txt"

    @property
    def installed(self) -> bool:
        """Whether it can run here."""
        return find_spec(self.package) is not None if self.found is None else self.found()
