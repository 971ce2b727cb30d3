"""Gates of a tree: thresholds near which a row goes down both branches, in shares; a threshold without one is hard.

Shares change in straight pieces (C4.5's soft thresholds, bands of model trees), or along the logistic function (soft trees).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.model.branches import branch_conditions
from treewright.model.exponentials import powers
from treewright.model.node import Node
from treewright.model.splits import Cuts, Splits

if TYPE_CHECKING:
    from treewright.model.tree import Tree

Rows = NDArray[np.int64]
_FAINT = 9.21034037197618  # the logarithm of ten thousand
_MARKS = (-1.0, -0.5, -0.25, -0.125, 0.0, 0.125, 0.25, 0.5, 1.0)  # parts of the reach of a logistic gate


class Pieces(NamedTuple):
    """The share of a row that goes below a threshold, linear between points.

    Attributes
    ----------
    at, share : tuple of float
        Values of the column, ascending, and the share at each; constant before the first and behind the last.
    slope : tuple of float
        The slope of each piece between two points.
    fill : float or None
        What a missing cell counts as; None: it goes where the test sends missing cells.
    """

    at: tuple[float, ...]
    share: tuple[float, ...]
    slope: tuple[float, ...]
    fill: float | None = None


class Logistic(NamedTuple):
    """The share of a row that goes below a threshold, by the logistic function: 1 / (1 + exp(slope * (value - at))).

    Attributes
    ----------
    at, slope : float
        Where it is one half, and how steep it is.
    fill : float or None
        What a missing cell counts as; None: it goes where the test sends missing cells.
    """

    at: float
    slope: float
    fill: float | None = None


class Gate(ABC):
    """How a row passes the threshold of one node; ``node`` and ``column`` name it and what it tests."""

    __slots__ = ()

    node: int
    column: str
    fill: float | None = None  # what a missing cell counts as; None: it goes where the test sends missing cells

    @property
    @abstractmethod
    def form(self) -> Pieces | Logistic:
        """The share that goes below, by the value of the column."""

    @property
    @abstractmethod
    def reach(self) -> tuple[float, float]:
        """From where to where rows are divided."""

    @property
    def marks(self) -> tuple[float, ...]:
        """Values between which what comes of shares is looked at."""
        return self.reach

    @abstractmethod
    def share_below(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of each row that goes to the lower branch."""


class PiecewiseGate(Gate):
    """A gate whose shares change in straight pieces."""

    __slots__ = ()

    @property
    @abstractmethod
    def pieces(self) -> Pieces:
        """The share that goes below, by the value of the column."""

    @property
    def form(self) -> Pieces:
        """The pieces."""
        return self.pieces

    def share_below(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of each row that goes to the lower branch."""
        at, share, *_ = self.pieces
        return np.interp(values, at, share)


@dataclass(frozen=True, slots=True)
class SigmoidGate(Gate):
    """A threshold that is passed in shares by the logistic function of the distance from it.

    Attributes
    ----------
    node : int
        The node that tests.
    column : str
        What it tests.
    at : float
        The threshold, where shares are one half.
    slope : float
        How steep it is, above 0: the share below is ``1 / (1 + exp(slope * (value - at)))``.
    fill : float or None
        What a missing cell of a single column counts as; numbers derived from columns say so themselves.
    """

    node: int
    column: str
    at: float
    slope: float
    fill: float | None = None

    @property
    def form(self) -> Logistic:
        """The logistic function."""
        return Logistic(self.at, self.slope, self.fill)

    @property
    def reach(self) -> tuple[float, float]:
        """From where to where more than one in ten thousand goes either way."""
        far = _FAINT / self.slope
        return self.at - far, self.at + far

    @property
    def marks(self) -> tuple[float, ...]:
        """Values at which the share is one of a few, even or not."""
        far = _FAINT / self.slope
        return tuple(self.at + part * far for part in _MARKS)

    def share_below(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of each row that goes to the lower branch, by the operations that every program has."""
        with np.errstate(over="ignore"):
            z = self.slope * (values - self.at)
        e = powers(-np.abs(z))
        return np.asarray(np.where(z > 0, e, 1.0) / (1 + e))


@dataclass(frozen=True, slots=True)
class SoftThreshold(PiecewiseGate):
    """A test ``column <= cut`` that is sure up to ``lower`` and from ``upper`` on, and even at the cut.

    Attributes
    ----------
    node : int
        The node that tests.
    column : str
        What it tests.
    lower, cut, upper : float
        Below ``lower`` and above ``upper`` a row goes one way only. With the threshold at either of them, the errors on the
        training rows of the node would be one standard error higher than they are.
    """

    node: int
    column: str
    lower: float
    cut: float
    upper: float

    @property
    def reach(self) -> tuple[float, float]:
        """From where to where it is not sure."""
        return self.lower, self.upper

    @property
    def pieces(self) -> Pieces:
        """The share below: 1 up to lower, one half at the cut, 0 from upper on; a step at the cut where a side has no room."""
        above = math.nextafter(self.cut, math.inf)
        left = [(self.lower, 1.0), (self.cut, 0.5)] if self.lower < self.cut else [(self.cut, 1.0)]
        right = [(above, 0.5), (self.upper, 0.0)] if self.upper > above else [(above, 0.0)]
        at, share = zip(*left, *right, strict=True)
        slope = [(share[k + 1] - share[k]) / (at[k + 1] - at[k]) for k in range(len(at) - 1)]
        # A step between neighbouring numbers has no value inside, so that its slope is never needed.
        return Pieces(at, share, tuple(rise if math.isfinite(rise) else 0.0 for rise in slope))


@dataclass(frozen=True, slots=True)
class Blend(PiecewiseGate):
    """A threshold of a model tree within a band of which the predictions of both sides are mixed, linearly.

    Attributes
    ----------
    node : int
        The node that tests.
    column : str
        What it tests.
    low, high : float
        The ends of the band.
    fill : float
        What a missing cell counts as.
    """

    node: int
    column: str
    low: float
    high: float
    fill: float

    @property
    def reach(self) -> tuple[float, float]:
        """The band."""
        return self.low, self.high

    @property
    def pieces(self) -> Pieces:
        """The share below: from 1 to 0 along the band."""
        return Pieces((self.low, self.high), (1.0, 0.0), (-1 / (self.high - self.low),), self.fill)


def blends(splits: Splits, nodes: Sequence[int], half_width: Callable[[int], float], fill: Any) -> dict[int, Blend]:
    """The bands about the thresholds of these nodes; one that is too narrow for a slope, or has no end, is none."""
    out = {}
    for id in nodes:
        division = splits.division(id)
        if not isinstance(division, Cuts):
            continue
        source, at = splits.source(id), division.at[0]
        low, high = at - half_width(source.index), at + half_width(source.index)
        slope = -1 / (high - low) if high > low else -math.inf
        if -math.inf < slope < 0:
            out[id] = Blend(id, source.column.name, low, high, float(fill[source.index]))
    return out


def gated_mixture(
    tree: Tree,
    cells: Sequence[NDArray[Any]],
    rows: Rows,
    start: int,
    gates: Mapping[int, Gate],
    leaf: Callable[[int], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """What the leaves say of these rows, sent down from a node through gates, mixed by their shares: rows x entries of a leaf.

    ``cells`` holds an array per column. Thresholds without a gate are hard.
    """
    out = np.zeros((len(rows), len(leaf(start))))
    open_: list[tuple[int, NDArray[np.int64], NDArray[np.float64]]] = [(start, np.arange(len(rows)), np.ones(len(rows)))]
    while open_:
        id, at, share = open_.pop()
        node = Node(tree, id)
        if node.is_leaf:
            np.add.at(out, at, share[:, None] * leaf(id))
            continue
        values = tree.splits.source(id).cells(cells, rows[at])
        for child, below in zip(node.children, _shares(node, values, gates.get(id)), strict=True):
            taken = below > 0
            if np.any(taken):
                open_.append((child.id, at[taken], (share * below)[taken]))
    return out


def _shares(node: Node, values: NDArray[Any], gate: Gate | None) -> list[NDArray[np.float64]]:
    """Which share of each row takes each branch."""
    masks = [condition.mask(values).astype(np.float64) for condition in branch_conditions(node)]
    nowhere = np.sum(masks, axis=0) == 0
    if gate is not None:
        gone = np.isnan(values.astype(np.float64))
        fill = 0.0 if gate.fill is None else gate.fill
        below = gate.share_below(np.where(gone, fill, values).astype(np.float64))
        if isinstance(gate, SigmoidGate) and gate.fill is not None:
            return [below, 1 - below]
        masks[:2] = [np.where(gone, mask, share) for mask, share in zip(masks, (below, 1 - below), strict=False)]
    weights = np.array([child.weight for child in node.children])
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    return [np.where(nowhere, share, mask) for mask, share in zip(masks, shares, strict=True)]
