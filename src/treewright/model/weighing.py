"""The weight of nodes: in the unit of the weights a tree was learned with, and in rows, as learners count."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright import _core
    from treewright.table import TargetSchema


def in_rows(core: _core.Tree, target: TargetSchema) -> _core.Tree:
    """A tree whose nodes weigh as many rows as they hold on average: what is compared with a constant counts these."""
    return core if target.row_weight == 1 else core.weighing(1.0, target.row_weight)


def in_given_unit(core: _core.Tree, target: TargetSchema) -> _core.Tree:
    """A tree that was learned in rows with the weights that the user gave."""
    return core if target.row_weight == 1 else core.weighing(target.row_weight, 1.0)
