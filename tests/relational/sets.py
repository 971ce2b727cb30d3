"""Relations that tests learn from."""

from __future__ import annotations

import itertools
from typing import Any

Relations = dict[str, list[tuple[Any, ...]]]


def lists(letters: str = "abc", longest: int = 3) -> tuple[Relations, list[tuple[str, ...]]]:
    """All lists of some letters, by their heads and tails, and which is which two joined."""
    every = [word for n in range(longest + 1) for word in itertools.product(letters, repeat=n)]
    name = {word: "l" + "".join(word) for word in every}
    parts = [(name[word], word[0], name[word[1:]]) for word in every if word]
    joined = [(name[a], name[b], name[a + b]) for a in every for b in every if a + b in name]
    return {"append": joined, "components": parts, "null": [("l",)]}, list(name)


def family(deep: int = 5) -> Relations:
    """A tree of people, each with two children, and who descends from whom."""
    parent = [(f"p{i}", f"p{2 * i + j}") for i in range(1, 2 ** (deep - 1)) for j in (0, 1)]
    ancestor = set()
    for _, child in parent:
        number = int(child[1:])
        while number > 1:
            number //= 2
            ancestor.add((f"p{number}", child))
    grand = [(a, d) for a, b in parent for c, d in parent if b == c]
    return {"parent": parent, "ancestor": sorted(ancestor), "grandparent": grand}


def illegal(n: int, seed: int) -> tuple[list[tuple[int, ...]], list[bool]]:
    """Positions of white king, white rook and black king with white to move (file and rank each), and which cannot be."""
    import numpy as np

    rows = np.random.default_rng(seed).integers(0, 8, (n, 6))
    wkf, wkr, wrf, wrr, bkf, bkr = rows.T
    same = ((wkf == wrf) & (wkr == wrr)) | ((wkf == bkf) & (wkr == bkr)) | ((wrf == bkf) & (wrr == bkr))
    near = (abs(wkf - bkf) <= 1) & (abs(wkr - bkr) <= 1)
    between_ranks = (wkf == wrf) & (wkr > np.minimum(wrr, bkr)) & (wkr < np.maximum(wrr, bkr))
    between_files = (wkr == wrr) & (wkf > np.minimum(wrf, bkf)) & (wkf < np.maximum(wrf, bkf))
    check = ((wrf == bkf) & ~between_ranks) | ((wrr == bkr) & ~between_files)
    return [tuple(row) for row in rows.tolist()], (same | near | check).tolist()


def board() -> Relations:
    """What is known of files and ranks."""
    squares = range(8)
    return {
        "adjacent": [(a, b) for a in squares for b in squares if abs(a - b) <= 1],
        "less": [(a, b) for a in squares for b in squares if a < b],
    }
