"""Trees put together from parts of others: a subtree taken out or put in, a node given another test.

A part is named by its tree and its node; new nodes are numbered as the core numbers them, so that putting a part back where it
was gives the same tree. Splits that come from a later tree count as made later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.node_columns import core_tree, offsets, pool_of, pools
from treewright.model.splits import NO_BRANCH

State = Mapping[str, Any]
Ref = tuple[int, int]  # a tree, by its position, and a node of it

_LINKS = ("parent", "first_child", "step")
_PER_COLUMN = ("column_kind", "column_levels", "column_seen")
# What a leaf has in the columns that describe a split.
_OF_LEAF = {
    "n_children": 0,
    "family": 0,
    "strict": 0,
    "column": -1,
    "otherwise": NO_BRANCH,
    "missing_to": NO_BRANCH,
    "missing_seen": 0,
    "gain": 0.0,
}
_OF_NODE = ("class", "weighed", "listed")  # pools that do not go with a split


def subtree(core: _core.Tree, node: int) -> _core.Tree:
    """A node with all that hangs below it, as a tree."""
    return _woven([core.state()], (0, node), {})


def grafted(core: _core.Tree, pieces: Mapping[int, _core.Tree]) -> _core.Tree:
    """A tree in which nodes make way for whole trees; no two of the nodes lie on one path."""
    if not pieces:
        return core
    instead = {(0, node): (at, 0) for at, node in enumerate(pieces, 1)}
    return _woven([core.state(), *(piece.state() for piece in pieces.values())], instead.get((0, 0), (0, 0)), instead)


def divided(root: _core.Tree, split: Mapping[str, Any], branches: Sequence[_core.Tree]) -> _core.Tree:
    """The root of a tree with a test, and trees below it.

    ``split`` has the columns of that one node by name: of the node itself a value each, of its pools a list each.
    """
    return _woven(
        [_stump(root, split, len(branches)), *(branch.state() for branch in branches)],
        (0, 0),
        {(0, 1 + b): (1 + b, 0) for b in range(len(branches))},
    )


def split_of(core: _core.Tree) -> dict[str, Any]:
    """The test of the root of a tree, as :func:`divided` takes it; its surrogates apart, which name other columns."""
    state = core.state()
    out: dict[str, Any] = {name: state[name][0] for name in _OF_LEAF if name != "n_children"}
    types = _core.Tree.columns()
    known = pools(types)
    for pool in ("cut", "level"):
        columns = [name for name in types if pool_of(name, known) == pool and name != f"{pool}_begin"]
        own = _gathered(pool, columns, [state], np.zeros(1, np.int64))
        out.update({name: own[name] for name in columns})
    return out


def saying(core: _core.Tree, node: int, label: int | None, value: float | None) -> _core.Tree:
    """A tree one node of which says another class, or another number."""
    state = dict(core.state())
    name, says = ("label", label) if label is not None else ("value", value)
    column = np.array(state[name])
    column[node] = says
    return core_tree({**state, name: column})


def _stump(root: _core.Tree, split: Mapping[str, Any], n: int) -> State:
    """The root with a test, and leaves below it that stand for what will be put there."""
    state, nodes = root.state(), np.zeros(n + 1, np.int64)
    out: dict[str, Any] = {"n_classes": state["n_classes"], **{name: state[name] for name in _PER_COLUMN}}
    types = _core.Tree.columns()
    known = pools(types)
    for name in types:
        pool = pool_of(name, known)
        if name in _LINKS or name in _PER_COLUMN or pool is not None:
            continue
        if name in _OF_LEAF:
            out[name] = np.array([split.get(name, _OF_LEAF[name])] + [_OF_LEAF[name]] * n)
        else:
            out[name] = np.asarray(state[name])[nodes] if len(state[name]) else state[name]
    for pool in known:
        columns = [name for name in types if pool_of(name, known) == pool and name != f"{pool}_begin"]
        if pool in _OF_NODE:
            out.update(_gathered(pool, columns, [state], nodes))
        else:
            held = {name: np.asarray(split.get(name, ())) for name in columns}
            count = len(held[columns[0]])
            out.update({**held, f"{pool}_begin": offsets(np.array([count] + [0] * n))})
    # None of the splits that were compared here is this one: it was chosen by somebody else.
    out["weighed_chosen"] = np.zeros(len(out["weighed_column"]), np.uint8)
    out["n_children"][0] = n
    out["parent"], out["first_child"] = np.array([-1] + [0] * n), np.array([1] + [0] * n)
    out["step"] = np.array([0] + [-1] * n)
    return out


def _woven(states: Sequence[State], start: Ref, instead: Mapping[Ref, Ref]) -> _core.Tree:
    """The nodes that are reached from one, where some make way for others."""
    first_child = [np.asarray(state["first_child"]).tolist() for state in states]
    n_children = [np.asarray(state["n_children"]).tolist() for state in states]
    order, parent, first, open_ = [start], [-1], [0], [0]
    while open_:
        at = open_.pop()
        of, node = order[at]
        n, begin = n_children[of][node], len(order)
        if n == 0:
            continue
        first[at] = begin
        refs = [(of, first_child[of][node] + branch) for branch in range(n)]
        order += [instead.get(ref, ref) for ref in refs]
        parent += [at] * n
        first += [0] * n
        open_.extend(range(begin + n - 1, begin - 1, -1))
    base = np.cumsum([0, *(len(each) for each in n_children)])
    source = np.array([of for of, _ in order])
    nodes = base[source] + np.array([node for _, node in order])
    types = _core.Tree.columns()
    known = pools(types)
    out: dict[str, Any] = {"n_classes": states[0]["n_classes"], **{name: states[0][name] for name in _PER_COLUMN}}
    for name in types:
        if name not in (*_LINKS, *_PER_COLUMN) and pool_of(name, known) is None:
            column = np.concatenate([np.asarray(state[name]) for state in states])
            out[name] = column[nodes] if len(column) else column
    for pool in known:
        columns = [name for name in types if pool_of(name, known) == pool and name != f"{pool}_begin"]
        out.update(_gathered(pool, columns, states, nodes))
    step = np.concatenate([np.asarray(state["step"], np.int64) for state in states])[nodes]
    out["parent"], out["first_child"], out["step"] = np.array(parent), np.array(first), _ranked(source, step)
    return core_tree(out)


def _gathered(pool: str, columns: Sequence[str], states: Sequence[State], nodes: NDArray[np.int64]) -> dict[str, Any]:
    """The entries of a pool that nodes own, by their numbers in all trees put behind each other."""
    counts = np.concatenate([_counts(state, pool) for state in states])
    begin = np.cumsum(counts) - counts
    taken = counts[nodes]
    entries = np.repeat(begin[nodes] - (np.cumsum(taken) - taken), taken) + np.arange(int(taken.sum()))
    out: dict[str, Any] = {f"{pool}_begin": offsets(taken)}
    for name in columns:
        column = np.concatenate([np.asarray(state[name]) for state in states])
        out[name] = column[entries] if len(column) else column
    return out


def _counts(state: State, pool: str) -> NDArray[np.int64]:
    begin = np.asarray(state[f"{pool}_begin"], np.int64)
    return np.diff(begin) if len(begin) else np.zeros(len(state["n_children"]), np.int64)


def _ranked(source: NDArray[np.int64], step: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps numbered anew: by tree, in each of them as before."""
    inner = np.flatnonzero(step >= 0)
    out = np.full(len(step), -1)
    out[inner[np.lexsort((step[inner], source[inner]))]] = np.arange(len(inner))
    return out
