"""Any sequence of edits keeps the tree valid, its counts those of its rows, and its log a recipe for the same tree."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import treewright as tw
from tests.workbench.sequences import LEARNERS, attempt, check, seeds, session
from treewright.errors import TreewrightWarning


def described_alike(edit, X, y, weights):
    """Every node is what its rows make of it, impurity and all: described anew by the same rows, nothing changes."""
    estimator = edit.estimator()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)
        again = estimator.refresh(X, y, sample_weight=weights).tree_
    said = [id for id, word in edit.tree.by_hand.items() if word == "said by hand"]
    mine, theirs = edit.tree.node_columns, again.node_columns
    some = np.asarray(mine.weight) > 1e-9
    # Where nodes are described after growing (raising, rows held out, QUEST), gains are of all rows, also those without the cell.
    later = type(estimator).__name__ in ("REPTreeClassifier", "QuestTreeClassifier", "C45Classifier")
    for name in ("weight", "impurity", "label", "value", *(() if later else ("gain",))):
        one, two = (np.array(getattr(nodes, name), float) for nodes in (mine, theirs))
        kept = [id for id in np.flatnonzero(some).tolist() if not (name in ("label", "value") and id in said)]
        if len(one):
            np.testing.assert_allclose(one[kept], two[kept], rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("block", range(len(LEARNERS)))
def test_any_sequence_of_edits_keeps_the_tree_valid_and_its_counts_those_of_its_rows(block):
    done = 0
    for seed in seeds(320):
        if seed % len(LEARNERS) != block:
            continue
        edit, X, y, weights = session(seed)
        rng = np.random.default_rng(1000 + seed)
        check(edit.tree, X, y, weights)
        for _ in range(10):
            if attempt(edit, rng, X):
                done += 1
                check(edit.tree, X, y, weights)
        if seed // len(LEARNERS) % 4 == 0:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TreewrightWarning)
                again = tw.replay(edit.log, X, y, sample_weight=weights)
            assert not again.left_out, [str(each) for each in again.left_out]
            assert again.tree == edit.tree
            described_alike(edit, X, y, weights)
    assert done > 20
