"""Pruning as a verb on a grown tree: methods by name, and the paths of nested trees some of them choose from."""

from treewright.prune.methods import path_of, prune_tree
from treewright.prune.path import Curve, Overfitting, PruningPath
from treewright.prune.registry import pruners
from treewright.prune.rows import Rows, given_rows

__all__ = ["Curve", "Overfitting", "PruningPath", "Rows", "given_rows", "path_of", "prune_tree", "pruners"]
