"""What courses do by hand on small tables: counting hypotheses, the smallest trees by brute force, version spaces."""

from treewright.course.conjunction import Conjunction
from treewright.course.counts import count_conjunctions, count_functions, count_trees
from treewright.course.smallest import SmallestTrees, smallest_trees
from treewright.course.version_space import VersionSpace

__all__ = [
    "Conjunction",
    "SmallestTrees",
    "VersionSpace",
    "count_conjunctions",
    "count_functions",
    "count_trees",
    "smallest_trees",
]
