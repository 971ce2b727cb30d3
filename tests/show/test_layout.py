"""The tidy layout: nothing overlaps, parents stand above the middle, it mirrors, it is linear, and its coordinates are pinned."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.show.layout import tidy

EXAMPLES = json.loads((Path(__file__).parent / "layout.json").read_text(encoding="utf-8"))


def shape(arity: list[int]) -> tuple[list[int], list[int]]:
    """First children and counts of a tree whose i-th node, breadth first, has arity[i] children."""
    first, count = [0], [0]
    for at, n in enumerate(arity):
        if at >= len(first):
            break
        if n > 1:
            first[at], count[at] = len(first), n
            first += [0] * n
            count += [0] * n
    return first, count


def rows(first: list[int], count: list[int]) -> list[list[int]]:
    """Nodes of every level from left to right."""
    out, level = [], [0]
    while level:
        out.append(level)
        level = [child for id in level for child in range(first[id], first[id] + count[id])]
    return out


TREES = st.lists(st.sampled_from([0, 0, 2, 2, 3, 6]), max_size=60).map(shape)


@given(TREES, st.data())
def test_nothing_overlaps_and_parents_stand_in_the_middle(tree: tuple[list[int], list[int]], data: st.DataObject) -> None:
    first, count = tree
    widths = data.draw(st.lists(st.sampled_from([1.0, 7.0, 40.0, 100.0]), min_size=len(first), max_size=len(first)))
    x = tidy(first, count, widths, 3.0)
    for level in rows(first, count):
        for a, b in pairwise(level):
            assert (x[b] - widths[b] / 2) - (x[a] + widths[a] / 2) >= 3.0 - 1e-6
    for id, n in enumerate(count):
        if n:
            assert x[id] == pytest.approx((x[first[id]] + x[first[id] + n - 1]) / 2, abs=1e-6)
    assert min(a - w / 2 for a, w in zip(x, widths, strict=True)) == pytest.approx(0, abs=1e-6)


@given(st.lists(st.sampled_from([0, 0, 2]), max_size=60).map(shape))
def test_a_mirrored_tree_is_the_mirror_image(tree: tuple[list[int], list[int]]) -> None:
    first, count = tree
    x = tidy(first, count, [10.0] * len(first), 2.0)
    # Reflect: number the nodes breadth first with the children of every node reversed.
    order, mirrored_first, mirrored_count = [0], [], []
    for id in order:
        mirrored_first.append(len(order) if count[id] else 0)
        mirrored_count.append(count[id])
        order.extend(range(first[id] + count[id] - 1, first[id] - 1, -1) if count[id] else ())
    mirrored = tidy(mirrored_first, mirrored_count, [10.0] * len(order), 2.0)
    wide = max(x) + 5
    for i, id in enumerate(order):
        assert mirrored[i] == pytest.approx(wide - x[id], abs=1e-6)


def test_by_hand() -> None:
    # A root of width 10 over leaves of widths 4, 20, 4, two apart: centres 2, 16, 30.
    assert tidy([1, 0, 0, 0], [3, 0, 0, 0], [10, 4, 20, 4], 2) == [16, 2, 16, 30]
    assert tidy([0], [0], [8], 2) == [4]


def test_small_subtrees_are_spread_between_large_ones() -> None:
    # Two wide subtrees with three leaves between them: equal distances.
    first, count = [1, 6, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0], [5, 4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0]
    x = tidy(first, count, [10.0] * 6 + [20.0] * 8, 2.0)
    gaps = [b - a for a, b in pairwise(x[1:6])]
    assert gaps == pytest.approx([gaps[0]] * 4)
    assert gaps[0] > 12


def test_leaves_that_reach_down_keep_their_column_free() -> None:
    first, count = [1, 0, 3, 0, 5, 0, 0], [2, 0, 2, 0, 2, 0, 0]
    x = tidy(first, count, [10.0] * 7, 2.0, [1, 3, 1, 2, 1, 1, 1])
    bottom = [x[1], x[3], x[5], x[6]]
    assert [b - a for a, b in pairwise(bottom)] == [12.0, 12.0, 12.0]


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["name"] for example in EXAMPLES])
def test_coordinates_are_those_all_implementations_give(example: dict[str, list[float]]) -> None:
    found = tidy(example["first"], example["count"], example["widths"], example["gap"], example.get("levels"))
    assert found == example["x"]


@pytest.mark.parametrize("n", [2, 5])
def test_long_chains_need_no_recursion_and_linear_work(n: int) -> None:
    """A quadratic join would take minutes here."""
    # A chain: node 0 has children 1..n, the first of which has the next n, and so on.
    first, count, at = [1], [n], 1
    while len(first) < 30_000:
        first += [at + n] + [0] * (n - 1)
        count += [n] + [0] * (n - 1)
        at += n
    first += [0] * n
    count += [0] * n
    x = tidy(first, count, [1.0] * len(first), 1.0)
    assert len(x) == len(first)
    assert max(x) < len(first) * 4
