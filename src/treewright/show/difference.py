"""Two trees compared, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.errors import visible
from treewright.show.node_text import NodeText
from treewright.table.schema import weight_text

if TYPE_CHECKING:
    from treewright.inspect.difference import Difference
    from treewright.model.node import Node

_PAIRS = 6


def question(node: Node) -> str:
    """What an inner node asks."""
    return NodeText(node.tree, one=True).question(node.id)


def difference_text(found: Difference, most: int = 20) -> str:
    """Write a comparison; see ``Difference.to_text``."""
    lines = [f"{at}: {size}" for at, size in enumerate(found.sizes, 1)]
    if found.rows is not None and found.changed is not None:
        line = f"{weight_text(found.changed)} of {weight_text(found.rows)} rows are told something else"
        if found.errors is not None:
            line += "; errors {:.4g} and {:.4g}".format(*found.errors)
        if found.mended is not None and found.spoiled is not None:
            line += f" ({weight_text(found.mended)} mended, {weight_text(found.spoiled)} spoiled)"
        lines.append(line)
        if len(found.answers) > 1:
            lines += [f"  {visible(f'{a} → {b}')}: {weight_text(held)}" for a, b, held in found.answers[:_PAIRS]]
    if found.same:
        lines.append("both ask and say the same everywhere")
    for place in found.nodes[:most]:
        rows = ""
        if place.rows is not None:
            rows = f" ({weight_text(place.rows)} rows, {weight_text(place.changed or 0)} told something else)"
        lines += ["", visible(place.where) + rows, f"  1: {visible(place.first)}", f"  2: {visible(place.second)}"]
    if len(found.nodes) > most:
        lines += ["", f"… {len(found.nodes) - most} more places"]
    return "\n".join(lines)
