"""The table of results as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from bench.cases import Case
from bench.measure import Measurement

HEADER = (
    "case", "rows x columns", "peer", "peer CPU", "our CPU", "CPU ratio", "wall ratio",
    "our memory", "peer score", "our score", "peer leaves", "our leaves",
)  # fmt: skip
NOTE = """CPU: process seconds of one fit from the input arrays, all threads, median; ratios are peer / ours.
Memory: growth of the peak during the fit over the input's size in float32. Score: accuracy, or R2, on test rows."""


@dataclass
class Result:
    """The measurements of one case; a side without any could not be run."""

    case: Case
    title: str
    peer: list[Measurement] = field(default_factory=list)
    ours: list[Measurement] = field(default_factory=list)


def _middle(runs: Sequence[Measurement], what: str) -> float | None:
    return median(getattr(run, what) for run in runs) if runs else None


def _text(value: Any, form: str) -> str:
    return "-" if value is None else format(value, form)


def _ratio(result: Result, what: str) -> float | None:
    peer, ours = _middle(result.peer, what), _middle(result.ours, what)
    return peer / ours if peer is not None and ours else None


def row(result: Result) -> list[str]:
    """The cells of one case."""
    runs = result.peer or result.ours
    size = f"{runs[0].rows:,} x {runs[0].columns}" if runs else "-"
    return [
        result.case.name,
        size,
        result.title,
        _text(_middle(result.peer, "cpu"), ".4g"),
        _text(_middle(result.ours, "cpu"), ".4g"),
        _text(_ratio(result, "cpu"), ".2f"),
        _text(_ratio(result, "wall"), ".2f"),
        _text(_middle(result.ours, "memory"), ".2f"),
        _text(_middle(result.peer, "score"), ".4f"),
        _text(_middle(result.ours, "score"), ".4f"),
        _text(_middle(result.peer, "leaves"), ",.0f"),
        _text(_middle(result.ours, "leaves"), ",.0f"),
    ]


def table(results: Sequence[Result]) -> str:
    """All cases, one line each, under a header."""
    lines = [list(HEADER), *(row(result) for result in results)]
    widths = [max(len(line[j]) for line in lines) for j in range(len(HEADER))]
    # The first three columns are words, the others numbers.
    laid = [
        "  ".join(cell.ljust(w) if j < 3 else cell.rjust(w) for j, (cell, w) in enumerate(zip(line, widths, strict=True)))
        for line in lines
    ]
    return "\n".join([laid[0], "-" * len(laid[0]), *laid[1:], "", NOTE])
