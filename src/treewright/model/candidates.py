"""The splits that were compared at a node: read-only values, made when they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treewright.model.tree import Tree

_FIGURES = ("column", "family", "gain", "penalty", "merit", "split_info", "after", "branches", "tried", "cut", "levels", "chosen")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A split that was compared with others at a node: how good it was, and whether it was made.

    Attributes
    ----------
    column, family : str
        The column, and how it is split.
    gain, penalty, merit : float
        Fall of impurity, what is taken from it before columns are compared, and what they are compared by.
    split_info : float
        Entropy of the branches in bits, missing cells included where the policy counts them.
    impurity : float
        Impurity after the split.
    n_branches, tried : int
        Branches it has, and how many cuts or divisions were looked at.
    cut : float or None
        The first cut of a numeric column.
    levels : dict
        Branch of every level that is listed.
    chosen : bool
        Whether it is the split of the node: never at a leaf, where growing stopped or a pruner cut.
    """

    column: str
    family: str
    gain: float
    penalty: float
    merit: float
    split_info: float
    impurity: float
    n_branches: int
    tried: int
    cut: float | None
    levels: dict[Any, int]
    chosen: bool

    @property
    def ratio(self) -> float | None:
        """Gain ratio (gain less penalty over split information), whatever the criterion; None where that is 0."""
        return (self.gain - self.penalty) / self.split_info if self.split_info > 0 else None


def candidates_of(tree: Tree, id: int) -> list[Candidate]:
    """The candidate splits that were kept of a node, in column order; an error where a tree kept none."""
    entries = tree.node_entries
    if not len(entries.pool("weighed", "begin")) and tree.n_nodes > 1:
        raise ValueError("alternative splits were not saved: fit with keep_candidates=True (or max_competitors= for a few)")
    made = entries.column[id]
    begin, end = entries.run("weighed", id)
    level, _ = entries.run("listed", id)
    out = []
    for i in range(begin, end):
        get = {name: entries.pool("weighed", name)[i] for name in _FIGURES}
        column = tree.columns[get["column"]]
        listed = slice(level, level + get["levels"])
        codes, branches = (entries.pool("listed", name)[listed] for name in ("level", "branch"))
        level += get["levels"]
        out.append(
            Candidate(
                column=column.name,
                family=tree.families[get["family"]],
                gain=get["gain"],
                penalty=get["penalty"],
                merit=get["merit"],
                split_info=get["split_info"],
                impurity=get["after"],
                n_branches=get["branches"],
                tried=get["tried"],
                cut=None if get["cut"] != get["cut"] else get["cut"],
                levels={column.levels[code]: branch for code, branch in zip(codes, branches, strict=True)},
                chosen=bool(get["chosen"]) and get["column"] == made,
            )
        )
    return out
