"""Probabilities against what happened, on matplotlib axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import visible
from treewright.show.axes import axes
from treewright.show.cells import cut_to
from treewright.show.picture import GREY, class_color

if TYPE_CHECKING:
    from treewright.evaluate.calibrating import Calibration

_MARKERS = "osD^vP*X"  # a second way to tell models apart
_SHIFT = 0.006  # so that intervals of several models do not hide each other


def calibration_plot(found: Mapping[str, Calibration], ax: Any = None) -> Any:
    """Draw a curve with intervals per model, and below how many rows have each probability."""
    from mpl_toolkits.axes_grid1 import make_axes_locatable

    ax = axes(ax)
    below = make_axes_locatable(ax).append_axes("bottom", size="22%", pad=0.1, sharex=ax)
    ax.plot([0, 1], [0, 1], ":", color=GREY, label="as it should be")
    wide = 0.03 / max(1, len(found))
    for k, (name, each) in enumerate(found.items()):
        color, marker = class_color(k), _MARKERS[k % len(_MARKERS)]
        shift = _SHIFT * (k - (len(found) - 1) / 2)
        title = f"{_plain(name)}: " if name else ""
        spread = np.array([each.observed - each.low, each.high - each.observed])
        ax.errorbar(
            each.predicted + shift,
            each.observed,
            spread,
            color=color,
            marker=marker,
            markersize=5,
            linewidth=1.2,
            elinewidth=0.9,
            capsize=2,
            label=f"{title}error {each.error:.3f}, Brier {each.brier:.3f}",
        )
        below.bar(each.predicted + wide * (k - (len(found) - 1) / 2), each.n_rows, wide, color=color)
    labels = {each.label for each in found.values()}
    label = labels.pop() if len(labels) == 1 else None
    ax.set_ylabel("share of rows that are right" if label is None else f"share of rows that are {_plain(str(label))}")
    below.set_xlabel("probability of the predicted class" if label is None else f"probability of {_plain(str(label))}")
    below.set_ylabel("rows")
    ax.tick_params(labelbottom=False)
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.legend(fontsize="small", loc="best", framealpha=0.85)
    return ax


def _plain(text: str) -> str:
    """A name that matplotlib takes for no formula, and that leaves room for the rest."""
    return cut_to(visible(text), 40).replace("$", r"\$")
