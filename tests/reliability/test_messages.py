"""What is passed by mistake is answered by one clear error (or warning) that names the thing, the value and the remedy."""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw

X = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": ["x", "y", "x", "y"]})
Y = ["p", "q", "p", "q"]


def fitted(**parameters: Any) -> tw.CARTClassifier:
    return tw.CARTClassifier(**parameters).fit(X, Y)


def test_unseen_levels_and_the_remedy_that_is_left() -> None:
    rows = X.head(2).assign(b=["new", "x"])
    with pytest.raises(ValueError, match=r"^1 cell in 2 rows holds a level never seen .*; fit with a policy .*'majority'"):
        tw.ID3Classifier().fit(X[["b"]], Y).predict(rows[["b"]])
    with pytest.raises(ValueError, match=r"fit with unseen='missing' to treat it as missing$"):
        fitted(unseen="error").predict(rows)
    with pytest.raises(ValueError, match="fit with unseen='missing' and a policy"):
        tw.ID3Classifier(unseen="error").fit(X[["b"]], Y).predict(rows[["b"]])
    with pytest.warns(tw.UnseenLevelWarning, match=r"^2 cells in 2 rows hold levels never seen"):
        fitted().predict(rows.assign(b="new"))


def test_positions_of_columns_end_before_their_number() -> None:
    assert tw.CARTClassifier(categorical_features=[0, 1]).fit(X, Y).tree_.columns[0].nominal
    for position in (2, -1):
        with pytest.raises(ValueError, match=rf"^categorical_features={position} is not allowed: .* a position below 2"):
            tw.CARTClassifier(categorical_features=[position]).fit(X, Y)


@pytest.mark.parametrize("short", [[3], "ab", 5], ids=str)
def test_the_row_that_is_shorter_is_named(short: Any) -> None:
    with pytest.raises(ValueError, match=r"^row 1 of X has 1 cell, row 0 has 2: all rows must be as long"):
        tw.CARTClassifier().fit([[1, 2], short, [5, 6]], ["p", "q", "p"])


def test_a_column_of_text_takes_no_numbers() -> None:
    for number in (3, 3.5, True):
        with pytest.raises(ValueError, match=r"column 'b' held text in training and holds \w+ now, .*X\['b'\].astype\(str\)"):
            fitted().predict(X.assign(b=number))
    coded = tw.CARTClassifier(categorical_features=["a"]).fit(X, Y)
    with pytest.raises(ValueError, match="column 'a' held numbers in training and holds text now, such as '1'"):
        coded.predict(X.assign(a="1"))
    assert coded.predict(X.assign(a=X["a"].astype(int))).tolist() == Y  # 1 is 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted().predict(X.assign(b=np.nan))  # nothing is of no type


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (None, TypeError, "X is None: pass a table"),
        ("rows.csv", TypeError, "X='rows.csv' is a name.*read_table"),
        (X["a"], ValueError, r"a Series was passed.*to_frame\(\).*iloc"),
        (pl.Series("a", [1.0]), ValueError, r"a Series was passed.*to_frame\(\)"),
        (3, TypeError, "X=3 is no table"),
        ((row for row in [[1.0]]), TypeError, "X=<generator .* is no table"),
        ([[1.0, "x"], [2.0]], ValueError, "row 1 of X has 1 cell, row 0 has 2: .* None where"),
        ([], ValueError, "X=.* is empty: pass a table"),
    ],
    ids=["None", "path", "series", "polars", "number", "generator", "ragged", "nothing"],
)
def test_what_is_no_table(wrong: Any, error: type[Exception], words: str) -> None:
    for use in (lambda: tw.CARTClassifier().fit(wrong, Y), lambda: fitted().predict(wrong)):
        with pytest.raises(error, match=words) as caught:
            use()
        assert "\n" not in str(caught.value)


def test_empty_tables() -> None:
    with pytest.raises(ValueError, match=r"^X has no columns"):
        tw.CARTClassifier().fit(pd.DataFrame(index=[0, 1]), [0, 1])
    with pytest.raises(ValueError, match=r"^X has no rows to learn from"):
        tw.CARTClassifier().fit(X.head(0), [])


def test_columns_in_another_order_are_picked_as_the_frame_can() -> None:
    odd = X[["b", "a"]]
    for frame, pick in ((odd, r"\["), (pl.from_pandas(odd), r"\.select\("), (pa.Table.from_pandas(odd), r"\.select\(")):
        with pytest.raises(ValueError, match=rf"same order.*\n.*X{pick}list\(model.feature_names_in_"):
            fitted().predict(frame)
    assert fitted().predict(pa.Table.from_pandas(odd).select(list(fitted().feature_names_in_))).tolist() == Y
    with pytest.raises(ValueError, match=r"missing:\n- a\nAdd the missing columns; then use X\[list"):
        fitted().predict(X[["b"]])


def test_names_that_are_no_text() -> None:
    with pytest.raises(TypeError, match=r"all input features have string names: 0 is of type int; use X.columns"):
        tw.CARTClassifier().fit(X.rename(columns={"a": 0}), Y)
    numbered = X.rename(columns={"a": 7, "b": 8})
    assert tw.CARTClassifier(categorical_features=["7"]).fit(numbered, Y).tree_.columns[0].nominal
    with pytest.raises(ValueError, match=r"categorical_features=7 .* the column of that name is '7'"):
        tw.CARTClassifier(categorical_features=[7]).fit(numbered, Y)


@pytest.mark.parametrize("mask", [[True], [True, False, True], np.array([True, False, False])], ids=str)
def test_a_mask_of_another_length(mask: Any) -> None:
    with pytest.raises(ValueError, match=f"categorical_features is a mask of {len(mask)} entr.*, X has 2 columns"):
        tw.CARTClassifier(categorical_features=mask).fit(X, Y)


def test_levels_where_numbers_were() -> None:
    for now, what in ((pd.Categorical([1, 2, 3, 4]), "categorical"), (["1", "2", "3", "4"], "text")):
        with pytest.raises(ValueError, match=rf"column 'a' was number .* it is {what} now; .* X\['a'\].astype\(float\)"):
            fitted().predict(X.assign(a=now))


@pytest.mark.parametrize("wrong", ["x", -1, 1.5, np.random.default_rng(0)], ids=["text", "negative", "float", "generator"])
def test_random_states(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"^random_state=.* is not allowed: it must be None, a whole number from 0 up, or a"):
        fitted(random_state=wrong)


@pytest.mark.parametrize("wrong", [3, {"a": 1}, {"p", "q"}, (c for c in "pqpq")], ids=lambda value: type(value).__name__)
def test_targets_that_are_no_column(wrong: Any) -> None:
    for make in (tw.CARTClassifier, tw.CARTRegressor):
        with pytest.raises(ValueError, match=r"y should be a 1d array, got .*: pass one class or number per row|inconsistent"):
            make().fit(X, wrong)


def test_lists_as_classes_and_as_weights() -> None:
    with pytest.raises(ValueError, match=r"y holds \[1\] of type list: classes must be text, numbers"):
        tw.CARTClassifier().fit(X, pd.Series([[1], [2, 3], [4], [5]]))
    with pytest.raises(ValueError, match=r"sample_weight=.* is not allowed: weights must be finite numbers"):
        tw.CARTClassifier().fit(X, Y, sample_weight=[[1], [2, 3], [4], [5]])


WHOLE = [2**53 + 1, 2**53 + 2, 5, 6]
INEXACT = {
    "objects": pd.DataFrame({"a": pd.Series(WHOLE, dtype=object)}),
    "decimals": pd.DataFrame({"a": [Decimal(value) for value in WHOLE]}),
    "arrow": pa.table({"a": pa.array([Decimal(value) for value in WHOLE])}),
    "polars": pl.DataFrame({"a": [Decimal(value) for value in WHOLE]}),
    "int64": pd.DataFrame({"a": WHOLE}),
}


@pytest.mark.parametrize("which", INEXACT)
def test_whole_numbers_that_floats_cannot_tell_apart(which: str) -> None:
    with pytest.warns(tw.TreewrightWarning, match=r"column 'a' holds whole numbers beyond 2\*\*53"):
        tw.CARTClassifier().fit(INEXACT[which], Y)


TARGETS = {
    "list": WHOLE,
    "uint64": np.array(WHOLE, np.uint64),
    "objects": np.array(WHOLE, object),
    "decimals": list(map(Decimal, WHOLE)),
}


@pytest.mark.parametrize("y", TARGETS.values(), ids=TARGETS)
def test_targets_that_floats_cannot_tell_apart(y: Any) -> None:
    with pytest.warns(tw.TreewrightWarning, match=r"y holds whole numbers beyond 2\*\*53"):
        tw.CARTRegressor().fit(X, y)


@pytest.mark.parametrize("sign", [1, -1])
def test_up_to_2_to_the_53_whole_numbers_are_floats(sign: int) -> None:
    exact = pd.DataFrame({"a": [sign * 2**53, 2, 5, 6]})  # warnings are errors here
    tw.CARTClassifier().fit(exact, Y)
    tw.CARTRegressor().fit(X, exact["a"])
    for beyond in (exact["a"] + sign, pd.Series([Decimal(sign * 2**53), *map(Decimal, (2, 5, 6))])):
        with pytest.warns(tw.TreewrightWarning, match=r"beyond 2\*\*53"):
            tw.CARTClassifier().fit(beyond.to_frame("a"), Y)


@pytest.mark.parametrize("hole", [None, float("nan"), pd.NA], ids=str)
def test_a_hole_does_not_hide_whole_numbers_and_floats_are_what_they_are(hole: Any) -> None:
    with pytest.warns(tw.TreewrightWarning, match=r"column 'a' holds whole numbers beyond 2\*\*53"):
        tw.CARTClassifier().fit(pd.DataFrame({"a": pd.Series([2**53 + 1, hole, 5, 6], dtype=object)}), Y)
    tw.CARTClassifier().fit(pd.DataFrame({"a": pd.Series([1e300, hole, 5, 6], dtype=object)}), Y)  # warnings are errors here


def test_numbers_beyond_all_floats() -> None:
    with pytest.raises(ValueError, match=r"column 'a' holds 1000.* in row 1, which is no 64-bit float"):
        tw.CARTClassifier().fit(pd.DataFrame({"a": pd.Series([1, 10**400, 2, 3], dtype=object)}), Y)
    with pytest.raises(ValueError, match=r"y holds 1000.* in row 0, which is no 64-bit float"):
        tw.CARTRegressor().fit(X, np.array([10**400, 1, 2, 3], object))


HUGE = np.array([1e300, -1e300, 0.5e300, -0.3e300])


def test_squares_beyond_all_floats() -> None:
    for make in (tw.REPTreeRegressor, tw.M5Regressor, tw.M5RulesRegressor):
        with pytest.raises(ValueError, match=r"y reaches from -1e\+300 to 1e\+300.*: divide y by 1e\+300"):
            make().fit(X, HUGE)
    est = tw.CARTRegressor().fit(X, HUGE)
    assert est.predict(X).tolist() == HUGE.tolist()
    assert "± over 1.3e+154" in repr(est.tree_.root) + tw.CARTRegressor(max_depth=0).fit(X, HUGE).tree_.to_text()
    for prune in (lambda: est.tree_.prune("cost_complexity", alpha=1.0), lambda: est.prune("cost_complexity", X, HUGE, folds=2)):
        with pytest.raises(ValueError, match="squared errors of this tree are beyond 64-bit floats: fit again"):
            prune()


def test_criteria_of_the_target_only() -> None:
    known = "known: 'absolute_error', 'poisson', 'variance', 'worst_case', 'squared_error', 'friedman_mse'$"
    with pytest.raises(ValueError, match=known):
        tw.CARTRegressor(criterion="xyz").fit(X, [1, 2, 3, 4])
    with pytest.raises(ValueError, match="unknown; known: ") as caught:
        fitted(criterion="xyz")
    assert "'entropy'" in str(caught.value)
    assert "variance" not in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"discretise": "equal_width"}, "discretise='equal_width' changes nothing here: it is for numeric='discretised'"),
        ({"bins": 5}, "bins=5 changes nothing here: it is for numeric='discretised'"),
        ({"numeric": "discretised", "bins": 5}, "bins=5 changes nothing here: it is for discretise='equal_width'"),
        ({"numeric": "discretised", "threshold_at": "observed"}, "threshold_at='observed' changes nothing here"),
        ({"threshold_at": "training", "relation": "<"}, "threshold_at='training' changes nothing here: it is for relation='<='"),
        ({"recipe": "c45", "relation": "<"}, "threshold_at='training' changes nothing here"),
    ],
    ids=str,
)
def test_parameters_that_change_nothing(parameters: dict[str, Any], words: str) -> None:
    with pytest.warns(tw.TreewrightWarning, match=words):
        tw.TreeClassifier(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("criterion", "ginni", "recipe 'mine': criterion 'ginni' is unknown; did you mean 'gini'"),
        ("criterion", "variance", "recipe 'mine': criterion 'variance' is unknown"),
        ("regression_criterion", "gini", "recipe 'mine': regression_criterion 'gini' is unknown"),
        ("cuts", "some", "recipe 'mine': cuts 'some' is unknown; known: 'all', 'quinlan', 'weka'"),
        ("as_rpart", "yes", "recipe 'mine': as_rpart='yes' is not allowed: it must be True or False"),
        ("exhaustive_levels", 40, "recipe 'mine': exhaustive_levels=40 is not allowed: it must be a whole number from 2 to 20"),
        ("source", 3, "source=3 is not allowed: it must be text"),
    ],
)
def test_recipes_are_checked(field: str, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.TreeClassifier(recipe=tw.Recipe("mine", **{field: value})).fit(X, Y)


def test_recipes_may_use_the_other_names_of_criteria() -> None:
    tree = tw.TreeClassifier(recipe=tw.Recipe("mine", criterion="entropy")).fit(X, Y).tree_
    assert tree == tw.TreeClassifier(criterion="info_gain").fit(X, Y).tree_


@pytest.mark.parametrize("depth", [-1, 1.5, "x", True])
def test_depths_that_cannot_be_drawn(depth: Any) -> None:
    tree = fitted().tree_
    for draw in (tree.to_text, tree.to_svg, tree.to_dot, tree.to_mermaid):
        with pytest.raises(ValueError, match=f"max_depth={depth!r} is not allowed: it must be a whole number from 0 up, or None"):
            draw(max_depth=depth)


def test_pruning_sets_of_another_target() -> None:
    tree = fitted().tree_
    for y in ([0, 1, 0, 1], [0.5, 1.5, 0.5, 1.5]):
        with pytest.raises(ValueError, match=r"classes of the model are such as 'p', y holds 0|Unknown label type: continuous"):
            tree.prune("reduced_error", X, y)


def test_c45_names_the_remedy() -> None:
    tennis = tw.datasets.load_play_tennis()
    X, y = tennis.X, tennis.y

    def mine(node: Any, branches: Any) -> float:
        return 0.0

    for params, words in (
        ({"confidence": 25}, r"confidence=25 is not allowed: it must be a number above 0, up to 1; 25 % is 0.25"),
        ({"confidence": 25, "variant": "j48"}, r"up to 0.5; 25 % is 0.25"),
        ({"confidence": -1}, r"confidence=-1 is not allowed: it must be a number above 0, up to 1"),
        ({"confidence": 0.7, "variant": "j48"}, r"a number above 0, up to 0.5"),
        (
            {"min_samples_leaf": 0},
            r"min_samples_leaf=0 is not allowed: it must be a whole number from 1 up, or a share between 0 and 1",
        ),
        ({"min_samples_leaf": "few"}, r"from 1 up, or a share between 0 and 1"),
        ({"missing": "surrogate"}, r"use CARTClassifier\(missing='surrogate'\), or here e.g. missing='fraction'"),
        ({"missing": "drop"}, r"missing 'drop' is unknown; known: (?!.*surrogate).*'most_common'"),
        ({"criterion": mine}, r"use TreeClassifier\(recipe='c45', criterion=mine\)"),
        ({"variant": "j48", "criterion": "info_gain"}, r"criterion='info_gain' is an option of C4.5 that J48 has not"),
        ({"variant": "j48", "window": 5}, r"window=5 is an option of C4.5 that J48 has not"),
    ):
        with pytest.raises(ValueError, match=words):
            tw.C45Classifier(**params).fit(X, y)
    assert tw.TreeClassifier(recipe="c45", criterion=mine).fit(X, y).tree_.n_nodes >= 1
    with pytest.warns(tw.TreewrightWarning, match=r"the table has 3 rows, a split needs 4 .*single leaf; lower the limits"):
        tw.C45Classifier().fit([[1.0], [2.0], [3.0]], list("aab"))


def test_heavy_rows_that_are_divided_are_told_of() -> None:
    y, heavy = list("aabb"), [5000.0] * 4
    table = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [2.0, None, 4, 5]})
    words = r"weigh 5e\+03 on average.*divided down to min_samples_leaf=2.*divide sample_weight by its mean"
    with pytest.warns(tw.TreewrightWarning, match=words):
        tw.C45Classifier().fit(table, y, sample_weight=heavy)
    tw.C45Classifier().fit(table, y, sample_weight=[500.0] * 4)  # and no warning, which would be an error here
    tw.C45Classifier().fit(table.fillna(3), y, sample_weight=heavy)
    tw.C45Classifier(missing="most_common").fit(table, y, sample_weight=heavy)


def test_a_misspelt_column_is_pointed_out() -> None:
    X = pd.DataFrame({"petal width": [1.0, 2.0, 3.0, 4.0], "petal length": [4.0, 1.0, 2.0, 3.0]})
    model = tw.CARTClassifier().fit(X, ["u", "u", "v", "v"])
    wrong = X.rename(columns={"petal width": "petal widht"})
    slip = "[iI]s 'petal widht' for 'petal width' a slip"
    for ask in (model.predict, model.tree_.predict, tw.RandomForestClassifier(2).fit(X, ["u", "u", "v", "v"]).forest_.predict):
        with pytest.raises(ValueError, match=slip):
            ask(wrong)
        with pytest.raises(ValueError) as caught:
            ask(X.rename(columns={"petal width": "zebra"}))
        assert "slip" not in str(caught.value)
    with pytest.raises(ValueError, match=slip):
        model.explain(wrong.iloc[0])
    with pytest.raises(ValueError, match=slip):
        model.explain(wrong.iloc[0].to_dict())
