"""The names that code written for scikit-learn's trees reads, against scikit-learn itself."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw


def walk(tree, rows):
    """Leaf of every row by the arrays alone, as code for scikit-learn's trees walks them."""
    out = []
    for row in rows:
        node = 0
        while tree.children_left[node] != -1:
            goes_left = row[tree.feature[node]] <= tree.threshold[node]
            node = tree.children_left[node] if goes_left else tree.children_right[node]
        out.append(node)
    return np.array(out)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 1, 1: 7, 2: 2}])
def test_arrays_of_a_classification_tree(class_weight):
    X, y = load_iris(return_X_y=True)
    ours = tw.CARTClassifier(max_depth=3, class_weight=class_weight).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=3, class_weight=class_weight, random_state=0).fit(X, y).tree_
    tree = ours.tree_
    assert tree.node_count == theirs.node_count and tree.max_depth == theirs.max_depth
    assert tree.n_features == theirs.n_features and tree.n_outputs == theirs.n_outputs
    leaf = walk(tree, X)
    np.testing.assert_array_equal(leaf, ours.apply(X))
    np.testing.assert_allclose(tree.value[leaf, 0], ours.predict_proba(X), rtol=1e-12)
    assert tree.value.shape == theirs.value.shape
    np.testing.assert_allclose([tree.impurity[0], *tree.value[0, 0]], [theirs.impurity[0], *theirs.value[0, 0]], rtol=1e-9)
    for name in ("impurity", "weighted_n_node_samples", "n_node_samples"):  # of leaves in any order
        own, other = (np.sort(getattr(t, name)[t.children_left == -1]) for t in (tree, theirs))
        if name == "weighted_n_node_samples":  # ours keep the weight of the table, whatever class weights sum to
            own, other = own / tree.weighted_n_node_samples[0], other / theirs.weighted_n_node_samples[0]
            assert tree.weighted_n_node_samples[0] == pytest.approx(len(y))
        np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        tree.threshold[0] = 1


def test_arrays_of_a_regression_tree():
    X, y = load_diabetes(return_X_y=True)
    ours, theirs = tw.CARTRegressor(max_depth=3).fit(X, y), DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y).tree_
    tree = ours.tree_
    leaf = walk(tree, X)
    np.testing.assert_allclose(tree.value[leaf, 0, 0], ours.predict(X), rtol=1e-12)
    np.testing.assert_allclose(np.sort(tree.impurity), np.sort(theirs.impurity), rtol=1e-9)
    np.testing.assert_array_equal(np.sort(tree.feature), np.sort(theirs.feature))
    several = tw.CARTRegressor(max_depth=2).fit(X, np.c_[y, -y]).tree_
    assert several.value.shape == (several.node_count, 2, 1) and several.n_outputs == 2


def test_value_follows_classes_not_their_declared_order():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    y = pd.Series(pd.Categorical(["b", "b", "a", "c"], categories=["c", "unused", "b", "a"]))
    est = tw.CARTClassifier().fit(X, y)
    assert est.classes_.tolist() == ["a", "b", "c"] and est.n_classes_ == 3
    np.testing.assert_array_equal(est.tree_.value[0, 0], [0.25, 0.5, 0.25])


def test_rows_without_the_number_go_where_the_arrays_say():
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan], [4.0]])
    est = tw.CARTClassifier().fit(X, [0, 0, 1, 1, 1, 1])
    tree = est.tree_
    goes = tree.children_left[0] if tree.missing_go_to_left[0] else tree.children_right[0]
    assert est.apply([[np.nan]])[0] == goes and tree.missing_go_to_left[goes] == 0


@pytest.mark.parametrize(
    ("estimator", "name", "why"),
    [
        (tw.CARTClassifier(), "threshold", "node 0 is not one number compared with a threshold"),
        (tw.C45Classifier(), "children_left", "node 0 is not one number"),
        (tw.CARTClassifier(missing="surrogate"), "missing_go_to_left", "node 0 is not one number"),
    ],
)
def test_trees_without_such_arrays_say_why(estimator, name, why):
    X = pd.DataFrame({"colour": ["red", "green", "blue", "red"] * 3, "size": [1, 2, 3, 4] * 3})
    tree = estimator.fit(X[["colour"]], ["a", "b", "c", "a"] * 3).tree_
    with pytest.raises(AttributeError, match=f"no {name} as scikit-learn's trees do: {why}"):
        getattr(tree, name)
    assert not hasattr(tree, name) and tree.node_count == tree.n_nodes


def test_counts_of_rows_that_weigh_parts_of_one_are_not_made_up():
    X, y = load_iris(return_X_y=True)
    tree = tw.CARTClassifier(max_depth=1).fit(X, y, sample_weight=np.full(len(y), 0.3)).tree_
    assert tree.weighted_n_node_samples[0] == pytest.approx(45)
    with pytest.raises(AttributeError, match="rows weigh parts of one"):
        _ = tree.n_node_samples
    copies = tw.CARTClassifier(max_depth=1).fit(X, y, sample_weight=np.full(len(y), 2)).tree_
    assert copies.n_node_samples[0] == 300


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.TreeClassifier])
def test_ccp_alpha_cuts_as_scikit_learn_does(make, class_weight):
    X, y = load_iris(return_X_y=True)
    path = make(class_weight=class_weight).cost_complexity_pruning_path(X, y)
    theirs = DecisionTreeClassifier(class_weight=class_weight, random_state=0).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(path.ccp_alphas, theirs.ccp_alphas, rtol=1e-9)
    np.testing.assert_allclose(path.impurities, theirs.impurities, rtol=1e-9, atol=1e-12)
    leaves = []
    for low, high in zip(path.ccp_alphas, [*path.ccp_alphas[1:], 1.0], strict=True):
        alpha = (low + high) / 2
        est = make(ccp_alpha=alpha, class_weight=class_weight).fit(X, y)
        leaves.append(est.get_n_leaves())
        assert leaves[-1] == make(ccp_alpha=low, class_weight=class_weight).fit(X, y).get_n_leaves()
        other = DecisionTreeClassifier(ccp_alpha=alpha, class_weight=class_weight, random_state=0).fit(X, y)
        assert leaves[-1] == other.get_n_leaves()
    assert leaves == sorted(leaves, reverse=True) and leaves[-1] == 1 and len(set(leaves)) == len(leaves)


def test_ccp_alpha_of_numbers():
    X, y = load_diabetes(return_X_y=True)
    for alpha in (0.0, 5.0, 50.0, 400.0):
        ours = tw.CARTRegressor(ccp_alpha=alpha).fit(X, y)
        theirs = DecisionTreeRegressor(ccp_alpha=alpha, random_state=0).fit(X, y)
        assert ours.get_n_leaves() == pytest.approx(theirs.get_n_leaves(), rel=0.02)  # scikit-learn breaks ties by chance
    assert tw.CARTRegressor(ccp_alpha=400.0).fit(X, y).get_n_leaves() < tw.CARTRegressor().fit(X, y).get_n_leaves() / 10


def test_ccp_alpha_and_cp_are_told_apart():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"ccp_alpha=0\.1 .* and cp=0\.2 .* both say what a split must save"):
        tw.CARTClassifier(ccp_alpha=0.1, cp=0.2).fit(X, y)
    with pytest.raises(ValueError, match="ccp_alpha=-1"):
        tw.CARTClassifier(ccp_alpha=-1).fit(X, y)
    # Instead of the recipe's own, which is relative.
    assert tw.CARTClassifier(recipe="rpart", ccp_alpha=1e-9).fit(X, y).get_n_leaves() >= 3


def test_random_splits_by_their_name():
    X, y = load_breast_cancer(return_X_y=True)
    first = tw.CARTClassifier(splitter="random", random_state=1).fit(X, y)
    other = tw.TreeClassifier(splitter="random", random_state=1).fit(X, y)
    assert first.tree_ == other.tree_ and first.tree_ != tw.CARTClassifier().fit(X, y).tree_


@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.RipperClassifier, tw.RandomForestClassifier, tw.PartClassifier])
def test_logarithms_of_shares_and_numbers_of_classes(make):
    X, y = load_iris(return_X_y=True)
    est = make().fit(X, y)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(est.predict_log_proba(X), np.log(est.predict_proba(X)))
    assert est.n_classes_ == 3


def test_limits_as_shares_of_all_rows():
    X, y = load_iris(return_X_y=True)
    assert tw.CARTClassifier(min_samples_split=1.0).fit(X, y).get_depth() == 1
    assert DecisionTreeClassifier(min_samples_split=1.0).fit(X, y).get_depth() == 1
    with pytest.raises(ValueError, match=r"min_samples_leaf=1\.0"):
        tw.CARTClassifier(min_samples_leaf=1.0).fit(X, y)
    est = tw.CARTClassifier(max_features="sqrt").fit(X, y)
    assert est.max_features_ == 2 and tw.CARTClassifier().fit(X, y).max_features_ == 4
