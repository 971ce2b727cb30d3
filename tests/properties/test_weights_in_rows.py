"""Weights that are not whole numbers count by their mean: whatever they sum to, a table counts as many rows as it has."""

from __future__ import annotations

import warnings
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import cross_val_score

import treewright as tw
from treewright.learn import LEARNERS
from treewright.model.weighing import in_given_unit, in_rows
from treewright.table.weights import read_weights, row_weight

from .tables import POLICIES, Case, cases, estimators, modest

IRIS = load_iris(return_X_y=True, as_frame=True)
DIABETES = load_diabetes(return_X_y=True, as_frame=True)
NAMES = sorted(LEARNERS)
CLASSIFIERS = [name for name in NAMES if name.endswith("Classifier")]


def data_of(name: str) -> tuple[Any, Any]:
    return DIABETES if name.endswith("Regressor") else IRIS


def fitted(kind: Any, X: Any, y: Any, weights: Any) -> Any:
    """A fit whose warnings are errors: there is nothing to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return kind.fit(X, y, weights)


def parts_of(est: Any) -> tuple[Any, list[Any]]:
    """The structure of a model, and all weights in it."""
    if hasattr(est, "tree_"):
        state = {name: np.asarray(column).tolist() for name, column in est.tree_.state().items()}
        weights = [state.pop(name) for name in ("weight", "class_weight", "surrogate_sent")]
        return state, [*chain(*weights)]
    if hasattr(est, "forest_"):
        each = [parts_of(member) for member in est.estimators_]
        return [structure for structure, _ in each], [*chain(*(weights for _, weights in each))]
    rules = [*est.ruleset_.rules, est.ruleset_.otherwise]
    counts = chain(*(rule.counts or () for rule in rules))
    return [str(rule.unscored()) for rule in rules], [*(rule.weight for rule in rules), *counts]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("factor", [0.5, 2**-20])
def test_a_power_of_two_changes_the_weights_alone(name: str, factor: float) -> None:
    X, y = data_of(name)
    weights = np.random.default_rng(1).random(len(y)) + 0.01
    whole, less = (fitted(getattr(tw, name)(), X, y, w) for w in (weights, weights * factor))
    structure, weighs = parts_of(whole)
    other, weighs_less = parts_of(less)
    assert structure == other
    if not getattr(whole, "resample", False):  # drawn rows count as often as they are drawn
        assert [factor * weight for weight in weighs] == weighs_less
    asked = "transform" if hasattr(whole, "transform") else "predict"
    assert np.array_equal(getattr(whole, asked)(X), getattr(less, asked)(X))


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(getattr(tw, name), "predict")])
def test_any_factor_gives_the_same_answers(name: str) -> None:
    X, y = data_of(name)
    weights = np.random.default_rng(2).random(len(y)) + 0.01
    whole, less = (fitted(getattr(tw, name)(), X, y, w) for w in (weights, weights / weights.sum()))
    answers = [est.predict_proba(X) if hasattr(est, "predict_proba") else est.predict(X) for est in (whole, less)]
    np.testing.assert_allclose(*answers, rtol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_equal_fractions_are_no_weights(name: str) -> None:
    X, y = data_of(name)
    none = fitted(getattr(tw, name)(), X, y, None)
    equal = fitted(getattr(tw, name)(), X, y, np.full(len(y), 1 / len(y)))
    if hasattr(none, "forest_"):  # how often a row is drawn times its weight is rounded, and impurities with it
        assert none.forest_.sizes == equal.forest_.sizes
        assert np.array_equal(none.predict(X), equal.predict(X))
        return
    structure, weighs = parts_of(none)
    other, weighs_less = parts_of(equal)
    assert structure == other
    np.testing.assert_allclose(np.array(weighs) / len(y), weighs_less, rtol=1e-12)


@modest(60)
@given(case=cases(), est=estimators(POLICIES), seed=st.integers(0, 1000))
def test_a_half_of_fractional_weights_grows_the_same_tree(case: Case, est: Any, seed: int) -> None:
    weights = np.random.default_rng(seed).random(len(case.X)) + 0.01
    est.set_params(min_samples_leaf=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.TreewrightWarning)
        trees = [est.fit(case.X, case.target(est), w).tree_ for w in (weights, weights / 2)]
    whole, half = (tree.state() for tree in trees)
    for name in whole:
        times = 2 if name in ("weight", "class_weight", "surrogate_sent") else 1
        assert np.array_equal(whole[name], times * np.asarray(half[name]), equal_nan=np.asarray(whole[name]).dtype.kind == "f")


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "MemorisingTreeClassifier"])  # which guesses new rows
def test_boosting_learns(name: str) -> None:
    """AdaBoost's weights sum to 1."""
    boosted = AdaBoostClassifier(getattr(tw, name)(), n_estimators=5)
    assert cross_val_score(boosted, *IRIS).mean() > 0.9


def test_weights_in_nodes_stay_in_the_users_unit() -> None:
    X, y = IRIS
    weights = np.random.default_rng(3).random(len(y)) * 1e-3
    tree = fitted(tw.C45Classifier(), X, y, weights).tree_
    assert tree.root.weight == pytest.approx(weights.sum())
    assert tree.root.value == pytest.approx({k: weights[y == k].sum() for k in (0, 1, 2)})
    rules = fitted(tw.RipperClassifier(), X, y, weights).ruleset_
    assert sum(rule.weight for rule in [*rules.rules, rules.otherwise]) == pytest.approx(weights.sum())


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("error_based", {}),
        ("pessimistic", {}),
        ("description_length", {}),
        ("minimum_error", {"m": 3}),
        ("limits", {"min_samples": 20}),
    ],
)
def test_pruning_counts_rows(method: str, options: dict[str, Any], tmp_path: Any) -> None:
    """A tree is cut where it would be had its weights been given with a mean of 1, after a file as well."""
    X, y = IRIS
    rng = np.random.default_rng(4)
    y = np.where(rng.random(len(y)) < 0.2, rng.integers(0, 3, len(y)), y)  # noise to prune
    weights = rng.random(len(y)) + 0.1
    weights /= weights.mean()
    rows = {"X": X, "y": y} if method == "error_based" else {}
    left = []
    for factor in (1.0, 1e-3):
        est = tw.CARTClassifier().fit(X, y, weights * factor)
        est.save(tmp_path / "tree.json")
        est = tw.load(tmp_path / "tree.json")
        weighed = {**rows, "sample_weight": weights * factor} if rows else {}
        pruned = est.prune(method, **weighed, **options).tree_
        assert pruned.root.weight == pytest.approx(weights.sum() * factor)
        left.append(pruned.n_leaves)
    assert 1 < left[0] < tw.CARTClassifier().fit(X, y, weights).tree_.n_leaves
    assert left[0] == left[1]


def test_the_standard_error_of_a_path_counts_rows() -> None:
    X, y = IRIS
    weights = np.random.default_rng(5).random(len(y)) + 0.1
    weights /= weights.mean()
    curves = []
    for factor in (1.0, 1 / len(y)):
        est = tw.CARTClassifier().fit(X, y, weights * factor)
        path = est.pruning_path(X, y, sample_weight=weights * factor, folds=5)
        judged = est.pruning_path(validation=(X, y, weights * factor))
        curves.append((path.cv.se, judged.validation.se))
    for one, other in zip(*curves, strict=True):
        assert np.all(one[1:] > 0)
        np.testing.assert_allclose(one, other, rtol=1e-7)


def test_smoothing_counts_rows() -> None:
    X, y = DIABETES
    weights = np.random.default_rng(6).random(len(y)) + 0.1
    est = tw.M5Regressor(pruned=False)
    a, b = (est.fit(X, y, w).predict(X) for w in (weights / weights.mean(), weights / weights.sum()))
    np.testing.assert_allclose(a, b, rtol=1e-7)
    assert not np.allclose(a, tw.M5Regressor(pruned=False, smoothing_constant=1.0).fit(X, y, weights / weights.mean()).predict(X))


def test_estimated_errors_are_in_the_users_unit() -> None:
    X, y = IRIS
    weights = np.random.default_rng(7).random(len(y)) + 0.1
    weights /= weights.mean()
    one, small = (tw.C45Classifier().fit(X, y, w).estimated_errors_ for w in (weights, weights / 1000))
    assert small == pytest.approx(one / 1000)


@pytest.mark.parametrize(
    ("weights", "each"),
    [([2, 4, 6], 1.0), ([0.5, 1.5], 1.0), ([0.25, 0.75, 0.0], 0.5), ([0, 0, 3], 1.0), ([1e-300, 3e-300], 2e-300)],
)
def test_what_one_row_weighs(weights: list[float], each: float) -> None:
    assert row_weight(np.array(weights, float)) == pytest.approx(each, rel=1e-15)


def test_one_weight_is_that_of_every_row() -> None:
    read = read_weights(0.25, 3)
    assert read.counted is not None and (read.each, read.keep, read.counted.tolist()) == (0.25, None, [1.0, 1.0, 1.0])
    assert read_weights(1, 3).given is None
    for wrong, message in (
        ([[1.0], [2.0], [3.0]], "must be 1D array or scalar, got 2D"),
        ([1.0, 2.0], "2 entries, X has 3 rows"),
    ):
        with pytest.raises(ValueError, match=message):
            read_weights(wrong, 3)


def test_class_weights_do_not_decide() -> None:
    """Whole weights are copies, whatever the classes count."""
    X, y = IRIS
    read = read_weights(np.full(len(y), 2.0), len(y))
    assert read.each == 1 and read.counted is read.given
    plain = tw.CARTClassifier(min_samples_leaf=9, class_weight={0: 0.3, 1: 0.3, 2: 0.4})
    repeated = plain.fit(np.repeat(X.to_numpy(), 2, axis=0), np.repeat(y, 2)).tree_
    assert plain.fit(X.to_numpy(), y, np.full(len(y), 2)).tree_.n_leaves == repeated.n_leaves


@pytest.mark.parametrize("each", [1 / 3, 0.7, 1e-9, 12345.678, 1936.7809096002716])
def test_there_and_back_again_every_weight_is_the_same(each: float) -> None:
    X, y = IRIS
    for weights in (np.random.default_rng(8).random(len(y)) * each, np.full(len(y), each)):
        tree = tw.CARTClassifier().fit(X, y, weights).tree_
        assert tree.target.row_weight == row_weight(weights)
        again = in_given_unit(in_rows(tree._core, tree.target), tree.target)
        for name in ("weight", "class_weight"):
            assert np.array_equal(tree.state()[name], again.state()[name])


@pytest.mark.parametrize(
    "costs", [{}, {"priors": [0.3, 0.7]}, {"class_weight": {0: 3.0, 1: 1.0}}, {"loss": [[0, 2], [1, 0]]}], ids=str
)
def test_the_complexity_table_counts_rows(costs: dict[str, Any]) -> None:
    rng = np.random.default_rng(9)
    X = rng.normal(size=(150, 3))
    y = ((X[:, 0] + rng.normal(size=150)) > 0).astype(int)
    folds = np.arange(150) % 10
    weights = rng.random(150) + 0.1
    for some in ((None, np.full(150, 1 / 3)), (weights, weights / 3)):
        tables = []
        for given_weights in some:
            est = tw.CARTClassifier(recipe="rpart", **costs).fit(X, y, given_weights)
            tables.append(est.cp_table(X, y, sample_weight=given_weights, folds=folds))
        np.testing.assert_allclose(*(np.array([tuple(row) for row in table]) for table in tables), rtol=1e-7)


def test_a_file_with_a_unit_that_no_fit_makes_is_refused(tmp_path: Any) -> None:
    X, y = IRIS
    tw.CARTClassifier(max_depth=1).fit(X, y, np.full(len(y), 0.25)).save(tmp_path / "tree.json")
    text = (tmp_path / "tree.json").read_text()
    assert '"row_weight": 0.25' in text
    for odd in ("1" + "0" * 400, "5e-324", "1e308", "0", "-1", "true", '"x"'):
        (tmp_path / "odd.json").write_text(text.replace('"row_weight": 0.25', f'"row_weight": {odd}'))
        with pytest.raises(tw.ModelFormatError, match="row_weight"):
            tw.load(tmp_path / "odd.json", edited=True)
