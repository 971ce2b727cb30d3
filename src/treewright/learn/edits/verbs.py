"""What can be done to a tree, one function a verb: a tree with its marks and locks and the rows in, another one out.

A node is named by the branches that lead to it from the root: numbers of nodes change with every edit, and mean nothing in a tree
of other rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import as_float, counted, shown, unknown
from treewright.learn.edits.bench import Bench, Held
from treewright.learn.edits.division import Test, divide, gain_of, made, merged, split_columns, wanted
from treewright.learn.values import whole
from treewright.model import Tree
from treewright.model.condition import gone, listed, with_condition
from treewright.model.weave import divided, grafted, saying, split_of, subtree

Path = tuple[int, ...]
SAID = "said by hand"


@dataclass(frozen=True, eq=False)
class Edited:
    """A tree under edit.

    Attributes
    ----------
    tree : Tree
        The tree.
    marks : dict of Path to str
        What was done by hand, by node.
    locks : frozenset of Path
        Nodes that stay as they are, with all below them.
    """

    tree: Tree
    marks: Mapping[Path, str]
    locks: frozenset[Path] = frozenset()

    def node(self, path: Sequence[int]) -> int:
        """The node at the end of a path; an error where there is none."""
        nodes, at = self.tree.node_entries, 0
        for branch in path:
            if not 0 <= branch < nodes.n_children[at]:
                raise ValueError(
                    f"there is no node {list(path)}: node {at} has {counted(nodes.n_children[at], 'branch', 'branches')}"
                )
            at = nodes.first_child[at] + branch
        return at

    def path(self, node: Any) -> Path:
        """The branches that lead to a node."""
        if not _is_number(node) or not 0 <= int(node) < self.tree.n_nodes:
            raise IndexError(f"there is no node {shown(node)}: the tree has nodes 0 to {self.tree.n_nodes - 1}")
        nodes, at, out = self.tree.node_entries, int(node), []
        while (up := nodes.parent[at]) >= 0:
            out.append(at - nodes.first_child[up])
            at = up
        return tuple(out[::-1])

    def asked(self, path: Path) -> list[str]:
        """The columns that are asked for on the way to a node."""
        return [self.tree.splits.source(self.node(path[:k])).column.name for k in range(len(path))]

    def where(self, path: Path) -> str:
        """The way to a node in words."""
        by_column: dict[Any, Any] = {}
        for condition in self.tree.node(self.node(path)).path:
            by_column = with_condition(by_column, condition)
        return " and ".join(condition.text() for condition in listed(by_column)) or "all rows"

    def by_hand(self) -> dict[int, str]:
        """What was done by hand, by number of the node."""
        return {self.node(path): word for path, word in sorted(self.marks.items())}

    def with_core(self, core: _core.Tree, marks: Mapping[Path, str]) -> Edited:
        """The same with another tree."""
        tree = Tree(core, self.tree.schema, self.tree.target, self.tree.leaf_model.moved(core, self.tree.schema))
        out = Edited(tree, marks, self.locks)
        return replace(out, tree=tree.marked(out.by_hand()))

    # -- checks --------------------------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Refuse a node that is locked, or lies below one that is, or above."""
        for lock in sorted(self.locks):
            if path[: len(lock)] == lock:
                raise ValueError(
                    f"node {self.node(path)} is locked" + ("" if path == lock else f" by node {self.node(lock)}, above it")
                )
            if lock[: len(path)] == path:
                raise ValueError(f"node {self.node(lock)}, below node {self.node(path)}, is locked: unlock it first")

    def inside_lock(self, path: Path) -> bool:
        """Whether a node is locked, or lies below one that is."""
        return any(path[: len(lock)] == lock for lock in self.locks)

    def outside(self, path: Path) -> dict[Path, str]:
        """The marks of all nodes but one and those below it."""
        return {at: word for at, word in self.marks.items() if at[: len(path)] != path}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _as_leaf(tree: Tree, node: int) -> _core.Tree:
    """A node by itself, as a leaf."""
    piece = subtree(tree._core, node)
    cut = np.zeros(piece.size, np.uint8)
    cut[0] = 1
    return piece.cut_back(cut) if piece.size > 1 else piece


def _put(edited: Edited, path: Path, piece: _core.Tree, word: str | None) -> Edited:
    """The tree with a piece in the place of a node; the node is marked by a word."""
    core = grafted(edited.tree._core, {edited.node(path): piece})
    marks = {**edited.outside(path), **({} if word is None else {path: word})}
    return edited.with_core(core, marks)


# -- verbs -----------------------------------------------------------------------------------------------------------------


def grow(bench: Bench, edited: Edited, path: Path, steps: Any = 1) -> Edited:
    """Grow the leaves at and below a node by so many levels; None: as far as the limits allow."""
    depth = None if steps is None else whole("steps", steps, 1)
    if edited.inside_lock(path):
        edited.open(path)
    core, top = edited.tree._core, edited.node(path)
    nodes = edited.tree.node_entries
    inside = np.zeros(core.size, bool)
    inside[top] = True
    pieces = {}
    for at in range(top, core.size):
        inside[at] = inside[at] or (at > top and inside[nodes.parent[at]])
        if not inside[at] or nodes.n_children[at] or nodes.weight[at] <= 0 or edited.inside_lock(edited.path(at)):
            continue
        piece = bench.grown(bench.held(core, at), depth)
        if piece.size > 1:
            pieces[at] = piece
    if not pieces:
        raise ValueError(
            f"nothing grows at node {top}: its leaves are pure, or no split keeps within the limits of the estimator "
            "(such as min_samples_leaf); split() makes one all the same, regrow() takes other limits"
        )
    marks = {at: word for at, word in edited.marks.items() if edited.node(at) not in pieces}
    return edited.with_core(grafted(core, pieces), marks)


def split(bench: Bench, edited: Edited, path: Path, column: Any, at: Any = None, levels: Any = None) -> Edited:
    """Give a node another test, and leaves below it."""
    edited.open(path)
    if not isinstance(column, str):
        raise TypeError(f"column={shown(column)} is not allowed: it must be the name of a column, or a condition as text")
    test = wanted(edited.tree, column, at, levels)
    node = edited.node(path)
    held = _rows_of(bench, edited, node)
    # What somebody said of a leaf is not what its rows say.
    leaf = bench.leaf(held) if edited.marks.get(path) == SAID else _as_leaf(edited.tree, node)
    if isinstance(test, Test):
        done = divide(bench, test, held)
        return _put(edited, path, divided(leaf, done.split, [bench.leaf(part) for part in done.held]), "split by hand")
    piece = bench.grown(held, 1, test)
    if piece.size == 1:
        name = edited.tree.columns[test].name
        why = "its rows are all of one class or number" if float(leaf.state()["impurity"][0]) == 0 else "no division of it gains"
        raise ValueError(f"column {shown(name)} does not divide node {node}: {why}; say where, by at= or levels=")
    below = [subtree(piece, 1 + b) for b in range(piece.size - 1)]
    return _put(edited, path, divided(leaf, {**split_of(piece), "column": test}, below), "split by hand")


def swap(bench: Bench, edited: Edited, path: Path, column: Any) -> Edited:
    """Give a node the best split of another column, one of those that were weighed there."""
    return split(bench, edited, path, column)


def cut(bench: Bench, edited: Edited, path: Path) -> Edited:
    """Make a node a leaf."""
    edited.open(path)
    node = edited.node(path)
    if edited.tree.node_entries.n_children[node] == 0:
        raise ValueError(f"node {node} is a leaf already")
    ends = np.zeros(edited.tree.n_nodes, np.uint8)
    ends[node] = 1
    return edited.with_core(edited.tree._core.cut_back(ends), {**edited.outside(path), path: "cut by hand"})


def relabel(bench: Bench, edited: Edited, path: Path, says: Any) -> Edited:
    """Let a leaf say another class, or another number."""
    edited.open(path)
    node, target = edited.node(path), edited.tree.target
    if edited.tree.node_entries.n_children[node]:
        raise ValueError(f"node {node} has branches, whose leaves say what rows are told: cut it first, or relabel these")
    if target.classes is not None:
        if says not in target.classes:
            raise unknown("class", says, list(map(str, target.classes)))
        core = saying(edited.tree._core, node, target.classes.index(says), None)
    else:
        number = as_float(says) if _is_real(says) else math.nan
        if not math.isfinite(number):
            raise ValueError(f"says={shown(says)} is not allowed: it must be a finite number")
        core = saying(edited.tree._core, node, None, number)
    return edited.with_core(core, {**edited.marks, path: SAID})


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def merge(bench: Bench, edited: Edited, path: Path, branches: Any) -> Edited:
    """Make one leaf of some of the leaves that a node leads to, by their branches."""
    edited.open(path)
    tree, node = edited.tree, edited.node(path)
    entries = tree.node_entries
    n, first = entries.n_children[node], entries.first_child[node]
    chosen = sorted(branches) if isinstance(branches, (list, tuple)) and all(map(_is_number, branches)) else []
    if len(set(chosen)) < 2 or len(set(chosen)) < len(chosen) or not 0 <= chosen[0] <= chosen[-1] < n:
        raise ValueError(
            f"branches={shown(branches)} is not allowed: it must be two or more branches of node {node}, from 0 to {n - 1}"
        )
    for branch in chosen:
        if entries.n_children[first + branch]:
            raise ValueError(f"node {first + branch} is no leaf: only leaves become one; cut it first")
    if len(chosen) == n:
        return cut(bench, edited, path)
    if tree.splits.source(node).equation is not None:
        raise ValueError(f"node {node} asks for more than one column: only ranges and levels of one are put together")
    test, to = merged(made(tree, node), [int(branch) for branch in chosen], tree.columns[entries.column[node]])
    pieces = {to[b]: subtree(tree._core, first + b) for b in range(n)}
    leaf = _as_leaf(tree, node)
    assert test.missing_to is not None
    here = bench.held(tree._core, node)
    cells = bench.cells[test.column][here.rows]
    parts = [Held(np.empty(0, np.int64))] * test.n_branches
    for b in range(n):
        parts[to[b]] = parts[to[b]].with_(bench.held(tree._core, first + b))
    lost = gone(tree.columns[test.column], bench.cells[test.column])
    present = [part.some(~lost[part.rows]) for part in parts]
    if len(parts[to[chosen[0]]].rows):
        pieces[to[chosen[0]]] = bench.leaf(parts[to[chosen[0]]])
    below = [pieces[b] for b in range(test.n_branches)]
    gain = gain_of(bench, present, here.some(lost[here.rows]), parts, here)
    columns = split_columns(test, cells, test.missing_to, bool(entries.missing_seen[node]), gain)
    deep = len(path)

    def moved(at: Path) -> Path:
        return (*at[:deep], to[at[deep]], *at[deep + 1 :]) if at[:deep] == path and len(at) > deep else at

    ended = [(*path, branch) for branch in chosen]
    marks = {moved(at): word for at, word in edited.marks.items() if at not in ended}
    core = grafted(tree._core, {node: divided(leaf, columns, below)})
    return edited.with_core(core, {**marks, path: "merged by hand"})


def regrow(bench: Bench, edited: Edited, path: Path, parameters: Any = None) -> Edited:
    """Let the algorithm, perhaps with other parameters, make of the rows of a node what it makes of a table."""
    edited.open(path)
    learner = bench.changed(dict(parameters or {}))
    held = _rows_of(bench, edited, edited.node(path))
    return _put(edited, path, bench.regrown(held, learner), None)


def lock(bench: Bench, edited: Edited, path: Path) -> Edited:
    """Keep a node as it is, with all below it."""
    if path in edited.locks:
        raise ValueError(f"node {edited.node(path)} is locked already")
    edited.node(path)
    return replace(edited, locks=edited.locks | {path})


def unlock(bench: Bench, edited: Edited, path: Path) -> Edited:
    """Let a node be edited again."""
    if path not in edited.locks:
        raise ValueError(f"node {edited.node(path)} is not locked")
    return replace(edited, locks=edited.locks - {path})


def _rows_of(bench: Bench, edited: Edited, node: int) -> Held:
    held = bench.held(edited.tree._core, node)
    if not len(held.rows):
        raise ValueError(f"node {node} holds no rows: there is nothing to divide")
    return held


Verb = Callable[..., Edited]
VERBS: dict[str, Verb] = {
    "grow": grow,
    "split": split,
    "swap": swap,
    "cut": cut,
    "relabel": relabel,
    "merge": merge,
    "regrow": regrow,
    "lock": lock,
    "unlock": unlock,
}
