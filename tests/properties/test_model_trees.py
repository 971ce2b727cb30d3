"""What holds of model trees whatever the table: weights are rows, scale does not matter, columns that are kept are checked."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core
from treewright.model.leaves.linear import LinearModels


def a_table(seed: int, n: int = 160) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(list("uvw"), n)})
    y = np.where(X["a"] > 0, 2 * X["b"], 5 - X["a"]) + 3 * (X["c"] == "v") + 0.1 * rng.normal(size=n)
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    X.loc[rng.random(n) < 0.1, "c"] = None
    return X, y.to_numpy()


@pytest.mark.parametrize("variant", ["m5p", "m5"])
def test_weight_two_is_the_row_twice(variant: str) -> None:
    X, y = a_table(1)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    weighted = tw.M5Regressor(variant=variant).fit(X, y, sample_weight=weight)
    repeated = tw.M5Regressor(variant=variant).fit(X.iloc[again], y[again])
    assert weighted.tree_.n_leaves == repeated.tree_.n_leaves > 1
    assert weighted.predict(X) == pytest.approx(repeated.predict(X), rel=1e-6)


@pytest.mark.parametrize("scale", [2.0**-400, 2.0**-60, 2.0**400])
def test_units_do_not_matter(scale: float) -> None:
    X, y = a_table(3)
    plain = tw.M5Regressor(smoothing="none").fit(X, y)
    moved = X.assign(b=X["b"] * scale)
    scaled = tw.M5Regressor(smoothing="none").fit(moved, y * scale)
    assert scaled.tree_.n_leaves == plain.tree_.n_leaves
    assert scaled.predict(moved) / scale == pytest.approx(plain.predict(X), rel=1e-6)


def test_a_constant_target_is_one_leaf() -> None:
    est = tw.M5Regressor().fit(np.arange(10.0).reshape(-1, 1), np.full(10, 3.25))
    assert est.tree_.n_nodes == 1
    assert est.predict([[99.0]]).tolist() == [3.25]


def test_missing_cells_are_read_as_the_mean_or_the_most_common_level() -> None:
    X, y = a_table(4)
    est = tw.M5Regressor().fit(X, y)
    filled = X.assign(a=X["a"].fillna(X["a"].mean()), c=X["c"].fillna(X["c"].mode()[0]))
    assert est.predict(X) == pytest.approx(est.predict(filled), rel=1e-12)
    assert np.array_equal(est.apply(X), est.apply(filled))


def test_predictions_are_those_of_the_equations() -> None:
    X, y = a_table(5)
    est = tw.M5Regressor().fit(X, y)
    leaf = est.apply(X)
    filled = X.assign(a=X["a"].fillna(X["a"].mean()), c=X["c"].fillna(X["c"].mode()[0]))
    for i in range(0, len(y), 7):
        equation = est.tree_.node(leaf[i]).equation
        assert equation is not None
        said = equation.intercept
        for term in equation.terms:
            cell = filled.iloc[i][term.column]
            said += term.coefficient * (cell if term.levels is None else float(cell in term.levels))
        assert est.predict(X.iloc[[i]])[0] == pytest.approx(said, rel=1e-9)


def test_smoothing_is_the_published_mixture() -> None:
    X, y = a_table(6)
    plain = tw.M5Regressor(smoothing="none", pruned=False).fit(X, y)
    smooth = tw.M5Regressor(smoothing="m5", smoothing_constant=7, pruned=False).fit(X, y)
    tree = plain.tree_
    assert tree.n_leaves > 2
    row = X.iloc[[0]]
    models = tree.models
    assert models is not None
    at = tree.node(int(plain.apply(row)[0]))
    said = value_at(tree, at.id, X)
    while (up := at.parent) is not None:
        said = (at.weight * said + 7 * value_at(tree, up.id, X)) / (at.weight + 7)
        at = up
    assert smooth.predict(row)[0] == pytest.approx(said, rel=1e-9)


def value_at(tree: tw.Tree, node: int, X: pd.DataFrame) -> float:
    """What the model of a node says of the first row."""
    equation = tree.node(node).equation
    assert equation is not None
    row = {"a": X["a"].iloc[0], "b": X["b"].iloc[0], "c": X["c"].iloc[0]}
    row["a"] = X["a"].mean() if np.isnan(row["a"]) else row["a"]
    row["c"] = X["c"].mode()[0] if row["c"] is None else row["c"]
    terms = ((t.coefficient, row[t.column] if t.levels is None else row[t.column] in t.levels) for t in equation.terms)
    return float(equation.intercept + sum(c * x for c, x in terms))


def test_pickles_and_files_keep_every_answer(tmp_path: Path) -> None:
    X, y = a_table(7)
    for smoothing in ("m5", "blend", "none"):
        est = tw.M5Regressor(smoothing=smoothing).fit(X, y)
        est.save(tmp_path / "model.json")
        for again in (pickle.loads(pickle.dumps(est)), tw.load(tmp_path / "model.json")):
            assert again.tree_ == est.tree_
            assert np.array_equal(again.predict(X), est.predict(X))


def damaged() -> list[Any]:
    return [
        pytest.param("intercept", lambda v: v[:-1], id="too few intercepts"),
        pytest.param("intercept", lambda v: v * np.nan, id="intercepts that are no numbers"),
        pytest.param("coefficient", lambda v: v * np.inf, id="infinite coefficients"),
        pytest.param("term_column", lambda v: v + np.uint32(99), id="terms of no column"),
        pytest.param("term_place", lambda v: v + np.int32(99), id="places beyond the levels"),
        pytest.param("term_begin", lambda v: v[::-1].copy(), id="offsets that fall"),
        pytest.param("rank", lambda v: np.zeros_like(v), id="levels without an order"),
        pytest.param("fill", lambda v: v - 1000, id="fills that are no levels"),
        pytest.param("spread", lambda v: -v - 1, id="negative spreads"),
        pytest.param("column_kind", lambda v: 1 - v, id="columns of another kind"),
        pytest.param("fill", lambda v: v.astype(np.float32), id="another type"),
    ]


@pytest.mark.parametrize(("name", "damage"), damaged())
def test_damaged_models_are_refused(name: str, damage: Any) -> None:
    X, y = a_table(8)
    tree = tw.M5Regressor().fit(X, y).tree_
    models = tree.models
    assert isinstance(models, LinearModels)
    state = dict(models.state())
    assert _core.LinearModels.from_state(state, tree._core).size == tree.n_nodes
    state[name] = damage(state[name])
    with pytest.raises(ValueError, match="damaged"):
        _core.LinearModels.from_state(state, tree._core)


def test_levels_beyond_the_last_are_refused_before_they_are_looked_at() -> None:
    X = pd.DataFrame({"a": list("uvw") * 10, "b": list("pq") * 15})
    tree = tw.M5Regressor().fit(X, np.arange(30.0)).tree_
    assert tree.models is not None
    state = dict(tree.models.state())
    begin = state["rank_begin"].copy()
    assert begin.tolist() == [0, 3, 5]
    begin[1] = 10**6
    with pytest.raises(ValueError, match="levels of a column are not where they should be"):
        _core.LinearModels.from_state({**state, "rank_begin": begin}, tree._core)


def test_parameters_are_checked() -> None:
    X, y = a_table(9)
    for bad in ({"variant": "m6"}, {"smoothing": "more"}, {"band": -1}, {"leaf": "cubic"}, {"min_deviation": "a"}):
        with pytest.raises((ValueError, TypeError)):
            tw.M5Regressor(**bad).fit(X, y)


def test_equations_stand_below_the_tree_and_in_rules() -> None:
    X, y = a_table(10)
    est = tw.M5Regressor().fit(X, y)
    assert "LM 1: target = " in est.tree_.to_text()
    assert "(c = v)" in str(est.tree_.to_rules())
    assert f"target = {est.tree_.node(int(est.apply(X.iloc[[0]])[0])).equation}" in est.explain(X.iloc[[0]]).notes
    assert est.explain(X.iloc[[0]]).says == est.predict(X.iloc[[0]])[0]
    with pytest.raises(ValueError, match="equations"):
        est.tree_.merge_leaves()
