"""Clauses: rules over relations, as values that are read, written, edited and asked."""

from treewright.model.clauses.clause import Clause, Literal, Variable
from treewright.model.clauses.program import Clauses
from treewright.model.clauses.proof import Proof
from treewright.model.clauses.trace import LiteralTrace, StateTrace

__all__ = ["Clause", "Clauses", "Literal", "LiteralTrace", "Proof", "StateTrace", "Variable"]
