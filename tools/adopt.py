"""Records trees of LightGBM and XGBoost, rows, and the leaf each row ends in there, for tests/peers/test_adopted_trees.py."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd


def rows(thresholds: list[float], seed: int, n: int = 400) -> np.ndarray:
    """Rows with values on the thresholds, beside them in both precisions, and missing."""
    rng = np.random.default_rng(seed)
    near = [t for at in thresholds for t in (at, np.nextafter(at, 9), np.nextafter(at, -9))]
    single = np.float32(thresholds)
    near += [float(t) for t in (*single, *np.nextafter(single, np.float32(9)), *np.nextafter(single, np.float32(-9)))]
    halves = [(float(a) + float(np.nextafter(a, np.float32(9)))) / 2 for a in single]
    X = rng.choice([*near, *halves, 0.0, -0.0, 1e-40, np.nan, *rng.normal(size=50)], (n, 3))
    return np.column_stack([X, rng.integers(0, 6, n).astype(float)])


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Training rows and their target."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(400, 3)), rng.integers(0, 6, 400)])
    y = X[:, 0] * (X[:, 1] > 0) + np.isin(X[:, 3], [1, 4]) + 0.3 * rng.normal(size=400)
    if seed % 2:
        X[:, :3][rng.random((400, 3)) < 0.15] = np.nan
    return X, y


def lightgbm_trees() -> list[dict[str, Any]]:
    """Boosters of LightGBM with numbers, categories, missing cells."""
    import lightgbm as lgb

    out = []
    for seed in range(4):
        X, y = table(seed)
        data = lgb.Dataset(X, y, categorical_feature=[3] if seed < 2 else [], free_raw_data=False)
        params = {"num_leaves": 12, "min_data_in_leaf": 3, "verbose": -1, "min_data_per_group": 1, "cat_smooth": 1, "seed": 1}
        booster = lgb.train(params, data, 3)
        dump = booster.dump_model()
        dump.pop("feature_importances", None)
        cuts = [
            n["threshold"] for info in dump["tree_info"] for n in _inner(info["tree_structure"]) if n["decision_type"] == "<="
        ]
        asked = rows(cuts, seed)
        asked[::7, 3] = np.nan
        said = [booster.predict(asked, raw_score=True, start_iteration=i, num_iteration=1).tolist() for i in range(3)]
        out.append({"dump": dump, "rows": asked.tolist(), "said": said})
    return out


def _inner(root: dict[str, Any]) -> list[dict[str, Any]]:
    nodes = [root]
    for node in nodes:
        nodes += [node[side] for side in ("left_child", "right_child") if side in node]
    return [node for node in nodes if "split_feature" in node]


def xgboost_trees() -> list[dict[str, Any]]:
    """Boosters of XGBoost with numbers, categories, missing cells."""
    import xgboost as xgb

    out = []
    for seed in range(4):
        X, y = table(seed)
        frame = pd.DataFrame(X, columns=list("abcd"))
        levels = list("uvwxyz")
        if seed < 2:
            frame["d"] = pd.Categorical.from_codes(X[:, 3].astype(int), levels)
        data = xgb.DMatrix(frame if seed < 3 else X, y, enable_categorical=True)
        booster = xgb.train({"max_depth": 4, "max_cat_to_onehot": 1 + 10 * (seed == 1), "seed": 1}, data, 3)
        saved = json.loads(booster.save_raw("json"))
        trees = saved["learner"]["gradient_booster"]["model"]["trees"]
        cuts = [
            condition
            for held in trees
            for condition, left, kind in zip(held["split_conditions"], held["left_children"], held["split_type"], strict=True)
            if left >= 0 and kind == 0
        ]
        asked = rows(cuts, seed)
        told = pd.DataFrame(asked, columns=list("abcd"))
        if seed < 2:
            told["d"] = pd.Categorical.from_codes(asked[:, 3].astype(int), levels)
        leaves = booster.predict(xgb.DMatrix(told if seed < 3 else asked, enable_categorical=True), pred_leaf=True)
        said = [np.float32(trees[i]["split_conditions"])[leaves[:, i].astype(int)].astype(float).tolist() for i in range(3)]
        cells = [[*row[:3], levels[int(row[3])] if seed < 2 else row[3]] for row in asked.tolist()]
        out.append({"dump": saved, "rows": cells, "said": said, "named": seed < 3})
    return out


def record() -> dict[str, Any] | str:
    """Return the trees and what they say."""
    try:
        return {"lightgbm": lightgbm_trees(), "xgboost": xgboost_trees()}
    except ImportError as error:
        return f"adopted: {error}; its recorded answers stay as they are"
