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
    )


def set_vectors(settings: _core.GrowSettings, keep_targets: bool) -> None:
    """Let a tree be grown for targets of several numbers; refuse what is only for one."""
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
    routes: Any = core.route(arrays, len(values), 1)
    leaf = np.asarray(routes[0], np.int64)
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    depths = np.asarray(core.depths(), np.int64)
    sums = np.zeros((len(depths), values.shape[1] + 1))
    alone = np.bincount(leaf, minlength=len(depths))[leaf] == 1
    together = leaf[~alone]
    for j, number in enumerate([*values.T, np.ones(len(values))]):
        product = weight * number
        sums[leaf[alone], j] = product[alone]
        # In the order of what is added, so that the order of rows does not matter.
        product = product[~alone]
        order = np.lexsort((product, together))
        first = np.flatnonzero(np.diff(together[order], prepend=-1))
        if len(first):
            sums[together[order][first], j] = np.add.reduceat(product[order], first)
    # Branches are added to their nodes, level by level from the deepest: two of each, side by side.
    first = np.asarray(NodeColumns.of(core).first_child, np.int64)
    inner = np.flatnonzero(first)
    order = inner[np.argsort(-depths[inner], kind="stable")]
    for nodes in np.split(order, np.flatnonzero(np.diff(depths[order])) + 1):
        sums[nodes] += sums[first[nodes] + 1]
        sums[nodes] += sums[first[nodes]]
    out: NDArray[np.float64] = sums[:, :-1] / sums[:, -1:]
    return out
