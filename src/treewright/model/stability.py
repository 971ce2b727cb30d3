"""How often the splits of a tree survive when its rows are drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.model.node import Node
from treewright.model.node_columns import NodeColumns
from treewright.model.splits import Cuts, Levels, NodeTest, Presence, Splits

if TYPE_CHECKING:
    from treewright.model.tree import Tree

# What stood in the place of a split in one resampled tree: its column (or one of these) and, if it survived, its threshold or NaN
# and whether its branches hold the same levels.
Seen = tuple[int, float, bool]
_LEAF, _OTHER_QUESTION = -1, -2  # a split of the same column may ask whether it is known instead of what it holds


@dataclass(frozen=True, slots=True)
class SplitStability:
    """How often one split survived.

    Attributes
    ----------
    node : int
        The node of the tree.
    column : str
        What it tests.
    path : str
        How it is reached; empty for the root.
    reached : float
        Share of resampled trees in which every split above it survived, so that there is a place to compare.
    kept : float
        Share of resampled trees in which this split survived too: the same column is tested at the same place.
    threshold : float or None
        Where the tree cuts, if the split has one threshold.
    low, median, high : float or None
        Thresholds of the surviving splits: the 5 %, 50 % and 95 % quantile.
    same_levels : float or None
        Nominal columns: in which share of the surviving splits the branches hold the same levels.
    leaf : float
        Share of resampled trees in which a leaf stood there instead.
    instead : str or None
        The other column most often tested there, if any was.
    instead_share : float
        In which share of resampled trees.
    """

    node: int
    column: str
    path: str
    reached: float
    kept: float
    threshold: float | None
    low: float | None
    median: float | None
    high: float | None
    same_levels: float | None
    leaf: float
    instead: str | None
    instead_share: float


class Stability:
    """The splits of a tree with how often they survived resampling; printed, the tree with these shares.

    Attributes
    ----------
    tree : Tree
        The tree that was looked at.
    splits : tuple of SplitStability
        One for every split, in the order of the nodes.
    n_resamples : int
        How many trees were grown.
    leaves : array of int
        The number of leaves of each.
    """

    def __init__(self, tree: Tree, trees: Sequence[tuple[dict[int, Seen], int]]) -> None:
        self.tree = tree
        self.n_resamples = len(trees)
        self.leaves: NDArray[np.int64] = np.array([leaves for _, leaves in trees], np.int64)
        self.splits = tuple(_summary(node, [seen.get(node.id) for seen, _ in trees]) for node in tree.nodes() if not node.is_leaf)
        self._by_node = {split.node: split for split in self.splits}

    def __len__(self) -> int:
        return len(self.splits)

    def __iter__(self) -> Iterator[SplitStability]:
        return iter(self.splits)

    def __getitem__(self, node: int) -> SplitStability:
        """The split of a node, by the node's number."""
        return self._by_node[node]

    def to_frame(self) -> Any:
        """Return the table as a pandas frame, one row a split."""
        import pandas as pd

        names = SplitStability.__slots__
        return pd.DataFrame([[getattr(split, name) for name in names] for split in self.splits], columns=list(names))

    def to_text(self, max_depth: int | None = None, ascii: bool = False, width: int | None = 120, color: bool = False) -> str:
        """Draw the tree; each question says how often it survived and, of a threshold, where it lay nine times out of ten."""
        notes = {split.node: self._note(split, "..." if ascii else "…") for split in self.splits}
        return str(parts.writer("text")(self.tree, max_depth, ascii, width, color, notes=notes))

    def _note(self, split: SplitStability, dots: str) -> str:
        spread = ""
        if split.low is not None and split.high is not None:
            column = self.tree.splits.source(split.node).column
            low, high = (f"{at:.4g}" if column.kind == "number" else column.exact_text(at) for at in (split.low, split.high))
            spread = f", {low} {dots} {high}" if low != high else ""
        return f" [kept {split.kept:.0%}{spread}]"

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Stability of {len(self.splits)} splits in {self.n_resamples} resampled trees>"


def _summary(node: Node, seen: list[Seen | None]) -> SplitStability:
    tree = node.tree
    column = tree.splits.source(node.id).index
    split = node.split
    assert split is not None
    there = [one for one in seen if one is not None]
    kept = [one for one in there if one[0] == column]
    cuts = np.array([at for _, at, _ in kept])
    cuts = cuts[np.isfinite(cuts)]
    # Of values that were seen, so that a quantile of dates or of whole numbers is one of them.
    low, median, high = np.quantile(cuts, (0.05, 0.5, 0.95), method="inverted_cdf").tolist() if len(cuts) else (None, None, None)
    others = [one[0] for one in there if one[0] >= 0 and one[0] != column]
    most = max(sorted(set(others)), key=others.count, default=None)
    return SplitStability(
        node=node.id,
        column=split.column,
        path=" and ".join(map(str, node.path)),
        reached=len(there) / len(seen),
        kept=len(kept) / len(seen),
        threshold=split.cuts[0] if len(split.cuts) == 1 else None,
        low=low,
        median=median,
        high=high,
        same_levels=sum(same for _, _, same in kept) / len(kept) if kept and tree.columns[column].nominal else None,
        leaf=sum(one[0] == _LEAF for one in there) / len(seen),
        instead=None if most is None else tree.columns[most].name,
        instead_share=0.0 if most is None else others.count(most) / len(seen),
    )


def survivors(tree: Tree, state: dict[str, Any]) -> dict[int, Seen]:
    """What stands in the place of every split of a tree in another tree of the same columns and levels, given by its state.

    A place is reached if all splits above it survived. Branches belong together by their order where numbers are cut, by their
    levels otherwise.
    """
    ours, others = tree.splits, Splits(tree.schema, NodeColumns(state))
    mine, theirs = ours.entries, others.entries
    out: dict[int, Seen] = {}
    open_ = [(0, 0)]
    while open_:
        a, b = open_.pop()
        if not mine.n_children[a]:
            continue
        column = mine.column[a]
        if not theirs.n_children[b] or theirs.column[b] != column:
            out[a] = (theirs.column[b], np.nan, False)
            continue
        one, other = ours.test(a), others.test(b)
        if isinstance(one.division, Presence) != isinstance(other.division, Presence):
            out[a] = (_OTHER_QUESTION, np.nan, False)
            continue
        declared = len(tree.columns[column].levels)
        pairs, same = _paired(_levels(one, declared), _levels(other, declared))
        if pairs is None:  # numbers, or known against missing
            pairs = [(i, i) for i in range(min(one.n_branches, other.n_branches))]
        cuts = other.division.at if isinstance(other.division, Cuts) else ()
        out[a] = (column, cuts[0] if len(cuts) == 1 else np.nan, same)
        open_ += [(mine.first_child[a] + i, theirs.first_child[b] + j) for i, j in pairs]
    return out


def _levels(test: NodeTest, declared: int) -> dict[int, int]:
    """The branch of every level; one against the rest lists the one only."""
    if not isinstance(test.division, Levels):
        return {}
    to, otherwise = test.division
    rest = {} if otherwise is None or test.family != "one_vs_rest" else dict.fromkeys(range(declared), otherwise)
    return rest | to


def _paired(ours: dict[int, int], theirs: dict[int, int]) -> tuple[list[tuple[int, int]] | None, bool]:
    """Which branches belong together, and whether they hold the same levels (of those that both splits list)."""
    if not ours or not theirs:
        return None, False
    common = ours.keys() & theirs.keys()
    shared: dict[tuple[int, int], int] = {}
    for level in common:
        pair = (ours[level], theirs[level])
        shared[pair] = shared.get(pair, 0) + 1
    # The pairs with most levels in common first, each branch once.
    pairs: dict[int, int] = {}
    for i, j in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return sorted(pairs.items()), all(pairs.get(ours[level]) == theirs[level] for level in common)
