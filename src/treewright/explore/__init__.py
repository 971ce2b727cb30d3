"""The explorer: one page, without any request to anywhere, in which a tree or a list of rules is looked at and asked."""

from treewright.explore.write import explore

__all__ = ["explore"]
