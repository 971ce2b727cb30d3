"""Growing level by level: shards answer, sums decide, shards divide; of subtrees of few rows the rows are brought together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from treewright import _core
from treewright.scale.checkpoint import Checkpoint
from treewright.scale.executor import Executor
from treewright.scale.ingest import TOGETHER, Coded
from treewright.scale.scratch import Scratch
from treewright.scale.shards import Plan, answer, grow, mapped_shards, pick, sizes

# (done, all): rows that have reached a leaf or a subtree that is grown to its end.
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Plant:
    """A tree that is to grow, and its rows, shard by shard: handles of the executor."""

    plan: Plan
    shards: Sequence[Any]
    n_rows: int

    def grower(self, small: int, counters: int) -> _core.LevelGrower:
        """Who asks the shards."""
        return _core.level_grower(self.plan.facts, self.plan.settings, small, counters)


def plant_of(rows: Coded, settings: _core.GrowSettings, scratch: Scratch) -> Plant:
    """The tree of all rows, which lie in mapped files."""
    return Plant(Plan(rows.facts, settings), mapped_shards(rows, scratch), rows.n_rows)


def grow_levels(
    rows: Coded, plants: Sequence[Plant], memory: int, executor: Executor, tell: Tell, kept: Checkpoint | None = None
) -> list[Any]:
    """The trees of all plants, thresholds among the values; a level of all of them is one round of questions."""
    kept = kept or Checkpoint(None, {})
    small = small_rows(len(rows.columns), memory)
    growers = [plant.grower(small, counters(memory) // len(plants)) for plant in plants]
    plans = [executor.share(plant.plan) for plant in plants]
    levels: list[list[Any]] = [[] for _ in plants]  # how rows have been divided so far
    step = 0
    while questions := [(at, grower.question) for at, grower in enumerate(growers) if grower.question.nodes]:
        for at, question in questions:
            if not kept.take(step, growers[at]):
                asked = (plans[at], list(levels[at]), executor.share(question))
                found = executor.total(answer, plants[at].shards, *asked, least=question.ranges)
                growers[at].take(found)
                kept.keep(step, found)
            if len(divisions := growers[at].divisions):
                levels[at].append(executor.share(divisions))
            step += 1
    roots = [(at, root) for at, grower in enumerate(growers) for root in grower.small]
    held = [
        size
        for at, plant in enumerate(plants)
        if (nodes := [root[0] for of, root in roots if of == at])
        for size in executor.total(sizes, plant.shards, plans[at], levels[at], nodes).tolist()
    ]
    groups, weights = _groups(roots, held, small)
    trees = [kept.trees(at, len(group)) for at, group in enumerate(groups)]
    missing = [at for at, known in enumerate(trees) if known is None]
    bundles = [list(shards) for shards in zip(*(plant.shards for plant in plants), strict=True)]
    all_rows = sum(plant.n_rows for plant in plants)
    grown = executor.owned(pick, grow, bundles, [groups[at] for at in missing], plans, levels)
    for at, group_trees in zip(missing, grown, strict=True):
        kept.keep_trees(at, group_trees)
        trees[at] = group_trees
        tell(sum(weight for weight, known in zip(weights, trees, strict=True) if known is not None), all_rows)
    pieces: list[list[_core.Tree]] = [[] for _ in plants]
    for group, found_trees in zip(groups, trees, strict=True):
        for (at, _), tree in zip(group, found_trees or (), strict=True):
            pieces[at].append(tree.core)
    return [
        _core.with_thresholds(grower.finish(own), plant.plan.settings, rows.bins)
        for grower, own, plant in zip(growers, pieces, plants, strict=True)
    ]


def counters(memory: int) -> int:
    """How many counters one question may be about: a quarter of the memory holds the answers of some shards and their sum."""
    return memory // 4 // 8 // (TOGETHER + 2)


def small_rows(n_columns: int, memory: int) -> int:
    """Up to how many rows a subtree is grown in memory, of which its codes, its lists and the tree take a part."""
    return int(min(max(memory // (16 * (n_columns + 24)), 1 << 12), 1 << 21))


def _groups(roots: Sequence[tuple[int, Any]], sizes: Sequence[int], rows: int) -> tuple[list[list[tuple[int, Any]]], list[int]]:
    """Subtrees whose rows are brought together at a time: no more rows than one of them may have; and how many rows these are."""
    groups: list[list[tuple[int, Any]]] = []
    weights: list[int] = []
    for root, own in zip(roots, sizes, strict=True):
        if not groups or weights[-1] + own > rows:
            groups.append([])
            weights.append(0)
        groups[-1].append(root)
        weights[-1] += own
    return groups, weights
