"""shap's explainers take our models as functions, and find what we find."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

pytestmark = [
    pytest.mark.skipif(find_spec("shap") is None, reason="shap is not installed (pip install shap)"),
    pytest.mark.filterwarnings("ignore"),  # those of shap and numba are not ours
]


def mixed() -> tuple[Any, pd.DataFrame]:
    a = np.arange(60.0) % 7
    X = pd.DataFrame({"a": a, "b": pd.Categorical(list("xyz") * 20), "c": ["u", "v"] * 30})
    return tw.CARTClassifier().fit(X, np.where((a > 3) ^ (X["b"] == "x"), "p", "q")), X


def test_exact_and_kernel_explainers() -> None:
    import shap

    data = tw.datasets.load_iris()
    X, others = data.X.iloc[:5], data.X.iloc[::10]
    est = tw.RandomForestClassifier(n_estimators=5, random_state=1).fit(data.X, data.y)
    ours = est.contributions(X, others).values
    exact = shap.Explainer(est.predict_proba, others)(X)  # few columns: all sets of them
    np.testing.assert_allclose(exact.values, ours, rtol=0, atol=1e-9)
    kernel = shap.KernelExplainer(est.predict_proba, others).shap_values(X, silent=True)
    np.testing.assert_allclose(kernel, ours, rtol=0, atol=1e-9)


def test_frames_of_text_and_categories() -> None:
    import shap

    est, X = mixed()
    kernel = shap.KernelExplainer(est.predict_proba, X.iloc[::7]).shap_values(X.iloc[:5], silent=True)
    np.testing.assert_allclose(kernel, est.contributions(X.iloc[:5], X.iloc[::7]).values, rtol=0, atol=1e-9)


def test_text_and_categories_by_a_masker_of_ones_own() -> None:
    """As docs/contributions.md says."""
    import shap

    est, X = mixed()
    some = X.iloc[::7].to_numpy(object)

    def known(mask: Any, row: Any) -> Any:
        return (np.where(mask, row, some),)

    def told(rows: Any) -> Any:
        return est.predict_proba(pd.DataFrame(rows, columns=X.columns).infer_objects())

    exact = shap.ExactExplainer(told, known)(X.iloc[:5].to_numpy(object))
    np.testing.assert_allclose(exact.values, est.contributions(X.iloc[:5], X.iloc[::7]).values, rtol=0, atol=1e-9)


@pytest.mark.parametrize("against", [False, True])
def test_the_tree_explainer_of_the_same_trees(against: bool) -> None:
    import shap
    from sklearn.tree import DecisionTreeRegressor

    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 6))
    theirs = DecisionTreeRegressor(max_depth=7, random_state=0).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    given = {"data": X[:30], "feature_perturbation": "interventional"} if against else {}
    found = shap.TreeExplainer(theirs, **given).shap_values(X[100:150])
    ours = tw.from_sklearn(theirs).contributions(X[100:150], X[:30] if against else None)
    np.testing.assert_allclose(ours.values, found, rtol=0, atol=1e-6)  # shap keeps what it is given in single precision
