"""A hard tree with sigmoid gates in the place of its tests, all of whose parameters are trained on together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treewright import _core, parts
from treewright.errors import real, shown
from treewright.learn.soft import MOST_ITERATIONS, rows_of
from treewright.learn.soft_tree import Floats, SoftNodes, Targets, gated, soft_tree
from treewright.learn.spreads import with_spreads
from treewright.learn.standardised import Standardised
from treewright.learn.training import Training, count_rows
from treewright.learn.values import seed_of, whole
from treewright.model import Tree
from treewright.model.gates import SigmoidGate
from treewright.model.linear import Equation
from treewright.model.rules import by_column
from treewright.model.splits import Cuts, Levels
from treewright.model.weighing import in_given_unit, in_rows
from treewright.table import read_cells
from treewright.table.streams import as_table
from treewright.table.target import match_target
from treewright.table.weights import read_weights

STEEP = 8.0  # of a gate where training begins, per deviation of what it compares
_COLUMNS = ("tested", "all")
Terms = list[tuple[int, int | None, float]]  # column, level and coefficient


def soften(
    tree: Tree,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    columns: str = "tested",
    ridge: float = 0.1,
    holdout: float = 0.2,
    iterations: int = 100,
    random_state: Any = None,
) -> Tree:
    """Return the tree with sigmoid gates, trained on rows; see :meth:`Tree.soften`."""
    parts.check_name("columns", columns, _COLUMNS)
    real("holdout", holdout, 0.0, 0.5)
    how = _core.SoftSettings()
    how.penalty = real("ridge", ridge, 0.0)
    how.iterations = whole("iterations", iterations, 0, MOST_ITERATIONS)
    how.from_start = False  # rows that are held out here were seen when the tree was grown
    seed_of(random_state)
    _refuse(tree)
    training = _rows(tree, X, y, sample_weight)
    standards = Standardised(training)
    targets = _targets(tree, training, standards)
    begin = _Beginning(tree, standards, targets, training)
    nodes = SoftNodes(np.asarray(tree.node_columns.first_child, np.int64), begin.gates(), begin.answers())
    if how.iterations and nodes.gate and not targets.constant:
        rows = rows_of(training, standards, targets, holdout, random_state)
        free = nodes.flags(lambda gate: np.append((gate[:-1] != 0) | (columns == "all"), True))
        told = {**nodes.told(), "free": free}
        told, _ = _core.refine_soft(rows, told, how)
        nodes = SoftNodes.read(told, len(standards.of), targets.outputs)
    core, gates = soft_tree(nodes, standards, targets, training)
    target = replace(tree.target, row_weight=training.row_weight)
    schema = replace(tree.schema, missing="majority")
    return with_spreads(gated(Tree(in_given_unit(core, target), schema, target), gates), training)


def _refuse(tree: Tree) -> None:
    """Refuse trees that have no gates like these."""
    if tree.target.outputs:
        raise ValueError("only trees with one class or number per leaf are softened, this one says several numbers a row")
    if not tree.leaf_model.by_nodes:
        raise ValueError("only trees with one class or number per leaf are softened, this one computes what it says")
    for id in np.flatnonzero(~tree.node_columns.is_leaf).tolist():
        test = tree.splits.test(id)
        name = shown(test.source.column.name)
        if test.n_branches != 2 or not isinstance(test.division, Cuts | Levels):
            kind = "asks for presence" if test.n_branches == 2 else f"has {test.n_branches} branches"
            raise ValueError(f"node {id} ({name}) {kind}, a gate has two of values: grow a binary tree, such as CARTClassifier")
        if test.source.equation is not None and any(term.by is not None for term in test.source.equation.terms):
            raise ValueError(f"node {id} tests products of columns ({name}), a gate weighs columns alone")


def _rows(tree: Tree, X: Any, y: Any, sample_weight: Any) -> Training:
    """The rows to train on, matched to the tree."""
    X = as_table(X)
    arrays, n_rows = read_cells(X, tree.schema)
    count_rows(X)
    weights = read_weights(sample_weight, n_rows)
    codes = match_target(y, tree.target, weights.keep)
    if len(codes) != (n_rows if weights.keep is None else int(np.sum(weights.keep))):
        raise ValueError(f"X has {n_rows} rows and y has {len(codes)}: inconsistent numbers of samples")
    given = arrays if weights.keep is None else [array[weights.keep] for array in arrays]
    classes = None if tree.target.classes is None else np.unique(codes)
    columns = list(tree.columns)
    return Training(columns, given, tree.target, codes, weights.given, classes, row_weight=weights.each, named=tree.schema.named)


def _targets(tree: Tree, training: Training, standards: Standardised) -> Targets:
    """What is to be said: of classes also those that only the tree knows."""
    if tree.target.classes is None:
        return Targets.of(training, standards.share)
    classes = np.union1d(training.codes, tree.node_columns.class_id).astype(np.int64)
    return Targets(np.searchsorted(classes, training.codes).astype(np.float64), classes)


class _Beginning:
    """Gates and leaves where training begins."""

    def __init__(self, tree: Tree, standards: Standardised, targets: Targets, training: Training) -> None:
        self.tree, self.standards, self.targets = tree, standards, targets
        self.place = {(one.index, one.level): k for k, one in enumerate(standards.of)}
        self.cells = by_column(training.arrays)
        self.rows = np.arange(len(training.codes))

    def gates(self) -> dict[int, Floats]:
        """The gates, by node: what lies below goes left."""
        return {id: self._gate(id) for id in np.flatnonzero(~self.tree.node_columns.is_leaf).tolist()}

    def _gate(self, id: int) -> Floats:
        test, splits = self.tree.splits.test(id), self.tree.splits
        if isinstance(test.division, Levels):
            return self._levels(test.source.index, test.division)
        at = splits.threshold(id)[0]
        values = np.asarray(splits.source(id).cells(self.cells, self.rows), np.float64)
        deviation = float(np.nanstd(values)) if np.any(~np.isnan(values)) else 0.0
        gate = self.tree.gates.get(id)
        slope = gate.slope if isinstance(gate, SigmoidGate) else STEEP / deviation if deviation > 0 else STEEP
        terms: Terms = [(test.source.index, None, 1.0)] if test.source.equation is None else _terms(test.source.equation)
        return self._sum(terms, -slope, slope * at)

    def _levels(self, index: int, division: Levels) -> Floats:
        """The gate of a test of levels: those of the first branch count 1, others -1."""
        known = range(len(self.tree.columns[index].levels))
        side = {code: 1.0 if division.to.get(code, division.otherwise) == 0 else -1.0 for code in known}
        held = [code for code in known if (index, code) in self.place]
        rest = [side[code] for code in known if code not in held and np.any(self.cells[index] == code)]
        base = rest[0] if len(held) == 1 and rest else 0.0
        return self._sum([(index, code, side[code] - base) for code in held], STEEP, STEEP * base)

    def _sum(self, terms: Terms, times: float, constant: float) -> Floats:
        """A sum of columns in the user's unit, as one of standardised columns."""
        out = np.zeros(len(self.standards.of) + 1)
        for index, level, coefficient in terms:
            k = self.place.get((index, level))
            if k is None:  # it does not vary among these rows
                constant += times * coefficient * self._only(index, level)
                continue
            one = self.standards.of[k]
            out[k] += times * coefficient * one.scale
            constant += times * coefficient * one.centre
        out[-1] = constant
        return out

    def _only(self, index: int, level: int | None) -> float:
        cells = np.asarray(self.cells[index], np.float64)
        there = cells[~np.isnan(cells)] if level is None else cells[cells >= 0]
        return 0.0 if not len(there) else float(there[0]) if level is None else float(there[0] == level)

    def answers(self) -> dict[int, Floats]:
        """What leaves say: of classes with half a row more of each, so that none is impossible."""
        tree, targets = self.tree, self.targets
        leaves = np.flatnonzero(tree.node_columns.is_leaf).tolist()
        if targets.classes is None:
            return {id: targets.answer(np.array([tree.leaf_model.prediction(id)])) for id in leaves}
        counted = Tree(in_rows(tree._core, tree.target), tree.schema, tree.target).node_columns.entries
        place = {int(code): k for k, code in enumerate(targets.classes)}
        out = {}
        for id in leaves:
            weight = np.full(targets.n_classes, 0.5)
            begin, end = counted.run("class", id)
            for code, held in zip(counted.class_id[begin:end], counted.class_weight[begin:end], strict=True):
                weight[place[code]] += held
            out[id] = targets.answer(weight / weight.sum())
        return out


def _terms(equation: Equation) -> Terms:
    """Column, level and coefficient of every term."""
    return [
        (term.index, code, term.coefficient)
        for term in equation.terms
        for code in ((None,) if term.codes is None else term.codes)
    ]
