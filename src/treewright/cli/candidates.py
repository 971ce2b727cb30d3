"""The candidate splits of a node as text: the one that was chosen first, and why better ones were not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from treewright.errors import visible
from treewright.show.cells import cells, cut_to

_MARGIN = 1e-3  # C4.5's: how far below the average a gain may lie


def in_order(candidates: Sequence[Any]) -> list[Any]:
    """Return candidates, best first; where a rule passes over columns of low gain, these are last."""
    low = _passed_over(candidates)
    return sorted(candidates, key=lambda entry: (entry.column in low, -entry.merit))


def candidates_text(candidates: Sequence[Any]) -> str:
    """Write a line for each, and the rule that passed over some."""
    names = [cut_to(visible(entry.column), 40) for entry in candidates]
    wide = max(map(cells, names), default=0)
    compared = any(entry.merit != entry.gain for entry in candidates)  # columns are not compared by their gain alone
    ratio = all(entry.ratio is None or math.isclose(entry.ratio, entry.merit, rel_tol=1e-6) for entry in candidates)
    low = _passed_over(candidates)
    lines = []
    for entry, label in zip(candidates, names, strict=True):
        figures = {"gain": entry.gain, "penalty": entry.penalty, "split info": entry.split_info}
        figures["ratio" if ratio else "merit"] = entry.merit
        text = "   ".join(f"{name} {_figure(value)}" for name, value in figures.items() if name == "gain" or (compared and value))
        mark = "   ◀ chosen" if entry.chosen else "   (gain below average)" if entry.column in low else ""
        lines.append(f"{label}{' ' * (wide - cells(label))}  {text}{mark}")
    if low:
        average = _figure(_average(candidates))
        lines.append(
            f"by their ratio only columns are compared whose gain, less penalty, reaches the average of {average} (C4.5)"
        )
    return "\n".join(lines)


def _figure(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 1e4 else f"{value:.6g}"


def _average(candidates: Sequence[Any]) -> float:
    return math.fsum(entry.gain - entry.penalty for entry in candidates) / len(candidates)


def _passed_over(candidates: Sequence[Any]) -> set[str]:
    """Columns of a better merit than the one chosen, whose gain is below the average: C4.5 does not compare those."""
    chosen = next((entry for entry in candidates if entry.chosen), None)
    if chosen is None or chosen.merit >= max(entry.merit for entry in candidates):
        return set()
    floor = _average(candidates) - _MARGIN
    if chosen.gain - chosen.penalty < floor:
        return set()
    return {entry.column for entry in candidates if entry.merit > chosen.merit and entry.gain - entry.penalty < floor}
