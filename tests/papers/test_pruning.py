"""Noise, over-fitting and pruning: rows 89 to 103."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.oracle.pruning import Naive
from treewright.prune.path import Curve, PruningPath

from .arithmetic import id3, nested, printed
from .test_emails import PRINTED_TREE


def noisy(n: int, seed: int, noise: float = 0.25, parity: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that a tree of three leaves (parity: four) tells apart, some labels wrong."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4))
    left, low = X[:, 0] > 0.4, X[:, 1] > 0.5
    y = (left ^ low if parity else left & low).astype(int)
    return X, np.where(rng.random(n) < noise, 1 - y, y)


def errors(tree: tw.Tree, X: Any, y: Any) -> int:
    return int(np.sum(tree.predict(X) != np.asarray(y)))


def test_row_89_one_of_a_hundred_is_noise() -> None:
    X = np.arange(100.0)[:, None]
    y = ["C1"] * 99 + ["C2"]
    tree = tw.TreeClassifier(criterion="entropy").fit(X, y).tree_
    assert tree.root.impurity == printed("0.080793")
    assert tree.n_leaves == 2
    forward = tw.TreeClassifier(criterion="entropy", min_impurity=0.1).fit(X, y).tree_
    assert (forward.n_leaves, forward.root.prediction, errors(forward, X, y)) == (1, "C1", 1)


def test_row_90_forward_and_post_pruning_can_agree() -> None:
    """What a limit would have stopped while the tree grew, it cuts afterwards."""
    X, y = noisy(300, 0)
    whole = tw.CARTClassifier().fit(X, y).tree_
    for before, after in [
        ({"max_depth": 3}, {"max_depth": 3}),
        ({"min_samples_split": 25}, {"min_samples": 25}),
        ({"min_gain": 0.02}, {"min_merit": 0.02}),
    ]:
        assert tw.CARTClassifier(**before).fit(X, y).tree_ == whole.prune("limits", **after)


@pytest.mark.parametrize(
    ("parameter", "strict"),
    [
        ("max_depth", [8, 4, 2, 0]),
        ("min_samples_split", [2, 10, 50, 300]),
        ("min_gain", [0.0, 0.02, 0.1, 1.0]),
        ("min_impurity", [0.0, 0.1, 0.4, 1.0]),
    ],
)
def test_row_91_three_criteria_stop_growth(parameter: str, strict: list[float]) -> None:
    """Depth, examples, and the splitting criterion: a gain must reach its threshold, an impurity exceed it."""
    X, y = noisy(300, 1)
    sizes = [tw.CARTClassifier(**{parameter: value}).fit(X, y).tree_.n_leaves for value in strict]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 5 * sizes[-1]


def test_row_92_subtrees_of_less_than_three_emails() -> None:
    """The node of m3 and m9 becomes a leaf, of which one is wrong whatever it says; here the first class says it."""
    emails = tw.datasets.load_emails()
    wanted = {("x2", "x3"): "x3", ("x2", "x4", "x5"): "x4"}
    tree = id3(emails.X, emails.y, ties=lambda tied, path: wanted[tuple(tied)])
    assert nested(tree.root) == PRINTED_TREE
    pruned = tree.prune("limits", min_samples=3)
    assert pruned.n_splits == 3
    assert nested(pruned.root)["x1"]["T"] == {"x3": {"T": "L", "F": "L"}}
    assert errors(pruned, emails.X, emails.y) == 1
    before = tw.ID3Classifier(min_samples_split=3, ties=lambda tied, path: wanted[tuple(tied)]).fit(emails.X, emails.y).tree_
    assert nested(before.root) == nested(pruned.root)


def test_row_93_no_split_below_five_per_cent() -> None:
    X, y = noisy(400, 2)
    tree = tw.CARTClassifier(min_samples_split=0.05).fit(X, y).tree_
    inner = [node for node in tree.nodes() if not node.is_leaf]
    assert all(node.weight >= 20 for node in inner)
    assert tree == tw.CARTClassifier(min_samples_split=20).fit(X, y).tree_
    assert tree == tw.CARTClassifier().fit(X, y).tree_.prune("limits", min_samples=20)


@pytest.mark.parametrize("seed", range(5))
def test_row_94_a_leaf_replaces_a_subtree_if_it_is_not_worse(seed: int) -> None:
    X, y = noisy(200, seed)
    A, b = noisy(100, 100 + seed)
    tree = tw.CARTClassifier().fit(X, y).tree_
    pruned = tree.prune("reduced_error", A, b)
    assert errors(pruned, A, b) <= errors(tree, A, b)
    naive = Naive(pruned)
    loss = naive.losses(A, b)
    # Ties prune: whatever is left is strictly worse as a leaf.
    for t in range(pruned.n_nodes):
        if naive.children[t]:
            assert loss[t] > sum(loss[s] for s in naive.below(t))


def test_row_95_the_pruning_set_is_not_the_validation_set() -> None:
    """Both can be given: one chooses, the other only judges, and what is chosen looks better to the one that chose it."""
    X, y = noisy(400, 3)
    pruning, validation = noisy(150, 4), noisy(150, 5)
    est = tw.CARTClassifier().fit(X, y)
    pruned = est.prune("cost_complexity", *pruning, validation=validation)
    path = pruned.pruning_path_
    assert path.pruning is not None and path.validation is not None and path.chosen is not None
    assert path.chosen == int(np.flatnonzero(path.pruning.error == path.pruning.error.min())[-1])
    assert path.validation.error[path.chosen] * 150 == pytest.approx(errors(pruned.tree_, *validation))
    gaps = []
    for seed in range(20):
        path = est.pruning_path(*noisy(150, 200 + seed), validation=validation)
        assert path.pruning is not None and path.validation is not None
        step = path.choose()
        gaps.append(float(path.validation.error[step] - path.pruning.error[step]))
    assert np.mean(gaps) > 0


def test_row_95_post_pruning_is_more_accurate_than_stopping_early() -> None:
    """Where a first split gains nothing by itself, stopping stops too early, and pruning afterwards does not."""
    X, y = noisy(600, 6, 0.1, parity=True)
    A, b = noisy(300, 7, 0.1, parity=True)
    test = noisy(2000, 8, 0.1, parity=True)
    stopped = tw.CARTClassifier(min_gain=0.02).fit(X, y).tree_
    pruned = tw.CARTClassifier().fit(X, y).tree_.prune("reduced_error", A, b)
    assert errors(pruned, *test) < errors(stopped, *test) / 2


def greedy_trap() -> tuple[tw.Tree, pd.DataFrame, list[str]]:
    """A tree whose root's end helps by 4 and those of its two children by 3 each."""
    rows = [("0", "0", "A")] * 5 + [("0", "1", "B")] * 2 + [("1", "0", "B")] * 5 + [("1", "1", "A")] * 2
    train = pd.DataFrame(rows, columns=["p", "q", "y"])
    tree = tw.ID3Classifier().fit(train[["p", "q"]], train["y"]).tree_
    assert nested(tree.root) == {"p": {"0": {"q": {"0": "A", "1": "B"}}, "1": {"q": {"0": "B", "1": "A"}}}}
    judge = pd.DataFrame([("0", "1", "A")] * 3 + [("1", "1", "B")] * 3 + [("1", "0", "A")], columns=["p", "q", "y"])
    return tree, judge[["p", "q"]], judge["y"].tolist()


def test_row_96_greedy_is_never_better_and_here_is_worse() -> None:
    tree, X, y = greedy_trap()
    assert errors(tree, X, y) == 7
    greedy = tree.prune("reduced_error", X, y, order="greedy")
    bottom_up = tree.prune("reduced_error", X, y)
    assert (greedy.n_leaves, errors(greedy, X, y)) == (1, 3)
    assert (bottom_up.n_leaves, errors(bottom_up, X, y)) == (2, 1)
    path = tree.pruning_path(X, y, method="reduced_error")
    assert path.pruning is not None
    assert (path.pruning.error * 7).round(9).tolist() == [7.0, 3.0]


@pytest.mark.parametrize("seed", range(12))
def test_row_96_bottom_up_is_the_best_pruned_subtree(seed: int) -> None:
    X, y = noisy(60, seed)
    A, b = noisy(40, 50 + seed)
    tree = tw.CARTClassifier(max_leaf_nodes=9).fit(X, y).tree_
    naive = Naive(tree)
    loss = naive.losses(A, b)
    best = min(sum(loss[t] for t in leaves) for leaves in naive.prunings())
    bottom_up = errors(tree.prune("reduced_error", A, b), A, b)
    greedy = errors(tree.prune("reduced_error", A, b, order="greedy"), A, b)
    assert bottom_up == best
    assert bottom_up <= greedy <= errors(tree, A, b)


def test_row_97_accuracy_along_reduced_error_pruning() -> None:
    """Data of the figure: training accuracy falls with every node removed, that on the pruning set rises."""
    X, y = noisy(300, 9)
    path = tw.CARTClassifier().fit(X, y).tree_.pruning_path(*noisy(150, 10), method="reduced_error", validation=noisy(150, 11))
    table = path.as_dict()
    assert {"step", "n_leaves", "training_error", "pruning_error", "validation_error"} <= set(table)
    assert np.all(np.diff(table["n_leaves"]) < 0)
    assert np.all(np.diff(table["training_error"]) >= 0)
    assert np.all(np.diff(table["pruning_error"]) <= 1e-12)
    assert table["validation_error"][-1] < table["validation_error"][0]


def test_row_98_play_tennis_has_no_significant_split() -> None:
    """Outlook has p = 0.169766 and Humidity 0.094264: at 5 % the tree is a single leaf."""
    tennis = tw.datasets.load_play_tennis()

    def root(level: float) -> str | None:
        split = tw.ID3Classifier(significance=level).fit(tennis.X, tennis.y).tree_.root.split
        return None if split is None else split.column

    assert root(0.05) is None
    assert (root(0.09426), root(0.09427)) == (None, "humidity")
    assert (root(0.16976), root(0.16977)) == ("humidity", "outlook")


def test_row_99_three_ways_to_select() -> None:
    """By training rows, by other rows, by training rows with a price of size (two of them)."""
    X, y = noisy(400, 12)
    A, b = noisy(200, 13)
    test = noisy(3000, 14)
    tree = tw.CARTClassifier().fit(X, y).tree_
    by_training = tree.prune("cost_complexity", alpha=0.0)
    assert errors(by_training, X, y) == errors(tree, X, y) == 0
    others = [
        tree.prune("reduced_error", A, b),
        tree.prune("cost_complexity", alpha=0.02),
        tree.prune("description_length"),
        tree.prune("minimum_error", m=20),
        tree.prune("pessimistic"),
    ]
    for pruned in others:
        assert pruned.n_leaves < tree.n_leaves
        assert errors(pruned, *test) < errors(tree, *test)


def test_row_100_over_fitting_is_named() -> None:
    """A tree over-fits if another has a larger training error and a smaller one on the rows to come."""
    X, y = noisy(300, 15)
    path = tw.CARTClassifier().fit(X, y).tree_.pruning_path(validation=noisy(500, 16))
    report = path.overfitting()
    assert report.overfits and report.better_step is not None
    assert report.better_training_error > report.training_error == 0
    assert report.better_error < report.error
    assert report.better_leaves == path.n_leaves[report.better_step] < report.leaves
    assert "over-fits" in str(report) and f"{report.better_leaves} leaves" in str(report)
    best = path.overfitting(report.better_step)
    assert not best.overfits and "does not over-fit" in str(best)
    lone = path.overfitting(len(path) - 1)
    assert lone.leaves == 1 and not lone.overfits


def test_row_101_training_error_falls_with_size_and_the_other_is_u_shaped() -> None:
    X, y = noisy(500, 17)
    est = tw.CARTClassifier().fit(X, y)
    path = est.pruning_path(X, y, folds=5, validation=noisy(1000, 18))
    assert np.all(np.diff(path.training_error) >= 0)
    for curve in (path.cv, path.validation):
        assert curve is not None
        best = int(np.argmin(curve.error))
        assert 0 < best < len(path) - 1
        assert curve.error[0] > curve.error[best] + 2 * curve.se[best]
        assert curve.error[-1] > curve.error[best] + 2 * curve.se[best]


def test_row_102_a_subtree_makes_way_for_a_leaf_of_0_9() -> None:
    """The third tree of Fig. 9.5: below x < 6.31 all rows are about 0.9, and what was told apart there is noise."""
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.62, 7.0, 8.0])
    y = np.array([0.8, 1.0, 0.8, 1.0, 0.8, 1.0, 3.0, 3.0, 5.0])
    tree = tw.TreeRegressor(relation="<").fit(x[:, None], y).tree_
    assert tree.root.split is not None and tree.root.split.cuts[0] > 6.31
    below = next(node for node in tree.nodes() if node.split is not None and node.weight == 6)
    assert below.parent is not None and below.parent.split is not None
    assert below.parent.split.cuts[0] == pytest.approx(6.31)
    assert below.prediction == pytest.approx(0.9)
    judge = np.array([[1.5], [2.5], [3.5], [4.5], [6.9], [8.5]]), [0.9, 0.9, 0.9, 0.9, 3.0, 5.0]
    pruned = tree.prune("reduced_error", *judge)
    leaf = pruned.node(int(pruned.apply([[4.0]])[0]))
    assert (leaf.weight, leaf.prediction) == (6.0, pytest.approx(0.9))
    assert pruned.predict([[6.5], [8.0]]).tolist() == pytest.approx([3.0, 5.0])
    right = np.vstack([judge[0], x[:6, None]]), [*judge[1], *y[:6]]  # rows of which the subtree is right keep it
    assert tree.prune("reduced_error", *right).n_leaves > pruned.n_leaves


@pytest.mark.parametrize("task", ["theta_I", "theta_r"])
def test_row_103_theta_trades_bias_for_variance(task: str) -> None:
    """Larger thresholds give smaller trees: more bias, and less variance from one training set to the next."""
    sizes, spreads = [], []
    grid = noisy(200, 99)[0]
    for theta in [0.0, 0.2, 0.45, 1.0] if task == "theta_I" else [0.0, 0.05, 0.2, 10.0]:
        answers, leaves = [], []
        for seed in range(8):
            X, y = noisy(200, seed)
            if task == "theta_I":
                est: Any = tw.CARTClassifier(min_impurity=theta).fit(X, y)
                answers.append(est.predict_proba(grid)[:, 1])
            else:
                est = tw.CARTRegressor(min_impurity=theta).fit(X, y.astype(float))
                answers.append(est.predict(grid))
            leaves.append(est.tree_.n_leaves)
        sizes.append(np.mean(leaves))
        spreads.append(float(np.var(answers, axis=0).mean()))
    assert all(a >= b for a, b in pairwise(sizes)) and sizes[0] > sizes[-1] == 1
    assert all(a >= b for a, b in pairwise(spreads)) and spreads[0] > 10 * spreads[-1]


def test_a_tree_that_is_no_worse_does_not_over_fit() -> None:
    """Both errors must differ: a tree as good on the rows to come, or as good in training, is no witness."""
    X, y = noisy(60, 3)
    tree = tw.CARTClassifier(max_depth=2).fit(X, y).tree_
    ones = np.ones(4)

    def path(training: list[float], error: list[float]) -> Any:
        curve = Curve(np.array(error), 0 * ones)
        steps = np.zeros(tree.n_nodes, np.int64)
        return PruningPath(
            "cost_complexity", tree, 0 * ones, np.array([4, 3, 2, 1]), np.array(training), None, curve, None, steps
        )

    assert not path([0.1, 0.2, 0.3, 0.4], [0.3, 0.3, 0.4, 0.5]).overfitting().overfits
    assert not path([0.1, 0.1, 0.1, 0.4], [0.3, 0.2, 0.2, 0.5]).overfitting().overfits
    report = path([0.1, 0.2, 0.3, 0.4], [0.3, 0.2, 0.2, 0.3]).overfitting()
    assert (report.overfits, report.better_step, report.better_leaves) == (True, 2, 2)  # of equals the smallest
    assert path([0.1, 0.2, 0.3, 0.4], [0.3, 0.2, 0.2, 0.1]).overfitting(1).better_step == 3


def test_folds_judge_the_tree_as_grown_where_its_first_cuts_cost_nothing() -> None:
    """Splits of alpha 0 may still answer differently: step 0 is that of trees grown in full, step 1 of those cut at 0."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame({name: rng.integers(0, 4, 90).astype(float) for name in "abc"})
    y = rng.choice(["p", "q", "r"], 90)
    fold = np.arange(90) % 5
    path = tw.CARTClassifier().fit(X, y).pruning_path(X, y, folds=fold)
    assert path.alpha[1] == 0 and path.cv is not None
    for step, alpha in ((0, None), (1, 0.0)):
        wrong = 0
        for k in range(5):
            grown = tw.CARTClassifier().fit(X[fold != k], y[fold != k])
            tree = grown.tree_ if alpha is None else grown.tree_.prune("cost_complexity", alpha=alpha)
            wrong += int(np.sum(tree.predict(X[fold == k]) != y[fold == k]))
        assert path.cv.error[step] == pytest.approx(wrong / 90, abs=1e-12)
    assert path.cv.error[0] != path.cv.error[1]


def test_steps_of_a_curve() -> None:
    """Errors that differ by rounding only are equal, and of equals the smallest tree is taken."""
    assert 0.7 + 0.1 < 0.8
    assert Curve(np.array([0.9, 0.7, 0.8]), np.array([0.0, 0.1, 0.0])).step("1se") == 2
    assert Curve(np.array([0.9, 0.7, np.nextafter(0.7, 1), 0.9]), np.zeros(4)).step("best") == 2
    assert Curve(np.array([0.9, 0.7, 0.7 + 1e-9, 0.9]), np.zeros(4)).step("best") == 1
    # The standard error is that of the best, of equals of the smallest tree.
    assert Curve(np.array([0.2, 0.2, 0.25, 0.3]), np.array([0.2, 0.06, 0.5, 0.5])).step("1se") == 2
    assert Curve.of(np.array([3.0, 0.0]), np.array([3.0, 0.0]), 12.0).se.tolist() == [pytest.approx((0.25 * 0.75 / 12) ** 0.5), 0]


def test_steps_of_a_path_count_from_both_ends() -> None:
    X, y = noisy(60, 5)
    path = tw.CARTClassifier(max_depth=3).fit(X, y).tree_.pruning_path()
    sizes = [path.tree_at(step).n_leaves for step in range(-len(path), len(path))]
    assert sizes == 2 * path.n_leaves.tolist() and sizes[0] > sizes[-1] == 1
    for step in (len(path), -len(path) - 1):
        with pytest.raises(IndexError, match=f"step {step} does not exist: the path has steps 0 to {len(path) - 1}"):
            path.tree_at(step)
    with pytest.raises(ValueError, match="training errors only"):
        path.choose()
    assert path.tree.prune("cost_complexity", alpha=float("inf")).n_leaves == 1
