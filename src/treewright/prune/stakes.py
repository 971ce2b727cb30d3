"""What is at stake when a tree of some target answers: how much rows count, and what answers cost."""

from __future__ import annotations

from treewright import _core
from treewright.table import TargetSchema


def stakes_of(target: TargetSchema) -> _core.Stakes:
    """What rows and answers cost, for the core. A tree grown by its largest error is judged by the error of each row."""
    measure = "absolute" if target.measure == "worst" else target.measure
    return _core.Stakes(list(target.factors), list(target.losses), measure)
