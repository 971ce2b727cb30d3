"""Leaves that predict one number: the mean of the target among their training rows, or what the criterion has in its place."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.model.leaves.base import AnswerForm, Floats
from treewright.model.leaves.per_node import PerNode
from treewright.table import TargetSchema
from treewright.table.schema import apart, spread_text, value_text


class Means(PerNode):
    """A number per node."""

    kind = "means"
    by_nodes = True

    @property
    def predictions(self) -> Floats:
        """The number of every node."""
        return self.first_numbers

    def predict_mixed(self, n_rows: int, mixture: Callable[[NDArray[np.int64]], Floats]) -> Floats:
        """The mean of the leaves, by their shares of a row."""
        return mixture(np.arange(n_rows))[:, 0]

    def mixed_entry(self, id: int) -> Floats:
        """The number of a node."""
        return np.array([self.prediction(id)])

    def prediction(self, id: int) -> float:
        """The number of a node."""
        mean: float = self.nodes.entries.value[id]
        return mean

    def text(self, id: int) -> str:
        """The number, with as many digits as tell leaves apart, and the spread."""
        spread = self.spread(id)
        assert spread is not None
        return f"{value_text(self.prediction(id), self._texts)} {spread_text(spread)}"

    @cached_property
    def _texts(self) -> dict[float, str]:
        """Numbers of leaves that six digits do not tell apart."""
        return apart(self.nodes.value[self.nodes.is_leaf].tolist())

    def program(self, id: int) -> AnswerForm:
        """The number."""
        return -1, (self.prediction(id),), ()

    @classmethod
    def reads(cls, names: Container[str], target: TargetSchema) -> bool:
        """Whether a tree predicts one number, and no other kind does so for it."""
        return target.classes is None
