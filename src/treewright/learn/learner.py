"""What all learners share: parameters and a table in, a model and facts about it out, without scikit-learn."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, fields
from functools import cached_property
from inspect import signature
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.errors import out_of_range
from treewright.learn.training import Training
from treewright.learn.values import flag, verbose
from treewright.model.protocol import Model
from treewright.store.damage import need
from treewright.table import TargetSchema
from treewright.table.streams import as_table

P = TypeVar("P")

COSTS = ("priors", "loss", "class_weight")  # parameters that are about classes


@dataclass(frozen=True, eq=False)
class Learned:
    """What a learner made of a table.

    Attributes
    ----------
    model : Tree, RuleSet or Forest
        The model.
    facts : dict
        What else is known of it, under the names that fitted estimators give it, such as ``classes_``.
    """

    model: Model
    facts: dict[str, Any]


def class_order(classes: NDArray[Any], target: TargetSchema) -> list[int]:
    """Where classes stand among those that were declared."""
    place = {label: i for i, label in enumerate(target.classes or ())}
    return [place[label] for label in classes.tolist()]


_NAMES: dict[type, tuple[str, ...]] = {}


def _names(given: type, parameters: type[Any]) -> tuple[str, ...]:
    """Names of the parameters; kept, because reading a signature takes longer than growing a small tree."""
    if given not in _NAMES:
        _NAMES[given] = tuple(dict.fromkeys([*(field.name for field in fields(parameters)), *signature(given).parameters]))
    return _NAMES[given]


_FIELDS: dict[type, tuple[str, ...]] = {}


def _field_names(parameters: type[Any]) -> tuple[str, ...]:
    """Names of the fields of parameters; kept, because every member of an ensemble asks for them."""
    if parameters not in _FIELDS:
        _FIELDS[parameters] = tuple(field.name for field in fields(parameters))
    return _FIELDS[parameters]


class Learner(Generic[P]):
    """One algorithm with its parameters, which may be any object that has them: an estimator, or plain ``Parameters``."""

    # The estimator that wraps this learner, by which files name it.
    name: ClassVar[str]
    # A dataclass that states every parameter once: its name, type and default.
    Parameters: ClassVar[type[Any]]
    # The attribute of a fitted estimator that is the model.
    holds: ClassVar[str]
    # Switches that may be more than True or False, which the learner itself checks.
    wider: ClassVar[tuple[str, ...]] = ()
    # What files keep of a fitted estimator: attribute and kind of its section.
    stored: ClassVar[dict[str, str]] = {"n_features_in_": "value", "feature_names_in_": "value"}

    def __init__(self, params: P) -> None:
        self.params = params

    @cached_property
    def given(self) -> dict[str, Any]:
        """The parameters as they were given, by name; also those that a class derived from an estimator adds."""
        return {name: getattr(self.params, name) for name in _names(type(self.params), self.Parameters)}

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Learned:
        """Learn from a table; parameters and rows are checked first, and stay as they are."""
        self.check_switches()
        return self.learn_from(self.training(as_table(X), y, sample_weight))

    def training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """The rows to learn from; those of weight 0 are none."""
        raise NotImplementedError  # pragma: no cover

    def known_levels(self, training: Training) -> tuple[tuple[int, ...], ...]:
        """Codes of the levels that a model of these rows knows, by column."""
        raise NotImplementedError  # pragma: no cover

    def learn_from(self, training: Training) -> Learned:
        """Learn from rows that were read; those of a sample know all levels and classes of the table it was drawn from."""
        raise NotImplementedError  # pragma: no cover

    def attributes(self, learned: Learned) -> dict[str, Any]:
        """What was learned under the names of a fitted estimator."""
        return {self.holds: learned.model, **learned.facts}

    def changed(self, **params: Any) -> Self:
        """The same learner with some parameters changed."""
        own = {name: self.given[name] for name in _field_names(self.Parameters)}
        return type(self)(self.Parameters(**{**own, **params}))

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at.

        ``costs``: also those about classes, which must then be the ones given.
        """
        self.check_switches()
        for field in fields(self.Parameters):
            value, default = self.given[field.name], field.default
            if isinstance(default, bool):
                continue
            if isinstance(default, (int, float)) and not (value is None or isinstance(value, (numbers.Real, str))):
                raise out_of_range(field.name, value, "a number")
            if isinstance(value, dict) and field.name not in (*COSTS, "forced", "monotonic_cst"):
                raise out_of_range(field.name, value, "a single value")

    def check_switches(self) -> None:
        """Refuse what is neither True nor False where a parameter must be."""
        for field in fields(self.Parameters):
            if field.name == "verbose":
                verbose(self.given[field.name])
            elif isinstance(field.default, bool) and field.name not in self.wider:
                flag(field.name, self.given[field.name])

    def predict(self, learned: dict[str, Any], X: Any) -> NDArray[Any]:
        """The class or number of every row, by what was learned."""
        labels: NDArray[Any] = learned[self.holds].predict(X)
        return labels

    def shares(self, learned: dict[str, Any], X: Any) -> NDArray[np.float64]:
        """Share of every class that occurs, sorted, by what was learned; of declared ones where only a tree is known."""
        return self._sorted(learned, learned[self.holds].predict_proba(X))

    def _sorted(self, learned: dict[str, Any], shares: NDArray[np.float64]) -> NDArray[np.float64]:
        classes = learned.get("classes_")
        return shares if classes is None else shares[:, class_order(classes, learned[self.holds].target)]

    def to_store(self, learned: dict[str, Any]) -> dict[str, Any]:
        """What was learned, by the names it has in files and pickles."""
        return learned

    def from_store(self, held: dict[str, Any]) -> dict[str, Any]:
        """What was learned, made of what a file or a pickle held and checked before it is handed out."""
        self.check_stored(held)
        return held

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        width, names = learned.get("n_features_in_"), learned.get("feature_names_in_")
        need(width, type(width) is int, "it has no 'n_features_in_'")
        if names is not None:
            fits = (
                isinstance(names, np.ndarray) and names.dtype == object and all(isinstance(name, str) for name in names.tolist())
            )
            need(names, fits and names.shape == (width,), "feature_names_in_ does not name the columns")
