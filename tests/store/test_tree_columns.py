"""Learners guided by a tree in files and pickles: they come back the same, and damaged ones are refused."""

from __future__ import annotations

import copy
import io
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.store.models import classes, table
from treewright.store.document import document_bytes
from treewright.store.files import read_model
from treewright.store.kinds import to_section

pytestmark = pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning")


def answers(model: Any, rows: Any) -> Any:
    return model.predict_proba(rows).tolist() if hasattr(model, "predict_proba") else model.transform(rows).to_dict("list")


@pytest.mark.parametrize("make", [tw.TreeColumns, tw.TreeNeighborsClassifier])
def test_they_come_back_the_same(make: Any, tmp_path: Path) -> None:
    X = table()
    rows = table(100, 5).drop(columns=["since", "wait"])
    model = make().fit(X.drop(columns=["since", "wait"]), classes(X))
    model.save(tmp_path / "m.json")
    for other in (tw.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert str(answers(other, rows)) == str(answers(model, rows))
        assert other.columns_ == model.columns_
        other.save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


@pytest.mark.parametrize("make", [tw.TreeColumns, tw.TreeNeighborsClassifier])
def test_damaged_ones_are_refused_or_harmless(make: Any) -> None:
    X, y = table().drop(columns=["since", "wait"]), classes(table())
    plain = json.loads(document_bytes(to_section("estimator", make().fit(X, y)._fitted())))["model"]
    rng = np.random.default_rng(0)
    wild = [-1, 0, 1, 7, 10**6, 0.5, None, "x", [], True, ["float", "nan"]]
    refused = 0
    for name in plain["learned"]:
        if name == "tree_":
            continue
        for each in wild:
            broken = copy.deepcopy(plain)
            value = broken["learned"][name]["value"]
            if isinstance(value, list) and isinstance(value[-1], list) and value[-1] and rng.random() < 0.7:
                value[-1][rng.integers(len(value[-1]))] = each
            else:
                broken["learned"][name]["value"] = each
            try:
                model = read_model(io.BytesIO(document_bytes(broken)), "m.json")
            except tw.ModelFormatError:
                refused += 1
                continue
            answers(model, X)
        without = copy.deepcopy(plain)
        del without["learned"][name]
        if name != "feature_names_in_":
            with pytest.raises(tw.ModelFormatError):
                read_model(io.BytesIO(document_bytes(without)), "m.json")
    assert refused > 10
