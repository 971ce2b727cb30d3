"""Columns of the nodes of many trees, without what follows from the others: a forest has them by the million.

Left out are steps where nodes were divided in the order of their numbers, cuts that lie in the middle between the cells
beside them, and where classes weigh whole numbers the weights of nodes, their Gini index and its fall. The cells beside cuts
are numbers of 32 bits in most tables of floats: then the shortest decimals that tell these are written.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.store.columns import array_of
from treewright.store.damage import Damage, need, only

Floats = NDArray[np.float64]
_CELLS = ("cut_below", "cut_above")
FACTS = ("weight", "impurity", "gain")
_HEAVY = 2.0**31  # squares of less are exact in 64 bits


def lean(form: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a tree without those that follow; ``state`` is what they were made of."""
    out = dict(form)
    if np.array_equal(state["step"], _steps(state["first_child"])):
        del out["step"]
    if "cut_at" in form:
        if np.array_equal(state["cut_at"], _middles(state["cut_below"], state["cut_above"], _strict(state))):
            del out["cut_at"]
        for name in _CELLS:
            if (single := _decimals(state[name])) is not None:
                out[name] = {"single": single}
    for name, fact in (_facts(state) or {}).items():
        if np.array_equal(fact.view(np.uint64), state[name].view(np.uint64)):
            del out[name]
    return out


def full(form: dict[str, Any]) -> dict[str, Any]:
    """Return the columns with cells beside cuts as numbers of 64 bits; what follows is made by :func:`follow`."""
    out = dict(form)
    for name in _CELLS:
        if isinstance(held := form.get(name), dict):
            only(held, "single")
            cells = array_of(held.get("single"), np.float64, name)
            with np.errstate(over="ignore"):
                single = cells.astype(np.float32)
            need(cells, bool(np.all(np.isfinite(single))), f"{name}: a number beyond 32 bits")
            out[name] = single.astype(np.float64)
    return out


def follow(form: dict[str, Any], state: dict[str, Any]) -> None:
    """Add to the columns of a tree those that were left out."""
    if "step" not in form:
        state["step"] = _steps(state["first_child"])
    if not form.keys() >= set(FACTS):
        if (facts := _facts(state)) is None:
            raise Damage("weight, impurity and gain are left out, but classes do not weigh whole numbers")
        state.update((name, facts[name]) for name in FACTS if name not in form)
    if "cut_at" not in form and len(state["cut_below"]):
        cuts = np.diff(state["cut_begin"].astype(np.int64))
        fits = len(state["cut_above"]) == len(state["cut_below"]) == int(cuts.sum()) and len(cuts) == len(state["strict"])
        need(form, fits, "cut_below: not one for every cut")
        state["cut_at"] = _middles(state["cut_below"], state["cut_above"], _strict(state))


def _facts(state: dict[str, Any]) -> dict[str, Floats] | None:
    """What follows from the weights of classes as the core computes it, operation by operation; None where they are not whole."""
    counts, weights, split = np.diff(state["class_begin"].astype(np.int64)), state["class_weight"], state["n_children"] > 0
    if (
        len(counts) != len(split)
        or not len(counts)
        or counts.min() < 1
        or counts.sum() != len(weights)
        or np.any(state["n_children"][split] != 2)
    ):
        return None
    if not np.all((weights >= 0) & (weights < _HEAVY) & (np.trunc(weights) == weights)):
        return None
    begin, whole = np.cumsum(counts) - counts, weights.astype(np.int64)
    weight = np.add.reduceat(whole, begin).astype(np.float64)
    if weight.min() < 1 or weight.max() >= _HEAVY:
        return None
    worth = np.add.reduceat(whole * whole, begin) / weight
    impurity = np.where(counts == 1, 0.0, np.maximum(0.0, 1 - worth / weight))
    first = state["first_child"][split].astype(np.int64)
    fall = worth[first] + worth[first + 1] - worth[split]
    noise = np.maximum(1e-12 * impurity[split] * weight[split], 1e-15 * weight[split])
    gain = np.zeros(len(counts))
    gain[split] = np.where(fall > noise, fall / weight[split], 0.0)
    return {"weight": weight, "impurity": impurity, "gain": gain}


def _steps(first: NDArray[Any]) -> NDArray[np.int32]:
    """The steps of nodes that were divided in the order in which their children are numbered; -1 for leaves."""
    out = np.full(len(first), -1, np.int32)
    inner = np.flatnonzero(first)
    out[inner[np.argsort(first[inner], kind="stable")]] = np.arange(len(inner))
    return out


def _strict(state: dict[str, Any]) -> NDArray[np.bool_]:
    """Of every cut whether it belongs to the upper side."""
    return np.repeat(state["strict"] == 1, np.diff(state["cut_begin"].astype(np.int64)))


def _middles(below: Floats, above: Floats, strict: NDArray[np.bool_]) -> Floats:
    """The thresholds that the core puts between neighbouring cells, operation by operation."""
    with np.errstate(all="ignore"):
        gap = above - below
        middle = np.where(np.isfinite(gap), below + gap / 2, below / 2 + above / 2)
        upper = np.where((middle > below) & (middle <= above), middle, above)
        lower = np.where((middle >= below) & (middle < above), middle, below)
    return np.where(strict, upper, lower)


def _decimals(cells: Floats) -> Floats | None:
    """Numbers whose decimals are the shortest that tell cells of 32 bits; None where cells are not of 32 bits."""
    with np.errstate(over="ignore", invalid="ignore"):
        single = cells.astype(np.float32)
    if not len(cells) or not np.array_equal(single.astype(np.float64).view(np.uint64), cells.view(np.uint64)):
        return None
    if not np.all(np.isfinite(cells)):
        return None
    short = single.astype("U16").astype(np.float64)
    return short if np.array_equal(short.astype(np.float32), single) else None
