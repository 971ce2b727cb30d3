"""Score against size: the picture, the tables and the page."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

from treewright.errors import counted, isolated, visible
from treewright.show.axes import check_axes, pyplot
from treewright.show.comparison import amount, size_words
from treewright.show.figure import draw
from treewright.show.marks import mark
from treewright.show.picture import GREY, INK, OTHERS, WHITE, Box, Group, Path, Picture, Shape, Text, fitted, text_width
from treewright.show.scales import Scale, widened
from treewright.show.svg import svg
from treewright.show.tables import frame, html_table, score_text, text_table

if TYPE_CHECKING:
    from treewright.evaluate.frontiers import Frontier, Point

_WIDE, _HIGH = 700.0, 400.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 48.0, 100.0, 34.0, 44.0
_LEGEND = 90.0  # of the right margin, where the legend stands beside the rest
_SIZE = 8.5  # points of text
_NAMED = 12  # names of a reason that are listed
_NUMBERS = range(3, 6)  # columns of the table
# Colours of learners; where there are more of them, of those of a kind, whose marks have the same shape. Further ones are grey.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_KINDS = {"disc": "trees", "square": "rules", "diamond": "equations"}


# -- words ---------------------------------------------------------------------------------------------------------------


def sentence(found: Frontier) -> str:
    """Name the smallest readable model that is good enough."""
    chosen, best, score = found.chosen, found.best, found.scoring
    is_best = (
        "It is also the best." if chosen is best else f"The best is {best.name} ({size_words(best.counts)}) with {_figure(best)}."
    )
    text = (
        f"{chosen.name} ({size_words(chosen.counts)}) is the smallest readable model within one standard error of the best: "
        f"its {score} is {_figure(chosen)}. {is_best}"
    )
    if found.ceiling is not None:
        text += f" The random forest, which nobody reads, has {_figure(found.ceiling)}."
    return visible(text)


def caution(found: Frontier) -> str:
    """Say what the choice among many models does to the score of the one that is chosen."""
    if math.isnan(found.unseen):
        return ""
    return (
        f"Whatever is chosen among {len(found.points)} models looks a little better than it is: models chosen without a fold "
        f"have {found.scoring} {score_text(found.unseen)} on it, the mean over {found.n_folds} folds."
    )


def _figure(point: Point) -> str:
    return score_text(point.mean) + (f" ± {score_text(point.se)}" if math.isfinite(point.se) else "")


def left_out_lines(found: Frontier) -> list[str]:
    """What was left out, a line per reason."""
    reasons: dict[str, list[str]] = {}
    for name, why in found.left_out:
        reasons.setdefault(why, []).append(name)
    out = []
    for why, names in reasons.items():
        more = f" and {counted(len(names) - _NAMED, 'more', 'more')}" if len(names) > _NAMED else ""
        out.append(visible(f"{', '.join(names[:_NAMED])}{more}: {why}"))
    return out


def _mark(found: Frontier, point: Point) -> str:
    marks = [
        word
        for word, holds in (
            ("chosen", point is found.chosen),
            ("best", point is found.best),
            ("ceiling", point is found.ceiling),
            ("frontier", point in found.steps and point not in (found.chosen, found.best)),
        )
        if holds
    ]
    return ", ".join(marks)


def _rows(found: Frontier, points: Sequence[Point]) -> tuple[list[str], list[list[str]]]:
    head = ["learner", "setting", "", found.scoring, "± se", "size", "consists of"]
    rows = [
        [
            point.learner,
            ", ".join(f"{name}={value}" for name, value in point.params.items()),
            _mark(found, point),
            score_text(point.mean),
            score_text(point.se),
            amount(point.size),
            size_words(point.counts),
        ]
        for point in points
    ]
    return head, rows


def _every(found: Frontier) -> list[Point]:
    return [*found.points, *([] if found.ceiling is None else [found.ceiling])]


def frontier_text(found: Frontier) -> str:
    """Write the frontier and the best of every learner, the choice, and what was left out."""
    best: dict[str, Point] = {}
    for point in found.points:
        if point.learner not in best or point.mean > best[point.learner].mean:
            best[point.learner] = point
    steps, kept = found.steps, [*best.values(), found.chosen, found.best, found.ceiling]
    listed = [point for point in _every(found) if point in steps or point in kept]
    pieces = [
        f"{found.scoring} by size in {found.n_folds} folds, {found.n_rows} rows: {len(found.points)} models of "
        f"{counted(len(best), 'learner')}, {found.n_fits} fits; those on the frontier and the best of every learner:",
        text_table(*_rows(found, listed), _NUMBERS),
        sentence(found) + (f"\n{note}" if (note := caution(found)) else ""),
    ]
    if found.left_out:
        pieces.append("\n".join(["left out:", *(f"  {line}" for line in left_out_lines(found))]))
    return "\n\n".join(pieces)


def frontier_frame(found: Frontier) -> Any:
    """Return a row per model, the ceiling last."""
    every, steps = _every(found), found.steps
    columns: dict[str, Sequence[Any]] = {
        "model": [point.name for point in every],
        "learner": [point.learner for point in every],
        "mean": [point.mean for point in every],
        "se": [point.se for point in every],
        "size": [point.size for point in every],
        "frontier": [point in steps for point in every],
        "chosen": [point is found.chosen for point in every],
    }
    for name in ("leaves", "rules", "conditions", "terms", "members"):
        columns |= {name: [point.counts.get(name) for point in every]} if any(name in p.counts for p in every) else {}
    return frame(columns)


def frontier_data(found: Frontier) -> dict[str, Any]:
    """Return a report for other programs."""
    steps = found.steps

    def one(point: Point) -> dict[str, Any]:
        return {
            "model": point.name,
            "learner": point.learner,
            "params": dict(point.params),
            "mean": point.mean,
            "standard_error": point.se if math.isfinite(point.se) else None,
            **point.counts,
            "frontier": point in steps,
        }

    return {
        "scoring": found.scoring,
        "rows": found.n_rows,
        "folds": found.n_folds,
        "fits": found.n_fits,
        "chosen": found.chosen.name,
        "best": found.best.name,
        "unseen": None if math.isnan(found.unseen) else found.unseen,
        "sentence": sentence(found),
        "ceiling": None if found.ceiling is None else one(found.ceiling),
        "models": [one(point) for point in found.points],
        "left_out": [{"model": name, "reason": why} for name, why in found.left_out],
    }


# -- the page ------------------------------------------------------------------------------------------------------------

_STYLE = """
body { font: 15px/1.5 Helvetica, Arial, "DejaVu Sans", sans-serif; color: #1a1a1a; background: #ffffff }
body { margin: 2em auto; max-width: 60em; padding: 0 1em }
svg { max-width: 100%; height: auto }
div { overflow-x: auto }
table { border-collapse: collapse; font-size: 13px }
th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #dddddd; white-space: nowrap; text-align: left }
.right { text-align: right }
.bold { font-weight: bold }
footer { color: #595959; font-size: 13px; margin-top: 2em }
"""


def frontier_page(found: Frontier, title: str | None = None) -> str:
    """Write the page: no script, one style that is named by its hash, and nothing that is loaded."""
    name = visible(title) if title is not None else f"{found.scoring[:1].upper()}{found.scoring[1:]} against size"
    policy = f"default-src 'none'; style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'; base-uri 'none'"
    every = _every(found)
    marked = [at for at, point in enumerate(every) if point is found.chosen]
    table = html_table(*_rows(found, every), _NUMBERS, marked, styled=False)
    pieces = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(name)}</title><style>{_STYLE}</style></head><body><main>",
        f"<h1>{escape(isolated(name))}</h1>",
        f"<p><strong>{escape(isolated(sentence(found)))}</strong></p>",
        frontier_svg(found),
        *(f"<p>{escape(isolated(text))}</p>" for text in (caution(found), _how(found)) if text),
        f"<h2>All models</h2><div>{table}</div>",
    ]
    if found.left_out:
        lines = "".join(f"<li>{escape(isolated(line))}</li>" for line in left_out_lines(found))
        pieces.append(f"<h2>Left out</h2><ul>{lines}</ul>")
    pieces.append(
        "</main><footer>This page makes no network requests and contains no rows of your data.</footer></body></html>\n"
    )
    return "\n".join(pieces)


def _how(found: Frontier) -> str:
    return (
        f"Every model was fitted {counted(found.n_folds, 'time')}, each time without one fold of the {found.n_rows} rows, and "
        "scored on that fold; all models saw the same folds. Size is what there is to read: every test, every answer and every "
        "term of an equation counts one. Standard errors are corrected for the overlap of training rows (Nadeau and Bengio 2003)."
    )


# -- the picture ---------------------------------------------------------------------------------------------------------


def frontier_svg(found: Frontier) -> str:
    """Draw the picture as SVG."""
    return svg(frontier_picture(found))


def frontier_plot(found: Frontier, ax: Any = None) -> Any:
    """Draw the picture on matplotlib axes."""
    check_axes(ax)
    picture = frontier_picture(found)
    if ax is None:
        figure = pyplot().figure(figsize=(picture.width / 72, picture.height / 72))
        ax = figure.add_axes((0, 0, 1, 1))
    draw(picture, ax)
    return ax


def frontier_picture(found: Frontier) -> Picture:
    """Every model as a mark at its size and score; the frontier as steps, the forest as a band."""
    y = Scale(*_scores(found), _HIGH - _BOTTOM, _TOP)
    looks = _looks(found)
    # The legend stands below what is said of lines where there is room, else beside it.
    beside = _legend_top(looks, y) < _said_to(found, y) + 12
    x = Scale(*_sizes(found), _LEFT, _WIDE - (_RIGHT + _LEGEND if beside else _RIGHT), log=True)
    groups = [Group("", _frame(found, x, y)), Group("the frontier", [_stairs(found, x, y)])]
    if found.ceiling is not None:
        groups.insert(0, Group(_about(found, found.ceiling), _ceiling(found.ceiling, x, y)))
    for point in sorted(found.points, key=lambda point: point is found.chosen):  # the chosen one above the others
        groups.append(Group(_about(found, point), _marker(point, x, y, looks[point.learner], found)))
    groups.append(Group("", _legend(found, looks, y, _WIDE - (_LEGEND if beside else _RIGHT - 6))))
    return Picture(_WIDE, _HIGH, f"{found.scoring} against size", sentence(found), groups)


def _looks(found: Frontier) -> dict[str, tuple[str, str]]:
    """Shape and colour of every learner: discs for trees, squares for rules, diamonds where equations answer."""
    kinds: dict[str, str] = {}
    for point in sorted(found.points, key=lambda point: point.learner):
        shape = "diamond" if "terms" in point.counts else "square" if "rules" in point.counts else "disc"
        kinds[point.learner] = "diamond" if kinds.get(point.learner) == "diamond" else shape
    few = len(kinds) <= len(_COLORS)  # then no colour serves two
    used: dict[str, int] = {}
    out = {}
    for learner, shape in sorted(kinds.items(), key=lambda each: (list(_KINDS).index(each[1]), each[0])):
        among = "" if few else shape
        k = used[among] = used.get(among, -1) + 1
        out[learner] = shape, _COLORS[k] if k < len(_COLORS) else OTHERS
    return out


def _sizes(found: Frontier) -> tuple[float, float]:
    sizes = [max(1.0, point.size) for point in found.points]
    return min(sizes) / 1.25, max(*sizes, 2 * min(sizes)) * 1.25


def _scores(found: Frontier) -> tuple[float, float]:
    """The range of scores that is drawn: models far below most are put on its lower edge."""
    every = sorted(point.mean for point in found.points)
    reach = found.best.se if math.isfinite(found.best.se) else 0.0
    least = max(every[0], found.best.mean - 3 * max(found.best.mean - every[len(every) // 2], reach))
    top = max(point.mean + (point.se if math.isfinite(point.se) else 0.0) for point in (found.best, found.ceiling or found.best))
    return widened(min(least, found.best.mean - reach), top)


def _about(found: Frontier, point: Point) -> str:
    return visible(f"{point.name}: {found.scoring} {_figure(point)}, size {amount(point.size)} ({size_words(point.counts)})")


def _frame(found: Frontier, x: Scale, y: Scale) -> list[Shape]:
    out: list[Shape] = [Text(_LEFT, 18, f"{found.scoring} in cross-validation, by size", 11, bold=True)]
    for tick in y.ticks():
        out.append(Path([(x.begin, y(tick)), (x.end, y(tick))], 0.5, "#dddddd"))
        out.append(Text(_LEFT - 6, y(tick) + 3, y.text(tick), 8, "end", fill=GREY))
    for tick in x.ticks():
        out.append(Path([(x(tick), y.begin), (x(tick), y.begin + 4)], 0.75, GREY))
        out.append(Text(x(tick), y.begin + 14, x.text(tick), 8, "middle", fill=GREY))
    out.append(Path([(x.begin, y.begin), (x.end, y.begin)], 0.75, GREY))
    out.append(Text((x.begin + x.end) / 2, y.begin + 30, "size: tests, answers and terms of equations to read", 8.5, "middle"))
    if math.isfinite(found.best.se):
        least = found.best.mean - found.best.se
        out.append(Path([(x.begin, y(least)), (x.end, y(least))], 0.75, GREY))
        height = _least_said(found, y)
        out.append(Text(x.end + 6, height + 3, "best less one", 8, fill=GREY))
        out.append(Text(x.end + 6, height + 12, "standard error", 8, fill=GREY))
    return out


def _least_said(found: Frontier, y: Scale) -> float:
    """The height at which the lowest score worth choosing is named: beside it, but not on what is said of the forest."""
    height = y(found.best.mean - found.best.se)
    if found.ceiling is not None and abs(height - (other := y(found.ceiling.mean))) < 22:
        return other + 22 if height >= other else other - 26
    return height


def _said_to(found: Frontier, y: Scale) -> float:
    """How far down what is said of lines reaches."""
    forest = y(found.ceiling.mean) + 8 if found.ceiling is not None and y.low <= found.ceiling.mean else y.end
    return max(forest, _least_said(found, y) + 12 if math.isfinite(found.best.se) else y.end)


def _legend_top(looks: dict[str, tuple[str, str]], y: Scale) -> float:
    return y.begin - 13.0 * (len(looks) + len({shape for shape, _ in looks.values()}))


def _ceiling(point: Point, x: Scale, y: Scale) -> list[Shape]:
    error = point.se if math.isfinite(point.se) else 0.0
    top, bottom = y(min(y.high, point.mean + error)), y(max(y.low, point.mean - error))
    out: list[Shape] = [Box(x.begin, top, x.end - x.begin, max(0.0, bottom - top), fill="#eeeeee")]
    if y.low <= point.mean:
        out.append(Path([(x.begin, y(point.mean)), (x.end, y(point.mean))], 1.25, GREY))
        out.append(Text(x.end + 6, y(point.mean) - 2, "random forest", 8.5, bold=True))
        out.append(Text(x.end + 6, y(point.mean) + 8, _figure(point), 8))
    return out


def _stairs(found: Frontier, x: Scale, y: Scale) -> Path:
    way: list[tuple[float, float]] = []
    for point in found.steps:
        at, height = x(max(1.0, point.size)), y(max(y.low, point.mean))
        way += [(at, way[-1][1])] if way else []
        way.append((at, height))
    return Path([*way, (x.end, way[-1][1])], 1.5, INK)


def _marker(point: Point, x: Scale, y: Scale, look: tuple[str, str], found: Frontier) -> list[Shape]:
    """The mark of a model, on the frontier with its standard error; of one below the picture a wedge at its edge."""
    (shape, color), at, chosen = look, x(max(1.0, point.size)), point is found.chosen
    if point.mean < y.low:
        return [mark("wedge", at, y.begin - 5, 4, color)]
    height = y(point.mean)
    out: list[Shape] = []
    if math.isfinite(point.se) and point in found.steps:
        ends = (y(max(y.low, point.mean - point.se)), y(min(y.high, point.mean + point.se)))
        out.append(Path([(at, ends[0]), (at, ends[1])], 0.75, color))
    out.append(mark(shape, at, height, 5.0 if chosen else 3.5, color))
    if chosen:
        out.append(Box(at - 9, height - 9, 18, 18, None, INK, 1.5, 9.0))
        label = fitted(f"{point.learner}: {size_words(point.counts)}", 9.5, min(220.0, x.end - x.begin), bold=True)
        wide = text_width(label, 9.5, bold=True)
        begin = max(x.begin + 4, at - 10 - wide)  # above the frontier and to the left, where no other model can be
        out.append(Box(begin - 2, height - 26, wide + 4, 14, WHITE))
        out.append(Text(begin, height - 15, label, 9.5, bold=True))
    return out


def _legend(found: Frontier, looks: dict[str, tuple[str, str]], y: Scale, left: float) -> list[Shape]:
    height = _legend_top(looks, y)
    out: list[Shape] = []
    last = ""
    for name, (shape, color) in looks.items():
        if shape != last:
            out.append(Text(left, height + 3, _KINDS[shape], _SIZE, bold=True))
            height, last = height + 13, shape
        out.append(mark(shape, left + 5, height, 3.5, color))
        out.append(Text(left + 14, height + 3, fitted(name, _SIZE, _LEGEND - 20), _SIZE))
        height += 13
    if any(point.mean < y.low for point in found.points):
        out.append(Text(_WIDE - 8, _HIGH - 4, "wedge: a score below the picture", 7.5, "end", fill=GREY))
    return out
