"""What became of the nodes of a tree that was cut back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model import Tree


def nodes_left(tree: Tree, pruned: Tree) -> NDArray[np.int64]:
    """For every node of a tree the node of the pruned one that stands for it: itself, or the leaf that it was cut to."""
    old, new = tree.node_columns, pruned.node_columns
    left = np.zeros(tree.n_nodes, np.int64)
    for node in range(1, tree.n_nodes):  # parents come before their children
        up = old.parent[node]
        at = left[up]
        branch = node - int(old.first_child[up])
        left[node] = int(new.first_child[at]) + branch if new.n_children[at] > 0 else at
    return left
