"""Windowing: trees grown from some of the rows, to which rows they get wrong are added (Quinlan 1979, 1983, 1986, 1993)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
KEPT = ("all", "keys")


@dataclass(frozen=True)
class WindowTree:
    """A tree grown from a window, and per row of the whole table the class it predicts, as a position, and its leaf."""

    core: Any
    label: NDArray[np.int64]
    leaf: NDArray[np.int64]


def balanced(codes: NDArray[np.int64], size: int, n_classes: int) -> list[int]:
    """How many rows of each class a first window of this size takes: as even as the classes allow, the smallest served first."""
    left = np.bincount(codes, minlength=n_classes)
    target = [0] * n_classes
    open_ = [k for k in range(n_classes) if left[k]]
    for k in sorted(open_, key=lambda k: int(left[k])):
        target[k] = min(int(left[k]), size // len(open_))
        size -= target[k]
        open_.remove(k)
    return target


def first_window(codes: NDArray[np.int64], target: list[int], rng: np.random.Generator) -> tuple[Rows, int]:
    """All rows in an order drawn at random, those of the window first, and the size of the window."""
    order = rng.permutation(len(codes))
    inside = np.zeros(len(order), bool)
    for k, count in enumerate(target):
        inside[np.flatnonzero(codes[order] == k)[:count]] = True
    return np.concatenate([order[inside], order[~inside]]), int(inside.sum())


Cycles = list[tuple[int, int]]  # rows of the window, and how many of all rows the tree grown from it gets wrong


def iterate(
    grow: Callable[[Rows], WindowTree], codes: NDArray[np.int64], order: Rows, window: int, increment: int, cycles: Cycles
) -> Any:
    """Grow from the window, take in rows that were wrong, until none outside is; the tree with the fewest errors on all rows.

    C4.5 adds up to ``increment`` of the rows that were wrong, but at least half of them. Every tree is noted in ``cycles``.
    """
    order = order.copy()
    best, fewest = None, len(order) + 1
    while True:
        grown = grow(order[:window])
        wrong = grown.label[order] != codes[order]
        outside = np.flatnonzero(wrong[window:]) + window
        total = int(wrong.sum())
        cycles.append((window, total))
        if best is None or total < fewest:
            best, fewest = grown.core, total
        if not len(outside):
            return best
        _bring_forward(order, window, outside)
        window = min(window + max(min(len(outside), increment), len(outside) // 2), len(order))


def exact(
    grow: Callable[[Rows], WindowTree],
    codes: NDArray[np.int64],
    order: Rows,
    window: int,
    increment: int,
    kept: str,
    replacing: int,
    cycles: Cycles,
) -> Any:
    """ID3's windowing: until the tree is right about every row outside the window (Quinlan 1983).

    ``kept="all"``: the window grows by up to ``increment`` exceptions. ``kept="keys"``: it stays as large, a row of each leaf of
    the current tree is kept and exceptions replace others; ``replacing`` times, then it grows after all, so that there is an end.
    """
    order = order.copy()
    while True:
        grown = grow(order[:window])
        wrong = grown.label[order] != codes[order]
        outside = np.flatnonzero(wrong[window:]) + window
        cycles.append((window, int(wrong.sum())))
        if not len(outside):
            return grown.core
        if kept == "keys" and replacing > 0:
            replacing -= 1
            _, first = np.unique(grown.leaf[order[:window]], return_index=True)
            spare = np.setdiff1d(np.arange(window), first)[::-1]
            count = min(len(spare), len(outside), increment)
            if count > 0:
                order[spare[:count]], order[outside[:count]] = order[outside[:count]], order[spare[:count]]
                continue
        _bring_forward(order, window, outside)
        window += min(len(outside), increment)


def _bring_forward(order: Rows, window: int, outside: NDArray[np.int64]) -> None:
    for place, at in enumerate(outside, window):
        order[place], order[at] = order[at], order[place]


def usual_window(n: int) -> int:
    """C4.5's first window: a fifth of the rows, or twice the square root of their number if that is more."""
    return min(n, int(max(2 * math.sqrt(n), n // 5)))
