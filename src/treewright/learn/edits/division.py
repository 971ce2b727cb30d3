"""The test of a node as a person asks for it, and how it divides the rows there: missing cells as the tree's policy says."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown, unknown
from treewright.learn.edits.bench import Bench, Held
from treewright.model.condition import Condition
from treewright.model.parse import parse_condition
from treewright.model.splits import EVERY, FAMILIES, NO_BRANCH
from treewright.model.tree import Tree
from treewright.table import ColumnSchema


@dataclass(frozen=True)
class Test:
    """A test of one column.

    Attributes
    ----------
    column : int
        Position of the column.
    family : str
        Its shape, by the name of a split family.
    n_branches : int
        How many branches it has.
    cuts : tuple of float
        Thresholds, ascending; empty where levels are listed.
    strict : bool
        Whether a value must be less than a threshold to lie below it.
    levels : dict of int to int
        Branch of every level that is listed.
    otherwise : int
        Branch of known levels that are not.
    missing_to : int or None
        Branch of missing cells; None: the policy of the tree decides.
    """

    column: int
    family: str
    n_branches: int
    cuts: tuple[float, ...] = ()
    strict: bool = False
    levels: Mapping[int, int] = field(default_factory=dict)
    otherwise: int = NO_BRANCH
    missing_to: int | None = None

    def branches(self, cells: NDArray[Any], nominal: bool) -> NDArray[np.int64]:
        """The branch of every cell, -1 where it is missing or of a level that is told nowhere."""
        if nominal:
            missing = np.isnan(cells) if cells.dtype.kind == "f" else cells < 0
            codes = np.where(missing, -1, cells).astype(np.int64)
            if self.family == "presence":
                return np.where(codes < 0, -1, 0)
            to = np.full(max([int(codes.max(initial=0)), *self.levels]) + 2, self.otherwise)
            to[list(self.levels)] = list(self.levels.values())
            return np.where(codes < 0, -1, to[codes])
        numbers = cells.astype(np.float64)
        missing = np.isnan(numbers)
        if self.family == "presence":
            return np.where(missing, -1, 0)
        cuts = np.array(self.cuts)
        below = np.searchsorted(cuts, numbers, side="right") if self.strict else np.searchsorted(cuts, numbers, side="left")
        return np.where(missing, -1, below)


@dataclass(frozen=True)
class Divided:
    """A test with the rows of its branches, as columns of a node that has it."""

    split: dict[str, Any]
    held: tuple[Held, ...]


def divide(bench: Bench, test: Test, held: Held) -> Divided:
    """Divide the rows of a node; refuse a test that leaves a branch without rows.

    Raises
    ------
    ValueError
        Names the column and the branch that would be empty.
    """
    column = bench.training.columns[test.column]
    cells = bench.cells[test.column][held.rows]
    branch = test.branches(cells, column.nominal)
    lost = branch < 0
    parts = [held.some(branch == b) for b in range(test.n_branches)]
    missing = held.some(lost)
    missing_to, seen, present = test.missing_to, bool(np.any(lost)), list(parts)
    if test.family == "presence":
        parts[1], missing_to = missing, 1
    elif missing_to is None:
        missing_to, parts = _by_policy(bench, test, parts, missing)
    _refuse_empty(test, parts, column)
    weights = np.array([bench.weight(part) for part in parts])
    gain = gain_of(bench, present, missing, parts, held)
    otherwise = int(np.argmax(weights[: test.n_branches])) if test.levels else NO_BRANCH
    split = split_columns(replace(test, otherwise=otherwise), cells, missing_to, seen, gain)
    return Divided(split, tuple(parts))


_PRESENT_ALONE = ("fraction", "majority", "surrogate")  # policies under which a gain is of rows whose cell is there


def gain_of(bench: Bench, present: Sequence[Held], missing: Held, parts: Sequence[Held], held: Held) -> float:
    """The fall of impurity by a division, as the policy for missing cells counts it.

    ``present``: by branch, rows whose cell is there; ``missing``: the others; ``parts``: by branch, all rows.
    """
    if bench.missing not in _PRESENT_ALONE or not len(missing.rows):
        return _fall(bench, held, parts)
    known = reduce(Held.with_, present)
    if not len(known.rows):
        return 0.0
    weight = bench.weight(known)
    return weight / (weight + bench.weight(missing)) * _fall(bench, known, present)


def _fall(bench: Bench, held: Held, parts: Sequence[Held]) -> float:
    some = [part for part in parts if len(part.rows)]
    weights = np.array([bench.weight(part) for part in some])
    after = float(weights @ np.array([bench.impurity(part) for part in some])) / float(weights.sum())
    return max(0.0, bench.impurity(held) - after)


def split_columns(test: Test, cells: NDArray[Any], missing_to: int, missing_seen: bool, gain: float) -> dict[str, Any]:
    """A test as columns of a node; of the cells of the node those next to thresholds are kept."""
    return {
        "family": FAMILIES.index(test.family),
        "strict": test.strict,
        "column": test.column,
        "otherwise": test.otherwise,
        "missing_to": missing_to,
        "missing_seen": missing_seen,
        "gain": gain,
        "level": sorted(test.levels),
        "level_branch": [test.levels[code] for code in sorted(test.levels)],
        **_neighbours(test, cells),
    }


def _refuse_empty(test: Test, parts: list[Held], column: ColumnSchema) -> None:
    empty = next((b for b, part in enumerate(parts) if not len(part.rows)), None)
    if empty is None:
        return
    if test.family == "presence":
        what = "all cells are there" if empty else "all cells are missing"
    elif test.cuts:
        sign, other = ("<", ">=") if test.strict else ("<=", ">")
        place = f"{sign} {column.exact_text(test.cuts[0], test.strict)}" if empty == 0 else ""
        place = place or f"{other} {column.exact_text(test.cuts[min(empty, len(test.cuts)) - 1], test.strict)}"
        what = f"no row of the node has {column.label} {place}"
    else:
        levels = [column.level_text(code) for code, b in test.levels.items() if b == empty]
        what = f"no row of the node has {column.label} in {{{', '.join(levels[:5])}{', …' if len(levels) > 5 else ''}}}"
    raise ValueError(f"a branch would be empty: {what}")


def _by_policy(bench: Bench, test: Test, parts: list[Held], missing: Held) -> tuple[int, list[Held]]:
    """Where missing cells go, and the rows of the branches with them."""
    policy = bench.missing
    heaviest = int(np.argmax([bench.weight(part) for part in parts]))
    if policy in ("fraction", "spread"):
        return EVERY, _in_shares(bench, parts, missing)
    if not len(missing.rows):
        return heaviest, parts
    if policy == "own":
        return len(parts), [*parts, missing]
    to = heaviest
    if policy == "learned":
        to = _learned(bench, parts, missing)
    elif policy == "most_common":
        to = _most_common(bench, test, parts)
    parts[to] = parts[to].with_(missing)
    return to, parts


def _in_shares(bench: Bench, parts: list[Held], missing: Held) -> list[Held]:
    """Rows with missing cells go down every branch, by the weight of the others."""
    if not len(missing.rows):
        return parts
    weights = np.array([bench.weight(part) for part in parts])
    shares = weights / weights.sum() if weights.sum() > 0 else weights
    every = slice(None)
    return [
        part.with_(missing.some(every, float(share))) if share > 0 else part for part, share in zip(parts, shares, strict=True)
    ]


def _learned(bench: Bench, parts: list[Held], missing: Held) -> int:
    """The branch with which the gain is largest, of equals the heavier one."""
    cost = [_cost(bench, part) for part in parts]
    rank = []
    for b, part in enumerate(parts):
        if not len(part.rows):
            continue
        after = sum(cost) - cost[b] + _cost(bench, part.with_(missing))
        rank.append((round(after, 9), -bench.weight(part), b))
    return min(rank)[2]


def _cost(bench: Bench, held: Held) -> float:
    return bench.weight(held) * bench.impurity(held) if len(held.rows) else 0.0


def _most_common(bench: Bench, test: Test, parts: list[Held]) -> int:
    """The branch of the most common level, or of the median, of the cells that are there."""
    present = np.concatenate([part.rows for part in parts])
    if not len(present):
        return 0
    weights = np.concatenate([bench.own_weights(part) for part in parts])
    values = bench.cells[test.column][present]
    if bench.training.columns[test.column].nominal:
        filled = np.array([np.argmax(np.bincount(values.astype(np.int64), weights))])
    else:
        order = np.argsort(values, kind="stable")
        sums = np.cumsum(weights[order])
        filled = values[order][[np.searchsorted(sums, sums[-1] / 2)]]
    return int(test.branches(filled, bench.training.columns[test.column].nominal)[0])


def _neighbours(test: Test, cells: NDArray[Any]) -> dict[str, Any]:
    """The thresholds with the values of the node next to them."""
    if not test.cuts:
        return {}
    values = np.unique(cells[~np.isnan(cells)].astype(np.float64)) if cells.dtype.kind == "f" else np.unique(cells) * 1.0
    below, above = [], []
    for cut in test.cuts:
        at = int(np.searchsorted(values, cut, side="left" if test.strict else "right"))
        below.append(values[at - 1] if at > 0 else cut)
        above.append(values[at] if at < len(values) else cut)
    return {"cut_at": list(test.cuts), "cut_below": below, "cut_above": above}


# -- what a person says ----------------------------------------------------------------------------------------------------


def column_at(tree: Tree, name: Any) -> int:
    """The position of a column, by its name."""
    names = tree.schema.names
    if not isinstance(name, str) or name not in names:
        raise unknown("column", name, names)
    return names.index(name)


def wanted(tree: Tree, column: str, at: Any = None, levels: Any = None) -> Test | int:
    """The test that a person asks for, or the column whose best split is wanted."""
    if at is not None and levels is not None:
        raise ValueError("at= divides numbers and levels= levels: give one of them")
    if column not in tree.schema.names:
        if at is not None or levels is not None or not (any(sign in column for sign in "<>=≤≥≠{") or " is " in column):
            raise unknown("column", column, tree.schema.names)
        return _of_condition(tree, parse_condition(column, tree.schema), column)
    index = column_at(tree, column)
    schema = tree.columns[index]
    if at is not None:
        return _of_number(tree, index, schema, at)
    if levels is not None:
        return _of_levels(tree, index, schema, levels)
    return index


def _of_number(tree: Tree, index: int, column: ColumnSchema, at: Any) -> Test:
    if column.nominal:
        raise ValueError(f"column {shown(column.name)} has levels, which at= does not divide: use levels=")
    given = list(at) if isinstance(at, (list, tuple)) else [at]
    cuts = [_number(column, each) for each in given]
    if not cuts or any(a >= b for a, b in pairwise(cuts)):
        raise ValueError(f"at={shown(at)} is not allowed: it must be a threshold, or several that ascend")
    strict = _strict(tree)
    if column.kind in ("ordered", "bool"):  # between two levels
        cuts, strict = [math.floor(cut) + 0.5 if not strict else math.ceil(cut) - 0.5 for cut in cuts], False
    return Test(index, _family(len(cuts)), len(cuts) + 1, tuple(cuts), strict)


def _strict(tree: Tree) -> bool:
    """How the tree compares values with thresholds: as its other nodes do."""
    nodes = tree.node_columns
    inner = ~nodes.is_leaf & (nodes.n_terms == 0)
    return bool(np.any(np.asarray(nodes.strict)[inner]))


def _family(cuts: int) -> str:
    return {1: "threshold", 2: "ternary"}.get(cuts, "discretised")


def _number(column: ColumnSchema, at: Any) -> float:
    try:
        if column.kind == "ordered":
            return float(column.levels.index(at))
        if isinstance(at, (dt.date, dt.datetime, dt.timedelta, str)):
            cut = column.value_of(at if isinstance(at, str) else str(at))
        else:
            cut = float(at)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"at={shown(at)} is no value of column {shown(column.name)}, which holds a {column.kind}") from error
    if not math.isfinite(cut):
        raise ValueError(f"at={shown(at)} is not allowed: it must be a finite number")
    return cut + 0.0


def _of_levels(tree: Tree, index: int, column: ColumnSchema, levels: Any) -> Test:
    if not column.nominal:
        raise ValueError(f"column {shown(column.name)} holds a {column.kind}, which levels= does not divide: use at=")
    if isinstance(levels, (str, bytes)) or not isinstance(levels, Iterable):
        raise ValueError(f"levels={shown(levels)} is not allowed: it must be a list of levels, or one of such lists")
    given = list(levels)
    grouped = bool(given) and all(isinstance(each, (list, tuple, set, frozenset)) for each in given)
    groups = [_codes(column, group) for group in (given if grouped else [given])]
    known = set(tree.schema.known[index])
    told = [code for group in groups for code in group]
    if len(set(told)) < len(told):
        raise ValueError(f"levels={shown(levels)} is not allowed: a level stands in it twice")
    if not grouped or len(groups) == 1:
        groups.append(sorted(known - set(told)))
    elif rest := sorted(known - set(told)):
        names = ", ".join(column.level_text(code) for code in rest[:5])
        raise ValueError(f"levels={shown(levels)} leaves out {names}{', …' if len(rest) > 5 else ''}: every level needs a branch")
    if not all(groups):
        raise ValueError(f"levels={shown(levels)} is not allowed: a branch would have no level")
    to = {code: b for b, group in enumerate(groups) for code in group}
    return Test(index, "subset" if len(groups) == 2 else "grouped", len(groups), levels=to)


def _codes(column: ColumnSchema, levels: Iterable[Any]) -> list[int]:
    out = []
    for level in levels:
        if level not in column.levels:
            raise unknown(f"level of column {shown(column.name)}", level, list(map(str, column.levels)))
        out.append(column.levels.index(level))
    return out


def _of_condition(tree: Tree, condition: Condition, text: str) -> Test:
    """A condition as a test: of the rows that satisfy it against the others."""
    index, column = condition.index, condition.column
    if condition.equation is not None or condition.if_missing:
        raise ValueError(f"the condition {shown(text)} is of more than one column: a split asks one")
    if condition.levels is not None:
        known = set(tree.schema.known[index])
        groups = [set(condition.levels) & known or set(condition.levels), known - set(condition.levels)]
        if not all(groups):
            raise ValueError(f"the condition {shown(text)} holds for every level: it divides nothing")
        to = {code: b for b, group in enumerate(groups) for code in sorted(group)}
        return Test(index, "subset", 2, levels=to)
    if condition.low is None and condition.high is None:
        return Test(index, "presence", 2, missing_to=1)
    ends = [end for end in (condition.low, condition.high) if end is not None]
    # x > t is what x <= t is not; x >= t is what x < t is not.
    stricts = {end.inclusive if end is condition.low else not end.inclusive for end in ends}
    if len(ends) == 2 and ends[0].at == ends[1].at:
        raise ValueError(f"the condition {shown(text)} asks for one value of a {column.kind}: ask for a range, such as '<='")
    if len(stricts) > 1:
        raise ValueError(f"the condition {shown(text)} compares its ends differently: write a < x <= b, or a <= x < b")
    strict = stricts.pop()
    cuts = [end.at for end in ends]
    if column.kind in ("ordered", "bool"):
        cuts, strict = [math.ceil(cut) - 0.5 if strict else math.floor(cut) + 0.5 for cut in cuts], False
    return Test(index, _family(len(cuts)), len(cuts) + 1, tuple(cuts), strict)


def made(tree: Tree, node: int) -> Test:
    """The test of a node of a single column, with where it sends missing cells."""
    entries, splits = tree.node_entries, tree.splits
    test = splits.test(node)
    cut, level = (slice(*entries.run(pool, node)) for pool in ("cut", "level"))
    return Test(
        entries.column[node],
        test.family,
        test.n_branches,
        tuple(entries.cut_at[cut]),
        bool(entries.strict[node]),
        dict(zip(entries.level[level], entries.level_branch[level], strict=True)),
        entries.otherwise[node],
        test.missing_to,
    )


def merged(test: Test, branches: list[int], column: ColumnSchema) -> tuple[Test, list[int]]:
    """A test some branches of which are one, and for every branch the new one it is a part of."""
    low, high = min(branches), max(branches)
    if test.family == "presence" or any(b >= test.n_branches for b in branches):
        raise ValueError("the branch of missing cells is of another kind than the others: cut the node above")
    values = len(test.cuts) + 1 if test.cuts else None
    if values is not None and (sorted(branches) != list(range(low, high + 1)) or high >= values):
        raise ValueError(f"only neighbouring ranges of {column.label} become one")
    place = sorted({min(branches) if b in branches else b for b in range(test.n_branches)})
    to = [place.index(low if b in branches else b) for b in range(test.n_branches)]
    cuts = tuple(cut for c, cut in enumerate(test.cuts) if not (low <= c < high))
    family = test.family
    if test.cuts:
        family = _family(len(cuts))
    elif len(place) == 2:
        family = "subset"
    else:
        family = "grouped"
    missing = test.missing_to
    missing = to[missing] if missing is not None and missing >= 0 else missing
    otherwise = to[test.otherwise] if test.otherwise >= 0 else test.otherwise
    levels = {code: to[b] for code, b in test.levels.items()}
    return replace(
        test, family=family, n_branches=len(place), cuts=cuts, levels=levels, otherwise=otherwise, missing_to=missing
    ), to
