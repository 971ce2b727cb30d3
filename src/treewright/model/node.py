"""One node of a tree and its split: read-only views, made when they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright import parts
from treewright.model.branches import conditions_of
from treewright.model.candidates import Candidate, candidates_of
from treewright.model.splits import EVERY, Cuts, Levels
from treewright.model.surrogate import Surrogate, surrogates_of

if TYPE_CHECKING:
    from treewright.model.condition import Condition
    from treewright.model.linear import Equation, Scores
    from treewright.model.tree import Tree


@dataclass(frozen=True, slots=True)
class Split:
    """How a node divides its rows.

    Attributes
    ----------
    column : str
        Name of the column that is tested.
    family : str
        threshold, ternary, discretised, multiway, one_vs_rest, subset, grouped or presence.
    cuts : tuple of float
        The thresholds, ascending; branch i lies below cut i.
    relation : {"<=", "<"}
        How a value is compared with a cut to lie below it.
    levels : dict
        Branch of every level that is listed.
    otherwise : int or None
        Branch of levels seen in training but not listed.
    missing_to : int or "all"
        Branch of a missing cell, or all of them in proportion to their weight.
    """

    column: str
    family: str
    cuts: tuple[float, ...]
    relation: str
    levels: dict[Any, int]
    otherwise: int | None
    missing_to: int | str


class Node:
    """A node of a tree.

    Attributes
    ----------
    id, depth : int
        Its number, and how many splits lie above it.
    weight : float
        Total weight of its training rows (their number, where all weights are 1).
    """

    __slots__ = ("id", "tree")

    def __init__(self, tree: Tree, id: int) -> None:
        self.tree = tree
        self.id = id

    @property
    def depth(self) -> int:
        """Number of splits above the node."""
        return int(self.tree.depths[self.id])

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no branches."""
        n_children: int = self.tree.node_entries.n_children[self.id]
        return n_children == 0

    @property
    def parent(self) -> Node | None:
        """The node above, None for the root."""
        up = self.tree.node_entries.parent[self.id]
        return None if up < 0 else Node(self.tree, up)

    @property
    def children(self) -> list[Node]:
        """The nodes below, in the order of the branches."""
        entries = self.tree.node_entries
        first, n = entries.first_child[self.id], entries.n_children[self.id]
        return [Node(self.tree, id) for id in range(first, first + n)]

    @property
    def weight(self) -> float:
        """Total weight of the training rows in the node."""
        weight: float = self.tree.node_entries.weight[self.id]
        return weight

    @property
    def impurity(self) -> float:
        """Impurity of the node, in the unit of the tree's criterion."""
        impurity: float = self.tree.node_entries.impurity[self.id]
        return impurity

    @property
    def gain(self) -> float:
        """Fall of impurity by the node's split, 0 for a leaf."""
        gain: float = self.tree.node_entries.gain[self.id]
        return gain

    @property
    def value(self) -> dict[Any, float] | float | tuple[float, ...]:
        """Weight of each class that occurs (in declared order), or the mean of the target (several: of each of its numbers)."""
        value: dict[Any, float] | float | tuple[float, ...] = self.tree.leaf_model.value(self.id)
        return value

    @property
    def prediction(self) -> Any:
        """The class or number a row would be given here; of a tree with linear models the mean, or the most frequent class."""
        return self.tree.leaf_model.prediction(self.id)

    @property
    def equation(self) -> Equation | None:
        """The linear model of the node, smoothed at leaves; None where leaves say a constant or a class."""
        return self.tree.leaf_model.equation(self.id)

    @property
    def scores(self) -> Scores | None:
        """The score of every class by the logistic model of the node; None where leaves have none."""
        return self.tree.leaf_model.scores(self.id)

    @property
    def spread(self) -> float | None:
        """Standard deviation of the target in the node (or mean or largest deviation, as it was grown); None for classes."""
        return self.tree.leaf_model.spread(self.id)

    @property
    def deviation(self) -> float | None:
        """The spread of the target around what a row is told here.

        Of a leaf that says an equation the standard deviation from it (root of the mean square), weights counted. None for
        classes, for equations above the leaves, and of model trees in files that did not have it.
        """
        return self.tree.leaf_model.deviation(self.id)

    @property
    def split(self) -> Split | None:
        """The node's split, None for a leaf."""
        if self.is_leaf:
            return None
        test = self.tree.splits.test(self.id)
        column, division = test.source.column, test.division
        listed = division.to if isinstance(division, Levels) else {}
        return Split(
            column=column.name,
            family=test.family,
            cuts=division.at if isinstance(division, Cuts) else (),
            relation="<" if self.tree.node_entries.strict[self.id] else "<=",
            levels={column.levels[code]: branch for code, branch in listed.items()},
            otherwise=division.otherwise if isinstance(division, Levels) else None,
            missing_to="all" if test.missing_to == EVERY else test.missing_to,
        )

    @property
    def surrogates(self) -> tuple[Surrogate, ...]:
        """Splits that decide where the cell is missing, best first (``missing="surrogate"``); none for a leaf."""
        return surrogates_of(self.tree.splits, self.id)

    @property
    def condition(self) -> Condition | None:
        """What a row must satisfy to come here from the node above, None for the root."""
        up = self.parent
        return None if up is None else self._condition_from(up)

    def _condition_from(self, up: Node) -> Condition:
        branch = self.id - self.tree.node_entries.first_child[up.id]
        return conditions_of(self.tree, up.id, (branch,))[0]

    @property
    def path(self) -> list[Condition]:
        """The conditions from the root to here."""
        conditions = []
        at = self
        while (up := at.parent) is not None:
            conditions.append(at._condition_from(up))
            at = up
        return conditions[::-1]

    @property
    def candidates(self) -> list[Candidate]:
        """The candidate splits, best of each column, in column order (kept with ``keep_candidates=True``).

        With ``max_competitors`` the chosen one and so many of the others. An error where none were kept.
        """
        return candidates_of(self.tree, self.id)

    @property
    def competitors(self) -> list[Candidate]:
        """The kept splits that were not chosen, best first."""
        others = [candidate for candidate in self.candidates if not candidate.chosen]
        return sorted(others, key=lambda candidate: -candidate.merit)

    def __repr__(self) -> str:
        return f"<Node {self.id}: {parts.writer('line')(self)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other.tree is self.tree and other.id == self.id

    def __hash__(self) -> int:
        return hash((id(self.tree), self.id))


__all__ = ["Candidate", "Node", "Split"]
