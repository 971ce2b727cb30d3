"""What a learner is: a name and how a model is made of a table; and the options that many of them share."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import treewright as tw
from same.tables import Table, thinned

# A learner that is not fitted to every table is fitted to one of so many, drawn by its name and the table's.
SHARE = 5
MISSING = (
    "learned", "own", "fraction", "spread", "majority", "ignore", "most_common", "most_common_in_class", "refuse", "surrogate",
)  # fmt: skip
RECIPES = ("id3", "cart", "cart1984", "rpart", "c45", "j48", "reptree")
CLASS_CRITERIA = ("gini", "info_gain", "gain_ratio", "error", "risk", "generalised_gini", "twoing", "gain_over_rest")
NUMBER_CRITERIA = ("variance", "absolute_error", "worst_case", "poisson")
FAMILIES = list(product(("threshold", "ternary", "discretised"), ("subset", "one_vs_rest", "multiway", "grouped")))
PLACES = list(product(("midpoint", "observed", "training"), ("<=", "<")))


@dataclass(frozen=True)
class Learner:
    """How a model is made of a table.

    `fit` gives the model and the rows it was fitted to; one of `numbers` needs a numeric target, the others classes; a
    slow one gets a part of the cells; a `whole` one gets the tables that are too large for the others, unthinned.
    """

    name: str
    fit: Callable[[Table], tuple[Any, Any]]
    numbers: bool
    everywhere: bool = False
    slow: int = 1
    whole: bool = False

    def takes(self, table: Table) -> bool:
        """Whether it is fitted to a table."""
        if self.numbers != (table.classes == 0):
            return False
        if self.whole:
            return thinned(table) is not table
        return self.everywhere or zlib.crc32(f"{table.name} {self.name}".encode()) % SHARE == 0


class OfClasses:
    """An option whose value depends on the number of classes."""

    def __init__(self, name: str, value: Callable[[int], Any]) -> None:
        self.name, self.value = name, value

    def __repr__(self) -> str:
        return self.name


UNEVEN = OfClasses("uneven", lambda k: np.arange(1, k + 1) / (k * (k + 1) / 2))
LOSSES = OfClasses("losses", lambda k: (np.add.outer(2 * np.arange(k), np.arange(k)) % 5 + 1.0) * (1 - np.eye(k)))


def shown(name: str, options: dict[str, Any]) -> str:
    """A call in words; functions by their names."""
    told = (f"{key}={getattr(value, '__name__', repr(value))}" for key, value in options.items())
    return f"{name}({', '.join(told)})"


def made(name: str, options: dict[str, Any], table: Table) -> Any:
    """The estimator of a name with its options, unfitted."""
    given = {key: value.value(table.classes) if isinstance(value, OfClasses) else value for key, value in options.items()}
    return getattr(tw, name)(**given)


def is_numbers(name: str) -> bool:
    """Whether an estimator learns numbers."""
    return "Regressor" in name


def plain(name: str, weighted: bool = False, **options: Any) -> Learner:
    """An estimator with some options."""
    kinds = {key: options.pop(key) for key in ("everywhere", "slow", "whole") if key in options}

    def fit(table: Table) -> tuple[Any, Any]:
        weights = {"sample_weight": table.weights} if weighted else {}
        return made(name, options, table).fit(table.X, table.y, **weights), table.X

    return Learner(shown(name, options) + " weighted" * weighted, fit, is_numbers(name), **kinds)


def pruned(name: str, method: str, rows: str = "none", grown: dict[str, Any] | None = None, **options: Any) -> Learner:
    """A grown tree that is cut back: by itself ("none"), by the rows it was grown from ("own") or by others ("apart")."""
    grown = grown or {}

    def fit(table: Table) -> tuple[Any, Any]:
        apart = np.arange(len(table.y)) % 3 == 2
        grow, by = (table.rows(~apart), table.rows(apart)) if rows == "apart" else (table, table)
        est = made(name, grown, grow).fit(grow.X, grow.y)
        given = () if rows == "none" else (by.X, by.y)
        return est.prune(method, *given, **options), table.X

    told = ", ".join([repr(method), *([rows] if rows != "none" else []), *(f"{key}={v!r}" for key, v in options.items())])
    return Learner(f"{shown(name, grown)}.prune({told})", fit, is_numbers(name))


def other(name: str, work: Callable[[Table], tuple[Any, Any]], numbers: bool = False, slow: int = 1) -> Learner:
    """A model that is made in another way."""
    return Learner(name, work, numbers, slow=slow)
