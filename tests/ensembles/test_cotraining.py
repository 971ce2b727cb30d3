"""Co-training (acceptance row 165): two views label rows for each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw


def two_views(n_rows: int, seed: int, far: float = 1.6) -> tuple[pd.DataFrame, Any]:
    """Columns that tell the class twice, independently of each other given the class."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n_rows)
    cells = {f"{view}{j}": np.round(truth * far + rng.normal(size=n_rows), 2) for view in ("page", "link") for j in range(3)}
    return pd.DataFrame(cells), np.array(["other", "course"], object)[truth]


VIEWS = (["page0", "page1", "page2"], ["link0", "link1", "link2"])


def test_row_165_rows_without_a_class_help() -> None:
    gains = []
    for seed in range(8):
        X, truth = two_views(1200, seed)
        y = truth[:800].copy()
        hidden = np.ones(800, bool)
        for label in ("other", "course"):
            hidden[np.flatnonzero(y == label)[:4]] = False
        y[hidden] = None
        both = tw.CoTrainingClassifier(views=VIEWS).fit(X[:800], y)
        alone = tw.C45Classifier().fit(X[:800][~hidden], y[~hidden])
        gains.append(both.score(X[800:], truth[800:]) - alone.score(X[800:], truth[800:]))
        assert (both.labeled_iter_ == 0).sum() == 8 and both.labeled_iter_.max() <= 30
        assert both.transduction_[~hidden].tolist() == y[~hidden].tolist()
        labelled = both.labeled_iter_ >= 0
        assert all(label is not None for label in both.transduction_[labelled])
        assert all(label is None for label in both.transduction_[~labelled])
    assert np.mean(gains) > 0.02, gains


@pytest.mark.parametrize("missing", [-1, None, float("nan")])
def test_numbers_as_classes(missing: Any) -> None:
    X, truth = two_views(300, 1)
    known = np.arange(300) < 20
    y = pd.Series([int(label == "course") if keep else missing for label, keep in zip(truth, known, strict=True)])
    model = tw.CoTrainingClassifier(views=VIEWS).fit(X, y)
    text = tw.CoTrainingClassifier(views=VIEWS).fit(X, np.where(known, np.where(truth == "course", "b", "a"), None))
    assert model.classes_.tolist() == [0, 1] and model.classes_.dtype.kind == "i"
    assert ["ab"[code] for code in model.predict(X)] == text.predict(X).tolist()
    assert set(model.transduction_.tolist()) <= {-1, 0, 1}


def test_members_see_their_view_only_and_the_answer_is_their_product() -> None:
    X, truth = two_views(400, 2)
    y = np.where(np.arange(400) < 40, truth, None)
    model = tw.CoTrainingClassifier((tw.C45Classifier(), tw.PartClassifier()), views=VIEWS).fit(X, y)
    first, second = model.estimators_
    assert set(first.tree_.used_columns) <= set(VIEWS[0])
    assert {c.column.name for rule in second.ruleset_.rules for c in rule.when} <= set(VIEWS[1])
    product = first.predict_proba(X) * second.predict_proba(X)
    mean = (first.predict_proba(X) + second.predict_proba(X)) / 2
    product = np.where(product.sum(axis=1, keepdims=True) > 0, product, mean)
    assert model.predict_proba(X) == pytest.approx(product / product.sum(axis=1, keepdims=True))


def test_of_two_classes_for_one_row_the_surer_one_is_taken() -> None:
    # One unlabelled row: the first view is fairly sure of one class, the second, with more rows in its leaf, of the other.
    y = ["no"] * 8 + ["yes"] * 30
    cells = [0.0] * 8 + [1.0] * 30
    X = pd.DataFrame({"first": [*cells, 0.0], "second": [*cells, 1.0]})
    for views in ((["first"], ["second"]), (["second"], ["first"])):
        model = tw.CoTrainingClassifier(tw.TreeClassifier(), views=views, rounds=1).fit(X, [*y, None])
        assert model.transduction_[-1] == "yes" and model.labeled_iter_[-1] == 1


def test_by_name_or_position_it_is_the_same(tmp_path: Path) -> None:
    X, truth = two_views(300, 3)
    y = np.where(np.arange(300) < 30, truth, None)
    named = tw.CoTrainingClassifier(views=VIEWS).fit(X, y)
    numbered = tw.CoTrainingClassifier(views=([0, 1, 2], [3, 4, -1])).fit(X, y)
    halves = tw.CoTrainingClassifier().fit(X, y)
    assert named.forest_ == numbered.forest_ == halves.forest_
    named.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict_proba(X), named.predict_proba(X))
    assert loaded.fit(X, y).forest_ == named.forest_


def test_how_many_rows_are_labelled() -> None:
    X, truth = two_views(300, 4)
    known = np.concatenate([np.flatnonzero(truth == "other")[:12], np.flatnonzero(truth == "course")[:4]])
    y = np.where(np.isin(np.arange(300), known), truth, None)
    model = tw.CoTrainingClassifier(views=VIEWS, rounds=1).fit(X, y)
    new = model.transduction_[model.labeled_iter_ == 1].tolist()
    assert 0 < new.count("course") <= 2 and 0 < new.count("other") <= 6  # 1 and 3 a view, as the labelled rows are
    few = tw.CoTrainingClassifier(views=VIEWS, rounds=1, per_round={"course": 2, "other": 0}).fit(X, y)
    assert set(few.transduction_[few.labeled_iter_ == 1].tolist()) == {"course"}
    none = tw.CoTrainingClassifier(views=VIEWS, rounds=0).fit(X, y)
    assert (none.labeled_iter_ > 0).sum() == 0


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"views": (["page0"], ["nothing"])}, "views: column 'nothing'"),
        ({"views": (["page0"],)}, "views="),
        ({"views": ([], ["page0"])}, "at least one column"),
        ({"views": ([0], [9])}, "views=9"),
        ({"views": "page0"}, "views='page0'"),
        ({"per_round": {"nobody": 1}}, "per_round: class 'nobody'"),
        ({"per_round": 3}, "per_round=3"),
        ({"rounds": -1}, "rounds=-1"),
        ({"pool_size": 0}, "pool_size=0"),
        ({"estimator": [tw.C45Classifier()]}, "estimator="),
        ({"estimator": tw.M5Regressor()}, "must be a classifier"),
    ],
)
def test_refused(params: dict[str, Any], said: str) -> None:
    X, truth = two_views(60, 5)
    y = np.where(np.arange(60) < 20, truth, None)
    with pytest.raises((ValueError, TypeError), match=said):
        tw.CoTrainingClassifier(**params).fit(X, y)


def test_too_few_classes() -> None:
    X, truth = two_views(60, 5)
    with pytest.raises(ValueError, match="at least some rows must be labelled"):
        tw.CoTrainingClassifier().fit(X, [None] * 60)
    with pytest.raises(ValueError, match="have one class, 'other': co-training needs at least two"):
        tw.CoTrainingClassifier().fit(X, np.where(truth == "other", truth, None))


@pytest.mark.parametrize(("classes", "none"), [([0, 1], -1), ([0.0, 2.0], -1), (["a", "b"], None)])
def test_rows_that_stay_without_a_class_say_so(classes: list[Any], none: Any) -> None:
    X, _ = two_views(60, 0)
    y = np.array([classes[at % 2] if at < 20 else None for at in range(60)], object)
    said = tw.CoTrainingClassifier(views=VIEWS, rounds=0).fit(X, y).transduction_.tolist()
    assert said == [*(classes[at % 2] for at in range(20)), *[none] * 40]


def test_minus_one_among_text_is_no_class() -> None:
    X, truth = two_views(300, 3)
    known = np.arange(300) < 30
    fits = [tw.CoTrainingClassifier(views=VIEWS).fit(X, np.where(known, truth, sign)) for sign in (None, "-1", -1)]
    as_array = np.array([label if keep else "-1" for label, keep in zip(truth, known, strict=True)])
    fits.append(tw.CoTrainingClassifier(views=VIEWS).fit(X, as_array))
    fits.append(tw.CoTrainingClassifier(views=VIEWS).fit(X, pd.Series(as_array, dtype="category")))
    for model in fits:
        assert model.classes_.tolist() == ["course", "other"]
        assert model.labeled_iter_.tolist() == fits[0].labeled_iter_.tolist()
        assert model.transduction_.tolist() == fits[0].transduction_.tolist()
    with pytest.raises(ValueError, match=r"y mixes numbers and text \(3 in row 35, '\w+' in row 0\)"):
        tw.CoTrainingClassifier(views=VIEWS).fit(X, np.where(known, truth, np.where(np.arange(300) == 35, 3, None)))
