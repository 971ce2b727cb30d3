"""LightGBM's trees, one or all, from a booster or from its dump."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from treewright.adopt.binary import Binary, adopt, chosen, number_columns
from treewright.adopt.boosted import boosted, link_of, scores_of
from treewright.errors import ModelFormatError, shown
from treewright.model import Forest, Tree
from treewright.model.combine import Scores
from treewright.table import ColumnSchema, TargetSchema

_ORIGIN = "the dump of LightGBM"


# Objectives by what they make of scores.
_LINKS = {
    **dict.fromkeys(("regression", "regression_l1", "huber", "fair", "quantile", "mape"), "identity"),
    **dict.fromkeys(("lambdarank", "rank_xendcg"), "identity"),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), "exp"),
    "binary": "sigmoid",
    "multiclass": "softmax",
}


@overload
def from_lightgbm(model: Any, tree: int) -> Tree: ...


@overload
def from_lightgbm(model: Any, tree: None = None) -> Forest: ...


def from_lightgbm(model: Any, tree: int | None = None) -> Tree | Forest:
    """Return a LightGBM model as a Forest, or one of its trees as a Tree: every row ends in the same leaves.

    Parameters
    ----------
    model : Booster, fitted LGBMModel, or dict
        The model, or what ``booster.dump_model()`` returned. Of a model that ended early, the trees up to its best iteration.
    tree : int, optional
        Only this tree, from 0; with several classes the trees of a round follow each other.

    Returns
    -------
    Forest or Tree
        Trees of numbers: what they add to the raw score. The forest makes of the scores what LightGBM does: numbers, or shares of
        classes. Weights of nodes are counts of training rows; LightGBM keeps no variances, so the impurities are 0.
    """
    booster = getattr(model, "booster_", model)
    dump = booster if isinstance(booster, dict) else booster.dump_model() if hasattr(booster, "dump_model") else None
    if dump is None:
        raise TypeError(f"{shown(model)} is no model of LightGBM, nor a dump of one")
    try:
        trees = dump["tree_info"]
        at = range(len(trees)) if tree is None else [chosen(len(trees), tree, "the model")]
        columns, categories = _columns(dump)
        read = [
            adopt(_binary(trees[i]["tree_structure"], columns, categories), columns, _named(dump), _target(), _ORIGIN) for i in at
        ]
        return read[0] if tree is not None else _forest(dump, read, getattr(model, "classes_", None))
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ModelFormatError(f"{type(error).__name__}: {error}", _ORIGIN, "pass what booster.dump_model() returns") from error


def _forest(dump: dict[str, Any], trees: list[Tree], labels: Any) -> Forest:
    """All trees; what they begin with is in the first of them."""
    objective, *options = str(dump.get("objective") or "none").split(" ")
    several = scores_of(dump["num_tree_per_iteration"], trees)
    if "sqrt" in options:
        objective += " sqrt"  # squares of scores
    combine = Scores(link_of(objective, _LINKS), (0.0,) * several, tuple(i % several for i in range(len(trees))))
    slope = next((float(option[8:]) for option in options if option.startswith("sigmoid:")), 1.0)
    rounds = len(trees) // several if dump.get("average_output") else 1  # of random forests the mean
    labels = None if labels is None else np.asarray(labels).tolist()
    return boosted(trees, combine, [slope / rounds] * len(trees), labels)


def _target() -> TargetSchema:
    return TargetSchema("score", None)


def _named(dump: dict[str, Any]) -> bool:
    return any(name != f"Column_{j}" for j, name in enumerate(dump["feature_names"]))


def _columns(dump: dict[str, Any]) -> tuple[list[ColumnSchema], dict[int, dict[int, int]]]:
    """The columns, and of those with categories which code each category has among the levels."""
    names = dump["feature_names"]
    used = set()
    open_ = [info["tree_structure"] for info in dump["tree_info"]]
    while open_:
        node = open_.pop()
        if "split_feature" in node:
            open_ += [node["left_child"], node["right_child"]]
            used |= {node["split_feature"]} if node["decision_type"] == "==" else set()
    labels = dump.get("pandas_categorical") or []
    columns = number_columns(names)
    categories = {}
    for place, j in enumerate(sorted(used | _listed(dump))):
        found = sorted(int(value) for value in dump["feature_infos"].get(names[j], {}).get("values", []) if int(value) >= 0)
        declared = labels[place] if place < len(labels) else None
        levels = tuple(found) if declared is None else tuple(declared)
        columns[j] = ColumnSchema(str(names[j]), "nominal", levels)
        categories[j] = {code: i for i, code in enumerate(found)} if declared is None else {i: i for i in range(len(levels))}
    return columns, categories


def _listed(dump: dict[str, Any]) -> set[int]:
    """Columns whose values are listed, which are those with categories."""
    infos = dump["feature_infos"]
    return {j for j, name in enumerate(dump["feature_names"]) if infos.get(name, {}).get("values")}


def _binary(root: dict[str, Any], columns: list[ColumnSchema], categories: dict[int, dict[int, int]]) -> Binary:
    nodes = [root]
    left, right = [], []
    for node in nodes:  # grows as it is walked: children follow, nothing recurses
        inner = "split_feature" in node
        left.append(len(nodes) if inner else -1)
        right.append(len(nodes) + 1 if inner else -1)
        if inner:
            nodes += [node["left_child"], node["right_child"]]
        elif node.get("leaf_coeff"):
            raise ValueError("the leaves of the tree are linear, which a Tree of ours cannot say: grow it with linear_tree=False")
    n = len(nodes)
    column, cut, missing_left = np.zeros(n, int), np.zeros(n), np.zeros(n, bool)
    levels = {}
    for i, node in enumerate(nodes):
        if left[i] < 0:
            continue
        column[i] = int(node["split_feature"])
        if node["decision_type"] == "==":
            codes = [int(code) for code in str(node["threshold"]).split("||")]
            levels[i] = sorted(categories[int(column[i])][code] for code in codes if code in categories[int(column[i])])
            continue  # a missing category goes right
        cut[i] = float(node["threshold"])
        missing_left[i] = _missing_left(node, cut[i])
    weight = np.array([float(node.get("internal_count", node.get("leaf_count", 1))) for node in nodes])
    value = np.array([float(node.get("leaf_value", node.get("internal_value", 0.0))) for node in nodes])
    gain = np.array([float(node.get("split_gain", 0.0)) for node in nodes]) / np.maximum(weight, 1)
    return Binary(
        left=np.array(left),
        right=np.array(right),
        column=column,
        cut=cut,
        below=cut,
        above=np.nextafter(cut, np.inf),
        missing_left=missing_left,
        weight=weight,
        impurity=np.zeros(n),
        gain=gain,
        value=value,
        levels=levels,
    )


def _missing_left(node: dict[str, Any], cut: float) -> bool:
    """Where a missing cell goes. Zeros that count as missing must go where they would go as numbers."""
    kind, default = node["missing_type"], bool(node["default_left"])
    if kind == "NaN":
        return default
    if kind == "Zero" and default != (cut >= 0):
        raise ValueError(
            "the tree sends zeros elsewhere than numbers beside them (zero_as_missing=True), which a Tree of ours cannot say: "
            "grow it with zero_as_missing=False"
        )
    return cut >= 0
