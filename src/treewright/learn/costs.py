"""Priors, class weights and losses: checked, and put in the order in which the core counts classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import as_float, shown
from treewright.table.weights import KEPT

# Squares of class weights times losses are added over all rows: these stay far from the ends of double precision.
SMALLEST, LARGEST = 1e-30, 1e30


def set_class_costs(
    settings: _core.GrowSettings,
    params: dict[str, Any],
    criterion: str | None,
    classes: tuple[Any, ...] | None,
    occurring: list[Any],
) -> None:
    """Tell the core what the rows and the answers of each class cost; a criterion that is None is a function."""
    given = [name for name in ("priors", "class_weight", "loss") if params.get(name) is not None]
    if not given:
        return
    if classes is None:
        raise ValueError(f"{given[0]} needs classes, the target is numeric")
    able = ", ".join(repr(name) for name, part in parts.criteria().items() if part["priors"])
    if criterion is None:
        raise ValueError(f"criterion is a function, which knows no {given[0]}: weigh the classes in it, or use one of {able}")
    if not parts.criteria()[criterion]["priors"]:
        raise ValueError(f"criterion {criterion!r} knows no {given[0]}; use one of {able}")
    if "priors" in given and "class_weight" in given:
        raise ValueError("priors and class_weight say the same in two ways: give one of them")
    labels = sorted(occurring)
    if "priors" in given:
        settings.priors = _priors(params["priors"], classes, labels)
    if "class_weight" in given:
        _set_class_weight(settings, params["class_weight"], classes, labels)
    if "loss" in given:
        matrix, present = _matrix(params["loss"], classes, labels)
        settings.loss = _full(matrix, present, classes)
        if parts.criteria()[criterion]["alters"]:
            settings.loss_sums = _altering(matrix, present, classes)


def class_factors(settings: _core.GrowSettings, training: Any) -> NDArray[np.float64] | None:
    """What a row of each class counts under priors or class weights, the sum of all rows kept; None: one each."""
    if not settings.priors and not settings.class_weight:
        return None
    n_classes = len(training.target.classes)
    counts = training.class_weights
    occurs = counts > 0
    counts = np.ldexp(counts, -np.frexp(counts.max())[1])  # a power of two changes no digit, and keeps quotients from overflowing
    factor = np.array(settings.class_weight or settings.priors)
    if settings.priors:
        # The core keeps weights to 2^-46 of their sum; a class that weighs less counts as that.
        kept = np.maximum(counts, counts.sum() * KEPT)
        factor = np.divide(factor, kept, out=np.zeros(n_classes), where=occurs)
    return factor * (counts.sum() / float(factor @ counts))


def _priors(priors: Any, classes: tuple[Any, ...], labels: list[Any]) -> list[float]:
    """Probabilities of all declared classes; 0 for those that do not occur."""
    by_label = _by_label("priors", priors, labels)
    if set(by_label) != set(labels):
        lacking = [label for label in labels if label not in by_label]
        raise ValueError(f"priors says nothing of class {shown(lacking[0])}: give a probability for every class")
    if not math.isclose(sum(by_label.values()), 1.0, abs_tol=1e-6):
        raise ValueError(f"priors={shown(priors)} sums to {sum(by_label.values()):g}: probabilities must sum to 1")
    return [by_label.get(label, 0.0) for label in classes]


def _set_class_weight(settings: _core.GrowSettings, weight: Any, classes: tuple[Any, ...], labels: list[Any]) -> None:
    if isinstance(weight, str):
        parts.check_name("class_weight", weight, ("balanced",))
        occurring = set(labels)
        settings.priors = [1 / len(labels) if label in occurring else 0.0 for label in classes]
        return
    if not isinstance(weight, Mapping):
        raise ValueError(f'class_weight={shown(weight)} must be a dict of class to weight, "balanced" or None')
    by_label = _by_label("class_weight", weight, labels)
    settings.class_weight = [by_label.get(label, 1.0) for label in classes]


def _by_label(name: str, given: Any, labels: list[Any]) -> dict[Any, float]:
    if isinstance(given, Mapping):
        entries = dict(given)
    else:
        try:
            values = list(given)
        except TypeError:
            values = []
        if len(values) != len(labels):
            raise ValueError(f"{name}={shown(given)} must have {len(labels)} entries, one for each of classes_")
        entries = dict(zip(labels, values, strict=True))
    out = {}
    own = {label: label for label in labels}
    for label, value in entries.items():
        if label not in own:
            raise ValueError(f"{name} names class {shown(label)}, which does not occur: the classes are {shown(labels)}")
        try:
            number = as_float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not SMALLEST <= number <= LARGEST:
            raise ValueError(f"{name} of class {shown(label)} is {shown(value)}: it must be from {SMALLEST:g} to {LARGEST:g}")
        out[own[label]] = number
    return out


def _matrix(loss: Any, classes: tuple[Any, ...], labels: list[Any]) -> tuple[Any, list[Any]]:
    try:
        matrix = np.asarray(loss, np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.empty(0)
    matrix = np.atleast_1d(matrix)
    # A matrix for all declared classes is taken as well as one for those that occur; both in sorted order.
    present = sorted(classes) if len(matrix) == len(classes) else labels
    k = len(present)
    allowed = (matrix == 0) | ((matrix >= SMALLEST) & (matrix <= LARGEST))
    if matrix.shape != (k, k) or not np.all(allowed) or np.any(np.diag(matrix) != 0):
        raise ValueError(
            f"loss={shown(loss)} must be {k} x {k} numbers from 0 (or {SMALLEST:g}) to {LARGEST:g} with zeros on the diagonal, "
            "rows and columns in the order of classes_"
        )
    return matrix, present


def loss_sums(loss: Any, classes: tuple[Any, ...], labels: list[Any]) -> list[float]:
    """Return what can be lost of every declared class."""
    return _altering(*_matrix(loss, classes, sorted(labels)), classes)


def _full(matrix: Any, present: list[Any], classes: tuple[Any, ...]) -> list[float]:
    # Classes that do not occur are never predicted: every such answer would cost more than any other.
    place = {label: i for i, label in enumerate(present)}
    dear = float(matrix.max()) + 1
    full = [
        [dear if label not in place or truth not in place else float(matrix[place[truth], place[label]]) for label in classes]
        for truth in classes
    ]
    return [value for row in full for value in row]


def _altering(matrix: Any, present: list[Any], classes: tuple[Any, ...]) -> list[float]:
    """What losses make of priors: the sum of what can be lost of each class (Breiman et al. 1984, section 4.4)."""
    if len(matrix) > 1 and np.any(matrix.sum(axis=1) == 0):
        label = present[int(np.flatnonzero(matrix.sum(axis=1) == 0)[0])]
        raise ValueError(
            f"loss: nothing is lost of class {shown(label)} (a row of zeros), so altered priors would forget it; "
            "use criterion='risk' or 'generalised_gini'"
        )
    sums = dict(zip(present, matrix.sum(axis=1).tolist(), strict=True)) if len(matrix) > 1 else {}
    return [sums.get(label, 1.0) for label in classes]
