"""The oracle's contents page: everything a test needs, under one name. Naive on purpose; see docs/parts.md."""

from .candidates import Candidate, ColumnSearch, Problem, evaluate, reaches_limit, refuse, search
from .criteria import chi_square_tail, entropy, error, gini, impurity, independence, split_information, twoing
from .discretise import between, edges_of, equal_frequency, equal_width, mdlp
from .grow import Decision, Guide, Node, decide, grow, nodes
from .missing import View, divide, missing_to, most_common, view
from .model import CLASS_CRITERIA, FILLED, FRACTIONAL, POLICIES, Column, Options, Split, Table, total

__all__ = [
    "CLASS_CRITERIA",
    "FILLED",
    "FRACTIONAL",
    "POLICIES",
    "Candidate",
    "Column",
    "ColumnSearch",
    "Decision",
    "Guide",
    "Node",
    "Options",
    "Problem",
    "Split",
    "Table",
    "View",
    "between",
    "chi_square_tail",
    "decide",
    "divide",
    "edges_of",
    "entropy",
    "equal_frequency",
    "equal_width",
    "error",
    "evaluate",
    "gini",
    "grow",
    "impurity",
    "independence",
    "mdlp",
    "missing_to",
    "most_common",
    "nodes",
    "reaches_limit",
    "refuse",
    "search",
    "split_information",
    "total",
    "twoing",
    "view",
]
