"""Rules of a tree that divides rows answer as the tree does, whatever is missing."""

from __future__ import annotations

import numpy as np

import treewright as tw


def test_rows_that_several_rules_hold_for_are_told_what_the_tree_says() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).round(1)
    y = np.array(["p", "q", "r"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.2)]
    tree = tw.C45Classifier(pruned=False).fit(X, y).tree_
    torn = np.where(rng.random(X.shape) < 0.4, np.nan, X)
    said = tree.predict(torn)
    assert tree.to_rules().predict(torn).tolist() == said.tolist()
    assert len(np.unique(said[np.isnan(torn).any(axis=1)])) == 3
