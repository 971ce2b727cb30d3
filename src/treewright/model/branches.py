"""What a row must satisfy to take a branch of a node: the test of the node as a condition per branch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from treewright.model.condition import Bound, Condition
from treewright.model.sources import Source
from treewright.model.splits import EVERY, Cuts, Levels, NodeTest, Presence, Splits
from treewright.model.surrogate import SurrogateCondition, surrogates_of

if TYPE_CHECKING:
    from treewright.model.node import Node
    from treewright.model.tree import Tree

Routes = list[tuple[int, bool, float]]  # branch, whether missing cells take it, or which share of them


def branch_conditions(node: Node) -> list[Condition]:
    """For every branch of a node what a row must satisfy to take it."""
    return conditions_of(node.tree, node.id)


def conditions_of(tree: Tree, id: int, branches: Iterable[int] | None = None, splits: Splits | None = None) -> list[Condition]:
    """For some branches of a node (default: all) what a row must satisfy to take them.

    ``splits`` reads the tree for those who ask of every node (``tree.splits.tuples()``).
    """
    splits = tree.splits if splits is None else splits
    test = splits.test(id)
    source, missing = test.source, test.missing_branch
    shares = splits.shares(id) if missing == EVERY else None
    taken = range(test.n_branches) if branches is None else branches
    routes = [(b, missing == b, 0.0 if shares is None else shares[b]) for b in taken]
    if isinstance(test.division, Presence):
        present_to, seen = test.division.to, test.missing_seen
        return [
            Condition(source.column, source.index, None, None, None, None, there, b == present_to, seen, 0.0, (), source.equation)
            for b, there, _ in routes
        ]
    surrogates = surrogates_of(splits, id)
    if isinstance(test.division, Cuts):
        conditions = _cut_conditions(test, test.division, routes)
        decided = None
    else:
        known = tree.seen_levels(source.index)
        conditions = _level_conditions(test, _settled(tree, test, test.division, bool(surrogates)), known, routes)
        decided = frozenset((*test.division.to, *(known if test.division.otherwise is not None else ())))
    if not surrogates:
        return conditions
    return [
        replace(condition, if_missing=(SurrogateCondition(surrogates, branch, there, decided, condition.levels),))
        for condition, (branch, there, _) in zip(conditions, routes, strict=True)
    ]


def _settled(tree: Tree, test: NodeTest, division: Levels, surrogates: bool) -> Levels:
    """The division, where a level that it does not know is as good as missing, and no surrogate decides of those."""
    if tree.missing == "surrogate" and division.otherwise is None and not surrogates:
        return division._replace(otherwise=test.missing_to)
    return division


def _cut_conditions(test: NodeTest, cuts: Cuts, routes: Routes) -> list[Condition]:
    source, seen = test.source, test.missing_seen
    out = []
    for branch, there, share in routes:
        if branch > len(cuts.at):
            out.append(_missing_alone(test))
            continue
        low = _bound(source, cuts, branch - 1, cuts.strict) if branch > 0 else None
        high = _bound(source, cuts, branch, not cuts.strict) if branch < len(cuts.at) else None
        out.append(Condition(source.column, source.index, low, high, None, None, there, True, seen, share, (), source.equation))
    return out


def _bound(source: Source, cuts: Cuts, k: int, inclusive: bool) -> Bound:
    """Return a cut as the end of an interval."""
    return Bound(source.column, cuts.at[k], cuts.below[k], cuts.above[k], cuts.strict, inclusive)


def _level_conditions(test: NodeTest, division: Levels, seen: tuple[int, ...], routes: Routes) -> list[Condition]:
    source = test.source
    here: dict[int, list[int]] = {}
    for code, branch in division.to.items():
        here.setdefault(branch, []).append(code)
    out = []
    for branch, there, share in routes:
        mine = tuple(here.get(branch, ()))
        if branch == division.otherwise:
            elsewhere = {code for b, codes in here.items() if b != branch for code in codes}
            levels = frozenset(code for code in seen if code not in elsewhere)
            listed = mine or None
        elif mine:
            levels, listed = frozenset(mine), mine
        else:
            out.append(_missing_alone(test))
            continue
        out.append(Condition(source.column, source.index, None, None, levels, listed, there, True, test.missing_seen, share))
    return out


def _missing_alone(test: NodeTest) -> Condition:
    """The condition of a branch that no value leads to."""
    source, seen = test.source, test.missing_seen
    return Condition(source.column, source.index, missing=True, present=False, missing_seen=seen, equation=source.equation)
