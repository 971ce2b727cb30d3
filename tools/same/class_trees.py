"""Trees of classes: ID3, C4.5, CART, trees of any recipe, REPTree and logistic model trees, with many of their options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import treewright as tw
from same.learner import CLASS_CRITERIA, FAMILIES, LOSSES, MISSING, PLACES, RECIPES, UNEVEN, Learner, plain


def fall_of_error(node: Any, branches: Any) -> float:
    """A criterion as users write one: by how much the share of wrong rows falls, and a little for even branches."""
    weights = branches.sum(axis=1)
    return float((branches.max(axis=1).sum() - node.max()) / node.sum() + 1e-3 * weights.min() / node.sum())


def last_of(tied: Any, path: Any) -> Any:
    """A choice among equally good columns as users write one."""
    return list(tied)[-1]


def trees_of_classes() -> Iterator[Learner]:
    """All of them."""
    id3, c45, cart, tree, rep = "ID3Classifier", "C45Classifier", "CARTClassifier", "TreeClassifier", "REPTreeClassifier"
    yield plain(id3, missing="most_common", everywhere=True)
    for options in (
        {}, {"ties": "seeded", "random_state": 3}, {"ties": last_of}, {"significance": 0.01}, {"window": 0.3, "random_state": 1},
        {"window": 40, "window_keeps": "keys"}, {"max_leaf_nodes": 8}, {"keep_candidates": True, "max_depth": 3},
        {"min_gain": 0.05}, {"purity": 0.9}, {"min_samples_split": 10, "min_samples_leaf": 4},
        {"min_impurity": 0.4}, {"n_jobs": 2},
    ):  # fmt: skip
        yield plain(id3, missing="majority", **options)
    yield from (plain(id3, missing=policy) for policy in MISSING)

    yield plain(c45, everywhere=True)
    yield plain(c45, whole=True, n_jobs=1)
    for options in (
        {"grouped": True}, {"grouped": True, "pruned": False}, {"soft": True}, {"soft": True, "pruned": False}, {"trials": 3},
        {"window": 50, "increment": 10, "random_state": 5}, {"criterion": "info_gain"}, {"pruned": False}, {"raising": False},
        {"collapse": False}, {"penalty": False}, {"confidence": 0.05}, {"confidence": 1.0}, {"min_samples_leaf": 5},
        {"min_samples_leaf": 0.05}, {"variant": "j48"}, {"variant": "j48", "pruned": False},
        {"variant": "j48", "raising": False, "collapse": False, "penalty": False}, {"max_depth": 3}, {"keep_candidates": True},
        {"n_jobs": 2}, {"ties": "seeded"}, {"grouped": True, "soft": True, "criterion": "info_gain"}, {"min_samples_split": 20},
        {"unseen": "error"}, {"categorical_features": [0]},
    ):  # fmt: skip
        yield plain(c45, **options)
    yield from (plain(c45, missing=policy) for policy in MISSING)
    yield from (plain(c45, weighted=True, **options) for options in ({}, {"grouped": True}, {"soft": True}, {"variant": "j48"}))

    yield plain(cart, everywhere=True)
    yield plain(cart, missing="surrogate", everywhere=True)
    yield from (plain(cart, whole=True, **options) for options in ({"n_jobs": 1}, {"n_jobs": 2}, {"missing": "surrogate"}))
    for options in (
        {"max_leaf_nodes": 7}, {"n_jobs": 2}, {"max_depth": 3}, {"max_features": "sqrt", "random_state": 2}, {"cp": 0.02},
        {"min_impurity_decrease": 0.01}, {"min_impurity": 0.2}, {"min_gain": 0.01}, {"purity": 0.9}, {"significance": 0.05},
        {"ties": "seeded", "random_state": 1}, {"keep_candidates": True, "max_depth": 4}, {"max_competitors": 3},
        {"min_weight_fraction_leaf": 0.05}, {"class_weight": "balanced"}, {"priors": UNEVEN}, {"loss": LOSSES},
        {"priors": UNEVEN, "loss": LOSSES, "criterion": "generalised_gini"}, {"loss": LOSSES, "criterion": "risk"},
        {"priors": UNEVEN, "criterion": "info_gain"}, {"priors": UNEVEN, "missing": "surrogate", "max_depth": 5},
        {"missing": "surrogate", "max_surrogates": 1}, {"missing": "surrogate", "agreement": "known", "n_jobs": 2},
        {"missing": "surrogate", "max_leaf_nodes": 9}, {"categorical_features": [0]}, {"unseen": "error"},
        {"min_samples_split": 10, "min_samples_leaf": 5}, {"max_leaf_nodes": 12, "priors": UNEVEN, "n_jobs": 2},
        {"criterion": fall_of_error, "max_depth": 3, "max_leaf_nodes": 8},
    ):  # fmt: skip
        yield plain(cart, **options)
    yield from (plain(cart, recipe=recipe) for recipe in ("rpart", "cart1984"))
    yield from (plain(cart, criterion=criterion) for criterion in CLASS_CRITERIA)
    yield from (plain(cart, missing=policy, n_jobs=1) for policy in MISSING)
    yield from (plain(cart, missing=policy, weighted=True, max_depth=6) for policy in MISSING)
    yield from (plain(cart, missing=policy, criterion="info_gain", class_weight="balanced") for policy in MISSING)

    yield from (plain(tree, recipe=recipe) for recipe in RECIPES)
    yield from (plain(tree, recipe=recipe, weighted=True, max_depth=5, n_jobs=2) for recipe in RECIPES)
    yield plain(tree, recipe=tw.Recipe("mine", criterion="twoing", relation="<", threshold_at="observed"))
    for family, levels in FAMILIES:
        yield plain(tree, numeric=family, nominal=levels, missing="fraction", max_depth=6)
        yield plain(tree, numeric=family, nominal=levels, missing="most_common", criterion="gain_ratio", max_leaf_nodes=10)
    for method in ("mdlp", "equal_width", "equal_frequency"):
        yield plain(tree, numeric="discretised", discretise=method, bins=5)
    yield from (plain(tree, criterion=criterion, missing="majority", max_depth=6) for criterion in CLASS_CRITERIA)
    yield from (plain(tree, recipe="c45", chooser=chooser) for chooser in ("best", "above_average", "quinlan", "weka"))
    yield from (plain(tree, threshold_at=place, relation=sign) for place, sign in PLACES)
    yield plain(tree, recipe="rpart", loss=LOSSES, priors=UNEVEN, cp=0.0)

    yield plain(rep, everywhere=True)
    for options in (
        {"pruned": False}, {"folds": 5}, {"random_state": 3}, {"max_depth": 3}, {"min_samples_leaf": 5}, {"n_jobs": 2},
    ):  # fmt: skip
        yield plain(rep, **options)
    yield from (plain(rep, missing=policy) for policy in MISSING)
    yield plain(rep, weighted=True)

    lmt = "LogisticTreeClassifier"
    yield plain(lmt, iterations=5, everywhere=True, slow=2)
    for options in (
        {}, {"iterations": "nodes", "max_iterations": 20}, {"pruned": False, "iterations": 8}, {"impurity": "posteriors"},
        {"n_jobs": 2, "folds": 3, "max_iterations": 40}, {"min_impurity": 0.3, "iterations": 4},
        {"max_depth": 2, "random_state": 4},
    ):  # fmt: skip
        yield plain(lmt, slow=5, **options)
    yield plain(lmt, weighted=True, iterations=6, slow=4)
