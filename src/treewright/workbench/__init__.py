"""The workbench: a tree that is edited on screen, served by this machine to itself alone."""

from treewright.workbench.handle import Workbench

__all__ = ["Workbench"]
