"""A picture as SVG: text as text, no fonts or scripts, the same bytes for the same picture, every name escaped."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from treewright.errors import isolated
from treewright.show.picture import Box, Path, Picture, Shape, Text

if TYPE_CHECKING:
    from treewright.model.tree import Tree

FONTS = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


def tree_svg(tree: Tree, width: str | None = None, **options: Any) -> str:
    """Draw a tree as an SVG document; ``width`` such as "85mm", else its natural size in points."""
    from treewright.show.draw import tree_picture

    return svg(tree_picture(tree, room=points(width), **options), width)


_UNITS = {"pt": 1.0, "px": 0.75, "": 0.75, "mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72.0}


def points(width: str | None) -> float | None:
    """Return a width in points; None where it depends on the page."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(pt|px|mm|cm|in|)", width or "%")
    return None if found is None else float(found[1]) * _UNITS[found[2]]


def svg(picture: Picture, width: str | None = None) -> str:
    """Write a picture as an SVG document."""
    body = "\n".join(_group(group.title, group.shapes) for group in picture.groups if group.shapes)
    # Several pictures may stand in one page: identifiers come from the contents.
    mark = blake2b(body.encode("utf-8", "backslashreplace"), digest_size=5).hexdigest()
    high = number(picture.height)
    size = f'width="{escape(width, _QUOTES)}"' if width is not None else f'width="{number(picture.width)}pt" height="{high}pt"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {number(picture.width)} {high}" role="img" '
        f'aria-labelledby="t{mark} d{mark}" font-family="{FONTS}">\n'
        f'<title id="t{mark}">{escape(isolated(picture.title))}</title>\n'
        f'<desc id="d{mark}">{escape(isolated(picture.about))}</desc>\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


_QUOTES = {'"': "&quot;"}


def number(value: float) -> str:
    """Write a coordinate: two decimals at most, never -0."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _group(title: str, shapes: list[Shape]) -> str:
    head = f"<g><title>{escape(isolated(title))}</title>" if title else "<g>"
    return head + "".join([_shape(shape) for shape in shapes]) + "</g>"


def _shape(shape: Shape) -> str:
    if isinstance(shape, Box):
        return _box(shape)
    return _text(shape) if isinstance(shape, Text) else _path(shape)


def _paint(fill: str | None, line: str | None, width: float) -> str:
    out = f' fill="{fill or "none"}"'
    return out + (f' stroke="{line}" stroke-width="{number(width)}"' if line else "")


def _box(box: Box) -> str:
    place = f'x="{number(box.x)}" y="{number(box.y)}" width="{number(box.width)}" height="{number(box.height)}"'
    corners = f' rx="{number(box.round)}"' if box.round else ""
    return f"<rect {place}{corners}{_paint(box.fill, box.line, box.line_width)}/>"


def _text(text: Text) -> str:
    anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    bold = ' font-weight="bold"' if text.bold else ""
    place = f'x="{number(text.x)}" y="{number(text.y)}" font-size="{number(text.size)}" fill="{text.fill}"'
    return f'<text {place}{anchor}{bold} xml:space="preserve">{escape(isolated(text.text))}</text>'


def _path(path: Path) -> str:
    points = [(number(x), number(y)) for x, y in path.points]
    if path.curve:
        (x0, y0), (x1, y1) = path.points[0], path.points[-1]
        middle = number((y0 + y1) / 2)
        way = f"M{number(x0)} {number(y0)}C{number(x0)} {middle} {number(x1)} {middle} {number(x1)} {number(y1)}"
    else:
        way = "M" + "L".join(f"{x} {y}" for x, y in points) + ("Z" if path.fill else "")
    return f'<path d="{way}"{_paint(path.fill, path.color, path.width)}/>'
