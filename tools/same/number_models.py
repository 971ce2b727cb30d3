"""Models of numbers: CART, trees of any recipe, REPTree, M5 and M5Rules, with many of their options."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from same.learner import FAMILIES, MISSING, NUMBER_CRITERIA, PLACES, RECIPES, Learner, plain


def models_of_numbers() -> Iterator[Learner]:
    """All of them."""
    cart, tree, rep, m5, rules = "CARTRegressor", "TreeRegressor", "REPTreeRegressor", "M5Regressor", "M5RulesRegressor"
    for name in (cart, tree, rep, m5):
        yield plain(name, everywhere=True)
        yield plain(name, weighted=True, everywhere=True)
    yield from (plain(cart, whole=True, **options) for options in ({"n_jobs": 1}, {"n_jobs": 2}))
    yield plain(m5, whole=True, n_jobs=1)
    for options in (
        {"max_leaf_nodes": 7}, {"n_jobs": 2}, {"max_depth": 3}, {"max_features": 0.5, "random_state": 2}, {"cp": 0.02},
        {"min_impurity_decrease": 0.01}, {"min_impurity": 0.2}, {"min_gain": 0.01}, {"ties": "seeded", "random_state": 1},
        {"keep_candidates": True, "max_depth": 4}, {"max_competitors": 3}, {"keep_targets": True, "min_samples_leaf": 5},
        {"keep_targets": True, "criterion": "absolute_error", "max_leaf_nodes": 9}, {"min_weight_fraction_leaf": 0.05},
        {"missing": "surrogate", "max_surrogates": 1}, {"missing": "surrogate", "agreement": "known", "n_jobs": 2},
        {"categorical_features": [0]}, {"unseen": "error"}, {"min_samples_split": 10, "min_samples_leaf": 5},
    ):  # fmt: skip
        yield plain(cart, **options)
    yield from (plain(cart, recipe=recipe) for recipe in ("rpart", "cart1984"))
    for criterion, options in product(NUMBER_CRITERIA, ({}, {"n_jobs": 2, "max_depth": 5}, {"max_leaf_nodes": 10})):
        yield plain(cart, criterion=criterion, **options)
    yield from (plain(cart, criterion=criterion, weighted=True) for criterion in NUMBER_CRITERIA)
    yield from (plain(cart, missing=policy) for policy in MISSING)
    yield from (plain(cart, missing=policy, criterion="absolute_error") for policy in MISSING)
    yield from (plain(tree, recipe=recipe) for recipe in RECIPES)
    for family, levels in FAMILIES:
        yield plain(tree, numeric=family, nominal=levels, missing="fraction", max_depth=6)
    for method in ("equal_width", "equal_frequency"):
        yield plain(tree, numeric="discretised", discretise=method, bins=5)
    yield from (plain(tree, threshold_at=place, relation=sign) for place, sign in PLACES)
    for options in ({"pruned": False}, {"folds": 5}, {"random_state": 3}, {"max_depth": 3}, {"min_variance": 0.1}, {"n_jobs": 2}):
        yield plain(rep, **options)
    yield from (plain(rep, missing=policy) for policy in MISSING)
    for options in (
        {"variant": "m5"}, {"variant": "m5", "pruned": False}, {"pruned": False}, {"leaf": "constant"}, {"smoothing": "blend"},
        {"smoothing": "blend", "band": 0.4, "leaf": "constant"}, {"smoothing": "none"}, {"smoothing_constant": 3.0},
        {"min_deviation": 0.2}, {"min_samples_split": 20}, {"n_jobs": 2}, {"categorical_features": [0]},
    ):  # fmt: skip
        yield plain(m5, **options)
    yield plain(rules, everywhere=True)
    for options in ({"variant": "m5"}, {"leaf": "constant"}, {"smoothing": "none"}, {"min_deviation": 0.2}):
        yield plain(rules, slow=2, **options)
    yield plain(rules, slow=3, pruned=False)
    yield plain(rules, weighted=True)
