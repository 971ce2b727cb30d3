"""Many models of one table as one: its members, what each of them weighs, and how their answers are combined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Never

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import counted, shown
from treewright.model.combine import Combination, Scores
from treewright.model.leaves.per_node import PerNode
from treewright.model.protocol import Model
from treewright.model.routing import Cells
from treewright.model.ties import winner
from treewright.model.tree import Tree
from treewright.table import TableSchema, TargetSchema, read_cells
from treewright.table.sparse import in_blocks
from treewright.table.target import class_array

_AT_ONCE = 1 << 22  # sums of rows that are held at a time where only the largest of each row is asked for


@dataclass(frozen=True, eq=False)
class Forest(Model):
    """Models of one table that answer together.

    Made by the ensemble estimators (``est.forest_``); never changes. Every member is a model of its own, over the same columns.

    Attributes
    ----------
    members : tuple of Tree or RuleSet
        The models.
    schema : TableSchema
        The columns of the table they were learned from.
    target : TargetSchema
        What they predict.
    weights : tuple of float
        What each of them counts.
    combine : Combination
        How their answers become one: the mean of shares or numbers, votes, the weighted median, sums of scores.
    """

    kind: ClassVar[str] = "forest"

    members: tuple[Model, ...]
    schema: TableSchema
    target: TargetSchema
    weights: tuple[float, ...]
    combine: Combination

    def __post_init__(self) -> None:
        if not self.members or len(self.members) != len(self.weights):
            raise ValueError(
                f"a forest has members, and a weight for each: {len(self.members)} and {len(self.weights)} were given"
            )
        if not all(weight > 0 and np.isfinite(weight) for weight in self.weights):
            raise ValueError(f"weights={shown(list(self.weights))} is not allowed: they must be finite numbers above 0")
        told = self.combine.told(self.target)
        for member in self.members:
            if member.schema.columns != self.schema.columns or (member.target.classes, member.target.outputs) != told:
                raise ValueError("the members of a forest read the same columns and predict the same target")
        if (why := self.combine.refused(self.target, len(self.members))) is not None:
            raise ValueError(why)

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Model]:
        return iter(self.members)

    def __getitem__(self, at: int) -> Model:
        return self.members[at]

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The members, where all of them are trees; an error otherwise."""
        if all(isinstance(member, Tree) for member in self.members):
            return self.members  # type: ignore[return-value]
        raise ValueError(f"the members of this forest are no trees but {self.members[0].kind}: ask its members one by one")

    @property
    def sizes(self) -> dict[str, int]:
        """Number of members; nodes and leaves of all trees and the largest depth, or the rules of all."""
        sizes = [member.sizes for member in self.members]
        out = {"n_members": len(self)}
        for name in dict.fromkeys(name for each in sizes for name in each):
            values = [each.get(name, 0) for each in sizes]
            out[name] = max(values) if name == "depth" else sum(values)
        return out

    @property
    def size_text(self) -> str:
        """Members and their sizes in words."""
        sizes = self.sizes
        if "n_leaves" not in sizes:
            return f"{counted(len(self), 'member')}, {counted(sizes.get('n_rules', 0), 'rule')}"
        leaves = counted(sizes["n_leaves"], "leaf", "leaves")
        members = counted(len(self), "tree" if all(isinstance(member, Tree) for member in self.members) else "member")
        return f"{members}, {counted(sizes['n_nodes'], 'node')}, {leaves}, depth {sizes['depth']}"

    # -- answers -------------------------------------------------------------------------------------------------------

    @in_blocks
    def predict(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """Predict the class or number of every row."""
        if self.target.classes is None and (plain := self._plain(X, threads)) is not None:
            return self._numbers(self.combine.finished(plain, self._weights))
        return self.predict_cells(read_cells(X, self.schema), threads)

    @in_blocks
    def predict_proba(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """Share of every class, in declared order, per row."""
        if self.target.classes is None:
            raise ValueError("predict_proba needs classes, this forest predicts numbers")
        plain = self._plain(X, threads)
        if plain is not None:
            return self.combine.finished(plain, self._weights)
        return self.shares_of_cells(read_cells(X, self.schema), threads)

    def predict_cells(self, cells: Cells, threads: int = 1) -> NDArray[Any]:
        """Predict the class or number of every row, given by its cells as the core reads them."""
        if self.target.classes is None:
            return self._numbers(self._answers(cells, threads))
        arrays, n_rows = cells
        step = max(_AT_ONCE // len(self.target.classes), 1)
        blocks = [
            winner(self._answers(([array[at : at + step] for array in arrays], min(step, n_rows - at)), threads))
            for at in range(0, n_rows, step)
        ]
        return self._labels[np.concatenate([np.zeros(0, np.int64), *blocks])]

    def shares_of_cells(self, cells: Cells, threads: int = 1) -> NDArray[np.float64]:
        """Share of every class of every row, given by its cells."""
        return self._answers(cells, threads)

    @in_blocks
    def apply(self, X: Any, threads: int = 1) -> NDArray[np.int64]:
        """Leaf, or rule, of every row in every member: rows x members."""
        plain = type(X) is np.ndarray and all(isinstance(member, Tree) for member in self.members)
        if plain:
            return np.stack([member.apply(X, threads) for member in self.trees], axis=1)
        return np.stack([member.apply(X) for member in self.members], axis=1)

    @in_blocks
    def votes(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """What every member predicts of every row: rows x members."""
        cells = read_cells(X, self.schema)
        return np.stack([member.predict_cells(cells, threads) for member in self.members], axis=1)

    def stages(self, X: Any, threads: int = 1) -> Iterator[NDArray[Any]]:
        """What the first member predicts of every row, what the first two do, and so on."""
        cells = read_cells(X, self.schema)
        for answers in self.combine.stages(self.members, self._weights, cells, threads):
            yield self._numbers(answers) if self.target.classes is None else self._labels[winner(answers)]

    @cached_property
    def _labels(self) -> NDArray[Any]:
        return class_array(self.target.classes or ())

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        return np.array(self.weights)

    @cached_property
    def _packed(self) -> _core.Members | None:
        """The trees as the core adds up what they say; None where a member says more than its leaves hold."""
        packed = _core.Members(self.combine.width(self.target))
        for at, (member, weight) in enumerate(zip(self.members, self.weights, strict=True)):
            if not isinstance(member, Tree) or member.gates or not isinstance(member.leaf_model, PerNode):
                return None
            entries = self.combine.entries(member.leaf_model, at)
            if entries is None:
                return None
            packed.add(member._core, *entries, weight)
        return packed

    def _plain(self, X: Any, threads: int) -> NDArray[np.float64] | None:
        """Sums of a matrix of floats that is read as it is; None where something is to be said about it."""
        numbers = type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float32, np.float64) and len(X)
        if not numbers or X.shape[1] != len(self.schema.columns) or self._packed is None:
            return None
        if any(column.kind != "number" for column in self.schema.columns):
            return None
        sums = self._packed.sums([X], len(X), True, self.schema.missing == "refuse", threads)
        return None if sums is None else sums.reshape(len(X), -1)

    def _answers(self, cells: Cells, threads: int) -> NDArray[np.float64]:
        """Shares of classes, or numbers: rows x sums."""
        sums = None if self._packed is None else self._packed.sums(*cells, False, False, threads)
        if sums is None:
            return self.combine.combined(self.members, self._weights, cells, threads)
        return self.combine.finished(sums.reshape(cells[1], -1), self._weights)

    def _numbers(self, answers: NDArray[np.float64]) -> NDArray[np.float64]:
        return answers if self.target.outputs else answers[:, 0]

    # -- what it knows -------------------------------------------------------------------------------------------------

    @property
    def feature_importances(self) -> NDArray[np.float64]:
        """Share of each column in the fall of weighted impurity, the mean over the trees by their weights."""
        each = np.array([tree.feature_importances for tree in self.trees])
        mean = self._weights @ each
        total = mean.sum()
        return mean / total if total > 0 else np.zeros(each.shape[1])

    @property
    def used_columns(self) -> list[str]:
        """Names of the columns that any tree tests, in table order."""
        used = {name for tree in self.trees for name in tree.used_columns}
        return [name for name in self.schema.names if name in used]

    @property
    def raw(self) -> Forest:
        """The forest of the scores that members add up, before the link makes shares or numbers of them.

        A score per class, of two classes that of the second; the forest itself where nothing is made of them. Refused where
        members are combined in another way than by scores.
        """
        if not isinstance(self.combine, Scores):
            raise ValueError(
                f"members that are combined as {shown(self.combine.kind)} have no scores: ask predict or predict_proba"
            )
        if self.combine.link == "identity":
            return self
        labels = tuple(map(str, self.target.classes or self.target.outputs)) if len(self.combine.base) > 1 else ()
        target = TargetSchema("score", None, outputs=labels)
        return Forest(self.members, self.schema, target, self.weights, replace(self.combine, link="identity"))

    def to_rules(self) -> Never:
        """Refused: a forest is no list of rules."""
        raise ValueError(
            "a forest is no list of rules: members[0].to_rules() gives those of one tree, tw.distil one tree for all"
        )

    def part(self, members: Sequence[int]) -> Forest:
        """Return the forest of some of the members, by position."""
        chosen = [range(len(self))[at] for at in members]
        return Forest(
            tuple(self.members[at] for at in chosen),
            self.schema,
            self.target,
            tuple(self.weights[at] for at in chosen),
            self.combine.part(chosen),
        )

    # -- as people see it ----------------------------------------------------------------------------------------------

    def to_text(self, max_columns: int | None = 15, ascii: bool = False) -> str:
        """Write how large the forest is, how its members differ, and the importances of columns as bars.

        Parameters
        ----------
        max_columns : int, optional
            How many columns are written, the most important ones; None: all that matter.
        ascii : bool, default False
            Use plain characters only.
        """
        text: str = parts.writer("forest_text")(self, max_columns, ascii)
        return text

    def to_svg(
        self,
        width: str | None = None,
        *,
        members: int | Sequence[int] = 12,
        row: Any = None,
        columns: int = 4,
        max_depth: int | None = None,
    ) -> str:
        """Draw trees of the forest side by side, each as a small icicle: every node a box as wide as its share of the rows.

        Parameters
        ----------
        width : str, optional
            Such as "160mm" or "100%"; else its natural size in points.
        members : int or sequence of int, default 12
            The first so many members, or those at these positions.
        row : table of one row, optional
            Outline the way of this row in every member, and write what the member says.
        columns : int, default 4
            How many stand side by side.
        max_depth : int, optional
            Leave out what lies deeper.
        """
        options = {"members": members, "row": row, "columns": columns, "max_depth": max_depth}
        text: str = parts.writer("forest_svg")(self, width, **options)
        return text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle: dict[str, str] = parts.writer("forest_bundle")(self)
        return bundle

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Forest: {self.size_text}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Forest):
            return NotImplemented
        mine = (self.schema, self.target, self.weights, self.combine, self.members)
        return mine == (other.schema, other.target, other.weights, other.combine, other.members)

    __hash__ = None  # type: ignore[assignment]
