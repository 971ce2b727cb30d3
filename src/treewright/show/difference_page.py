"""Two trees compared as a page: what changed, of which rows, both trees side by side. No scripts, no fonts, no requests."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING

from treewright.errors import isolated, visible
from treewright.show.cells import cut_to
from treewright.show.difference import difference_svg, difference_text
from treewright.show.tables import html_table
from treewright.show.themes import picture_style
from treewright.table.schema import weight_text

if TYPE_CHECKING:
    from treewright.inspect.difference import Difference

_PLACES, _ROWS, _WIDE = 200, 200, 300  # places and rows that are listed, characters of a cell
_BUDGET = 60_000  # bytes of a picture in a notebook, which keeps every output
_STYLE = """
:root { color-scheme: light dark; --ink: #1c1d1f; --grey: #62645f; --edge: #dddcd5; --paper: #faf9f6; }
@media (prefers-color-scheme: dark) { :root { --ink: #eceae4; --grey: #a8a79f; --edge: #3a3c40; --paper: #17181a; } }
body { margin: 0 auto; max-width: 1200px; padding: 20px; background: var(--paper); color: var(--ink);
  font: 14px/1.5 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", Arial, sans-serif; }
h1 { font-size: 20px; } h2 { margin: 26px 0 8px; font-size: 15px; } p { margin: 6px 0; }
.grey { color: var(--grey); }
div { overflow-x: auto; }
div:focus-visible { outline: 2px solid #2f7de1; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--edge); text-align: left; vertical-align: top; }
th, td { overflow-wrap: anywhere; }
th { color: var(--grey); font-weight: 600; } .right { text-align: right; white-space: nowrap; }
svg { max-width: none; border-radius: 8px; }
"""


def difference_html(found: Difference, title: str = "Two trees compared") -> str:
    """Write a comparison as a page; see ``Difference.to_html``."""
    policy = f"default-src 'none'; style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'; base-uri 'none'"
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_said(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{_said(title)}</h1>",
            *_body(found, styled=False),
            f'<h2>Side by side</h2>\n<div role="region" aria-label="both trees" tabindex="0">{difference_svg(found)}</div>',
            "</main>\n</body>\n</html>\n",
        ]
    )


def difference_bundle(found: Difference) -> dict[str, str]:
    """The forms that a notebook may choose from."""
    picture = difference_svg(found)
    small = picture if len(picture.encode()) <= _BUDGET else ""
    html = "\n".join(
        [
            f'<div class="tw-diff">{picture_style("tw-diff")}',
            *_body(found, styled=True),
            f'<div style="overflow-x:auto">{small}</div>' if small else "",
            "</div>",
        ]
    )
    return {"text/plain": difference_text(found), "text/html": html, "image/svg+xml": picture}


def _body(found: Difference, styled: bool) -> list[str]:
    """What changed in numbers, the places where the trees part, and the rows that are told something else."""
    out = [f"<p>{at}: {_said(size)}</p>" for at, size in enumerate(found.sizes, 1)]
    if found.rows is not None and found.changed is not None:
        text = f"{weight_text(found.changed)} of {weight_text(found.rows)} rows are told something else"
        if found.mended is not None and found.spoiled is not None:
            text += f": {weight_text(found.mended)} mended, {weight_text(found.spoiled)} spoiled"
        out.append(f"<p>{text}.</p>")
    if found.errors is not None:
        out.append("<p>Errors {:.4g} and {:.4g}.</p>".format(*found.errors))
    if found.answers:
        lines = [[str(a), str(b), weight_text(weight)] for a, b, weight in found.answers[:_PLACES]]
        out += ["<h2>What is told instead</h2>", _table(["first", "second", "rows"], lines, 2, styled)]
    if found.same:
        out.append("<p>Both ask and say the same everywhere.</p>")
    else:
        out += ["<h2>Where they part</h2>", _places(found, styled)]
    if found.which and found.changed:
        listed = ", ".join(str(row + 1) for row in found.which[:_ROWS])
        more = ", …" if len(found.which) > _ROWS else ""
        out.append(f'<h2>Rows that are told something else</h2>\n<p class="grey">{listed}{more}</p>')
    return out


def _places(found: Difference, styled: bool) -> str:
    head, lines = ["where", "first", "second"], []
    with_rows = found.rows is not None
    for place in found.nodes[:_PLACES]:
        own = [weight_text(place.rows or 0), weight_text(place.changed or 0)] if with_rows else []
        lines.append([place.where, place.first, place.second, *own])
    if len(found.nodes) > _PLACES:
        lines.append([f"… {len(found.nodes) - _PLACES} more places", "", "", *(["", ""] if with_rows else [])])
    return _table([*head, *(["rows", "told something else"] if with_rows else [])], lines, 3, styled)


def _table(head: list[str], lines: list[list[str]], right: int, styled: bool) -> str:
    """A table whose columns from ``right`` on are numbers."""
    return f"<div>{html_table(head, lines, range(right, len(head)), styled=styled, most=_WIDE)}</div>"


def _said(text: object) -> str:
    return escape(isolated(cut_to(visible(str(text)), _WIDE)))
