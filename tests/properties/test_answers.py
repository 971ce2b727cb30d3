"""The answers of one tree agree: apply, decision_path, predict, predict_proba, rules, regions and counts."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import treewright as tw
from treewright.model.routing import Routing

from .tables import DIVIDED, ONE_BRANCH, POLICIES, Case, cases, estimators, make_case, modest, node_weights, same_state

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*a split needs:treewright.TreewrightWarning"),
    pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning"),
]


@modest(80)
@given(case=cases(), est=estimators(ONE_BRANCH), weighted=st.booleans())
def test_N7_recount_of_the_training_rows(case: Case, est: Any, weighted: bool) -> None:
    weights = (case.weights + 1) / 8 if weighted else np.ones(len(case.X))
    tree = est.fit(case.X, case.target(est), sample_weight=weights).tree_
    assert np.array_equal(node_weights(tree, case.X, weights), tree.state()["weight"])
    leaf = tree.apply(case.X)
    for node in tree.nodes():
        if node.is_leaf:
            assert weights[leaf == node.id].sum() == node.weight
    if case.target(est) is case.classes:
        for node in tree.leaves():
            if node.weight > 0:
                held = case.classes[leaf == node.id]
                assert node.value == {k: weights[leaf == node.id][held == k].sum() for k in sorted(set(held))}


@modest(30)
@given(case=cases(holes=False), est=estimators(["ignore", "refuse", "most_common_in_class"], regress=False))
def test_N7_recount_where_nothing_is_missing(case: Case, est: Any) -> None:
    tree = est.fit(case.X, case.classes).tree_
    assert np.array_equal(node_weights(tree, case.X, np.ones(len(case.X))), tree.state()["weight"])


@modest(60)
@given(case=cases(), est=estimators(DIVIDED))
def test_N7_shares_add_to_one(case: Case, est: Any) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    leaf, begin, leaves, shares = Routing(tree, case.X).routes()
    if begin is None:
        return
    begin = begin.astype(int)
    for row in range(len(case.X)):
        part = slice(begin[row], begin[row + 1])
        assert shares[part].sum() == pytest.approx(1, abs=1e-12)
        assert len(set(leaves[part].tolist())) == len(leaves[part])
        assert leaf[row] == leaves[part][np.argmax(shares[part])]
    total = np.zeros(tree.n_nodes)
    np.add.at(total, leaves.astype(int), shares)
    ends = tree.state()["n_children"] == 0
    np.testing.assert_allclose(total[ends], tree.state()["weight"][ends], atol=1e-6)


@modest(60)
@given(case=cases(), est=estimators(POLICIES))
def test_children_weigh_what_their_parent_does(case: Case, est: Any) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    for node in tree.nodes():
        if not node.is_leaf:
            below = sum(child.weight for child in node.children)
            if tree.missing == "ignore":
                assert below <= node.weight
            else:
                assert below == pytest.approx(node.weight, rel=1e-6)


@modest(60)
@given(case=cases(), est=estimators(POLICIES, regress=False), seed=st.integers(0, 10**6))
def test_predict_is_the_most_likely_class(case: Case, est: Any, seed: int) -> None:
    est.fit(case.X, case.classes)
    X = make_case(seed, 30).X
    shares = est.predict_proba(X)
    assert shares.shape == (30, len(est.classes_))
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)
    top = np.sort(shares, axis=1)
    clear = (top[:, -1] - top[:, -2] > 1e-9) if shares.shape[1] > 1 else np.ones(30, bool)
    assert np.array_equal(est.predict(X)[clear], est.classes_[np.argmax(shares, axis=1)][clear])


@modest(60)
@given(case=cases(), est=estimators(POLICIES), seed=st.integers(0, 10**6))
def test_decision_path_agrees_with_apply(case: Case, est: Any, seed: int) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    X = make_case(seed, 30).X
    paths, leaf = est.decision_path(X), est.apply(X)
    parent = tree.state()["parent"]
    for row in range(len(X)):
        passed = set(paths[row].indices.tolist())
        at = int(leaf[row])
        assert tree.node(at).is_leaf
        up = set()
        while at >= 0:
            up.add(at)
            at = int(parent[at])
        if tree.missing in DIVIDED:
            assert up <= passed
        else:
            assert up == passed


def says(rules: Any, held: np.ndarray) -> list[Any]:
    return [rules[int(j)].says for j in np.argmax(held, axis=1)]


@modest(100)
@given(case=cases(), est=estimators(POLICIES), seed=st.integers(0, 10**6))
def test_a_tree_is_its_rules_where_cells_are_known(case: Case, est: Any, seed: int) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    if {"few", "smooth", "flat"} & {c.name for c in tree.columns if case.X[c.name].notna().sum() == 0}:
        return
    seen_text = set(case.X["text"].dropna())
    seen_cat = set(case.X["cat"].dropna())
    X = make_case(seed, 60, holes=False).X
    X = X[X["text"].isin(seen_text) & X["cat"].isin(seen_cat)]
    rules = tree.to_rules()
    held = rules.matches(X)
    assert (held.sum(axis=1) == 1).all()
    assert [rules[int(j)].leaf for j in np.argmax(held, axis=1)] == est.apply(X).tolist()
    assert says(rules, held) == est.predict(X).tolist()


@modest(100)
@given(case=cases(holes=True), est=estimators([*ONE_BRANCH, "ignore"]), seed=st.integers(0, 10**6))
def test_a_tree_is_its_rules_where_cells_are_missing(case: Case, est: Any, seed: int) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    X = make_case(seed, 60).X
    X["text"] = X["text"].where(X["text"].isin(set(case.X["text"].dropna())))
    X["cat"] = X["cat"].where(X["cat"].isin(set(case.X["cat"].dropna())))
    rules = tree.to_rules()
    held = rules.matches(X)
    assert (held.sum(axis=1) == 1).all()
    assert [rules[int(j)].leaf for j in np.argmax(held, axis=1)] == est.apply(X).tolist()


@pytest.mark.parametrize("seed", range(8))
def test_stand_ins_answer_for_levels_that_a_node_does_not_know(seed: int) -> None:
    case, X = make_case(seed, 12), make_case(0, 60).X
    for name in ("text", "cat"):
        X[name] = X[name].where(X[name].isin(set(case.X[name].dropna())))
    est = tw.TreeClassifier(missing="surrogate").fit(case.X, case.classes)
    rules = est.tree_.to_rules()
    held = rules.matches(X)
    assert (held.sum(axis=1) == 1).all()
    assert [rules[int(j)].leaf for j in np.argmax(held, axis=1)] == est.apply(X).tolist()


@modest(60)
@given(case=cases(), est=estimators(POLICIES))
def test_rules_carry_the_weights_of_the_leaves(case: Case, est: Any) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    rules = tree.to_rules()
    assert len(rules) == tree.n_leaves
    if tree.missing != "ignore":
        assert sum(rule.support for rule in rules) == pytest.approx(1)
    for rule in rules:
        node = tree.node(rule.leaf)
        assert rule.weight == node.weight
        assert rule.says == node.prediction
        assert len({c.index for c in rule.when}) == len(rule.when)
        assert rule.text("y")


@modest(60)
@given(case=cases(), est=estimators(POLICIES), seed=st.integers(0, 10**6))
def test_a_tree_is_its_regions(case: Case, est: Any, seed: int) -> None:
    """Missing cells too, unless they go down several branches: leaves that only they reach are regions as well.

    Where surrogates stand in for a missing cell, or for a level that a node does not know, no region has it.
    """
    tree = est.fit(case.X, case.target(est)).tree_
    X = make_case(seed, 60, holes=tree.missing not in DIVIDED).X
    for name in ("text", "cat"):
        X = X[X[name].isin(set(case.X[name].dropna())) | X[name].isna()]
    leaf = est.apply(X)
    count = np.zeros(len(X), int)
    for region in tree.regions():
        inside = np.ones(len(X), bool)
        for name, ends in region.bounds.items():
            x = X[name].to_numpy(float)
            low, high = (np.inf, -np.inf) if ends is None else ends
            held = ((low < x) & (x <= high)) if region.relation == "<=" else ((low <= x) & (x < high))
            inside &= np.where(np.isnan(x), name in region.missing, held)
        for name, levels in region.levels.items():
            inside &= np.where(X[name].isna(), name in region.missing, X[name].isin(levels))
        assert (leaf[inside] == region.leaf).all()
        count += inside
    covered = np.ones(len(X), bool)
    if tree.missing == "surrogate":
        covered = X.notna().all(axis=1).to_numpy() & (not {"text", "cat"} & set(tree.used_columns))
    assert (count[covered] == 1).all()
    assert (count <= 1).all()


@modest(80)
@given(case=cases(), est=estimators(POLICIES), seed=st.integers(0, 10**6))
def test_merged_leaves_say_the_same(case: Case, est: Any, seed: int) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    merged = tree.merge_leaves()
    X = make_case(seed, 60).X
    assert merged.n_nodes <= tree.n_nodes
    assert merged.merge_leaves() == merged
    same_answers(merged, tree, X)
    for node in merged.nodes():
        if not node.is_leaf and all(child.is_leaf for child in node.children) and tree.missing not in DIVIDED:
            assert len({child.prediction for child in node.children}) > 1


def same_answers(one: tw.Tree, two: tw.Tree, X: Any) -> None:
    if one.target.classes is not None:
        assert np.array_equal(one.predict(X), two.predict(X))
    else:
        np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-12)


@pytest.mark.parametrize("missing", DIVIDED)
def test_merged_leaves_say_the_same_where_rows_are_divided(missing: str) -> None:
    """The shares of a row in several leaves decide its class: only leaves of the same shares are merged."""
    for seed in range(40):
        case = make_case(seed, 30)
        est = tw.TreeClassifier(missing=missing, max_depth=4, min_samples_leaf=2 if seed % 2 else 1)
        tree = est.fit(case.X, case.classes).tree_
        X = make_case(seed + 5000, 300).X
        same_answers(tree.merge_leaves(), tree, X)
    same = tw.TreeClassifier(missing=missing).fit(np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 1, 0, 1]).tree_
    assert (same.n_nodes, same.merge_leaves().n_nodes) == (3, 1)
    loss = tw.TreeClassifier(missing=missing, criterion="risk", loss=[[0, 1], [10, 0]], max_depth=1)
    risky = loss.fit(np.array([[0.0], [0], [0], [0], [0], [1], [1], [1], [1], [1]]), [0, 0, 0, 0, 1] * 2).tree_
    same_answers(risky.merge_leaves(), risky, np.array([[0.0], [1.0], [np.nan]]))


@modest(40)
@given(case=cases(), est=estimators(POLICIES, keep_candidates=True))
def test_pickled_is_the_same(case: Case, est: Any) -> None:
    est.fit(case.X, case.target(est))
    again = pickle.loads(pickle.dumps(est))
    assert again.tree_ == est.tree_
    same_state(again.tree_, est.tree_)
    assert np.array_equal(again.predict(case.X), est.predict(case.X))
    assert again.tree_.to_text() == est.tree_.to_text()
    assert pickle.dumps(again.tree_) == pickle.dumps(pickle.loads(pickle.dumps(again.tree_)))
    same_state(clone(est).fit(case.X, case.target(est)).tree_, est.tree_)


@modest(60)
@given(case=cases(), est=estimators(POLICIES))
def test_every_view_of_a_tree_can_be_asked_for(case: Case, est: Any) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    assert tree.to_text().count("\n") + 1 >= tree.n_leaves
    assert str(tree.to_rules())
    assert len(tree.leaves()) == tree.n_leaves == tree.n_nodes - tree.n_splits
    assert {path[-1].id for path in tree.paths()} == {leaf.id for leaf in tree.leaves()}
    steps = tree.trace()
    assert [s.number for s in steps] == list(range(tree.n_splits))
    assert (steps[-1].n_leaves if steps else 1) == tree.n_leaves
    assert tree.depth == max(node.depth for node in tree.nodes())
    importances = tree.feature_importances
    assert (importances >= 0).all()
    assert importances.sum() == pytest.approx(1) or importances.sum() == 0
    for node in tree.nodes():
        assert repr(node)
        assert node.impurity >= 0
        assert node.gain >= 0


def test_an_unseen_declared_level_has_a_rule() -> None:
    """A declared level that never occurred counts as missing: its rows have a leaf, so they have a rule."""
    kind = pd.CategoricalDtype(["p", "q", "never"])
    X = pd.DataFrame({"cat": pd.Series(["p", "q", "p", "q"], dtype=kind)})
    est = tw.CARTClassifier().fit(X, [0, 1, 0, 1])
    new = pd.DataFrame({"cat": pd.Series(["never"], dtype=kind)})
    leaf = est.apply(new)
    held = est.tree_.to_rules().matches(new)
    assert held.sum() == 1
    assert est.tree_.to_rules()[int(np.argmax(held[0]))].leaf == leaf[0]
