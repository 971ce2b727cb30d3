"""Rule sets in files and pickles: they come back the same, and damaged ones are refused."""

from __future__ import annotations

import copy
import io
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import treewright as tw
from tests.store.models import classes, numbers, table
from tests.store.test_round_trip import SCHEMA
from treewright.store.document import document_bytes
from treewright.store.files import read_model
from treewright.store.kinds import to_section


def rule_sets() -> dict[str, Any]:
    X = table()
    tree = tw.CARTClassifier(max_depth=4).fit(X, classes(X)).tree_
    plain, y = numbers()
    other = tw.CARTRegressor(max_depth=3).fit(plain, y).tree_
    fractions = tw.C45Classifier().fit(X, classes(X)).tree_
    stand_ins = tw.CARTClassifier(missing="surrogate", max_depth=4).fit(X, classes(X)).tree_
    equations = (
        tw.M5RulesRegressor(smoothing="none").fit(X, X["age"].fillna(50) ** 2 / 7 + 900 * (X.iloc[:, 1] == "Bonn")).ruleset_
    )
    assert any(condition.if_missing for rule in stand_ins.to_rules() for condition in rule.when)
    assert any(term.levels for rule in equations if not isinstance(rule.says, float) for term in rule.says.terms)
    return {
        "classes": tree.to_rules(),
        "numbers": other.to_rules(),
        "fractions": fractions.to_rules(),
        "stand_ins": stand_ins.to_rules(),
        "equations": equations,
    }


@pytest.mark.parametrize("name", ["classes", "numbers", "fractions", "stand_ins", "equations"])
def test_rule_sets_come_back_the_same(name: str, tmp_path: Path) -> None:
    rules = rule_sets()[name]
    rules.save(tmp_path / "r.json")
    jsonschema.validate(json.loads((tmp_path / "r.json").read_text()), SCHEMA)
    for other in (tw.load(tmp_path / "r.json"), pickle.loads(pickle.dumps(rules)), copy.deepcopy(rules)):
        assert other.rules == rules.rules
        assert other.to_text() == rules.to_text()
        assert (other.schema, other.target, other.ordered, other.otherwise) == (
            rules.schema, rules.target, rules.ordered, rules.otherwise)  # fmt: skip
        rows = numbers(200)[0] if name == "numbers" else table(200, 5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tw.UnseenLevelWarning)
            assert other.predict(rows).tolist() == rules.predict(rows).tolist()
        other.save(tmp_path / "again.json")
        assert (tmp_path / "r.json").read_bytes() == (tmp_path / "again.json").read_bytes()


@pytest.mark.parametrize("which", ["classes", "stand_ins", "equations"])
def test_damaged_rule_sets_are_refused_or_harmless(which: str) -> None:
    rng = np.random.default_rng(0)
    rules = rule_sets()[which]
    plain = json.loads(document_bytes(to_section("rules", rules)))["model"]
    wild = [-1, 0, 1, 2, 3, 7, 255, 256, 2**31, 2**63, 0.5, 1e300, None, "inf", "x", [], True]
    taken = 0
    for name, column in plain["columns"].items():
        for _ in range(40 if which == "classes" else 15):
            broken = copy.deepcopy(plain)
            if rng.random() < 0.2 or not column:
                broken["columns"][name] = [column[:-1], [*column, 0], None, {}][rng.integers(4)]
            else:
                broken["columns"][name][rng.integers(len(column))] = wild[rng.integers(len(wild))]
            try:
                model = read_model(io.BytesIO(document_bytes(broken)), "r.json")
            except tw.ModelFormatError:
                continue
            taken += 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.predict(table()), model.matches(table()), model.to_text(), model.to_json(), repr(model)
    assert taken > 50
