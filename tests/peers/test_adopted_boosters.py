"""Gradient boosting of LightGBM, XGBoost and scikit-learn as forests that add up scores: their answers, but for rounding."""

from __future__ import annotations

import contextlib
import gzip
import json
import pickle
import re
import warnings
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, VotingClassifier
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from tests.peers.record_boosters import RECORDED, table
from treewright.model.combine import Scores
from treewright.table import read_cells

SCHEMA = json.loads((files("treewright") / "store" / "schema.json").read_text())
LIGHTGBM = ["squares", "poisson", "tweedie", "dart", "mean", "two", "several", "early"]
XGBOOST = ["squares", "poisson", "tweedie", "dart", "forest", "quantiles", "two", "several", "early"]


@cache
def everything() -> dict[str, dict[str, dict[str, Any]]]:
    held: dict[str, dict[str, dict[str, Any]]] = json.loads(gzip.decompress(RECORDED.read_bytes()))
    return held


def dump_of(library: str, which: str) -> Any:
    """A copy of the recorded model."""
    return json.loads(json.dumps(everything()[library][which]["dump"]))


def wrapped(library: str, which: str) -> Any:
    """A model as its scikit-learn face gives it: the booster, and the classes."""
    held, dump = everything()[library][which], dump_of(library, which)
    face = {"booster_": dump} if library == "lightgbm" else {"get_booster": lambda: dump}
    classes = {} if held["classes"] is None else {"classes_": np.array(held["classes"])}
    return SimpleNamespace(**face, **classes)


def read(library: str, which: str) -> tw.Forest:
    forest: tw.Forest = {"lightgbm": tw.from_lightgbm, "xgboost": tw.from_xgboost}[library](wrapped(library, which))
    return forest


def answers(forest: tw.Forest, X: Any) -> np.ndarray:
    return forest.predict(X) if forest.target.classes is None else forest.predict_proba(X)


@pytest.mark.parametrize("which", LIGHTGBM)
def test_lightgbm_models(which: str) -> None:
    X, _ = table()
    held, forest = everything()["lightgbm"][which], read("lightgbm", which)
    assert X.isna().any().all() and [column.nominal for column in forest.schema.columns] == [False] * 4 + [True] * 2
    found, said = answers(forest, X), np.array(held["said"])
    assert np.array_equal(found, said) if which in ("squares", "dart", "early") else np.allclose(found, said, rtol=1e-14, atol=0)
    if held["classes"] is not None:
        assert forest.target.classes == tuple(held["classes"])
        assert forest.predict(X).tolist() == [held["classes"][k] for k in np.argmax(said, axis=1)]


@pytest.mark.parametrize("which", XGBOOST)
def test_xgboost_models(which: str) -> None:
    """XGBoost adds up in 32 bits."""
    X, _ = table()
    held, forest = everything()["xgboost"][which], read("xgboost", which)
    np.testing.assert_allclose(answers(forest, X), held["said"], rtol=2e-6)
    if held["classes"] is not None:
        assert forest.target.classes == tuple(held["classes"])
    whole = tw.from_xgboost(dump_of("xgboost", which))  # a booster predicts with all trees
    assert (len(whole) > len(forest)) == (which == "early")


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_single_trees_are_members(library: str) -> None:
    reader = {"lightgbm": tw.from_lightgbm, "xgboost": tw.from_xgboost}[library]
    forest, dump = read(library, "several"), dump_of(library, "several")
    assert isinstance(forest.combine, Scores) and forest.combine.adds_to == (0, 1, 2) * 6
    for at in (0, 1, 17):
        assert reader(dump, tree=at) == forest[at]
    with pytest.raises(ValueError, match="18 trees"):
        reader(dump, tree=18)
    assert reader(dump).target.classes == (0, 1, 2)  # a booster does not know their names


BOOSTED = {
    "numbers": GradientBoostingRegressor(n_estimators=15, random_state=0),
    "huber": GradientBoostingRegressor(loss="huber", init="zero", n_estimators=15, random_state=0),
    "two": GradientBoostingClassifier(n_estimators=15, random_state=0),
    "exponential": GradientBoostingClassifier(loss="exponential", n_estimators=15, random_state=0),
    "several": GradientBoostingClassifier(n_estimators=15, subsample=0.7, random_state=0),
}


@pytest.mark.parametrize("which", BOOSTED)
def test_scikit_learn_boosting(which: str) -> None:
    theirs = BOOSTED[which]
    if which in ("numbers", "huber"):
        X, y = load_diabetes(return_X_y=True, as_frame=True)
    else:
        X, y = load_wine(return_X_y=True, as_frame=True)
        y = y.map(dict(enumerate("pqr"))) if which == "several" else y > 0
    theirs.fit(X, y)
    ours = tw.from_sklearn(theirs)
    if ours.target.classes is None:
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-13)
        return
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    unit = 2 if which == "exponential" else 1
    np.testing.assert_allclose(ours.raw.predict(X), unit * theirs.decision_function(X), rtol=1e-12, atol=1e-12)


def test_boosting_may_be_a_member() -> None:
    X, y = load_wine(return_X_y=True, as_frame=True)
    boosting = GradientBoostingClassifier(n_estimators=4, random_state=0)
    theirs = VotingClassifier([("a", boosting), ("b", DecisionTreeClassifier(max_depth=2))], voting="soft").fit(X, y)
    ours = tw.from_sklearn(theirs)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    assert ours[0].combine.kind == "scores"  # type: ignore[attr-defined]


CASES = [("lightgbm", "several"), ("lightgbm", "two"), ("xgboost", "poisson"), ("xgboost", "quantiles"), ("lightgbm", "squares")]


@pytest.mark.parametrize(("library", "which"), CASES)
def test_files_and_pickles(library: str, which: str, tmp_path: Path) -> None:
    X, _ = table()
    forest, path = read(library, which), tmp_path / "forest.json"
    forest.save(path)
    jsonschema.validate(json.loads(path.read_text()), SCHEMA)
    for again in (tw.load(path), pickle.loads(pickle.dumps(forest))):
        assert again == forest and again.combine == forest.combine
        assert np.array_equal(answers(again, X), answers(forest, X))
    one_by_one = forest.combine.combined(forest.members, np.array(forest.weights), read_cells(X, forest.schema), 1)
    assert np.array_equal(answers(forest, X).reshape(len(X), -1), one_by_one)
    assert np.array_equal(forest.part(range(len(forest))).predict(X), forest.predict(X))
    *_, last = forest.stages(X)
    assert np.array_equal(last, forest.predict(X))


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("kind", "votes", "'votes' is no way to combine"),
        ("kind", None, "None is no way to combine"),
        ("link", "probit", "link='probit' is not allowed"),
        ("link", "sigmoid", "the link 'sigmoid' of 3 scores makes no answer about 3 classes"),
        ("link", "identity", "the link 'identity' of 3 scores makes no answer about 3 classes"),
        ("link", 3, "link: 3 is no str"),
        ("base", [0, 0], "of 2 scores makes no answer"),
        ("base", [0, None, 0], "begin at finite numbers"),
        ("base", "0", "base: '0' is no list"),
        ("adds_to", [0, 1, 2], "18 members add to one of 3 scores each"),
        ("adds_to", [3] * 18, "18 members add to one of 3 scores each"),
        ("adds_to", [-1] * 18, "18 members add to one of 3 scores each"),
        ("adds_to", [0.5] * 18, "not whole numbers"),
        ("more", 1, "does not know"),
        ("combine", "scores", "'scores' is no way to combine"),
        ("combine", "mean", "predict the same target"),
        ("combine", [], "is no way to combine"),
    ],
)
def test_damaged_files_are_refused(name: str, value: Any, why: str, tmp_path: Path) -> None:
    path = tmp_path / "forest.json"
    read("lightgbm", "several").save(path)
    document = json.loads(path.read_text())
    section = document.get("model", document)
    if name == "combine":
        section["combine"] = value
    else:
        section["combine"][name] = value
    path.write_text(json.dumps(document))
    with pytest.raises(tw.ModelFormatError, match=re.escape(why)):
        tw.load(path, edited=True)


def test_contributions_are_of_scores() -> None:
    X, _ = table()
    for library, which in CASES:
        forest = read(library, which)
        for background in (None, X[100:130]):
            found = forest.contributions(X[:40], background)
            np.testing.assert_allclose(found.answers, forest.raw.predict(X[:40]), rtol=1e-9, atol=1e-9)
        assert found.classes is None
        assert found.outputs == {"several": ("high", "low", "middle"), "quantiles": ("y0", "y1", "y2")}.get(which, ())
    forest = read("lightgbm", "squares")
    assert forest.raw is forest


def test_one_row_explained_and_shown() -> None:
    X, _ = table()
    forest = read("lightgbm", "several")
    found = forest.explain(X.iloc[[3]])
    scores = [one.base + one.added for one in found.scores]
    np.testing.assert_allclose(scores, forest.raw.predict(X.iloc[[3]])[0], rtol=1e-12)
    assert [(one.of, one.members) for one in found.scores] == [("high", 6), ("low", 6), ("middle", 6)]
    assert (found.votes, found.counts, found.spread) == (None, None, None)
    assert found.shares == dict(zip(forest.target.classes or (), forest.predict_proba(X.iloc[[3]])[0].tolist(), strict=True))
    assert found.to_text().count("score of") == 3 and found.to_sentence().count(f"score of {found.says}") == 1
    assert "score of" in found._repr_mimebundle_()["text/html"]
    assert found.to_dict()["scores"][0]["of"] == "high"
    assert [one.of for one in read("lightgbm", "two").explain(X.iloc[[3]]).scores] == [True]  # of two classes, the second
    assert "scores added up by 18 trees" in forest.to_text() and forest.to_svg(row=X.iloc[[3]]).startswith("<svg")
    assert re.match(r"18 members add -\S+ to \S+ each", forest.reasons(X[:1])[0])
    with pytest.raises(ValueError, match="which are no votes"):
        tw.plot_member_votes(forest, X.iloc[[3]])


def test_extreme_scores_have_answers() -> None:
    """Shares end at 0 and 1, and numbers may be infinite."""
    X, _ = table()
    rows = X[:5]
    for library, which in (("lightgbm", "several"), ("lightgbm", "two"), ("xgboost", "poisson")):
        forest = read(library, which)
        for far in (-1e6, 1e6):
            combine = replace(forest.combine, base=(far, *forest.combine.base[1:]))
            found = answers(tw.Forest(forest.members, forest.schema, forest.target, forest.weights, combine), rows)
            assert not np.isnan(found).any() and np.all(found >= 0)
            assert which == "poisson" or np.allclose(found.sum(axis=1), 1)


def test_what_cannot_be_said_is_refused_by_name() -> None:
    for objective in ("multiclassova num_class:3 sigmoid:1", "regression sqrt", "cross_entropy", "none", None, 5):
        dump = dump_of("lightgbm", "several") | {"objective": objective}
        name = "regression sqrt" if objective == "regression sqrt" else str(objective or "none").split(" ")[0]
        with pytest.raises(ValueError, match=f"the objective '{name}' makes answers"):
            tw.from_lightgbm(dump)
        assert tw.from_lightgbm(dump, tree=0).n_nodes > 1
    for objective in ("binary:hinge", "reg:logistic", "survival:aft", "binary:logitraw"):
        saved = dump_of("xgboost", "two")
        saved["learner"]["objective"]["name"] = objective
        with pytest.raises(ValueError, match=f"the objective '{objective}' makes answers"):
            tw.from_xgboost(saved)
    saved = dump_of("xgboost", "two")
    saved["learner"]["gradient_booster"] = {"name": "gblinear", "model": {"weights": []}}
    with pytest.raises(ValueError, match="the booster 'gblinear' has no trees"):
        tw.from_xgboost(saved)
    saved = dump_of("xgboost", "dart")
    saved["learner"]["gradient_booster"]["weight_drop"].pop()
    with pytest.raises(tw.ModelFormatError, match="5 weights of 6 trees"):
        tw.from_xgboost(saved)
    for count in (0, -1, 19, 4294967296):
        with pytest.raises(tw.ModelFormatError, match=f"18 trees for {count} scores"):
            tw.from_lightgbm(dump_of("lightgbm", "several") | {"num_tree_per_iteration": count})
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(TypeError, match="what LinearRegression predicts, not with constants"):
        tw.from_sklearn(GradientBoostingRegressor(init=LinearRegression(), n_estimators=2).fit(X, y))
    with pytest.raises(ValueError, match="combined as 'mean' have no scores"):
        tw.RandomForestRegressor(2).fit(X, y).forest_.raw  # noqa: B018


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_damaged_models_are_refused_or_harmless(library: str) -> None:
    reader = {"lightgbm": tw.from_lightgbm, "xgboost": tw.from_xgboost}[library]
    text = json.dumps(everything()[library]["dart" if library == "xgboost" else "several"]["dump"])
    X, _ = table()
    rng = np.random.default_rng(0)
    wild = ["-1", "0", "99999", "4294967296", "null", '"x"', "[]", "{}", "1e300", "-0.5"]
    spans = [found.span() for found in re.finditer(r'(?<=[ \["])-?\d+(?:\.\d+)?(?:e-?\d+)?(?=[,\]}"])', text)]
    taken = 0
    for _ in range(250):
        begin, end = spans[rng.integers(len(spans))]
        new = wild[rng.integers(len(wild))]
        quoted = text[end] == '"'
        try:
            forest = reader(json.loads(text[:begin] + (new.strip('"') if quoted else new) + text[end:]))
        except ValueError:
            continue
        taken += 1
        with contextlib.suppress(ValueError), warnings.catch_warnings():  # other levels than the rows have
            warnings.simplefilter("ignore", tw.UnseenLevelWarning)
            answers(forest, pd.DataFrame(X[:20]))
    assert 0 < taken < 250


def test_names_with_blanks_are_those_of_the_table() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    iris = tw.datasets.load_iris()
    theirs = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(iris.X, iris.y)
    forest = tw.from_lightgbm(theirs)  # LightGBM writes blanks as _
    assert forest.schema.names == [name.replace(" ", "_") for name in iris.X.columns]
    assert np.array_equal(forest.predict(iris.X), theirs.predict(iris.X))
    row = iris.X.iloc[70]
    told = [
        str(forest.explain(each))
        for each in (row, row.to_dict(), iris.X.iloc[[70]], row.rename(lambda name: name.replace(" ", "_")))
    ]
    assert len(set(told)) == 1
    assert np.array_equal(forest.predict(iris.X.set_axis(forest.schema.names, axis=1)), theirs.predict(iris.X))
    with pytest.raises(ValueError, match=r"not those of the training table|another order"):
        forest.predict(iris.X[iris.X.columns[::-1]])
    with pytest.raises(ValueError, match=r"is 'petal_widht_.cm.' for 'petal_width_.cm.' a slip"):
        forest.predict(iris.X.set_axis([*forest.schema.names[:3], "petal_widht_(cm)"], axis=1))
