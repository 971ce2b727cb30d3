"""What the nodes of a tree predict, as one value: what every kind of leaf can be asked, and what files and exports need of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.node_columns import NodeColumns
from treewright.table import TableSchema, TargetSchema

if TYPE_CHECKING:
    from treewright.model.gates import Gate
    from treewright.model.linear import Equation, Scores
    from treewright.model.routing import Routing

Floats = NDArray[np.float64]
# A term of a number that is computed: position of the column, coefficient, what a missing cell counts as, levels or None.
TermForm = tuple[int, float, float, tuple[int, ...] | None]
# What a program writes of a leaf: position of the class (-1: none), shares, scores or numbers, the terms added to each of them.
AnswerForm = tuple[int, Sequence[float], tuple[tuple[TermForm, ...], ...]]


class SectionReader(Protocol):
    """A section of a model file, as leaves read theirs; everything it returns is of the type that was asked for."""

    def __contains__(self, name: object) -> bool:
        """Whether there is an entry of that name."""

    def only(self, *names: str) -> None:
        """Refuse entries of other names."""

    def get(self, name: str) -> Any:
        """The entry as it is, None where there is none."""

    def entry(self, name: str, kind: type) -> Any:
        """The entry, which must be there and of that type."""

    def array(self, name: str, dtype: Any) -> NDArray[Any]:
        """The entry as an array of one dimension."""

    def within(self, name: str) -> SectionReader:
        """The entry as a section."""


class LeafTexts:
    """What pictures write of leaves: what a row is told there; models too long to stand in a picture are written by number."""

    def __init__(self, leaves: LeafModel, exact: bool) -> None:
        self.leaves, self.exact = leaves, exact

    def text(self, id: int) -> str:
        """What a row is told that ends in a node."""
        return self.leaves.text(id)

    @cached_property
    def names(self) -> dict[int, str]:
        """How the model of each leaf is written where it stands: in full, or by its number; empty where leaves have none."""
        return {}

    @cached_property
    def numbered(self) -> list[tuple[int, int, str]]:
        """Number, leaf and text of every model, from the first leaf to the last; of classes a text each."""
        return []


class LeafModel(ABC):
    """What every node of a tree predicts, leaves and those above them: one entry per node.

    A new kind is a module with one such class, and a line in ``leaves/__init__.py``.

    Attributes
    ----------
    nodes : NodeColumns
        The columns of the tree's nodes.
    schema, target
        The table and the target of the tree.
    """

    kind: ClassVar[str]
    # Whether predictions are computed from the cells of a row; else they stand in the node.
    computed: ClassVar[bool] = False
    # Whether a node predicts one class or number by its own training rows, so that nodes can be judged, cut back and mixed.
    by_nodes: ClassVar[bool] = False
    # Whether programs cut computed numbers to the range of floats; whether they give scores of classes, not shares.
    bounded: ClassVar[bool] = False
    scored: ClassVar[bool] = False
    # Entries of a tree's section that hold what the core's columns do not.
    sections: ClassVar[tuple[str, ...]] = ()
    # Why a tree of such leaves is not cut back.
    uncut: ClassVar[str] = ""
    # By node, of leaves: how far training rows lie from what is computed there; None where that was not kept.
    deviations: Floats | None = None

    def __init__(self, core: _core.Tree, schema: TableSchema, target: TargetSchema) -> None:
        self._tree = core
        self.schema, self.target = schema, target
        self.nodes = NodeColumns.of(core)

    # -- rows ----------------------------------------------------------------------------------------------------------

    @abstractmethod
    def answers(self, arrays: list[NDArray[Any]], n_rows: int, threads: int = 1) -> Floats:
        """What rows are told, given by their cells as the core reads them: numbers, or shares of classes, a column each."""

    @abstractmethod
    def predict(self, rows: Routing) -> NDArray[Any]:
        """The class or number of every row."""

    def shares(self, rows: Routing) -> Floats:
        """Share of every class, in declared order, per row."""
        raise ValueError("predict_proba needs classes, this tree predicts numbers")

    def predict_mixed(self, n_rows: int, mixture: Callable[[NDArray[np.int64]], Floats]) -> NDArray[Any]:
        """The same of rows that gates divide, by the mixture of :meth:`mixed_entry` that some of them get."""
        raise NotImplementedError  # pragma: no cover

    def mixed_entry(self, id: int) -> Floats:
        """What a node adds to a mixture, by its share of a row."""
        raise NotImplementedError  # pragma: no cover

    def mixed_shares(self, mixture: Floats) -> Floats:
        """The shares of classes that mixtures of :meth:`mixed_entry` stand for."""
        raise ValueError("predict_proba needs classes, this tree predicts numbers")

    # -- nodes ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def prediction(self, id: int) -> Any:
        """The class or number of a node by its training rows."""

    def value(self, id: int) -> Any:
        """The weight of each class in a node, or the mean of the target."""
        return self.prediction(id)

    def rule_value(self, id: int) -> Any:
        """What a rule of the node says: the prediction, or what it is computed by."""
        return self.prediction(id)

    def equation(self, id: int) -> Equation | None:
        """The equation of a node, None where it has none."""
        return None

    def scores(self, id: int) -> Scores | None:
        """The scores of classes of a node, None where it has none."""
        return None

    def spread(self, id: int) -> float | None:
        """How far a numeric target in a node lies from its mean; None for classes."""
        if self.target.classes is not None:
            return None
        return self.target.spread(self.nodes.entries.impurity[id], self.nodes.entries.value[id])

    def deviation(self, id: int) -> float | None:
        """How far a numeric target in a node lies from what is predicted there; None for classes, and where it is unknown."""
        return self.spread(id)

    @property
    def hard(self) -> LeafModel:
        """The same leaves where no gate divides rows."""
        return self

    @property
    def first_numbers(self) -> Floats:
        """The number that every node predicts; of several the first."""
        value: Floats = self.nodes.value
        return value

    # -- words, programs, files ----------------------------------------------------------------------------------------

    @abstractmethod
    def text(self, id: int) -> str:
        """What a row is told that ends in a node."""

    def texts(self, exact: bool = False) -> LeafTexts:
        """What pictures write of leaves; ``exact``: numbers with all digits."""
        return LeafTexts(self, exact)

    def facts(self, id: int) -> dict[str, Any]:
        """What is known of a leaf beside its prediction and its rows, by name."""
        return {}

    def notes(self, id: int) -> list[str]:
        """What predictions of a leaf are computed by, a line each."""
        return []

    @property
    def note(self) -> str:
        """What a reader of single leaves has to know; mostly nothing."""
        return ""

    @abstractmethod
    def program(self, id: int) -> AnswerForm:
        """What a program answers at a leaf."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the numbers of a prediction where it is several; else none."""
        return ()

    @property
    def used_columns(self) -> list[int]:
        """Positions of the columns that predictions are computed from."""
        return []

    @property
    def fill(self) -> Floats | None:
        """What a missing cell of every column counts as before it is tested; None where it goes its own way."""
        return None

    def gates(self) -> Mapping[int, Gate]:
        """Thresholds near which predictions of both sides are mixed, by node."""
        return {}

    @classmethod
    def reads(cls, names: Container[str], target: TargetSchema) -> bool:
        """Whether the leaves of a tree with this target, whose section has these entries, are of this kind."""
        raise NotImplementedError  # pragma: no cover

    def pack(self) -> dict[str, Any]:
        """The entries of a tree's section that these leaves need: plain values, arrays, and dictionaries of both."""
        return {}

    @classmethod
    def unpack(cls, section: SectionReader, core: _core.Tree, schema: TableSchema, target: TargetSchema) -> Self:
        """The leaves of a section; a ValueError says what is wrong with it."""
        return cls(core, schema, target)

    def fault(self) -> str | None:
        """What is wrong with the leaves of this tree, if anything."""
        return None

    def check_cut(self) -> None:
        """Refuse to be cut back, where nodes above the leaves do not predict."""
        if self.uncut:
            raise ValueError(self.uncut)

    def cut(self, core: _core.Tree) -> LeafModel:
        """The leaves of a tree that was cut back; refused where nodes above the leaves do not predict."""
        self.check_cut()
        return self.moved(core, self.schema)

    def moved(self, core: _core.Tree, schema: TableSchema) -> LeafModel:
        """The same kind of leaves, of another tree over the same table; for kinds that read all they say from the tree."""
        return type(self)(core, schema, self.target)

    def widened(self, core: _core.Tree, schema: TableSchema, columns: NDArray[np.int64]) -> LeafModel:
        """The same leaves of the same tree over a table of more columns, among which its own have these positions."""
        return self.moved(core, schema)

    @cached_property
    def ends(self) -> list[int]:
        """The leaves, from the first branch to the last."""
        out, open_ = [], [0]
        first, count = self.nodes.first_child, self.nodes.n_children
        while open_:
            at = open_.pop()
            if count[at] == 0:
                out.append(at)
            open_.extend(range(int(first[at]) + int(count[at]) - 1, int(first[at]) - 1, -1) if count[at] else ())
        return out

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._same(other)

    def _same(self, other: Self) -> bool:
        """Whether predictions that the core's columns do not hold are the same."""
        return True

    __hash__ = None  # type: ignore[assignment]


def class_weights(nodes: NodeColumns, target: TargetSchema, id: int) -> dict[Any, float]:
    """The weight of each class that occurs in a node, in declared order."""
    entries, classes = nodes.entries, target.classes or ()
    begin, end = entries.run("class", id)
    pairs = zip(entries.class_id[begin:end], entries.class_weight[begin:end], strict=True)
    return {classes[k]: weight for k, weight in pairs}
