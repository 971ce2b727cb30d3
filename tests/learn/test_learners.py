"""Learners: what they make of a table is, byte for byte, what their estimators save, and scikit-learn is not loaded for it."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from tests.cli.runs import SOURCE
from tests.store.models import classes, table
from treewright.learn import LEARNERS, learner_class
from treewright.learn.fitted import fit
from treewright.store.files import dumped, load_plain

OPTIONS: dict[str, dict[str, Any]] = {
    "C45Classifier": {"soft": True},
    "MemorisingTreeClassifier": {"missing": "majority"},
    "BacktrackingTreeClassifier": {"missing": "learned", "max_thresholds": 4},
    "ID3Classifier": {"missing": "majority", "window": 0.5},
    "LogisticTreeClassifier": {"iterations": 3},
    "CARTRegressor": {"keep_targets": True, "max_depth": 3},
    "TreeClassifier": {"class_weight": "balanced", "min_weight_fraction_leaf": 0.05},
}


def rows(name: str) -> tuple[pd.DataFrame, Any]:
    X = table()
    return X, X["age"].fillna(50) / 7 if name.endswith("Regressor") else classes(X)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_a_learner_makes_is_what_its_estimator_saves(name: str, tmp_path: Path) -> None:
    X, y = rows(name)
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    options = OPTIONS.get(name, {})
    kind = learner_class(name)
    plain = fit(kind(kind.Parameters(**options)), X, y, weights)
    estimator = getattr(tw, name)(**options).fit(X, y, weights)
    estimator.save(tmp_path / "estimator.json")
    plain.save(tmp_path / "plain.json")
    content = (tmp_path / "plain.json").read_bytes()
    assert content == (tmp_path / "estimator.json").read_bytes()
    assert dumped("estimator", load_plain(tmp_path / "plain.json")) == content
    assert type(tw.load(tmp_path / "plain.json")) is type(estimator)


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "TreeColumns"])
def test_plain_values_answer_as_estimators_do(name: str, tmp_path: Path) -> None:
    X, y = rows(name)
    getattr(tw, name)(**OPTIONS.get(name, {})).fit(X, y).save(tmp_path / "model.json")
    plain, estimator, asked = load_plain(tmp_path / "model.json"), tw.load(tmp_path / "model.json"), X.iloc[:20]
    assert plain.predict(asked).tolist() == estimator.predict(asked).tolist()
    if name.endswith("Classifier"):
        assert np.array_equal(plain.predict_proba(asked), estimator.predict_proba(asked))
    if name != "TreeNeighborsClassifier":
        if name != "CoTrainingClassifier":  # products are not exported
            assert plain.to_python() == estimator.to_python()
        assert str(plain.explain(X.iloc[[3]])) == str(estimator.explain(X.iloc[[3]]))
        assert np.array_equal(plain.apply(asked), estimator.apply(asked))


def test_classes_that_were_declared_in_another_order_are_told_sorted() -> None:
    X = table()
    y = pd.Series(pd.Categorical(classes(X), ["old", "none", "late", "früh"]))
    kind = learner_class("CARTClassifier")
    plain, estimator = fit(kind(kind.Parameters()), X, y), tw.CARTClassifier().fit(X, y)
    assert plain.classes_ is not None
    assert plain.classes_.tolist() == ["früh", "late", "old"]
    assert np.array_equal(plain.predict_proba(X), estimator.predict_proba(X))
    assert plain.to_sql(give="shares") == estimator.to_sql(give="shares")


@pytest.mark.parametrize(
    "X",
    [
        np.arange(12.0).reshape(6, 2),
        pd.DataFrame({"a": range(6), "b": range(6)}),
        pd.DataFrame(np.arange(12.0).reshape(6, 2)),
        pa.table({"a": list(range(6)), "b": list(range(6))}),
        [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]],
    ],
    ids=["array", "pandas", "numbered", "arrow", "lists"],
)
def test_columns_are_noted_as_scikit_learn_does(X: Any) -> None:
    kind = learner_class("CARTClassifier")
    plain, estimator = fit(kind(kind.Parameters()), X, list("aabbab")).learned, tw.CARTClassifier().fit(X, list("aabbab"))
    assert plain["n_features_in_"] == estimator.n_features_in_
    names = getattr(estimator, "feature_names_in_", None)
    assert ("feature_names_in_" in plain) == (names is not None)
    assert names is None or (names.tolist() == plain["feature_names_in_"].tolist() and names.dtype == object)


def test_every_estimator_that_can_be_saved_has_its_learner() -> None:
    homes = {name for name, home in tw._HOMES.items() if home == "treewright.estimators"}
    of_scikit_learn = {"StackingClassifier", "StackingRegressor", "VotingClassifier", "VotingRegressor"}
    of_relations = {"Foil"}
    assert homes - {"distil", "Distilled"} - of_scikit_learn - of_relations == set(LEARNERS)
    for name in LEARNERS:
        assert learner_class(name).name == name
        assert getattr(tw, name)._learner_class is learner_class(name)
        assert issubclass(getattr(tw, name), learner_class(name).Parameters)


LIGHT = """
import sys
from treewright.learn import LEARNERS, learner_class
from treewright.learn.fitted import fit
X, y = [[float(i), float(i * i % 7)] for i in range(30)], [float(i % 5) for i in range(30)]
for name in LEARNERS:
    if name not in ("TreeColumns", "TreeNeighborsClassifier"):
        kind = learner_class(name)
        plain = fit(kind(kind.Parameters()), X, y if name.endswith("Regressor") else [str(value) for value in y])
        plain.predict(X), plain.apply(X), name == "CoTrainingClassifier" or plain.to_c()
print(sorted({name.partition(".")[0] for name in sys.modules} & {"sklearn", "pandas", "joblib"}))
"""


def test_learning_does_not_load_scikit_learn() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIGHT], capture_output=True, text=True, timeout=120, env={"PYTHONPATH": SOURCE, "PATH": ""}
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("name", LEARNERS)
def test_parameters_are_fields_that_scikit_learn_reads(name: str) -> None:
    """Each is stated once: the estimator has the parameters of its learner and no others, and sets nothing else."""
    estimator = getattr(tw, name)()
    stated = {field.name: field.default for field in fields(learner_class(name).Parameters)}
    assert estimator.get_params(deep=False) == stated == vars(estimator)
    assert "__init__" in vars(type(estimator))  # so that Python names the estimator where a parameter is wrong
    with pytest.raises(TypeError, match=rf"^{name}\.__init__\(\) got an unexpected keyword argument 'ginni'"):
        getattr(tw, name)(ginni=1)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_parameter_is_described_with_its_default(name: str) -> None:
    about = getattr(tw, name).__doc__.partition("Parameters\n")[2].partition("Attributes\n")[0]
    heads = [line.strip() for line in about.splitlines() if line.startswith("    ") and not line.startswith("     ")]
    described = {word for line in heads for word in line.partition(" : ")[0].replace(",", " ").split()}
    defaults = {field.name: field.default for field in fields(learner_class(name).Parameters)}
    assert defaults.keys() <= described
    for names, _, rest in (line.partition(" : ") for line in heads):
        _, found, default = rest.rpartition("default ")
        for parameter in names.split(", ") if found else []:
            if defaults[parameter] is not None:  # which is described by what it stands for
                assert ast.literal_eval(default) == defaults[parameter], parameter
