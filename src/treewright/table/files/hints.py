"""What cells may have been meant to be: levels that differ in case or blanks only, and placeholders of missing cells."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from treewright.errors import shown
from treewright.table.files.number_formats import hint as written_otherwise
from treewright.table.files.number_formats import number_mask
from treewright.table.schema import number_text

_PLACEHOLDERS = frozenset(
    (
        ".",
        "..",
        "-",
        "--",
        "---",
        "—",
        "–",
        "*",
        "**",
        "?",
        "??",
        "na",
        "n/a",
        "n.a.",
        "n.a",
        "#n/a",
        "#na",
        "nan",
        "nil",
        "null",
        "(null)",
        "(none)",
        "<na>",
        "missing",
        "unknown",
        "tbd",
        "not available",
        "not applicable",
        "not known",
        "no data",
    )
)
_SENTINELS = frozenset(sign * (10**digits - 1) for digits in range(2, 6) for sign in (-1, 1))  # -99, 999, -9999, ...
_TIMES = 2  # a number that stands for missing cells occurs more than once
_GROUPS, _LEVELS = 3, 4  # of alike levels that are written out
_MOST = 100_000  # levels that are compared


def is_placeholder(cell: str) -> bool:
    """Whether a cell of text commonly stands for a missing one."""
    return " ".join(cell.split()).casefold() in _PLACEHOLDERS


def also_missing(cells: Iterable[str]) -> str:
    """The option that has cells read as missing besides those that commonly are."""
    return shlex.quote(f"--also-missing={','.join(cells)}")


def level_hints(levels: Mapping[Any, int]) -> list[str]:
    """What the levels of a column of text suggest."""
    texts = {level: n for level, n in levels.items() if isinstance(level, str)}
    return [text for text in (written_otherwise(texts), _placeholders(texts), _alike(texts)) if text]


def _placeholders(levels: Mapping[str, int]) -> str:
    found = [level for level in levels if is_placeholder(level)]
    if not found or len(found) == len(levels):
        return ""
    named = " · ".join(f"{shown(level)} {levels[level]}" for level in found)
    cells = also_missing(level.strip() for level in found)
    if _numbers(level for level in levels if not is_placeholder(level)):
        return f"numbers, but for {named}: {cells} reads those as missing, and the column as numbers"
    return f"{named} may stand for missing cells: {cells} reads them so"


def _numbers(levels: Iterable[str]) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pa.array(levels, pa.string())
    return len(texts) > 1 and bool(pc.all(number_mask(texts)).as_py())


def _alike(levels: Mapping[str, int]) -> str:
    if len(levels) > _MOST:
        return ""
    groups: dict[str, list[str]] = {}
    for level in levels:
        groups.setdefault(" ".join(level.split()).casefold(), []).append(level)
    alike = [group for group in groups.values() if len(group) > 1]
    if not alike:
        return ""
    texts = []
    for group in alike[:_GROUPS]:
        most = sorted(group, key=lambda level: -levels[level])
        more = [f"{len(most) - _LEVELS} more"] if len(most) > _LEVELS else []
        texts.append(" · ".join([*(f"{shown(level, 30)} {levels[level]}" for level in most[:_LEVELS]), *more]))
    more_groups = f"; and {len(alike) - _GROUPS} more such groups" if len(alike) > _GROUPS else ""
    return f"{'; '.join(texts)}{more_groups} differ in case or blanks only: are they one level? then write them alike in the file"


def number_hint(column: Any, low: Any, high: Any) -> str:
    """A number at one end, far from all others and found again and again, that may stand for missing cells."""
    import pyarrow.compute as pc

    for value in (low, high):
        if value not in _SENTINELS:
            continue
        same = pc.equal(column, value)
        times = pc.sum(same).as_py()
        others = pc.min_max(pc.filter(column, pc.invert(same))).as_py()
        if times < _TIMES or others["min"] is None or not _apart(value, others["min"], others["max"]):
            continue
        written = [number_text(float(value)), *([f"{value:.1f}"] if isinstance(value, float) else [])]
        return f"{written[0]} ({times} cells) may stand for missing ones: {also_missing(written)} reads it so"
    return ""


def _apart(value: float, low: float, high: float) -> bool:
    """Whether a value is more than twice as large as all others, or the only one below zero."""
    return value < 0 <= low or abs(value) > 2 * max(abs(low), abs(high))
