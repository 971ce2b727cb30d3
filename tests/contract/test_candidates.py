"""What a node tells of the splits that were weighed there."""

from __future__ import annotations

import pandas as pd
import pytest

import treewright as tw

IRIS = tw.datasets.load_iris()
X = pd.DataFrame({"n": [1.0, 2, 3, 4, 5, 6], "c": ["u", "v", "w", "u", "v", "w"]})
Y = ["p", "q", "p", "p", "q", "q"]


def test_only_a_split_that_was_made_is_chosen() -> None:
    est = tw.CARTClassifier(max_leaf_nodes=3, keep_candidates=True).fit(IRIS.X, IRIS.y)
    for tree in (est.tree_, est.tree_.prune("cost_complexity", leaves=2)):
        for node in tree.nodes():
            made = [candidate.column for candidate in node.candidates if candidate.chosen]
            assert made == ([] if node.split is None else [node.split.column])
    weighed = [node for node in est.tree_.nodes() if node.is_leaf and node.candidates]
    assert weighed  # a leaf that the limit kept from being split
    assert all(len(node.competitors) == len(node.candidates) for node in weighed)


def test_what_was_not_kept_is_not_nothing() -> None:
    tree = tw.CARTClassifier().fit(IRIS.X, IRIS.y).tree_
    for ask in (lambda: tree.root.candidates, lambda: tree.root.competitors):
        with pytest.raises(ValueError, match="were not saved: fit with keep_candidates=True"):
            ask()
    assert tw.CARTClassifier(keep_candidates=True).fit(X, ["p"] * 6).tree_.root.candidates == []


@pytest.mark.parametrize("criterion", ["info_gain", "gain_ratio", "gini"])
def test_the_ratio_whatever_the_criterion(criterion: str) -> None:
    root = tw.TreeClassifier(criterion=criterion, nominal="multiway", keep_candidates=True).fit(X, Y).tree_.root
    for candidate in root.candidates:
        assert candidate.ratio == pytest.approx(candidate.gain / candidate.split_info)
        if criterion == "gain_ratio":
            assert candidate.ratio == pytest.approx(candidate.merit)


def test_the_levels_of_a_set() -> None:
    root = tw.TreeClassifier(keep_candidates=True).fit(X, Y).tree_.root
    (candidate,) = (found for found in root.candidates if found.column == "c")
    assert candidate.family == "subset"
    assert sorted(candidate.levels) == ["u", "v", "w"]
    assert sorted(set(candidate.levels.values())) == [0, 1]


@pytest.mark.parametrize("variant", ["r8", "j48"])
def test_the_cut_of_a_candidate_is_the_one_the_tree_has(variant: str) -> None:
    iris = tw.datasets.load_iris()
    tree = tw.C45Classifier(variant=variant, keep_candidates=True, pruned=False).fit(iris.X, iris.y).tree_
    seen = 0
    for node in tree.nodes():
        for candidate in node.candidates:
            assert candidate.cut in iris.X[candidate.column].to_numpy()
            if candidate.chosen:
                assert node.split is not None
                assert candidate.cut == node.split.cuts[0]
                seen += 1
    assert seen == tree.n_splits
