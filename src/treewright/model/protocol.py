"""What every learned model can be asked, whatever it is made of; what an estimator learned is its ``_model``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.model.exports import Programs
from treewright.model.routing import Cells
from treewright.table import TableSchema, TargetSchema

if TYPE_CHECKING:
    from treewright.model.rules import RuleSet


class Model(Programs, ABC):
    """A model as a value: it never changes, and answers in the terms of the table it was learned from.

    Command line, files, exports, explorer and explanations ask these methods and facts only. Where a method is written in another
    room, it is looked up by the model's kind (``parts.WRITERS``).

    Attributes
    ----------
    kind : str
        Name of the kind: that of its section in files, and of its writers.
    has_nodes : bool
        Whether it is one tree, whose nodes can be drawn, cut back and asked about.
    schema : TableSchema
        The columns it knows.
    target : TargetSchema
        What it predicts.
    """

    kind: ClassVar[str]
    has_nodes: ClassVar[bool] = False
    # Whether its learner is known, so that models like it can be learned from other rows: never of a value.
    _regrows: ClassVar[bool] = False

    schema: TableSchema
    target: TargetSchema

    @property
    def _model(self) -> Self:
        return self

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The classes in declared order, which is that of the columns of ``predict_proba``; None where it predicts numbers."""
        return self.target.classes

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class or number of every row."""

    @abstractmethod
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class, in declared order, per row; an error where it predicts numbers."""

    @abstractmethod
    def predict_cells(self, cells: Cells, threads: int = 1) -> NDArray[Any]:
        """Predict the class or number of every row, given by its cells as the core reads them: arrays, and how many rows."""

    @abstractmethod
    def shares_of_cells(self, cells: Cells, threads: int = 1) -> NDArray[np.float64]:
        """Share of every class of every row, given by its cells."""

    @abstractmethod
    def apply(self, X: Any) -> NDArray[np.int64]:
        """Which part of the model decides every row: a leaf, a rule."""

    @abstractmethod
    def to_rules(self) -> RuleSet:
        """The model as rules."""

    @property
    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """How large it is, by what is counted."""

    @property
    @abstractmethod
    def size_text(self) -> str:
        """The same in words."""

    def explain(self, X: Any) -> Any:
        """Explain what the model says of one row.

        Of a tree its way, where missing cells lead, and what single changes would alter the class; of rules which of them hold,
        which decides, and which others it misses by one condition.

        Parameters
        ----------
        X : table of one row, Series or dict
            The row.
        """
        return parts.writer(f"explain_{self.kind}")(self, X)

    def reasons(self, X: Any) -> list[str]:
        """Say of every row what held of it and led to its answer, a line each."""
        found: list[str] = parts.writer(f"reasons_{self.kind}")(self, X)
        return found

    def contributions(self, X: Any, background: Any = None, threads: int = 1) -> Any:
        """What each column contributes to what the model says of every row: Shapley values, which add up to the answer.

        Parameters
        ----------
        X : table
            The rows.
        background : table, optional
            Rows that stand in for what is not known of a row. Without it the training rows do, as far as a tree remembers them:
            where a column is not known, a row goes down all branches by their training weight.
        threads : int, default 1
            On how many threads; the numbers are the same.

        Returns
        -------
        Contributions
            To the shares of ``predict_proba``, or the numbers of ``predict``. What is exact, and what is refused: see
            ``docs/contributions.md``.
        """
        return parts.writer("contributions")(self, X, background, threads)

    def program(self, order: Sequence[int] | None = None) -> Any:
        """Return the flat program that exports write down.

        Parameters
        ----------
        order : sequence of int, optional
            Positions of the classes in the order in which shares are given; by default as declared.
        """
        return parts.writer(f"program_{self.kind}")(self, order)

    @property
    def needed_columns(self) -> list[str]:
        """Names of the columns whose cells can matter to an answer, in table order."""
        names: list[str] = self.program().names
        return names

    def document(self) -> dict[str, Any]:
        """Return the section of the model in a file: plain values and arrays."""
        section: dict[str, Any] = parts.writer("section")(self.kind, self)
        return section

    def data(self) -> dict[str, Any]:
        """Return a report for other programs: numbers, nulls and lists; not a model file."""
        report: dict[str, Any] = parts.writer(f"data_{self.kind}")(self)
        return report

    def save(self, path: Any) -> None:
        """Write the model to a file that :func:`treewright.load` reads: whole or not at all, gzip-compressed if it ends in .gz.

        Parameters
        ----------
        path : path
            Where to write; an existing file is replaced.
        """
        parts.writer("file")(self.kind, self, path)

    def __reduce__(self) -> tuple[Any, ...]:
        reduced: tuple[Any, ...] = parts.writer("pickle")(self.kind, self)
        return reduced
