"""How well answers agree with the actual ones, as a picture: confusions, ROC curves, calibration; numbers against numbers."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.show.calibration import calibration_plot
from treewright.show.cells import cut_to
from treewright.show.picture import GREY, class_color

_NAMED = 8  # classes whose curves are drawn and named
_WRITTEN = 12  # classes whose counts are written into the cells
Floats = NDArray[np.float64]


def picture(told: Any, form: str) -> bytes:
    """Draw what ``cli.scores`` found as a picture of this form, the same bytes for the same numbers."""
    import matplotlib as mpl

    mpl.use("agg")
    with mpl.rc_context({"svg.hashsalt": "treewright", "svg.fonttype": "none"}):
        figure = _of_classes(*told) if len(told) == 3 else _of_numbers(*told)
        out = io.BytesIO()
        figure.savefig(out, format=form, dpi=150, metadata={"Date": None} if form == "svg" else {"Software": None})
    return out.getvalue()


def _figure(width: float, panels: int) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, panels)


def _of_classes(names: list[str], table: NDArray[np.int64], found: Any) -> Any:
    figure, (left, middle, right) = _figure(14, 3)
    _confusions(left, names, table)
    _roc(middle, names, found.actual, found.shares)
    calibration_plot({"": found.calibration}, right)
    right.set_title("calibration")
    return figure


def _confusions(ax: Any, names: list[str], table: NDArray[np.int64]) -> None:
    share = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    ax.imshow(share, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    if len(names) <= _WRITTEN:
        for (i, j), count in np.ndenumerate(table):
            ax.text(j, i, f"{count:,}", ha="center", va="center", color="white" if share[i, j] > 0.55 else "black")
        short = [cut_to(name, 14) for name in names]
        ax.set_xticks(range(len(names)), short, rotation=0 if len(names) < 4 else 40, ha="center" if len(names) < 4 else "right")
        ax.set_yticks(range(len(names)), short)
        for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
            text.set_parse_math(False)
    ax.set_xlabel("predicted")
    ax.set_ylabel("actual")
    ax.set_title("rows; colour: share of the actual class")


def _roc(ax: Any, names: list[str], actual: NDArray[np.int64], shares: Floats) -> None:
    ax.plot([0, 1], [0, 1], ":", color=GREY, label="by chance")
    looked_at = [1] if len(names) == 2 else range(min(len(names), _NAMED))
    for j in looked_at:
        x, y = _curve(actual == j, shares[:, j])
        (line,) = ax.plot(x, y, color=class_color(j), marker="o" if len(x) < 40 else "", markersize=3)
        line.set_label(cut_to(names[j], 24).replace("$", r"\$"))
    more = f" (first {_NAMED} classes)" if len(names) > _NAMED else ""
    ax.set_title(f"ROC: class found against false alarms{more}")
    ax.set_xlabel("share of the other rows that are taken for the class")
    ax.set_ylabel("share of its rows that are found (recall)")
    ax.legend(fontsize="small", loc="lower right")


def _curve(happened: NDArray[np.bool_], score: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.append(score[order][1:] != score[order][:-1], True))
    found, false = np.cumsum(happened[order])[ends], np.cumsum(~happened[order])[ends]
    return np.append(0, false) / max(int((~happened).sum()), 1), np.append(0, found) / max(int(happened.sum()), 1)


def _of_numbers(actual: Floats, predicted: Floats) -> Any:
    figure, (left, right) = _figure(10, 2)
    low, high = min(actual.min(), predicted.min()), max(actual.max(), predicted.max())
    left.plot([low, high], [low, high], ":", color=GREY)
    left.plot(
        predicted, actual, "o", markersize=3, alpha=min(1.0, 30 / len(actual) ** 0.5), color=class_color(0), rasterized=True
    )
    left.set_xlabel("predicted")
    left.set_ylabel("actual")
    left.set_title("actual against predicted")
    right.hist(actual - predicted, bins=min(60, max(10, int(len(actual) ** 0.5))), color=class_color(0))
    right.axvline(0, color=GREY, linestyle=":")
    right.set_xlabel("actual - predicted")
    right.set_ylabel("rows")
    right.set_title("errors")
    return figure
