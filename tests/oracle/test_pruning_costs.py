"""Priors, class weights, losses and the criteria of numbers in pruning: each node is judged a second time, row by row."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from tests.oracle.pruning import Naive, kept_leaves
from tests.properties.tables import make_case
from treewright.prune.path import steps_of

COSTS: dict[str, dict[str, Any]] = {
    "priors": {"priors": [0.7, 0.2, 0.1]},
    "balanced": {"class_weight": "balanced"},
    "weights": {"class_weight": {"a": 1.0, "b": 4.0, "c": 0.5}},
    "weights in the rows": {"class_weight": {"a": 1.0, "b": 4.0, "c": 0.5}, "min_weight_fraction_leaf": 0.01},
    "loss": {"loss": [[0, 5, 1], [1, 0, 2], [7, 1, 0]]},
    "both": {"priors": [0.2, 0.3, 0.5], "loss": [[0, 5, 1], [1, 0, 2], [7, 1, 0]]},
}
CRITERIA = ("variance", "absolute_error", "poisson")
SEEDS = range(4)


class Judge(Naive):
    """The naive pruner with prices: what a row counts, and what an answer costs it."""

    def __init__(self, est: Any, X: Any, y: Any, weights: Any) -> None:
        super().__init__(est.tree_)
        self.criterion = est.criterion
        classes = est.tree_.target.classes
        if classes is None:
            return
        k = len(classes)
        total = [sum(w for v, w in zip(y, weights, strict=True) if v == label) for label in classes]
        factor = [1.0] * k
        params = est.get_params()
        if params["class_weight"] == "balanced":
            factor = [sum(total) / (k * n) for n in total]
        elif params["class_weight"] is not None:
            factor = [params["class_weight"].get(label, 1.0) for label in classes]
        elif params["priors"] is not None:
            factor = [p / n for p, n in zip(params["priors"], total, strict=True)]
        scale = sum(total) / sum(f * n for f, n in zip(factor, total, strict=True))
        self.factor = dict(zip(classes, (f * scale for f in factor), strict=True))
        prices = (1 - np.eye(k)) if params["loss"] is None else np.asarray(params["loss"], float)
        self.price = {(t, s): prices[i, j] for (i, t), (j, s) in itertools.product(enumerate(classes), repeat=2)}

    def cost(self, node: Any, truth: Any, said: Any) -> float:
        if self.classes is not None:
            return float(self.price[truth, said])
        if self.criterion == "absolute_error":
            return float(abs(truth - said))
        if self.criterion == "variance":
            return float((truth - said) ** 2)
        if said == truth == 0:
            return 0.0
        mean = said if said > 0 else 0.5 / max(1.0, node.weight)
        return float((truth * math.log(truth / mean) if truth > 0 else 0.0) - truth + mean)

    def rows_at(self, X: Any, y: Any, weights: Any) -> list[tuple[float, float, float]]:
        """Weight, loss and squared loss of rows at every node they pass, each node answering for itself."""
        passed = self.tree.decision_path(X).toarray().astype(bool)
        out = []
        for t, node in enumerate(self.nodes):
            sums = [0.0, 0.0, 0.0]
            for row in np.flatnonzero(passed[:, t]):
                weight = weights[row] * (self.factor[y[row]] if self.classes is not None else 1.0)
                cost = self.cost(node, y[row], node.prediction)
                sums = [sums[0] + weight, sums[1] + weight * cost, sums[2] + weight * cost**2]
            out.append((sums[0], sums[1], sums[2]))
        return out


def grown(
    kind: str, seed: int, n_rows: int = 80, leaves: int | None = 9
) -> tuple[Judge, Any, tuple[Any, Any, Any], tuple[Any, Any, Any]]:
    """A judge, its estimator, the rows it was grown from and others, with their weights."""
    case, other = make_case(seed, n_rows, n_classes=3), make_case(500 + seed, 60, n_classes=3)
    if kind in CRITERIA:
        est: Any = tw.CARTRegressor(criterion=kind, max_leaf_nodes=9)
        sides = [(c.X, np.round(np.abs(c.numbers)), c.weights + 1.0) for c in (case, other)]
    else:
        est = tw.CARTClassifier(max_leaf_nodes=leaves, **COSTS[kind])
        sides = [(c.X, c.classes, c.weights + 1.0) for c in (case, other)]
    X, y, weights = sides[0]
    est.fit(X, y, sample_weight=weights)
    return Judge(est, X, y, weights), est, sides[0], sides[1]


KINDS = [*COSTS, *CRITERIA]
EVERY = pytest.mark.parametrize(("kind", "seed"), list(itertools.product(KINDS, SEEDS)))


def mean(judged: list[tuple[float, float, float]], leaves: Any) -> float:
    return sum(judged[t][1] for t in leaves) / judged[0][0]


@EVERY
def test_paths_are_judged_by_the_losses_of_the_tree(kind: str, seed: int) -> None:
    """Training, pruning and validation errors are one measure: on the training rows they are the same numbers."""
    judge, est, (X, y, w), (X2, y2, w2) = grown(kind, seed)
    path = est.pruning_path(X2, y2, sample_weight=w2, validation=(X, y, w))
    own, other = judge.rows_at(X, y, w), judge.rows_at(X2, y2, w2)
    assert len(path) > 2
    for step in range(len(path)):
        leaves = kept_leaves(judge.tree, path.tree_at(step))
        assert path.training_error[step] == pytest.approx(mean(own, leaves), abs=1e-9)
        assert path.validation.error[step] == pytest.approx(mean(own, leaves), abs=1e-9)
        error = mean(other, leaves)
        assert path.pruning.error[step] == pytest.approx(error, abs=1e-9)
        square = sum(other[t][2] for t in leaves) / other[0][0]
        assert path.pruning.se[step] == pytest.approx(math.sqrt(max(0, square - error**2) / other[0][0]), abs=1e-7)
        assert est.prune(alpha=path.alpha[step]).tree_.n_leaves == path.n_leaves[step] or path.alpha[step] == 0


@EVERY
def test_paths_are_the_smallest_best_at_every_price(kind: str, seed: int) -> None:
    judge, est, (X, y, w), _ = grown(kind, seed)
    own = judge.rows_at(X, y, w)
    path = est.pruning_path()
    for step in range(len(path) - 1):
        alpha = (path.alpha[step] + path.alpha[step + 1]) / 2
        best = min(mean(own, leaves) + alpha * len(leaves) for leaves in judge.prunings())
        leaves = kept_leaves(judge.tree, est.prune(alpha=alpha).tree_)
        assert mean(own, leaves) + alpha * len(leaves) == pytest.approx(best, abs=1e-9)


@EVERY
def test_reduced_error_is_the_best_pruned_tree(kind: str, seed: int) -> None:
    judge, est, _, (X, y, w) = grown(kind, seed)
    judged = judge.rows_at(X, y, w)
    pruned = est.prune("reduced_error", X, y, sample_weight=w)
    best = min(mean(judged, leaves) for leaves in judge.prunings())
    assert mean(judged, kept_leaves(judge.tree, pruned.tree_)) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(("kind", "seed"), list(itertools.product(COSTS, SEEDS)))
@pytest.mark.parametrize("m", [None, 2.0, 30.0])
def test_minimum_error_expects_losses(kind: str, seed: int, m: float | None) -> None:
    judge, est, _, _ = grown(kind, seed)
    classes = judge.classes or ()
    root = judge.counts(0)

    def weight(t: int) -> float:
        return sum(judge.counts(t))

    def expected(t: int) -> float:
        lent = [m * n / sum(root) if m is not None else 1.0 for n in root]
        shares = [n + more for n, more in zip(judge.counts(t), lent, strict=True)]
        answers = [sum(n * judge.price[truth, said] for n, truth in zip(shares, classes, strict=True)) for said in classes]
        return min(answers) / sum(shares)

    def best(t: int) -> tuple[float, frozenset[int]]:
        if not judge.children[t]:
            return expected(t), frozenset([t])
        below = [(weight(c), *best(c)) for c in judge.children[t]]
        kept = sum(n * error for n, error, _ in below) / sum(n for n, _, _ in below)
        if expected(t) <= kept * (1 + 1e-12):
            return expected(t), frozenset([t])
        return kept, frozenset().union(*(leaves for _, _, leaves in below))

    assert 0 <= expected(0) <= max(judge.price.values())
    assert kept_leaves(judge.tree, est.prune("minimum_error", m=m).tree_) == best(0)[1]


@pytest.mark.parametrize("kind", ["priors", "balanced", "weights", "weights in the rows"])
@pytest.mark.parametrize("seed", range(8))
def test_raised_branches_count_classes_as_the_others_do(kind: str, seed: int) -> None:
    judge, est, (X, y, w), _ = grown(kind, seed, 250, None)
    pruned = est.prune("error_based", X, y, sample_weight=w)
    passed = pruned.tree_.decision_path(X).toarray().astype(bool)
    for t, node in enumerate(pruned.tree_.nodes()):
        counts = dict.fromkeys(judge.classes or (), 0.0)
        for row in np.flatnonzero(passed[:, t]):
            counts[y[row]] += w[row] * judge.factor[y[row]]
        said = {label: node.value.get(label, 0.0) for label in counts}
        assert said == pytest.approx(counts, abs=1e-9)
        assert counts[node.prediction] == pytest.approx(max(counts.values()))


def test_some_branch_is_raised() -> None:
    """The test above has something to look at."""
    raised = 0
    for kind, seed in itertools.product(["priors", "balanced", "weights"], range(8)):
        _, est, (X, y, w), _ = grown(kind, seed, 250, None)
        there = {(n.split.column, n.weight) for n in est.tree_.nodes() if n.split is not None}
        after = est.prune("error_based", X, y, sample_weight=w).tree_
        raised += any((n.split.column, n.weight) not in there for n in after.nodes() if n.split is not None)
    assert raised > 2


@pytest.mark.parametrize("kind", ["loss", "both"])
def test_methods_that_count_errors_refuse_losses(kind: str) -> None:
    _, est, (X, y, w), _ = grown(kind, 1)
    for method in ("pessimistic", "description_length"):
        with pytest.raises(ValueError, match=f"{method}.*grown with losses.*cost_complexity"):
            est.prune(method)
    with pytest.raises(ValueError, match=r"error_based.*grown with losses"):
        est.prune("error_based", X, y, sample_weight=w)


@pytest.mark.parametrize("kind", ["absolute_error", "poisson"])
def test_methods_by_variance_refuse_other_criteria(kind: str) -> None:
    _, est, _, _ = grown(kind, 1)
    for method, options in (("minimum_error", {"m": 2}), ("description_length", {})):
        with pytest.raises(ValueError, match=f"{method}.*variances"):
            est.prune(method, **options)


def test_a_bound_on_every_error_is_not_pruned_away() -> None:
    case = make_case(3, 80)
    est = tw.CARTRegressor(criterion="worst_case", max_leaf_nodes=9).fit(case.X, case.numbers)
    with pytest.raises(ValueError, match=r"bound the largest.*limits"):
        est.prune(alpha=0.1)
    with pytest.raises(ValueError, match=r"bound the largest"):
        est.pruning_path()
    assert est.prune("limits", max_depth=1).tree_.depth == 1


@pytest.mark.parametrize("kind", KINDS)
def test_folds_are_judged_by_the_losses_of_the_tree(kind: str) -> None:
    """The last step is a root alone in every fold: what it says, and what that costs the fold, is counted again."""
    judge, est, (X, y, w), _ = grown(kind, 2)
    fold = np.arange(len(y)) % 4
    path = est.pruning_path(X, y, sample_weight=w, folds=fold)
    assert path.cv is not None and len(path.cv.error) == len(path)
    sums = [0.0, 0.0]
    for f in range(4):
        rest = clone(est).set_params(max_depth=0).fit(X[fold != f], y[fold != f], sample_weight=w[fold != f])
        root = rest.tree_.root
        for row in np.flatnonzero(fold == f):
            weight = w[row] * (judge.factor[y[row]] if judge.classes is not None else 1.0)
            sums = [sums[0] + weight * judge.cost(root, y[row], root.prediction), sums[1] + weight]
    assert path.cv.error[-1] == pytest.approx(sums[0] / sums[1], rel=1e-9)


def test_tuning_and_learning_curves_weigh_losses() -> None:
    X = np.r_[np.zeros(50), np.ones(150)][:, None]
    y = np.array(["ill"] * 10 + ["well"] * 190)
    est = tw.CARTClassifier(loss=[[0, 10], [1, 0]])
    tuned = tw.tune(est, X, y, max_depth=[0, 1], folds=5)
    assert tuned.params == {"max_depth": 1}  # fewer errors at the root, a smaller loss below it
    assert tuned.cv.error[0] == pytest.approx(0.5) and tuned.cv.error[1] == pytest.approx(0.2)
    curve = tw.learning_curve(est, X, y, sizes=[1.0], folds=5)
    assert curve.cv.error[-1] == pytest.approx(0.2)


def test_class_weights_merge_equal_prices_as_row_weights_do() -> None:
    case = make_case(11, 300, n_classes=3, holes=False)
    weight = {"a": 3.0, "b": 7.0, "c": 1.0}
    by_class = tw.CARTClassifier(class_weight=weight).fit(case.X, case.classes)
    rows = np.array([weight[label] for label in case.classes])
    path = by_class.pruning_path()
    assert np.all(np.diff(path.alpha) > 1e-12 * path.alpha[1:])
    by_row = tw.CARTClassifier().fit(case.X, case.classes, sample_weight=rows)
    if by_row.tree_.n_leaves == by_class.tree_.n_leaves:
        assert len(by_row.pruning_path()) == len(path)


def test_rows_that_are_not_the_training_rows_are_refused() -> None:
    case = make_case(4, 80)
    est = tw.C45Classifier().fit(case.X, case.classes)
    with pytest.raises(ValueError, match=r"error_based.*grown from: these weigh 40, those 80.*reduced_error"):
        est.prune("error_based", case.X[:40], case.classes[:40])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda e, X, y: e.prune("limits"), "without a limit"),
        (lambda e, X, y: e.prune("reduced_error", X, y, rule="1se"), "rule='1se'.*'reduced_error'"),
        (lambda e, X, y: e.prune(alpha=0.1, rule="1se"), "rule='1se'.*alpha="),
        (lambda e, X, y: e.prune("error_based", X, y, raising="yes"), "raising='yes'"),
        (lambda e, X, y: e.prune("description_length", precision=0), "precision"),
    ],
)
def test_options_that_would_do_nothing_are_refused(call: Any, words: str) -> None:
    case = make_case(4, 80)
    with pytest.raises(ValueError, match=words):
        call(tw.CARTClassifier().fit(case.X, case.classes), case.X, case.classes)


def test_a_saved_tree_knows_what_answers_cost(tmp_path: Any) -> None:
    _, est, _, (X, y, w) = grown("both", 0)
    est.save(tmp_path / "model.twm")
    loaded = tw.load(tmp_path / "model.twm")
    assert loaded.tree_.target == est.tree_.target
    assert loaded.prune("reduced_error", X, y, sample_weight=w).tree_ == est.prune("reduced_error", X, y, sample_weight=w).tree_


def test_stand_ins_of_level_splits_keep_the_relation() -> None:
    """A cut between neighbouring numbers lies on one of them: which side it belongs to must be what growing took."""
    low, high = 1.0, float(np.nextafter(1.0, 2.0))
    a = np.array(["p"] * 30 + ["q"] * 30, object)
    b = np.array([high] * 3 + [low] * 30 + [high] * 27)
    y = np.array([0] * 30 + [1] * 30)
    X = pd.DataFrame({"a": a, "b": b})
    X.loc[[10, 11, 12, 40, 41, 42], "a"] = None
    for relation in ("<=", "<"):
        est = tw.TreeClassifier(missing="surrogate", relation=relation).fit(X, y)
        assert est.tree_.root.split is not None and est.tree_.root.split.column == "a"
        leaf = est.tree_.apply(X)
        for node in est.tree_.leaves():
            assert np.count_nonzero(leaf == node.id) == node.weight
        assert est.score(X, y) == 1.0


def test_keys_that_only_rounding_sets_apart_are_one_step() -> None:
    keys = np.array([0.5, 1.0, 1.0 + 1e-15, 2.0, 1.0])
    assert steps_of(keys, 1e-12).tolist() == [0.5, 1.0 + 1e-15, 2.0]
    assert steps_of(np.empty(0), 1e-12).tolist() == []


def test_a_tree_cut_at_cp_is_judged_between_cp_and_the_next_cost() -> None:
    """As rpart does: the trees of the folds are cut at the geometric mean of cp and the first alpha, not left as they are."""
    told = []
    for seed in range(8):
        case = make_case(seed, 150, n_classes=2, holes=False)
        X, y, fold = case.X, case.classes, np.arange(150) % 5
        est = tw.CARTClassifier(cp=0.02).fit(X, y)
        path = est.pruning_path(X, y, folds=fold)
        cost = math.sqrt(0.02 * path.training_error[-1] * path.alpha[1])
        wrong = dict.fromkeys(("cut", "left"), 0)
        for f in range(5):
            grown = clone(est).fit(X[fold != f], y[fold != f])
            for name, model in (("cut", grown.prune(alpha=cost)), ("left", grown)):
                wrong[name] += np.count_nonzero(model.predict(X[fold == f]) != y[fold == f])
        assert path.cv is not None and path.cv.error[0] == pytest.approx(wrong["cut"] / 150)
        told.append(wrong["cut"] != wrong["left"])
    assert any(told)
