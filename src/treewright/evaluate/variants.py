"""The learners of the package in several sizes, by their own parameters: what the frontier is searched among."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

import treewright
from treewright.errors import unknown
from treewright.learn import LEARNERS, learner_class
from treewright.learn.ensemble import EnsembleLearner

# The first of these parameters that a learner has makes its models smaller. Values come in the order in which they are tried,
# such that few of them already spread over the sizes; shares are of the rows.
LIMITS: dict[str, tuple[Any, ...]] = {
    "max_leaf_nodes": (4, 8, 2, 16, 3, 32, 6, 12, 64, 24),
    "max_depth": (2, 4, 1, 3, 6, 0, 8),
    "confidence": (0.05, 0.01, 0.001),
    "min_weight": (0.02, 0.05, 0.1),
    "min_samples_split": (0.1, 0.02, 0.5),
}
COUNTS = ("min_weight",)  # limits that are numbers of rows, not shares
CEILING = "RandomForest"
# Learners of the registry that have no place of their own on the frontier, and why.
_APART = {
    "BacktrackingTree": "it searches where the others choose, which takes too long for tables of any size",
    "MemorisingTree": "it shows what a tree is not for: it repeats its rows and guesses the others",
    "Tree": "with its defaults it is CART; other recipes have learners of their own names",
    "TreeNeighbors": "it answers by stored rows, which are no model to read",
}


@dataclass(frozen=True, eq=False)
class Variant:
    """A learner with parameters that limit its size.

    Attributes
    ----------
    learner : str
        The learner without its ending, such as "CART".
    params : dict
        What is not as by default.
    estimator : estimator
        The same as an estimator that is not fitted.
    """

    learner: str
    params: dict[str, Any]
    estimator: Any

    @property
    def name(self) -> str:
        """The learner and its parameters."""
        return " ".join([self.learner, *(f"{name}={value}" for name, value in self.params.items())])


def learners_of(classes: bool) -> dict[str, str]:
    """The learners of the registry for classes, or for numbers: the names of their estimators by their own."""
    ending = "Classifier" if classes else "Regressor"
    return {name.removesuffix(ending): name for name in LEARNERS if name.endswith(ending)}


def variants(
    classes: bool, n_rows: int, only: Sequence[str] | None = None
) -> tuple[Variant, list[list[Variant]], list[tuple[str, str]]]:
    """Return the ceiling, the learners with their variants (as by default first), and what was left out with the reason."""
    every = learners_of(classes)
    if only is not None:
        if not only:
            raise ValueError("learners is empty: name at least one, such as ['CART'], or leave it out")
        for name in only:
            if name not in every and name not in every.values():
                raise unknown("learner", name, every)
    found, left_out = [], []
    for name, estimator in every.items():
        if name == CEILING or (only is not None and not {name, estimator} & set(only)):
            continue
        reason = _APART.get(name) or _reason(estimator)
        if reason is not None:
            left_out.append((name, reason))
        else:
            found.append([Variant(name, params, _made(estimator, params)) for params in ({}, *_limits(estimator, n_rows))])
    return Variant(CEILING, {}, _made(every[CEILING], {})), found, left_out


def _reason(estimator: str) -> str | None:
    """Why a learner is no candidate for a model to be read."""
    kind = learner_class(estimator)
    if issubclass(kind, EnsembleLearner):
        return f"a model of many members, as the ceiling {CEILING} is"
    open_ = [each.name for each in fields(kind.Parameters) if each.default is MISSING and each.default_factory is MISSING]
    return f"it needs to be given {', '.join(open_)}" if open_ else None


def _limits(estimator: str, n_rows: int) -> list[dict[str, Any]]:
    own = {each.name for each in fields(learner_class(estimator).Parameters)}
    name = next((name for name in LIMITS if name in own), None)
    if name is None:
        return []
    values = [max(2, round(value * n_rows)) if name in COUNTS else value for value in LIMITS[name]]
    return [{name: value} for value in dict.fromkeys(values)]


def _made(estimator: str, params: dict[str, Any]) -> Any:
    return getattr(treewright, estimator)(**params)
