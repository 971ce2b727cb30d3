"""How much the rows of a target count, and what answers cost: what trees of that target are judged by."""

from __future__ import annotations

from treewright import _core
from treewright.table import TargetSchema


def costs_of(target: TargetSchema) -> _core.Costs:
    """What rows count and answers cost, for the core. A tree grown by its largest error is judged by the error of each row."""
    measure = "absolute" if target.measure == "worst" else target.measure
    return _core.Costs(list(target.factors), list(target.losses), measure)
