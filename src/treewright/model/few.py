"""Numbers of many classes of which few are not 0."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MANY = 64  # classes beyond which numbers of classes are kept in this way
DENSE = 20_000_000  # numbers of a table of nodes or rules by classes that are held as one array; more are held sparse


class Few(Sequence[float]):
    """A sequence of numbers that keeps those that are not 0, with their places, ascending.

    Leaves times classes are quadratic in a table of many classes, and nearly all of these numbers are 0.
    """

    __slots__ = ("places", "size", "values")

    def __init__(self, size: int, places: tuple[int, ...], values: tuple[float, ...]) -> None:
        self.size, self.places, self.values = size, places, values

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(self)[place]
        if not -self.size <= place < self.size:
            raise IndexError(place)
        at = bisect_left(self.places, place % self.size)
        return self.values[at] if at < len(self.places) and self.places[at] == place % self.size else 0.0

    def __iter__(self) -> Iterator[float]:
        return iter(np.asarray(self).tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        out = np.zeros(self.size, np.float64 if dtype is None else dtype)
        out[list(self.places)] = self.values
        return out

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Few):
            return (self.size, self.places, self.values) == (other.size, other.places, other.values)
        return isinstance(other, tuple) and tuple(self) == other

    def __hash__(self) -> int:
        return hash((self.size, self.places, self.values))

    def __repr__(self) -> str:
        return f"Few({self.size}, {self.places}, {self.values})"


def dense(numbers: Any) -> NDArray[np.float64]:
    """A table, sparse or not, as an array."""
    return np.asarray(numbers.toarray() if hasattr(numbers, "toarray") else numbers)


def counts_of(found: Mapping[Any, float], place: Mapping[Any, int]) -> Sequence[float]:
    """Numbers of all classes, given those of some by label, and the places of all."""
    if len(place) <= MANY:
        return tuple(found.get(label, 0.0) for label in place)
    entries = sorted((place[label], number) for label, number in found.items() if number)
    return Few(len(place), tuple(k for k, _ in entries), tuple(number for _, number in entries))


def of_classes(numbers: NDArray[Any]) -> Sequence[float]:
    """Numbers of all classes: a tuple, or where classes are many those that are not 0."""
    if len(numbers) <= MANY:
        return tuple(numbers.tolist())
    places = np.flatnonzero(numbers)
    return Few(len(numbers), tuple(places.tolist()), tuple(numbers[places].tolist()))
