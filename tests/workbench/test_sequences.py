"""Any sequence of edits keeps the tree valid, its counts those of its rows, and its log a recipe for the same tree."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import treewright as tw
from tests.workbench.sequences import LEARNERS, attempt, check, seeds, session
from treewright.errors import TreewrightWarning


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
    assert done > 20
