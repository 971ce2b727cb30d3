"""What is said about the weights of a table; targets of several numbers a row."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import TreewrightWarning, counted, outside
from treewright.recipes import find

_VISIBLE = 0.01  # a weight that is off by more than this part of itself


def warn_if_rounded(weights: NDArray[Any] | None) -> None:
    """Warn when the lightest rows weigh so little beside all others that their weights are kept only roughly."""
    off = 0.0 if weights is None else _core.weight_rounding(np.ascontiguousarray(weights))
    if off > _VISIBLE:
        assert weights is not None
        if off < 0.5:
            about = f"are off by up to {100 * 10 ** math.ceil(math.log10(off)):.4g} %"
        else:
            about = f"count as {float(np.sum(weights)) / 2**46:.1g}"
        warnings.warn(
            f"sample_weight reaches from {float(np.min(weights)):.3g} to {float(np.max(weights)):.3g}, and weights are kept to "
            f"2^-46 of their sum: the lightest {about}; drop such rows, or raise their weights",
            TreewrightWarning,
            stacklevel=outside(),
        )


def warn_if_light(total: float, split: float, leaf: float, weighted: bool) -> None:
    """Warn when the whole table weighs too little for even one split."""
    needed = max(split, 2 * leaf)
    if total < needed:
        few = f"the weights sum to {total:g}" if weighted else f"the table has {counted(int(total), 'row')}"
        count, remedy = (" count weight", "scale the weights or lower the limits") if weighted else ("", "lower the limits")
        warnings.warn(
            f"{few}, a split needs {needed:g} (min_samples_split, min_samples_leaf{count}): the tree is a single leaf; {remedy}",
            TreewrightWarning,
            stacklevel=outside(),
        )


def warn_of_rows_beyond(count: int, bound: float, worst: float) -> None:
    """Say how many rows are off by more than the bound of the worst case."""
    if count:
        warnings.warn(
            f"{count} training {'row is' if count == 1 else 'rows are'} off by more than min_impurity={bound:g}, "
            f"by up to {worst:.6g}: "
            "rows of their leaves are equal in all columns, missing cells keep them together, "
            "or a limit such as max_depth stopped the growth",
            TreewrightWarning,
            stacklevel=outside(),
        )


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
    state = core.state()
    routes: Any = core.route(arrays, len(values), 1)
    leaf = np.asarray(routes[0], np.int64)
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    sums = np.zeros((len(state["parent"]), values.shape[1] + 1))
    for j, number in enumerate([*values.T, np.ones(len(values))]):
        # In the order of what is added, so that the order of rows does not matter.
        part = weight * number
        order = np.lexsort((part, leaf))
        first = np.flatnonzero(np.r_[True, np.diff(leaf[order]) > 0])
        sums[leaf[order][first], j] = np.add.reduceat(part[order], first)
    for node in range(len(sums) - 1, 0, -1):  # children come after their parent
        sums[state["parent"][node]] += sums[node]
    out: NDArray[np.float64] = sums[:, :-1] / sums[:, -1:]
    return out
