"""Boosted trees as a forest: trees that add to scores, and the link by which an objective makes answers of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treewright.errors import counted, shown
from treewright.model import Forest, Tree
from treewright.model.combine import Scores
from treewright.table import TargetSchema


def boosted(trees: Sequence[Tree], combine: Scores, weights: Sequence[float], labels: Any = None) -> Forest:
    """Return the forest of trees that add to scores.

    Parameters
    ----------
    trees : sequence of Tree
        The members; those that weigh nothing are left out.
    combine : Scores
        How they add up.
    weights : sequence of float
        What every tree counts.
    labels : sequence, optional
        The classes, where the model was told them; else they are numbered.
    """
    several = len(combine.base)
    classes: tuple[Any, ...] | None = None
    outputs: tuple[str, ...] = ()
    if combine.link in ("sigmoid", "softmax"):
        classes = tuple(range(max(2, several))) if labels is None else tuple(labels)
    elif several > 1:
        outputs = tuple(f"y{j}" for j in range(several))
    if len(weights) != len(trees):
        raise IndexError(f"{counted(len(weights), 'weight')} of {counted(len(trees), 'tree')}")
    kept = [at for at, weight in enumerate(weights) if weight != 0]
    target = TargetSchema("target", classes, outputs=outputs)
    members = tuple(trees[at] for at in kept)
    if not members:
        raise ValueError("the model has no trees that count: fit it for one round at least")
    return Forest(members, members[0].schema, target, tuple(weights[at] for at in kept), combine.part(kept))


def scores_of(count: Any, trees: Sequence[Tree]) -> int:
    """Return to how many scores trees add, as the model says; every score has a tree."""
    if not 1 <= int(count) <= len(trees):
        raise IndexError(f"{counted(len(trees), 'tree')} for {shown(count)} scores")
    return int(count)


def link_of(objective: Any, links: Mapping[str, str]) -> str:
    """Return the link of an objective, by its name; refuse those that are not known."""
    link = links.get(objective) if isinstance(objective, str) else None
    if link is None:
        raise ValueError(
            f"the objective {shown(objective)} makes answers of scores in a way that no Forest of ours does: "
            "give tree= to read one tree, from 0"
        )
    return link
