"""Which rows WEKA holds out: its shuffle by Java's generator (java.util.Random), its stratification, and the first fold."""

from __future__ import annotations

from collections.abc import Sequence


class JavaRandom:
    """The linear congruential generator that the documentation of ``java.util.Random`` specifies."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ 0x5DEECE66D) % 2**48

    def bits(self, count: int) -> int:
        self.state = (self.state * 0x5DEECE66D + 0xB) % 2**48
        return self.state >> (48 - count)

    def below(self, bound: int) -> int:
        if bound & (bound - 1) == 0:
            return (bound * self.bits(31)) >> 31
        while True:
            drawn = self.bits(31)
            if drawn - drawn % bound + bound - 1 < 2**31:
                return drawn % bound


def held_out(n: int, classes: Sequence[int] | None, folds: int, seed: int) -> list[int]:
    """The rows of the first fold: of shuffled rows, sorted by class and then dealt out if there are classes."""
    order, random = list(range(n)), JavaRandom(seed)
    for j in range(n - 1, 0, -1):
        k = random.below(j + 1)
        order[j], order[k] = order[k], order[j]
    if classes is not None:
        order = sorted_by_class(order, classes)
        order = [order[j] for start in range(folds) for j in range(start, n, folds)]
    return order[: n // folds + (n % folds > 0)]


def sorted_by_class(order: list[int], classes: Sequence[int]) -> list[int]:
    """Rows with those of a class together, in the order that WEKA's exchanges leave."""
    order, at = list(order), 1
    while at < len(order):
        first = order[at - 1]
        for j in range(at, len(order)):
            if classes[order[j]] == classes[first]:
                order[at], order[j] = order[j], order[at]
                at += 1
        at += 1
    return order


def dealt(classes: Sequence[int], folds: int) -> list[int]:
    """The fold of every row where rows are dealt out by class without being shuffled."""
    fold = [0] * len(classes)
    for place, row in enumerate(sorted_by_class(list(range(len(classes))), classes)):
        fold[row] = place % folds
    return fold
