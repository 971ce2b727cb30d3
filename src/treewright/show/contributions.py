"""Plots of contributions: from the base to the answer of one row, and their mean size over all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import out_of_range, visible
from treewright.show.axes import axes, check_axes, pyplot
from treewright.show.cells import cut_to
from treewright.show.picture import GREY, INK, class_color
from treewright.table.schema import value_text

if TYPE_CHECKING:
    from treewright.inspect.contributions import Contributions

_NAME = 40  # characters of a name
_MORE, _LESS = class_color(0), class_color(5)


def plot_contributions(found: Contributions, row: Any, of: Any, max_columns: Any, ax: Any) -> Any:
    """Draw contributions; see ``Contributions.plot``."""
    if isinstance(max_columns, bool) or not isinstance(max_columns, int) or max_columns < 1:
        raise out_of_range("max_columns", max_columns, "a whole number from 1 up")
    check_axes(ax)
    if row is not None:
        return _of_row(found, found.row(row), of, max_columns, ax)
    if len(found) == 0:
        raise ValueError("there are no rows whose contributions could be averaged: ask for those of some rows")
    return _of_all(found, of, max_columns, ax)


def _of_row(found: Contributions, row: int, of: Any, most: int, ax: Any) -> Any:
    if of is None and found.classes is not None:
        of = found.classes[int(np.argmax(found.answers[row]))]
    if of is None and found.several:
        of = found.several[0]
    base, values = found.of(of)
    kept, rest = _largest(np.abs(values[row]), most)
    names = [_cell(found, row, j) for j in kept]
    sizes = values[row][kept]
    if len(rest):
        names.append(f"{len(rest)} other columns" if len(rest) > 1 else _cell(found, row, int(rest[0])))
        sizes = np.append(sizes, values[row][rest].sum())
    ax = _axes(ax, len(names))
    begin = base + np.concatenate([[0.0], np.cumsum(sizes)])
    ax.barh(range(len(sizes)), sizes, left=begin[:-1], height=0.7, color=[_MORE if size >= 0 else _LESS for size in sizes])
    # Bars are read by where they end, so that each leads to the next.
    for i, end in enumerate(begin[1:].tolist()):
        ax.plot([end, end], [i - 0.35, min(i + 1.35, len(sizes) - 0.65)], color=GREY, linewidth=0.75, zorder=3)
    _write_sizes(ax, begin, sizes)
    answer = float(begin[-1])
    ax.axvline(base, color=GREY, linewidth=0.75, linestyle=":", zorder=0)
    ax.axvline(answer, color=INK, linewidth=0.75, linestyle=":", zorder=0)
    _label(ax, names)
    what = "answer" if of is None else f"share of {_short(str(of))}" if found.classes is not None else _short(str(of))
    ax.set_xlabel(f"{what}\nfrom {value_text(base)} (nothing known) to {value_text(answer)}", parse_math=False)
    return ax


def _write_sizes(ax: Any, begin: NDArray[np.float64], sizes: NDArray[np.float64]) -> None:
    """Write every size behind the end of its bar, on the side where there is room."""
    low, high = float(begin.min()), float(begin.max())
    room = (high - low) or 1.0
    ax.set_xlim(low - 0.16 * room, high + 0.16 * room)
    for i, size in enumerate(sizes.tolist()):
        left = size < 0
        at = min(begin[i], begin[i + 1]) if left else max(begin[i], begin[i + 1])
        sign = "−" if size < 0 else "+"
        away = -3 if left else 3
        ax.annotate(
            f"{sign}{abs(size):.3g}",
            (at, i),
            (away, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize="small",
            color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )


def _of_all(found: Contributions, of: Any, most: int, ax: Any) -> Any:
    # Of two classes, one gains what the other loses; numbers of several kinds are not added up.
    several = list(found.several) if of is None and len(found.classes or ()) > 2 else []
    if of is None and not several and found.several:
        of = found.several[0] if found.classes is None else found.several[-1]
    parts = [np.abs(found.of(each)[1]).mean(axis=0) for each in several or [of]]
    total = np.sum(parts, axis=0)
    kept, rest = _largest(total, most)
    names = [_short(found.names[j]) for j in kept]
    if len(rest):
        names.append(f"{len(rest)} other columns" if len(rest) > 1 else _short(found.names[int(rest[0])]))
    ax = _axes(ax, len(names))
    left = np.zeros(len(names))
    for k, part in enumerate(parts):
        sizes = np.append(part[kept], part[rest].sum()) if len(rest) else part[kept]
        label = _short(str(several[k])) if several else None
        ax.barh(range(len(names)), sizes, left=left, height=0.7, color=class_color(k), label=label)
        left += sizes
    _label(ax, names)
    ax.set_xlim(left=0)
    what = "" if of is None else f" to {_short(str(of))}"
    ax.set_xlabel(f"mean size of the contribution{what}", parse_math=False)
    if several:
        for text in ax.legend(fontsize="small").get_texts():
            text.set_parse_math(False)
    return ax


def _largest(sizes: NDArray[np.float64], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the largest sizes, the largest first, and of the others; what is 0 is left out."""
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0] if np.any(sizes > 0) else order[:1]
    return order[:most], order[most:]


def _axes(ax: Any, n: int) -> Any:
    if ax is not None:
        return axes(ax)
    return pyplot().figure(figsize=(6.4, 1.1 + 0.32 * n), layout="constrained").add_subplot()


def _label(ax: Any, names: list[str]) -> None:
    ax.set_yticks(range(len(names)), names)
    for text in ax.get_yticklabels():
        text.set_parse_math(False)  # a $ in a name is a $
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _cell(found: Contributions, row: int, column: int) -> str:
    cell = found.cell(row, column)
    return f"{_short(found.names[column])} {'missing' if cell is None else '= ' + cut_to(visible(cell), 20)}"


def _short(name: str) -> str:
    return cut_to(visible(name), _NAME)
