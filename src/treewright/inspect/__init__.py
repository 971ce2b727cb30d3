"""What a model says about single rows."""

from treewright.inspect.explain import Change, Explanation, Passed, explain
from treewright.inspect.vote import Part

__all__ = ["Change", "Explanation", "Part", "Passed", "explain"]
