"""The test of a node as one value: it says of every cell which branch the core sends it to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.model.splits import EVERY, NO_BRANCH, Cuts, Levels, NodeTest, Presence

POLICIES = ("learned", "own", "fraction", "majority", "surrogate")


def table(missing: bool = True) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=240).round(1)
    level = rng.choice(list("abcd"), 240)
    y = np.where((x > 0.3) ^ (level == "c"), "yes", "no")
    y = np.where(rng.random(240) < 0.1, "no", y)
    frame = pd.DataFrame({"x": x, "level": level, "z": x + rng.normal(scale=0.3, size=240)})
    if missing:
        frame.loc[::7, "x"] = np.nan
        frame.loc[::11, "level"] = None
        frame.loc[y == "yes", "z"] = frame.loc[y == "yes", "z"].where(rng.random((y == "yes").sum()) < 0.4)
    return frame, y


def branch_of(test: NodeTest, cell: Any) -> int:
    """The branch of a cell as the value says it; EVERY where it goes down all of them."""
    division = test.division
    if cell < 0 if test.source.column.nominal else np.isnan(cell):
        return test.missing_branch
    if isinstance(division, Presence):
        return division.to
    if isinstance(division, Levels):
        branch = division.to.get(int(cell), division.otherwise)
        assert branch is not None
        return branch
    below = [cell < at if division.strict else cell <= at for at in division.at]
    return division.to[below.index(True) if True in below else len(below)]


@pytest.mark.parametrize("missing", POLICIES[:-1])
@pytest.mark.parametrize("numeric", ["threshold", "ternary"])
@pytest.mark.parametrize("nominal", ["subset", "multiway", "one_vs_rest"])
def test_the_value_says_where_the_core_sends_rows(missing: str, numeric: str, nominal: str) -> None:
    X, y = table()
    tree = tw.TreeClassifier(missing=missing, numeric=numeric, nominal=nominal, max_depth=4).fit(X, y).tree_
    cells = tw.model.rules.cells_of(X, tree.schema)
    passed = tree.decision_path(X).toarray().astype(bool)
    kinds = set()
    for node in tree.nodes():
        if node.is_leaf:
            continue
        test = tree.splits.test(node.id)
        kinds.add(type(test.division))
        assert len(node.children) == test.n_branches and test.family == tree.families[tree.node_columns.family[node.id]]
        for row in np.flatnonzero(passed[:, node.id]).tolist():
            went = [branch for branch, child in enumerate(node.children) if passed[row, child.id]]
            wanted = branch_of(test, cells[test.source.index][row])
            if wanted == EVERY:
                assert len(went) > 1 or test.n_branches == 1
            else:
                assert went == [wanted]
    assert kinds >= {Cuts}


def test_a_tree_that_refuses_missing_cells_has_no_branch_for_them() -> None:
    X, y = table(missing=False)
    tree = tw.TreeClassifier(missing="refuse").fit(X, y).tree_
    tests = [tree.splits.test(node.id) for node in tree.nodes() if not node.is_leaf]
    assert {test.missing_branch for test in tests} == {NO_BRANCH}


def test_a_presence_test_sends_what_is_there_to_its_first_branch() -> None:
    x = pd.DataFrame({"x": [1.0, 2.0, 1.5, None, None, 1.2]})
    tree = tw.CARTClassifier(missing="learned").fit(x, ["there"] * 3 + ["gone"] * 2 + ["there"]).tree_
    found = [tree.splits.test(node.id) for node in tree.nodes() if not node.is_leaf]
    present = [test for test in found if test.family == "presence"]
    assert present and all(isinstance(test.division, Presence) and test.missing_branch == 1 for test in present)


def test_surrogates_are_tests_of_other_columns() -> None:
    X, y = table()
    tree = tw.CARTClassifier(missing="surrogate").fit(X, y).tree_
    counts = tree.node_columns.n_surrogates
    assert counts.sum() > 0
    for node in tree.nodes():
        tests = tree.splits.surrogates(node.id) if not node.is_leaf else []
        assert len(tests) == counts[node.id] == len(node.surrogates)
        for test, surrogate in zip(tests, node.surrogates, strict=True):
            assert (test.source.column.name, test.agreement) == (surrogate.column, surrogate.agreement)
            first = surrogate.when[0]
            if isinstance(test.division, Cuts):
                below = test.division.to[0] == 0
                bound = first.high if below else first.low
                assert bound is not None and bound.at == test.division.at[0]
            else:
                assert first.levels == {code for code, branch in test.division.to.items() if branch == 0}


@pytest.mark.parametrize("missing", POLICIES)
def test_a_test_says_which_branch_is_of_missing_cells_alone(missing: str) -> None:
    X, y = table()
    tree = tw.TreeClassifier(missing=missing, numeric="threshold", nominal="subset").fit(X, y).tree_
    alone = 0
    for node in tree.nodes():
        if not node.is_leaf:
            test = tree.splits.test(node.id)
            present = [child.condition.present for child in node.children]
            assert [test.leads_to(branch) for branch in range(test.n_branches)] == present
            alone += present.count(False)
    assert (alone > 0) == (missing in ("own", "learned"))


def test_tuples_read_as_arrays_do() -> None:
    X, y = table()
    tree = tw.CARTClassifier(missing="surrogate").fit(X, y).tree_
    quick = tree.splits.tuples()
    for node in tree.nodes():
        if not node.is_leaf:
            assert quick.test(node.id) == tree.splits.test(node.id)
            assert quick.surrogates(node.id) == tree.splits.surrogates(node.id)
            assert quick.shares(node.id) == tree.splits.shares(node.id)
    assert tree.node_columns.tuples().weight == tuple(node.weight for node in tree.nodes())


def test_thresholds_on_a_column_are_those_of_its_tests_and_surrogates() -> None:
    X, y = table()
    tree = tw.CARTClassifier(missing="surrogate").fit(X, y).tree_
    for index in tree.splits.tested():
        inner = [node.id for node in tree.nodes() if not node.is_leaf]
        tests = [*(tree.splits.test(id) for id in inner), *(each for id in inner for each in tree.splits.surrogates(id))]
        own = [test.division for test in tests if test.source.index == index and isinstance(test.division, Cuts)]
        found = tree.splits.thresholds(index)
        if not tree.columns[index].nominal:
            assert sorted(found.at.tolist()) == sorted(at for division in own for at in division.at)
            assert sorted(found.below.tolist()) == sorted(at for division in own for at in division.below)
