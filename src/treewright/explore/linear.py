"""Leaves and rules that say equations: the way of a row is that of the program, what it is told is computed where it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from treewright.export.program import Program
from treewright.export.tree_program import flat_program
from treewright.model.leaves.base import AnswerForm
from treewright.model.linear import Equation
from treewright.model.tree import Tree


def routing(tree: Tree) -> Program:
    """The program that finds the leaf of a row, or the leaves, where thresholds have gates."""
    return flat_program(Tree(tree._core, tree.schema, tree.target, gates=tree.gates))


def equations(tree: Tree) -> dict[str, Any] | None:
    """What the page computes predictions with, where leaves have equations: a list for each leaf, of classes an equation each."""
    leaves = tree.leaf_model
    if not leaves.computed:
        return None
    # Missing cells are filled before they are tested.
    fill = None if leaves.fill is None else leaves.fill.tolist()
    return {"fill": fill, "leaves": {id: [list(each) for each in _equations(leaves.program(id))] for id in leaves.ends}}


def _equations(answer: AnswerForm) -> Iterator[tuple[float, list[Any]]]:
    _, constants, terms = answer
    for constant, each in zip(constants, terms, strict=True):
        yield constant, [[index, codes and list(codes), coefficient, missing] for index, coefficient, missing, codes in each]


def written(says: Equation | float) -> list[Any]:
    """An equation as the page reads it: the constant; of every term column, levels, coefficient, value of a missing cell."""
    if not isinstance(says, Equation):
        return [float(says), []]
    terms = [[term.index, term.codes and list(term.codes), term.coefficient, term.missing] for term in says.terms]
    return [says.intercept, terms]
