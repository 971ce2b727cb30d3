"""Libraries that take scikit-learn's estimators take ours, each for what it is for (`make clients` installs them)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_score

import treewright as tw

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the libraries are not ours


def rare(n: int = 600) -> tuple[pd.DataFrame, np.ndarray]:
    """A table in which one class is rare: numbers only, so that rows can be made up between others."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(n), "b": rng.random(n), "c": rng.random(n)})
    return X, np.where((X.a > 0.8) & (X.b > 0.4) & (rng.random(n) < 0.6), "rare", "common")


@pytest.mark.parametrize("name", ["BalancedBaggingClassifier", "RUSBoostClassifier", "EasyEnsembleClassifier"])
@pytest.mark.parametrize("member", [tw.CARTClassifier(max_depth=4), tw.C45Classifier(), tw.RipperClassifier(random_state=0)])
def test_imbalanced_learn(name: str, member: Any) -> None:
    ensemble = pytest.importorskip("imblearn.ensemble")
    X, y = rare()
    kind = getattr(ensemble, name)
    how = {"n_estimators": 3, "random_state": 0}
    made = kind(estimator=tw.AdaBoostClassifier(member, n_estimators=3) if name.startswith("Easy") else member, **how)
    plain = balanced_accuracy_score(y, type(member)(**member.get_params()).fit(X[::2], y[::2]).predict(X))
    assert balanced_accuracy_score(y, made.fit(X[::2], y[::2]).predict(X)) > plain - 0.1


def test_imbalanced_learn_in_a_pipeline() -> None:
    over = pytest.importorskip("imblearn.over_sampling")
    from imblearn.pipeline import make_pipeline

    X, y = rare()
    found = cross_val_score(
        make_pipeline(over.SMOTE(random_state=0), tw.CARTClassifier(max_depth=4)), X, y, scoring="balanced_accuracy"
    )
    assert found.mean() > cross_val_score(tw.CARTClassifier(max_depth=1), X, y, scoring="balanced_accuracy").mean()


def test_optuna_finds_parameters() -> None:
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    data = tw.datasets.load_iris()

    def objective(trial: Any) -> float:
        est = tw.CARTClassifier(
            max_depth=trial.suggest_int("max_depth", 1, 5),
            criterion=trial.suggest_categorical("criterion", ["gini", "entropy"]),
            ccp_alpha=trial.suggest_float("ccp_alpha", 0.0, 0.3),
        )
        return float(cross_val_score(est, data.X, data.y, cv=4).mean())

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=12)
    assert study.best_value > 0.9
    tw.CARTClassifier(**study.best_params).fit(data.X, data.y)


def test_skops_keeps_models() -> None:
    skops = pytest.importorskip("skops.io")
    data = tw.datasets.load_iris()
    for est in (tw.CARTClassifier(), tw.C45Classifier(), tw.RandomForestClassifier(n_estimators=3, random_state=0)):
        contents = skops.dumps(est.fit(data.X, data.y))
        trusted = skops.get_untrusted_types(data=contents)
        assert all(name.startswith("treewright.") for name in trusted), trusted
        again = skops.loads(contents, trusted=trusted)
        assert again.predict(data.X).tolist() == est.predict(data.X).tolist()


def test_mlxtend_selects_columns_and_draws_regions() -> None:
    selection = pytest.importorskip("mlxtend.feature_selection")
    from matplotlib.figure import Figure
    from mlxtend.plotting import plot_decision_regions

    X, y = rare()
    chosen = selection.SequentialFeatureSelector(tw.CARTClassifier(max_depth=3), k_features=2, cv=3).fit(X, y)
    assert set(chosen.k_feature_names_) == {"a", "b"}
    codes = (y == "rare").astype(int)
    ax = Figure().add_subplot()
    plot_decision_regions(
        X[["a", "b"]].to_numpy(), codes, tw.CARTClassifier(max_depth=3).fit(X[["a", "b"]].to_numpy(), codes), ax=ax
    )
    assert ax.collections


def test_shap_explains_a_class() -> None:
    shap = pytest.importorskip("shap")
    X, y = rare(90)  # shap draws 100 rows of larger backgrounds
    est = tw.CARTClassifier(max_depth=3).fit(X, y)
    found = shap.Explainer(lambda rows: est.predict_proba(pd.DataFrame(rows, columns=X.columns))[:, 1], X, algorithm="exact")(
        X[:10]
    )
    ours = est.contributions(X[:10], background=X)
    assert np.allclose(found.values, np.asarray(ours.values)[:, :, 1] if np.ndim(ours.values) == 3 else ours.values, atol=1e-9)
