"""How far a tree is from the best one: of every learner, under weights and losses, and never more than is proven."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.oracle.test_optimal_search import random_table

# All that need no members, and of the slow ones a few.
_SLOW = ("Stacking", "Voting", "CoTraining", "Committee", "RandomForest", "ExtraTrees", "AdaBoost")
LEARNERS = [name for name in dir(tw) if name.endswith(("Classifier", "Regressor")) and not name.startswith(_SLOW)]
REFUSED = ("Bagging", "C45Rules", "Irep", "Logistic", "M5", "Part", "Ripper", "TreeNeighbors")


def test_gap_of_a_greedy_tree() -> None:
    iris = tw.datasets.load_iris()
    cart = tw.CARTClassifier(max_depth=3).fit(iris.X, iris.y)
    gap = tw.optimality_gap(cart, iris.X, iris.y, time_limit=None)
    assert (gap.loss, gap.depth_bound, gap.best_loss, gap.depth_proven) == (4, 1, 1, True)
    assert gap.size_bound <= gap.smaller_loss <= gap.loss and gap.smaller.n_leaves <= cart.tree_.n_leaves
    assert gap.share == pytest.approx((gap.loss - gap.size_bound) / gap.loss)
    assert tw.optimality_gap(cart.tree_, iris.X, iris.y, time_limit=None).to_text() == gap.to_text()
    best = tw.OptimalTreeClassifier(max_depth=3).fit(iris.X, iris.y)
    own = tw.optimality_gap(best, iris.X, iris.y, time_limit=None)
    assert own.loss == own.depth_bound == 1 and "as this one" in own.to_text()
    ended = tw.optimality_gap(cart, iris.X, iris.y, time_limit=None, max_steps=3)
    assert ended.depth_bound <= 1 and not ended.depth_proven and "between" in ended.to_text()


def test_gap_counts_weights_losses_and_numbers() -> None:
    X, y = random_table(1, 150)
    weights = np.random.default_rng(0).integers(1, 4, 150).astype(float)
    loss = np.array([[0, 1], [4, 0]])
    cart = tw.CARTClassifier(criterion="risk", max_depth=2, loss=loss).fit(X, y, sample_weight=weights)
    said = cart.predict(X)
    gap = tw.optimality_gap(cart, X, y, weights, time_limit=None)
    assert gap.loss == pytest.approx(float(np.sum(weights * loss[y, said])))
    best = tw.OptimalTreeClassifier(max_depth=2, loss=loss).fit(X, y, sample_weight=weights)
    assert gap.depth_bound == pytest.approx(best.objective_)
    target = X[:, 0] * 3 + y
    tree = tw.CARTRegressor(max_depth=2).fit(X, target)
    numbers = tw.optimality_gap(tree, X, target, time_limit=None)
    assert numbers.loss == pytest.approx(float(np.sum((tree.predict(X) - target) ** 2)))
    assert numbers.depth_bound == pytest.approx(tw.OptimalTreeRegressor(max_depth=2).fit(X, target).objective_)
    with pytest.raises(TypeError, match="single tree"):
        tw.optimality_gap(tw.RipperClassifier().fit(X, y), X, y)


@pytest.mark.parametrize("share", [0.5, 0.3, 3.0])
def test_the_gap_is_in_the_weights_that_were_given(share: float) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 2, 120)
    weights = share * np.ones(120)
    weights[::3] *= 1.7
    tree = tw.CARTClassifier(max_depth=2).fit(X, y, weights)
    gap = tw.optimality_gap(tree, X, y, weights, time_limit=None)
    best = tw.OptimalTreeClassifier(max_depth=2).fit(X, y, weights)
    assert gap.loss == pytest.approx(weights[tree.predict(X) != y].sum(), rel=1e-9)
    assert gap.best_loss == pytest.approx(best.objective_, rel=1e-9)


def test_gap_of_every_learner_of_single_trees() -> None:
    """A gap in its order, of the loss of ``predict``, or a refusal by name."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(90), "b": rng.random(90).round(1), "c": pd.Categorical(rng.choice(list("xyz"), 90))})
    y = np.where((X.a > 0.5) ^ (X.b > 0.4), "p", "q")
    y[rng.random(90) < 0.1] = "r"
    X.loc[rng.random(90) < 0.1, "b"] = np.nan
    for name in LEARNERS:
        estimator, numbers = getattr(tw, name)(), name.endswith("Regressor")
        target = X.a * 3 + (X.c == "x") if numbers else y
        if name in ("ID3Classifier", "BacktrackingTreeClassifier", "MemorisingTreeClassifier"):
            rows = X[["a", "c"]]
        else:
            rows = X
        estimator.fit(rows, target)
        if name.startswith(REFUSED):
            with pytest.raises((TypeError, ValueError), match=name):
                tw.optimality_gap(estimator, rows, target, time_limit=None, max_steps=300)
            continue
        gap = tw.optimality_gap(estimator, rows, target, time_limit=None, max_steps=300)
        said = estimator.predict(rows)
        own = float(np.sum((said - target) ** 2)) if numbers else float(np.sum(said != target))
        assert gap.loss == pytest.approx(own)
        assert gap.depth_bound <= gap.size_bound <= gap.smaller_loss <= gap.loss and gap.depth_bound <= gap.best_loss
        assert gap.best_loss <= gap.smaller_loss and gap.smaller.n_leaves - 1 <= gap.n_splits


def test_gap_on_rows_that_lack_a_class() -> None:
    """Class factors and losses are those of the tree, whatever rows it is judged on."""
    X, y = random_table(5, 200, 3, 3)
    loss = np.array([[0, 1, 5], [2, 0, 1], [1, 3, 0]])
    tree = tw.CARTClassifier(criterion="risk", max_depth=2, loss=loss, class_weight={0: 1, 1: 3, 2: 2}).fit(X, y)
    factors = np.array(tree.tree_.target.factors)
    few = y != 1
    gap = tw.optimality_gap(tree, X[few], y[few], time_limit=None)
    said = tree.predict(X[few])
    assert gap.loss == pytest.approx(float(np.sum(factors[y[few]] * loss[y[few], said])))
    best = gap.best.predict(X[few])
    assert gap.best_loss == pytest.approx(float(np.sum(factors[y[few]] * loss[y[few], best])))
    assert gap.depth_proven and gap.best_loss == pytest.approx(gap.depth_bound)


def test_gap_of_trees_with_other_tests() -> None:
    """An oblique tree may lose less than any tree of the tests that are searched: nothing is called proven then."""
    rng = np.random.default_rng(1)
    X = rng.random((200, 2))
    y = (X.sum(axis=1) > 1).astype(int)
    tree = tw.ObliqueTreeClassifier(max_depth=1).fit(X, y)
    gap = tw.optimality_gap(tree, X, y, time_limit=None)
    assert gap.loss < 5 and gap.size_bound == gap.smaller_loss == gap.loss and not gap.size_proven
    assert gap.smaller is tree.tree_ and "of another kind" in gap.to_text()
