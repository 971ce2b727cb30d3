"""Growing level by level: shards answer, sums decide, shards divide; of subtrees of few rows the rows are gathered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright import _core
from treewright.scale.executor import Executor
from treewright.scale.ingest import TOGETHER, Array, Coded, added
from treewright.scale.scratch import Scratch

# (done, all): rows that have reached a leaf or a subtree that is grown to its end.
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Plant:
    """A tree that is to grow, and its rows, shard by shard."""

    facts: _core.CodedColumns
    settings: _core.GrowSettings
    shards: list[_core.Shard]
    quanta: list[Array] | None  # of all rows of the table; None: one each
    n_rows: int

    def grower(self, small: int, counters: int) -> _core.LevelGrower:
        """Who asks the shards."""
        return _core.level_grower(self.facts, self.settings, small, counters)


def plant_of(rows: Coded, settings: _core.GrowSettings, scratch: Scratch) -> Plant:
    """The tree of all rows."""
    numbers = rows.by_shard(scratch.array(np.uint32, (rows.n_rows,)))
    quanta = None if rows.weights.quanta is None else rows.by_shard(rows.weights.quanta)
    beside = (rows.by_shard(rows.targets), numbers, [None] * len(rows.codes) if quanta is None else quanta)
    shards = [_core.Shard(rows.facts, *each) for each in zip(rows.codes, *beside, strict=True)]
    return Plant(rows.facts, settings, shards, quanta, rows.n_rows)


def grow_levels(rows: Coded, plants: Sequence[Plant], memory: int, executor: Executor, tell: Tell) -> list[Any]:
    """The trees of all plants, thresholds among the values; a level of all of them is one round of questions."""
    small = small_rows(len(rows.columns), memory)
    growers = [plant.grower(small, counters(memory) // len(plants)) for plant in plants]
    for _ in iter(lambda: _answered(plants, growers, executor), False):
        pass
    targets = rows.by_shard(rows.targets)
    pieces: list[list[Any]] = [[] for _ in plants]
    done, all_rows = 0, sum(plant.n_rows for plant in plants)
    for roots in _together(plants, growers, small):
        held = [_gather(rows, targets, plants[at], root[0]) for at, root in roots]
        grown = executor.run(
            [
                lambda at=at, root=root, each=each: _core.grow_rows(  # type: ignore[misc]
                    plants[at].facts, *each[:2], plants[at].settings, root, each[2]
                )
                for (at, root), each in zip(roots, held, strict=True)
            ]
        )
        for (at, _), tree in zip(roots, grown, strict=True):
            pieces[at].append(tree)
        done += sum(len(each[1]) for each in held)
        tell(done, all_rows)
    return [
        _core.with_thresholds(grower.finish(own), plant.settings, rows.bins)
        for grower, own, plant in zip(growers, pieces, plants, strict=True)
    ]


def _answered(plants: Sequence[Plant], growers: list[Any], executor: Executor) -> bool:
    """Answer one question of every tree, and divide rows; False if there are no more questions."""
    asked = [(plant, grower, grower.question) for plant, grower in zip(plants, growers, strict=True)]
    questions = [each for each in asked if each[2].nodes]
    for plant, grower, question in questions:
        pieces = [lambda shard=shard, question=question: shard.answer(question) for shard in plant.shards]  # type: ignore[misc]
        grower.take(added(executor.run, pieces, join=np.minimum if question.ranges else np.add))
    executor.run(
        [
            lambda shard=shard, divisions=divisions: shard.divide(divisions)  # type: ignore[misc]
            for plant, grower, _ in questions
            for divisions in [grower.divisions]
            for shard in plant.shards
        ]
    )
    return bool(questions)


def counters(memory: int) -> int:
    """How many counters one question may be about: a quarter of the memory holds the answers of some shards and their sum."""
    return memory // 4 // 8 // (TOGETHER + 2)


def small_rows(n_columns: int, memory: int) -> int:
    """Up to how many rows a subtree is grown in memory, of which its codes, its lists and the tree take a part."""
    return int(min(max(memory // (16 * (n_columns + 24)), 1 << 12), 1 << 21))


def _together(plants: Sequence[Plant], growers: list[Any], rows: int) -> Iterator[list[tuple[int, Any]]]:
    """Subtrees that are gathered together: no more rows than one of them may have, so that shards are gone through seldom."""
    held: list[tuple[int, Any]] = []
    count = 0
    for at, (plant, grower) in enumerate(zip(plants, growers, strict=True)):
        for root in grower.small:
            own = sum(shard.size_of(root[0]) for shard in plant.shards)
            if held and count + own > rows:
                yield held
                held, count = [], 0
            held.append((at, root))
            count += own
    if held:
        yield held


def _gather(rows: Coded, targets: list[Array], plant: Plant, node: int) -> tuple[Array, Array, Array | None]:
    """The codes, targets and weights of the rows of a node, wherever they are."""
    places = [shard.rows_of(node) for shard in plant.shards]

    def gathered(arrays: list[Array]) -> Array:
        return np.concatenate([array[place] for array, place in zip(arrays, places, strict=True)])

    return gathered(rows.codes), gathered(targets), None if plant.quanta is None else gathered(plant.quanta)
