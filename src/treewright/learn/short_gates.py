"""Gates of few terms: those that weigh least are left out, and what stays is trained again."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learn.soft_tree import Floats, SoftNodes

_KEPT = 2 / 3  # of the terms of a gate in every round


def shortened(
    told: dict[str, Any], most: int, shape: tuple[int, int], rows: _core.SoftRows, how: _core.SoftSettings
) -> dict[str, Any]:
    """The tree with gates of at most so many terms (backward elimination): a third of them goes at a time.

    Columns are on one scale here, so that weights tell what columns matter. ``shape``: columns, and numbers a leaf says. Beside
    the tree stands which of its parameters later training leaves ``free``.
    """
    nodes = SoftNodes.read(told, *shape)
    told = nodes.told()
    while any(np.count_nonzero(gate[:-1]) > most for gate in nodes.gate.values()):
        nodes = replace(nodes, gate={i: _heaviest(gate, most) for i, gate in nodes.gate.items()})
        free = nodes.flags(used)
        told = {**_core.refine_soft(rows, {**nodes.told(), "free": free}, how)[0], "free": free}
        nodes = SoftNodes.read(told, *shape)
    return told


def used(gate: Floats) -> NDArray[np.bool_]:
    """The terms of a gate, and its constant."""
    return np.append(gate[:-1] != 0, True)


def _heaviest(gate: Floats, most: int) -> Floats:
    """A gate without the terms that weigh least, in the next round."""
    used = np.count_nonzero(gate[:-1])
    if used <= most:
        return gate
    out = gate.copy()
    out[np.argsort(-np.abs(gate[:-1]), kind="stable")[max(most, math.floor(_KEPT * used)) :]] = 0.0
    return out
