"""Random sequences of edits on random tables, and a count of what every node then holds that is made by other means."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from treewright.errors import TreewrightWarning, UnseenLevelWarning

REFUSALS = (ValueError, IndexError)
LEARNERS: list[tuple[str, dict[str, Any]]] = [
    ("CARTClassifier", {}),
    ("CARTClassifier", {"max_depth": 2, "missing": "surrogate", "keep_candidates": True}),
    ("CARTClassifier", {"class_weight": {"a": 1.0, "b": 3.0, "c": 0.5}, "max_depth": 3}),
    ("CARTClassifier", {"priors": [0.2, 0.5, 0.3], "max_depth": 2}),
    ("CARTClassifier", {"loss": [[0, 1, 4], [2, 0, 1], [1, 1, 0]], "max_depth": 3}),
    ("CARTRegressor", {"max_depth": 2}),
    ("C45Classifier", {}),
    ("C45Classifier", {"pruned": False, "grouped": True}),
    ("ID3Classifier", {"missing": "own"}),
    ("TreeClassifier", {"missing": "majority", "nominal": "one_vs_rest", "relation": "<", "max_leaf_nodes": 4}),
    ("TreeClassifier", {"missing": "most_common", "numeric": "ternary"}),
    ("TreeClassifier", {"missing": "spread", "nominal": "multiway", "criterion": "info_gain"}),
    ("TreeRegressor", {"numeric": "discretised", "criterion": "variance", "missing": "own"}),
    ("TreeRegressor", {"criterion": "absolute_error", "nominal": "subset"}),
    # With rows in shares REPTree's own counts are not those of where it sends rows: it held some out as it grew.
    ("REPTreeClassifier", {"random_state": 1, "missing": "majority"}),
    ("ObliqueTreeClassifier", {"max_depth": 2, "missing": "majority", "pruned": False}),
    ("QuestTreeClassifier", {}),
]


def table(rng: np.random.Generator, n: int, holes: float) -> pd.DataFrame:
    """Numbers, whole numbers, levels and truth values; some cells missing."""
    x = rng.normal(size=n).round(2)
    whole = rng.integers(0, 4, n).astype(float)
    colour = rng.choice(["red", "green", "blue", "dark blue"], n).astype(object)
    x[rng.random(n) < holes], whole[rng.random(n) < holes] = np.nan, np.nan
    colour[rng.random(n) < holes] = None
    colour[:4] = ["red", "green", "blue", "dark blue"]
    return pd.DataFrame({"x": x, "whole": whole, "colour": colour, "size": rng.choice(["s", "m"], n)})


def target(rng: np.random.Generator, X: pd.DataFrame, numbers: bool) -> Any:
    """Something that depends on the table, and some noise."""
    score = np.nan_to_num(X["x"]) + (X["colour"] == "red") - (X["size"] == "m") + rng.normal(size=len(X))
    if numbers:
        return score.round(1).to_numpy()
    y = np.where(score < -0.7, "a", np.where(score < 0.8, "b", "c")).astype(object)
    y[:3] = ["a", "b", "c"]
    return y


def session(seed: int) -> tuple[tw.Edit, Any, Any, Any]:
    """An estimator under edit, and its rows; which one and which rows depends on the seed."""
    rng = np.random.default_rng(seed)
    name, parameters = LEARNERS[seed % len(LEARNERS)]
    n = int(rng.integers(12, 60))
    X = table(rng, n, float(rng.choice([0.0, 0.15])))
    y = target(rng, X, name.endswith("Regressor"))
    weights = [None, rng.integers(1, 4, n).astype(float), rng.uniform(0.2, 2.0, n).round(2)][int(rng.integers(3))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)
        estimator = getattr(tw, name)(**parameters).fit(X, y, sample_weight=weights)
    return estimator.edit(X, y, sample_weight=weights), X, y, weights


def attempt(edit: tw.Edit, rng: np.random.Generator, X: pd.DataFrame) -> bool:
    """Try something at random; whether it was done. What is refused must have changed nothing."""
    before, log, node = edit.tree, edit.edits, int(rng.integers(edit.tree.n_nodes))
    verb = rng.choice(
        ["grow", "split", "at", "levels", "text", "swap", "cut", "relabel", "merge", "regrow", "lock", "unlock", "undo", "redo"]
    )
    try:
        if verb == "grow":
            edit.grow(node, int(rng.integers(1, 3)) if rng.random() < 0.9 else None)
        elif verb == "split":
            edit.split(node, str(rng.choice(X.columns)))
        elif verb == "at":
            cuts = sorted(set(rng.normal(size=int(rng.integers(1, 3))).round(1).tolist()))
            edit.split(node, str(rng.choice(["x", "whole"])), at=cuts if len(cuts) > 1 else cuts[0])
        elif verb == "levels":
            colours = ["red", "green", "blue", "dark blue"]
            groups = [["red"], ["green", "blue"], ["dark blue"]]
            edit.split(node, "colour", levels=groups if rng.random() < 0.4 else list(rng.choice(colours, 2, replace=False)))
        elif verb == "text":
            texts = ["x > 0.3", "whole < 2", "-0.5 < x <= 0.5", "colour = red", "colour in {green, 'dark blue'}", "x is missing"]
            edit.split(node, str(rng.choice(texts)))
        elif verb == "swap":
            edit.swap(node, int(rng.integers(0, 3)))
        elif verb == "relabel":
            classes = edit.tree.target.classes
            edit.relabel(node, float(rng.normal()) if classes is None else classes[int(rng.integers(len(classes)))])
        elif verb == "merge":
            children = [child.id for child in edit.tree.node(node).children]
            edit.merge(*rng.permutation(children)[: int(rng.integers(2, 4))].tolist())
        elif verb == "regrow":
            edit.regrow(node, **({} if rng.random() < 0.5 else {"max_depth": 2} if "max_depth" in _names(edit) else {}))
        elif verb in ("undo", "redo"):
            getattr(edit, verb)()
        else:
            getattr(edit, str(verb))(node)
    except REFUSALS:
        done = False
    else:
        done = True
    assert done or (edit.tree is before and edit.edits == log), f"{verb} was refused and changed something"
    return done


def _names(edit: tw.Edit) -> list[str]:
    return list(edit.estimator().get_params())


def recount(tree: tw.Tree, X: Any, y: Any, weights: Any) -> tuple[np.ndarray, list[Any]]:
    """Weight of every node, and of every class there or the mean, by sending the rows down one condition after the other."""
    own = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    from treewright.table import read_cells

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenLevelWarning)  # of rows that were held out as the tree grew
        arrays, _ = read_cells(X, tree.schema)
    columns = [array[:, j] for array in arrays for j in range(array.shape[1])] if arrays[0].ndim == 2 else list(arrays)
    share = {0: own}
    for node in tree.nodes():
        here = share[node.id]
        if node.is_leaf:
            continue
        lost = np.ones(len(y), bool)
        for child in node.children:
            condition = child.condition
            assert condition is not None
            holding = condition.holds(columns)
            share[child.id] = np.where(holding, here, 0.0)
            lost &= ~holding
        if lost.any():  # in shares, by the weight of the branches
            total = sum(child.weight for child in node.children)
            for child in node.children:
                part = child.weight / total if total else 1 / len(node.children)
                share[child.id] = share[child.id] + np.where(lost, here * part, 0.0)
    weight = np.array([share[id].sum() for id in range(tree.n_nodes)])
    if tree.target.classes is None:
        held = [np.average(y, weights=share[id]) if share[id].sum() > 0 else None for id in range(tree.n_nodes)]
    else:
        place = {label: k for k, label in enumerate(tree.target.classes)}
        codes = np.array([place[label] for label in y])
        factors = np.array(tree.target.factors or [1.0] * len(place))
        held = [np.bincount(codes, share[id], len(place)) * factors for id in range(tree.n_nodes)]
    return weight, held


def check(tree: tw.Tree, X: Any, y: Any, weights: Any) -> None:
    """The tree is whole, and every node holds what a recount finds."""
    tree.validate()
    weight, held = recount(tree, X, y, weights)
    nodes = tree.node_columns
    np.testing.assert_allclose(nodes.weight, weight, rtol=1e-6, atol=1e-7)
    said = {id for id, word in tree.by_hand.items() if word == "said by hand"}
    for id in range(tree.n_nodes):
        if weight[id] < 1e-9:
            continue
        if tree.target.classes is None:
            if id not in said and tree.target.measure == "variance":
                np.testing.assert_allclose(nodes.value[id], held[id], rtol=1e-6, atol=1e-6)
        else:
            value = tree.node(id).value
            np.testing.assert_allclose([value.get(label, 0.0) for label in tree.target.classes], held[id], rtol=1e-6, atol=1e-6)
            top = max(held[id])
            if id not in said and not tree.target.losses:
                assert held[id][tree.target.classes.index(tree.node(id).prediction)] >= top * (1 - 1e-6) - 1e-6
    steps = sorted(step for step in nodes.step.tolist() if step >= 0)
    assert steps == list(range(tree.n_splits))


def seeds(usual: int) -> Iterator[int]:
    """The sequences to try: so many, or as many as TREEWRIGHT_EDITS says."""
    return iter(range(int(os.environ.get("TREEWRIGHT_EDITS", usual))))
