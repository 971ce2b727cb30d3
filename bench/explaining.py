"""Contributions of columns as contenders: ours and shap's, of the same 100 trees of depth 8, grown before the clock starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.contender import Contender
from bench.workloads import Array, Workload

_TREES, _DEPTH, _ROWS, _BACKGROUND = 100, 8, 1_000, 100


def _forest(workload: Workload) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    num, _, y = workload.train
    learner = RandomForestRegressor if workload.task == "reg" else RandomForestClassifier
    return learner(_TREES, max_depth=_DEPTH, max_features=1 / 3, random_state=0).fit(num, y)


def shap_contributions(workload: Workload, against: bool = False) -> Contender:
    """The TreeExplainer of shap, made inside the clock; by training rows, or against a background."""
    import shap

    grown = _forest(workload)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        given = {"data": num[-_BACKGROUND:], "feature_perturbation": "interventional"} if against else {}
        shap.TreeExplainer(grown, **given).shap_values(_rows(num, against), check_additivity=False)
        return grown

    return Contender(fit, lambda model, num, nom: model.predict(num))


def contributions(workload: Workload, against: bool = False) -> Contender:
    """Ours, of the same trees."""
    import treewright as tw
    from treewright.model.combine import Mean

    grown = _forest(workload)
    trees = tuple(tw.from_sklearn(tree) for tree in grown.estimators_)
    forest = tw.Forest(trees, trees[0].schema, trees[0].target, (1.0,) * len(trees), Mean())

    def fit(num: Array, nom: Array, y: Array) -> Any:
        forest.contributions(_rows(num, against), num[-_BACKGROUND:] if against else None)
        return forest

    return Contender(fit, lambda model, num, nom: np.asarray(model.predict(num)), lambda model: model.sizes["n_leaves"])


def _rows(num: Array, against: bool) -> Array:
    return num[: _ROWS // 10 if against else _ROWS]
