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
    pen = _Pen()
    body = "\n".join([pen.group(group.title, group.shapes) for group in picture.groups if group.shapes])
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
_KEPT, _BLANKS = ' xml:space="preserve"', re.compile(r"^\s|\s\s|\s$")  # blanks that would be lost otherwise


def number(value: float) -> str:
    """Write a coordinate: two decimals at most, never -0."""
    text = f"{value:.2f}"
    if text[-1] != "0":
        return text
    text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class _Numbers(dict[float, str]):
    """Coordinates as texts, each written once."""

    def __missing__(self, value: float) -> str:
        text = self[value] = number(value)
        return text


class _Pen:
    """Writes the shapes of one picture."""

    def __init__(self) -> None:
        self.number = _Numbers().__getitem__

    def group(self, title: str, shapes: list[Shape]) -> str:
        out = [f"<g><title>{escape(isolated(title))}</title>" if title else "<g>"]
        for shape in shapes:
            kind = type(shape)
            out.append(self.box(shape) if kind is Box else self.text(shape) if kind is Text else self.path(shape))  # type: ignore[arg-type]
        return "".join([*out, "</g>"])

    def box(self, box: Box) -> str:
        n = self.number
        corners = f' rx="{n(box.round)}"' if box.round else ""
        edge = f' stroke="{box.line}" stroke-width="{n(box.line_width)}"' if box.line else ""
        return (
            f'<rect x="{n(box.x)}" y="{n(box.y)}" width="{n(box.width)}" height="{n(box.height)}"{corners}'
            f' fill="{box.fill or "none"}"{edge}/>'
        )

    def text(self, text: Text) -> str:
        n = self.number
        anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
        bold = ' font-weight="bold"' if text.bold else ""
        return (
            f'<text x="{n(text.x)}" y="{n(text.y)}" font-size="{n(text.size)}" fill="{text.fill}"{anchor}{bold}'
            f"{_KEPT if _BLANKS.search(text.text) else ''}>{escape(isolated(text.text))}</text>"
        )

    def path(self, path: Path) -> str:
        n = self.number
        if path.curve:
            (x0, y0), (x1, y1) = path.points[0], path.points[-1]
            middle = n((y0 + y1) / 2)
            way = f"M{n(x0)} {n(y0)}C{n(x0)} {middle} {n(x1)} {middle} {n(x1)} {n(y1)}"
        else:
            way = "M" + "L".join([f"{n(x)} {n(y)}" for x, y in path.points]) + ("Z" if path.fill else "")
        edge = f' stroke="{path.color}" stroke-width="{n(path.width)}"' if path.color else ""
        return f'<path d="{way}" fill="{path.fill or "none"}"{edge}/>'
