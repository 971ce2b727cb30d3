"""Comparisons: the same folds for all, scores as scikit-learn's, tests of these scores, failures by name."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    ShuffleSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from tests.evaluate.test_tune import noisy
from tests.show.names import HOSTILE
from treewright.evaluate.measuring import Task
from treewright.evaluate.significance import combined_f, corrected_t, mcnemar
from treewright.evaluate.size import size_of
from treewright.show.comparison import p_text

MODELS = {"tree": tw.CARTClassifier(), "small": tw.CARTClassifier(max_leaf_nodes=4), "rules": tw.RipperClassifier()}


class Failing(ClassifierMixin, BaseEstimator):
    """Takes what holds no row of a certain class."""

    def fit(self, X: Any, y: Any) -> Failing:
        self.classes_ = np.unique(y)
        if "z" in X["c"].unique():
            raise RuntimeError("z is not\nto be learned")
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def test_scores_are_those_of_scikit_learn_on_the_same_folds() -> None:
    X, y = noisy()
    fold = np.arange(400) % 5
    found = tw.compare(MODELS, X, y, folds=fold)
    assert [model.name for model in found.models] == ["tree", "small", "rules"]
    assert (found.n_rows, found.n_folds, found.n_repeats, found.scoring) == (400, 5, 1, "accuracy")
    for model, est in zip(found.models, MODELS.values(), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tw.UnseenLevelWarning)
            scores = cross_val_score(est, X, y, cv=PredefinedSplit(fold))
        assert model.scores.tolist() == pytest.approx(scores.tolist(), abs=1e-12)
        assert model.mean == pytest.approx(scores.mean())
        assert model.se == pytest.approx(np.sqrt((1 / 5 + 1 / 4) * scores.var(ddof=1)))
        assert model.low < model.mean < model.high <= 1


def test_tests_are_made_of_these_scores() -> None:
    X, y = noisy()
    fold = np.arange(400) % 5
    found = tw.compare(MODELS, X, y, folds=fold)
    said = {name: cross_val_predict(est, X, y, cv=PredefinedSplit(fold)) for name, est in MODELS.items()}
    score = {model.name: model.scores for model in found.models}
    for pair in found.pairs:
        t = pair.tests["corrected_t"]
        assert (t.statistic, t.p) == pytest.approx(corrected_t(score[pair.first] - score[pair.second], 1 / 4))
        only = [np.sum((said[a] == y) & (said[b] != y)) for a, b in [(pair.first, pair.second), (pair.second, pair.first)]]
        assert pair.tests["mcnemar"].p == pytest.approx(mcnemar(*map(int, only)))
        assert pair.tests["mcnemar"].statistic == only[0] - only[1]
        assert "combined_f" not in pair.tests
        assert pair.low < pair.difference < pair.high
        assert (pair.low > 0 or pair.high < 0) == (t.p < 0.05)
        assert t.p <= t.p_holm <= 3 * t.p + 1e-12
    assert "5x2cv F test was left out" in str(found)


def test_five_repeats_of_two_folds_are_of_their_own() -> None:
    X, y = noisy(200)
    few = {name: MODELS[name] for name in ("tree", "small")}
    found = tw.compare(few, X, y, folds=4, repeats=2, random_state=7)
    halves = tw.compare(few, X, y, folds=2, repeats=5, random_state=7)
    differences = halves.models[0].scores - halves.models[1].scores
    test = found.pair("tree", "small").tests["combined_f"]
    assert (test.statistic, test.p) == pytest.approx(combined_f(differences.reshape(5, 2)))
    assert test.p == test.p_holm  # one pair
    assert len(found.models[0].scores) == 8


def test_any_number_of_threads_and_any_seed() -> None:
    X, y = noisy(150)
    models = {**MODELS, "forest of others": RandomForestClassifier(5), "in a pipeline": make_pipeline(DecisionTreeClassifier())}
    numbers = X[["a", "b"]].fillna(0)
    one, many = (tw.compare(models, numbers, y, folds=3, repeats=2, n_jobs=jobs) for jobs in (None, 3))
    assert one.to_text() == many.to_text() and one.to_html() == many.to_html()
    other = tw.compare(models, numbers, y, folds=3, repeats=2, random_state=1)
    assert not np.array_equal(one.models[0].scores, other.models[0].scores)
    assert models["forest of others"].random_state is None and not hasattr(models["tree"], "tree_")


def test_every_repeat_divides_the_rows_anew_and_keeps_the_shares_of_the_classes() -> None:
    X, y = noisy(101)
    splits = Task(X, y, True, None, 3).splits(4, 3)
    assert [(split.repeat, split.fold) for split in splits] == [(r, k) for r in (1, 2, 3) for k in (1, 2, 3, 4)]
    for repeat in (splits[:4], splits[4:8], splits[8:]):
        assert np.sort(np.concatenate([split.test for split in repeat])).tolist() == list(range(101))
        for split in repeat:
            assert np.sort(np.concatenate([split.train, split.test])).tolist() == list(range(101))
            assert abs(np.sum(y[split.test] == "yes") - np.sum(y == "yes") / 4) < 1
    assert len({tuple(split.test.tolist()) for split in splits}) == 12


def test_sizes() -> None:
    X, y = noisy(200)
    numbers = X[["a", "b"]].fillna(0)
    tree = tw.CARTClassifier(max_leaf_nodes=4).fit(X, y)
    assert size_of(tree) == {"size": 7, "leaves": 4}
    rules = tw.RipperClassifier().fit(X, y).ruleset_
    conditions = sum(len(rule.when) for rule in rules)
    assert size_of(rules) == {"size": conditions + len(rules) + 1, "rules": len(rules), "conditions": conditions}
    theirs = DecisionTreeClassifier(max_leaf_nodes=4).fit(numbers, y)
    assert size_of(theirs) == size_of(make_pipeline(StandardScaler(), theirs)) == {"size": 7, "leaves": 4}
    forest = RandomForestClassifier(3, max_leaf_nodes=4).fit(numbers, y)
    assert size_of(forest) == {"members": 3, "size": 21, "leaves": 12}
    own = tw.RandomForestClassifier(3, max_leaf_nodes=4).fit(X, y)
    assert size_of(own) == {"members": 3, "size": 21, "leaves": 12}
    assert size_of(DummyClassifier().fit(X, y)) is None
    target = numbers["a"] + 3 * numbers["b"]
    model = tw.M5Regressor().fit(numbers, target)
    terms = sum(len(getattr(rule.says, "terms", ())) for rule in model.tree_.to_rules())
    assert size_of(model) == {"size": model.tree_.n_nodes + terms, "leaves": model.tree_.n_leaves, "terms": terms}
    scored = tw.LogisticTreeClassifier().fit(X, y)
    texts = [text for rule in scored.tree_.to_rules() for text in rule.says.texts()]
    assert size_of(scored)["terms"] == sum(text.count(" * ") for text in texts) > 0
    found = tw.compare({"a": tw.CARTClassifier(max_leaf_nodes=4), "b": DummyClassifier()}, X, y, folds=3, repeats=1)
    assert found.models[0].size == {"size": 7, "leaves": 4} and found.models[1].size is None
    assert "4 leaves" in str(found)


@pytest.mark.parametrize(
    "form",
    [
        lambda X, y: (X, y.tolist()),
        lambda X, y: (X, pd.Series(y, dtype=pd.CategoricalDtype(["yes", "no"]))),
        lambda X, y: (pl.from_pandas(X), pl.Series("y", y)),
        lambda X, y: (pa.table(X), pa.array(y)),
        lambda X, y: (X.astype(object).where(X.notna(), None).values.tolist(), y),
    ],
    ids=["list", "categories", "polars", "arrow", "rows"],
)
def test_tables_of_every_kind(form: Any) -> None:
    X, y = noisy(120)
    fold = np.arange(120) % 3
    usual = tw.compare([tw.CARTClassifier()], X, y, folds=fold)
    assert tw.compare([tw.CARTClassifier()], *form(X, y), folds=fold).models[0].scores.tolist() == usual.models[0].scores.tolist()
    assert usual.models[0].name == "CARTClassifier" and usual.pairs == usual.notes == ()


def test_numbers_and_other_scores() -> None:
    X, _ = noisy(200)
    numbers = X[["a", "b"]].fillna(0)
    y = numbers["a"] * 2 + np.sin(numbers["b"])
    models = [tw.M5Regressor(), LinearRegression(), tw.CARTRegressor(), tw.CARTRegressor(max_depth=2)]
    found = tw.compare(models, numbers, y, folds=5, repeats=2)
    assert found.scoring == "R²" and [m.name for m in found.models[2:]] == ["CARTRegressor 1", "CARTRegressor 2"]
    assert "mcnemar" not in found.pairs[0].tests and "McNemar" not in str(found)
    fold = np.arange(200) % 5
    for scoring in ("r2", "neg_root_mean_squared_error", make_scorer(lambda a, b: -float(np.max(np.abs(a - b))))):
        ours = tw.compare(models, numbers, y, folds=fold, scoring=scoring)
        for model, est in zip(ours.models, models, strict=True):
            theirs = cross_val_score(est, numbers, y, cv=PredefinedSplit(fold), scoring=scoring)
            assert model.scores.tolist() == pytest.approx(theirs.tolist(), rel=1e-9)
    classes = np.where(y > 0, "up", "down")
    one = tw.compare([tw.CARTClassifier()], numbers, classes, folds=fold, scoring="neg_log_loss")
    assert one.scoring == "neg_log_loss" and one.models[0].mean < 0


def test_splitters_are_used_as_they_are() -> None:
    X, y = noisy(120)
    groups = np.arange(120) // 10

    class Grouped(GroupKFold):
        def split(self, X: Any, y: Any = None, _: Any = None) -> Any:
            return super().split(X, y, groups)

    found = tw.compare(MODELS, X, y, folds=Grouped(4))
    assert found.n_folds == 4 and "mcnemar" in found.pairs[0].tests
    shuffled = tw.compare(MODELS, X, y, folds=ShuffleSplit(6, test_size=0.2, random_state=0))
    assert shuffled.n_folds == 6 and list(shuffled.pairs[0].tests) == ["corrected_t"]
    assert "McNemar's test was left out" in str(shuffled)
    with pytest.raises(ValueError, match="groups"):
        tw.compare(MODELS, X, y, folds=LeaveOneGroupOut())


def test_a_failure_is_named() -> None:
    X, y = noisy(90)
    X["c"] = ["z"] + ["x"] * 89
    fold = np.arange(90) % 3
    with pytest.raises(ValueError, match=r"^model 'odd' failed in repeat 1, fold 2: RuntimeError: z is not$") as caught:
        tw.compare({"tree": tw.CARTClassifier(), "odd": Failing()}, X, y, folds=fold)
    assert isinstance(caught.value.__cause__, RuntimeError)
    with pytest.raises(ValueError, match="model 'one' failed in repeat 1, fold 1: its score by nothing is nan; use fewer folds"):
        tw.compare({"one": tw.CARTClassifier()}, X, y, scoring=nothing)


def nothing(*_: Any) -> float:
    return float("nan")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: tw.compare([], X, y), "models is empty"),
        (lambda X, y: tw.compare({1: tw.CARTClassifier(), "1": tw.CARTClassifier()}, X, y), "are not all different as text"),
        (lambda X, y: tw.compare("tree", X, y), "models='tree' must be a list of estimators"),
        (lambda X, y: tw.compare([tw.CARTClassifier], X, y), "give an estimator, such as CARTClassifier()"),
        (lambda X, y: tw.compare([StandardScaler()], X, y), "give an estimator"),
        (lambda X, y: tw.compare([tw.CARTClassifier(), tw.CARTRegressor()], X, y), "compare models of the same kind"),
        (lambda X, y: tw.compare(MODELS, X, y[:9]), "X has 60 rows and y has 9"),
        (lambda X, y: tw.compare(MODELS, X, y, folds=1), "folds=1 is not allowed"),
        (lambda X, y: tw.compare(MODELS, X, y, repeats=0), "repeats=0 is not allowed"),
        (lambda X, y: tw.compare(MODELS, X, y, confidence=1.0), "confidence=1.0 is not allowed"),
        (lambda X, y: tw.compare(MODELS, X, y, scoring="acuracy"), "scoring 'acuracy' is unknown; did you mean 'accuracy'"),
        (lambda X, y: tw.compare(MODELS, X, y, scoring=3), "scoring=3 must be the name of a scikit-learn scorer"),
        (lambda X, y: tw.compare(MODELS, X, [*y[:-1], None]), r"contains NaN \(row 59\)"),
        (lambda X, y: tw.compare(MODELS, X, y, folds=3, repeats=1).pair("tree", "oak"), "no pair"),
    ],
)
def test_wrong_requests_are_answered(call: Any, message: str) -> None:
    X, y = noisy(60)
    with pytest.raises((ValueError, TypeError, KeyError), match=message):
        call(X, y)


def test_tables_and_pictures() -> None:
    X, y = noisy(100)
    names = [*HOSTILE[:2], "n" * 10_000, "$\\frac{"]
    models = {name: tw.CARTClassifier(max_depth=k + 1) for k, name in enumerate(names)}
    found = tw.compare(models, X, y, folds=3, repeats=2)
    frame, pairs = found.to_frame(), found.pairs_frame()
    assert frame[["mean", "se", "low", "high"]].to_numpy().tolist() == [[m.mean, m.se, m.low, m.high] for m in found.models]
    assert frame["model"].tolist() == list(models) and frame["leaves"].notna().all()
    assert len(pairs) == 6 and {"corrected_t_p", "combined_f_p_holm", "mcnemar"} <= set(pairs.columns)
    html = found.to_html()
    assert "<script" not in html and "6 pairs were tested" in html
    allowed = "div svg title desc rect g text path table tr th td p"
    assert set(re.findall(r"<(\w+)", html)) <= set(allowed.split())
    assert len(html) < 40_000 and len(found.to_text()) < 5_000
    assert "\x1b" not in found.to_text()
    assert found._repr_mimebundle_()["text/plain"] == found.to_text() == str(found)
    assert repr(found).startswith("<Comparison: 4 models, best ")


def test_p_values_are_written_with_three_digits() -> None:
    assert [p_text(p) for p in (0.0, 0.00099, 0.001, 0.0014, 0.25, 1.0)] == [
        "< 0.001",
        "< 0.001",
        "0.001",
        "0.001",
        "0.250",
        "1.000",
    ]


def test_a_plot_shows_every_interval() -> None:
    mpl = pytest.importorskip("matplotlib")
    mpl.use("agg")
    import matplotlib.pyplot as plt

    X, y = noisy(100)
    found = tw.compare(MODELS, X, y, folds=3, repeats=2)
    ax = found.plot()
    assert {"tree", "small", "rules", "accuracy in 3 folds, 2 times, 100 rows"} <= {text.get_text() for text in ax.texts}
    assert found.plot(plt.figure().add_subplot()).texts
    plt.close("all")
    assert found.to_svg() == found.to_svg()
    with pytest.raises(TypeError, match="no matplotlib Axes"):
        found.plot(3)


def test_warnings_are_given_once() -> None:
    X, y = noisy(60)
    y = np.where(np.arange(60) < 3, "rare", y)
    with pytest.warns(tw.TreewrightWarning, match="the smallest class has 3 rows") as caught:
        tw.compare([tw.CARTClassifier()], X, y, folds=5, repeats=3)
    assert len(caught) == 1


def test_levels_that_only_other_folds_have_are_no_surprise() -> None:
    X, y = noisy(60)
    X["c"] = ["once", *["x", "y"] * 29, "x"]  # warnings are errors here
    assert len(tw.compare([tw.CARTClassifier()], X, y, folds=3, repeats=1).models[0].scores) == 3


def test_little_to_go_by() -> None:
    X, y = noisy(40)
    one = tw.compare(MODELS, X, y, folds=ShuffleSplit(1, random_state=0))
    assert np.isnan(one.models[0].se) and np.isnan(one.models[0].low) and one.pairs[0].tests == {}
    assert "interval" in one.to_text() and "nan" not in one.to_text() + one.to_html() and one.to_svg()
    with pytest.warns(tw.TreewrightWarning, match="more than the 3 rows"):
        three = tw.compare([tw.CARTClassifier(), tw.RipperClassifier()], X[:3], ["a", "a", "a"])
    assert [model.mean for model in three.models] == [1.0, 1.0] and "combined_f" not in three.pairs[0].tests
    assert three.to_svg() and "± 0.000" not in three.to_text()


def test_scores_of_any_magnitude() -> None:
    X, _ = noisy(80)
    y = np.nan_to_num(X["a"].to_numpy()) * 1e-9
    found = tw.compare([tw.CARTRegressor(), tw.CARTRegressor(max_depth=1)], X, y, folds=3, scoring="neg_mean_squared_error")
    assert re.search(r"-\d\.\d+e-\d\d", found.to_text()) and found.to_svg()


def test_progress_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import treewright.progress as progress

    clock = iter(np.arange(0.0, 1e6, 7.0))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    X, y = noisy(60)
    tw.compare([tw.CARTClassifier()], X, y, folds=2, repeats=2, verbose=True)
    assert "comparing  100% of 4 fits" in capsys.readouterr().err


def test_p_values_of_models_that_are_the_same_are_one() -> None:
    X, y = noisy(100)
    found = tw.compare([tw.CARTClassifier(), tw.CARTClassifier()], X, y, folds=3, repeats=2)
    assert [test.p for test in found.pairs[0].tests.values()] == [1.0, 1.0, 1.0]


def test_equally_good_models_are_seldom_called_different() -> None:
    """Columns of pure noise: what one tree has right more often than another is chance."""
    said = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
        models = [tw.CARTClassifier(max_depth=2), tw.CARTClassifier(max_depth=2, criterion="entropy", min_samples_leaf=5)]
        pair = tw.compare(models, X, y, folds=5, repeats=1).pairs[0]
        said += pair.tests["corrected_t"].p < 0.05
    assert said <= 6


def test_nothing_is_claimed_from_a_handful_of_rows() -> None:
    # The scores of every fold differ by the same: all six of 4 rows, which a coin would do once in eight times.
    X, y = pd.DataFrame({"a": [0.0, 0.0, 1.0, 1.0]}), np.array(["u", "u", "v", "v"])
    folds = np.array([0, 1, 0, 1])
    few = tw.compare({"tree": tw.CARTClassifier(), "root": tw.CARTClassifier(max_depth=0)}, X, y, folds=folds)
    assert few.models[0].mean == 1 and few.models[1].mean == 0.5
    assert few.pairs[0].tests["corrected_t"].p_holm == 0.125
    assert "not shown to be better than 'root'" in str(few) and "No test of 4 rows can tell models apart" in str(few)
    for scored in (tw.compare([tw.CARTClassifier(), tw.CARTClassifier(max_depth=0)], X, y, folds=2),):
        assert all(test.p >= 0.125 for test in scored.pairs[0].tests.values())
    many = pd.concat([X] * 10, ignore_index=True)
    sure = tw.compare([tw.CARTClassifier(), tw.CARTClassifier(max_depth=0)], many, np.tile(y, 10), folds=2)
    assert sure.pairs[0].tests["corrected_t"].p < 1e-9 and "No test of" not in str(sure)
