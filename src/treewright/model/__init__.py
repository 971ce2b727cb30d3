"""What was learned, as values: trees, nodes, conditions, rules and clauses."""

from treewright.model.clauses import Clause, Clauses
from treewright.model.condition import Condition
from treewright.model.forest import Forest
from treewright.model.node import Candidate, Node, Split
from treewright.model.rules import Rule, RuleSet
from treewright.model.tree import Region, Step, Tree

__all__ = ["Candidate", "Clause", "Clauses", "Condition", "Forest", "Node", "Region", "Rule", "RuleSet", "Split", "Step", "Tree"]
