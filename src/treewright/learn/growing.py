"""Growing one tree: which of equal columns is taken, and what a recipe does with the grown tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright import _core, parts
from treewright.errors import real, shown
from treewright.learn.jobs import Progress
from treewright.learn.settings import chosen
from treewright.learn.values import flag
from treewright.prune.rpart import rpart_ends
from treewright.recipes import find
from treewright.table import ColumnSchema


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree of the core, the models of its nodes where they have some, and what else was found on the way."""

    core: _core.Tree
    models: _core.LinearModels | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def grow(table: _core.TableInput, settings: _core.GrowSettings, progress: Progress) -> _core.Tree:
    """Grow a tree."""
    with progress.shown("growing") as tell:
        return _core.grow(table, settings, tell)


def finish(core: _core.Tree, table: _core.TableInput, params: dict[str, Any], settings: _core.GrowSettings) -> _core.Tree:
    """Do with a grown tree what its recipe does: undo useless splits, move thresholds to training values, prune by cost."""
    recipe = find(params["recipe"])
    if flag("collapse", chosen(params, "collapse", recipe.collapse)):
        core = core.cut_back(_core.useless_splits(core))
    if chosen(params, "threshold_at", recipe.threshold_at) == "training":
        core = _core.at_training_values(core, table)
    complexity = chosen(params, "cp", recipe.cp)
    if complexity is not None:
        cp = real("cp", complexity, 0.0)
        risk = np.asarray(_core.own_risk(core, "error", _core.Stakes([], settings.loss, "variance")))
        if recipe.as_rpart:
            ends, _ = rpart_ends(core.state(), risk, cp, np.asarray(settings.loss_sums) if settings.loss_sums else None)
        else:
            ends = np.asarray(_core.cost_complexity(core, risk)) <= cp * risk[0]
        core = core.cut_back(np.ascontiguousarray(ends, np.uint8))
    return core


def set_ties(settings: _core.GrowSettings, ties: Any, columns: list[ColumnSchema]) -> None:
    """Say which of several equally good columns is taken: by a rule of the core, or by a function of the user."""
    if not callable(ties):
        settings.ties = parts.check_name("ties", ties, ("first", "seeded"))
        return

    def ask(tied: list[tuple[int, float, float]], path: list[tuple[int, int]]) -> int:
        names = [columns[column].name for column, _, _ in tied]
        answer = ties(names, [(columns[column].name, branch) for column, branch in path])
        if answer in names:
            return names.index(answer)
        if isinstance(answer, (int, np.integer)) and 0 <= answer < len(names):
            return int(answer)
        raise ValueError(f"ties: the callable returned {shown(answer)}; it must return one of {names} or its position")

    settings.ask(ask)
