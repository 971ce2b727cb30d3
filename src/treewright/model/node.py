"""One node of a tree, its split and the candidates that were weighed there: read-only views, made when asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright import parts
from treewright.model.condition import Bound, Condition
from treewright.model.surrogate import StandIn, Surrogate, surrogates_of

if TYPE_CHECKING:
    from treewright.model.linear import Equation, Scores
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
    """A split that was weighed at a node: how good it was, and whether it was made.

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

    def _owned(self, pool: str) -> tuple[int, int]:
        return owned(self.tree._state, pool, self.id)

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
    def value(self) -> dict[Any, float] | float | tuple[float, ...]:
        """Weight of each class that occurs (in declared order), or the mean of the target (several: of each of its numbers)."""
        classes = self.tree.target.classes
        if self.tree.vectors is not None:
            return self._vector
        if classes is None:
            return float(self._get("value"))
        state = self.tree._state
        begin, end = self._owned("class")
        ids, weights = state["class_id"][begin:end].tolist(), state["class_weight"][begin:end].tolist()
        return {classes[k]: w for k, w in zip(ids, weights, strict=True)}

    @property
    def prediction(self) -> Any:
        """The class or number a row would be given here; of a tree with linear models the mean, or the most frequent class."""
        classes = self.tree.target.classes
        if self.tree.vectors is not None:
            return self._vector
        return float(self._get("value")) if classes is None else classes[self._get("label")]

    @property
    def _vector(self) -> tuple[float, ...]:
        assert self.tree.vectors is not None
        return tuple(map(float, self.tree.vectors[self.id]))

    @property
    def equation(self) -> Equation | None:
        """The linear model of the node, smoothed at leaves; None where leaves say a constant or a class."""
        models = self.tree.models
        if models is None or self.tree.target.classes is not None:
            return None
        return models.equation(self.id, self.tree.schema)

    @property
    def scores(self) -> Scores | None:
        """The score of every class by the logistic model of the node; None where leaves have none."""
        models, classes = self.tree.models, self.tree.target.classes
        return None if models is None or classes is None else models.scores(self.id, self.tree.schema, classes)

    @property
    def spread(self) -> float | None:
        """Standard deviation of the target in the node (or mean or largest deviation, as it was grown); None for classes."""
        target = self.tree.target
        return target.spread(self.impurity, float(self._get("value"))) if target.classes is None else None

    @property
    def deviation(self) -> float | None:
        """The spread of the target around what a row is told here.

        Of a leaf that says an equation the standard deviation from it (root of the mean square), weights counted. None for
        classes, for equations above the leaves, and of model trees in files that did not have it.
        """
        models, spread = self.tree.models, self.spread
        if models is None or spread is None:
            return spread
        if models.deviation is not None and self.is_leaf:
            return float(models.deviation[self.id])
        said = models.equation(self.id, self.tree.schema).said
        return math.hypot(spread, float(self._get("value")) - said) if isinstance(said, float) else None

    @property
    def split(self) -> Split | None:
        """The node's split, None for a leaf."""
        if self.is_leaf:
            return None
        state = self.tree._state
        column = self.tree.columns[self._get("column")]
        begin, end = self._owned("cut")
        cuts = state["cut_at"][begin:end].tolist()
        begin, end = self._owned("level")
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
    def surrogates(self) -> tuple[Surrogate, ...]:
        """Splits that stand in where the cell is missing, best first (``missing="surrogate"``); none for a leaf."""
        return surrogates_of(self.tree, self.id)

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
        """The splits weighed here, best of each column, in column order (kept with ``keep_candidates=True``).

        With ``max_competitors`` the chosen one and so many of the others. An error where none were kept.
        """
        state = self.tree._state
        if not len(state["weighed_begin"]) and self.tree.n_nodes > 1:
            raise ValueError(
                "the splits that were weighed were not kept: fit with keep_candidates=True (or max_competitors= for a few)"
            )
        made = -1 if self.is_leaf else self._get("column")
        begin, end = self._owned("weighed")
        level, _ = self._owned("listed")
        out = []
        for i in range(begin, end):
            get = {name: state[f"weighed_{name}"][i].item() for name in _WEIGHED}
            column = self.tree.columns[get["column"]]
            listed = slice(level, level + get["levels"])
            codes, branches = state["listed_level"][listed].tolist(), state["listed_branch"][listed].tolist()
            level += get["levels"]
            out.append(
                Candidate(
                    column=column.name,
                    family=self.tree.families[get["family"]],
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


_WEIGHED = ("column", "family", "gain", "penalty", "merit", "split_info", "after", "branches", "tried", "cut", "levels", "chosen")


def owned(state: Mapping[str, Any], pool: str, id: int) -> tuple[int, int]:
    """What a node owns of a pool; a pool nobody uses has no offsets."""
    begin = state[f"{pool}_begin"]
    return (int(begin[id]), int(begin[id + 1])) if len(begin) else (0, 0)


def branch_conditions(node: Node) -> list[Condition]:
    """For every branch of a node what a row must satisfy to take it."""
    return conditions_of(node.tree, node.tree._state, node.id, range(node._get("n_children")))


def conditions_of(tree: Tree, state: Mapping[str, Any], id: int, branches: Iterable[int]) -> list[Condition]:
    """For the given branches of a node what a row must satisfy to take them.

    ``state`` holds the tree's columns, as arrays or, for those who ask of every node, as lists.
    """
    index = int(state["column"][id])
    column = tree.columns[index]
    seen = bool(state["missing_seen"][id])
    home = int(state["missing_to"][id]) if tree.missing != "refuse" else -1
    shares = _shares(state, id) if home == _ALL else None
    routes = [(b, home == b, 0.0 if shares is None else shares[b]) for b in branches]
    if tree.families[state["family"][id]] == "presence":
        return [Condition(column, index, None, None, None, None, there, b == 0, seen) for b, there, _ in routes]
    if column.nominal:
        conditions = _level_conditions(tree, state, id, column, index, routes, seen)
    else:
        conditions = _cut_conditions(state, id, column, index, routes, seen)
    if surrogates := surrogates_of(tree, id):
        asked = _asked_levels(tree, state, id, index) if column.nominal else None
        return [
            replace(condition, instead=(StandIn(surrogates, branch, there, asked, condition.levels),))
            for condition, (branch, there, _) in zip(conditions, routes, strict=True)
        ]
    return conditions


_ALL = -2  # missing cells go down every branch
Routes = list[tuple[int, bool, float]]  # branch, whether missing cells take it, or which share of them


def _shares(state: Mapping[str, Any], id: int) -> list[float]:
    first, n = int(state["first_child"][id]), int(state["n_children"][id])
    weights = [float(w) for w in state["weight"][first : first + n]]
    total = sum(weights)
    return [w / total if total > 0 else 1 / n for w in weights]


def _cut_conditions(
    state: Mapping[str, Any], id: int, column: ColumnSchema, index: int, routes: Routes, seen: bool
) -> list[Condition]:
    begin, end = owned(state, "cut", id)
    strict = bool(state["strict"][id])
    out = []
    for branch, there, share in routes:
        if branch > end - begin:  # the branch of the missing cells alone
            out.append(Condition(column, index, missing=True, known=False, missing_seen=seen))
            continue
        low = cut_bound(state, begin + branch - 1, column, strict, strict) if branch > 0 else None
        high = cut_bound(state, begin + branch, column, strict, not strict) if begin + branch < end else None
        out.append(Condition(column, index, low, high, None, None, there, True, seen, share))
    return out


def cut_bound(state: Mapping[str, Any], cut: int, column: ColumnSchema, strict: bool, inclusive: bool) -> Bound:
    """Return a cut of the tree as the end of an interval."""
    at, below, above = float(state["cut_at"][cut]), float(state["cut_below"][cut]), float(state["cut_above"][cut])
    return Bound(column, at, below, above, strict, inclusive)


def _asked_levels(tree: Tree, state: Mapping[str, Any], id: int, index: int) -> frozenset[int]:
    """Levels that the split of a node sends somewhere itself."""
    begin, end = owned(state, "level", id)
    rest = tree.seen_levels(index) if int(state["otherwise"][id]) >= 0 else ()
    return frozenset((*(int(code) for code in state["level"][begin:end]), *rest))


def _level_conditions(
    tree: Tree, state: Mapping[str, Any], id: int, column: ColumnSchema, index: int, routes: Routes, seen: bool
) -> list[Condition]:
    begin, end = owned(state, "level", id)
    here: dict[int, list[int]] = {}
    for code, branch in zip(state["level"][begin:end], state["level_branch"][begin:end], strict=True):
        here.setdefault(int(branch), []).append(int(code))
    otherwise = int(state["otherwise"][id])
    if tree.missing == "surrogate" and otherwise < 0 and not surrogates_of(tree, id):
        otherwise = int(state["missing_to"][id])  # a level that is not known here is as good as missing
    out = []
    for branch, there, share in routes:
        mine = tuple(here.get(branch, ()))
        if branch == otherwise:
            elsewhere = {code for b, codes in here.items() if b != branch for code in codes}
            levels = frozenset(code for code in tree.seen_levels(index) if code not in elsewhere)
            out.append(Condition(column, index, None, None, levels, mine or None, there, True, seen, share))
        elif mine:
            out.append(Condition(column, index, None, None, frozenset(mine), mine, there, True, seen, share))
        else:
            out.append(Condition(column, index, missing=True, known=False, missing_seen=seen))
    return out
