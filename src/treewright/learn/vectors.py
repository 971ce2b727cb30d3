"""Targets of several numbers per row: what they are grown with, and what nodes predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.model.node_columns import NodeColumns
from treewright.recipes import find

_ONE_WAY = ("learned", "majority", "ignore", "most_common", "refuse")


def takes_several(params: dict[str, Any]) -> bool:
    """Whether an estimator with these parameters takes targets of several numbers."""
    recipe = find(params["recipe"])
    criterion = params.get("criterion") or recipe.regression_criterion
    return (
        isinstance(criterion, str)
        and parts.ALIASES.get(criterion, criterion) == "variance"
        and (params.get("numeric") or recipe.numeric) == "threshold"
        and (params.get("nominal") or recipe.nominal) == "subset"
        and (params.get("missing") or recipe.missing) in _ONE_WAY
        and params.get("splitter", "best") == "best"
    )


def set_vectors(settings: _core.GrowSettings, keep_targets: bool) -> None:
    """Let a tree be grown for targets of several numbers; refuse what is only for one."""
    if settings.drawn:
        raise ValueError("splitter='random' is for one number a row, y has several: use splitter='best'")
    if settings.criterion != "variance":
        raise ValueError(f"criterion {settings.criterion!r} is for one number a row, y has several: use criterion='variance'")
    if settings.numeric != "threshold" or settings.nominal != "subset":
        raise ValueError(
            "y has several numbers a row, for which splits have two branches: use numeric='threshold', nominal='subset'"
        )
    if settings.missing not in _ONE_WAY:
        raise ValueError(f"missing={settings.missing!r} is for one number a row, y has several: use one of {', '.join(_ONE_WAY)}")
    if keep_targets:
        raise ValueError("keep_targets=True is for one number a row, y has several")
    settings.criterion = "vectors"


def node_means(
    core: _core.Tree, arrays: list[NDArray[Any]], values: NDArray[np.float64], weights: NDArray[Any] | None
) -> NDArray[np.float64]:
    """The mean of every number over the rows of every node: nodes x numbers."""
    parent = NodeColumns.of(core).parent
    routes: Any = core.route(arrays, len(values), 1)
    leaf = np.asarray(routes[0], np.int64)
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    sums = np.zeros((len(parent), values.shape[1] + 1))
    for j, number in enumerate([*values.T, np.ones(len(values))]):
        # In the order of what is added, so that the order of rows does not matter.
        product = weight * number
        order = np.lexsort((product, leaf))
        first = np.flatnonzero(np.r_[True, np.diff(leaf[order]) > 0])
        sums[leaf[order][first], j] = np.add.reduceat(product[order], first)
    for node in range(len(sums) - 1, 0, -1):  # children come after their parent
        sums[parent[node]] += sums[node]
    out: NDArray[np.float64] = sums[:, :-1] / sums[:, -1:]
    return out
