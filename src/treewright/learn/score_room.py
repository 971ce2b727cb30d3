"""Whether the numbers that scores are made of fit into memory: a column of levels is a number for each of them."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.errors import counted, shown
from treewright.learn.training import Training

_MOST = 2**28  # numbers, 2 GiB
_TOGETHER = ("quadratic", "ellipsoid")  # kinds of nodes that look at products of two columns


def check_room(training: Training, nodes: Sequence[str], moments: bool) -> None:
    """Refuse a table whose scores would take gigabytes, by the column that is most of it.

    ``moments``: sums of products of all numbers are kept as well, for every class.
    """
    levels = {j: len(column.levels) for j, column in enumerate(training.columns) if column.nominal}
    numbers = len(training.columns) - len(levels)
    products = numbers * (numbers + 1) // 2 if any(node in _TOGETHER for node in nodes) else 0
    width = numbers + sum(n if n > 2 else n - 1 for n in levels.values() if n > 1) + products
    rows = len(training.codes)
    classes = 1 if training.classes is None else len(training.classes)
    cells = max(width * rows, width * width * classes if moments else 0)
    if cells <= _MOST:
        return
    most = max(levels, key=lambda j: levels[j], default=-1)
    if most >= 0 and levels[most] >= products:
        named = f"column {shown(training.columns[most].name)} has {levels[most]:,} levels, each of which is a number in scores"
        remedy = "leave it out, or put rare levels together"
    else:
        named = (
            f"{counted(numbers, 'column')} of numbers have {products:,} products"
            if products
            else f"there are {numbers:,} columns"
        )
        remedy = 'leave columns out, or use node="linear"' if products else "leave columns out"
    raise ValueError(f"{named}: for {rows:,} rows that would take {8 * cells / 2**30:,.1f} GiB; {remedy}")
