"""Rows 147, 148 and 150: nodes of the simplest kind that will do, by the combined 5x2cv F test or an information criterion."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

import treewright as tw
from tests.oblique.tables import circle, diagonal, mixed, parity
from treewright import _core
from treewright.evaluate.significance import combined_f

# A worked example: differences of two kinds in five repeats of two halves. Squares sum up to 0.0005 + 0.002 + 0.0013 + 0.0001
# + 0.002 = 0.0059, variances to 0.00005 + 0.0002 + 0.00005 + 0.00005 + 0.0002 = 0.00055: F = 0.0059 / 0.0011 = 5.36, above the
# 4.735 of 10 and 5 degrees at 0.05.
WORKED = [[0.02, 0.01], [0.04, 0.02], [0.02, 0.03], [0.0, 0.01], [0.02, 0.04]]


def test_147_a_worked_example_of_the_f_test() -> None:
    squares = sum(p * p for pair in WORKED for p in pair)
    assert squares == pytest.approx(0.0059)
    variances = [(a - (a + b) / 2) ** 2 + (b - (a + b) / 2) ** 2 for a, b in WORKED]
    assert sum(variances) == pytest.approx(0.00055)
    f, chance = _core.combined_f(WORKED)
    assert f == pytest.approx(0.0059 / 0.0011) == pytest.approx(5.3636, rel=1e-4)
    assert stats.f.ppf(0.95, 10, 5) == pytest.approx(4.735, abs=1e-3)
    assert np.exp(chance) == pytest.approx(stats.f.sf(f, 10, 5), rel=1e-9) and np.exp(chance) < 0.05


@pytest.mark.parametrize("seed", range(8))
def test_147_the_f_test_is_that_of_scipy_and_of_comparisons(seed: int) -> None:
    rng = np.random.default_rng(seed)
    off = rng.normal(rng.choice([0, 0.1, 0.01]), 0.02, (5, 2))
    f, chance = _core.combined_f(off.tolist())
    s2 = ((off - off.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert f == pytest.approx((off**2).sum() / (2 * s2.sum()))
    assert np.exp(chance) == pytest.approx(stats.f.sf(f, 10, 5), rel=1e-9)
    assert (f, np.exp(chance)) == pytest.approx(combined_f(off))


def test_147_differences_that_are_all_the_same() -> None:
    assert _core.combined_f([[0.0, 0.0]] * 5) == (0.0, 0.0)
    assert _core.combined_f([[0.1, 0.1]] * 5) == (np.inf, -np.inf)


def test_147_linear_at_the_root_and_one_column_below() -> None:
    """On linear data with noise the root is linear; what is left to tell below is told by one column, as far as it is told."""
    rng = np.random.default_rng(0)
    X = rng.random((2000, 3))
    y = (X[:, 0] + X[:, 1] > 1) ^ (rng.random(2000) < 0.05)
    for kinds in (["univariate", "linear", "network"], ["univariate", "linear", "quadratic", "network"]):
        tree = tw.OmnivariateTreeClassifier(kinds=kinds, pruned=False, max_depth=4).fit(X, y).tree_
        found = tree.node_kinds()
        assert found[0] == {"linear": 1}
        below = Counter(kind for one in found[1:] for kind, n in one.items() for _ in range(n))
        assert below["univariate"] > 0.8 * below.total()


@pytest.mark.parametrize(("table", "kind"), [(diagonal, "linear"), (circle, "quadratic"), (parity, "quadratic")])
def test_147_the_kind_that_the_classes_need(table: Any, kind: str) -> None:
    X, y = table()
    est = tw.OmnivariateTreeClassifier().fit(X, y)
    assert est.tree_.node_kinds()[0] == {kind: 1} and est.score(X, y) > 0.99
    without = tw.OmnivariateTreeClassifier(kinds=("univariate", "network")).fit(X, y)
    assert without.tree_.node_kinds()[0] == {"network": 1}
    assert tw.OmnivariateTreeClassifier(kinds=["univariate"]).fit(X, y).tree_.node_kinds()[0] == {"univariate": 1}


def test_147_one_column_where_nothing_more_is_significant() -> None:
    rng = np.random.default_rng(2)
    X = rng.random((600, 4))
    y = (X[:, 1] > 0.5) ^ (rng.random(600) < 0.1)
    for choice in ("f", "bic"):
        tree = tw.OmnivariateTreeClassifier(choice=choice).fit(X, y).tree_
        assert tree.node_kinds()[0] == {"univariate": 1}


def test_147_information_is_weighed_against_numbers() -> None:
    """AIC takes what BIC finds too dear: ln n of 400 rows is 6, not 2, for every number."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6))
    y = X[:, 0] + 0.35 * X[:, 1] + rng.normal(0, 0.7, 400) > 0
    kinds = ["univariate", "linear"]
    found = [
        tw.OmnivariateTreeClassifier(choice=c, kinds=kinds, max_depth=1, pruned=False).fit(X, y).tree_ for c in ("aic", "bic")
    ]
    cut = tw.TreeClassifier(criterion="info_gain", max_depth=1).fit(X, y).tree_

    def criterion(tree: tw.Tree, each: float) -> float:
        likelihood = sum(w * np.log(w / leaf.weight) for leaf in tree.leaves() for w in leaf.value.values() if w > 0)
        test = tree.root.split
        return float(-2 * likelihood + each * (2 if test.column in tree.schema.names else 7))

    for tree, each in zip(found, (2, np.log(400)), strict=True):
        linear = tw.ObliqueTreeClassifier(method="ldt", max_depth=1, pruned=False).fit(X, y).tree_
        assert linear.root.split.column != cut.root.split.column
        best = min((cut, linear), key=lambda one: criterion(one, each))
        assert tree.node_kinds() == best.node_kinds()


def test_148_150_figures_by_depth() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    X, y = mixed()
    trees = [tw.OmnivariateTreeClassifier(random_state=seed, choice="aic").fit(X, y) for seed in range(3)]
    drawn = tw.plot_node_kinds(trees)
    counts = [tree.tree_.node_kinds() for tree in trees]
    for bars in drawn.containers:
        kind = bars.get_label()
        for depth, bar in enumerate(bars):
            assert bar.get_height() == sum(one[depth].get(kind, 0) for one in counts if depth < len(one))
    assert {bars.get_label() for bars in drawn.containers} >= {"univariate"}
    line = tw.plot_node_terms(trees[0]).lines[0]
    assert line.get_ydata().tolist() == trees[0].tree_.node_terms()
    leaf = tw.OmnivariateTreeClassifier(max_depth=0).fit(X, y)
    assert leaf.tree_.node_kinds() == [] == leaf.tree_.node_terms() and tw.plot_node_kinds(leaf.tree_)


def test_150_fewer_columns_matter_further_down() -> None:
    """Near the root several columns matter, in the subsets of a branch fewer: weights that are not 0 become fewer with depth."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8))
    top = X[:, :4].sum(axis=1) > 0
    y = np.where(top, X[:, 4] + X[:, 5] > 0, X[:, 6] > 0) + 2 * top
    terms = tw.ObliqueTreeClassifier(method="lmdt", max_depth=2, pruned=False).fit(X, y).tree_.node_terms()
    assert terms[0] > terms[1]


def test_trees_are_the_same_for_threads_and_orders_of_rows(tmp_path: Any) -> None:
    X, y = mixed()
    est = tw.OmnivariateTreeClassifier().fit(X, y)
    assert tw.OmnivariateTreeClassifier(n_jobs=3).fit(X, y).tree_ == est.tree_
    order = np.random.default_rng(2).permutation(len(X))
    assert np.mean(tw.OmnivariateTreeClassifier().fit(X.iloc[order], y[order]).predict(X) == est.predict(X)) > 0.97
    est.save(tmp_path / "m.json")
    assert tw.load(tmp_path / "m.json").tree_ == est.tree_


def test_reduced_error_pruning_by_rows_held_out() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.random((400, 3)), rng.integers(0, 2, 400)
    whole = tw.OmnivariateTreeClassifier(pruned=False, choice="bic").fit(X, y).tree_
    pruned = tw.OmnivariateTreeClassifier(choice="bic").fit(X, y).tree_
    assert pruned.n_leaves < whole.n_leaves / 2 and pruned.root.weight == 400


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"choice": "cv"}, "choice"),
        ({"alpha": 2}, "alpha"),
        ({"kinds": []}, "kinds"),
        ({"kinds": "linear"}, "kinds"),
        ({"kinds": ["cubic"]}, "kinds"),
        ({"hidden": 0}, "hidden"),
    ],
)
def test_errors_name_what_is_wrong(options: dict[str, Any], named: str) -> None:
    X, y = circle()
    with pytest.raises(ValueError, match=named):
        tw.OmnivariateTreeClassifier(**options).fit(X, y)


def test_147_more_rows_than_numbers() -> None:
    """Ten columns make quadratic scores of 65 terms and a constant, more than halves of 50 rows can tell."""
    X, y = circle()
    X = np.tile(X, 5)
    kinds = ["univariate", "quadratic"]
    few = tw.OmnivariateTreeClassifier(kinds=kinds, pruned=False, max_depth=1).fit(X[:100], y[:100])
    many = tw.OmnivariateTreeClassifier(kinds=kinds, pruned=False, max_depth=1).fit(X[:400], y[:400])
    assert few.tree_.node_kinds() == [{"univariate": 1}] and many.tree_.node_kinds() == [{"quadratic": 1}]
