"""Models compared: scores with their intervals as a picture, and tables of scores and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from treewright.errors import counted, isolated, shown, visible
from treewright.show.axes import check_axes, pyplot
from treewright.show.cells import cut_to
from treewright.show.figure import draw
from treewright.show.marks import mark
from treewright.show.picture import CLASSES, GREY, INK, Group, Path, Picture, Shape, Text, fitted, text_width
from treewright.show.scales import Scale, widened
from treewright.show.svg import svg
from treewright.show.tables import frame, html_table, score_text, text_table

if TYPE_CHECKING:
    from treewright.evaluate.comparing import Comparison, ModelScore

_SIZE = 9.0  # points of text
_ROW = 24.0
_NAME, _AXIS = 150.0, 260.0
_COUNTED = ("members", "leaves", "rules", "conditions", "terms")
_NUMBERS = range(1, 5)  # columns of the table of scores
_TESTS = {"corrected_t": "t test", "combined_f": "5x2cv F", "mcnemar": "McNemar"}


def amount(value: float) -> str:
    """A count that may be a mean: whole, or with one decimal where it is small."""
    return f"{value:.0f}" if value == round(value) or value >= 100 else f"{value:.1f}"


def size_words(size: dict[str, float] | None) -> str:
    """What a model consists of, in words: 9.3 leaves; 4 rules, 7.5 conditions."""
    if size is None:
        return ""
    phrases = []
    for name in _COUNTED:
        if name in size:
            n, many = amount(size[name]), "trees" if name == "members" and "leaves" in size else name
            phrases.append(f"{n} {('leaf' if many == 'leaves' else many[:-1]) if n == '1' else many}")
    return ", ".join(phrases)


def p_text(p: float) -> str:
    """A p-value as it is printed."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _headline(found: Comparison) -> str:
    times = f", {counted(found.n_repeats, 'time')}" if found.n_repeats > 1 else ""
    return f"{found.scoring} in {found.n_folds} folds{times}, {found.n_rows} rows"


def _score_rows(found: Comparison) -> tuple[list[str], list[list[str]]]:
    head = ["model", found.scoring, "± se", f"{found.confidence:.0%} interval", "size", "consists of"]
    rows = []
    for model in found.models:
        size = "" if model.size is None else amount(model.size["size"])
        interval = f"{score_text(model.low)} … {score_text(model.high)}" if math.isfinite(model.se) else ""
        rows.append([model.name, score_text(model.mean), score_text(model.se), interval, size, size_words(model.size)])
    return head, rows


def _pair_rows(found: Comparison) -> tuple[list[str], list[list[str]]]:
    tests = [name for name in _TESTS if found.pairs and name in found.pairs[0].tests]
    adjusted = len(found.pairs) > 1
    head = ["first", "second", "difference"]
    for name in tests:
        head += [f"{_TESTS[name]} p", *(["adjusted"] if adjusted else [])]
    rows = []
    for pair in found.pairs:
        row = [pair.first, pair.second, score_text(pair.difference, "+")]
        for name in tests:
            row += [p_text(pair.tests[name].p), *([p_text(pair.tests[name].p_holm)] if adjusted else [])]
        rows.append(row)
    return head, rows


def verdicts(found: Comparison) -> list[str]:
    """What the corrected t test says of the best model and the others, by adjusted values."""
    best = found.best
    apart: list[str] = []
    alike: list[str] = []
    for pair in found.pairs:
        if best.name in (pair.first, pair.second) and "corrected_t" in pair.tests:
            other = pair.second if pair.first == best.name else pair.first
            (apart if pair.tests["corrected_t"].p_holm < 0.05 else alike).append(shown(other))
    out = []
    if apart:
        out.append(f"{shown(best.name)} scores best, and better than {', '.join(apart)} (t test, adjusted p < 0.05).")
    if alike:
        begin = "It is" if apart else f"{shown(best.name)} scores best, but it is"
        out.append(f"{begin} not shown to be better than {', '.join(alike)}.")
    return [visible(text) for text in out]


def comparison_text(found: Comparison) -> str:
    """Write scores, tests and notes."""
    pieces = [_headline(found), text_table(*_score_rows(found), _NUMBERS)]
    if found.pairs:
        pieces += [text_table(*_pair_rows(found), range(2, 9)), "\n".join([*verdicts(found), *found.notes])]
    return "\n\n".join(pieces)


def comparison_html(found: Comparison) -> str:
    """Write the picture, the tables and the notes."""
    marked = [at for at, model in enumerate(found.models) if model is found.best]
    pieces = [comparison_svg(found), html_table(*_score_rows(found), _NUMBERS, marked)]
    if found.pairs:
        pieces.append(html_table(*_pair_rows(found), range(2, 9)))
        pieces += [f"<p>{escape(isolated(text))}</p>" for text in (*verdicts(found), *found.notes)]
    return "<div>\n" + "\n".join(pieces) + "\n</div>"


def comparison_frame(found: Comparison) -> Any:
    """Return a row per model."""
    names = [name for name in ("size", *_COUNTED) if any(name in (model.size or {}) for model in found.models)]
    columns: dict[str, Sequence[Any]] = {"model": [model.name for model in found.models]}
    for field in ("mean", "se", "low", "high"):
        columns[field] = [getattr(model, field) for model in found.models]
    for name in names:
        columns[name] = [(model.size or {}).get(name) for model in found.models]
    return frame(columns)


def pairs_frame(found: Comparison) -> Any:
    """Return a row per pair."""
    fields = ("first", "second", "difference", "low", "high")
    columns: dict[str, Sequence[Any]] = {field: [getattr(pair, field) for pair in found.pairs] for field in fields}
    for name in found.pairs[0].tests if found.pairs else ():
        for field, ending in (("statistic", ""), ("p", "_p"), ("p_holm", "_p_holm")):
            columns[name + ending] = [getattr(pair.tests[name], field) for pair in found.pairs]
    return frame(columns)


def comparison_svg(found: Comparison) -> str:
    """Draw the scores as SVG."""
    return svg(comparison_picture(found))


def comparison_plot(found: Comparison, ax: Any = None) -> Any:
    """Draw the scores on matplotlib axes."""
    check_axes(ax)
    picture = comparison_picture(found)
    if ax is None:
        figure = pyplot().figure(figsize=(picture.width / 72, picture.height / 72))
        ax = figure.add_axes((0, 0, 1, 1))
    draw(picture, ax)
    return ax


def comparison_picture(found: Comparison) -> Picture:
    """A line per model: its name, its score with the interval, the scores of the folds behind it, its size."""
    ends = [end for m in found.models for end in (m.low, m.high, *m.scores.tolist()) if math.isfinite(end)]
    left = min(_NAME, max(text_width(visible(model.name), _SIZE) for model in found.models)) + 16
    axis = Scale(*widened(min(ends), max(ends)), left, left + _AXIS)
    words = [f"{score_text(model.mean)}   {size_words(model.size)}".rstrip() for model in found.models]
    width = left + _AXIS + 16 + max(text_width(text, _SIZE) for text in words) + 8
    top, bottom = 30.0, 30.0 + _ROW * len(found.models)
    frame_: list[Shape] = [Text(8, 16, fitted(_headline(found), 10, width - 16, bold=True), 10, bold=True)]
    for tick in axis.ticks():
        frame_.append(Path([(axis(tick), top), (axis(tick), bottom)], 0.5, "#dddddd"))
        frame_.append(Text(axis(tick), bottom + 12, axis.text(tick), 8, "middle", fill=GREY))
    best = axis(found.best.mean)
    frame_.append(Path([(best, top), (best, bottom)], 0.75, GREY))
    about = f"diamond: mean; line: {found.confidence:.0%} interval; small bars: single folds"
    frame_.append(Text(left + _AXIS / 2, bottom + 25, about, 8, "middle", fill=GREY))
    groups = [Group("", frame_)]
    for at, (model, text) in enumerate(zip(found.models, words, strict=True)):
        y = top + _ROW * (at + 0.5)
        groups.append(Group(_about(found, model), _model_line(model, model is found.best, axis, y, left, text)))
    told = "; ".join(_about(found, model) for model in found.models)
    return Picture(width, bottom + 34, _headline(found), told, groups)


def _about(found: Comparison, model: ModelScore) -> str:
    interval = f", {found.confidence:.0%} interval {score_text(model.low)} to {score_text(model.high)}"
    told = f"{cut_to(model.name, 80)}: {found.scoring} {score_text(model.mean)}"
    return visible(told + interval * math.isfinite(model.se))


def _model_line(model: ModelScore, best: bool, axis: Scale, y: float, left: float, text: str) -> list[Shape]:
    color = CLASSES[0] if best else INK
    out: list[Shape] = [Text(left - 8, y + 3, fitted(visible(model.name), _SIZE, left - 12, best), _SIZE, "end", best)]
    out += [Path([(axis(score), y - 5), (axis(score), y + 5)], 0.75, "#bbbbbb") for score in model.scores.tolist()]
    if math.isfinite(model.se):
        out.append(Path([(axis(model.low), y), (axis(model.high), y)], 2.0, color))
        out += [Path([(axis(end), y - 4), (axis(end), y + 4)], 1.5, color) for end in (model.low, model.high)]
    out.append(mark("diamond", axis(model.mean), y, 4.5, color))
    out.append(Text(axis.end + 12, y + 3, text, _SIZE, bold=best))
    return out
