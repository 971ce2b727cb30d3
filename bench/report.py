"""The results as text for a terminal, and as the Markdown that README.md shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bench.cases import CASES, PUBLISHED, Case
from bench.figures import Figure, Line, Mean, Result, figure, lines, means, other_work

_SPEED = (
    "CPU ratio",
    "floor",
    "goal",
    "mark",
    "wall ratio",
    "memory",
    "less tree",
    "peer score",
    "our score",
    "peer CPU",
    "our CPU",
)
_MEANS = ("means", "peer", "cases", "CPU ratio", "floor", "goal", "mark", "worst", "ratio of the worst", "most peak memory")
_LIMIT = ("value", "at most", "mark", "note")
TEXT = ("case", "rows x columns", "peer", *_SPEED, "peer leaves", "our leaves"), ("case", *_LIMIT), _MEANS
MARKDOWN = ("work", "rows x columns", "peer", *_SPEED), ("figure", *_LIMIT), _MEANS

NOTE = """Ratios are peer / ours; CPU is process seconds from the input arrays, all threads, median. Memory: growth of the peak
during our fit over the input's size in float32, and the same less the finished tree. Score: accuracy, or R2, on test rows."""

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
_FILL = f'make bench ARGS="--only {PUBLISHED} --readme"'


def table(results: Sequence[Result]) -> str:
    """All cases as text, one line per task, under a header; below them the figures of ours alone."""
    parts = [_aligned(header, rows) for header, rows in zip(TEXT, _rows(results), strict=True) if rows]
    return "\n\n".join([*parts, NOTE])


def markdown(results: Sequence[Result], environment: Mapping[str, str], day: date) -> str:
    """The same as Markdown, with the machine, the versions and the date they belong to."""
    parts = [_piped(header, rows) for header, rows in zip(MARKDOWN, _rows(results), strict=True) if rows]
    measured = any(runs for result in results for runs in result.runs)
    origin = _origin(environment, day) + _disturbed(results) if measured else f"Not measured yet: `{_FILL}` fills this in."
    return "\n\n".join([origin, *parts, NOTE])


def published(results: Iterable[Result]) -> list[Result]:
    """The results for README.md: every case of its group, empty where it was not run."""
    by_name = {result.case.name: result for result in results}
    return [by_name.get(case.name, Result(case)) for case in CASES if case.group == PUBLISHED]


def rewritten(text: str, block: str) -> str:
    """A document with what stands between its two marks replaced."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    found, count = pattern.subn(lambda _: f"{BEGIN}\n{block}\n{END}", text)
    if count != 1:
        raise ValueError(f"expected {BEGIN} ... {END} once, found it {count} times")
    return found


def _rows(results: Sequence[Result]) -> tuple[list[dict[str, str]], ...]:
    compared = [line for result in results if isinstance(result.case, Case) for line in lines(result)]
    alone = [figure(result) for result in results if not isinstance(result.case, Case)]
    return [_line_cells(line) for line in compared], [_figure_cells(one) for one in alone], list(map(_mean_cells, means(results)))


def _line_cells(line: Line) -> dict[str, str]:
    task, case = line.task.what, line.case
    over = case.less_tree is not None and line.less_tree is not None and line.less_tree > case.less_tree
    return {
        "case": case.name + ("" if task == "fit" else f" {task}"),
        "work": f"{case.workload}, {case.words}"
        + {"fit": "", "predict": ": predict its training rows", "one row": ": predict one row"}[task],
        "rows x columns": "-" if line.size is None else f"{line.size[0]:,} x {line.size[1]}",
        "peer": line.peer,
        "CPU ratio": _text(line.ratio, ".2f"),
        "floor": _text(line.task.floor, "g"),
        "goal": _text(line.task.goal, "g"),
        "mark": _text(line.mark),
        "wall ratio": _text(line.wall_ratio, ".2f"),
        "memory": _text(line.memory, ".2f"),
        "less tree": _text(line.less_tree, ".2f") + (f" (over {case.less_tree:g})" if over else ""),
        "peer score": _text(line.peer_score, ".4f"),
        "our score": _text(line.our_score, ".4f"),
        "peer CPU": _seconds(line.peer_cpu),
        "our CPU": _seconds(line.our_cpu),
        "peer leaves": _text(line.peer_leaves, ",.0f"),
        "our leaves": _text(line.our_leaves, ",.0f"),
    }


def _figure_cells(one: Figure) -> dict[str, str]:
    return {
        "case": one.case.name,
        "figure": one.case.words,
        "value": _text(one.value, ".2f"),
        "at most": f"{one.case.at_most:g}",
        "mark": _text(one.mark),
        "note": one.note or "-",
    }


def _mean_cells(one: Mean) -> dict[str, str]:
    return {
        "means": one.group,
        "peer": one.peer,
        "cases": str(one.cases),
        "CPU ratio": _text(one.ratio, ".2f"),
        "floor": _text(one.task.floor, "g"),
        "goal": _text(one.task.goal, "g"),
        "mark": _text(one.mark),
        "worst": one.worst.case.name,
        "ratio of the worst": _text(one.worst.ratio, ".2f"),
        "most peak memory": _text(one.peak, ".2f"),
    }


def _text(value: Any, form: str = "") -> str:
    return "-" if value is None else format(value, form)


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    factor, unit = next(((f, u) for f, u in ((1, "s"), (1e3, "ms")) if value * f >= 1), (1e6, "us"))
    return f"{value * factor:.3g} {unit}"


def _aligned(header: Sequence[str], rows: Sequence[Mapping[str, str]]) -> str:
    cells = [list(header), *([row[name] for name in header] for row in rows)]
    columns = []
    for column in zip(*cells, strict=True):
        width = max(map(len, column))
        # Figures, and only those, are pushed to the right.
        right = all(cell[:1].isdigit() or cell[:1] == "-" for cell in column[1:])
        columns.append([cell.rjust(width) if right else cell.ljust(width) for cell in column])
    laid = ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
    return "\n".join([laid[0], "-" * max(map(len, laid)), *laid[1:]])


def _piped(header: Sequence[str], rows: Sequence[Mapping[str, str]]) -> str:
    every = [list(header), ["---"] * len(header), *([row[name] for name in header] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in every)


def _origin(environment: Mapping[str, str], day: date) -> str:
    versions = ", ".join(f"{name} {found}" for name, found in environment.items() if name not in ("processor", "cores", "system"))
    head = f"Measured on {day:%Y-%m-%d}: {environment['processor']}, {environment['cores']} cores, {environment['system']}"
    return f"{head}; {versions}."


def _disturbed(results: Sequence[Result]) -> str:
    others = other_work(results)
    return "" if others is None else f" Other work kept {others:.2f} cores busy during the fits."
