"""Nodes of several scores and of networks: rows 140, 143 and 145, and what trees have: values, exports, files, rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import treewright as tw
from tests.exports.runners import RUNNERS, model_answers
from tests.oblique.tables import circle, diagonal, mixed, parity
from treewright.model.linear import Equation

KINDS: dict[str, dict[str, Any]] = {
    "fact": {"method": "fact"},
    "lmdt": {"method": "lmdt"},
    "curved": {"method": "fact", "node": "quadratic"},
    "network": {"node": "network", "restarts": 0},
}


def fitted(name: str, depth: int = 4) -> tuple[Any, pd.DataFrame]:
    X, y = mixed()
    return tw.ObliqueTreeClassifier(pruned=False, max_depth=depth, **KINDS[name]).fit(X, y), X


def derived_of(tree: tw.Tree) -> list[tuple[int, Equation]]:
    return [(id, source.equation) for id, source in tree.splits._sources.derived.items() if source.equation is not None]


def test_140_a_network_is_one_node_where_no_line_is() -> None:
    X, y = parity()
    est = tw.ObliqueTreeClassifier(node="network", hidden=4, pruned=False, max_depth=1).fit(X, y)
    lines = tw.ObliqueTreeClassifier(pruned=False, max_depth=1).fit(X, y)
    assert np.mean(est.predict(X) == y) > 0.95 > 0.85 > np.mean(lines.predict(X) == y)
    equation = derived_of(est.tree_)[0][1]
    assert len(equation.parts) == 4 and all(part.squashed for part in equation.parts)
    assert est.tree_.root.split.column.count("sigmoid(") == 4
    X, y = diagonal()
    assert tw.ObliqueTreeClassifier(node="network").fit(X, y).score(X, y) > 0.995


def test_140_networks_of_numbers_and_of_many_classes() -> None:
    X, y = circle()
    est = tw.ObliqueTreeRegressor(node="network", max_depth=2, pruned=False).fit(X, y.astype(float))
    assert est.score(X, y.astype(float)) > 0.5
    four = np.array(list("abcd"))[2 * (X[:, 0] > 0) + (X[:, 1] > 0)]
    assert tw.ObliqueTreeClassifier(node="network", pruned=False).fit(X, four).score(X, four) == 1.0


def test_143_fact_is_the_discriminant_of_a_common_covariance() -> None:
    """Directions and branches are those of scikit-learn where all components are kept."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)) @ np.array([[1.0, 0.3, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 1.0]])
    y = rng.integers(0, 3, 600)
    X += np.array([[0, 0, 0], [2, 1, 0], [0, 2, 2.0]])[y]
    est = tw.ObliqueTreeClassifier(method="fact", pruned=False, max_depth=1).fit(X, y)
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    (_, equation), *_ = derived_of(est.tree_)
    scores = equation.scores([X[:, j] for j in range(3)])
    assert np.array_equal(scores.argmax(axis=1), est.apply(X) - 1)
    assert np.mean(scores.argmax(axis=1) == lda.predict(X)) > 0.995
    ours = scores[:, 1:] - scores[:, :1]
    theirs = lda.decision_function(X)[:, 1:] - lda.decision_function(X)[:, :1]
    assert np.allclose(ours, theirs, rtol=0.02, atol=0.02)  # they divide by n, the authors by n - k
    assert est.tree_.root.split.family == "largest" and len(est.tree_.root.children) == 3


def test_143_where_means_coincide_distances_from_them_tell() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 900)
    X = rng.normal(size=(900, 2)) * np.array([0.3, 1.0, 2.5])[y][:, None]
    est = tw.ObliqueTreeClassifier(method="fact", pruned=False, max_depth=1).fit(X, y)
    assert (
        "x0²" in est.tree_.root.split.column and len(est.tree_.root.children) == 2
    )  # of three scores one is nowhere the largest
    cut = tw.CARTClassifier(max_depth=1).fit(X, y)
    assert est.score(X, y) > cut.score(X, y)


def test_143_components_that_vary_little_are_left_out() -> None:
    """A column that repeats another but for noise adds no direction of its own (eigenvalues below 0.05 of the largest)."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 500))
    X = np.column_stack([a, a + 1e-4 * rng.normal(size=500), b])
    y = np.digitize(a + b, [-1, 1])
    est = tw.ObliqueTreeClassifier(method="fact", pruned=False, max_depth=1).fit(X, y)
    for _, equation in derived_of(est.tree_):
        for _, score in equation.sums():
            w = [term.coefficient for term in score.terms]
            assert w[0] == pytest.approx(w[1], rel=0.01)  # not told apart, so they share


def test_145_a_linear_machine_parts_what_planes_can_part() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(5), 60)
    angle = 2 * np.pi * y / 5
    X = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.1, (300, 2))
    est = tw.ObliqueTreeClassifier(method="lmdt", pruned=False).fit(X, y)
    assert est.tree_.n_leaves == 5 and est.score(X, y) == 1.0
    assert est.tree_.depth == 1 < tw.CARTClassifier().fit(X, y).tree_.depth


def test_145_features_that_say_nothing_are_eliminated() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 6))
    y = np.digitize(X[:, 1] + X[:, 4], [-0.8, 0.8])
    X = X[np.abs(np.abs(X[:, 1] + X[:, 4]) - 0.8) > 0.05]
    y = np.digitize(X[:, 1] + X[:, 4], [-0.8, 0.8])
    est = tw.ObliqueTreeClassifier(method="lmdt", pruned=False, max_depth=1).fit(X, y)
    used = {term.index for _, equation in derived_of(est.tree_) for term in equation.terms}
    assert used == {1, 4} and est.score(X, y) > 0.97
    for method in ("fact", "lmdt"):
        one = tw.ObliqueTreeClassifier(method=method, max_terms=2, pruned=False, max_depth=2).fit(X, y)
        assert all(len({term.index for term in equation.terms}) <= 2 for _, equation in derived_of(one.tree_))


@pytest.mark.parametrize("export", ["python", "javascript", "c", "sqlite", "duckdb", "onnx"])
@pytest.mark.parametrize("name", KINDS)
def test_exports_give_the_same_leaf(export: str, name: str) -> None:
    est, X = fitted(name)
    rows = pd.concat([X, X.mask(np.random.default_rng(1).random(X.shape) < 0.3)], ignore_index=True).astype(
        X.dtypes.to_dict() | {"flag": object}
    )
    rows = rows[rows["flag"].notna()].reset_index(drop=True).astype({"flag": bool})
    assert any(equation.parts for _, equation in derived_of(est.tree_))
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


@pytest.mark.parametrize("name", KINDS)
def test_values_files_rules_and_explanations(name: str, tmp_path: Any) -> None:
    est, X = fitted(name)
    tree = est.tree_
    tree.validate()
    est.save(tmp_path / "m.json")
    assert tw.load(tmp_path / "m.json").tree_ == tree
    assert tree.to_rules().predict(X).tolist() == est.predict(X).tolist()
    text = str(est.explain(X.iloc[[0]]))
    assert (
        "is largest" in text or "largest of" in text or "sigmoid(" in text or "day" in text
    ) and f"→ {est.predict(X.iloc[[0]])[0]}" in text
    assert tree.to_text() and tree.to_svg() and tree.to_dot() and tree.to_mermaid()
    assert est.prune("cost_complexity", alpha=1e9).tree_.n_leaves == 1


def test_the_value_computes_what_the_core_routes_by() -> None:
    for name in KINDS:
        est, X = fitted(name)
        cells = tw.table.read_cells(X, est.tree_.schema)[0]
        path = np.asarray(est.decision_path(X).todense()) > 0
        for id, equation in derived_of(est.tree_):
            rows = np.flatnonzero(path[:, id])
            node = est.tree_.node(id)
            found = equation.answers([np.asarray(column)[rows] for column in cells])
            cuts = est.tree_.splits.division(id).at
            branch = np.searchsorted(cuts, found, side="left")
            assert np.array_equal(path[rows][:, [child.id for child in node.children]].argmax(axis=1), branch)


def test_branches_without_rows_are_left_out() -> None:
    """Scores that are the largest nowhere would be branches that no training row takes."""
    for name in ("fact", "lmdt"):
        est, _ = fitted(name, depth=6)
        weight = est.tree_.node_columns.weight
        assert all(
            weight[child.id] > 0
            for node in est.tree_.nodes()
            if node.split and node.split.family == "largest"
            for child in node.children
        )


def test_errors_of_scores() -> None:
    X, y = circle()
    with pytest.raises(ValueError, match="criterion='twoing' compares two branches, method='fact'"):
        tw.ObliqueTreeClassifier(method="fact", criterion="twoing").fit(X, y)
    with pytest.raises(ValueError, match="max_terms=: networks look at all columns"):
        tw.ObliqueTreeClassifier(node="network", max_terms=2).fit(X, y)
    with pytest.raises(ValueError, match="hidden"):
        tw.ObliqueTreeClassifier(node="network", hidden=0).fit(X, y)
