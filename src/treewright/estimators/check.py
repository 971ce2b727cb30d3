"""Whether the parameters of an estimator are what they may be, before any row is looked at: before a long fit, and in files."""

from __future__ import annotations

import inspect
import numbers
import warnings
from typing import Any

from treewright.errors import TreewrightWarning, out_of_range
from treewright.estimators.settings import flag, make_settings

_COSTS = ("priors", "loss", "class_weight")  # which are about classes


def check_parameters(estimator: Any, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
    """Refuse parameters of wrong types or values; ``costs``: those about classes too, which must then be the ones given."""
    _check_types(estimator)
    for own in ("_confidence", "_how"):
        if hasattr(estimator, own):
            getattr(estimator, own)()
    if not hasattr(estimator, "_parameters"):  # rules
        getattr(estimator, "_options", dict)()
        return
    params = estimator._parameters()
    if not costs:
        params |= {name: None for name in _COSTS if name in params}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)  # of what changes nothing: a fit says so
        make_settings(params, classes, list(classes or ()), n_columns, 1e9)


def _check_types(estimator: Any) -> None:
    """Refuse what is of another type than the default of a parameter, where that is told by it."""
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        value, default = getattr(estimator, name), parameter.default
        if isinstance(default, bool):
            flag(name, value)
        elif isinstance(default, (int, float)) and not (value is None or isinstance(value, (numbers.Real, str))):
            raise out_of_range(name, value, "a number")
        elif isinstance(value, dict) and name not in _COSTS:
            raise out_of_range(name, value, "a single value")
