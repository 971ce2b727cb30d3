"""Folds: trees of parts of a table that is encoded once are those of the rows alone; folds are balanced, or say why not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, StratifiedKFold

import treewright as tw
from tests.properties.tables import POLICIES, make_case, modest
from treewright.learn.jobs import Progress
from treewright.table.folds import fold_rows

LEARNERS: list[Any] = [
    tw.CARTClassifier,
    tw.CARTRegressor,
    *(lambda policy=policy: tw.TreeClassifier(missing=policy, criterion="info_gain") for policy in POLICIES),
    lambda: tw.TreeClassifier(numeric="discretised", nominal="multiway", missing="own"),
    lambda: tw.TreeRegressor(min_samples_leaf=0.1, missing="fraction"),
    lambda: tw.C45Classifier(),
    lambda: tw.C45Classifier(variant="j48", min_samples_leaf=1),
]


@given(seed=st.integers(0, 10_000), which=st.integers(0, len(LEARNERS) - 1), weighted=st.booleans())
@modest(80)
def test_a_part_grows_the_tree_of_its_rows(seed: int, which: int, weighted: bool) -> None:
    est = LEARNERS[which]()
    case = make_case(seed, n=150 if seed % 3 else 30)
    weights = case.weights.astype(float) + 1 if weighted else None
    rows = np.flatnonzero(np.random.default_rng(seed).random(len(case.classes)) < 0.7)
    y = case.target(est)
    # Declared levels and classes are those of the whole table, in both.
    frame = case.X.astype(dict.fromkeys(case.X.select_dtypes(["object", "str"]).columns, "category"))
    y = pd.Series(pd.Categorical(y) if hasattr(est, "predict_proba") else y)
    learner = est._learner
    training = learner.training(frame, y, weights)
    whole = training.table()
    whole.prepare(learner.settings(training))
    core = learner.regrow(training, whole, rows, Progress())
    alone = LEARNERS[which]().fit(frame.iloc[rows], y.iloc[rows], None if weights is None else weights[rows])
    mine, theirs = core.state(), alone.tree_._core.state()
    assert all(np.array_equal(mine[name], theirs[name], equal_nan=True) for name in mine)


def test_many_values_are_not_sorted_again() -> None:
    """Lists of rows in order, dates and missing cells among them, are divided and not made anew."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + rng.normal(size=3000) > 0).astype(int)
    for est in (tw.CARTClassifier(), tw.CARTRegressor(), tw.TreeClassifier(missing="fraction"), tw.C45Classifier(variant="j48")):
        learner = est._learner
        training = learner.training(X, y)
        whole = training.table()
        whole.prepare(learner.settings(training))
        for k in range(3):
            rows = np.flatnonzero(np.arange(3000) % 3 != k)
            mine = learner.regrow(training, whole, rows, Progress()).state()
            theirs = type(est)(**est.get_params()).fit(X[rows], y[rows]).tree_._core.state()
            assert all(np.array_equal(mine[name], theirs[name], equal_nan=True) for name in mine)


def test_folds_are_balanced_and_repeatable() -> None:
    classes = np.repeat([0, 1, 2], [50, 31, 9])
    folds = fold_rows(4, 90, classes, seed=5)
    tests = np.concatenate([test for _, test in folds])
    assert sorted(tests) == list(range(90))
    for train, test in folds:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(90))
        counts = np.bincount(classes[test], minlength=3)
        assert set(counts.tolist()) <= {12, 13, 7, 8, 2, 3}
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(folds, fold_rows(4, 90, classes, seed=5), strict=True))
    assert any(not np.array_equal(a[1], b[1]) for a, b in zip(folds, fold_rows(4, 90, classes, seed=6), strict=True))


def test_folds_by_splitter_and_by_number_agree() -> None:
    splitter = KFold(3)
    numbers = np.repeat([0, 1, 2], 10)
    by_splitter, by_number = fold_rows(splitter, 30, None), fold_rows(numbers, 30, None)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(by_splitter, by_number, strict=True))
    classes = np.tile([0, 1], 15)
    assert len(fold_rows(StratifiedKFold(3), 30, classes)) == 3


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (1, "folds=1 is not allowed"),
        (0, "folds=0 is not allowed"),
        (True, "must be a number of folds"),
        ("ten", "must be a number of folds"),
        (2.5, "must be a number of folds"),
        (np.zeros(30, int), "at least two different"),
        (np.arange(29), "29 entries, there are 30"),
    ],
)
def test_wrong_folds_are_named(folds: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        fold_rows(folds, 30, None)


def test_w5_rare_classes_and_more_folds_than_rows_are_said() -> None:
    """W5: a class of one row, and k above the smallest class: folds exist, with a warning."""
    classes = np.array([0] * 20 + [1])
    with pytest.warns(tw.TreewrightWarning, match="smallest class has 1 row, fewer than folds=5"):
        assert len(fold_rows(5, 21, classes)) == 5
    with pytest.warns(tw.TreewrightWarning, match="every row is a fold"):
        assert len(fold_rows(50, 8, None)) == 8
    # As many folds as rows, or as rows of the smallest class, are nothing to warn of.
    assert [test.tolist() for _, test in sorted(fold_rows(8, 8, None), key=lambda fold: fold[1][0])] == [
        [row] for row in range(8)
    ]
    for _, test in fold_rows(5, 25, np.repeat([0, 1], [20, 5])):
        assert np.sum(test >= 20) == 1
