"""A report of drift in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treewright.errors import visible
from treewright.table.schema import share_text, weight_text

if TYPE_CHECKING:
    from treewright.inspect.drift import Drift

_WORDS = ((0.25, "much"), (0.1, "some"))
_WIDE = 60  # signs of the way to a leaf


def drift_text(drift: Drift, most: int = 10) -> str:
    """Write a report; see ``Drift.to_text``."""
    changed = next((word for bound, word in _WORDS if drift.stability >= bound), "little")
    lines = [
        f"{weight_text(drift.rows_now)} rows, training had {weight_text(drift.rows_then)}",
        f"stability of the leaves {drift.stability:.3f}: {changed} has changed",
    ]
    if drift.error_now is not None:
        then = "" if drift.error_then is None else f", in training {drift.error_then:.4g}"
        lines.append(f"error {drift.error_now:.4g}{then}")
    leaves = sorted((node for node in drift.nodes if node.is_leaf), key=lambda node: -abs(node.share_now - node.share_then))
    heads = ("share", "was", "error", "was", "leaf")
    rows = [
        (share_text(node.share_now), share_text(node.share_then), _figure(node.error_now), _figure(node.error_then), _place(node))
        for node in leaves[:most]
    ]
    lines += ["", *_table(heads, rows)]
    if len(leaves) > most:
        lines.append(f"… {len(leaves) - most} more leaves")
    changes: list[tuple[str, ...]] = []
    for column in drift.columns:
        unseen = ", ".join(f"{level!r} {count}" for level, count in list(column.unseen.items())[:3])
        more = f" and {len(column.unseen) - 3} more" if len(column.unseen) > 3 else ""
        if column.stability is None and not column.unseen and not column.missing_now:
            continue
        index = "" if column.stability is None else f"{column.stability:.3f}"
        changes.append((index, share_text(column.missing_now), visible(unseen + more), visible(column.column)))
    if changes:
        lines += ["", *_table(("stability", "missing", "unseen levels", "column"), changes)]
    return "\n".join(lines)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _place(node: Any) -> str:
    where = visible(node.where)
    return f"{node.node}: {where if len(where) <= _WIDE else where[: _WIDE - 1] + '…'}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns side by side, the last one to the left."""
    wide = [max(len(row[j]) for row in [heads, *rows]) for j in range(len(heads) - 1)]
    return ["  ".join([*(f"{cell:>{width}}" for cell, width in zip(row, wide, strict=False)), row[-1]]) for row in [heads, *rows]]
