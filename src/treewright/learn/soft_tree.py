"""Soft trees in two forms: as the core trains them, on standardised columns, and as trees with gates in the user's units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.learn.standardised import Standard, Standardised
from treewright.learn.training import Training
from treewright.model.gates import Gate, SigmoidGate
from treewright.model.leaves import LeafModel, LogShares, plain_leaves
from treewright.model.linear import Equation
from treewright.model.node_columns import core_tree, offsets
from treewright.model.rules import by_column
from treewright.model.splits import FAMILIES, NO_BRANCH
from treewright.model.tree import Tree
from treewright.table import TableSchema, TargetSchema

Floats = NDArray[np.float64]
_DIGITS = 4  # of coefficients, as they are written
_LEAST = 2.0**-20  # weights that are smaller than this part of the largest are none
_FLOOR = 2.0**-40  # of shares of classes in a leaf
_NOTHING = 1e-300  # of a weight, where it is divided by


@dataclass(frozen=True, eq=False)
class SoftNodes:
    """A soft tree as the core trains it.

    Attributes
    ----------
    first : array
        By node the left child, 0 of a leaf; the right one stands behind it.
    gate : dict of int to array
        By inner node the weights of the standardised columns, and a constant: what goes left is the logistic function of the sum.
    answer : dict of int to array
        By leaf what it says.
    """

    first: NDArray[np.int64]
    gate: dict[int, Floats]
    answer: dict[int, Floats]

    @classmethod
    def read(cls, told: dict[str, Any], inputs: int, outputs: int) -> SoftNodes:
        """The nodes of a core's tree."""
        first, at, values = (np.asarray(told[name]) for name in ("first", "at", "values"))
        gate = {i: values[at[i] : at[i] + inputs + 1].copy() for i in np.flatnonzero(first).tolist()}
        answer = {i: values[at[i] : at[i] + outputs].copy() for i in np.flatnonzero(first == 0).tolist()}
        return cls(first.astype(np.int64), gate, answer)

    def flags(self, of: Callable[[Floats], NDArray[np.bool_]]) -> NDArray[np.uint8]:
        """Which parameters are trained: of gates those that this tells, and all that leaves say."""
        runs = [of(self.gate[i]) if self.first[i] else np.ones(len(self.answer[i]), bool) for i in range(len(self.first))]
        return np.concatenate(runs).astype(np.uint8)

    def told(self) -> dict[str, Any]:
        """The same as the core reads it."""
        runs = [self.gate[i] if self.first[i] else self.answer[i] for i in range(len(self.first))]
        at = np.cumsum([0, *map(len, runs)])[:-1]
        return {"first": self.first.astype(np.uint32), "at": at.astype(np.int64), "values": np.concatenate(runs)}


@dataclass(frozen=True, eq=False)
class Targets:
    """What soft trees are trained to say, and the way back.

    Attributes
    ----------
    numbers : array
        Of every row: a number on one scale, or the place of its class among those that occur.
    classes : array or None
        The positions of the classes that occur, among the declared ones.
    centre, scale : float
        Of numbers.
    """

    numbers: Floats
    classes: NDArray[np.int64] | None = None
    centre: float = 0.0
    scale: float = 1.0

    @classmethod
    def of(cls, training: Training, share: Floats) -> Targets:
        """The targets of training rows, of which each counts its share."""
        if training.target.classes is not None:
            classes, place = np.unique(training.codes, return_inverse=True)
            return cls(place.astype(np.float64), classes.astype(np.int64))
        y = np.asarray(training.codes, np.float64)
        unit = float(2.0 ** np.frexp(max(float(np.max(np.abs(y))), 1e-300))[1])
        mean = float(np.dot(share, y / unit))
        deviation = float(np.sqrt(np.dot(share, (y / unit - mean) ** 2)))
        if not deviation > 1e-14 * abs(mean):
            return cls(np.zeros(len(y)), None, mean * unit, 0.0)
        return cls((y / unit - mean) / deviation, None, mean * unit, deviation * unit)

    @property
    def n_classes(self) -> int:
        """How many classes occur; 0 of numbers."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def outputs(self) -> int:
        """How many numbers a leaf says: of two classes the score of the second."""
        return self.n_classes if self.n_classes > 2 else 1

    @property
    def constant(self) -> bool:
        """Whether there is nothing to learn."""
        return self.n_classes == 1 if self.classes is not None else self.scale == 0

    def said(self, answer: Floats) -> Floats:
        """What a leaf says: shares of the classes that occur, or a number."""
        if self.classes is None:
            return answer * self.scale + self.centre
        scores = np.array([0.0, answer[0]]) if self.n_classes == 2 else answer if self.n_classes > 2 else np.zeros(1)
        shares = np.exp(np.maximum(scores - scores.max(), -700.0))
        shares = np.maximum(shares / shares.sum(), _FLOOR)
        return np.asarray(shares / shares.sum())

    def answer(self, shares: Floats) -> Floats:
        """The way back, from the shares of classes or a number."""
        if self.classes is None:
            return np.asarray((shares - self.centre) / self.scale)
        scores = np.log(shares)
        return scores[1:] - scores[0] if self.n_classes == 2 else scores - scores.mean()


@dataclass(frozen=True, slots=True)
class Test:
    """The test of a gate in the user's units: what is compared with which number, and how steep the gate is about it.

    Attributes
    ----------
    column : int or None
        The column that is compared as it is; else the terms of ``equation`` are added up.
    equation : Equation
        What is compared.
    terms : tuple of (Standard, float)
        The same, term by term.
    at, slope : float
        The threshold and the steepness, which is above 0.
    left_below : bool
        Whether the left child is that of what lies below.
    """

    column: int | None
    equation: Equation
    terms: tuple[tuple[Standard, float], ...]
    at: float
    slope: float
    left_below: bool


def test_of(gate: Floats, standards: Standardised) -> Test:
    """A gate in the user's units: the column that weighs most counts once, the others with four digits."""
    weights = gate[:-1]
    lead = int(np.argmax(np.abs(weights)))
    heaviest = weights[lead] if weights[lead] != 0 else _LEAST
    per = heaviest / standards.of[lead].scale
    terms: list[tuple[Standard, float]] = []
    middle = 0.0  # of the score, where all columns have their mean
    for k in np.flatnonzero(np.abs(weights) >= _LEAST * abs(heaviest)).tolist() or [lead]:
        one = standards.of[k]
        coefficient = 1.0 if k == lead else float(f"%.{_DIGITS}g" % (weights[k] / one.scale / per))
        terms.append((one, coefficient))
        middle += coefficient * one.centre
    at = float(middle - gate[-1] / per)
    equation = Equation(0.0, tuple(one.term(standards.columns, c) for one, c in terms))
    first = terms[0][0]
    alone = len(terms) == 1 and first.level is None and standards.columns[first.index].kind == "number"
    return Test(first.index if alone else None, equation, tuple(terms), at, abs(float(per)), bool(per < 0))


def soft_tree(
    nodes: SoftNodes, standards: Standardised, targets: Targets, training: Training
) -> tuple[_core.Tree, dict[int, SigmoidGate]]:
    """The tree with its gates, its nodes described by the training rows and the shares of them that come there."""
    shape = _Shape(nodes, {i: test_of(gate, standards) for i, gate in nodes.gate.items()})
    cells = by_column(training.arrays)
    share = [np.empty(0)] * len(shape.old)
    share[0] = standards.share
    gates: dict[int, SigmoidGate] = {}
    beside: dict[int, tuple[float, float]] = {}  # the training scores next to the threshold
    missing: dict[int, tuple[int, bool]] = {}  # where a missing cell goes, and whether there are any
    for i, first in enumerate(shape.first):
        if first == 0:
            continue
        test = shape.test(i)
        source = test.equation.answers(cells)
        fill = test.terms[0][0].fill if test.column is not None else None
        gates[i] = SigmoidGate(i, _name(test, training), test.at, test.slope, fill)
        below = gates[i].share_below(source)
        share[first], share[first + 1] = share[i] * below, share[i] * (1 - below)
        low, high = source[source <= test.at], source[source > test.at]
        beside[i] = (float(low.max(initial=-np.inf)), float(high.min(initial=np.inf)))
        lost = any(_gone(cells[one.index], training.columns[one.index].nominal) for one, _ in test.terms)
        missing[i] = (int(fill is not None and fill > test.at), lost)
    return core_tree({**shape.columns(training, beside, missing), **_facts(shape, share, targets, training)}), gates


def _name(test: Test, training: Training) -> str:
    return test.equation.sum_text() if test.column is None else training.columns[test.column].name


def _gone(cells: NDArray[Any], nominal: bool) -> bool:
    return bool(np.any(cells < 0) if nominal else cells.dtype.kind == "f" and np.any(np.isnan(cells)))


class _Shape:
    """The nodes in their final order: depth first, the lower branch before the other.

    Attributes
    ----------
    old, first, parent : list of int
        By node the number it had, its first child (0 of a leaf), the node above.
    """

    def __init__(self, nodes: SoftNodes, tests: dict[int, Test]) -> None:
        self.nodes, self.tests = nodes, tests
        self.old, self.first, self.parent = [0], [0], [-1]
        open_ = [0]
        while open_:
            at = open_.pop()
            left = int(nodes.first[self.old[at]])
            if left == 0:
                continue
            self.first[at] = child = len(self.old)
            self.old += [left, left + 1] if self.test(at).left_below else [left + 1, left]
            self.first += [0, 0]
            self.parent += [at, at]
            open_ += [child + 1, child]

    def test(self, i: int) -> Test:
        """The test of an inner node."""
        return self.tests[self.old[i]]

    def columns(
        self, training: Training, beside: dict[int, tuple[float, float]], missing: dict[int, tuple[int, bool]]
    ) -> dict[str, Any]:
        """The columns of the core's tree that say what nodes test."""
        n, columns = len(self.old), training.columns
        inner = [i for i in range(n) if self.first[i]]
        tests = {i: self.test(i) for i in inner}
        derived = [i for i in inner if tests[i].column is None]
        terms = [term for i in derived for term in tests[i].terms]
        column = [tests[i].terms[0][0].index if i in tests else -1 for i in range(n)]
        is_inner = np.array([first > 0 for first in self.first])
        ends = [tuple(min(max(end, -_FARTHEST), _FARTHEST) for end in beside[i]) for i in inner]
        steps = {node: step for step, node in enumerate(inner)}
        seen = [
            np.bincount(cells[cells >= 0].astype(np.int64), minlength=len(each.levels)) > 0
            for each, cells in zip(columns, by_column(training.arrays), strict=True)
            if each.nominal
        ]
        return {
            "column_kind": np.array([each.nominal for each in columns]),
            "column_levels": np.array([len(each.levels) if each.nominal else 0 for each in columns]),
            "column_seen": np.concatenate(seen) if seen else np.empty(0),
            "parent": np.array(self.parent),
            "first_child": np.array(self.first),
            "n_children": np.where(is_inner, 2, 0),
            "family": np.where(is_inner, FAMILIES.index("threshold"), 0),
            "strict": np.zeros(n),
            "column": np.array(column),
            "otherwise": np.full(n, NO_BRANCH),
            "missing_to": np.array([missing[i][0] if i in missing else NO_BRANCH for i in range(n)]),
            "missing_seen": np.array([i in missing and missing[i][1] for i in range(n)]),
            "step": np.array([steps.get(i, -1) for i in range(n)]),
            "cut_begin": offsets(np.where(is_inner, 1, 0)),
            "cut_at": np.array([tests[i].at for i in inner]),
            "cut_below": np.array([low for low, _ in ends]),
            "cut_above": np.array([high for _, high in ends]),
            "term_begin": offsets(
                np.array([len(tests[i].terms) if i in tests and tests[i].column is None else 0 for i in range(n)])
            ),
            "term_column": np.array([one.index for one, _ in terms]),
            "term_level": np.array([-1 if one.level is None else one.level for one, _ in terms]),
            "term_coefficient": np.array([c for _, c in terms]),
            "term_missing": np.array([one.fill for one, _ in terms]),
            "term_by": np.full(len(terms), -1),
            "term_by_missing": np.zeros(len(terms)),
        }


_FARTHEST = 1.7e308


def _facts(shape: _Shape, share: list[Floats], targets: Targets, training: Training) -> dict[str, Any]:
    """What nodes hold: the shares of rows that come there, and of leaves what they were trained to say."""
    n = len(shape.old)
    total = float(len(training.codes)) if training.counted is None else float(np.sum(training.counted))
    weight = np.array([total * float(each.sum()) for each in share])
    leaf = [shape.first[i] == 0 for i in range(n)]
    said = {i: targets.said(shape.nodes.answer[shape.old[i]]) for i in range(n) if leaf[i]}
    facts: dict[str, Any] = {"weight": weight}
    if targets.classes is not None:
        place, k = targets.numbers.astype(np.int64), targets.n_classes
        held = [np.bincount(place, weights=each, minlength=k) for each in share]
        shares = np.array(
            [said[i] if leaf[i] else np.maximum(each / max(each.sum(), _NOTHING), _FLOOR) for i, each in enumerate(held)]
        )
        shares /= shares.sum(axis=1, keepdims=True)
        impurity = -np.sum(shares * np.log2(shares), axis=1)
        facts |= {
            "n_classes": len(training.target.classes or ()),
            "label": targets.classes[np.argmax(shares, axis=1)],
            "class_begin": np.arange(n + 1) * k,
            "class_id": np.tile(targets.classes, n),
            "class_weight": (shares * np.maximum(weight, total * _FLOOR)[:, None]).ravel(),
        }
    else:
        y = np.asarray(training.codes, np.float64)
        middle = [
            float(said[i][0]) if leaf[i] else float(np.dot(each, y) / each.sum()) if each.any() else targets.centre
            for i, each in enumerate(share)
        ]
        facts |= {"n_classes": 0, "value": np.array(middle)}
        off = [
            np.dot(each, ((y - at) / (targets.scale or 1.0)) ** 2) / max(each.sum(), _NOTHING)
            for each, at in zip(share, middle, strict=True)
        ]
        impurity = np.maximum(np.array(off), 0.0) * targets.scale**2
    gain = np.zeros(n)
    for i, first in enumerate(shape.first):
        if first:
            both = max(weight[first] + weight[first + 1], _NOTHING)
            after = (weight[first] * impurity[first] + weight[first + 1] * impurity[first + 1]) / both
            gain[i] = max(float(impurity[i] - after), 0.0)
    return {**facts, "impurity": impurity, "gain": gain}


def leaves_of(core: _core.Tree, schema: TableSchema, target: TargetSchema, gates: dict[int, Gate]) -> LeafModel:
    """What the nodes of a tree with these gates say: of classes they are mixed by scores."""
    mixed = bool(gates) and target.classes is not None
    return LogShares(core, schema, target) if mixed else plain_leaves(core, schema, target)


def gated(tree: Tree, gates: dict[int, SigmoidGate]) -> Tree:
    """The tree with its gates."""
    return Tree(tree._core, tree.schema, tree.target, leaves_of(tree._core, tree.schema, tree.target, dict(gates)), dict(gates))
