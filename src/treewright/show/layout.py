"""Where the nodes of a drawn tree stand: a tidy tree with nodes of different widths, in linear time and without recursion.

Reingold and Tilford's idea (subtrees are drawn alike wherever they hang, and packed as closely as their outlines allow) for any
number of children, with Buchheim, Jünger and Leipert's even spacing of small subtrees between large ones (2002). Every
operation is an addition, subtraction, halving or comparison of doubles, so that another language gives the same coordinates:
``tests/show/layout.json`` holds examples for all implementations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class _Outline:
    """Outermost edges of a subtree per level, deepest first, so that a parent is appended; ``off`` is added to every entry."""

    left: list[float]
    right: list[float]
    off: float


def tidy(
    first: Sequence[int],
    count: Sequence[int],
    widths: Sequence[float],
    gap: float,
    levels: Sequence[int] | None = None,
) -> list[float]:
    """Place the centres of all nodes; the leftmost edge is at 0.

    Parameters
    ----------
    first, count : sequence of int
        First child and number of children of every node. Children are consecutive and come after their parent.
    widths : sequence of float
        Width of every node.
    gap : float
        Least distance between neighbours of one level.
    levels : sequence of int, optional
        How many levels each node takes, 1 unless given (a leaf that hangs down to the last level takes more).
    """
    n = len(count)
    offset = [0.0] * n  # of a node from its parent
    outlines: list[_Outline | None] = [None] * n
    for id in range(n - 1, -1, -1):
        half = widths[id] / 2
        if count[id] == 0:
            high = 1 if levels is None else levels[id]
            outlines[id] = _Outline([-half] * high, [half] * high, 0.0)
            continue
        begin, end = first[id], first[id] + count[id]
        places, forest = _pack(outlines, begin, end, gap)
        centre = (places[0] + places[-1]) / 2
        for child, place in zip(range(begin, end), places, strict=True):
            offset[child] = place - centre
            outlines[child] = None
        forest.off -= centre
        forest.left.append(-half - forest.off)
        forest.right.append(half - forest.off)
        outlines[id] = forest
    root = outlines[0]
    assert root is not None
    x = [0.0] * n
    x[0] = -(min(root.left) + root.off)
    for id in range(n):
        for child in range(first[id], first[id] + count[id]):
            x[child] = x[id] + offset[child]
    return x


def _pack(outlines: list[_Outline | None], begin: int, end: int, gap: float) -> tuple[list[float], _Outline]:
    """Put siblings side by side: the places of their roots from the first one's, and the outline of them all."""
    forest = outlines[begin]
    assert forest is not None
    places = [0.0]
    owners = [(len(forest.left), 0)]  # whose right edge is seen from the right: (down to which level, sibling), deepest first
    for sibling in range(1, end - begin):
        tree = outlines[begin + sibling]
        assert tree is not None
        place = 0.0
        for level in range(1, min(len(forest.left), len(tree.left)) + 1):
            short = (forest.right[-level] + forest.off) + gap - ((tree.left[-level] + tree.off) + place)
            if short > 0:
                place += short
                _spread(places, _owner(owners, level), short)
        places.append(place)
        while owners and owners[-1][0] <= len(tree.left):
            owners.pop()
        owners.append((len(tree.left), sibling))
        forest = _join(forest, tree, place)
    return places, forest


def _owner(owners: list[tuple[int, int]], level: int) -> int:
    return next(sibling for reach, sibling in reversed(owners) if reach >= level)


def _spread(places: list[float], owner: int, short: float) -> None:
    """Share out a push against ``owner`` among the siblings in between, which are all shallower than the level of the push."""
    between = len(places) - owner
    for k in range(owner + 1, len(places)):
        places[k] += short * ((k - owner) / between)


def _join(forest: _Outline, tree: _Outline, place: float) -> _Outline:
    """Outline of a forest with a tree to its right; the longer list is kept, so that all joins together are linear."""
    shift = tree.off + place
    if len(forest.left) >= len(tree.left):
        for level in range(1, len(tree.left) + 1):
            forest.right[-level] = tree.right[-level] + shift - forest.off
        return forest
    for level in range(1, len(forest.left) + 1):
        tree.left[-level] = forest.left[-level] + forest.off - shift
    tree.off = shift
    return tree
