"""Writes models of LightGBM and XGBoost and what they say of rows: ``python -m tests.peers.record_boosters``, both installed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes

RECORDED = Path(__file__).parent / "recorded" / "boosters.json.gz"
KINDS = ["low", "middle", "high"]


def table() -> tuple[pd.DataFrame, np.ndarray]:
    """A real table of 400 rows: numbers, two columns of categories, missing cells; and a number to predict."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    rng = np.random.default_rng(0)
    sex = np.where(X["sex"] == 1, "f", "m")
    band = (X["age"] // 10 * 10).astype(int).astype(str) + "s"
    X = X[["bmi", "bp", "s3", "s5"]].assign(sex=sex, band=band)[:400]
    X = X.mask(rng.random(X.shape) < 0.08)
    return X.astype({"sex": "category", "band": "category"}), y.to_numpy()[:400]


def entry(model: Any, dump: dict[str, Any], X: pd.DataFrame) -> dict[str, Any]:
    """The model and what it says of the rows."""
    classes = model.classes_.tolist() if hasattr(model, "predict_proba") else None
    said = model.predict_proba(X) if classes else model.predict(X)
    return {"dump": dump, "classes": classes, "said": said.tolist()}


def lightgbm_models(X: pd.DataFrame, y: np.ndarray) -> dict[str, Any]:
    import lightgbm as lgb

    few = {"n_estimators": 6, "num_leaves": 7, "min_child_samples": 5, "verbose": -1}
    bag = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
    kind = np.array(KINDS)[np.digitize(y, [110, 190])]
    stop = [lgb.early_stopping(2, verbose=False)]
    early = lgb.LGBMRegressor(**few | {"n_estimators": 60, "learning_rate": 0.4})
    early.fit(X[:250], y[:250], eval_X=X[250:], eval_y=y[250:], callbacks=stop)
    models = {
        "squares": lgb.LGBMRegressor(**few).fit(X, y),
        "poisson": lgb.LGBMRegressor(objective="poisson", **few).fit(X, y),
        "tweedie": lgb.LGBMRegressor(objective="tweedie", **few).fit(X, y),
        "dart": lgb.LGBMRegressor(boosting_type="dart", drop_rate=0.5, **few).fit(X, y),
        "mean": lgb.LGBMRegressor(**few, **bag).fit(X, y),
        "two": lgb.LGBMClassifier(sigmoid=0.7, **few).fit(X, kind == "high"),
        "several": lgb.LGBMClassifier(**few).fit(X, kind),
        "early": early,
    }
    return {name: entry(model, model.booster_.dump_model(), X) for name, model in models.items()}


def xgboost_models(X: pd.DataFrame, y: np.ndarray) -> dict[str, Any]:
    import xgboost as xgb

    few = {"n_estimators": 6, "max_depth": 3, "enable_categorical": True}
    kind = np.digitize(y, [110, 190])
    early = xgb.XGBRegressor(early_stopping_rounds=3, **few | {"n_estimators": 60})
    early.fit(X[:250], y[:250], eval_set=[(X[250:], y[250:])], verbose=False)
    models = {
        "squares": xgb.XGBRegressor(**few).fit(X, y),
        "poisson": xgb.XGBRegressor(objective="count:poisson", **few).fit(X, y),
        "tweedie": xgb.XGBRegressor(objective="reg:tweedie", **few).fit(X, y),
        "dart": xgb.XGBRegressor(booster="dart", rate_drop=0.5, **few).fit(X, y),
        "forest": xgb.XGBRFRegressor(**few).fit(X, y),
        "quantiles": xgb.XGBRegressor(objective="reg:quantileerror", quantile_alpha=[0.1, 0.5, 0.9], **few).fit(X, y),
        "two": xgb.XGBClassifier(base_score=0.3, **few).fit(X, kind == 2),
        "several": xgb.XGBClassifier(**few).fit(X, kind),
        "early": early,
    }
    return {name: entry(model, json.loads(model.get_booster().save_raw("json")), X) for name, model in models.items()}


if __name__ == "__main__":
    X, y = table()
    everything = {"lightgbm": lightgbm_models(X, y), "xgboost": xgboost_models(X, y)}
    RECORDED.write_bytes(gzip.compress(json.dumps(everything).encode(), 9, mtime=0))
