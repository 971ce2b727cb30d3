"""What every picture of a tree says about a node: its question, its branches, its rows and its answer.

Pictures visit every node, so the tree's columns are copied for Python here, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treewright.model.branches import conditions_of
from treewright.model.condition import Bound, interval_text
from treewright.model.gates import SigmoidGate
from treewright.model.splits import EVERY, Cuts, Levels, Presence
from treewright.model.surrogate import surrogates_of
from treewright.table.schema import number_text, share_text, short_threshold, weight_text

if TYPE_CHECKING:
    from treewright.model.condition import Condition
    from treewright.model.tree import Tree

_QUESTIONS = ("threshold", "one_vs_rest", "presence", "subset")
_ANSWERS = ("yes", "no", "missing")
_PLAIN = tuple(list(_ANSWERS[:n]) for n in range(len(_ANSWERS) + 1))
_FEW = 26  # classes that are told apart by their weights in a row of a table
_TENTH = 2.1972245773362196  # the logistic function is a tenth at minus this


class NodeText:
    """The nodes of a tree in words.

    Attributes
    ----------
    first, count : sequence of int
        First child and number of children of every node.
    classes : tuple or None
        The classes in declared order; None for numbers.
    weight : sequence of float
        Weight of the rows of every node.
    leaf_texts : LeafTexts
        What is written of leaves.
    """

    def __init__(self, tree: Tree, one: bool = False, exact: bool = False) -> None:
        """Read the tree; ``one``: to speak of one node, which does not pay for copies; ``exact``: numbers with all digits."""
        self.tree = tree
        self.exact = exact
        self.leaf_texts = tree.leaf_model.texts(exact)
        self.splits = tree.splits if one else tree.splits.tuples()
        columns = self.splits.entries
        self.first: Sequence[int] = columns.first_child
        self.count: Sequence[int] = columns.n_children
        self.parent: Sequence[int] = columns.parent
        self.weight: Sequence[float] = columns.weight
        self.label: Sequence[int] = columns.label
        self.value: Sequence[float] = columns.value
        self.classes = tree.target.classes
        self._family: Sequence[int] = columns.family
        self._missing_seen: Sequence[int] = columns.missing_seen
        self._class_begin: Sequence[int] = columns.class_begin
        pairs = None if one else zip(columns.class_id, columns.class_weight, strict=True)
        self._mixes: list[tuple[int, float]] | None = None if pairs is None else list(pairs)
        self._cuts = [name == "threshold" for name in tree.families]
        self._asks = [name in _QUESTIONS for name in tree.families]

    def children(self, id: int) -> range:
        """Return the numbers of the nodes below, in the order of the branches."""
        return range(self.first[id], self.first[id] + self.count[id])

    def column(self, id: int) -> str:
        """Return the name of what a node asks about."""
        return self.splits.source(id).column.label

    def cuts(self, id: int) -> list[float]:
        """Return the thresholds of a node, ascending."""
        division = self.splits.division(id)
        return list(division.at) if isinstance(division, Cuts) else []

    def asks(self, id: int) -> bool:
        """Whether the node asks a question of two answers; else its branches carry the values."""
        return self._asks[self._family[id]] and self.count[id] <= len(_ANSWERS)

    def plain(self, id: int) -> bool:
        """Whether its branches are yes and no, and training had no missing cells there."""
        return self.count[id] == 2 and not self._missing_seen[id] and self._asks[self._family[id]]

    def question(self, id: int) -> str:
        """What a node asks, such as ``petal width <= 0.8?``."""
        if not self.asks(id):
            return f"{self.column(id)}?"
        if self._cuts[self._family[id]]:
            # The commonest question by far, without the rest of its condition.
            column = self.splits.source(id).column
            at, below, above, strict = self.splits.threshold(id)
            if column.kind == "number" and not self.exact:
                short = number_text(short_threshold(at, below, above, strict))
                return f"{column.label} {'<' if strict else '<='} {short}{self._band(id)}?"
            high = Bound(column, at, below, above, strict, not strict)
            return f"{interval_text(column, None, high, 'exact' if self.exact else 'text')}{self._band(id)}?"
        return f"{_present(self._conditions(id, (0,))[0], self.exact)}?"

    def levels_counted(self, id: int) -> str:
        """A question about many levels in short, such as ``education: 12 of 16 levels?``; empty where it names few."""
        division = self.splits.division(id)
        if self.count[id] != 2 or not isinstance(division, Levels) or not self.asks(id):
            return ""
        known = self.tree.seen_levels(self.splits.source(id).index)
        n = sum(division.to.get(code, division.otherwise) == 0 for code in known)
        return f"{self.column(id)}: {n} of {len(known)} levels?" if n > 1 else ""

    def level_names(self, id: int, first: Sequence[int] = (), most: int = 3) -> list[str]:
        """The levels that go to either of two branches: some names and how many others; those of ``first`` before others."""
        source, division = self.splits.source(id), self.splits.division(id)
        assert isinstance(division, Levels)
        known = list(dict.fromkeys([*first, *self.tree.seen_levels(source.index)]))
        out = []
        for branch, label in enumerate(self.branches(id)):
            own = [source.column.level_text(code) for code in known if division.to.get(code, division.otherwise) == branch]
            rest = f" + {len(own) - most}" if len(own) > most else ""
            out.append(f"{label}: {', '.join(own[:most])}{rest}")
        return out

    def head(self, id: int) -> str:
        """What a node asks, or answers; and what a person did there."""
        phrase = self.question(id) if self.count[id] else self.answer(id)
        return f"{phrase} ({self.tree.by_hand[id]})" if id in self.tree.by_hand else phrase

    def _band(self, id: int) -> str:
        """How far from the threshold of a smooth gate a tenth of a row still goes the other way."""
        gate = self.tree.gates.get(id)
        return f" ± {_TENTH / gate.slope:.2g}" if isinstance(gate, SigmoidGate) else ""

    def _conditions(self, id: int, branches: Sequence[int]) -> list[Condition]:
        return conditions_of(self.tree, id, branches, self.splits)

    def branches(self, id: int) -> list[str]:
        """What leads to each child: yes or no to a question, else the value."""
        n = self.count[id]
        if self.asks(id):
            return list(_ANSWERS[:n])
        return [_value(condition, self.exact) for condition in self._conditions(id, range(n))]

    def missing(self, id: int) -> list[float]:
        """Which share of the missing cells takes each branch; empty where training had none there, or the question is of them."""
        if not self._missing_seen[id] or self.tree.missing == "refuse":
            return []
        test = self.splits.test(id)
        if isinstance(test.division, Presence) or self.splits.surrogates(id):
            return []
        if test.missing_to != EVERY:
            one_way = [1.0 if branch == test.missing_to else 0.0 for branch in range(self.count[id])]
            return one_way if test.leads_to(test.missing_to) else []  # a branch of missing cells alone says so itself
        weights = [self.weight[child] for child in self.children(id)]
        return [weight / sum(weights) for weight in weights]

    def edges(self, id: int) -> list[str]:
        """What leads to each child, and which of the missing cells do."""
        if not self._missing_seen[id] and self.asks(id):
            return _PLAIN[self.count[id]]
        routes = self.missing(id)
        labels = self.branches(id)
        if self._missing_seen[id] and (surrogates := surrogates_of(self.splits, id)):
            phrases = [condition.present_text(self.exact) for condition in surrogates[0].when]
            return [f"{label} (if missing: {phrase})" for label, phrase in zip(labels, phrases, strict=True)]
        return [label + missing_text(share) for label, share in zip(labels, routes, strict=True)] if routes else labels

    def answer(self, id: int) -> str:
        """What a row is told that ends here."""
        return self.leaf_texts.text(id)

    def spread(self, id: int) -> float:
        """How far a numeric target in the node lies from what the node says."""
        return self.tree.target.spread(self.splits.entries.impurity[id], self.value[id])

    def mix(self, id: int) -> list[tuple[int, float]]:
        """Class and weight of those that occur in the node, in declared order."""
        begin, end = (self._class_begin[id], self._class_begin[id + 1]) if len(self._class_begin) else (0, 0)
        if self._mixes is not None:
            return self._mixes[begin:end]
        return list(zip(self.splits.entries.class_id[begin:end], self.splits.entries.class_weight[begin:end], strict=True))

    def alike(self, ids: Sequence[int]) -> tuple[list[int], list[int]]:
        """Nodes that hold the same classes with the same weights: one of each kind, and for every node where its kind stands."""
        columns, k = self.tree.node_columns, len(self.classes or ())
        if not 0 < k <= _FEW:
            return list(ids), list(range(len(ids)))
        table = np.zeros((self.tree.n_nodes, k))
        table[columns.owners("class"), columns.class_id] = columns.class_weight
        rows = table.view(f"V{8 * k}").ravel()[np.asarray(ids)].tolist()
        kinds: dict[bytes, int] = {}
        at = [kinds.setdefault(row, len(kinds)) for row in rows]
        first = dict(zip(reversed(at), reversed(ids), strict=True))
        return [first[kind] for kind in range(len(kinds))], at

    def rows(self, id: int) -> str:
        """How many rows there are."""
        weight = self.weight[id]
        return "1 row" if weight == 1 else "no rows" if weight == 0 else f"{weight_text(weight)} rows"

    def descendants(self) -> list[int]:
        """Number of nodes below every node."""
        below = [0] * len(self.parent)
        for id in range(len(below) - 1, 0, -1):  # children come after their parent
            below[self.parent[id]] += below[id] + 1
        return below

    def leaves_below(self) -> list[int]:
        """Number of leaves below every node; 1 for a leaf."""
        leaves = [int(n == 0) for n in self.count]
        for id in range(len(leaves) - 1, 0, -1):
            leaves[self.parent[id]] += leaves[id]
        return leaves


def missing_text(share: float) -> str:
    """Say which missing cells take a branch."""
    return "" if share == 0.0 else " (or missing)" if share == 1.0 else f" (or {share_text(share)} of missing)"


def _present(condition: Condition, exact: bool) -> str:
    plain = condition.low is None and condition.high is None and condition.levels is None
    return condition.text() if plain or not condition.present else condition.present_text(exact)


def _value(condition: Condition, exact: bool) -> str:
    if not condition.present:
        return "missing"
    return _present(condition, exact).removeprefix(f"{condition.column.label} ").removeprefix("= ")
