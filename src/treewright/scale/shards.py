"""Rows in one place, and the work that is done there: answering, dividing, picking; and subtrees grown where their rows met."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.scale.ingest import Coded
from treewright.scale.scratch import Scratch

Array = NDArray[Any]
Root = tuple[int, tuple[int, int, int, float]]  # of a subtree: which tree, and as the level grower tells it


class Plan:
    """What growing a tree needs to know, as it goes to wherever rows are."""

    def __init__(self, facts: _core.CodedColumns, settings: _core.GrowSettings) -> None:
        self.facts, self.settings = facts, settings

    def __getstate__(self) -> tuple[Any, ...]:
        return self.facts, {name: getattr(self.settings, name) for name in _SETTINGS}

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.facts, values = state
        self.settings = _core.GrowSettings()
        for name, value in values.items():
            setattr(self.settings, name, value)


# Settings that are functions, or of tests over several columns, have no names here; no tree is grown by levels with those.
_SETTINGS = tuple(name for name, entry in vars(_core.GrowSettings).items() if getattr(entry, "fset", None) is not None)


class ShardRows:
    """Rows as codes, with what stands beside the cells.

    Where the levels so far have put the rows is remembered, and found anew where it was lost: it follows from the levels alone.
    """

    def __init__(
        self, codes: Array, target: Array, quanta: Array | None = None, numbers: Array | None = None, seen: Any = ()
    ) -> None:
        self.codes, self.target, self.quanta = codes, target, quanta
        self.seen = seen  # of every column, by whoever made the codes
        self._numbers = numbers  # room for as many as there are rows
        self._lock, self._levels = Lock(), 0
        self._shard: _core.Shard | None = None

    @classmethod
    def sample(cls, whole: ShardRows, plan: Plan, facts: _core.CodedColumns, numbers: Array, quanta: Array | None) -> ShardRows:
        """Some of the rows, by their numbers, which are divided in their place: they cannot be sent."""
        out = cls(whole.codes, whole.target, quanta, numbers)
        with whole.divided(plan, ()) as shard:
            out._shard = shard.sample(facts, numbers, quanta)
        return out

    def __getstate__(self) -> tuple[Any, ...]:
        return self.codes, self.target, self.quanta, self.seen

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        codes, target, quanta, seen = state
        self.__init__(codes, target, quanta, None, seen)  # type: ignore[misc]

    def __sizeof__(self) -> int:
        quanta = 0 if self.quanta is None else self.quanta.nbytes
        return int(self.codes.nbytes + self.target.nbytes + quanta + 4 * len(self.target))

    @contextmanager
    def divided(self, plan: Plan, levels: Sequence[Any]) -> Iterator[_core.Shard]:
        """The rows as these levels divide them; nobody else divides them meanwhile."""
        with self._lock:
            shard, known = self._shard, self._levels
            self._shard = None  # until it is whole again
            if shard is None or known > len(levels):  # an early level may come again
                if self._numbers is None:
                    self._numbers = np.empty(len(self.target), np.uint32)
                    # What came over a wire may be read-only, which the core does not take.
                    self.codes = np.require(self.codes, requirements=["C", "W"])
                shard, known = _core.Shard(plan.facts, self.codes, self.target, self._numbers, self.quanta), 0
            for divisions in levels[known:]:
                shard.divide(divisions)
            self._shard, self._levels = shard, len(levels)
            yield shard


def mapped_shards(rows: Coded, scratch: Scratch) -> list[ShardRows]:
    """The shards of rows that lie in files, and room in files for the numbers of their rows."""
    numbers = rows.by_shard(scratch.array(np.uint32, (rows.n_rows,)))
    quanta = [None] * len(rows.codes) if rows.weights.quanta is None else rows.by_shard(rows.weights.quanta)
    return [ShardRows(*each) for each in zip(rows.codes, rows.by_shard(rows.targets), quanta, numbers, strict=True)]


def fingerprint(rows: Coded) -> bytes:
    """What tells the rows of mapped files from others, however they are cut into shards."""
    digest = hashlib.sha256()
    for array in (*rows.codes, rows.targets, *(() if rows.weights.quanta is None else (rows.weights.quanta,))):
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.digest()


def answer(shard: ShardRows, plan: Plan, levels: Sequence[Any], question: _core.LevelQuestion) -> Array:
    """What a shard answers."""
    with shard.divided(plan, levels) as rows:
        return np.asarray(rows.answer(question))


def sizes(shard: ShardRows, plan: Plan, levels: Sequence[Any], nodes: list[int]) -> Array:
    """How many rows these nodes have."""
    with shard.divided(plan, levels) as rows:
        return np.array([rows.size_of(node) for node in nodes], np.int64)


Part = tuple[Array, Array, Array | None]


def pick(
    shards: Sequence[ShardRows], roots: Sequence[Root], plans: Sequence[Plan], levels: Sequence[Sequence[Any]]
) -> list[Part]:
    """Codes, targets and quanta of the rows of every root; one shard for every tree."""
    out: list[Part] = []
    for at, root in roots:
        shard = shards[at]
        with shard.divided(plans[at], levels[at]) as rows:
            place = rows.rows_of(root[0])
        out.append((shard.codes[place], shard.target[place], None if shard.quanta is None else shard.quanta[place]))
    return out


def grow(root: Root, parts: Sequence[Part], plans: Sequence[Plan], levels: Sequence[Any]) -> Subtree:
    """The subtree of a root, from its rows of all places."""
    codes, target = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    quanta = [part[2] for part in parts if part[2] is not None]
    plan = plans[root[0]]
    return Subtree(_core.grow_rows(plan.facts, codes, target, plan.settings, root[1], np.concatenate(quanta) if quanta else None))


class Subtree:
    """A tree of the core that can be sent, and kept in files."""

    def __init__(self, core: _core.Tree) -> None:
        self.core = core

    def __getstate__(self) -> dict[str, Any]:
        return self.core.state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.core = _core.Tree.from_state(state)
