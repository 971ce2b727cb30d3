"""Trees of scikit-learn: single trees and members of forests. They compare values rounded to 32 bits with 64-bit thresholds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright.adopt.binary import Binary, adopt, chosen, number_columns
from treewright.adopt.single import at_most
from treewright.errors import shown
from treewright.model import Tree
from treewright.table import TargetSchema


def from_sklearn(model: Any, tree: int | None = None) -> Tree:
    """Return a fitted scikit-learn tree, or one tree of a forest, as a Tree that sends every row to the same leaf.

    Parameters
    ----------
    model : fitted DecisionTree*, ExtraTree*, or an ensemble of them
        Whatever scikit-learn grew; a tree of gradient boosting predicts its part of the sum.
    tree : int, optional
        Which tree of an ensemble, from 0, in the order of ``estimators_``.

    Returns
    -------
    Tree
        Classes are those of the ensemble, weights of nodes those that scikit-learn counted. Missing cells go where scikit-learn
        sends them. Thresholds are those of 64-bit numbers that compare as scikit-learn compares after rounding to 32 bits.
    """
    member = model
    if hasattr(model, "estimators_"):
        members = np.asarray(model.estimators_, dtype=object).ravel().tolist()
        member = members[chosen(len(members), tree, type(model).__name__)]
    elif tree is not None:
        chosen(1, tree, type(model).__name__)
    grown = getattr(member, "tree_", None)
    if grown is None or not hasattr(grown, "children_left"):
        raise TypeError(f"{shown(model)} is no fitted tree of scikit-learn, nor an ensemble of them")
    if grown.n_outputs != 1 and hasattr(member, "classes_"):
        raise ValueError(f"the tree has {grown.n_outputs} targets of classes: fit one tree a target")
    names = getattr(model, "feature_names_in_", None)
    columns = number_columns([f"x{j}" for j in range(grown.n_features)] if names is None else names)
    return adopt(
        _binary(grown, hasattr(member, "classes_")),
        columns,
        names is not None,
        _target(model, member),
        "the tree of scikit-learn",
    )


def _binary(grown: Any, classes: bool) -> Binary:
    left, right = np.asarray(grown.children_left), np.asarray(grown.children_right)
    threshold = np.asarray(grown.threshold, np.float64)
    inner, presence = left >= 0, np.isinf(threshold)
    cut, below, above = at_most(np.where(inner & ~presence, threshold, 0.0))
    weight, impurity = np.asarray(grown.weighted_n_node_samples), np.asarray(grown.impurity)
    values = np.asarray(grown.value)[:, 0, :]
    several = np.asarray(grown.value)[:, :, 0] if grown.n_outputs > 1 else None
    impurity = impurity * grown.n_outputs  # scikit-learn's is the mean of the targets', ours the sum
    sides = np.maximum(left, 0), np.maximum(right, 0)
    after = sum(weight[side] * impurity[side] for side in sides) / weight
    return Binary(
        left=left,
        right=right,
        column=np.asarray(grown.feature),
        cut=cut,
        below=below,
        above=above,
        missing_left=np.asarray(grown.missing_go_to_left),
        weight=weight,
        impurity=impurity,
        gain=np.where(inner, impurity - after, 0.0),
        value=None if classes else values[:, 0] if several is None else several.mean(axis=1),
        shares=_class_weights(values, weight) if classes else None,
        presence=presence,
        vectors=several,
    )


def _class_weights(shares: Any, weight: Any) -> Any:
    """Weights of the classes from their shares; whole ones where rows were counted."""
    weights = shares * weight[:, None]
    whole = np.rint(weights)
    return whole if np.allclose(weights, whole, rtol=1e-9, atol=1e-6) and np.all(np.rint(weight) == weight) else weights


def _target(model: Any, member: Any) -> TargetSchema:
    each = _row_weight(member.tree_)
    if not hasattr(member, "classes_"):
        several = member.tree_.n_outputs
        outputs = tuple(f"y{j}" for j in range(several)) if several > 1 else ()
        return TargetSchema("target", None, outputs=outputs, row_weight=each)
    labels = model.classes_ if hasattr(model, "classes_") else member.classes_
    return TargetSchema("target", tuple(np.asarray(labels).tolist()), row_weight=each)


def _row_weight(grown: Any) -> float:
    """What one row weighs: 1 where the nodes can hold copies of rows, else the mean over the rows the tree was grown from."""
    weight, rows = np.asarray(grown.weighted_n_node_samples), np.asarray(grown.n_node_samples)
    mean = float(weight[0] / rows[0])
    copies = np.all(weight == np.rint(weight)) and np.all(weight >= rows)
    # Balanced class weights keep the sum, but for rounding.
    return 1.0 if copies or math.isclose(mean, 1.0, rel_tol=1e-9) else mean
