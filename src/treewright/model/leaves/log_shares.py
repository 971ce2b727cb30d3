"""Leaves of soft trees for classes: shares of classes, which several leaves mix by their logarithms."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.exponentials import shares_of_scores
from treewright.model.leaves.base import AnswerForm, Floats, LeafModel, SectionReader
from treewright.model.leaves.class_shares import ClassShares
from treewright.model.linear import NEVER
from treewright.model.routing import Routing
from treewright.model.ties import in_blocks
from treewright.table import TableSchema, TargetSchema


class LogShares(ClassShares):
    """Classes by scores, the logarithms of their shares in a leaf: gates mix scores, and what comes out is made shares again.

    A constant that is added to all scores of a leaf would change nothing, so a leaf is told by the shares its scores stand for.
    """

    kind = "log_shares"
    scored = True
    sections = ("mixed",)

    @cached_property
    def scores_of_nodes(self) -> Floats:
        """Scores of all classes in every node."""
        table = self.table
        shares = np.asarray(table if isinstance(table, np.ndarray) else table.toarray())
        return np.asarray(np.where(shares > 0, np.log(np.where(shares > 0, shares, 1.0)), NEVER))

    def mixed_entry(self, id: int) -> Floats:
        """The scores of a node."""
        row: Floats = self.scores_of_nodes[id]
        return row

    def mixed_shares(self, mixture: Floats) -> Floats:
        """The shares that mixed scores stand for."""
        return shares_of_scores(mixture, NEVER)

    def predict_mixed(self, n_rows: int, mixture: Callable[[NDArray[np.int64]], Floats]) -> NDArray[Any]:
        """The class of the largest share; of equal ones the class that was declared first."""

        def best(rows: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.argmax(self.mixed_shares(mixture(rows)), axis=1)

        return self.labels[in_blocks(np.arange(n_rows), len(self.labels), best)]

    def by_routes(self, routes: Any) -> Floats:
        """Class shares of the leaf of every row, as a mixture of that leaf alone."""
        return self.mixed_shares(self.scores_of_nodes[np.asarray(routes[0])])

    def predict(self, rows: Routing) -> NDArray[Any]:
        """The class of every row that ends in one leaf."""
        return self.labels[self.codes(rows.routes())]

    def program(self, id: int) -> AnswerForm:
        """The class, and the scores of all."""
        return self.nodes.entries.label[id], tuple(self.mixed_entry(id).tolist()), ()

    def pack(self) -> dict[str, Any]:
        """How leaves are mixed."""
        return {"mixed": "scores"}

    @classmethod
    def unpack(cls, section: SectionReader, core: _core.Tree, schema: TableSchema, target: TargetSchema) -> LogShares:
        """The leaves of a section."""
        if section.entry("mixed", str) != "scores":
            raise ValueError("mixed: leaves are mixed by scores, or as they are")
        return cls(core, schema, target)

    @classmethod
    def reads(cls, names: Container[str], target: TargetSchema) -> bool:
        """Whether the section says so."""
        return "mixed" in names and target.classes is not None

    @property
    def hard(self) -> LeafModel:
        """The same leaves for rows that end in one of them."""
        return ClassShares(self._tree, self.schema, self.target)
