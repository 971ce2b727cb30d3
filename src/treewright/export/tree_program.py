"""A tree as a flat program: a node for each of its own, and one for every surrogate behind the node it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from treewright.export.labels import class_labels, inputs_of
from treewright.export.nodes import DerivedNumbers, Nodes, level_jumps
from treewright.export.program import REFUSED, SPREAD, Answer, Program, Ramp, Sigmoid, Term
from treewright.model import splits
from treewright.model.gates import Logistic, Pieces
from treewright.model.leaves.base import AnswerForm, TermForm
from treewright.model.sources import Source
from treewright.model.tree import Tree


def flat_program(tree: Tree, order: Sequence[int] | None = None) -> Program:
    """Write a tree as a flat program.

    Parameters
    ----------
    tree : Tree
        The tree; its nodes keep their numbers, unless surrogates stand between them.
    order : sequence of int, optional
        Positions of the declared classes in the order in which shares are given (default: all, as declared).
    """
    reader = _Reader(tree)
    reader.read()
    classes, leaves = tree.target.classes, tree.leaf_model
    return Program(
        inputs=inputs_of(tree.schema),
        target=tree.target.name,
        classes=class_labels(classes),
        order=tuple(range(len(classes or ())) if order is None else order),
        **reader.nodes.columns(),
        answers=[Answer(label, values, _terms(terms)) for label, values, terms in reader.answers],
        ways=reader.ways,
        soft={reader.place[id]: _passed(gate.form) for id, gate in tree.gates.items()},
        outputs=leaves.outputs,
        bounded=leaves.bounded,
        scores=leaves.scored,
        derived=reader.derived.numbers,
    )


class _Reader:
    """Nodes and answers of a program, read from a tree node by node."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.leaf_model = tree, tree.leaf_model
        self.splits = tree.splits.tuples()
        entries = self.splits.entries
        self.n_children, self.first_child, self.weight = entries.n_children, entries.first_child, entries.weight
        self.nodes = Nodes()
        self.answers: dict[AnswerForm, int] = {}  # each once, with its position
        self.derived = DerivedNumbers(len(tree.columns))
        self.ways: dict[int, tuple[tuple[int, float], ...]] = {}
        surrogates = tree.node_columns.n_surrogates
        self.surrogates = {id: self.splits.surrogates(id) for id in np.flatnonzero(surrogates).tolist()}
        # Where the nodes of the tree stand in the program.
        self.place = [id + before for id, before in enumerate(accumulate([0, *surrogates.tolist()[:-1]]))]

    def read(self) -> None:
        """Add all nodes."""
        for id, branches in enumerate(self.n_children):
            if branches:
                self._add_test(id)
            else:
                self._add_answer(id)

    def _add_answer(self, id: int) -> None:
        self.nodes.add_answer(self.answers.setdefault(self.leaf_model.program(id), len(self.answers)))

    def _add_test(self, id: int) -> None:
        """Add the node of a test and those of its surrogates: a missing cell jumps to the first, and from one to the next."""
        test, first = self.splits.test(id), self.first_child[id]
        branches = self.place[first : first + test.n_branches]
        # Levels that the test does not list go the way of missing cells, also where these are refused.
        to = test.missing_to
        unlisted = branches[to] if to >= 0 else SPREAD if to == splits.EVERY else REFUSED
        last = REFUSED if test.refuses else unlisted
        if id in self.surrogates:
            begin = self.place[id] + 1
            after = [*range(begin, begin + len(self.surrogates[id])), last]
            self._add(test.source, test.division, branches, after[0], after[0])
            for surrogate, missing in zip(self.surrogates[id], after[1:], strict=True):
                self._add(surrogate.source, surrogate.division, branches, missing, missing)
        else:
            self._add(test.source, test.division, branches, unlisted, last)
        if SPREAD in (last, unlisted):
            self._add_ways(id, branches)

    def _add(self, source: Source, division: splits.Division, branches: Sequence[int], unlisted: int, missing: int) -> None:
        """Add a node that divides cells among branches, and those of levels it does not list, and missing ones, elsewhere."""
        column = source.index if source.equation is None else self.derived.column(source.column.name, source.equation)
        if isinstance(division, splits.Cuts):
            self.nodes.add_test(column, division.at, tuple(map(branches.__getitem__, division.to)), division.strict, missing)
        elif isinstance(division, splits.Presence):
            self.nodes.add_test(column, (), (branches[division.to],), False, missing)
        else:
            rest = unlisted if division.otherwise is None else branches[division.otherwise]
            to = {code: branches[branch] for code, branch in division.to.items()}
            seen = self.tree.seen_levels(column) if self.tree.schema.known else range(len(self.tree.columns[column].levels))
            cuts, jumps = level_jumps(((code, to.get(code, rest)) for code in seen), rest)
            self.nodes.add_test(column, cuts, jumps, False, missing)

    def _add_ways(self, id: int, branches: Sequence[int]) -> None:
        """Give the ways of a divided row to those nodes, of the test and its surrogates, that divide rows."""
        for node in range(self.place[id], len(self.nodes)):
            if SPREAD in self.nodes.jumps(node):
                self.ways[node] = self._shares(id, branches)

    def _shares(self, id: int, branches: Sequence[int]) -> tuple[tuple[int, float], ...]:
        """The branches of a node with their shares of a row that takes them all."""
        shares = self.splits.shares(id)
        if self.tree.gates:
            # Behind gates the model adds up weights as NumPy does.
            first = self.first_child[id]
            weights = np.asarray(self.weight[first : first + len(branches)])
            total = weights.sum()
            shares = (weights / total if total > 0 else np.full(len(branches), 1 / len(branches))).tolist()
        return tuple((to, share) for to, share in zip(branches, shares, strict=True) if share > 0)


def _passed(form: Pieces | Logistic) -> Ramp | Sigmoid:
    """How a threshold is passed in fractions."""
    return Sigmoid(*form) if isinstance(form, Logistic) else Ramp(*form)


def _terms(of_values: Sequence[Sequence[TermForm]]) -> tuple[tuple[Term, ...], ...]:
    """The terms of an answer, by value."""
    return tuple(tuple(Term(*term) for term in terms) for terms in of_values)
