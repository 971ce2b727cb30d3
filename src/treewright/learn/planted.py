"""Trees whose tests are chosen by other means than growing: rows are sent down, whoever chooses is asked at every node."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learn.training import Rows, Training
from treewright.model.node_columns import core_tree, offsets
from treewright.model.rules import by_column
from treewright.model.splits import FAMILIES, NO_BRANCH

MOST_NODES = 2_000_000
CRITERION = "info_gain"  # what impurities and gains of the nodes are told in

Here = TypeVar("Here")


@dataclass(frozen=True, slots=True)
class Cut:
    """A threshold and the training values next to it; values below it are less than it."""

    at: float
    below: float
    above: float


@dataclass(frozen=True, slots=True)
class Test(Generic[Here]):
    """A test of a column: by its cuts, or without any by the declared levels, a branch each.

    Attributes
    ----------
    column : int
        Position of the column.
    branches : tuple
        By branch, what the one who chooses is told there.
    cuts : tuple of Cut
        The thresholds of a numeric column, ascending.
    born : int
        When the test was made, as a number: nodes are told in the order of these.
    """

    column: int
    branches: tuple[Here, ...]
    cuts: tuple[Cut, ...] = ()
    born: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """A leaf: the position of the class it says where it holds no rows that decide."""

    label: int = 0


class Cells:
    """The cells of a table, column by column; codes of levels are whole numbers, -1 where the cell is missing."""

    def __init__(self, training: Training) -> None:
        self.columns = training.columns
        self.of = [
            np.where(np.isnan(cells), -1, cells).astype(np.int64) if column.nominal else np.asarray(cells, np.float64)
            for column, cells in zip(training.columns, by_column(training.arrays), strict=True)
        ]

    def branches(self, test: Test[Any], rows: Rows) -> NDArray[np.int64]:
        """The branch of every row, -1 where the cell is missing."""
        cells: NDArray[Any] = self.of[test.column][rows]
        if self.columns[test.column].nominal:
            return cells
        below = np.searchsorted([cut.at for cut in test.cuts], cells, side="right")
        return np.where(np.isnan(cells), -1, below)

    def cuts(self, column: int, rows: Rows) -> tuple[Cut, ...]:
        """All thresholds between neighbouring values of these rows, halfway."""
        values: NDArray[Any] = np.unique(self.of[column][rows])
        values = values[~np.isnan(values)] + 0.0  # -0.0 is 0.0
        pairs = zip(values[:-1].tolist(), values[1:].tolist(), strict=True)
        return tuple(Cut(halfway(below, above), below, above) for below, above in pairs)


def halfway(below: float, above: float) -> float:
    """A number above the one and not above the other."""
    middle = below / 2 + above / 2
    return middle if below < middle <= above else above


@dataclass
class _Nodes:
    """The columns of a tree while it is planted."""

    parent: list[int] = field(default_factory=lambda: [-1])
    first_child: list[int] = field(default_factory=lambda: [0])
    test: list[Test[Any] | None] = field(default_factory=lambda: [None])
    missing_to: list[int] = field(default_factory=lambda: [NO_BRANCH])
    missing_seen: list[bool] = field(default_factory=lambda: [False])
    label: list[int] = field(default_factory=lambda: [0])  # of nodes without rows, which keep what is said of them here
    weight: list[float] = field(default_factory=lambda: [0.0])
    above: list[float] = field(
        default_factory=lambda: [0.0]
    )  # weight of the node itself, or of the next one above that holds rows

    def add_below(self, node: int, n: int) -> int:
        first = len(self.parent)
        if first + n > MOST_NODES:
            raise ValueError(
                f"the tree has more than {MOST_NODES:,} nodes, which is the most that are planted: "
                "leave out columns of many values, or learn from fewer rows"
            )
        self.first_child[node] = first
        self.parent += [node] * n
        self.first_child += [0] * n
        self.test += [None] * n
        self.missing_to += [NO_BRANCH] * n
        self.missing_seen += [False] * n
        self.label += [0] * n
        self.weight += [0.0] * n
        self.above += [self.above[node]] * n
        return first


def plant(
    training: Training,
    here: Here,
    ask: Callable[[Rows, Here], Test[Here] | Answer],
    tell: Callable[[int, int], None] | None = None,
) -> _core.Tree:
    """Make a tree of the tests that ``ask(rows, here)`` chooses from the root down, and describe its nodes by the rows.

    A row whose cell is missing follows the branch that holds most weight, the first of equals. ``tell`` is called with the rows
    that have reached a leaf and all rows.
    """
    cells, weights = Cells(training), training.counted
    nodes = _Nodes()
    n_rows, done = len(training.codes), 0
    open_: deque[tuple[int, Rows, Here]] = deque([(0, np.arange(n_rows), here)])
    while open_:
        node, rows, here = open_.popleft()
        if len(rows):
            nodes.weight[node] = nodes.above[node] = float(len(rows) if weights is None else np.sum(weights[rows]))
        chosen = ask(rows, here)
        if isinstance(chosen, Answer):
            nodes.label[node] = chosen.label
            done += len(rows)
            if tell is not None:
                tell(done, n_rows)
            continue
        branch, n = cells.branches(chosen, rows), len(chosen.branches)
        missing = branch < 0
        known = rows[~missing]
        held = np.bincount(branch[~missing], None if weights is None else weights[known], minlength=n)
        nodes.missing_to[node], nodes.missing_seen[node] = int(np.argmax(held)), bool(missing.any())
        branch[missing] = nodes.missing_to[node]
        nodes.test[node] = chosen
        first = nodes.add_below(node, n)
        order = np.argsort(branch, kind="stable")
        parts = np.split(rows[order], np.searchsorted(branch[order], np.arange(1, n)))
        open_.extend((first + b, part, below) for b, (part, below) in enumerate(zip(parts, chosen.branches, strict=True)))
    shape = _shape(nodes, training, cells)
    return _in_order(_core.described_anew(shape, training.table(), CRITERION), shape)


def _shape(nodes: _Nodes, training: Training, cells: Cells) -> _core.Tree:
    """The tests as a tree whose nodes are not described yet."""
    n, columns = len(nodes.parent), training.columns
    tests = nodes.test
    inner = [i for i in range(n) if tests[i] is not None]
    asked = {i: test for i, test in enumerate(tests) if test is not None}
    steps = {node: step for step, node in enumerate(sorted(inner, key=lambda i: (asked[i].born, i)))}
    by_level = {i for i, test in asked.items() if columns[test.column].nominal}
    n_cuts = [len(asked[i].cuts) if i in asked else 0 for i in range(n)]
    n_levels = [len(asked[i].branches) if i in by_level else 0 for i in range(n)]
    cuts = [cut for i in inner for cut in asked[i].cuts]
    levels = [level for i in inner if i in by_level for level in range(n_levels[i])]

    def family(i: int) -> int:
        if i not in asked:
            return 0
        return FAMILIES.index("multiway" if i in by_level else "threshold" if n_cuts[i] == 1 else "discretised")

    seen = [
        np.bincount(cells.of[j][cells.of[j] >= 0], minlength=len(column.levels)) > 0
        for j, column in enumerate(columns)
        if column.nominal
    ]
    return core_tree(
        {
            "n_classes": len(training.target.classes or ()),
            "column_kind": np.array([column.nominal for column in columns]),
            "column_levels": np.array([len(column.levels) if column.nominal else 0 for column in columns]),
            "column_seen": np.concatenate(seen) if seen else np.empty(0),
            "parent": np.array(nodes.parent),
            "first_child": np.array(nodes.first_child),
            "n_children": np.array([len(asked[i].branches) if i in asked else 0 for i in range(n)]),
            "family": np.array([family(i) for i in range(n)]),
            "strict": np.array([n_cuts[i] > 0 for i in range(n)]),
            "column": np.array([asked[i].column if i in asked else -1 for i in range(n)]),
            "otherwise": np.full(n, NO_BRANCH),
            "missing_to": np.array(nodes.missing_to),
            "missing_seen": np.array(nodes.missing_seen),
            "step": np.array([steps.get(i, -1) for i in range(n)]),
            # What nodes hold is found when they are described; those without rows are sure of one class and stay as they are.
            "label": np.array(nodes.label),
            "class_begin": np.arange(n + 1),
            "class_id": np.array(nodes.label),
            "class_weight": np.array(nodes.above),
            "weight": np.array(nodes.weight),
            "impurity": np.zeros(n),
            "gain": np.zeros(n),
            "cut_begin": offsets(np.array(n_cuts)),
            "cut_at": np.array([cut.at for cut in cuts]),
            "cut_below": np.array([cut.below for cut in cuts]),
            "cut_above": np.array([cut.above for cut in cuts]),
            "level_begin": offsets(np.array(n_levels)),
            "level": np.array(levels),
            "level_branch": np.array(levels),
        }
    )


def _in_order(core: _core.Tree, shape: _core.Tree) -> _core.Tree:
    """A tree that was numbered anew, its splits in the order in which they were made."""
    state, planted = dict(core.state()), shape.state()
    step, made = np.array(state["step"]), np.asarray(planted["step"])
    first, begun, n_children = (
        np.asarray(each).tolist() for each in (state["first_child"], planted["first_child"], state["n_children"])
    )
    open_ = [(0, 0)]
    while open_:
        node, of = open_.pop()
        step[node] = made[of]
        open_.extend((first[node] + b, begun[of] + b) for b in range(n_children[node]))
    return core_tree({**state, "step": step})
