"""What a model says about single rows."""

from treewright.inspect.changes import Change
from treewright.inspect.explain import Explanation, Passed, explain, one_row
from treewright.inspect.vote import Part

__all__ = ["Change", "Explanation", "Part", "Passed", "explain", "one_row"]
