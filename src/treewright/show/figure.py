"""A picture drawn on matplotlib axes: one artist per kind of shape, so that thousands of nodes are drawn at once."""

from __future__ import annotations

import math
from typing import Any

from treewright.show.cells import cut_question
from treewright.show.picture import LEAST, Box, Path, Picture, Text


def room_in(ax: Any) -> tuple[float, float]:
    """Width and height of axes in points."""
    frame = ax.get_window_extent()
    return frame.width / ax.figure.dpi * 72, frame.height / ax.figure.dpi * 72


def draw(picture: Picture, ax: Any) -> None:
    """Draw a picture on axes, as large as they allow; text and lines are scaled with it."""
    from matplotlib.collections import LineCollection, PathCollection, PolyCollection
    from matplotlib.path import Path as Outline

    wide, high = room_in(ax)
    scale = min(wide / picture.width, high / picture.height)
    shapes = [shape for group in picture.groups for shape in group.shapes]
    boxes = [shape for shape in shapes if isinstance(shape, Box)]
    curves = [shape for shape in shapes if isinstance(shape, Path) and shape.curve]
    lines = [shape for shape in shapes if isinstance(shape, Path) and not shape.curve and not shape.fill]
    wedges = [shape for shape in shapes if isinstance(shape, Path) and shape.fill]
    codes = [Outline.MOVETO, *[Outline.CURVE4] * 3]
    ways = []
    for curve in curves:
        (x0, y0), (x1, y1) = curve.points[0], curve.points[-1]
        ways.append(Outline([(x0, y0), (x0, (y0 + y1) / 2), (x1, (y0 + y1) / 2), (x1, y1)], codes))
    # One artist per kind of shape, in layers: thousands of nodes are drawn at once.
    layers: list[Any] = [
        PathCollection(
            ways, facecolors="none", edgecolors=[c.color for c in curves], linewidths=[c.width * scale for c in curves], zorder=1
        ),
        PolyCollection(
            [_corners(box) for box in boxes],
            facecolors=[box.fill or "none" for box in boxes],
            edgecolors=[box.line or "none" for box in boxes],
            linewidths=[box.line_width * scale for box in boxes],
            zorder=2,
        ),
        LineCollection(
            [p.points for p in lines], colors=[p.color for p in lines], linewidths=[p.width * scale for p in lines], zorder=3
        ),
        PolyCollection([p.points for p in wedges], facecolors=[p.fill for p in wedges], zorder=3),
    ]
    for layer in layers:
        ax.add_collection(layer, autolim=False)
    for shape in shapes:
        if isinstance(shape, Text):
            _write(shape, ax, scale)
    ax.set_xlim(0, picture.width)
    ax.set_ylim(picture.height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()


def _write(text: Text, ax: Any, scale: float) -> None:
    from matplotlib.textpath import text_to_path

    written = ax.text(
        text.x,
        text.y,
        text.text,
        fontsize=text.size * scale,
        fontweight="bold" if text.bold else "normal",
        color=text.fill,
        ha={"start": "left", "middle": "center", "end": "right"}[text.anchor],
        va="baseline",
        parse_math=False,  # a $ in a name is a $
        zorder=4,
    )
    if text.room:  # the font that is found may be wider than it was thought to be
        size = text.size * scale
        least, phrase = min(LEAST, size), text.text
        for keep in range(len(phrase), 1, -1):  # cut rather than too small to be read
            phrase = cut_question(text.text, keep)
            wide = text_to_path.get_text_width_height_descent(phrase, written.get_fontproperties(), False)[0] / scale
            size = text.size * scale * min(1.0, text.room / max(wide, 1e-9))
            if size >= least:
                break
        written.set_text(phrase)
        written.set_fontsize(max(size, least))


def _corners(box: Box) -> list[tuple[float, float]]:
    left, top, right, bottom, r = (
        box.x,
        box.y,
        box.x + box.width,
        box.y + box.height,
        min(box.round, box.width / 2, box.height / 2),
    )
    if r <= 0:
        return [(left, top), (right, top), (right, bottom), (left, bottom)]
    out = []
    for x, y, begin in (
        (right - r, top + r, -90),
        (right - r, bottom - r, 0),
        (left + r, bottom - r, 90),
        (left + r, top + r, 180),
    ):
        for step in range(5):
            angle = math.radians(begin + 22.5 * step)
            out.append((x + r * math.cos(angle), y + r * math.sin(angle)))
    return out
