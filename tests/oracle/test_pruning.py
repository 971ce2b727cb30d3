"""Every enrolled pruning method against all pruned subtrees, or its definition followed recursively, on trees of all kinds."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.oracle.pruners import ORACLES, Grown
from tests.oracle.pruning import MOST, Naive, kept_leaves
from tests.properties.tables import make_case
from treewright import _core

PRUNERS = {pruner["name"]: pruner for pruner in _core.pruners()}

GROWERS: dict[str, Any] = {
    "cart": lambda seed: tw.CARTClassifier(max_leaf_nodes=9 + seed % 3),
    "n-way": lambda seed: tw.TreeClassifier(recipe="id3", missing="majority", max_leaf_nodes=14),
    "groups": lambda seed: tw.TreeClassifier(criterion="gain_ratio", nominal="grouped", missing="majority", max_leaf_nodes=11),
    "ternary": lambda seed: tw.TreeClassifier(criterion="info_gain", numeric="ternary", nominal="one_vs_rest", max_leaf_nodes=10),
    "numbers": lambda seed: tw.CARTRegressor(max_leaf_nodes=9 + seed % 3),
    "numbers, n-way": lambda seed: tw.TreeRegressor(nominal="multiway", missing="own", max_leaf_nodes=12),
    "blanks": lambda seed: tw.TreeClassifier(
        recipe="id3", nominal="multiway", missing="majority", max_depth=2, min_samples_leaf=3
    ),
}
SEEDS = range(6)
CASES = list(itertools.product(GROWERS, SEEDS))


def grown(kind: str, seed: int) -> tuple[tw.Tree, Any, Any]:
    """A tree, and rows it was not grown from."""
    est = GROWERS[kind](seed)
    case, other = make_case(seed, n=60), make_case(1000 + seed, n=45)
    est.fit(case.X, case.target(est), sample_weight=case.weights if seed % 2 else None)
    return est.tree_, other.X, other.target(est)


def with_rows(kind: str, seed: int) -> Grown:
    """The same, with the rows it was grown from."""
    tree, X, y = grown(kind, seed)
    case = make_case(seed, n=60)
    weights = case.weights if seed % 2 else None
    return Grown(tree, Naive(tree), (case.X, case.target(GROWERS[kind](seed)), weights), (X, y))


def test_every_pruner_has_an_oracle() -> None:
    assert sorted(ORACLES) == sorted(PRUNERS)


@pytest.mark.parametrize(("kind", "seed"), CASES)
@pytest.mark.parametrize("method", PRUNERS)
def test_trees_are_those_of_the_oracle(method: str, kind: str, seed: int) -> None:
    pruner, case = PRUNERS[method], with_rows(kind, seed)
    rows = {"none": (), "pruning": case.others, "training": case.training}[pruner["rows"]]
    if pruner["classes_only"] and case.naive.classes is None:
        with pytest.raises(ValueError, match=f"'{method}' is defined for classes, this tree predicts numbers"):
            case.tree.prune(method, *rows[:2])
        return
    deciding = {option["name"] for option in pruner["options"] if option["role"] in ("key", "leaves")}
    tried = 0
    for options, verdict in ORACLES[method](case):
        given = () if deciding & set(options) else rows
        weights = {"sample_weight": given[2]} if len(given) > 2 else {}
        verdict(kept_leaves(case.tree, case.tree.prune(method, *given[:2], **weights, **options)))
        tried += 1
    assert tried > 0


@pytest.mark.parametrize("kind", ["numbers", "numbers, n-way"])
def test_numbers_have_no_estimate_of_laplace(kind: str) -> None:
    with pytest.raises(ValueError, match="'minimum_error' without m counts classes, this tree predicts numbers: give m"):
        grown(kind, 0)[0].prune("minimum_error")


def test_the_trees_are_worth_it() -> None:
    """Trees of every kind have something to prune and are small enough to list."""
    for kind in GROWERS:
        sizes = [Naive(grown(kind, seed)[0]).n_prunings() for seed in SEEDS]
        assert max(sizes) <= MOST and max(sizes) > 10
    assert max(len(c) for c in Naive(grown("n-way", 0)[0]).children) > 2
    assert any(w == 0 for seed in SEEDS for w in Naive(grown("blanks", seed)[0]).weight)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_reduced_error_greedy_follows_its_definition(kind: str, seed: int) -> None:
    tree, X, y = grown(kind, seed)
    naive = Naive(tree)
    trees = naive.greedy(naive.losses(X, y))
    path = tree.pruning_path(X, y, method="reduced_error")
    assert len(path) == len(trees)
    assert [kept_leaves(tree, path.tree_at(step)) for step in range(len(path))] == trees
    assert kept_leaves(tree, tree.prune("reduced_error", X, y, order="greedy")) == trees[-1]


@pytest.mark.parametrize("measure", ["gain", "gain_ratio"])
@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_critical_values_follow_their_definition(kind: str, seed: int, measure: str) -> None:
    tree, X, y = grown(kind, seed)
    naive = Naive(tree)
    inner = [t for t in range(tree.n_nodes) if naive.children[t]]
    worth = {t: naive.nodes[t].gain if measure == "gain" else naive.ratio(t) for t in inner}
    path = tree.pruning_path(X, y, method="critical_value", measure=measure)
    for step, value in enumerate(path.alpha):
        if np.isfinite(value) and np.isclose(path.alpha, value, rtol=1e-9, atol=0).sum() > 1:
            continue  # splits that are worth the same, but for the last bit
        # The values of a path are the largest that give its trees; the definition here may differ from them in the last bit.
        here = naive.critical(min(float(value), 1e300) * (1 - 1e-12), worth.__getitem__)
        assert kept_leaves(tree, path.tree_at(step)) == here
        assert kept_leaves(tree, tree.prune("critical_value", value=float(value), measure=measure)) == here


@pytest.mark.parametrize("kind", ["cart", "numbers", "n-way"])
def test_path_errors_are_those_of_its_trees(kind: str) -> None:
    tree, X, y = grown(kind, 1)
    other = make_case(77, n=30)
    z = other.numbers if tree.target.classes is None else other.classes
    path = tree.pruning_path(X, y, validation=(other.X, z))
    for step in range(len(path)):
        pruned = path.tree_at(step)
        assert path.n_leaves[step] == pruned.n_leaves
        for curve, rows, truth in ((path.pruning, X, y), (path.validation, other.X, z)):
            said = pruned.predict(rows)
            loss = (said != truth).astype(float) if tree.target.classes is not None else (said - truth) ** 2
            assert curve is not None
            assert curve.error[step] == pytest.approx(loss.mean(), abs=1e-12)
            assert curve.se[step] == pytest.approx(loss.std() / len(loss) ** 0.5, abs=1e-9)
        own = Naive(pruned)
        assert path.training_error[step] == pytest.approx(sum(map(own.error, own.below(0))) / own.weight[0], abs=1e-12)


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in GROWERS for seed in (0, 3)])
def test_cross_validation_judges_pruned_trees_of_folds(kind: str, seed: int) -> None:
    """Trees of folds are grown from their rows alone, whatever is shared, and cut at the geometric mean of alphas."""
    est = GROWERS[kind](seed)
    case = make_case(seed, n=60)
    y = case.target(est)
    weights = case.weights.astype(float) if seed % 2 else None
    est.fit(case.X, y, sample_weight=weights)
    fold = np.arange(60) % 4
    path = est.pruning_path(case.X, y, sample_weight=weights, folds=fold)
    w = np.ones(60) if weights is None else weights
    costs = [*np.sqrt(path.alpha[:-1] * path.alpha[1:]).tolist(), np.inf]
    if len(path) > 1 and path.alpha[1] == 0:
        costs[0] = -1.0
    error, square = np.zeros(len(path)), np.zeros(len(path))
    for k in range(4):
        inside, out = fold != k, fold == k
        other = GROWERS[kind](seed).fit(case.X[inside], y[inside], sample_weight=w[inside]).tree_
        for step, cost in enumerate(costs):
            pruned = other if cost < 0 else other.prune("cost_complexity", alpha=min(cost, 1e300))
            said = pruned.predict(case.X[out])
            loss = (said != y[out]).astype(float) if other.target.classes is not None else (said - y[out]) ** 2
            error[step] += (w[out] * loss).sum()
            square[step] += (w[out] * loss**2).sum()
    error, square = error / w.sum(), square / w.sum()
    assert path.cv is not None
    np.testing.assert_allclose(path.cv.error, error, atol=1e-12)
    np.testing.assert_allclose(path.cv.se, np.sqrt(np.maximum(square - error**2, 0) / w.sum()), atol=1e-9)


def test_error_based_is_what_c45_does() -> None:
    """Pruning the unpruned tree afterwards gives C4.5's own tree, raised branches and all."""
    raised = 0
    for seed in range(8):
        case = make_case(seed, n=120, holes=seed % 2 == 0)
        for variant in ("r8", "j48"):
            whole = tw.C45Classifier(pruned=False, variant=variant).fit(case.X, case.classes).tree_
            own = tw.C45Classifier(variant=variant).fit(case.X, case.classes).tree_
            pruned = whole.prune("error_based", case.X, case.classes, estimate=variant, criterion="gain_ratio")
            assert pruned == own
            try:
                kept_leaves(whole, own)
            except AssertionError:
                raised += 1
            lower = whole.prune("error_based", case.X, case.classes, estimate=variant, raising=False)
            kept_leaves(whole, lower)  # nothing was raised
    assert raised > 0


def test_rules_take_the_smallest_tree_that_is_good_enough() -> None:
    """The least error, of equals the smallest tree; or the smallest tree within one standard error of the least."""
    rng = np.random.default_rng(0)
    differ = 0
    for seed in range(12):
        X = rng.random((150, 3))
        y = (X[:, 0] + X[:, 1] + rng.normal(size=150) / 4 > 1).astype(int)
        est = tw.CARTClassifier().fit(X, y)
        path = est.pruning_path(X, y, folds=5, random_state=seed)
        assert path.cv is not None
        error, se = path.cv.error.tolist(), path.cv.se.tolist()
        least = min(error)
        best = max(step for step in range(len(path)) if error[step] <= least + 1e-12)
        simple = max(step for step in range(len(path)) if error[step] <= error[best] + se[best] + 1e-12)
        assert (path.choose("best"), path.choose("1se")) == (best, simple)
        assert est.prune("cost_complexity", X, y, folds=5, random_state=seed, rule="1se").tree_.n_leaves == path.n_leaves[simple]
        differ += best != simple
    assert differ > 2
