"""Growing level by level: shards count, sums decide, shards divide; of subtrees of few rows the rows are brought together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treewright import _core
from treewright.scale.checkpoint import Checkpoint
from treewright.scale.executor import Counts, Executor
from treewright.scale.ingest import Coded
from treewright.scale.shards import Plan, Root, count, grow, pick, sizes

# (done, all): rows that have reached a leaf or a subtree that is grown to its end.
Tell = Callable[[int, int], None]

_MESSAGE = 32 << 20  # bytes of counts that one piece of work makes


def grow_levels(
    rows: Coded, shards: Sequence[Any], plan: Plan, small: int, executor: Executor, kept: Checkpoint, tell: Tell
) -> _core.Tree:
    """The tree of all rows, its thresholds among the values; subtrees of up to ``small`` rows are grown where their rows meet."""
    grower = _core.level_grower(plan.facts, rows.class_totals, plan.settings, small)
    shared, levels = executor.share(plan), list[Any]()
    while counted := grower.counted:
        counts = kept.counts(len(levels), len(counted) * grower.counters)
        if counts is None:
            counts = _counted(executor, shards, shared, levels, counted, grower.counters)
            kept.keep_counts(len(levels), counts)
        grower.take(counts)
        levels.append(executor.share(grower.divisions))
    roots = grower.small
    groups, weights = _groups(roots, _sizes(executor, shards, shared, levels, roots), small)
    trees = [kept.trees(at, len(group)) for at, group in enumerate(groups)]
    open_groups = [at for at, known in enumerate(trees) if known is None]
    grown = executor.owned(pick, grow, shards, [groups[at] for at in open_groups], shared, levels)
    for at, found in zip(open_groups, grown, strict=True):
        kept.keep_trees(at, found)
        trees[at] = found
        tell(sum(weight for weight, there in zip(weights, trees, strict=True) if there is not None), rows.n_rows)
    pieces = [tree.core for found in trees for tree in found or ()]
    return _core.with_thresholds(grower.finish(pieces), plan.settings, rows.bins)


def small_rows(n_columns: int, memory: int) -> int:
    """Up to how many rows a subtree is grown in memory, of which its codes, its lists and the tree take a part."""
    return int(min(max(memory // (16 * (n_columns + 24)), 1 << 12), 1 << 21))


def _counted(executor: Executor, shards: Sequence[Any], plan: Any, levels: list[Any], nodes: list[int], each: int) -> Counts:
    """The counters of all nodes, of as many at a time as fit a message."""
    some = max(1, _MESSAGE // (8 * each))
    parts = [executor.total(count, shards, plan, list(levels), nodes[at : at + some]) for at in range(0, len(nodes), some)]
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


def _sizes(executor: Executor, shards: Sequence[Any], plan: Any, levels: list[Any], roots: Sequence[Root]) -> list[int]:
    return executor.total(sizes, shards, plan, levels, [root[0] for root in roots]).tolist() if roots else []


def _groups(roots: Sequence[Root], sizes: Sequence[int], rows: int) -> tuple[list[list[Root]], list[int]]:
    """Subtrees whose rows are brought together at a time: no more rows than one of them may have; and how many rows these are."""
    groups: list[list[Root]] = []
    weights: list[int] = []
    for root, own in zip(roots, sizes, strict=True):
        if not groups or weights[-1] + own > rows:
            groups.append([])
            weights.append(0)
        groups[-1].append(root)
        weights[-1] += own
    return groups, weights
