"""Gates belong to the tree: it answers, explains, is exported and stored with them by itself."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.inspect import explain
from treewright.model.gates import Blend, SoftThreshold

SCHEMA = json.loads((Path(tw.__file__).parent / "store" / "schema.json").read_text())


def table(n: int = 200) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n)})
    y = np.where(X["x"] + 0.5 * X["z"] + rng.normal(scale=0.6, size=n) > 0, "up", "down")
    return X, y


@pytest.fixture(scope="module")
def soft() -> tw.C45Classifier:
    return tw.C45Classifier(soft=True).fit(*table())


def test_the_tree_alone_answers_as_the_estimator(soft: tw.C45Classifier) -> None:
    X, _ = table()
    tree = soft.tree_
    assert tree.gates and dict(tree.gates) == soft.soft_thresholds_
    assert np.array_equal(tree.predict(X), soft.predict(X))
    assert np.array_equal(tree.predict_proba(X), soft.predict_proba(X))
    hard = tree.with_gates({})
    assert not np.array_equal(hard.predict_proba(X), tree.predict_proba(X)) and hard != tree
    assert np.array_equal(hard.predict(X), tw.C45Classifier().fit(*table()).predict(X))
    assert tree.to_python() == soft.to_python() != hard.to_python()
    assert str(explain(tree, X.iloc[[3]])) == str(soft.explain(X.iloc[[3]]))


def test_files_of_a_tree_alone_keep_its_gates(soft: tw.C45Classifier, tmp_path: Path) -> None:
    X, _ = table()
    soft.tree_.save(tmp_path / "tree.json")
    jsonschema.validate(json.loads((tmp_path / "tree.json").read_text()), SCHEMA)
    for again in (tw.load(tmp_path / "tree.json"), pickle.loads(pickle.dumps(soft.tree_))):
        assert again == soft.tree_ and dict(again.gates) == dict(soft.tree_.gates)
        assert np.array_equal(again.predict_proba(X), soft.predict_proba(X))


def test_files_of_estimators_hold_gates_beside_the_tree(soft: tw.C45Classifier, tmp_path: Path) -> None:
    X, _ = table()
    soft.save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    assert '"soft_thresholds_"' in text and '"gates"' not in text
    for again in (tw.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(soft))):
        assert again.soft_thresholds_ == soft.soft_thresholds_ and again.tree_ == soft.tree_
        assert np.array_equal(again.predict_proba(X), soft.predict_proba(X))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda gate: SoftThreshold(99, gate.column, gate.lower, gate.cut, gate.upper), "there is no node 99"),
        (lambda gate: SoftThreshold(gate.node, "q", gate.lower, gate.cut, gate.upper), "is not on its test"),
        (lambda gate: SoftThreshold(gate.node, gate.column, gate.lower, gate.cut, np.inf), "further away than numbers reach"),
    ],
)
def test_gates_that_are_of_no_test_are_refused(soft: tw.C45Classifier, change: Any, fault: str, tmp_path: Path) -> None:
    bad = change(next(iter(soft.tree_.gates.values())))
    soft.tree_.with_gates({bad.node: bad}).save(tmp_path / "tree.json")
    with pytest.raises(tw.ModelFormatError, match=fault):
        tw.load(tmp_path / "tree.json")


def test_a_tree_that_is_cut_back_has_hard_thresholds(soft: tw.C45Classifier) -> None:
    assert not soft.tree_.prune("pessimistic").gates
    assert not soft.tree_.merge_leaves().gates
    assert dict(soft.tree_.with_missing("majority").gates) == dict(soft.tree_.gates)


def test_an_estimator_fitted_without_has_none() -> None:
    hard = tw.C45Classifier().fit(*table())
    assert not hard.tree_.gates and not hasattr(hard, "soft_thresholds_")


def test_blended_thresholds_are_gates() -> None:
    X, _ = table()
    y = np.where(X["x"] > 0.2, 5 + X["z"], -X["z"])
    blended = tw.M5Regressor(smoothing="blend", band=0.3).fit(X, y)
    gates = blended.tree_.gates
    assert gates and all(isinstance(gate, Blend) for gate in gates.values())
    spread = X.std(ddof=0)
    for node, gate in gates.items():
        split = blended.tree_.node(node).split
        assert split is not None and gate.column == split.column
        low, high = gate.reach
        assert (low + high) / 2 == pytest.approx(split.cuts[0])
        assert high - low == pytest.approx(2 * 0.3 * spread[gate.column], rel=0.01)
        assert gate.share_below(np.array([low - 1, (low + high) / 2, high + 1])) == pytest.approx([1, 0.5, 0])
    assert not tw.M5Regressor(smoothing="m5").fit(X, y).tree_.gates
