"""Small nasty tables for the property tests: ties, holes, constant columns, weights of 0, levels that never occur."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import treewright as tw

LEVELS = ["p", "q", "r", "s", "never"]
ONE_BRANCH = ["learned", "own", "majority", "most_common", "surrogate"]
DIVIDED = ["fraction", "spread"]
POLICIES = [*ONE_BRANCH, *DIVIDED, "ignore", "most_common_in_class"]


def modest(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@dataclass
class Case:
    """A table, both kinds of target and whole weights."""

    X: pd.DataFrame
    classes: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray
    seed: int

    def rows(self, at: np.ndarray) -> Case:
        return Case(self.X.iloc[at].reset_index(drop=True), self.classes[at], self.numbers[at], self.weights[at], self.seed)

    def target(self, est: Any) -> np.ndarray:
        return self.numbers if est.__class__.__name__.endswith("Regressor") else self.classes


def make_case(seed: int, n: int = 40, holes: bool = True, n_classes: int = 3, nominal: bool = True) -> Case:
    rng = np.random.default_rng(seed)
    few = rng.integers(-3, 4, n).astype(float)
    many = rng.integers(-20, 21, n).astype(float)
    smooth = np.round(rng.normal(size=n), 2)
    flat = np.full(n, 7.0)
    text = rng.choice(["u", "v", "w"], n).astype(object)
    codes = rng.integers(0, 4, n)
    if holes:
        few[rng.random(n) < 0.25] = np.nan
        smooth[rng.random(n) < 0.1] = np.nan
        flat[rng.random(n) < 0.2] = np.nan
        text[rng.random(n) < 0.15] = None
        codes[rng.random(n) < 0.2] = -1
    columns: dict[str, Any] = {"few": few, "many": many, "smooth": smooth, "flat": flat}
    if nominal:
        columns["text"] = pd.Series(text, dtype="str")
        columns["cat"] = pd.Categorical.from_codes(codes, categories=LEVELS)
    signal = np.nan_to_num(few, nan=5.0) + many / 10 + (codes == 2) * 2
    classes = np.array(["a", "b", "c", "d"])[(np.floor(signal + rng.normal(size=n)) % n_classes).astype(int)]
    numbers = np.round(signal + rng.normal(size=n), 3)
    return Case(pd.DataFrame(columns), classes, numbers, rng.integers(0, 4, n), seed)


# loaded here: what an import draws at random must not happen inside a strategy
CLASSIFIER, REGRESSOR = tw.TreeClassifier, tw.TreeRegressor


@st.composite
def cases(draw: st.DrawFn, holes: bool | None = None, nominal: bool = True, max_rows: int = 60) -> Case:
    return make_case(
        draw(st.integers(0, 10**6)),
        draw(st.integers(2, max_rows)),
        draw(st.booleans()) if holes is None else holes,
        draw(st.integers(2, 4)),
        nominal,
    )


NUMERIC = st.sampled_from(["threshold", "threshold", "ternary", "discretised"])
NOMINAL = st.sampled_from(["subset", "subset", "one_vs_rest", "multiway"])


@st.composite
def estimators(draw: st.DrawFn, policies: list[str], regress: bool | None = None, **fixed: Any) -> Any:
    """Any recipe of parts that is allowed, over the given missing policies."""
    regress = draw(st.booleans()) if regress is None else regress
    missing = draw(st.sampled_from([p for p in policies if not (regress and p == "most_common_in_class")]))
    params: dict[str, Any] = {
        "missing": missing,
        "numeric": draw(NUMERIC),
        "nominal": draw(NOMINAL),
        "discretise": draw(st.sampled_from(["equal_width", "equal_frequency"])),
        "bins": draw(st.integers(2, 5)),
        "relation": draw(st.sampled_from(["<=", "<"])),
        "threshold_at": draw(st.sampled_from(["midpoint", "observed"])),
        "max_depth": draw(st.sampled_from([None, None, 2])),
        "max_leaf_nodes": draw(st.sampled_from([None, None, 5])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 2, 0.05])),
    }
    if not regress:
        params["criterion"] = draw(st.sampled_from(["gini", "info_gain", "gain_ratio", "error", "gain_over_rest"]))
        params["chooser"] = draw(st.sampled_from(["best", "best", "above_average"]))
    if missing == "surrogate":  # two ways only
        params["numeric"] = "threshold"
        params["nominal"] = draw(st.sampled_from(["subset", "one_vs_rest"]))
    params.update(fixed)
    return REGRESSOR(**params) if regress else CLASSIFIER(**params)


def same_state(a: Any, b: Any) -> None:
    """Two trees are the same, byte for byte."""
    one, two = a.state(), b.state()
    assert one.keys() == two.keys()
    for name in one:
        x, y = np.asarray(one[name]), np.asarray(two[name])
        assert x.dtype == y.dtype, name
        assert x.tobytes() == y.tobytes(), f"{name}: {x} is not {y}"


def close_state(a: Any, b: Any) -> None:
    """Two trees have the same splits, and the same weights up to rounding of row fractions."""
    one, two = a.state(), b.state()
    for name in ("parent", "first_child", "n_children", "family", "column", "level", "level_branch", "missing_to"):
        assert np.array_equal(one[name], two[name]), name
    for name in ("weight", "value", "cut_at", "class_weight"):
        np.testing.assert_allclose(one[name], two[name], rtol=1e-6, atol=1e-6, err_msg=name)


def node_weights(tree: Any, X: Any, weights: np.ndarray) -> np.ndarray:
    """Weight of every node, counted again from the rows that pass it."""
    return np.asarray(tree.decision_path(X).T @ weights).ravel()
