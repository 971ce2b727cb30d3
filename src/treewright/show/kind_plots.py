"""What the nodes of trees are like by depth, on matplotlib axes. Needs the ``plot`` extra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treewright.errors import counted
from treewright.model.kinds import KINDS
from treewright.model.tree import Tree
from treewright.show.axes import axes, tree_of
from treewright.show.picture import CLASSES, NUMBERS


def _trees(models: Any) -> list[Tree]:
    given = models if isinstance(models, Sequence) and not isinstance(models, str) else [models]
    return [tree_of(model) for model in given]


def plot_node_kinds(models: Any, ax: Any = None) -> Any:
    """Draw how many nodes of each kind stand at every depth, as stacked bars.

    Parameters
    ----------
    models : fitted estimator, Tree, or several of them
        The trees; of several the nodes are counted together.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        The data are those of ``Tree.node_kinds``.
    """
    trees = _trees(models)
    every = [tree.node_kinds() for tree in trees]
    depth = max((len(kinds) for kinds in every), default=0)
    ax = axes(ax)
    below = [0] * depth
    for color, kind in zip(CLASSES, KINDS, strict=False):
        counts = [sum(kinds[d].get(kind, 0) for kinds in every if d < len(kinds)) for d in range(depth)]
        if any(counts):
            ax.bar(range(depth), counts, bottom=below, color=color, label=kind)
            below = [a + b for a, b in zip(below, counts, strict=True)]
    ax.set_xticks(range(depth))
    ax.set_xlabel("depth (0: the root)")
    ax.set_ylabel("nodes" if len(trees) == 1 else f"nodes of {counted(len(trees), 'tree')}")
    if depth:
        ax.legend(fontsize="small")
    return ax


def plot_node_terms(models: Any, ax: Any = None) -> Any:
    """Draw how many columns nodes look at by depth, in the mean.

    Parameters
    ----------
    models : fitted estimator, Tree, or several of them
        The trees; of several the mean of those that reach a depth.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        The data are those of ``Tree.node_terms``.
    """
    trees = _trees(models)
    every = [tree.node_terms() for tree in trees]
    depth = max((len(terms) for terms in every), default=0)
    means = []
    for d in range(depth):
        here = [terms[d] for terms in every if d < len(terms)]
        means.append(sum(here) / len(here))
    ax = axes(ax)
    ax.plot(range(depth), means, "o-", color=NUMBERS)
    ax.set_xticks(range(depth))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("depth (0: the root)")
    ax.set_ylabel("columns a node looks at")
    return ax
