"""One node of a tree, its split and the candidates that were weighed there: read-only views, made when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright import parts
from treewright.model.condition import Bound, Condition

if TYPE_CHECKING:
    from treewright.model.tree import Tree
    from treewright.table import ColumnSchema


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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A split that was weighed at a node: how good it was, and whether it was taken."""

    column: str
    family: str
    gain: float
    penalty: float  # taken from the gain before columns were compared
    merit: float
    split_info: float
    impurity: float
    n_branches: int
    tried: int
    cut: float | None
    chosen: bool


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

    def _get(self, column: str) -> Any:
        return self.tree._state[column][self.id].item()

    @property
    def depth(self) -> int:
        """Number of splits above the node."""
        return int(self.tree._depths[self.id])

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no branches."""
        return self._get("n_children") == 0

    @property
    def parent(self) -> Node | None:
        """The node above, None for the root."""
        up = self._get("parent")
        return None if up < 0 else Node(self.tree, up)

    @property
    def children(self) -> list[Node]:
        """The nodes below, in the order of the branches."""
        first = self._get("first_child")
        return [Node(self.tree, first + i) for i in range(self._get("n_children"))]

    @property
    def weight(self) -> float:
        """Total weight of the training rows in the node."""
        return float(self._get("weight"))

    @property
    def impurity(self) -> float:
        """Impurity of the node, in the unit of the tree's criterion."""
        return float(self._get("impurity"))

    @property
    def gain(self) -> float:
        """Fall of impurity by the node's split, 0 for a leaf."""
        return float(self._get("gain"))

    @property
    def value(self) -> dict[Any, float] | float:
        """Weight of each class that occurs (in declared order), or the mean of the target."""
        classes = self.tree.target.classes
        if classes is None:
            return float(self._get("value"))
        state = self.tree._state
        begin, end = state["class_begin"][self.id], state["class_begin"][self.id + 1]
        ids, weights = state["class_id"][begin:end].tolist(), state["class_weight"][begin:end].tolist()
        return {classes[k]: w for k, w in zip(ids, weights, strict=True)}

    @property
    def prediction(self) -> Any:
        """The class or number a row would be given here."""
        classes = self.tree.target.classes
        return float(self._get("value")) if classes is None else classes[self._get("label")]

    @property
    def split(self) -> Split | None:
        """The node's split, None for a leaf."""
        if self.is_leaf:
            return None
        state = self.tree._state
        column = self.tree.columns[self._get("column")]
        cuts = state["cut_at"][state["cut_begin"][self.id] : state["cut_begin"][self.id + 1]].tolist()
        begin, end = state["level_begin"][self.id], state["level_begin"][self.id + 1]
        codes, branches = state["level"][begin:end].tolist(), state["level_branch"][begin:end].tolist()
        otherwise, missing_to = self._get("otherwise"), self._get("missing_to")
        return Split(
            column=column.name,
            family=self.tree.families[self._get("family")],
            cuts=tuple(cuts),
            relation="<" if self._get("strict") else "<=",
            levels={column.levels[code]: branch for code, branch in zip(codes, branches, strict=True)},
            otherwise=None if otherwise < 0 else otherwise,
            missing_to="all" if missing_to == -2 else missing_to,
        )

    @property
    def condition(self) -> Condition | None:
        """What a row must satisfy to come here from the node above, None for the root."""
        up = self.parent
        return None if up is None else branch_conditions(up)[self.id - up._get("first_child")]

    @property
    def path(self) -> list[Condition]:
        """The conditions from the root to here."""
        conditions = []
        at: Node | None = self
        while at is not None and at.id > 0:
            condition = at.condition
            assert condition is not None
            conditions.append(condition)
            at = at.parent
        return conditions[::-1]

    @property
    def candidates(self) -> list[Candidate]:
        """The splits weighed here, best of each column, in column order (kept with ``keep_candidates=True``)."""
        state = self.tree._state
        begin, end = int(state["weighed_begin"][self.id]), int(state["weighed_begin"][self.id + 1])
        out = []
        for i in range(begin, end):
            get = {name: state[f"weighed_{name}"][i].item() for name in _WEIGHED}
            out.append(
                Candidate(
                    column=self.tree.columns[get["column"]].name,
                    family=self.tree.families[get["family"]],
                    gain=get["gain"],
                    penalty=get["penalty"],
                    merit=get["merit"],
                    split_info=get["split_info"],
                    impurity=get["after"],
                    n_branches=get["branches"],
                    tried=get["tried"],
                    cut=None if get["cut"] != get["cut"] else get["cut"],
                    chosen=bool(get["chosen"]),
                )
            )
        return out

    def __repr__(self) -> str:
        return f"<Node {self.id}: {parts.writer('line')(self)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other.tree is self.tree and other.id == self.id

    def __hash__(self) -> int:
        return hash((id(self.tree), self.id))


_WEIGHED = ("column", "family", "gain", "penalty", "merit", "split_info", "after", "branches", "tried", "cut", "chosen")


def branch_conditions(node: Node) -> list[Condition]:
    """For every branch of a node what a row must satisfy to take it."""
    tree = node.tree
    index = node._get("column")
    column = tree.columns[index]
    seen = bool(node._get("missing_seen"))
    home = node._get("missing_to") if tree.missing != "refuse" else -1
    n = node._get("n_children")
    if tree.families[node._get("family")] == "presence":
        return [Condition(column, index, missing=home == b, known=b == 0, missing_seen=seen) for b in range(n)]
    if column.nominal:
        return _level_conditions(node, column, index, n, home, seen)
    return _cut_conditions(node, column, index, n, home, seen)


def _cut_conditions(node: Node, column: ColumnSchema, index: int, n: int, home: int, seen: bool) -> list[Condition]:
    state = node.tree._state
    begin, end = int(state["cut_begin"][node.id]), int(state["cut_begin"][node.id + 1])
    strict = bool(node._get("strict"))

    def bound(i: int, inclusive: bool) -> Bound:
        at, below, above = (float(state[name][i]) for name in ("cut_at", "cut_below", "cut_above"))
        return Bound(at, inclusive, column.cut_text(at, below, above, strict), column.exact_text(at))

    out = []
    for branch in range(n):
        if branch > end - begin:  # the branch of the missing cells alone
            out.append(Condition(column, index, missing=True, known=False, missing_seen=seen))
            continue
        low = bound(begin + branch - 1, strict) if branch > 0 else None
        high = bound(begin + branch, not strict) if begin + branch < end else None
        out.append(Condition(column, index, low=low, high=high, missing=home == branch, missing_seen=seen))
    return out


def _level_conditions(node: Node, column: ColumnSchema, index: int, n: int, home: int, seen: bool) -> list[Condition]:
    state, tree = node.tree._state, node.tree
    begin, end = int(state["level_begin"][node.id]), int(state["level_begin"][node.id + 1])
    here: list[list[int]] = [[] for _ in range(n)]
    for code, branch in zip(state["level"][begin:end].tolist(), state["level_branch"][begin:end].tolist(), strict=True):
        here[branch].append(code)
    otherwise = node._get("otherwise")
    out = []
    for branch in range(n):
        missing = home == branch
        if branch == otherwise:
            elsewhere = {code for b in range(n) if b != branch for code in here[b]}
            levels = frozenset(code for code in tree.seen_levels(index) if code not in elsewhere)
            written = tuple(here[branch]) or None
            out.append(Condition(column, index, levels=levels, listed=written, missing=missing, missing_seen=seen))
        elif here[branch]:
            levels = frozenset(here[branch])
            out.append(Condition(column, index, levels=levels, listed=tuple(here[branch]), missing=missing, missing_seen=seen))
        else:
            out.append(Condition(column, index, missing=True, known=False, missing_seen=seen))
    return out
