"""Growing one tree, and which of equally good columns is taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright import _core, parts
from treewright.errors import shown
from treewright.learn.jobs import Progress
from treewright.table import ColumnSchema


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree of the core, the models of its nodes where they have some, and further facts."""

    core: _core.Tree
    models: _core.LinearModels | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def grow(table: _core.TableInput, settings: _core.GrowSettings, progress: Progress) -> _core.Tree:
    """Grow a tree; what its recipe does with it then is among the settings."""
    with progress.shown("growing") as tell:
        return _core.grow(table, settings, tell)


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

    settings.tie_breaker(ask)
