"""Rows 104 to 110 and 112 of the acceptance table: regression trees, model trees, smoothing."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw


def bent(n: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Two straight lines, with a step between them."""
    x = np.linspace(0, 10, n)
    return x.reshape(-1, 1), np.where(x < 4, 1 + 2 * x, 30 - x)


def noisy(seed: int = 1, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 8, n)
    return x.reshape(-1, 1), np.sin(x) + 0.2 * rng.normal(size=n)


def test_row_102_a_subtree_gives_way_to_a_leaf_where_the_pruning_set_does_not_suffer() -> None:
    # The tree of the figure: x < 3.16, then x < 1.36 and x < 5.96 / x < 6.91 (values of our own); noise below one node.
    x = np.array([0.5, 1.0, 2.0, 2.5, 4.0, 4.5, 6.0, 6.5, 7.2, 7.8])
    y = np.array([1.8, 1.8, 1.3, 1.3, 2.3, 2.3, 0.8, 1.0, 0.8, 1.0])
    tree = tw.CARTRegressor().fit(x.reshape(-1, 1), y).tree_
    held_out = np.array([0.6, 2.2, 4.2, 6.1, 6.4, 7.3, 7.7]), np.array([1.8, 1.3, 2.3, 0.95, 0.85, 0.95, 0.85])
    pruned = tree.prune("reduced_error", held_out[0].reshape(-1, 1), held_out[1])
    assert pruned.predict([[7.0]])[0] == pytest.approx(0.9)
    assert pruned.predict([[6.1]])[0] == pytest.approx(0.9)
    assert pruned.predict([[1.0]])[0] == pytest.approx(1.8)
    assert pruned.n_leaves < tree.n_leaves

    def error(t: tw.Tree) -> float:
        return float(np.mean((t.predict(held_out[0].reshape(-1, 1)) - held_out[1]) ** 2))

    assert error(pruned) <= error(tree)


def test_row_104_the_root_has_the_least_error_of_all_cuts() -> None:
    X, y = noisy()
    tree = tw.CARTRegressor(min_impurity=0.02).fit(X, y).tree_
    cuts = (np.sort(X[:, 0])[:-1] + np.sort(X[:, 0])[1:]) / 2

    def error(cut: float) -> float:
        sides = y[X[:, 0] <= cut], y[X[:, 0] > cut]
        return float(sum(((side - side.mean()) ** 2).sum() for side in sides) / len(y))

    assert tree.root.split.cuts[0] == pytest.approx(min(cuts, key=error))
    assert tree.root.impurity == pytest.approx(y.var())
    assert tree.root.gain == pytest.approx(y.var() - min(map(error, cuts)))
    # Growth stops where the error of a node is acceptable, and only there.
    for node in tree.nodes():
        assert (node.impurity <= 0.02) == node.is_leaf


def test_row_105_medians_do_not_mind_an_outlier() -> None:
    X = np.arange(20.0).reshape(-1, 1)
    y = np.where(X[:, 0] < 10, 1.0, 2.0)
    y[3] = 1e6
    options = {"max_depth": 1, "min_samples_leaf": 5}
    median = tw.CARTRegressor(criterion="absolute_error", **options).fit(X, y)
    assert sorted({*median.predict(X)}) == [1.0, 2.0]
    assert tw.CARTRegressor(criterion="variance", **options).fit(X, y).predict(X)[0] > 1e4


@pytest.mark.parametrize("bound", [0.05, 0.3, 1.0])
def test_row_106_no_row_is_off_by_more_than_the_bound(bound: float) -> None:
    X, y = noisy(2)
    est = tw.CARTRegressor(criterion="worst_case", min_impurity=bound).fit(X, y)
    assert np.abs(est.predict(X) - y).max() <= bound
    assert est.beyond_bound_ == 0
    assert est.tree_.n_leaves > 1


def test_row_106_rows_that_are_equal_in_all_columns_are_counted_and_warned_about() -> None:
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [3.0, 2.0]])
    y = np.array([0.0, 5.0, 10.0, 7.0])
    with pytest.warns(tw.TreewrightWarning, match="2 training rows are off by more than min_impurity=1, by up to 5"):
        est = tw.CARTRegressor(criterion="worst_case", min_impurity=1.0).fit(X, y)
    assert est.beyond_bound_ == 2
    assert est.predict(X).tolist() == [5.0, 5.0, 5.0, 7.0]


def test_row_107_a_larger_theta_gives_a_coarser_smooth() -> None:
    X, y = noisy(3)
    sizes = []
    for theta in (0.01, 0.05, 0.2):
        tree = tw.CARTRegressor(min_impurity=theta).fit(X, y).tree_
        line = tree.predict(np.linspace(0, 8, 2000).reshape(-1, 1))
        assert np.count_nonzero(np.diff(line)) == tree.n_leaves - 1
        sizes.append(tree.n_leaves)
    assert sizes[0] > sizes[1] > sizes[2] > 1


def test_row_108_a_line_in_every_leaf_fits_bent_data_with_one_split() -> None:
    X, y = bent()
    model = tw.M5Regressor(smoothing="none").fit(X, y)
    assert model.tree_.n_leaves == 2
    assert np.abs(model.predict(X) - y).max() < 1e-9
    constant = tw.CARTRegressor().fit(X, y)
    assert constant.tree_.n_leaves > 50
    assert model.tree_.root.split.cuts[0] == pytest.approx(4, abs=0.1)


def test_row_109_smoothing_makes_the_largest_jump_smaller_and_blending_removes_it() -> None:
    rng = np.random.default_rng(5)
    X = rng.uniform(-2, 2, (300, 2))
    y = np.sin(2 * X[:, 0]) * 5 + X[:, 1] ** 2 + 0.2 * rng.normal(size=300)
    smoothed = tw.M5Regressor(smoothing="m5").fit(X, y).jumps(X)
    assert 0 < smoothed.after < smoothed.before
    blended = tw.M5Regressor(smoothing="blend", band=0.2).fit(X, y).jumps(X)
    assert blended.before == smoothed.before
    assert blended.after < 1e-9
    plain = tw.M5Regressor(smoothing="none").fit(X, y).jumps(X)
    assert plain.after == plain.before == smoothed.before


def test_row_109_a_blended_tree_is_linear_across_its_band_and_itself_outside() -> None:
    X, y = bent()
    plain = tw.M5Regressor(smoothing="none").fit(X, y)
    blended = tw.M5Regressor(smoothing="blend", band=0.1).fit(X, y)
    cut, half = plain.tree_.root.split.cuts[0], 0.1 * X.std()
    left, right = (leaf.equation for leaf in plain.tree_.leaves())
    assert left is not None
    assert right is not None
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = cut - half + 2 * half * share
        ends = [e.intercept + sum(t.coefficient for t in e.terms) * x for e in (left, right)]
        assert blended.predict([[x]])[0] == pytest.approx((1 - share) * ends[0] + share * ends[1], rel=1e-9)
    outside = np.abs(X[:, 0] - cut) > half
    assert np.array_equal(blended.predict(X)[outside], plain.predict(X)[outside])


def two_regions() -> tuple[np.ndarray, np.ndarray]:
    """On either side of x0 = 0 another line divides two classes."""
    X = np.random.default_rng(1).uniform(-1, 1, (600, 3))
    return X, np.where(X[:, 0] < 0, X[:, 1] + X[:, 2] > 0.8, X[:, 1] - X[:, 2] > -0.8).astype(int)


def test_row_110_linear_classifiers_in_leaves_need_fewer_of_them() -> None:
    X, y = two_regions()
    plain = tw.C45Classifier().fit(X, y)
    assert plain.tree_.n_leaves > 10
    sizes = []
    for seed in range(7):  # which rows judge pruning: mostly the two regions are left
        logistic = tw.LogisticTreeClassifier(iterations=30, random_state=seed).fit(X, y)
        sizes.append(logistic.tree_.n_leaves)
        assert logistic.tree_.root.split.column == "x0"
        assert logistic.tree_.root.split.cuts[0] == pytest.approx(0, abs=0.01)
        assert np.mean(logistic.predict(X) != y) < np.mean(plain.predict(X) != y)
    assert sorted(sizes)[3] == 2
    assert max(sizes) < plain.tree_.n_leaves / 2


def test_row_110_posteriors_of_leaves_enter_the_impurity() -> None:
    X, y = two_regions()
    est = tw.LogisticTreeClassifier(iterations=150, pruned=False, impurity="posteriors", min_impurity=0.5).fit(X, y)
    shares, leaf = est.predict_proba(X), est.apply(X)
    entropy = -(shares * np.log2(np.maximum(shares, 1e-300))).sum(axis=1)
    for node in est.tree_.leaves():
        assert node.impurity == pytest.approx(entropy[leaf == node.id].mean())
    # Both classes are in these leaves, but their models are sure: nothing is left to be divided.
    sure = [node for node in est.tree_.leaves() if len(node.value) == 2 and node.weight > 100]
    assert len(sure) == est.tree_.n_leaves == 2
    assert all(node.impurity <= 0.5 for node in sure)
    root = est.tree_.root
    assert root.impurity > 0.5
    assert root.gain == pytest.approx(root.impurity - entropy.mean())
    assert tw.LogisticTreeClassifier(iterations=150, pruned=False).fit(X, y).tree_.n_leaves > 5


def test_row_111_rules_for_numbers_by_separating_and_conquering() -> None:
    rng = np.random.default_rng(11)
    X = rng.uniform(-1, 1, (300, 3))
    y = np.where(X[:, 0] > 0.2, 3 * X[:, 1], np.where(X[:, 1] > 0, 5 - X[:, 2], 2 * X[:, 2])) + 0.05 * rng.normal(size=300)
    rules = tw.M5RulesRegressor().fit(X, y).ruleset_
    decided = rules.apply(X)
    assert rules.ordered
    assert len(rules) >= 2
    # All rows are covered: by the rules, each of those that none before it covers, and by the last, which asks for nothing.
    assert rules.otherwise is not None
    assert not rules.otherwise.when
    weights = [rule.weight for rule in (*rules, rules.otherwise)]
    assert weights == [*(np.sum(decided == r) for r in range(len(rules))), np.sum(decided == -1)]
    assert sum(weights) == len(y)
    said = rules.predict(X)
    held = rules.matches(X)
    for r, rule in enumerate(rules):
        mine = decided == r
        assert np.array_equal(mine, held[:, r] & ~held[:, :r].any(axis=1))
        # It errs less of its rows than their mean does, and than the one number for all.
        assert np.sum((y - said)[mine] ** 2) < np.sum((y[mine] - y[mine].mean()) ** 2) <= np.sum((y[mine] - y.mean()) ** 2)
        assert not isinstance(rule.says, float)
        own = rule.says.intercept + sum(t.coefficient * X[mine][:, t.index] for t in rule.says.terms)
        assert said[mine] == pytest.approx(own, rel=1e-12, abs=1e-12)
    single = tw.M5RulesRegressor().fit(X[:3], y[:3]).ruleset_
    assert len(single) == 0


def test_row_112_a_regression_tree_is_a_regressogram_of_unequal_bins() -> None:
    X, y = noisy(4)
    tree = tw.CARTRegressor(max_leaf_nodes=6).fit(X, y).tree_
    edges = [region.bounds["x0"] for region in tree.regions()]
    for low, high in edges:
        inside = (X[:, 0] > low) & (X[:, 0] <= high)
        assert tree.predict(X[inside][:1])[0] == pytest.approx(y[inside].mean())
    widths = [high - low for low, high in edges if np.isfinite(low) and np.isfinite(high)]
    assert max(widths) > 1.5 * min(widths)


def test_quantiles_and_intervals_come_from_the_leaf() -> None:
    X, y = noisy(5)
    weight = np.random.default_rng(6).integers(1, 4, len(y))
    est = tw.CARTRegressor(max_leaf_nodes=4, keep_targets=True).fit(X, y, sample_weight=weight)
    again = np.repeat(np.arange(len(y)), weight)
    leaf, whole = est.apply(X), est.apply(X[again])
    for i in range(0, len(y), 9):
        inside = y[again][whole == leaf[i]]
        expected = np.quantile(inside, (0.1, 0.5, 0.9), method="inverted_cdf")
        assert est.predict_quantiles(X[i : i + 1], (0.1, 0.5, 0.9))[0] == pytest.approx(expected)
    low, high = est.predict_interval(X, 0.8).T
    assert np.average((y >= low) & (y <= high), weights=weight) >= 0.8
    with pytest.raises(ValueError, match="keep_targets=True"):
        tw.CARTRegressor().fit(X, y).predict_interval(X)


def test_row_107_smooths_of_constants_and_of_lines_are_drawn_for_several_thetas() -> None:
    import matplotlib

    matplotlib.use("Agg")
    X, y = noisy(7)
    trees = {f"theta {theta}": tw.CARTRegressor(min_impurity=theta).fit(X, y) for theta in (0.02, 0.2)}
    ax = tw.plot_smooth({**trees, "lines": tw.M5Regressor(smoothing="none").fit(X, y)}, X, y)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [*trees, "lines"]
    (line,) = ax.get_lines()
    at, said = line.get_data()
    lines = tw.M5Regressor(smoothing="none").fit(X, y)
    assert said == pytest.approx(lines.predict(np.asarray(at).reshape(-1, 1)))
    assert lines.tree_.root.split.cuts[0] in at
    ax = tw.plot_smooth({**trees, "lines": lines}, X, y, with_trees=True)
    beside = [each for each in ax.figure.axes if each is not ax]
    assert [each.get_title() for each in beside] == [*trees, "lines"]
    drawn = ["\n".join(text.get_text() for text in each.texts) for each in beside]
    assert all("x0" in text for text in drawn)
    ax.figure.canvas.draw()
    with pytest.raises(ValueError, match="leave ax out"):
        tw.plot_smooth(lines, ax=ax, with_trees=True)
