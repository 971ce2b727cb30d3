"""The nodes of a tree as columns with names: one entry per node, and pools of which every node owns a run of entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core


class _Column:
    """A column of the core's tree, read by the name it has there."""

    def __init__(self, about: str, name: str = "") -> None:
        self.__doc__ = about
        self._name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self._attribute = name
        self._name = self._name or name

    def __get__(self, columns: _Named | None, owner: type) -> Any:
        if columns is None:
            return self
        # Kept as an attribute, so that the next reader does not come here.
        column = columns.__dict__[self._attribute] = columns._state[self._name]
        return column


class _Named:
    """The columns of a tree's nodes by name.

    Nodes are numbered so that a parent comes before its children and siblings stand side by side. What a test looks at is read
    by :class:`treewright.model.splits.Splits`, which decodes the columns of cuts and levels.
    """

    # -- one entry per node --------------------------------------------------------------------------------------------

    parent = _Column("Number of the node above, -1 for the root.")
    first_child = _Column("Number of the first child, 0 for a leaf.")
    n_children = _Column("Number of branches, 0 for a leaf.")
    column = _Column("Position of the column that is tested, -1 for a leaf.")
    family = _Column("Kind of the split, a position in ``Tree.families``.")
    strict = _Column("Whether a value lies below a cut if it is less (1), or less or equal (0).")
    otherwise = _Column("Branch of levels that are not listed, -1 where there is none.")
    missing_to = _Column("Branch of missing cells, -2 where they go down all of them.")
    missing_seen = _Column("Whether training had missing cells there.")
    step = _Column("When the node was split, in the order of growth.")
    label = _Column("Position of the class it predicts; empty where the target is numbers.")
    value = _Column("The mean of the target; empty where the target is classes.")
    weight = _Column("Weight of its training rows.")
    impurity = _Column("Its impurity, in the unit of the criterion.")
    gain = _Column("Fall of impurity by its split, 0 for a leaf.")

    # -- pools: node i owns the entries from begin[i] to begin[i + 1]; a pool without entries has no offsets --------------

    cut_begin = _Column("Offsets of thresholds.")
    cut_at = _Column("Thresholds, ascending within a node.")
    cut_below = _Column("The training value next below each threshold.")
    cut_above = _Column("The training value next above each threshold.")
    level_begin = _Column("Offsets of listed levels.")
    level = _Column("Codes of the levels a split lists.")
    level_branch = _Column("The branch of each of them.")
    class_begin = _Column("Offsets of classes.")
    class_id = _Column("Positions of the classes that occur in a node, in declared order.")
    class_weight = _Column("Weight of each of them.")
    surrogate_begin = _Column("Offsets of surrogates.")
    surrogate_column = _Column("Position of the column a surrogate tests.")
    surrogate_below = _Column("Branch of values below the threshold of a surrogate.")
    surrogate_at = _Column("Threshold of a surrogate; NaN where it lists levels.")
    surrogate_low = _Column("The training value next below it.")
    surrogate_high = _Column("The training value next above it.")
    surrogate_agreement = _Column("Share of rows a surrogate sends the way the split does.")
    surrogate_adjusted = _Column("The same beyond the majority rule.")
    surrogate_gain = _Column("Fall of impurity a surrogate would bring as the split itself.")
    surrogate_sent = _Column("Weight of the training rows a surrogate had to send.")
    surrogate_levels = _Column("Number of levels a surrogate lists.")
    surrogate_level_begin = _Column("Offsets of the levels of all surrogates of a node.", "imitated_begin")
    surrogate_level = _Column("Codes of the levels surrogates list.", "imitated_level")
    surrogate_branch = _Column("The branch of each of them.", "imitated_branch")

    term_begin = _Column("Offsets of the terms of numbers that are derived from several columns.")
    term_column = _Column("Position of the column of a term.")
    term_level = _Column("The level whose presence a term counts as 1, or -1: the number itself.")
    term_coefficient = _Column("What the cell of a term is multiplied with.")
    term_missing = _Column("What a missing cell of a term counts as; NaN: the sum is missing then.")
    term_by = _Column("Position of the column that a term is also multiplied with, or -1.")
    term_by_missing = _Column("What a missing cell of that column counts as.")
    part_begin = _Column("Offsets of the parts of derived numbers that are more than the sum of their terms.")
    part_score = _Column("The score that a part belongs to; of several the number of the largest is derived.")
    part_terms = _Column("Number of terms of a part.")
    part_squashed = _Column("Whether a part counts the sigmoid of its sum.")
    part_weight = _Column("What that is multiplied with.")
    part_constant = _Column("The constant of the sum of a part.")

    def __init__(self, state: Mapping[str, Any]) -> None:
        """Read the state of a core tree: a column by name."""
        self._state = state

    def pool(self, pool: str, name: str) -> Any:
        """A column of a pool by its name in the core, such as the "gain" of candidates, which are "weighed" there."""
        return self._state[f"{pool}_{name}"]


class NodeEntries(_Named):
    """The columns as sequences whose entries are Python's own numbers: for those who read them one by one."""

    def run(self, pool: str, id: int) -> tuple[int, int]:
        """The entries a node owns of a pool, such as "cut", "level" or "class"; a pool without entries has no offsets."""
        begin = self._state[f"{pool}_begin"]
        return (begin[id], begin[id + 1]) if len(begin) else (0, 0)


class NodeColumns(_Named):
    """The columns as arrays."""

    @classmethod
    def of(cls, core: _core.Tree) -> NodeColumns:
        """The columns of a core tree, whose state is asked for when a column is first read."""
        return cls(_State(core))

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def entries(self) -> NodeEntries:
        """The same for those who look at a few nodes: nothing is copied."""
        return NodeEntries(_Converted(self._state, memoryview))

    def tuples(self) -> NodeEntries:
        """The same for those who visit every node, for whom copies pay: each column is made a tuple when it is first read."""
        return NodeEntries(_Converted(self._state, _tuple))

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether a node has no branches, of every node."""
        ends: NDArray[np.bool_] = np.asarray(self.n_children) == 0
        return ends

    @property
    def n_surrogates(self) -> NDArray[np.int64]:
        """Number of surrogates of every node's split."""
        return self._counts("surrogate")

    @property
    def n_terms(self) -> NDArray[np.int64]:
        """Number of terms of every node's derived number, 0 where a column is tested."""
        return self._counts("term")

    @property
    def n_candidates(self) -> NDArray[np.int64]:
        """Number of candidate splits that were kept of every node."""
        return self._counts("weighed")

    def owners(self, pool: str) -> NDArray[np.int64]:
        """The node of every entry of a pool."""
        return np.repeat(np.arange(len(self)), self._counts(pool))

    def _counts(self, pool: str) -> NDArray[np.int64]:
        begin = np.asarray(self._state[f"{pool}_begin"], np.int64)
        return np.diff(begin) if len(begin) else np.zeros(len(self), np.int64)


def _tuple(column: NDArray[Any]) -> tuple[Any, ...]:
    return tuple(column.tolist())


class _State(dict[str, Any]):
    """The state of a core tree, asked for when a column is first read."""

    def __init__(self, core: _core.Tree) -> None:
        self._core = core

    def __missing__(self, name: str) -> Any:
        state: dict[str, Any] = self._core.state()
        self.update(state)
        return state[name]


class _Converted(dict[str, Any]):
    """Columns in another form, each converted when it is first asked for."""

    def __init__(self, state: Mapping[str, Any], convert: Callable[[Any], Any]) -> None:
        self._state, self._convert = state, convert

    def __missing__(self, name: str) -> Any:
        out = self[name] = self._convert(self._state[name])
        return out


def offsets(counts: NDArray[Any]) -> NDArray[Any]:
    """Where the entries of every node begin in a pool, from how many each owns; none where nobody owns any."""
    return np.concatenate([[0], np.cumsum(counts)]) if np.any(counts) else np.empty(0)


def pools(names: Iterable[str]) -> list[str]:
    """The pools among columns by name."""
    return [name.removesuffix("_begin") for name in names if name.endswith("_begin")]


def pool_of(name: str, known: Sequence[str]) -> str | None:
    """The pool that a column is of, None where it has an entry per node, or per column of the table."""
    return next((pool for pool in known if name == pool or name.startswith(f"{pool}_")), None)


def core_tree(state: Mapping[str, Any]) -> _core.Tree:
    """A core tree of columns by name, which it checks; those that are not there are empty."""
    typed = {"n_classes": state["n_classes"]}
    for name, kind in _core.Tree.columns().items():
        with np.errstate(invalid="ignore"):  # what is no whole number is found by the core
            typed[name] = np.ascontiguousarray(state.get(name, np.empty(0)), kind)
    return _core.Tree.from_state(typed)
