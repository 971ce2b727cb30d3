"""What is known of columns beforehand, as parameters: what is refused and why, files, edits and first splits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw
from treewright.learn.pruning import kept_by


@pytest.fixture
def rows() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 80, 300), "debt": rng.normal(size=300), "city": rng.choice(["Bonn", "Jena"], 300)})
    X["grade"] = pd.Categorical(rng.choice(["low", "mid", "high"], 300), ["low", "mid", "high"], ordered=True)
    numbers = np.sin(X["age"] / 9) + X["age"] / 40 - X["debt"] + (X["city"] == "Bonn") + X["grade"].cat.codes
    return X, numbers.to_numpy(), (numbers > 1.5).to_numpy()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has shape 2 but the input data X has 4 features"),
        ({"monotonic_cst": [2, 0, 0, 0]}, "monotonic_cst must be None or an array-like of -1, 0 or 1, .* it is [2, 0, 0, 0]"),
        ({"monotonic_cst": {"age": True}}, "monotonic_cst must be None"),
        ({"monotonic_cst": "age"}, "monotonic_cst must be None"),
        ({"monotonic_cst": 1}, "monotonic_cst must be None"),
        ({"monotonic_cst": {"ag": 1}}, "monotonic_cst names column 'ag', which X does not have; is 'age' for 'ag' a slip?"),
        ({"monotonic_cst": {7: 1}}, "monotonic_cst names column 7: columns are given by name, or by position from 0 to 3"),
        ({"monotonic_cst": {"city": -1}}, "monotonic_cst of column 'city' is -1, but its levels have no order"),
        ({"monotonic_cst": {"age": 1}, "missing": "surrogate"}, "monotonic_cst is about the columns that decide"),
        ({"interaction_cst": "pairwise", "missing": "surrogate"}, "interaction_cst is about the columns that decide"),
        ({"monotonic_cst": {"age": 1}, "missing": "fraction"}, "missing='fraction' does not tell: use e.g. missing='learned'"),
        ({"monotonic_cst": {"age": 1}, "numeric": "ternary"}, "numeric='ternary' makes more: use 'threshold'"),
        ({"interaction_cst": "pairs"}, "interaction_cst='pairs' is not allowed"),
        ({"interaction_cst": []}, "interaction_cst=[] is not allowed"),
        ({"interaction_cst": ["age", "debt"]}, "interaction_cst=['age', 'debt'] is not allowed"),
        (
            {"interaction_cst": [{"age", "dept"}]},
            "interaction_cst names column 'dept', which X does not have; is 'debt' for 'dept'",
        ),
        ({"interaction_cst": [[0, 4]]}, "interaction_cst names column 4"),
        ({"interaction_cst": [[0, True]]}, "interaction_cst names column True"),
        ({"monotonic_cst": {"age": 1}, "forced": "age > 60"}, None),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(rows: Any, params: dict[str, Any], message: str | None) -> None:
    X, numbers, classes = rows
    for est, y in ((tw.TreeClassifier(**params), classes), (tw.TreeRegressor(**params), numbers)):
        if message is None:
            est.fit(X, y)
            continue
        with pytest.raises(ValueError, match=re.escape(message).replace(r"\.\*", ".*")):
            est.fit(X, y)
        assert not hasattr(est, "tree_")


def test_an_order_is_of_one_number(rows: Any) -> None:
    X, numbers, _ = rows
    with pytest.raises(ValueError, match="not supported with multiple outputs"):
        tw.CARTRegressor(monotonic_cst={"age": 1}).fit(X, np.c_[numbers, numbers])
    with pytest.raises(ValueError, match=r"not supported with multiclass classification.* y has 3"):
        tw.CARTClassifier(monotonic_cst={"age": 1}).fit(X, np.digitize(numbers, [0, 2]))
    with pytest.raises(ValueError, match="interaction_cst='nobody' is not allowed"):
        tw.RandomForestClassifier(2, interaction_cst="nobody").fit(X, numbers > 0)
    tw.CARTRegressor(interaction_cst="pairwise").fit(X, np.c_[numbers, numbers])
    tw.CARTClassifier(interaction_cst="no_interactions").fit(X, np.digitize(numbers, [0, 2]))


def test_the_second_class_is_that_of_classes_whatever_was_declared_first(rows: Any) -> None:
    X, _, classes = rows
    for order in (["no", "yes"], ["yes", "no"], ["yes", "other", "no"]):
        y = pd.Categorical(np.where(classes, "yes", "no"), order)
        est = tw.CARTClassifier(monotonic_cst={"age": 1}, max_depth=4).fit(X, y)
        assert est.classes_.tolist() == ["no", "yes"]
        shares = np.array([est.predict_proba(X.assign(age=age))[:, 1] for age in range(15, 85, 5)])
        assert (np.diff(shares, axis=0) >= 0).all() and shares.min() < shares.max()


def test_ordered_categories_and_dates_have_a_direction(rows: Any) -> None:
    X, numbers, _ = rows
    X = X.assign(day=pd.Timestamp("2024-01-01") + pd.to_timedelta(X["age"], "D"))
    est = tw.CARTRegressor(monotonic_cst={"grade": -1, "day": 1}).fit(X, numbers)
    said = [
        est.predict(X.assign(grade=pd.Categorical([level] * len(X), X["grade"].cat.categories, ordered=True)))
        for level in ("low", "mid", "high")
    ]
    assert (np.diff(said, axis=0) <= 0).all()


def test_they_are_parameters_that_are_cloned_saved_and_searched(rows: Any, tmp_path: Path) -> None:
    X, numbers, _ = rows
    for cst, together in (
        ({"age": 1, "debt": -1}, [["age", "debt"], ["debt", "city"]]),
        (np.array([1, -1, 0, 0]), "pairwise"),
        ([1, 0, 0, 1], [(0, 1), {1, 2, 3}]),
        (None, ({"age", "debt"}, frozenset({"city"}))),
    ):
        est = clone(tw.CARTRegressor(monotonic_cst=cst, interaction_cst=together, max_depth=4)).fit(X, numbers)
        est.save(tmp_path / "m.json")
        again = tw.load(tmp_path / "m.json")
        assert again.tree_ == est.tree_
        assert again.fit(X, numbers).tree_ == est.tree_


def test_edits_keep_what_is_known(rows: Any) -> None:
    X, numbers, _ = rows
    est = tw.CARTRegressor(monotonic_cst={"debt": -1}, interaction_cst=[["age", "debt"], ["debt", "city"]], max_depth=2).fit(
        X, numbers
    )
    edit = est.edit(X, numbers)
    edit.grow(0, steps=2)
    edit.cut(1)
    edit.grow(1, steps=3)
    edit.regrow(2, max_depth=3)
    out = edit.estimator()
    grid = [out.predict(X.assign(debt=value)) for value in np.linspace(-4, 4, 50)]
    assert (np.diff(grid, axis=0) <= 1e-12).all()
    for rule in edit.tree.to_rules():
        assert not {"age", "city"} <= {condition.column.name for condition in rule.when}
    before = edit.tree
    with pytest.raises(ValueError, match=r"interaction_cst keeps these apart"):
        _ask_both(edit)
    assert edit.tree is before
    errors = _tell_all(edit)
    assert edit.tree is before
    assert any("by monotonic_cst it may answer at most" in error for error in errors)
    assert any("with 'debt': by monotonic_cst they may only fall" in error for error in errors)
    low = tw.CARTClassifier(monotonic_cst={"age": -1}, max_depth=1).fit(X[["age"]], X["age"] > 60).edit(X[["age"]], X["age"] > 60)
    with pytest.raises(ValueError, match="node 0 would let answers rise with 'age': by monotonic_cst they may only fall"):
        low.split(0, "age <= 60")


def _ask_both(edit: Any) -> None:
    for node in range(edit.tree.n_nodes):
        if edit.tree.node(node).is_leaf:
            continue
        column = edit.tree.splits.source(node).column.name
        if column in ("age", "city"):
            edit.split(edit.tree.node(node).children[0].id, "city in {Bonn}" if column == "age" else "age <= 50")


def _tell_all(edit: Any) -> list[str]:
    """What is said of leaves that are made to say a great deal or very little."""
    errors = []
    for leaf in [node.id for node in edit.tree.leaves()]:
        for said in (1e6, -1e6):
            try:
                edit.relabel(leaf, said)
            except ValueError as error:
                errors.append(str(error))
            else:
                edit.undo()
    return errors


def test_first_splits_keep_what_is_known(rows: Any) -> None:
    X, numbers, _ = rows
    known = {"monotonic_cst": {"age": 1}, "interaction_cst": [["age", "city"], ["age", "debt"]]}
    est = tw.CARTRegressor(forced={"split": "age <= 40", "below": ["city", "debt"]}, **known).fit(X, numbers)
    grid = [est.predict(X.assign(age=value)) for value in range(15, 85)]
    assert (np.diff(grid, axis=0) >= -1e-12).all()
    for rule in est.tree_.to_rules():
        assert not {"debt", "city"} <= {condition.column.name for condition in rule.when}
    with pytest.raises(ValueError, match=r"forced split 'debt' at branch 1 cannot be made: .*interaction_cst keeps these apart"):
        tw.CARTRegressor(forced={"split": "city", "below": [None, "debt"]}, **known).fit(X, numbers)
    with pytest.raises(ValueError, match=r"forced split 'age <= 40' cannot be made: .* may only fall"):
        tw.CARTRegressor(forced="age <= 40", monotonic_cst={"age": -1}).fit(X, numbers)


def test_leaves_that_other_rows_turn_round_are_refused(rows: Any) -> None:
    X, numbers, _ = rows
    est = tw.CARTRegressor(monotonic_cst={"age": 1}, max_depth=3).fit(X, numbers)
    assert est.refresh(X, numbers + 1).tree_.n_leaves == est.tree_.n_leaves
    with pytest.raises(ValueError, match="these rows do not keep what is known: node 0 would let answers fall with 'age'"):
        est.refresh(X, -numbers)


def test_pairs_of_many_columns_are_refused() -> None:
    X = np.random.default_rng(0).normal(size=(20, 1001))
    with pytest.raises(ValueError, match='interaction_cst="pairwise" takes 1000 columns at most, X has 1001'):
        tw.CARTRegressor(interaction_cst="pairwise").fit(X, X[:, 0])
    tw.CARTRegressor(interaction_cst="no_interactions").fit(X, X[:, 0])


def test_pruning_that_raises_branches_keeps_the_order_or_is_refused(rows: Any) -> None:
    X, _, classes = rows
    est = tw.TreeClassifier(monotonic_cst={"age": 1, "debt": -1}).fit(X, classes)
    pruned = est.prune("error_based", X, classes, raising=True)
    shares = [pruned.predict_proba(X.assign(age=age))[:, 1] for age in range(15, 85, 5)]
    assert (np.diff(shares, axis=0) >= -1e-12).all()
    other = tw.TreeClassifier().fit(X, classes).tree_  # as if branches had been put elsewhere
    with pytest.raises(ValueError, match=r"'error_based' puts branches in other places, and node \d+ would let answers"):
        kept_by(est._learner, other, "error_based")
