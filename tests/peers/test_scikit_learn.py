"""CART beside scikit-learn's trees: the same trees up to ties, on tables of its own and on the shared ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw

CLASSES = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}


def total_gain(tree: tw.Tree) -> float:
    """Impurity that the tree takes away, weighted by rows: what ties cannot change while growing one level."""
    return sum(node.weight * node.gain for node in tree.nodes())


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("criterion", [("gini", "gini"), ("info_gain", "entropy")])
def test_stumps_gain_the_same(name: str, criterion: tuple[str, str]) -> None:
    X, y = CLASSES[name](return_X_y=True)
    ours = tw.CARTClassifier(criterion=criterion[0], max_depth=1).fit(X, y).tree_
    theirs = DecisionTreeClassifier(criterion=criterion[1], max_depth=1, random_state=0).fit(X, y).tree_
    shares = theirs.weighted_n_node_samples / theirs.weighted_n_node_samples[0]
    gain = theirs.impurity[0] - (shares[1:] * theirs.impurity[1:]).sum()
    assert ours.root.impurity == pytest.approx(theirs.impurity[0], rel=1e-12)
    assert ours.root.gain == pytest.approx(gain, rel=1e-9)


@pytest.mark.parametrize("name", CLASSES)
def test_grown_trees_are_of_one_size(name: str) -> None:
    X, y = CLASSES[name](return_X_y=True)
    ours = tw.CARTClassifier().fit(X, y)
    sizes = [DecisionTreeClassifier(random_state=seed).fit(X, y).get_n_leaves() for seed in range(10)]
    assert ours.score(X, y) == 1.0
    # Ties move the number of leaves a little; ours must lie among theirs, give or take a tenth.
    assert min(sizes) * 0.9 <= ours.get_n_leaves() <= max(sizes) * 1.1


def test_regression_stump() -> None:
    X, y = load_diabetes(return_X_y=True)
    ours = tw.CARTRegressor(max_depth=1).fit(X, y).tree_
    theirs = DecisionTreeRegressor(max_depth=1).fit(X, y).tree_
    assert ours.root.split is not None
    assert ours.root.split.column == f"x{theirs.feature[0]}"
    assert ours.root.split.cuts[0] == pytest.approx(theirs.threshold[0], rel=1e-6)
    assert [child.prediction for child in ours.root.children] == pytest.approx(theirs.value.ravel()[1:].tolist(), rel=1e-12)


def numeric_tables(shared: Path) -> list[tuple[str, np.ndarray, np.ndarray, bool]]:
    import pandas as pd

    out = []
    for file in sorted((shared / "data").glob("*.parquet")):
        frame = pd.read_parquet(file).dropna()
        X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
        if (
            all(dtype.kind in "iuf" for dtype in X.dtypes if hasattr(dtype, "kind"))
            and 0 < len(frame) < 3000
            and len(X.columns) > 0
        ):
            numeric = X.select_dtypes("number")
            if numeric.shape[1] == X.shape[1]:
                out.append(
                    (
                        file.stem,
                        numeric.to_numpy(np.float64),
                        y.to_numpy(),
                        y.dtype.kind in "iuf" if hasattr(y.dtype, "kind") else False,
                    )
                )
    return out


def test_shared_tables_split_alike(shared: Path) -> None:
    """At the root of every numeric table both find a split of the same gain, and full growth fits the training rows equally."""
    tables = numeric_tables(shared)
    assert len(tables) >= 20
    for name, X, y, regression in tables:
        if regression:
            ours, theirs = tw.CARTRegressor().fit(X, y), DecisionTreeRegressor(random_state=0).fit(X, y)
        else:
            ours, theirs = tw.CARTClassifier().fit(X, y.astype(str)), DecisionTreeClassifier(random_state=0).fit(X, y.astype(str))
            y = y.astype(str)
        tree = theirs.tree_
        left, right = tree.children_left[0], tree.children_right[0]
        weights = tree.weighted_n_node_samples
        gain = tree.impurity[0] - sum(weights[c] / weights[0] * tree.impurity[c] for c in (left, right))
        assert ours.tree_.root.gain == pytest.approx(gain, rel=1e-6), name
        assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-9), name
