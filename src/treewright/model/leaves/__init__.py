"""The kinds of leaves: what the nodes of a tree predict, a module each."""

from __future__ import annotations

from collections.abc import Container

from treewright import _core
from treewright.model.leaves.base import LeafModel, LeafTexts
from treewright.model.leaves.class_scores import ClassScores
from treewright.model.leaves.class_shares import ClassShares
from treewright.model.leaves.equations import Equations
from treewright.model.leaves.log_shares import LogShares
from treewright.model.leaves.means import Means
from treewright.model.leaves.vectors import Vectors
from treewright.table import TableSchema, TargetSchema

# Every kind by its name, those first that a section of a file names; the last two are what the core's own columns hold.
LEAF_MODELS: dict[str, type[LeafModel]] = {
    each.kind: each for each in (Equations, ClassScores, Vectors, LogShares, ClassShares, Means)
}
SECTIONS = tuple(sorted({name for each in LEAF_MODELS.values() for name in each.sections}))


def kind_of(names: Container[str], target: TargetSchema) -> type[LeafModel]:
    """The kind of leaves of a tree with this target, whose section has these entries."""
    return next(each for each in LEAF_MODELS.values() if each.reads(names, target))


def plain_leaves(core: _core.Tree, schema: TableSchema, target: TargetSchema) -> LeafModel:
    """The leaves that the core's own columns hold: classes by their weights, or one number."""
    return Means(core, schema, target) if target.classes is None else ClassShares(core, schema, target)


__all__ = [
    "LEAF_MODELS",
    "SECTIONS",
    "ClassScores",
    "ClassShares",
    "Equations",
    "LeafModel",
    "LeafTexts",
    "LogShares",
    "Means",
    "Vectors",
    "kind_of",
    "plain_leaves",
]
