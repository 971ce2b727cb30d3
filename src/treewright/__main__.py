"""``python -m treewright`` is the command ``treewright``."""

from treewright.cli import process

process()
