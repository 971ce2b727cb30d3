"""Where plots are drawn, and the tree they draw."""

from __future__ import annotations

from typing import Any

from treewright.model.tree import Tree


def pyplot() -> Any:
    """Matplotlib, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'treewright[plot]' (Tree.to_svg needs nothing)") from error
    return plt


def check_axes(ax: Any) -> None:
    """Refuse what is no axes."""
    if ax is not None and not hasattr(ax, "plot"):
        raise TypeError(f"ax={ax!r} is no matplotlib Axes: give one, such as ax=plt.gca(), or leave it out")


def axes(ax: Any) -> Any:
    """The axes that were given, or those of a new figure."""
    check_axes(ax)
    return pyplot().figure().add_subplot() if ax is None else ax


def tree_of(model: Any) -> Tree:
    """The tree of a fitted estimator, or the tree that was given."""
    found = getattr(model, "_model", None)
    if not isinstance(found, Tree):
        raise TypeError(f"{type(model).__name__} holds no tree: give a fitted tree estimator or a tw.Tree")
    return found
