"""Linear models of a tree as a part of its section: the core's columns, and how they are smoothed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import as_float
from treewright.model.linear import SMOOTHINGS, LinearModels, Smoothing, deviation_fault
from treewright.store.columns import array_form, array_of
from treewright.store.damage import Damage, entry, need, only, take


def pack(models: LinearModels) -> dict[str, Any]:
    """Return linear models as a section."""
    how = models.smoothing
    columns = {name: array_form(column) for name, column in models.state().items()}
    kept = {} if models.deviation is None else {"deviation": array_form(models.deviation)}
    return {"smoothing": how.kind, "k": how.k, "band": how.band, "columns": columns, **kept}


def unpack(section: Any, tree: _core.Tree) -> LinearModels:
    """Return the models of a section after checking that they fit the tree."""
    only(take(section, dict), "smoothing", "k", "band", "columns", "deviation")
    kind = entry(section, "smoothing", str)
    need(kind, kind in SMOOTHINGS, "an unknown smoothing")
    k, band = (_size(section, name) for name in ("k", "band"))
    form = entry(section, "columns", dict)
    types = _core.LinearModels.columns()
    only(form, *types)
    state = {name: array_of(form.get(name), dtype, name) for name, dtype in types.items()}
    try:
        core = _core.LinearModels.from_state(state, tree)
    except ValueError as error:
        raise Damage(str(error).removeprefix("the linear models are damaged: ")) from error
    return LinearModels(core, tree, Smoothing(kind, k, band), _deviation(section, tree))


def _deviation(section: dict[str, Any], tree: _core.Tree) -> NDArray[np.float64] | None:
    """How far targets lie from the equations of leaves, a number a node; files of before have none."""
    if "deviation" not in section:
        return None
    kept = array_of(section["deviation"], np.float64, "deviation")
    fault = deviation_fault(kept, tree)
    return np.asarray(need(kept, fault is None, fault or ""), np.float64)


def _size(section: dict[str, Any], name: str) -> float:
    value = section.get(name)
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(as_float(value)) and value >= 0
    return float(need(value, fits, f"{name}: not a number from 0 up"))
