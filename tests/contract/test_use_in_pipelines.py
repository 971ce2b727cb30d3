"""The estimators among scikit-learn's tools: cloned, searched over, put in pipelines, copied, saved and fitted again."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import treewright as tw

CLASSIFIERS = [tw.ID3Classifier, tw.CARTClassifier, tw.TreeClassifier]
REGRESSORS = [tw.CARTRegressor, tw.TreeRegressor]
ALL = [*CLASSIFIERS, *REGRESSORS]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Numbers, text, categories and dates; no missing cell, so that ID3 takes it too."""
    rng = np.random.default_rng(1)
    n = 120
    return pd.DataFrame(
        {
            "size": rng.normal(size=n).round(2),
            "count": rng.integers(0, 9, n),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "grade": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "member": rng.random(n) < 0.5,
        }
    )


@pytest.fixture(scope="module")
def labels(table: pd.DataFrame) -> pd.Series:
    noise = np.random.default_rng(2).random(len(table)) < 0.1
    return pd.Series(np.where((table["size"] > 0) ^ (table["town"] == "Ulm") ^ noise, "yes", "no"), name="buys")


def target_for(estimator: Any, table: pd.DataFrame, labels: pd.Series) -> Any:
    return table["size"] * 2 + table["count"] if is_regressor(estimator) else labels


def through_joblib(value: Any) -> Any:
    buffer = io.BytesIO()
    joblib.dump(value, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


COPIES: dict[str, Callable[[Any], Any]] = {
    **{f"pickle-{p}": lambda v, p=p: pickle.loads(pickle.dumps(v, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)},
    "joblib": through_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("kind", ALL)
def test_copies_are_equal_and_answer_alike(kind: Any, how: str, table: pd.DataFrame, labels: pd.Series) -> None:
    fitted = kind(max_depth=4, keep_candidates=True).fit(table, target_for(kind(), table, labels))
    again = COPIES[how](fitted)
    assert type(again) is kind
    assert again.get_params() == fitted.get_params()
    assert again.tree_ == fitted.tree_
    assert again.predict(table).tolist() == fitted.predict(table).tolist()
    assert again.tree_.to_text() == fitted.tree_.to_text()
    assert str(again.tree_.to_rules()) == str(fitted.tree_.to_rules())
    assert again.tree_.root.candidates == fitted.tree_.root.candidates
    assert again.feature_importances_.tolist() == fitted.feature_importances_.tolist()
    assert again.feature_names_in_.tolist() == list(table)
    if is_classifier(fitted):
        assert again.classes_.tolist() == fitted.classes_.tolist()
        assert again.predict_proba(table).tolist() == fitted.predict_proba(table).tolist()
    tree = COPIES[how](fitted.tree_)
    assert tree == fitted.tree_


@pytest.mark.parametrize("kind", ALL)
def test_equality_of_trees_sees_differences(kind: Any, table: pd.DataFrame, labels: pd.Series) -> None:
    y = target_for(kind(), table, labels)
    tree = kind().fit(table, y).tree_
    assert tree == kind().fit(table, y).tree_
    assert tree != kind(max_depth=1).fit(table, y).tree_
    assert tree != kind().fit(table.rename(columns={"size": "height"}), y).tree_
    assert tree != kind().fit(table.iloc[1:], y[1:]).tree_
    assert tree != "a tree"


@pytest.mark.parametrize("kind", ALL)
def test_clone_and_parameters(kind: Any, table: pd.DataFrame, labels: pd.Series) -> None:
    given = kind(max_depth=3, min_samples_leaf=2, keep_candidates=True, random_state=7)
    fitted = given.fit(table, target_for(given, table, labels))
    fresh = clone(fitted)
    assert fresh.get_params() == given.get_params()
    assert not hasattr(fresh, "tree_")
    with pytest.raises(NotFittedError):
        fresh.predict(table)
    assert fresh.set_params(max_depth=1) is fresh
    assert fresh.max_depth == 1
    assert given.max_depth == 3
    assert fresh.fit(table, target_for(given, table, labels)).get_depth() == 1
    with pytest.raises(ValueError, match="max_depht"):
        fresh.set_params(max_depht=1)


@pytest.mark.parametrize("kind", ALL)
def test_repr_shows_what_differs_from_the_default(kind: Any) -> None:
    assert repr(kind()) == f"{kind.__name__}()"
    assert repr(kind(max_depth=3)) == f"{kind.__name__}(max_depth=3)"
    assert kind.__name__ in kind()._repr_html_()


@pytest.mark.parametrize("kind", ALL)
def test_cross_validation(kind: Any, table: pd.DataFrame, labels: pd.Series) -> None:
    y = target_for(kind(), table, labels)
    scores = cross_val_score(kind(min_samples_leaf=5), table, y, cv=4)
    assert scores.shape == (4,)
    assert scores.mean() > 0.7
    assert len(cross_val_predict(kind(), table, y, cv=3)) == len(table)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_grid_search(kind: Any, table: pd.DataFrame, labels: pd.Series) -> None:
    search = GridSearchCV(kind(), {"max_depth": [0, 1, 2, 4], "min_samples_leaf": [1, 0.05]}, cv=3)
    search.fit(table, labels)
    assert search.best_params_["max_depth"] >= 2  # one split cannot say it
    assert search.best_estimator_.get_depth() <= search.best_params_["max_depth"]
    assert search.predict(table).tolist() == search.best_estimator_.predict(table).tolist()
    assert search.score(table, labels) > 0.8


def test_grid_search_over_parts(table: pd.DataFrame, labels: pd.Series) -> None:
    grid = {
        "recipe": ["id3", "cart"],
        "criterion": ["info_gain", "gini", "gain_ratio"],
        "nominal": ["multiway", "subset"],
    }
    search = GridSearchCV(tw.TreeClassifier(max_depth=3), grid, cv=3, error_score="raise").fit(table, labels)
    assert len(search.cv_results_["params"]) == 12
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()


def test_grid_search_names_a_wrong_part(table: pd.DataFrame, labels: pd.Series) -> None:
    search = GridSearchCV(tw.TreeClassifier(), {"criterion": ["ginni"]}, cv=2, error_score="raise")
    with pytest.raises(ValueError, match="did you mean 'gini'"):
        search.fit(table, labels)


def test_pipeline_with_columns_transformed(table: pd.DataFrame, labels: pd.Series) -> None:
    columns = ColumnTransformer([("numbers", StandardScaler(), ["size", "count"]), ("towns", OneHotEncoder(), ["town"])])
    pipe = Pipeline([("columns", columns), ("tree", tw.CARTClassifier(max_depth=4))])
    assert pipe.fit(table, labels).score(table, labels) > 0.8
    assert pipe[-1].n_features_in_ == 5
    search = GridSearchCV(pipe, {"tree__max_depth": [1, 3]}, cv=3).fit(table, labels)
    assert search.best_params_ == {"tree__max_depth": 3}
    # The same, with the frame kept between the steps: the tree speaks of the names.
    pipe.set_output(transform="pandas")
    columns.set_params(towns__sparse_output=False)
    pipe.fit(table, labels)
    assert "numbers__size" in pipe[-1].feature_names_in_
    assert "numbers__size" in pipe[-1].tree_.to_text()
    assert pickle.loads(pickle.dumps(pipe)).predict(table).tolist() == pipe.predict(table).tolist()


def test_text_needs_no_encoder_in_a_pipeline(table: pd.DataFrame, labels: pd.Series) -> None:
    kept = ColumnTransformer([("as_is", "passthrough", ["size", "town"])], verbose_feature_names_out=False)
    pipe = make_pipeline(kept.set_output(transform="pandas"), tw.ID3Classifier(max_depth=3)).fit(table, labels)
    assert pipe[-1].tree_.used_columns == ["size", "town"]
    assert pipe.score(table, labels) > 0.8


def test_inside_other_estimators(table: pd.DataFrame, labels: pd.Series) -> None:
    X = table[["size", "count"]].to_numpy()
    bag = BaggingClassifier(tw.CARTClassifier(max_depth=3), n_estimators=5, random_state=0).fit(X, labels)
    assert bag.score(X, labels) > 0.6
    two = MultiOutputRegressor(tw.CARTRegressor()).fit(X, np.column_stack([X[:, 0], X[:, 1]]))
    assert two.predict(X).shape == X.shape


@pytest.mark.parametrize("kind", ALL)
def test_fitting_again_leaves_nothing_behind(kind: Any, table: pd.DataFrame, labels: pd.Series) -> None:
    y = target_for(kind(), table, labels)
    used = kind(max_depth=3).fit(table, y)
    other = np.arange(40.0).reshape(20, 2)
    target = np.arange(20) % 2
    used.fit(other, target)
    fresh = kind(max_depth=3).fit(other, target)
    assert used.tree_ == fresh.tree_
    assert set(vars(used)) == set(vars(fresh))
    assert used.n_features_in_ == 2
    assert not hasattr(used, "feature_names_in_")
    assert used.predict(other).tolist() == fresh.predict(other).tolist()
    # And back: names again.
    assert used.fit(table, y).feature_names_in_.tolist() == list(table)
    with pytest.raises(ValueError, match=r"column|feature"):
        used.predict(table.drop(columns="size"))


@pytest.mark.parametrize("kind", ALL)
def test_a_failed_fit_leaves_the_old_tree(kind: Any, table: pd.DataFrame, labels: pd.Series) -> None:
    used = kind().fit(table, target_for(kind(), table, labels))
    tree, said = used.tree_, used.predict(table).tolist()
    with pytest.raises(ValueError):
        used.fit(table.rename(columns=str.upper), [])
    assert used.tree_ is tree
    assert used.predict(table).tolist() == said


@pytest.mark.parametrize("kind", ALL)
def test_fit_changes_neither_parameters_nor_table(kind: Any, table: pd.DataFrame, labels: pd.Series) -> None:
    y = target_for(kind(), table, labels)
    estimator = kind()
    before, table_before, y_before = estimator.get_params(), table.copy(deep=True), y.copy(deep=True)
    estimator.fit(table, y).predict(table)
    assert estimator.get_params() == before
    pd.testing.assert_frame_equal(table, table_before)
    pd.testing.assert_series_equal(y, y_before)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_any_frame_gives_the_same_answers(kind: Any, table: pd.DataFrame, labels: pd.Series) -> None:
    plain = table[["size", "count", "town", "member"]]
    from_pandas = kind().fit(plain, labels)
    other = pl.DataFrame({name: plain[name].tolist() for name in plain})
    from_polars = kind().fit(other, labels.to_numpy())
    from_arrow = kind().fit(other.to_arrow(), labels.to_numpy())
    want = from_pandas.predict(plain).tolist()
    for model in (from_pandas, from_polars, from_arrow):
        for frame in (plain, other, other.to_arrow()):
            assert model.predict(frame).tolist() == want
    assert from_polars.tree_ == from_arrow.tree_


def test_probabilities_follow_classes_not_the_declared_order(table: pd.DataFrame, labels: pd.Series) -> None:
    declared = labels.astype(pd.CategoricalDtype(["yes", "never", "no"]))
    by_declared = tw.CARTClassifier(max_depth=2).fit(table, declared)
    by_text = tw.CARTClassifier(max_depth=2).fit(table, labels)
    assert by_declared.classes_.tolist() == by_text.classes_.tolist() == ["no", "yes"]
    assert by_declared.predict_proba(table) == pytest.approx(by_text.predict_proba(table), abs=1e-12)
    assert by_declared.predict_proba(table).shape == (len(table), 2)


@pytest.mark.parametrize("kind", ALL)
def test_sample_weight_passes_through_a_pipeline(kind: Any, table: pd.DataFrame, labels: pd.Series) -> None:
    y = target_for(kind(), table, labels)
    numbers = table[["size", "count"]]
    weights = np.where(np.arange(len(table)) < 60, 1.0, 0.0)
    pipe = Pipeline([("keep", "passthrough"), ("tree", kind(max_depth=3))])
    pipe.fit(numbers, y, tree__sample_weight=weights)
    assert pipe["tree"].tree_ == kind(max_depth=3).fit(numbers[:60], y[:60]).tree_
