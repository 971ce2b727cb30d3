"""Leaves and rules that say equations: the way of a row is that of the program, what it is told is computed where it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treewright.export.program import Program
from treewright.export.tree_program import blended, flat_program
from treewright.model.linear import Equation
from treewright.model.tree import Tree


def said_elsewhere(tree: Tree) -> bool:
    """Whether leaves say what programs do not write: equations, or several numbers."""
    return tree.models is not None or tree.vectors is not None


def routing(tree: Tree) -> Program:
    """The program that finds the leaf of a row, or the leaves, where thresholds are blended."""
    plain = flat_program(Tree(tree._core, tree.schema, tree.target))
    return replace(plain, soft=blended(tree))


def equations(tree: Tree) -> dict[str, Any] | None:
    """What the page computes answers with, where leaves say equations: a list for each leaf, of classes an equation each."""
    models = tree.models
    if models is None:
        return None
    leaves = {leaf.id: [written(each) for each in models.equations(leaf.id, tree.schema)] for leaf in tree.leaves()}
    # Missing cells are filled before they are asked about.
    return {"fill": models._state["fill"].tolist(), "leaves": leaves}


def written(says: Equation | float) -> list[Any]:
    """An equation as the page reads it: the constant; of every term column, levels, coefficient, value of a missing cell."""
    if not isinstance(says, Equation):
        return [float(says), []]
    terms = [[term.index, term.codes and list(term.codes), term.coefficient, term.missing] for term in says.terms]
    return [says.intercept, terms]
