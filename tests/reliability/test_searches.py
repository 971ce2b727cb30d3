"""Searches that are too large, wrong parameters and wrong tables: errors that name the thing, the number and the remedy."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import SOURCE

RNG = np.random.default_rng(0)
NUMBERS = RNG.random((40, 3))
SIDES = np.where((NUMBERS[:, 0] > 0.5) ^ (NUMBERS[:, 1] > 0.5), "p", "q")
LETTERS = pd.DataFrame(RNG.choice(list("uvw"), (30, 4)), columns=list("abcd"))


def ahead(**options: Any) -> Any:
    return tw.BacktrackingTreeClassifier(**options).fit(NUMBERS, SIDES)


def naive(**options: Any) -> Any:
    return tw.MemorisingTreeClassifier(**options).fit(LETTERS, np.arange(30) % 2)


@pytest.mark.parametrize(
    ("do", "message"),
    [
        (lambda: ahead(depth=0), "depth=0 is not allowed: it must be a whole number from 1 to 32"),
        (lambda: ahead(depth=33), "depth=33"),
        (lambda: ahead(depth=2.0), "depth=2.0"),
        (lambda: ahead(max_thresholds=0), "max_thresholds=0"),
        (lambda: ahead(max_steps=-1), "max_steps=-1"),
        (lambda: ahead(missing="most_common"), "missing='most_common' does not fit .* use e.g. missing='learned'"),
        (lambda: ahead(missing="surrogate", nominal="subset"), "missing='surrogate' does not fit"),
        (lambda: ahead(criterion="ginny"), "criterion 'ginny' is unknown; did you mean 'gini'"),
        (
            lambda: ahead(depth=3, max_steps=1000),
            "looking 3 levels ahead in a table of 40 rows and 3 columns looks at more than 1000 cells.*smaller depth.*max_steps=",
        ),
        (lambda: naive(order="abcd"), "order='abcd' is not allowed: it must be a list of all columns"),
        (lambda: naive(order=["a", "b", "c"]), "must list every column once: the table has 4 columns"),
        (lambda: naive(order=["a", "b", "c", "c"]), "must list every column once"),
        (lambda: naive(order=["a", "b", "c", "z"]), "must list every column once"),
        (lambda: naive(missing="learned"), "missing='learned' is not allowed: it must be 'refuse' or 'majority'"),
        (
            lambda: tw.MemorisingTreeClassifier().fit([[np.nan], [1.0]], ["p", "q"]),
            "is missing .NaN. in row 0 and missing='refuse'",
        ),
        (lambda: tw.smallest_trees([[1], [1], [2]], ["p", "q", "q"]), "rows 0 and 1 have the same cells and different classes"),
        (lambda: tw.smallest_trees([[np.nan], [1.0]], ["p", "q"]), "is missing .NaN. in row 0: fill it, or leave the row"),
        (lambda: tw.VersionSpace([["u"], [None]], ["p", "q"]), "is missing .NaN. in row 1: fill it, or leave the row"),
        (
            lambda: tw.smallest_trees(NUMBERS, SIDES, max_steps=500),
            "40 different rows and 3 columns has tried max_steps=500",
        ),
        (lambda: tw.smallest_trees(NUMBERS, SIDES, size=201), "size=201"),
        (lambda: tw.smallest_trees(NUMBERS, SIDES, size=0), "no tree of 0 splits is right about every row"),
        (lambda: tw.smallest_trees(np.arange(300.0).reshape(-1, 1), np.arange(300) % 2, max_steps=5000), "max_steps=5,000"),
        (lambda: tw.count_trees(3, -1), "size=-1"),
        (lambda: tw.count_trees(-3, 1), "n_columns=-3"),
        (lambda: tw.count_trees(3, 1, 0), "n_classes=0"),
        (lambda: tw.count_trees(3, 1, 2, [2, 2]), r"n_levels=\[2, 2\] is not allowed: .* one for each of the 3 columns"),
        (lambda: tw.count_trees(60, 5000), "counting the trees of 5000 splits over 60 columns takes about .* smaller size"),
        (lambda: tw.count_functions(40), "about 3.31e.11 digits, more than 1,000,000"),
        (lambda: tw.count_conjunctions(2, 0), "n_levels=0"),
    ],
)
def test_errors_say_what_and_what_to_do(do: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        do()


def test_memorising_a_table_that_is_too_wide_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treewright.learn.planted.MOST_NODES", 50)
    with pytest.raises(ValueError, match=r"more than 50 nodes.*leave out columns of many values"):
        naive()


def test_rows_with_missing_cells_follow_the_majority() -> None:
    X = pd.DataFrame({"a": ["u", "u", "v", None], "b": ["x", "y", "x", "x"]})
    tree = tw.MemorisingTreeClassifier(missing="majority").fit(X, ["p", "q", "q", "p"]).tree_
    assert [edge.weight for edge in tree.root.children] == [3, 1]
    assert tree.predict(pd.DataFrame({"a": [None], "b": ["y"]})).tolist() == ["q"]


def test_contradicting_rows_are_told_by_their_majority_and_weights_count() -> None:
    X = pd.DataFrame({"a": ["u"] * 4 + ["v"]})
    y = ["p", "p", "q", "q", "q"]
    assert tw.MemorisingTreeClassifier().fit(X, y).predict(X).tolist() == ["p"] * 4 + ["q"]
    weighed = tw.MemorisingTreeClassifier().fit(X, y, sample_weight=[1, 1, 2, 1, 0])
    assert weighed.tree_.root.weight == 5
    assert weighed.predict(X[:1]).tolist() == ["q"]


def test_smallest_trees_are_a_sequence() -> None:
    found = tw.smallest_trees(LETTERS[["a", "b"]].drop_duplicates(), np.arange(len(LETTERS[["a", "b"]].drop_duplicates())) % 2)
    assert str(found[-1].to_rules()) == str(found[len(found) - 1].to_rules())
    assert len(found[:2]) == min(2, len(found))
    for place in (len(found), -len(found) - 1):
        with pytest.raises(IndexError, match="does not exist"):
            found[place]
    assert repr(found) == f"SmallestTrees(size={found.size}, count={found.count})"


def test_fewer_thresholds_still_see_what_the_greedy_learner_sees() -> None:
    x = np.arange(60.0)
    y = np.where(x < 7, "p", "q")
    X = np.column_stack([x, RNG.random(60)])
    tree = tw.BacktrackingTreeClassifier(max_thresholds=2).fit(X, y).tree_
    assert tree.n_splits == 1
    assert tree.root.split.cuts == (6.5,)


INTERRUPTED = """
import numpy as np, treewright as tw
rng = np.random.default_rng(0)
X, y = rng.random((3000, 6)), rng.integers(0, 2, 3000)
est = tw.BacktrackingTreeClassifier(depth=3, max_steps=10**15)
print("begins", flush=True)
try:
    est.fit(X, y)
except KeyboardInterrupt:
    print("ended", hasattr(est, "tree_"), flush=True)
"""


def test_ctrl_c_ends_a_look_ahead() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": SOURCE}
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begins\n"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert child.communicate(timeout=60)[0] == "ended False\n"
        assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("est", "policy"),
    [
        (tw.MemorisingTreeClassifier(), "majority"),
        (tw.BacktrackingTreeClassifier(depth=2), "learned"),
        (tw.OptimalTreeClassifier(missing="refuse"), "learned"),
    ],
)
def test_missing_cells_are_refused_with_a_policy_that_takes_them(est: Any, policy: str) -> None:
    X, y = pd.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": list("uvuv")}), list("ppqq")
    with pytest.raises(ValueError, match=f"column 'a' .* in row 1 .* missing='{policy}'"):
        est.fit(X, y)
    est.set_params(missing=policy).fit(X, y)
