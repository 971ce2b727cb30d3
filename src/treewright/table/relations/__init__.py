"""Relations: named sets of tuples from frames, folders and facts, with types for arguments and codes for constants."""

from treewright.table.relations.coded import Coded, code_relations
from treewright.table.relations.given import Relation, Relations, given_relation, given_relations, read_relations

__all__ = ["Coded", "Relation", "Relations", "code_relations", "given_relation", "given_relations", "read_relations"]
