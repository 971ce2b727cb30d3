"""REPTree: what it holds out depends on rows and not on their places, and both engines know its least branch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import make_case, modest
from treewright.learn import settings as settings_module

LEARNERS = [tw.REPTreeClassifier, tw.REPTreeRegressor]


@given(seed=st.integers(0, 10_000), which=st.integers(0, 1))
@modest(25)
def test_weight_2_is_the_row_twice_and_order_is_nothing(seed: int, which: int) -> None:
    case = make_case(seed, n=90, holes=False)
    y = case.target(LEARNERS[which]())
    weighted = LEARNERS[which]().fit(case.X, y, sample_weight=case.weights).tree_
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(90), case.weights))
    repeated = LEARNERS[which]().fit(case.X.iloc[rows], y[rows]).tree_
    assert [node.split for node in weighted.nodes()] == [node.split for node in repeated.nodes()]
    assert [node.weight for node in weighted.nodes()] == [node.weight for node in repeated.nodes()]


def test_every_node_tells_of_all_rows() -> None:
    case = make_case(5, n=120)
    for learner in LEARNERS:
        est = learner()
        y = case.target(est)
        tree = est.fit(case.X, y).tree_
        assert tree.root.weight == 120
        assert sum(leaf.weight for leaf in tree.leaves()) == pytest.approx(120)
        if learner is tw.REPTreeRegressor:
            assert tree.root.prediction == pytest.approx(y.mean())


def test_pruning_set_decides() -> None:
    """The tree is that of the growing rows, cut back by the held-out rows: with the same rows, by hand."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    part = np.arange(300) % 3
    est = tw.REPTreeClassifier(folds=part).fit(X, y)
    grown = tw.REPTreeClassifier(pruned=False).fit(X[part > 0], y[part > 0]).tree_
    by_hand = grown.prune("reduced_error", X[part == 0], y[part == 0])
    assert [node.split for node in est.tree_.nodes()] == [node.split for node in by_hand.nodes()]
    assert 1 < est.tree_.n_leaves < grown.n_leaves


@pytest.mark.parametrize("least", [1, 2, 5])
@pytest.mark.parametrize("learner", LEARNERS)
def test_both_engines_know_the_least_branch(learner: Any, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(least)
    X = np.column_stack([rng.integers(0, 200, 400), rng.integers(0, 5, 400), rng.normal(size=400)]).astype(float)
    y = (X[:, 0] % 7 + rng.integers(0, 3, 400) > 4).astype(int)
    trees = []
    for engine in ("plain", "sorted"):
        monkeypatch.setattr(settings_module, "ENGINE", engine)
        trees.append(learner(pruned=False, min_samples_leaf=least).fit(X, y).tree_)
    assert trees[0] == trees[1]
    for node in trees[0].nodes():
        if not node.is_leaf:
            assert node.weight >= 2 * least and all(child.weight >= least for child in node.children)


def test_the_least_fall_of_the_squared_error_is_absolute_where_the_target_is_not_small() -> None:
    """A split that saves 5e-7 of a squared error of 4 is none; in a small unit 1e-6 of the whole error is what counts."""
    x = np.repeat([0.0, 1.0], 200)
    y = np.tile([-0.1, 0.1], 200) + x * np.sqrt(5e-9)
    assert tw.REPTreeRegressor(pruned=False).fit(x.reshape(-1, 1), y).tree_.n_leaves == 1
    y = np.tile([-0.1, 0.1], 200) + x * np.sqrt(5e-8)
    assert tw.REPTreeRegressor(pruned=False).fit(x.reshape(-1, 1), y).tree_.n_leaves == 2
    assert tw.REPTreeRegressor(pruned=False).fit(x.reshape(-1, 1), y * 2.0**-30).tree_.n_leaves == 2


def test_cuts_are_placed_by_known_rows_and_columns_compared_with_the_others_spread() -> None:
    """Missing rows of one class would move the cut; they only take from what the column is worth."""
    classes = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    x = np.array([1.0, 2, 3, 4, 5, 6, 7] + [np.nan] * 4)

    def information(of: Any) -> float:
        return float(sum(-w * np.log2(w / sum(of)) for w in of if w > 0))

    def gain(below: Any, missing: int) -> float:
        """Of a cut above some known rows, four missing rows of the first class spread or not."""
        low, high = (np.bincount(classes[:7][side], minlength=2).astype(float) for side in (below, ~below))
        low[0], high[0] = low[0] + missing * below.mean(), high[0] + missing * (~below).mean()
        return (information(low + high) - information(low) - information(high)) / (7 + missing)

    known, spread = (np.array([gain(np.arange(7) < cut, missing) for cut in range(1, 7)]) for missing in (0, 4))
    assert known.argmax() == 2 and spread.argmax() == 4
    est = tw.REPTreeClassifier(pruned=False, keep_candidates=True).fit(x.reshape(-1, 1), classes)
    (found,) = est.tree_.root.candidates
    assert found.cut == 3.5 and found.gain == pytest.approx(spread[2])
    textbook = tw.TreeClassifier(criterion="info_gain", missing="spread", keep_candidates=True).fit(x.reshape(-1, 1), classes)
    assert textbook.tree_.root.candidates[0].cut == 5.5
    numbers = tw.REPTreeRegressor(pruned=False).fit(x.reshape(-1, 1), classes.astype(float)).tree_.root.split
    assert numbers is not None and numbers.cuts == (3.5,)


def test_too_few_rows_are_not_held_out() -> None:
    assert tw.REPTreeClassifier(min_samples_leaf=1).fit([[1.0], [2.0]], ["a", "b"]).tree_.n_leaves == 2
    with pytest.warns(tw.TreewrightWarning, match="a split needs 4"):
        assert tw.REPTreeRegressor().fit([[1.0]], [2.0]).predict([[5.0]]).tolist() == [2.0]
    with pytest.raises(ValueError, match="folds=1 is not allowed"):
        tw.REPTreeClassifier(folds=1, min_samples_leaf=1).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ValueError, match="min_variance=-1 is not allowed"):
        tw.REPTreeRegressor(min_variance=-1, min_samples_leaf=1).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("learner", [tw.REPTreeClassifier, tw.REPTreeRegressor, tw.LogisticTreeClassifier])
def test_where_levels_and_classes_were_declared_does_not_matter(learner: Any) -> None:
    rng = np.random.default_rng(8)
    town, n = rng.choice(["Bonn", "Jena", "Ulm", "Rom"], 240), rng.choice([3, 1, 2], 240)
    X = pd.DataFrame({"town": town, "n": n, "x": rng.normal(size=240)})
    y = np.where((X["town"] == "Ulm") ^ (X["x"] > 0.4), "b", np.where(X["n"] == 3, "a", "c"))
    y = np.where(rng.random(240) < 0.3, rng.choice(["a", "b", "c"], 240), y)
    X.loc[rng.random(240) < 0.05, "town"] = None
    numeric, logistic = learner is tw.REPTreeRegressor, learner is tw.LogisticTreeClassifier
    said, drawn = [], []
    for towns, ns, labels in (
        (["Bonn", "Jena", "Rom", "Ulm"], [1, 2, 3], "abc"),
        (["Ulm", "Aix", "Rom", "Jena", "Bonn"], [3, 2, 1], "cab"),
    ):
        typed = X.assign(town=pd.Categorical(X["town"], towns), n=pd.Categorical(X["n"], ns))
        target = pd.Series(y == "b").astype(float) + X["x"] / 9 if numeric else pd.Series(pd.Categorical(y, list(labels)))
        est = learner(random_state=3)
        drawing: Any = est._learner
        training = drawing.training(typed, target)
        drawn.append(drawing.dealt(training)[1] if logistic else drawing.dealt(training).fold)
        if logistic:  # of terms of levels that are as good as each other the first is taken
            typed = typed[["x"]]
        est.fit(typed, target)
        assert est.tree_.n_leaves > 1 or logistic
        said.append(est.predict(typed) if numeric else est.predict_proba(typed))
    assert np.array_equal(*drawn) and len(np.unique(drawn[0])) == (5 if logistic else 2)
    np.testing.assert_allclose(*said, rtol=1e-9, atol=1e-12)
