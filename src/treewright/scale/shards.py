"""Rows in one place, and the work that is done there: counting, dividing, picking; and subtrees grown where their rows met."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learn.settings import without_idle_warnings
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.scale.ingest import Coded
from treewright.scale.scratch import Scratch

Array = NDArray[Any]
Root = tuple[int, int, int, float]  # of a subtree, as the level grower tells it


class Plan:
    """What growing needs to know, as it goes to wherever rows are; the core's settings are made anew there."""

    def __init__(
        self, learner: TreeLearner[Any], training: Training, facts: _core.CodedColumns, settings: _core.GrowSettings
    ) -> None:
        self.learner, self.training, self.facts, self.seed = learner, training, facts, settings.seed
        self.settings = settings

    @cached_property
    def settings(self) -> _core.GrowSettings:
        """The settings of every tree, on one thread each: those the fit was begun with."""
        with without_idle_warnings():  # they were given there
            settings = self.learner.settings(self.training)
        settings.threads, settings.seed = 1, self.seed
        return settings

    def __getstate__(self) -> dict[str, Any]:
        light = replace(self.training, codes=np.empty(0, np.uint8))
        return {
            "learner": self.learner.changed(),
            "facts": self.facts,
            "seed": self.seed,
            "rows": len(self.training.codes),
            "training": light,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows = state.pop("rows")
        self.__dict__.update(state)
        self.training = replace(self.training, codes=np.broadcast_to(np.uint8(0), (rows,)))


class ShardRows:
    """Rows as codes.

    Where the levels so far have put the rows is remembered, and found anew where it was lost: it follows from the levels alone.
    """

    def __init__(self, codes: Array, labels: Array, numbers: Array | None = None, seen: Any = ()) -> None:
        self.codes, self.labels = codes, labels
        self.seen = seen  # of every column, by whoever made the codes
        self._numbers = numbers  # room for as many as there are rows
        self._lock, self._levels = Lock(), 0
        self._shard: _core.Shard | None = None

    def __getstate__(self) -> tuple[Any, ...]:
        return self.codes, self.labels, self.seen

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        codes, labels, seen = state
        self.__init__(codes, labels, None, seen)  # type: ignore[misc]

    def __sizeof__(self) -> int:
        return int(self.codes.nbytes + self.labels.nbytes + 4 * len(self.labels))

    @contextmanager
    def divided(self, plan: Plan, levels: Sequence[Any]) -> Iterator[_core.Shard]:
        """The rows as these levels divide them; nobody else divides them meanwhile."""
        with self._lock:
            shard, known = self._shard, self._levels
            self._shard = None  # until it is whole again
            if shard is None or known > len(levels):  # an early level may come again
                if self._numbers is None:
                    self._numbers = np.empty(len(self.labels), np.uint32)
                    # What came over a wire may be read-only, which the core does not take.
                    self.codes, self.labels = (np.require(array, requirements=["C", "W"]) for array in (self.codes, self.labels))
                shard, known = _core.Shard(plan.facts, self.codes, self.labels, self._numbers), 0
            for divisions in levels[known:]:
                shard.divide(divisions)
            self._shard, self._levels = shard, len(levels)
            yield shard


def mapped_shards(rows: Coded, scratch: Scratch) -> list[ShardRows]:
    """The shards of rows that lie in files, and room in files for the numbers of their rows."""
    ends = np.cumsum([len(labels) for labels in rows.labels])[:-1]
    numbers = np.split(scratch.array(np.uint32, (rows.n_rows,)), ends)
    return [ShardRows(*each) for each in zip(rows.codes, rows.labels, numbers, strict=True)]


def fingerprint(rows: Coded) -> bytes:
    """What tells the rows of mapped files from others, however they are cut into shards."""
    digest = hashlib.sha256()
    for arrays in (rows.codes, rows.labels):
        for array in arrays:
            digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.digest()


def count(shard: ShardRows, plan: Plan, levels: Sequence[Any], nodes: list[int]) -> Array:
    """Counters of these nodes, one after the other."""
    with shard.divided(plan, levels) as rows:
        return np.asarray(rows.count(nodes))


def sizes(shard: ShardRows, plan: Plan, levels: Sequence[Any], nodes: list[int]) -> Array:
    """How many rows these nodes have."""
    with shard.divided(plan, levels) as rows:
        return np.array([len(rows.rows_of(node)) for node in nodes], np.int64)


def pick(shard: ShardRows, roots: Sequence[Root], plan: Plan, levels: Sequence[Any]) -> list[tuple[Array, Array]]:
    """Codes and classes of the rows of every root."""
    with shard.divided(plan, levels) as rows:
        places = [rows.rows_of(root[0]) for root in roots]
    return [(shard.codes[place], shard.labels[place]) for place in places]


def grow(root: Root, parts: Sequence[tuple[Array, Array]], plan: Plan, levels: Sequence[Any]) -> Subtree:
    """The subtree of a root, from its rows of all places."""
    codes, labels = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    return Subtree(_core.grow_rows(plan.facts, codes, labels, plan.settings, root))


class Subtree:
    """A tree of the core that can be sent, and kept in files."""

    def __init__(self, core: _core.Tree) -> None:
        self.core = core

    def __getstate__(self) -> dict[str, Any]:
        return self.core.state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.core = _core.Tree.from_state(state)
