"""Leaves that predict a class by scores: a linear model per class (logistic model trees: Landwehr, Hall and Frank 2005)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.leaves.base import Floats, LeafTexts, SectionReader, class_weights
from treewright.model.leaves.linear import LinearModels
from treewright.model.linear import NEVER, Scores
from treewright.model.routing import Routing
from treewright.model.ties import in_blocks
from treewright.table.target import class_array


class ClassScores(LinearModels):
    """A score per class and node; the share of a class is the exponential of its score over the sum of all."""

    kind = "class_scores"
    scored = True

    @cached_property
    def labels(self) -> NDArray[Any]:
        """The classes as an array, in declared order."""
        return class_array(self.target.classes or ())

    def predict(self, rows: Routing) -> NDArray[Any]:
        """The class of the largest share, some rows at a time."""
        arrays, n_rows = rows.cells()

        def best(some: NDArray[np.int64]) -> NDArray[np.int64]:
            here = [array[some[0] : some[-1] + 1] for array in arrays]
            return np.argmax(self.answers(here, len(some), rows.threads), axis=1)

        return self.labels[in_blocks(np.arange(n_rows), len(self.labels), best)]

    def shares(self, rows: Routing) -> Floats:
        """Share of every class by the scores of the leaf."""
        return self.answers(*rows.cells(), rows.threads)

    def prediction(self, id: int) -> Any:
        """The most frequent class of a node."""
        assert self.target.classes is not None
        return self.target.classes[self.nodes.entries.label[id]]

    def value(self, id: int) -> dict[Any, float]:
        """The weight of each class that occurs in a node, in declared order."""
        return class_weights(self.nodes, self.target, id)

    def scores(self, id: int) -> Scores:
        """The scores of every class that training had rows of."""
        every = zip(self.target.classes or (), self.equations(id), strict=True)
        return Scores(tuple((label, equation) for label, equation in every if equation.intercept != NEVER))

    def rule_value(self, id: int) -> Scores:
        """The scores."""
        return self.scores(id)

    def text(self, id: int) -> str:
        """The scores, one behind the other."""
        return str(self.scores(id))

    def facts(self, id: int) -> dict[str, Any]:
        """The scores."""
        return {"scores": self.scores(id)}

    def notes(self, id: int) -> list[str]:
        """The score of every class."""
        return self.scores(id).texts()

    def texts(self, exact: bool = False) -> ScoreTexts:
        """Scores by number."""
        return ScoreTexts(self, exact)

    def _read(self, section: SectionReader) -> None:
        if "deviation" in section:
            raise ValueError("deviation: of classes")


class ScoreTexts(LeafTexts):
    """Scores of leaves, each with a number."""

    leaves: ClassScores

    def text(self, id: int) -> str:
        """The number of the scores."""
        return self.names[id]

    @cached_property
    def names(self) -> dict[int, str]:
        """The number of each leaf's scores."""
        return {id: f"LM {n}" for n, id in enumerate(self.leaves.ends, 1)}

    @cached_property
    def numbered(self) -> list[tuple[int, int, str]]:
        """Number, leaf and score of a class, of every class."""
        digits, brief = (17, False) if self.exact else (4, True)
        return [(n, id, text) for n, id in enumerate(self.leaves.ends, 1) for text in self.leaves.scores(id).texts(digits, brief)]
