"""What the weights of a target allow, and the readers of targets under the name they had here."""

from __future__ import annotations

import warnings

from treewright.errors import TreewrightWarning, outside
from treewright.table.target import declared_classes, read_classes, read_numbers, read_weights, target_name

__all__ = ["declared_classes", "read_classes", "read_numbers", "read_weights", "target_name", "warn_if_light"]


def warn_if_light(total: float, split: float, leaf: float) -> None:
    """Warn when the whole table weighs too little for even one split."""
    needed = max(split, 2 * leaf)
    if total < needed:
        warnings.warn(
            f"the weights sum to {total:g}, a split needs {needed:g} (min_samples_split, min_samples_leaf count weight): "
            "the tree is a single leaf; scale the weights or lower the limits",
            TreewrightWarning,
            stacklevel=outside(),
        )
