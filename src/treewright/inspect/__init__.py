"""What a model says about single rows."""

from treewright.inspect.explain import Change, Explanation, Passed, explain

__all__ = ["Change", "Explanation", "Passed", "explain"]
