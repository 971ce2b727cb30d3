"""Records REPTree's trees (WEKA) on the shared tables, for classes and for numbers: needs what J48's recorder needs."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from tools import weka

# Trees of larger tables would make the record large: above the first number the pruned tree alone, above the second none.
FEW_CELLS = 30_000
MOST_CELLS = 250_000
VARIANTS = {
    "pruned": (),
    "unpruned": ("-P",),
    "seed 7, 4 folds": ("-S", "7", "-N", "4"),
    "leaf 5, depth 4": ("-M", "5", "-L", "4"),
}
LINE = re.compile(
    r"^(?P<bars>(?:\|   )*)"
    r"(?:x(?P<column>\d+) (?P<sign>=|<|>=) (?P<value>\S+))?"
    r"(?: : c?(?P<says>\S+) \((?P<rows>[^/]+)/[^)]*\) \[(?P<held>[^/]+)/[^\]]*\])?$"
)


def read_tree(text: str) -> list[list[Any]]:
    """The nodes below the root, parents first: depth, column, sign, value, and of leaves answer, growing and held-out weight."""
    nodes = []
    for line in text.splitlines():
        found = LINE.match(line)
        if found is None:
            raise ValueError(f"REPTree printed a line that is not understood: {line!r}")
        node: list[Any] = [len(found["bars"]) // 4, None, "", 0]
        if found["column"] is not None:
            value = found["value"]
            node[1:] = [int(found["column"]), found["sign"], int(value[1:]) if found["sign"] == "=" else float(value)]
        if found["says"] is not None:
            node += [float(found["says"]), float(found["rows"]), float(found["held"])]
        nodes.append(node)
    return nodes


def _variants(frame: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    names = VARIANTS if frame.size <= FEW_CELLS else ["pruned"]
    return {name: ("-num-decimal-places", "9", *VARIANTS[name]) for name in names}


def record() -> dict[str, Any] | str:
    """REPTree's trees by table and options, with the version; or why they cannot be recorded."""
    body = re.compile(r"={10,}\n\n?(.*?)\n+Size of the tree", re.DOTALL)
    answer = weka.record_trees("REPTree", weka.shared_names(), MOST_CELLS, _variants, body, read_tree)
    return answer if isinstance(answer, str) else {**answer, "options": {k: list(v) for k, v in VARIANTS.items()}}
