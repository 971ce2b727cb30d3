"""The naive learner of the courses: a path of all columns for every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from treewright import _core
from treewright.errors import counted, out_of_range, shown
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.growing import Grown
from treewright.learn.jobs import Progress
from treewright.learn.planted import Answer, Cells, Test, plant
from treewright.learn.training import Rows, Training
from treewright.learn.values import is_whole, seed_of

POLICIES = ("refuse", "majority")


@dataclass(kw_only=True, eq=False, repr=False)
class MemorisingTreeParameters:
    """Parameters of ``MemorisingTreeClassifier``, which describes them."""

    order: Any = None
    missing: str | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


class MemorisingTreeLearner(ClassTreeLearner[MemorisingTreeParameters]):
    """A tree that memorises its rows."""

    name = "MemorisingTreeClassifier"
    Parameters = MemorisingTreeParameters
    recipe = "id3"
    stored: ClassVar[dict[str, str]] = {**ClassTreeLearner.stored, "splits_after_": "value"}

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""
        if self.given["missing"] not in (None, *POLICIES):
            raise out_of_range("missing", self.given["missing"], "'refuse' or 'majority'")
        if isinstance(self.params.order, str) or not isinstance(self.params.order, (Sequence, np.ndarray, type(None))):
            raise out_of_range("order", self.params.order, "a list of all columns by name or position, or None")

    def order(self, training: Training) -> list[int]:
        """The columns in the order in which every path tests them."""
        names = [column.name for column in training.columns]
        if self.params.order is None:
            return list(range(len(names)))
        asked = list(self.params.order)
        places = [names.index(one) if one in names else int(one) if is_whole(one) else -1 for one in asked]
        if sorted(places) != list(range(len(names))):
            raise ValueError(
                f"order={shown(asked)} must list every column once: the table has {counted(len(names), 'column')}, {shown(names)}"
            )
        return places

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of the training rows."""
        self.check_own()
        training.check_all(settings.missing, "missing='majority'")
        order, cells = self.order(training), Cells(training)
        rng = np.random.default_rng(seed_of(self.params.random_state))
        occurring = np.unique(training.codes)
        born: list[int] = []

        def ask(rows: Rows, at: int) -> Test[int] | Answer:
            if len(rows) == 0:
                return Answer(int(occurring[rng.integers(len(occurring))]))
            while at < len(order):
                column = order[at]
                at += 1
                cuts = () if cells.columns[column].nominal else cells.cuts(column, rows)
                levels = len(cells.columns[column].levels) if cells.columns[column].nominal else 0
                n = len(cuts) + 1 if cuts else levels
                known = not cells.columns[column].nominal or bool(np.any(cells.of[column][rows] >= 0))
                if n > 1 and known:
                    born.append(int(rows[0]))
                    return Test(column, (at,) * n, cuts, born[-1])
            return Answer()

        with progress.shown("memorising") as tell:
            core = plant(training, 0, ask, tell)
        grown = np.cumsum(np.bincount(born, minlength=len(training.codes)))
        return Grown(core, facts={"splits_after_": grown})
