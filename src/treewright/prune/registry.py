"""The pruning methods as the core enrols them: what each needs, and its options, against which given values are checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from treewright import _core, parts
from treewright.errors import as_float, out_of_range, real, unknown


@dataclass(frozen=True)
class Option:
    """An option of a method, as ``src/core/prune/option.hpp`` declares it."""

    name: str
    doc: str
    kind: str
    default: Any
    low: float
    high: float
    above: bool
    zero: bool
    narrowed: str
    narrowed_high: float
    choices: list[str]
    numbers_only: bool
    role: str
    of_path: bool
    path_end: str
    allowed: str

    def checked(self, value: Any, given: Mapping[str, Any]) -> Any:
        """The value for the core; ``given``: all options that were given. Raises an error that names the option."""
        if value is None and self.default is None:
            return None
        if self.kind == "number":
            return self._number(value, given)
        if self.kind == "whole":
            return self._whole(value)
        if self.kind == "flag":
            if not isinstance(value, (bool, np.bool_)):
                raise out_of_range(self.name, value, "True or False")
            return bool(value)
        if self.kind == "criterion":
            names = tuple(name for name, part in parts.criteria().items() if part["classes"])
            return parts.check_name(self.name, parts.ALIASES.get(value, value), names)
        return parts.check_name(self.name, value, tuple(self.choices))

    def _number(self, value: Any, given: Mapping[str, Any]) -> float:
        other, _, choice = self.narrowed.partition("=")
        high = self.narrowed_high if self.narrowed and given.get(other) == choice else self.high
        number = real(self.name, value, self.low, high, above=self.above, finite=False)
        if number == 0 and not self.zero:
            raise out_of_range(self.name, value, "a number above 0")
        return number

    def _whole(self, value: Any) -> float:
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
        if not whole or value < self.low:
            raise out_of_range(self.name, value, self.allowed or f"a whole number from {self.low:g} up")
        return as_float(value)


@dataclass(frozen=True)
class Pruner:
    """A method, as ``src/core/prune/pruner.hpp`` declares it."""

    name: str
    summary: str
    rows: str
    classes_only: bool
    losses: bool
    errors: str
    path: bool
    keys_by_rows: bool
    above_keys: bool
    options: list[Option]

    @property
    def chooses(self) -> bool:
        """Whether its tree is chosen from its path by rows, unless an option says how far to go."""
        return any(option.role == "rule" for option in self.options)

    @property
    def deciding(self) -> list[str]:
        """Options that say how far to prune, so that no rows are needed."""
        return [option.name for option in self.options if option.role in ("key", "leaves")]

    def told(self, given: Mapping[str, Any]) -> list[str]:
        """Those of the deciding options that were given."""
        return [name for name in self.deciding if given.get(name) is not None]

    def to_path_end(self, given: Mapping[str, Any]) -> bool:
        """Whether the tree is the last of the path, as an option says."""
        return any(option.path_end and given.get(option.name) == option.path_end for option in self.options)

    def of_path(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the given options that the path depends on."""
        return {option.name: given[option.name] for option in self.options if option.of_path and option.name in given}

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The given options for the core. How a tree is chosen from the path is no matter of the core."""
        return {
            option.name: option.checked(given[option.name], given)
            for option in self.options
            if option.name in given and option.role != "rule"
        }

    def check_names(self, given: Mapping[str, Any], path: bool) -> None:
        """Refuse options that the method, or its path, does not have."""
        if "folds" in given:
            raise ValueError(
                "a tree alone cannot be grown anew on folds: use est.prune(..., folds=10) or est.pruning_path(..., folds=10)"
            )
        known = [option.name for option in self.options if option.of_path or not path]
        for name in given:
            if name not in known:
                raise unknown(f"option of {self.name!r}", name, known)


@cache
def pruners() -> dict[str, Pruner]:
    """Every method by name."""
    found = [Pruner(**{**facts, "options": [Option(**option) for option in facts["options"]]}) for facts in _core.pruners()]
    return {pruner.name: pruner for pruner in found}


def path_names() -> tuple[str, ...]:
    """Names of the methods that have a path of nested trees."""
    return tuple(name for name, pruner in pruners().items() if pruner.path)


def check_options(method: str, options: Mapping[str, Any]) -> Pruner:
    """Return the method, which has these options."""
    pruner = pruners()[parts.check_name("method", method, tuple(pruners()))]
    pruner.check_names(options, path=False)
    return pruner
