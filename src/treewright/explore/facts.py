"""What is known of columns: their range, and how rows lie on it, as counts in bins with round ends; cells only if asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import out_of_range
from treewright.explore.tested import Tested
from treewright.model.rules import by_column
from treewright.show.node_text import NodeText
from treewright.table import TableSchema, TargetSchema, read_cells
from treewright.table.streams import as_table
from treewright.table.target import match_target

_BINS = 24
_GROUPS = 8  # classes that are told apart, the last of them all others; of a number as many bins
_HISTOGRAMS = 400  # nodes that have one, the heaviest first
_ENOUGH = 200_000  # rows from which they are made
_LEVELS = 40  # bars of a histogram by levels
_TINY = 1e-300  # what is less has no parts
_SHARED = 10  # rows that have a cell in common, for which it says nothing of any of them
_SAMPLE = 500  # rows, where a sample is asked for


@dataclass(frozen=True)
class RowsGiven:
    """Rows as the core reads them, one array per column, and their targets."""

    cells: list[NDArray[Any]]
    target: NDArray[Any] | None
    n_rows: int
    table: Any  # as it was given
    arrays: list[NDArray[Any]]  # the cells in blocks, as they were read


def read_rows(schema: TableSchema, target: TargetSchema, X: Any, y: Any) -> RowsGiven | None:
    """Read the rows that were given, if any were."""
    if X is None:
        if y is not None:
            raise ValueError("y belongs to rows: pass X as well")
        return None
    table = as_table(X)
    arrays, n_rows = read_cells(table, schema)
    if n_rows == 0:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    if y is not None and hasattr(y, "__len__") and len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(y)}: inconsistent numbers of samples")
    return RowsGiven(by_column(arrays), None if y is None else np.asarray(match_target(y, target)), n_rows, table, arrays)


def column_facts(
    schema: TableSchema,
    used: list[int],
    thresholds: dict[int, list[float]],
    rows: RowsGiven | None,
    importance: Any,
    beside: dict[int, list[float]] | None = None,
) -> list[dict[str, Any]]:
    """Tell of every column its name, and of those the model uses their range (without rows: of thresholds) and their rows.

    ``beside`` holds cells next to the thresholds, from which its unit is read where there are no rows.
    """
    out: list[dict[str, Any]] = []
    for j, column in enumerate(schema.columns):
        facts: dict[str, Any] = {"label": column.label, "kind": column.kind}
        out.append(facts)
        if j not in used:
            continue
        facts["importance"] = float(f"{importance[j]:.4g}")
        cells = None if rows is None else rows.cells[j].astype(np.float64)
        if column.levels:
            facts["levels"] = [column.level_text(code) for code in range(len(column.levels))]
            # Where a level stands alone it needs no quotes.
            texts = enumerate(zip(facts["levels"], column.levels, strict=True))
            facts["plain"] = {code: str(level) for code, (text, level) in texts if _quoted(text, level)}
        if column.nominal or column.kind in ("ordered", "bool"):
            if cells is not None:
                codes = cells[cells >= 0].astype(np.int64)
                facts["counts"] = np.bincount(codes, minlength=len(column.levels) or 2).tolist()
                facts["missing"] = len(cells) - len(codes)
            continue
        present = np.array(thresholds.get(j, [0.0])) if cells is None else cells[~np.isnan(cells)]
        least, most = (float(present.min()), float(present.max())) if len(present) else (0.0, 1.0)
        if cells is None:  # thresholds lie inside
            least, most = least - 0.1 * (most - least), most + 0.1 * (most - least)
        facts["low"], facts["high"] = _round_ends(least, most, 2 if cells is not None else 20)
        shown = present if cells is not None else np.array((beside or {}).get(j, []))
        unit = _unit(column.kind, shown)
        if unit:
            facts["unit"] = unit
        elif column.kind == "number" and (digits := _digits(shown)):
            facts["digits"] = digits
        if cells is not None:
            facts["bins"] = _counts(present, facts["low"], facts["high"], _BINS).tolist()
            facts["missing"] = len(cells) - len(present)
    return out


def _quoted(text: str, level: Any) -> bool:
    return text[:1] in "'\"" and text != str(level)


_UNITS = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000)  # a day, an hour, a minute, a second


def _unit(kind: str, values: NDArray[np.float64]) -> int:
    """The unit of which all cells are multiples: 1 for whole numbers, a day for dates; 0 where there is none."""
    tried = (1,) if kind == "number" else _UNITS
    return next((unit for unit in tried if len(values) and bool((np.fmod(values, unit) == 0).all())), 0)


def _digits(values: NDArray[np.float64]) -> int:
    """Decimals that cells are written with; 0 where these are many."""
    return next((digits for digits in range(1, 7) if len(values) and np.array_equal(np.round(values, digits), values)), 0)


def _round_ends(least: float, most: float, steps: int = 2) -> tuple[float, float]:
    """Round ends of a range outwards, by parts of a power of ten, so that no cell is told and a scale is easy to read."""
    span = most - least
    if not (span > _TINY and math.isfinite(span)):
        around = 10.0 ** math.floor(math.log10(abs(least))) if abs(least) > _TINY else 1.0
        return least - around, most + around
    step = 10.0 ** math.floor(math.log10(span)) / steps
    low, high = math.floor(least / step) * step, math.ceil(most / step) * step
    # Few digits where these lie outside as well: of large numbers close together twelve may lie between them.
    short, tall = float(f"{low:.12g}"), float(f"{high:.12g}")
    return short if short <= least else min(low, least), tall if tall >= most else max(high, most)


def _counts(values: NDArray[np.float64], low: float, high: float, bins: int) -> NDArray[np.int64]:
    return np.bincount(_bin(values, low, high, bins), minlength=bins)


def _bin(values: NDArray[np.float64], low: float, high: float, bins: int) -> NDArray[np.int64]:
    place = (values / high - low / high) / (1 - low / high) if math.isinf(high - low) else (values - low) / (high - low)
    return np.clip((place * bins).astype(np.int64), 0, bins - 1)


def node_histograms(tree: Any, nodes: NodeText, tested: Tested, rows: RowsGiven) -> dict[int, list[Any]]:
    """How the rows of the heaviest nodes lie on what each asks about: low, high, groups, counts by bin and group.

    Groups are classes; of a number they are bins between two round ends, which follow.
    """
    weight = tree.node_columns.weight
    inner = np.flatnonzero(~tree.node_columns.is_leaf)
    ids = np.sort(inner[np.argsort(-weight[inner], kind="stable")][:_HISTOGRAMS]).tolist()
    every = max(1, rows.n_rows // _ENOUGH)
    cells = [column[::every] for column in rows.cells]
    group, groups = np.zeros(len(cells[0]), np.int64), 1
    truth = None if rows.target is None else rows.target[::every]
    if tree.target.classes is not None and truth is not None:
        groups = min(_GROUPS, len(tree.target.classes))
        group, truth = np.minimum(truth.astype(np.int64), groups - 1), None
    table = rows.table[::every] if every > 1 else rows.table
    passed = tree.decision_path(table).tocsc()
    out: dict[int, list[Any]] = {}
    for id in ids:
        source = tested.source(id)
        column = source.column
        inside = passed.indices[passed.indptr[id] : passed.indptr[id + 1]]
        values = source.cells(cells, inside).astype(np.float64)
        present = values >= 0 if column.nominal else ~np.isnan(values)
        values, inside = values[present], inside[present]
        low, high, bins = -0.5, len(column.levels) - 0.5, len(column.levels)
        if column.kind == "bool":
            low, high, bins = -0.5, 1.5, 2
        elif not column.levels:
            low, high = _span(nodes, tested, id, values)
            bins = _BINS
        if not len(values) or bins > _LEVELS or not 0 < high - low < math.inf:
            continue
        own, parts, ends = group[inside], groups, _target_ends(truth, inside)
        if truth is not None and ends:
            own, parts = _bin(truth[inside].astype(np.float64), *ends, _GROUPS), _GROUPS
        where = _bin(values, low, high, bins)
        out[id] = [low, high, parts, np.bincount(where * parts + own, minlength=bins * parts).tolist(), *ends]
    return out


def _target_ends(truth: NDArray[Any] | None, inside: NDArray[Any]) -> tuple[()] | tuple[float, float]:
    """Round ends of the numbers of some rows; nothing where they are no range."""
    if truth is None:
        return ()
    low, high = _round_ends(float(truth[inside].min()), float(truth[inside].max()))
    return (low, high) if 0 < high - low < math.inf else ()


def _span(nodes: NodeText, tested: Tested, id: int, values: NDArray[np.float64]) -> tuple[float, float]:
    """The interval of what is tested that comes to a node: thresholds above it, else round ends of what is there."""
    low, high = _round_ends(float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    at = id
    bounds: list[float] = []
    while at > 0:
        up = nodes.parent[at]
        if tested.source(up) is tested.source(id):
            branch, cuts = at - nodes.first[up], tested.cuts(up)
            bounds += [cuts[b] for b in (branch - 1, branch) if 0 <= b < len(cuts)]
        at = up
    for bound in bounds:
        if low < bound <= float(values.min(initial=math.inf)):
            low = bound
        if float(values.max(initial=-math.inf)) <= bound < high:
            high = bound
    return low, high


def composed_row(tree: Any, rows: RowsGiven) -> list[float | None]:
    """The medians and most common levels of the leaf that holds most rows, a cell for every column: no row of the table.

    Medians are read from counts in bins with round ends, so that no cell is told.
    """
    leaves = np.asarray(tree.apply(rows.table))
    inside = leaves == np.bincount(leaves).argmax()
    out: list[float | None] = []
    for column, cells in zip(tree.schema.columns, rows.cells, strict=True):
        own = cells[inside].astype(np.float64)
        levels = column.nominal or column.kind in ("ordered", "bool")
        present = own[own >= 0] if levels else own[~np.isnan(own)]
        if not len(present):
            out.append(None)
        elif levels:
            out.append(int(np.bincount(present.astype(np.int64)).argmax()))
        else:
            out.append(_median(present, _unit(column.kind, present)))
    return out


def _median(values: NDArray[np.float64], unit: int) -> float:
    """The middle of values by their bins, as round as bins are."""
    most, times = np.unique(values, return_counts=True)
    if (often := int(times.max())) >= _SHARED and 2 * often > len(values):
        return float(most[times.argmax()])  # it is the median, and that of many rows
    low, high = _round_ends(float(values.min()), float(values.max()))
    if not 0 < high - low < math.inf:
        return low
    below = np.cumsum(_counts(values, low, high, _BINS))
    at = int(np.searchsorted(below, below[-1] / 2))
    step = float(unit) or 10.0 ** (math.floor(math.log10(high - low)) - 1)
    return float(f"{round((low + (high - low) * (at + 0.5) / _BINS) / step) * step:.12g}")


def sampled(rows: RowsGiven | None, include: Any) -> dict[str, Any]:
    """The rows themselves, where that is asked for: all (True), or so many of them at equal distances."""
    if include is False or include is None or include == 0:
        return {"rows": None, "n_rows": 0 if rows is None else rows.n_rows}
    if rows is None:
        raise ValueError("include_rows= puts rows into the page: pass them as X, and perhaps y")
    count = rows.n_rows if include is True else _SAMPLE if include == "sample" else include
    if not isinstance(count, (int, np.integer)) or count < 1:
        raise out_of_range("include_rows", include, "False, True, 'sample', or how many rows")
    chosen = np.unique(np.linspace(0, rows.n_rows - 1, min(int(count), rows.n_rows)).astype(np.int64))
    columns = []
    for cells in rows.cells:
        values = cells[chosen].astype(np.float64)
        gone = np.isnan(values) if cells.dtype.kind == "f" else values < 0
        columns.append([None if lost else int(value) if value == int(value) else value
                        for value, lost in zip(values.tolist(), gone.tolist(), strict=True)])  # fmt: skip
    target = None if rows.target is None else rows.target[chosen].tolist()
    return {"rows": {"number": (chosen + 1).tolist(), "columns": columns, "target": target}, "n_rows": rows.n_rows}
