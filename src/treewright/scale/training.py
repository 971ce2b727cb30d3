"""Rows in files as a learner sees them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learn.training import Training
from treewright.scale.ingest import Coded
from treewright.scale.targets import class_weights


@dataclass(frozen=True, kw_only=True)
class CodedTraining(Training):
    """What a learner asks of rows besides their cells, which nobody holds any more. Targets and weights are mapped files."""

    coded: Coded

    @property
    def class_weights(self) -> NDArray[Any]:
        """Weight of every class, gone through in parts."""
        return class_weights(self.codes, self.weights, len(self.target.classes or ()))

    @property
    def occurring_levels(self) -> tuple[tuple[int, ...], ...]:
        """Codes of the levels that occur, by column."""
        return tuple(tuple(np.flatnonzero(seen).tolist()) for seen in self.coded.seen)

    def sample(self, codes: NDArray[Any], weights: NDArray[np.float64]) -> CodedTraining:
        """Some of the rows, with weights of their own."""
        return replace(self, codes=codes, weights=weights, kept=None)


def training_of(rows: Coded) -> CodedTraining:
    """All rows."""
    weights = rows.weights
    return CodedTraining(
        list(rows.columns),
        [],
        rows.target,
        rows.targets,
        weights.given,
        rows.classes,
        rows.kept,
        row_weight=weights.row,
        named=True,
        coded=rows,
    )
