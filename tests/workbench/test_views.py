"""What the page is told of the rows of a node: recounted from the table, and compared with the split that is then made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.node import computed
from tests.workbench.screen import iris, large
from treewright.workbench.session import Session
from treewright.workbench.views import MOST_CUTS

RANDOM = np.random.default_rng(3)


def told(edit: Any, rows: tuple[Any, ...], node: int, column: int) -> dict[str, Any]:
    return Session(edit, rows).column({"node": node, "column": column})


def cases() -> dict[str, tuple[Any, Any, Any]]:
    X, y = large(3_000)
    numbers = np.asarray(X.x0 + X.x2)
    return {
        "classes": (tw.CARTClassifier(max_depth=2), X, y),
        "numbers": (tw.CARTRegressor(max_depth=2), X, numbers),
        "less": (tw.TreeClassifier(relation="<", max_depth=2), X, y),
        "c45": (tw.C45Classifier(min_samples_leaf=40), X, y),
        "majority": (tw.CARTClassifier(max_depth=2, missing="majority"), X, y),
        "many values": (
            tw.CARTClassifier(max_depth=2),
            pd.DataFrame({"a": RANDOM.normal(size=9_000)}),
            RANDOM.integers(0, 3, 9_000),
        ),
        "neighbours": (tw.CARTClassifier(max_depth=1), pd.DataFrame({"a": np.nextafter(1.0, [0, 1, 2] * 20)}), [0, 1, 0] * 20),
    }


@pytest.mark.parametrize("name", cases())
def test_what_lies_below_a_threshold_is_what_a_split_there_counts(name: str) -> None:
    learner, X, y = cases()[name]
    model = learner.fit(X, y)
    y = np.asarray(y)
    edit = model.edit(X, y)
    for node in {0, edit.tree.n_nodes - 1}:
        for column in range(min(2, X.shape[1])):
            asked = told(edit, (X, y), node, column)
            cuts = asked["cuts"]
            assert len(cuts) <= MOST_CUTS and cuts == sorted(set(cuts))
            if not cuts:
                continue
            for at in sorted({0, len(cuts) // 3, len(cuts) - 1}):
                tree = edit.split(node, X.columns[column], at=cuts[at])
                made = tree.node(node)
                assert made.split.relation == ("<" if asked["less"] else "<=")
                whole = sum(asked["totals"])
                weight = sum(sums[at] for sums in asked["sums"])
                # Missing cells go where the policy of the tree sends them.
                assert weight - 1e-9 <= made.children[0].weight <= weight + asked["missing"] + 1e-9
                assert made.weight == pytest.approx(whole + asked["missing"])
                if asked["missing"] == 0 and edit.tree.target.classes is not None:
                    counts = [made.children[0].value.get(label, 0) for label in tree.target.classes]
                    assert counts == [sums[at] for sums in asked["sums"]]
                if asked["missing"] == 0 and edit.tree.target.classes is None:
                    assert made.children[0].prediction == pytest.approx(asked["target"][at] / weight)
                edit.undo()


@pytest.mark.parametrize(
    ("model", "criterion"),
    [
        (lambda X, y: tw.CARTClassifier(max_depth=2).fit(X, y), "Gini"),
        (lambda X, y: tw.CARTClassifier(max_depth=2, criterion="entropy").fit(X, y), "entropy"),
        (lambda X, y: tw.CARTRegressor(max_depth=2).fit(X, np.unique(y, return_inverse=True)[1]), "variance"),
    ],
)
def test_the_page_reckons_the_gains_that_growing_does(model: Any, criterion: str) -> None:
    _, X, y = iris()
    made = model(X, y)
    y = y if made.tree_.target.classes else np.unique(y, return_inverse=True)[1]
    edit = made.edit(X, y)
    for each in edit.alternatives(2):
        column = X.columns.get_loc(each.column) if hasattr(X, "columns") else made.feature_names_in_.tolist().index(each.column)
        asked = told(edit, (X, y), 2, column)
        found = computed("reduction", f"$reduction.falls(given, '{criterion}')", asked)
        assert max(found) == pytest.approx(each.gain)
        assert asked["cuts"][int(np.argmax(found))] == pytest.approx(each.cut)
    assert computed("reduction", "$reduction.falls(given, 'impurity')", asked) == [None] * len(found)


def test_the_nearest_threshold_is_found() -> None:
    cuts = [1, 2, 4, 8]
    values = [-5, 1.4, 1.6, 3, 3.1, 7, 100]
    found = computed(
        "reduction", "given.values.map((value) => $reduction.nearest(given.cuts, value))", {"cuts": cuts, "values": values}
    )
    assert found == [int(np.argmin([abs(cut - value) for cut in cuts])) for value in values]


def test_nodes_are_found_again_by_their_ways() -> None:
    trees = {
        "before": {"first": [1, 0, 3, 0, 0], "branches": [2, 0, 2, 0, 0], "parent": [-1, 0, 0, 2, 2], "n": 5},
        "after": {"first": [1, 3, 0, 0, 0], "branches": [2, 2, 0, 0, 0], "parent": [-1, 0, 0, 1, 1], "n": 5},
    }
    path = computed("places", "$places.pathOf(given.before, 4)", trees)
    assert path == [1, 1]
    assert computed("places", "$places.nodeAt(given.before, [1, 1])", trees) == 4
    assert computed("places", "$places.nodeAt(given.after, [1, 1])", trees) == 2  # a leaf now
    opened = computed("places", "Array.from($places.reopened(given.before, [1, 0, 1, 0, 0], given.after))", trees)
    assert opened == [1, 0, 0, 0, 0]


def test_pictures_hold_all_rows_of_the_node() -> None:
    X, y = large(2_000)
    edit = tw.CARTClassifier(max_depth=2).fit(X, y).edit(X, y)
    session = Session(edit, (X, y))
    for entry in session.alternatives({"node": 0})["alternatives"]:
        picture, column = entry["picture"], X.iloc[:, entry["column"]]
        counted = sum(sum(level[2]) for level in picture["levels"]) if "levels" in picture else sum(picture["counts"])
        assert counted == column.notna().sum()
    by_level = told(edit, (X, y), 0, 6)["picture"]["levels"]
    for _, name, counts in by_level:
        assert counts == [((X.town == name) & (y == label)).sum() for label in edit.tree.target.classes]


@pytest.mark.parametrize("relation", ["<=", "<"])
def test_ordered_levels_are_cut_between_two_of_them(relation: str) -> None:
    X, y = large(500)
    edit = tw.TreeClassifier(relation=relation, max_depth=2).fit(X, y).edit(X, y)
    session = Session(edit, (X, y))
    column = X.columns.get_loc("size")
    cuts = session.column({"node": 0, "column": column})["cuts"]
    assert cuts == [0.5, 1.5]
    for cut, levels in zip(cuts, (["S"], ["S", "M"]), strict=True):
        session.do({"version": session.version, "verb": "split", "node": 0, "column": column, "at": cut})
        assert edit.tree.root.children[0].weight == X["size"].isin(levels).sum()


def test_many_classes_and_columns_stay_small() -> None:
    X = pd.DataFrame(RANDOM.normal(size=(4_000, 40)), columns=[f"x{j}" for j in range(40)])
    y = RANDOM.integers(0, 500, 4_000)
    edit = tw.CARTClassifier(max_depth=1).fit(X, y).edit(X, y)
    session = Session(edit, (X, y))
    found = session.alternatives({"node": 0})
    assert len(found["alternatives"]) == 12 and found["more"] == 28
    asked = session.column({"node": 0, "column": 0})
    assert len(asked["cuts"]) * len(asked["sums"]) <= 120_000
