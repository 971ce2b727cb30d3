"""Records J48's trees (WEKA) on the shared tables: needs Java and the package that carries WEKA's jar.

Columns, levels and classes are written by number, so that nothing has to be quoted and the record is about trees alone.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from tools import weka

# Trees of larger tables would make the record large.
MOST_CELLS = 150_000
VARIANTS = {
    "pruned": (),
    "unpruned": ("-U",),
    "no raising": ("-S",),
    "confidence 0.1": ("-C", "0.1"),
    "leaf 5": ("-M", "5"),
    "no collapse": ("-O",),
    "no penalty": ("-J",),
    "all that grows": ("-U", "-O", "-J", "-M", "1"),
}
OFTEN = ("pruned", "unpruned")  # the others on small tables only
SMALL_CELLS = 15_000
LINE = re.compile(
    r"^(?P<bars>(?:\|   )*)"
    r"(?:x(?P<column>\d+) (?P<sign>=|<=|>) (?P<value>\S+?))?"
    r"(?:: c(?P<leaf>\d+) \((?P<rows>[\d.]+)(?:/(?P<wrong>[\d.]+))?\))?$"
)


def read_tree(text: str) -> list[list[Any]]:
    """The nodes below the root, parents first: depth, column, sign, value, and of leaves class, weight and wrong weight."""
    nodes = []
    for line in text.splitlines():
        found = LINE.match(line)
        if found is None:
            raise ValueError(f"J48 printed a line that is not understood: {line!r}")
        depth = len(found["bars"]) // 4
        node: list[Any] = [depth, None, "", 0]
        if found["column"] is not None:
            value = found["value"]
            node[1:] = [int(found["column"]), found["sign"], int(value[1:]) if found["sign"] == "=" else float(value)]
        if found["leaf"] is not None:
            node += [int(found["leaf"]), float(found["rows"]), float(found["wrong"] or 0)]
        nodes.append(node)
    return nodes


def _variants(frame: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    return {name: options for name, options in VARIANTS.items() if name in OFTEN or frame.size <= SMALL_CELLS}


def record() -> dict[str, Any] | str:
    """J48's trees by table and options, with the version; or why they cannot be recorded."""
    body = re.compile(r"-{10,}\n\n?(.*?)\n+Number of Leaves", re.DOTALL)
    answer = weka.record_trees("J48", weka.shared_names("classification"), MOST_CELLS, _variants, body, read_tree)
    return answer if isinstance(answer, str) else {**answer, "options": {k: list(v) for k, v in VARIANTS.items()}}
