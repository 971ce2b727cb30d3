"""A tree as a flat program: a node for each of its own, and one for every surrogate behind the node it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from treewright.export.labels import class_labels, inputs_of
from treewright.export.nodes import DerivedNumbers, Nodes, level_jumps
from treewright.export.program import REFUSED, SPREAD, Answer, Program, Ramp, Term
from treewright.model import splits
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
        **vars(reader.nodes),
        answers=list(reader.answers),
        ways=reader.ways,
        soft={reader.place[id]: Ramp(*gate.pieces) for id, gate in tree.gates.items()},
        outputs=leaves.outputs,
        bounded=leaves.bounded,
        scores=leaves.scored,
        derived=reader.derived.numbers,
    )


class _Reader:
    """Nodes and answers of a program, read from a tree node by node."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        columns = tree.node_columns.lists()
        self.n_children, self.first_child, self.weight = columns.n_children, columns.first_child, columns.weight
        self.splits = tree.splits.lists()
        self.nodes = Nodes()
        self.answers: dict[Answer, int] = {}  # each once, with its position
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
        label, values, terms = self.tree.leaf_model.program(id)
        answer = Answer(label, values, tuple(tuple(Term(*term) for term in each) for each in terms))
        self.nodes.add_answer(self.answers.setdefault(answer, len(self.answers)))

    def _add_test(self, id: int) -> None:
        """Add the node of a test and those of its surrogates: a missing cell jumps to the first, and from one to the next."""
        test, first = self.splits.test(id), self.first_child[id]
        branches = self.place[first : first + test.n_branches]
        last = _jump(test.missing_branch, branches)
        # Levels that the test does not list go the way of missing cells, also where these are refused.
        unlisted = _jump(test.missing_to, branches)
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

    def _add(
        self, source: splits.Source, division: splits.Division, branches: Sequence[int], unlisted: int, missing: int
    ) -> None:
        """Add a node that divides cells among branches, and those of levels it does not list, and missing ones, elsewhere."""
        column = self.derived.column(source.index, source.column.name, source.equation)
        if isinstance(division, splits.Cuts):
            self.nodes.add_test(column, division.at, tuple([branches[b] for b in division.to]), division.strict, missing)
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
        for node in range(self.place[id], len(self.nodes.column)):
            if SPREAD in (*self.nodes.to[node], self.nodes.missing[node]):
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


def _jump(branch: int, branches: Sequence[int]) -> int:
    """Where a missing cell jumps to."""
    return branches[branch] if branch >= 0 else SPREAD if branch == splits.EVERY else REFUSED
