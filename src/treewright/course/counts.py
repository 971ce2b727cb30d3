"""How many hypotheses there are: functions, conjunctions, and trees of a size."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from treewright.errors import out_of_range
from treewright.learn.values import is_whole, whole

MOST_DIGITS = 1_000_000
MOST_PRODUCTS = 30_000_000

# How many columns have so many levels, by number of levels, ascending.
Widths = tuple[tuple[int, int], ...]


def count_functions(n_columns: int, n_classes: int = 2, n_levels: int | Sequence[int] = 2) -> int:
    """Return how many functions there are from the cells of a row to a class: as many as trees can represent.

    Parameters
    ----------
    n_columns : int
        Number of columns.
    n_classes : int, default 2
        Number of classes.
    n_levels : int or sequence of int, default 2
        Levels of every column, or of each of them.

    Examples
    --------
    >>> import treewright as tw
    >>> tw.count_functions(4)
    65536
    """
    levels, classes = _levels(n_columns, n_levels), whole("n_classes", n_classes, 1)
    digits = math.exp(min(600.0, sum(map(math.log, levels)))) * math.log10(classes)
    if digits > MOST_DIGITS:
        raise ValueError(
            f"of {len(levels)} columns and {classes} classes there are functions whose number has about {digits:.3g} digits, "
            f"more than {MOST_DIGITS:,}: ask for fewer columns or levels"
        )
    return int(classes ** math.prod(levels))


def count_conjunctions(n_columns: int, n_levels: int | Sequence[int] = 2) -> int:
    """Return how many conjunctions there are: each column has one of its levels or any, and one conjunction covers nothing.

    Parameters
    ----------
    n_columns : int
        Number of columns.
    n_levels : int or sequence of int, default 2
        Levels of every column, or of each of them.

    Examples
    --------
    >>> import treewright as tw
    >>> tw.count_conjunctions(4)
    82
    """
    return math.prod(n + 1 for n in _levels(n_columns, n_levels)) + 1


def count_trees(n_columns: int, size: int, n_classes: int = 2, n_levels: int | Sequence[int] = 2) -> int:
    """Return how many different trees there are with this many splits, each with a branch per level.

    A column is tested once on a path at most, and every leaf says a class. A tree without splits is a leaf: one for every class.
    One with ``s`` splits has one of the columns at its root, and the other ``s - 1`` splits are dealt out to the branches, which
    are trees over the remaining columns: N(d, s) = d · Σ N(d-1, l) · N(d-1, s-1-l) for two levels.

    Parameters
    ----------
    n_columns : int
        Number of columns.
    size : int
        Number of splits.
    n_classes : int, default 2
        Number of classes.
    n_levels : int or sequence of int, default 2
        Levels of every column, or of each of them.

    Examples
    --------
    >>> import treewright as tw
    >>> [tw.count_trees(3, size) for size in range(8)]
    [2, 12, 96, 576, 1920, 4608, 6144, 3072]
    """
    levels = _levels(n_columns, n_levels)
    return trees_up_to(levels, whole("size", size, 0), whole("n_classes", n_classes, 1))[-1]


def trees_up_to(levels: Sequence[int], size: int, n_classes: int) -> list[int]:
    """The number of trees of every size from 0 up to this one, over columns of so many levels."""
    root = tuple(sorted(Counter(levels).items()))
    # What is left of the columns after 0, 1, … tests, and of the size.
    generations = [{root}]
    work = 0.0
    while len(generations) <= size and any(generations[-1]):
        at_most = size - len(generations) + 1
        work += sum(min(width, at_most) * float(at_most) ** 2 for widths in generations[-1] for width, _ in widths)
        if work > MOST_PRODUCTS:
            raise ValueError(
                f"counting the trees of {size} splits over {len(levels)} columns takes about {work:.2g} products of long numbers "
                f"or more, beyond {MOST_PRODUCTS:,}: ask for a smaller size or fewer columns"
            )
        generations.append({_without(widths, width) for widths in generations[-1] for width, _ in widths})
    below: dict[Widths, list[int]] = {}
    for tests in range(len(generations) - 1, -1, -1):
        at_most = size - tests
        here: dict[Widths, list[int]] = {}
        for widths in generations[tests]:
            counts = [n_classes] + [0] * at_most
            for width, n in widths if at_most > 0 else ():
                for splits, trees in enumerate(_power(below[_without(widths, width)], width, at_most - 1)):
                    counts[splits + 1] += n * trees
            here[widths] = counts
        below = here
    return below[root]


def product(a: list[int], b: list[int], at_most: int) -> list[int]:
    """The ways to have so many splits in two branches, from those in each; no more splits than ``at_most``."""
    out = [0] * (at_most + 1)
    for i, x in enumerate(a[: at_most + 1]):
        if x:
            for j, y in enumerate(b[: at_most + 1 - i]):
                out[i + j] += x * y
    return out


def _power(counts: list[int], times: int, at_most: int) -> list[int]:
    """The product of so many equal branches, by repeated squaring."""
    out, square = [1] + [0] * at_most, counts[: at_most + 1]
    while times:
        if times & 1:
            out = product(out, square, at_most)
        times >>= 1
        if times:
            square = product(square, square, at_most)
    return out


def _without(widths: Widths, width: int) -> Widths:
    return tuple((one, n - (one == width)) for one, n in widths if n > (one == width))


def _levels(n_columns: Any, n_levels: Any) -> list[int]:
    n = whole("n_columns", n_columns, 0, 1_000_000)
    if is_whole(n_levels):
        return [whole("n_levels", n_levels, 1)] * n
    levels = list(n_levels) if hasattr(n_levels, "__len__") and not isinstance(n_levels, (str, bytes)) else []
    if len(levels) != n or not levels or not all(is_whole(one) and one >= 1 for one in levels):
        raise out_of_range("n_levels", n_levels, f"a whole number from 1 up, or one for each of the {n} columns")
    return [int(one) for one in levels]
