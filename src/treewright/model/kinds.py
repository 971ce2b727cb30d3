"""What the nodes of a tree are like by depth: of which kind their tests are, and how much these look at."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from treewright.model.tree import Tree

KINDS = ("univariate", "linear", "quadratic", "network")  # from the simplest on


class KindsOfNodes:
    """What trees tell of their nodes by depth."""

    def node_kinds(self) -> list[dict[str, int]]:
        """Count the nodes that test, by depth and kind.

        Returns
        -------
        list of dict
            Of every depth, from the root on, how many nodes look at one column ("univariate"), compare sums of columns
            ("linear"), of their products, too ("quadratic"), or sums of sigmoids ("network"). Kinds that do not occur are left
            out.
        """
        tree = cast("Tree", self)
        derived = tree.splits.derived
        out: list[Counter[str]] = [Counter() for _ in range(tree.depth)]
        for id in np.flatnonzero(~tree.node_columns.is_leaf).tolist():
            equation = derived[id].equation if id in derived else None
            out[int(tree.depths[id])]["univariate" if equation is None else equation.kind] += 1
        return [{kind: counts[kind] for kind in KINDS if counts[kind]} for counts in out]

    def node_terms(self) -> list[float]:
        """Mean number of columns that a node looks at, by depth: those with a weight in its scores, or the one it tests."""
        tree = cast("Tree", self)
        derived = tree.splits.derived
        looked: list[list[int]] = [[] for _ in range(tree.depth)]
        for id in np.flatnonzero(~tree.node_columns.is_leaf).tolist():
            equation = derived[id].equation if id in derived else None
            n = 1 if equation is None else len({j for term in equation.terms for j in term.indices})
            looked[int(tree.depths[id])].append(n)
        return [sum(counts) / len(counts) for counts in looked]
