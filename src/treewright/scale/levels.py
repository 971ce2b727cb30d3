"""Growing level by level: shards count, sums decide, shards divide; of subtrees of few rows the rows are gathered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from treewright import _core
from treewright.scale.executor import Executor
from treewright.scale.ingest import Coded, added
from treewright.scale.scratch import Scratch

# (done, all): rows that have reached a leaf or a subtree that is grown to its end.
Tell = Callable[[int, int], None]


def grow_levels(rows: Coded, settings: _core.GrowSettings, scratch: Scratch, memory: int, executor: Executor, tell: Tell) -> Any:
    """The tree of all rows, its thresholds among the values."""
    small = small_rows(len(rows.columns), memory)
    grower = _core.level_grower(rows.facts, rows.class_totals, settings, small)
    numbers = np.split(scratch.array(np.uint32, (rows.n_rows,)), np.cumsum([len(labels) for labels in rows.labels])[:-1])
    shards = [_core.Shard(rows.facts, *each) for each in zip(rows.codes, rows.labels, numbers, strict=True)]
    while counted := grower.counted:
        grower.take(added(executor.run, [lambda shard=shard: shard.count(counted) for shard in shards]))  # type: ignore[misc]
        executor.run([lambda shard=shard: shard.divide(grower) for shard in shards])  # type: ignore[misc]
    pieces: list[Any] = []
    done = 0
    for roots in _together(grower.small, shards, small):
        held = [_gather(rows, shards, root[0]) for root in roots]
        pieces += executor.run(
            [
                lambda root=root, codes=codes, labels=labels: _core.grow_rows(rows.facts, codes, labels, settings, root)  # type: ignore[misc]
                for root, (codes, labels) in zip(roots, held, strict=True)
            ]
        )
        done += sum(len(labels) for _, labels in held)
        tell(done, rows.n_rows)
    return _core.with_thresholds(grower.finish(pieces), settings, rows.bins)


def small_rows(n_columns: int, memory: int) -> int:
    """Up to how many rows a subtree is grown in memory, of which its codes, its lists and the tree take a part."""
    return int(min(max(memory // (16 * (n_columns + 24)), 1 << 12), 1 << 21))


def _together(roots: list[Any], shards: list[Any], rows: int) -> Iterator[list[Any]]:
    """Subtrees that are gathered together: no more rows than one of them may have, so that shards are gone through seldom."""
    held: list[Any] = []
    count = 0
    for root in roots:
        own = sum(len(shard.rows_of(root[0])) for shard in shards)
        if held and count + own > rows:
            yield held
            held, count = [], 0
        held.append(root)
        count += own
    if held:
        yield held


def _gather(rows: Coded, shards: list[Any], node: int) -> tuple[Any, Any]:
    """The codes and classes of the rows of a node, wherever they are."""
    places = [shard.rows_of(node) for shard in shards]
    codes = np.concatenate([codes[place] for codes, place in zip(rows.codes, places, strict=True)])
    labels = np.concatenate([labels[place] for labels, place in zip(rows.labels, places, strict=True)])
    return codes, labels
