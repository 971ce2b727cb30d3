"""Every split of one column at one node, in the order in which ties are broken: the first of the best wins."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise

from .criteria import class_weights, mean
from .discretise import between
from .missing import View, known_groups
from .model import Options, Rows, Split, Table, total

EXHAUSTIVE_LEVELS = 8
ORDERING_CLASSES = 16


def distinct(seen: View) -> list[float | int]:
    return sorted({cell for _, _, cell in seen.known})


def thresholds(seen: View, options: Options) -> list[float]:
    values = distinct(seen)
    return [between(low, high, options.relation, options.threshold_at) for low, high in pairwise(values)]


def numeric_splits(seen: View, options: Options, edges: tuple[float, ...]) -> Iterator[Split]:
    if options.numeric == "discretised":
        yield Split(seen.column, "discretised", len(edges) + 1, edges)
        return
    cuts = thresholds(seen, options)
    for cut in cuts:
        yield Split(seen.column, "threshold", 2, (cut,), options.relation)
    if options.numeric == "ternary":
        # After the single cuts: a pair must be strictly better.
        for pair in combinations(cuts, 2):
            yield Split(seen.column, "ternary", 3, pair, options.relation)


def _rows_of_level(seen: View) -> dict[int, Rows]:
    rows: dict[int, Rows] = {int(level): [] for level in distinct(seen)}
    for row, weight, cell in seen.known:
        rows[int(cell)].append((row, weight))
    return rows


def classes_here(seen: View) -> list[int]:
    if not seen.table.classes:
        return []
    weights = class_weights(seen.table, seen.rows)
    return [k for k in range(seen.table.n_classes) if weights[k]]


def level_orders(seen: View) -> list[list[int]]:
    """The orders whose cuts are tried: by mean, by share of the first class, or by share of each class that occurs."""
    table: Table = seen.table
    rows = _rows_of_level(seen)
    if not table.classes:
        return [sorted(rows, key=lambda level: (mean(table, rows[level]), level))]
    weights = {level: class_weights(table, own) for level, own in rows.items()}
    node = class_weights(table, seen.known_rows)
    here = classes_here(seen)
    if len(here) <= 2:
        by = here[:1]
    else:
        frequent = sorted((k for k in range(table.n_classes) if node[k]), key=lambda k: (-node[k], k))
        by = frequent[:ORDERING_CLASSES]
    return [sorted(rows, key=lambda level: (weights[level][k] / total(rows[level]), level)) for k in by]


def close_shares(seen: View) -> bool:
    """Neighbouring levels of nearly the same share or mean: rounding may swap them, and a minimum weight may notice."""
    rows = _rows_of_level(seen)
    if not seen.table.classes:
        measures = [sorted(mean(seen.table, own) for own in rows.values())]
    else:
        weights = [(class_weights(seen.table, own), total(own)) for own in rows.values()]
        measures = [sorted(float(w[k] / whole) for w, whole in weights) for k in range(seen.table.n_classes)]
    return any(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for measure in measures for a, b in pairwise(measure))


def first_branches(seen: View) -> Iterator[frozenset[int]]:
    """The level sets of a `subset` division; the one with the lowest level that occurs, so each division comes once."""
    levels = [int(level) for level in distinct(seen)]
    if len(levels) < 2:
        return
    if len(classes_here(seen)) > 2 and len(levels) <= EXHAUSTIVE_LEVELS:
        for size in range(len(levels) - 1):
            for others in combinations(levels[1:], size):
                yield frozenset((levels[0], *others))
        return
    met: set[frozenset[int]] = set()
    for order in level_orders(seen):
        for cut in range(1, len(order)):
            part = frozenset(order[:cut])
            part = part if levels[0] in part else frozenset(order[cut:])
            if part not in met:
                met.add(part)
                yield part


def nominal_splits(seen: View, options: Options) -> Iterator[Split]:
    levels = [int(level) for level in distinct(seen)]
    declared = seen.table.columns[seen.column].levels
    assert declared is not None
    if options.nominal == "multiway":
        everyone = tuple((level, level) for level in range(len(declared)))
        yield Split(seen.column, "multiway", len(declared), assign=everyone)
    elif options.nominal == "one_vs_rest":
        if len(levels) > 1:
            for level in levels:
                assign = tuple((other, int(other != level)) for other in levels)
                yield Split(seen.column, "one_vs_rest", 2, assign=assign)
    else:
        for part in first_branches(seen):
            yield Split(seen.column, "subset", 2, assign=tuple((level, int(level not in part)) for level in levels))


def _homes(seen: View, split: Split) -> list[int]:
    """Branches that hold known rows, in the order in which equal homes are preferred: more known weight, then the lower one."""
    weights = [total(group) for group in known_groups(seen, split)]
    return sorted((b for b in range(split.branches) if weights[b] > 0), key=lambda branch: (-weights[branch], branch))


def splits(seen: View, options: Options, edges: tuple[float, ...]) -> Iterator[Split]:
    """All splits of the column, missing side included. Whether a split is admissible is decided elsewhere."""
    if not seen.known:
        return
    numeric = seen.table.columns[seen.column].numeric
    plain = list(numeric_splits(seen, options, edges) if numeric else nominal_splits(seen, options))
    presence = Split(seen.column, "presence", 2)
    if not seen.missing or seen.policy not in ("learned", "own"):
        yield from plain
    elif seen.policy == "learned":
        for split in plain:
            for home in _homes(seen, split):
                yield replace(split, home=home)
        yield presence  # last: taken only if strictly better
    else:
        # A family that sees one value only (one level, one interval) cannot divide the known rows.
        occupied = [sum(1 for group in known_groups(seen, split) if group) for split in plain]
        if max(occupied, default=1) < 2:
            yield presence
        for split, count in zip(plain, occupied, strict=True):
            if count > 1:
                yield replace(split, branches=split.branches + 1)
