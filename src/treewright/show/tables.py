"""Small tables of results: as text, as HTML with every cell escaped, as frames."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from html import escape
from importlib.util import find_spec
from typing import Any

from treewright.errors import isolated, visible
from treewright.show.cells import cells, cut_to

_NAME = 40  # columns of a cell


def score_text(value: float, sign: str = "") -> str:
    """A score as it is printed: three decimals, or four digits where it is very small or large; nothing where there is none."""
    if not math.isfinite(value):
        return ""
    return f"{value:{sign}.3f}" if value == 0 or 0.0005 <= abs(value) < 1000 else f"{value:{sign}.4g}"


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Container[int] = ()) -> str:
    """Write a table as text, two blanks between its columns; those of the positions ``right`` are aligned to the right."""
    written = [[cut_to(visible(cell), _NAME) for cell in row] for row in (head, *rows)]
    wide = [max(cells(row[j]) for row in written) for j in range(len(head))]
    lines = []
    for row in written:
        padded = [
            " " * (room - cells(cell)) + cell if j in right else cell + " " * (room - cells(cell))
            for j, (cell, room) in enumerate(zip(row, wide, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def html_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Container[int] = (),
    marked: Container[int] = (),
    styled: bool = True,
    most: int = 2 * _NAME,
) -> str:
    """Write a table as HTML, ``most`` columns a cell; marked rows are bold. Not ``styled``: with classes, for a page's style."""

    def cell(tag: str, text: str, right: bool, bold: bool) -> str:
        style = f' style="padding:0 0.6em;text-align:{"right" if right else "left"}{";font-weight:bold" * bold}"'
        kinds = " ".join(["right"] * right + ["bold"] * bold)
        given = style if styled else f' class="{kinds}"' if kinds else ""
        return f"<{tag}{given}>{escape(isolated(cut_to(visible(text), most)))}</{tag}>"

    lines = ["<table>", "<tr>" + "".join(cell("th", text, j in right, False) for j, text in enumerate(head)) + "</tr>"]
    for at, row in enumerate(rows):
        lines.append("<tr>" + "".join(cell("td", text, j in right, at in marked) for j, text in enumerate(row)) + "</tr>")
    return "\n".join([*lines, "</table>"])


def frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns as a pandas frame, or as an Arrow table where pandas is not installed."""
    if find_spec("pandas") is not None:
        import pandas as pd

        return pd.DataFrame({name: list(column) for name, column in columns.items()})
    import pyarrow as pa

    return pa.table({name: pa.array(list(column)) for name, column in columns.items()})
