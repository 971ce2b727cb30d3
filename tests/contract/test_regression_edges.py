"""Regression and model trees at the edges: after pruning, near thresholds, with dates, many levels and extreme weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.model.leaves import Equations


def noisy_sine(n: int = 200) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 8, n)
    return pd.DataFrame({"x": x}), 3 * np.sin(x) + 0.2 * rng.normal(size=n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("method", "how"), [("cost_complexity", {"leaves": 5}), ("limits", {"max_depth": 2})])
def test_quantiles_survive_pruning(method: str, how: dict[str, Any], weighted: bool) -> None:
    X, y = noisy_sine()
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    est = tw.CARTRegressor(keep_targets=True).fit(X, y, sample_weight=weight if weighted else None)
    pruned = est.prune(method, **how)
    said, leaf = pruned.predict_quantiles(X, [0.1, 0.5]), pruned.apply(X)
    assert 1 < pruned.tree_.n_leaves < est.tree_.n_leaves
    for one in np.unique(leaf):
        targets = np.repeat(y, weight if weighted else 1)[np.repeat(leaf, weight if weighted else 1) == one]
        np.testing.assert_array_equal(said[leaf == one][0], np.quantile(targets, [0.1, 0.5], method="inverted_cdf"))


@pytest.mark.parametrize("q", ["a", [0.5, None], {}, [[0.1], [0.2, 0.3]], [-0.1], float("nan")])
def test_shares_of_quantiles_are_checked(q: Any) -> None:
    X, y = noisy_sine(20)
    with pytest.raises(ValueError, match="must be numbers from 0 to 1"):
        tw.CARTRegressor(keep_targets=True).fit(X, y).predict_quantiles(X, q)


def test_a_bound_is_not_claimed_of_a_tree_that_was_cut_back() -> None:
    X, y = noisy_sine()
    est = tw.CARTRegressor(criterion="worst_case", min_impurity=0.2).fit(X, y)
    assert est.beyond_bound_ == 0
    assert not hasattr(est.prune("limits", max_depth=1), "beyond_bound_")


@pytest.mark.parametrize("learner", [tw.M5Regressor, tw.REPTreeRegressor])
def test_a_learner_without_targets_in_its_leaves_says_which_has_them(learner: Any) -> None:
    X, y = noisy_sine()
    with pytest.raises(ValueError, match=f"{learner.__name__} does not keep .* use CARTRegressor with keep_targets=True"):
        learner().fit(X, y).predict_interval(X)


def test_equations_of_a_blended_tree_say_that_answers_are_mixed() -> None:
    X, y = noisy_sine()
    est = tw.M5Regressor(smoothing="blend", band=0.3).fit(X, y)
    note = "within 0.3 standard deviations of a threshold the answers of both sides are mixed"
    assert note in est.tree_.to_text()
    assert note not in tw.M5Regressor(smoothing="none").fit(X, y).tree_.to_text()
    rules, said = est.tree_.to_rules().predict(X), est.predict(X)
    near, far = int(np.argmax(rules != said)), int(np.argmax(rules == said))
    assert note in str(est.explain(X.iloc[[near]]))
    assert note not in str(est.explain(X.iloc[[far]]))


def test_equations_count_dates_in_days_from_one_among_them() -> None:
    days = np.arange(100)
    frame = pd.DataFrame({"day": pd.Timestamp("2020-01-01") + pd.to_timedelta(days, "D")})
    est = tw.M5Regressor().fit(frame, 2.0 * days)
    assert str(est.tree_.root.equation) == "98 + 2 * (days of day since 2020-02-19)"
    spans = frame - frame.iloc[0]
    assert str(tw.M5Regressor().fit(spans, 5 + 2.0 * days).tree_.root.equation) == "5 + 2 * (days of day)"
    rules = est.tree_.to_rules()
    np.testing.assert_array_equal(rules.parse(rules.to_text(full=True)).predict(frame), est.predict(frame))


def test_equations_name_a_few_of_many_levels() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": [f"t{k}" for k in rng.permutation(np.repeat(np.arange(30), 4))]})
    y = frame["town"].str[1:].astype(float) ** 2
    equation = tw.M5Regressor(smoothing="none", min_deviation=0.5).fit(frame, y).tree_.root.equation
    assert equation is not None
    longest = max(equation.terms, key=lambda term: len(term.levels or ()))
    assert len(longest.levels or ()) > 8
    assert f"or {len(longest.levels or ()) - 7} more)" in equation.text(brief=True)
    assert all(str(level) in text for level in longest.levels or () for text in (equation.text(), equation.full_text()))


def test_an_explanation_writes_the_whole_equation() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 6)), columns=[f"a column with a long name {k}" for k in range(6)])
    est = tw.M5Regressor().fit(X, X.to_numpy() @ np.arange(1.0, 7.0) + (X.iloc[:, 0] > 0) * 3 * X.iloc[:, 1])
    row = X.iloc[[0]]
    assert str(est.tree_.node(int(est.apply(row)[0])).equation) in str(est.explain(row))


def test_shares_of_scores_are_not_called_shares_of_rows() -> None:
    iris = tw.datasets.load_iris()
    est = tw.LogisticTreeClassifier().fit(iris.X, iris.y)
    rows = est.tree_.node(int(est.apply(iris.X.iloc[[0]])[0])).weight
    assert f"by these scores; {rows:g} rows)" in str(est.explain(iris.X.iloc[[0]]))


def test_jumps_are_of_numbers_only() -> None:
    X, y = noisy_sine()
    X["b"] = np.arange(len(y)) % 2 == 0
    assert tw.M5Regressor().fit(X, y + 9 * X["b"]).jumps(X).column == "x"
    assert tw.M5Regressor(min_deviation=0.4).fit(X[["b"]], 9.0 * X["b"]).jumps(X[["b"]]).before == 0


def test_weights_whose_squares_overflow_are_refused() -> None:
    X, y = noisy_sine()
    with pytest.raises(ValueError, match="divide the weights by"):
        tw.M5Regressor().fit(X, y, sample_weight=np.full(len(y), 1e300))


def test_smooths_are_of_one_column_and_one_number() -> None:
    pytest.importorskip("matplotlib").use("agg")
    X, y = noisy_sine()
    X.insert(0, "a", 1.0)
    trees = [tw.CARTRegressor(min_impurity=theta).fit(X, y) for theta in (99, 0.5)]
    assert tw.plot_smooth(trees).get_xlabel() == "x"  # the first tests nothing
    with pytest.raises(ValueError, match="fitted to different columns"):
        tw.plot_smooth([trees[1], tw.CARTRegressor(max_depth=1).fit(X[["x"]], y)])
    with pytest.raises(ValueError, match="these say several"):
        tw.plot_smooth(tw.CARTRegressor(max_depth=1).fit(X, np.c_[y, y]))
    with pytest.raises(ValueError, match="there is no tree to draw"):
        tw.plot_smooth({})


@pytest.mark.parametrize(
    ("coverage", "ends"), [(0.9, (1, 19)), (0.8, (2, 18)), (0.7, (3, 17)), (0.5, (5, 15)), (1.0, (1, 20)), (0.0, (10, 10))]
)
def test_the_ends_of_an_interval(coverage: float, ends: tuple[float, float]) -> None:
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.concatenate([np.random.default_rng(0).permutation(np.arange(1.0, 21)), np.full(20, 100.0)])
    est = tw.CARTRegressor(max_depth=1, keep_targets=True).fit(X, y)
    assert est.predict_interval([[0.0], [1.0]], coverage).tolist() == [list(ends), [100, 100]]
    # One target weighs as much as the others of its leaf together.
    weight = np.where(y == 3, 19.0, 1.0)
    heavy = tw.CARTRegressor(max_depth=1, keep_targets=True).fit(X, y, sample_weight=weight)
    repeated = np.sort(np.repeat(y, weight.astype(int))[: int(weight[:20].sum())])
    rest = (1 - coverage) / 2
    lower = repeated[max(int(np.ceil(len(repeated) * rest - 1e-9)), 1) - 1]
    upper = repeated[max(int(np.ceil(len(repeated) * (1 - rest) - 1e-9)), 1) - 1]
    assert heavy.predict_interval([[0.0]], coverage).tolist() == [[lower, upper]]


@pytest.mark.parametrize("coverage", [-0.1, 1.5, "a", None, float("nan")])
def test_what_is_no_coverage_is_refused_by_name(coverage: Any) -> None:
    X, y = noisy_sine(20)
    with pytest.raises((ValueError, TypeError), match="coverage"):
        tw.CARTRegressor(keep_targets=True).fit(X, y).predict_interval(X, coverage)


def test_rows_off_by_the_bound_are_inside_and_by_a_little_more_are_not() -> None:
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    inside = tw.CARTRegressor(criterion="worst_case", min_impurity=0.3).fit(X, [0.2, 0.8, 5.0, 5.0])  # 0.8 - 0.5 is rounded up
    assert 0.8 - inside.predict([[0.0]])[0] > 0.3
    assert inside.beyond_bound_ == 0
    with pytest.warns(UserWarning, match=r"2 training rows are off by more than min_impurity=0.3, by up to 0.3"):
        beyond = tw.CARTRegressor(criterion="worst_case", min_impurity=0.3).fit(X, [0.2, 0.8 + 1e-10, 5.0, 5.0])
    assert beyond.beyond_bound_ == 2


def test_blended_answers_beyond_the_range_of_numbers_are_its_ends() -> None:
    x = np.random.default_rng(0).uniform(-2, 2, (300, 2))
    est = tw.M5Regressor(smoothing="blend", band=0.5).fit(x, np.where(x[:, 0] > 0, 9 * x[:, 1], -9 * x[:, 1]))
    said = est.predict(np.column_stack([np.linspace(-2, 2, 50), np.full(50, 1e308)]))
    assert np.all(np.isfinite(said))
    assert said[0] == -np.finfo(float).max and said[-1] == np.finfo(float).max


@pytest.mark.parametrize("learner", [tw.M5Regressor, lambda: tw.M5Regressor(smoothing="none"), tw.M5RulesRegressor])
def test_equations_never_say_what_is_no_number(learner: Any) -> None:
    x = np.random.default_rng(1).normal(size=(300, 3))
    est = learner().fit(x, 9 * x[:, 0] + 5 * x[:, 1] - 3 * x[:, 2])
    large, end = 1.7e308, np.finfo(float).max
    # Sums of 9, 5 and -3 times the cells: beyond the range, or back inside it where terms cancel.
    rows = [[large, 0, 0], [-large, 0, 0], [large, large, large]]
    rows += [[large, -large, large], [1e308, -1.79e308, 1e306], [1e307, 0, 3e307]]
    said = est.predict(np.array(rows))
    assert said[:5].tolist() == [end, -end, end, pytest.approx(large), pytest.approx(2e306)]
    assert abs(said[5]) < 1e300
    for row, one in zip(rows, said, strict=True):
        assert est.explain([row]).says == one


def test_the_spread_around_an_equation_is_not_that_of_the_target() -> None:
    x = np.arange(40.0) / 3
    X, y = pd.DataFrame({"x": x}), np.where(x < 6.5, x, (100 - 6 * x) / 3)
    est = tw.M5Regressor(smoothing="none").fit(X, y)
    rules = est.tree_.to_rules()
    # What rounding leaves of a fit is nothing.
    assert [rule.spread for rule in rules] == [0.0, 0.0] == [rule.spread for rule in rules.scored(X, y)]
    said = [est.tree_.to_text(), rules.to_text(), rules.to_markdown(), est.explain(X[:1]).to_text()]
    assert all("± 0" in text for text in said)
    assert est.tree_.leaves()[0].spread == pytest.approx(np.std(x[:20]))


@pytest.mark.parametrize("smoothing", ["m5", "blend", "none"])
def test_the_deviation_of_a_leaf_is_that_from_its_equation(smoothing: str) -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200), "c": rng.choice(list("uvw"), 200)})
    y = np.where(X["a"] > 0, 2 * X["b"], 5 - X["a"] ** 2) + 3 * (X["c"] == "v") + 0.3 * rng.normal(size=200)
    X.loc[rng.random(200) < 0.1, "a"] = np.nan
    X.loc[rng.random(200) < 0.1, "c"] = None
    weight = rng.integers(0, 4, 200) / 2
    est = tw.M5Regressor(smoothing=smoothing).fit(X, y, sample_weight=weight)
    rules, leaf = est.tree_.to_rules(), est.apply(X)
    said = rules.predict(X)  # by single equations, however they are mixed
    for node in est.tree_.leaves():
        off, own = (y - said)[leaf == node.id], weight[leaf == node.id]
        assert node.deviation == pytest.approx(np.sqrt(np.sum(own * off**2) / own.sum()), rel=1e-9)
        assert node.spread is not None and node.deviation < node.spread
        assert f" ± {float(f'{node.deviation:.2g}'):g}  " in repr(node)
    np.testing.assert_allclose([rule.spread for rule in rules], [r.spread for r in rules.scored(X, y, sample_weight=weight)])
    assert est.tree_.root.deviation is None
    for i in range(40):
        found = est.explain(X.iloc[[i]])
        assert found.spread == (est.tree_.node(int(leaf[i])).deviation if found.says == said[i] else None)


def test_a_model_tree_of_a_file_without_deviations_says_none(tmp_path: Any) -> None:
    X, y = noisy_sine()
    est = tw.M5Regressor(smoothing="none").fit(X, y)
    kept = est.tree_.leaf_model
    assert isinstance(kept, Equations)
    held = (est.tree_._core, est.tree_.schema, est.tree_.target)
    old = tw.Tree(*held, Equations(*held, kept._models, kept.smoothing))
    old.save(tmp_path / "old.json")
    again = tw.load(tmp_path / "old.json")
    assert again == old != est.tree_
    assert np.array_equal(again.predict(X), est.predict(X))
    assert {leaf.deviation is None for leaf in again.leaves() if leaf.equation.terms} == {True}
    assert {leaf.deviation is None for leaf in est.tree_.leaves()} == {False}
    line = next(rule for rule in again.to_rules() if not isinstance(rule.says, float))
    assert "±" not in repr(again.node(line.leaf)) + str(line)


@pytest.mark.parametrize("wrong", [[], [1.0], "all", [None], -1.0, float("inf")])
def test_deviations_that_are_none_are_refused(wrong: Any) -> None:
    from treewright.store.damage import Damage
    from treewright.store.trees import pack, unpack

    X, y = noisy_sine()
    tree = tw.M5Regressor().fit(X, y).tree_
    assert isinstance(tree.leaf_model, Equations)
    section = pack(tree)
    assert unpack(section).leaf_model == tree.leaf_model
    section["models"]["deviation"] = np.full(tree.n_nodes, wrong) if isinstance(wrong, float) else wrong
    with pytest.raises(Damage, match="deviation"):
        unpack(section)
    assert tree.validate() is tree
    if isinstance(wrong, float):
        held = (tree._core, tree.schema, tree.target)
        bad = Equations(*held, tree.leaf_model._models, tree.leaf_model.smoothing, np.full(tree.n_nodes, wrong))
        with pytest.raises(ValueError, match="the tree is damaged: deviation: not finite numbers from 0 up"):
            tw.Tree(*held, bad).validate()
    shares = tw.LogisticTreeClassifier().fit(X, y > 0).tree_
    section = pack(shares)
    section["models"]["deviation"] = np.zeros(shares.n_nodes)
    with pytest.raises(Damage, match="deviation: of classes"):
        unpack(section)


@pytest.mark.parametrize("smoothing", ["m5", "blend"])
def test_the_spread_around_a_smoothed_constant_is_from_what_is_said(smoothing: str) -> None:
    X, y = noisy_sine()
    est = tw.M5Regressor(leaf="constant", smoothing=smoothing).fit(X, y)
    rules = est.tree_.to_rules()
    np.testing.assert_allclose([rule.spread for rule in rules], [rule.spread for rule in rules.scored(X, y)])
    by_leaf = {rule.leaf: rule for rule in rules}
    explained = [(by_leaf[leaf], est.explain(X[i : i + 1])) for i, leaf in enumerate(est.apply(X)[:60])]
    for rule, found in explained:
        assert found.spread == (rule.spread if found.says == rule.says else None)
    assert {found.spread is None for _, found in explained} == ({False} if smoothing == "m5" else {False, True})


def test_without_a_bound_no_row_is_beyond_it() -> None:
    X, y = noisy_sine()
    est = tw.CARTRegressor(criterion="worst_case", max_depth=3).fit(X, y)
    assert est.beyond_bound_ == est.prune("limits", max_depth=1).beyond_bound_ == 0


def test_keep_targets_is_checked() -> None:
    X, y = noisy_sine(20)
    with pytest.raises(ValueError, match="keep_targets='a' is not allowed"):
        tw.CARTRegressor(keep_targets="a").fit(X, y)


@pytest.mark.parametrize("learner", [tw.M5Regressor, tw.M5RulesRegressor, tw.REPTreeRegressor])
def test_several_targets_where_one_is_learned_name_who_takes_them(learner: Any) -> None:
    X, y = noisy_sine(20)
    with pytest.raises(ValueError, match="CARTRegressor and TreeRegressor predict several"):
        learner().fit(X, np.column_stack([y, -y]))


def test_quantiles_of_several_numbers_are_refused_with_a_remedy_that_works() -> None:
    X, y = noisy_sine(20)
    with pytest.raises(ValueError, match="fit an estimator for each"):
        tw.CARTRegressor().fit(X, np.column_stack([y, -y])).predict_interval(X)


def test_a_blended_tree_that_says_what_no_target_is_warns() -> None:
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (300, 2))
    X[:, 1] = np.where(X[:, 0] < 0, X[:, 1] / 100, X[:, 1] * 10)  # narrow on one side, where the target is steep
    y = np.where(X[:, 0] < 0, 300 * X[:, 1], 20 - X[:, 1])
    with pytest.warns(
        tw.TreewrightWarning, match=r"rows are told numbers far beyond the targets, such as .* use a smaller band"
    ) as told:
        est = tw.M5Regressor(smoothing="blend", band=0.5).fit(X, y)
    said, half = est.predict(X), np.ptp(y) / 2
    beyond = np.count_nonzero((said > y.max() + half) | (said < y.min() - half))
    assert str(told[0].message).startswith(f"{beyond} training rows")
    worst = said[np.argmax(np.maximum(said - y.max(), y.min() - said))]
    assert f"such as {worst:.6g} where y reaches from {y.min():.6g} to {y.max():.6g}" in str(told[0].message)
    for how in ({"smoothing": "blend", "band": 1e-3}, {"smoothing": "m5"}):
        tw.M5Regressor(**how).fit(X, y)


def test_jumps_ask_rows_with_missing_cells_and_heed_nothing_but_thresholds() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=300), "c": rng.choice(list("uv"), 300), "z": rng.normal(size=300)})
    y = np.where(X["a"] > 0, 3 * X["z"], 5.0) + np.where(X["c"] == "u", 40.0, 0.0) + 0.1 * rng.normal(size=300)
    weight = rng.integers(1, 4, 300)
    est = tw.M5Regressor(smoothing="none").fit(X, y, sample_weight=weight)
    again = np.repeat(np.arange(300), weight)
    assert est.jumps(X) == est.jumps(X.iloc[again])  # how often a row stands there does not matter
    assert {node.split.column for node in est.tree_.nodes() if node.split} == {"a", "c"}
    found = est.jumps(X)
    assert found.column == "a" and found.before < 20  # levels are 40 apart
    gone = X.assign(a=np.nan)
    assert est.jumps(gone).before > 0
