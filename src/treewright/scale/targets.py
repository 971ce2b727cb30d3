"""Targets and weights while rows arrive: classes by first appearance, numbers as they are."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import TreewrightWarning, outside
from treewright.scale.scratch import Scratch
from treewright.table import TargetSchema
from treewright.table.arrow import numbers_of
from treewright.table.target import declared_classes, read_classes, read_numbers
from treewright.table.weights import checked_weights

MOST_CLASSES = 256  # a byte a row

Array = NDArray[Any]


class Target(Protocol):
    """The target while rows arrive."""

    dtype: np.dtype[Any]

    def take(self, y: Any, rows: Array) -> Array:
        """The targets of some rows, as they will be on the disk; ``rows``: their numbers in the whole table."""

    def finished(self) -> tuple[TargetSchema, Array | None, Callable[[Array], Array]]:
        """The target, the classes that occur, sorted (None: numbers), and how to write what was taken."""


def _refuse_missing(name: str, y: Any, rows: Array) -> None:
    missing = np.flatnonzero(np.asarray(y.is_null(nan_is_null=True)))
    if len(missing):
        raise ValueError(f"the target {name!r} has no value in row {rows[missing[0]]}: drop such rows first")


class Classes:
    """Classes."""

    dtype = np.dtype(np.uint8)

    def __init__(self, name: str) -> None:
        self.name = name
        self.place: dict[Any, int] = {}
        self.declared: list[Any] | None = None
        self.occurring: dict[Any, None] = {}
        self.type: np.dtype[Any] | None = None

    def take(self, y: Any, rows: Array) -> Array:
        """Classes of some rows by first appearance."""
        _refuse_missing(self.name, y, rows)
        declared = declared_classes(y)
        if declared is None and (numbers := numbers_of(y)) is not None:
            y = numbers
        target, codes, found = read_classes(y, None)
        if declared is not None:
            self.declared = list(dict.fromkeys([*(self.declared or []), *declared]))
        self.occurring.update(dict.fromkeys(found.tolist()))
        self.type = found.dtype if self.type is None else np.result_type(self.type, found.dtype)
        place = [self.place.setdefault(label, len(self.place)) for label in target.classes or ()]
        self.refuse_many()
        return np.array(place, np.int32)[codes].astype(self.dtype)

    def refuse_many(self) -> None:
        """Refuse more classes than a byte tells apart."""
        if len(self.place) > MOST_CLASSES:
            raise ValueError(f"the target {self.name!r} has more than {MOST_CLASSES} classes, which est.fit takes in memory")

    def finished(self) -> tuple[TargetSchema, Array | None, Callable[[Array], Array]]:
        """The target, the classes that occur, sorted, and the code of each by first appearance."""
        occurring = sorted(self.occurring)
        order = self.declared if self.declared is not None else occurring
        code = np.zeros(len(self.place), self.dtype)
        for label, first in self.place.items():
            code[first] = order.index(label)
        return TargetSchema(self.name, tuple(order)), np.array(occurring, self.type), code.__getitem__


class Numbers:
    """Numbers."""

    dtype = np.dtype(np.float64)

    def __init__(self, name: str) -> None:
        self.name = name
        self.said: dict[str, None] = {}

    def take(self, y: Any, rows: Array) -> Array:
        """The numbers of some rows."""
        _refuse_missing(self.name, y, rows)
        numbers = numbers_of(y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                values = read_numbers(y if numbers is None else numbers, None)[1]
            except ValueError as error:
                raise ValueError(f"the target {self.name!r}: {error} (rows from {rows[0]} on)") from error
        self.said.update(dict.fromkeys(str(each.message) for each in caught))
        return values

    def finished(self) -> tuple[TargetSchema, Array | None, Callable[[Array], Array]]:
        """The target, and its numbers as they were taken."""
        for message in self.said:
            warnings.warn(message, TreewrightWarning, stacklevel=outside())
        return TargetSchema(self.name, None), None, lambda values: values


def weights_of(cells: Any, name: str, row: int) -> Array:
    """The weights of a batch, which begins at this row."""
    if cells.null_count:
        at = int(np.flatnonzero(np.asarray(cells.is_null()))[0])
        raise ValueError(f"weight: column {name!r} has no value in row {row + at}: weights must be finite numbers from 0 up")
    numbers = numbers_of(cells)
    if numbers is None:
        raise ValueError(f"weight: column {name!r} is of type {cells.type}: weights must be finite numbers from 0 up")
    try:
        return checked_weights(numbers, len(numbers))
    except ValueError as error:
        raise ValueError(f"weight: column {name!r}, rows from {row} on: {error}") from error


@dataclass(frozen=True)
class RowWeights:
    """What all rows weigh: as they were given, one after the other, and in whole quanta; None: one each."""

    given: Array | None = None
    quanta: Array | None = None
    shift: int = 0
    each: float = 1.0  # what every row weighs, where none has quanta of its own
    row: float = 1.0  # what one row weighs, as learners count rows
    total: int = 0  # in quanta

    def tell(self, facts: _core.CodedColumns) -> None:
        """Tell the core."""
        facts.set_weights(self.total, self.quanta is not None, self.shift, self.each, self.row)


def weighed(given: Array, scratch: Scratch, row: float | None = None, name: str = "sample_weight") -> RowWeights:
    """Weights from 0 up of which none is 0; ``row``: what one row weighs, by default as ``row_weight`` finds it."""
    facts = _core.WeightFacts()
    for piece in pieces(given):
        facts.look(piece)
    if row is None:
        if facts.whole and facts.even and facts.first == 1:
            return RowWeights(total=len(given))
        row = 1.0 if facts.whole else facts.first if facts.even else mean_of(given)
    if not math.isfinite(float(np.sum(given))):
        raise ValueError(f"the sum of {name} overflows: divide the weights by their largest")
    if facts.unit:
        return RowWeights(given, None, 0, facts.first, row, len(given))
    shift = facts.shift(sum(facts.rough_sum(piece) for piece in pieces(given)))
    quanta = scratch.array(np.int64, (len(given),))
    total = sum(_core.write_quanta(piece, shift, out) for piece, out in zip(pieces(given), pieces(quanta), strict=True))
    return RowWeights(given, quanta, shift, 1.0, row, total)


def mean_of(weights: Array) -> float:
    """The mean, of which the sum is rounded once: it does not depend on the order of rows."""
    return math.fsum(chain.from_iterable(piece.tolist() for piece in pieces(weights))) / len(weights)


_ROWS = 1 << 20


def pieces(array: Array) -> Iterator[Array]:
    """An array in pieces that memory holds."""
    for at in range(0, len(array), _ROWS):
        yield array[at : at + _ROWS]


def class_weights(labels: Array, weights: Array | None, n_classes: int) -> Array:
    """The weight of every class, added up row by row."""
    total: Array = np.zeros(n_classes, np.int64 if weights is None else np.float64)
    own = np.arange(n_classes)
    for at, piece in zip(range(0, len(labels), _ROWS), pieces(labels), strict=True):
        if weights is None:
            total += np.bincount(piece, minlength=n_classes)
        else:  # what was added up comes first, so that the sum is that of one pass
            total = np.bincount(np.append(own, piece), np.append(total, weights[at : at + _ROWS]), n_classes)
    return total


def whole_totals(labels: Sequence[Array], quanta: Sequence[Array] | None, n_classes: int) -> list[int]:
    """The weight of every class in quanta."""
    total = np.zeros(n_classes, np.int64)
    for at, label in enumerate(labels):
        # Sums of quanta are whole numbers below 2^46, which double precision holds.
        total += np.bincount(label, None if quanta is None else quanta[at], n_classes).astype(np.int64)
    return total.tolist()
