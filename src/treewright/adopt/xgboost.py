"""XGBoost's trees, one or all, from a booster or its JSON. Cells are rounded to 32 bits and go left if below the threshold."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, overload

import numpy as np

from treewright.adopt.binary import Binary, adopt, chosen, number_columns
from treewright.adopt.boosted import boosted, link_of, scores_of
from treewright.adopt.single import less_than
from treewright.errors import ModelFormatError, shown
from treewright.model import Forest, Tree
from treewright.model.combine import Scores
from treewright.table import ColumnSchema, TargetSchema

_ORIGIN = "the dump of XGBoost"
_MOST = 1 << 24  # XGBoost's own limit of categories


# Objectives by what they make of margins.
_LINKS = {
    **dict.fromkeys(("reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror"), "identity"),
    **dict.fromkeys(("reg:quantileerror", "rank:ndcg", "rank:map", "rank:pairwise"), "identity"),
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie"), "exp"),
    "binary:logistic": "sigmoid",
    **dict.fromkeys(("multi:softprob", "multi:softmax"), "softmax"),
}


@overload
def from_xgboost(model: Any, tree: int) -> Tree: ...


@overload
def from_xgboost(model: Any, tree: None = None) -> Forest: ...


def from_xgboost(model: Any, tree: int | None = None) -> Tree | Forest:
    """Return an XGBoost model as a Forest, or one of its trees as a Tree: every row ends in the same leaves.

    Parameters
    ----------
    model : Booster, fitted XGBModel, or dict
        The model, or its saved JSON document (``json.loads(booster.save_raw("json"))``). Of an XGBModel that ended early, the
        trees up to its best iteration, as it predicts; of the others all trees.
    tree : int, optional
        Only this tree, from 0; with several classes the trees of a round follow each other.

    Returns
    -------
    Forest or Tree
        Trees of numbers: what they add to the margin. The forest makes of the margins what XGBoost does: numbers, or shares of
        classes, which XGBoost computes in 32 bits. Weights of nodes are sums of second derivatives (the counts of rows for
        squared error); XGBoost keeps no variances, so the impurities are 0.
    """
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    saved = (
        booster if isinstance(booster, dict) else json.loads(booster.save_raw("json")) if hasattr(booster, "save_raw") else None
    )
    if saved is None:
        raise TypeError(f"{shown(model)} is no model of XGBoost, nor its JSON document")
    try:
        learner = saved["learner"]
        booster = learner["gradient_booster"]
        grown = booster.get("gbtree", booster)["model"] if "gbtree" in booster or "model" in booster else {}
        if "trees" not in grown:
            raise ValueError(f"the booster {shown(booster.get('name'))} has no trees")
        trees = grown["trees"]
        names, columns = learner["feature_names"], _columns(learner, grown)
        at = range(_rounds(learner, grown, model)) if tree is None else [chosen(len(trees), tree, "the model")]
        target = TargetSchema("margin", None)
        read = [adopt(_binary(trees[i], columns), columns, bool(names), target, _ORIGIN) for i in at]
        return read[0] if tree is not None else _forest(learner, grown, read, getattr(model, "classes_", None))
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ModelFormatError(f"{type(error).__name__}: {error}", _ORIGIN, "pass a booster, or what it saves as JSON") from error


def _rounds(learner: dict[str, Any], grown: dict[str, Any], model: Any) -> int:
    """How many trees the model predicts with."""
    best = learner["attributes"].get("best_iteration") if hasattr(model, "get_booster") else None
    return len(grown["trees"]) if best is None else int(grown["iteration_indptr"][int(best) + 1])


def _forest(learner: dict[str, Any], grown: dict[str, Any], trees: list[Tree], labels: Any) -> Forest:
    link = link_of(learner["objective"]["name"], _LINKS)
    params = learner["learner_model_param"]
    several = scores_of(max(1, int(params["num_class"]), int(params.get("num_target", 1))), trees)
    answers = json.loads(params["base_score"])
    answers = np.array(answers if isinstance(answers, list) else [answers], np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):  # what is no number is refused as a base
        margins = np.log(answers) if link == "exp" else -np.log(1 / answers - 1) if link == "sigmoid" else answers
    base = tuple(np.broadcast_to(margins, several).tolist())
    weights = learner["gradient_booster"].get("weight_drop", [1.0] * len(trees))[: len(trees)]  # of DART
    combine = Scores(link, base, tuple(map(int, grown["tree_info"][: len(trees)])))
    labels = None if labels is None else np.asarray(labels).tolist()
    return boosted(trees, combine, [float(weight) for weight in weights], labels)


def _columns(learner: dict[str, Any], model: dict[str, Any]) -> list[ColumnSchema]:
    count = int(learner["learner_model_param"]["num_feature"])
    columns = number_columns(learner["feature_names"] or [f"x{j}" for j in range(count)])
    labels = _labels(model.get("cats") or {}, count)
    types = learner["feature_types"] or []
    for j in range(count):
        most = max((max(grown["categories"], default=-1) for grown in model["trees"] if _tests(grown, j)), default=-1)
        if most >= 0 or (j < len(types) and types[j] == "c"):
            if most > _MOST:
                raise IndexError(f"category {most} of column {j}")
            columns[j] = ColumnSchema(columns[j].name, "nominal", labels.get(j, tuple(range(most + 1))))
    return columns


def _tests(grown: dict[str, Any], column: int) -> bool:
    return any(grown["split_indices"][node] == column for node in grown["categories_nodes"])


def _labels(cats: dict[str, Any], count: int) -> dict[int, tuple[Any, ...]]:
    """The categories of a frame that the model was fitted to, by column."""
    out: dict[int, tuple[Any, ...]] = {}
    for j, encoding in enumerate(cats.get("enc", [])[:count]):
        values = encoding.get("values", [])
        if "offsets" in encoding and values:
            text, at = bytes(value % 256 for value in values), encoding["offsets"]
            out[j] = tuple(text[a:b].decode() for a, b in pairwise(at))
        elif values:
            out[j] = tuple(values)
    return out


def _binary(grown: dict[str, Any], columns: list[ColumnSchema]) -> Binary:
    if int(grown["tree_param"].get("size_leaf_vector", 1)) > 1:
        raise ValueError("the leaves of the tree hold vectors, which a Tree of ours cannot say: grow it with one target a tree")
    left, right = np.array(grown["left_children"]), np.array(grown["right_children"])
    inner = left >= 0
    with np.errstate(over="ignore"):  # a number too large is found by the core
        threshold = np.array(grown["split_conditions"], np.float32).astype(np.float64)
    nominal = inner & (np.array(grown["split_type"]) == 1)
    cut, below, above = less_than(np.where(inner & ~nominal, threshold, 0.0))
    levels = {}
    for node, begin, size in zip(grown["categories_nodes"], grown["categories_segments"], grown["categories_sizes"], strict=True):
        listed = grown["categories"][begin : begin + size]
        codes = set(range(len(columns[grown["split_indices"][node]].levels)))
        levels[int(node)] = sorted(codes - set(listed))  # the listed ones go right
    weight = np.array(grown["sum_hessian"], float)
    return Binary(
        left=left,
        right=right,
        column=np.array(grown["split_indices"]),
        cut=cut,
        below=below,
        above=above,
        missing_left=np.array(grown["default_left"], bool),
        weight=weight,
        impurity=np.zeros(len(left)),
        gain=np.array(grown["loss_changes"], float) / np.maximum(weight, 1e-300),
        value=np.where(inner, np.array(grown["base_weights"], float), threshold),
        strict=True,
        levels=levels,
    )
