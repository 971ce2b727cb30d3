"""Trees of tables larger than memory: rows are read once, put in bins in a scratch folder, and counted level by level."""

from treewright.scale.fitting import fit

__all__ = ["fit"]
