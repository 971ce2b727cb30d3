"""Why a model says what it says of many rows, a line each: what held of the row, not what the leaf or rule asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.inspect.condition_text import condition_text
from treewright.inspect.vote import Part, dividing_gates, surrogate_text, vote
from treewright.model.condition import Condition, gone
from treewright.model.rules import by_column, cells_of
from treewright.table.schema import share_text, value_text

if TYPE_CHECKING:
    from treewright.model.rules import RuleSet
    from treewright.model.tree import Tree

_PARTS = 8  # of a divided row, the largest
Cells = Sequence[NDArray[Any]]


ALWAYS = "always"  # where nothing is asked


def tree_reasons(tree: Tree, X: Any) -> list[str]:
    """Return what held of each row on its way, and of a row that is divided its largest parts."""
    gates = dividing_gates(tree)
    texts = {
        rule.leaf: " and ".join(condition_text(condition, math.nan) for condition in rule.when) or ALWAYS
        for rule in tree.to_hard().to_rules()
    }
    out = [texts.get(leaf, ALWAYS) for leaf in tree.apply(X).tolist()]
    cells = cells_of(X, tree.schema)
    tested = [tree.schema.names.index(name) for name in tree.used_columns]
    odd = np.zeros(len(out), bool)
    for j in tested:
        odd |= gone(tree.columns[j], cells[j])
    every = np.arange(len(out))
    for each in gates.values():
        below = each.share_below(np.asarray(tree.splits.source(each.node).cells(cells, every), np.float64))
        odd |= (below > 0) & (below < 1)
    rows = np.flatnonzero(odd)
    mine = [np.ascontiguousarray(column[rows]) for column in cells]
    lost = {j: gone(tree.columns[j], mine[j]).tolist() for j in tested}
    routes: Any = tree._core.route(mine, len(rows), 1)
    leaf, begin, leaves, _ = routes

    def way(at: int) -> Hashable:
        """What rows of one text have in common: their leaves, and which cells are missing."""
        if gates or tree.missing == "surrogate":
            return at
        ends = (int(leaf[at]),) if begin is None else tuple(leaves[begin[at] : begin[at + 1]].tolist())
        return ends, tuple(j for j in tested if lost[j][at])

    for at, text in enumerate(_once(len(rows), way, lambda at: _voted(vote(tree, mine, at).parts, mine, at))):
        out[rows[at]] = text
    return out


def rule_reasons(rules: RuleSet, X: Any) -> list[str]:
    """Return what held of each row of the rule that decides, and of a row that is divided its largest parts."""
    arrays, n_rows = rules._cells(X)
    cells = by_column(arrays)
    decides = rules.apply(X).tolist()
    tested_by = [[condition.index for condition in rule.when] for rule in rules] + [[]]
    lost = {j: gone(rules.schema.columns[j], cells[j]).tolist() for j in {j for each in tested_by for j in each}}
    covers = rules._votes(arrays, n_rows) if rules._in_parts else None

    def fractions(at: int) -> list[tuple[int, float]]:
        if covers is None:
            return [(decides[at], 1.0)]
        mine = slice(covers.indptr[at], covers.indptr[at + 1])
        each = zip(covers.indices[mine].tolist(), covers.data[mine].tolist(), strict=True)
        return [(rule if rule < len(rules) else -1, share) for rule, share in each]

    def way(at: int) -> Hashable:
        mine = tuple(fractions(at))
        return mine, tuple(j for rule, _ in mine for j in tested_by[rule] if lost[j][at])

    def text(at: int) -> str:
        found = sorted(fractions(at), key=lambda fraction: -fraction[1])
        if len(found) == 1:
            return _rule(rules, decides[at], cells, at)
        phrases = [f"{share_text(share)} × {_rule(rules, r, cells, at)}" for r, share in found[:_PARTS]]
        return "; ".join([*phrases, *_left(len(found))])

    return list(_once(n_rows, way, text))


def _once(n: int, key: Callable[[int], Hashable], text: Callable[[int], str]) -> list[str]:
    made: dict[Hashable, str] = {}
    out = []
    for at in range(n):
        if (which := key(at)) not in made:
            made[which] = text(at)
        out.append(made[which])
    return out


def _rule(rules: RuleSet, number: int, cells: Cells, row: int) -> str:
    if number < 0:
        return "no rule holds"
    return " and ".join(_met(condition, cells, row) for condition in rules[number].when) or ALWAYS


def _met(condition: Condition, cells: Cells, row: int) -> str:
    """What held of the row: the condition, or that the cell is missing."""
    if not gone(condition.column, condition.cells([column[row : row + 1] for column in cells]))[0]:
        return condition_text(condition, math.nan)
    why = surrogate_text(condition, cells, row)
    return f"{condition.column.label} is missing{why and f' ({why})'}"


def _voted(parts: Sequence[Part], cells: Cells, row: int) -> str:
    if len(parts) == 1:
        return " and ".join(_met(each, cells, row) for each in parts[0].when) or ALWAYS
    most = sorted(parts, key=lambda part: -part.share)[:_PARTS]
    phrases = [f"{' × '.join([*part.factors, ' and '.join(part.conditions())])} → {value_text(part.says)}" for part in most]
    return "; ".join([*phrases, *_left(len(parts))])


def _left(n: int) -> list[str]:
    return [f"… and {n - _PARTS} more parts"] if n > _PARTS else []
