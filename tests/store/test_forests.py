"""Files of forests: the schema once, members without what follows, and nothing in them is believed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.ensembles.tables import mixed


def member(document: Any, at: int = 0) -> Any:
    return document["model"]["learned"]["forest_"]["members"][at]


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        ({}, {"step", "cut_at"}),
        ({"max_leaf_nodes": 12}, {"cut_at"}),  # nodes are divided in another order than they are numbered in
        ({"recipe": tw.Recipe("lower", relation="<")}, {"step", "cut_at"}),
        ({"recipe": tw.Recipe("training", threshold_at="training")}, {"step"}),
    ],
)
def test_what_follows_is_left_out_and_comes_back(options: dict[str, Any], left_out: set[str], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    forest = tw.RandomForestClassifier(3, max_features=None, **options).fit(X, y)
    forest.save(tmp_path / "forest.json")
    columns = member(json.loads((tmp_path / "forest.json").read_text()))["columns"]
    assert {"step", "cut_at"} - columns.keys() == left_out
    assert set(columns["cut_below"]) == {"single"}
    assert tw.load(tmp_path / "forest.json").forest_ == forest.forest_
    # Cells of 64 bits are written in full.
    wide = tw.RandomForestClassifier(3, **options).fit(rng.normal(size=(300, 4)), y)
    wide.save(tmp_path / "wide.json")
    assert isinstance(member(json.loads((tmp_path / "wide.json").read_text()))["columns"]["cut_below"], list)
    assert tw.load(tmp_path / "wide.json").forest_ == wide.forest_


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_numbers_at_the_ends_of_their_range_come_back(kind: Any, tmp_path: Path) -> None:
    ends = np.finfo(kind)
    cells = np.array([-ends.max, -1.0, -ends.tiny, -0.0, 0.0, ends.smallest_subnormal, 0.1, 1 / 3, 1e10, ends.max], kind)
    X, y = cells[:, None], np.arange(10) % 2
    for base in (tw.TreeClassifier(), tw.TreeClassifier(relation="<")):
        bagged = tw.BaggingClassifier(base, 6).fit(X, y)
        bagged.save(tmp_path / "model.json")
        assert tw.load(tmp_path / "model.json").forest_ == bagged.forest_


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        ({}, {"weight", "impurity", "gain"}),
        ({"bootstrap": False, "min_samples_leaf": 9}, {"weight", "impurity", "gain"}),
        ({"criterion": "entropy"}, {"weight"}),
        ({"class_weight": (0.3, 1.7)}, set()),
    ],
)
@pytest.mark.parametrize("classes", [2, 5])
def test_what_follows_from_the_weights_of_classes_is_left_out(
    options: dict[str, Any], left_out: set[str], classes: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.digitize(np.nan_to_num(X).sum(axis=1) + rng.normal(size=400), np.linspace(-2, 2, classes + 1)[1:-1])
    if "class_weight" in options:
        options = {"class_weight": {k: options["class_weight"][k % 2] for k in range(classes)}}
    forest = tw.RandomForestClassifier(4, max_depth=6, **options).fit(X, y)
    forest.save(tmp_path / "forest.json")
    for at in range(4):
        columns = member(json.loads((tmp_path / "forest.json").read_text()), at)["columns"]
        assert {"weight", "impurity", "gain"} - columns.keys() == left_out
    assert tw.load(tmp_path / "forest.json").forest_ == forest.forest_


def test_bytes_of_a_node(tmp_path: Path) -> None:
    """At most 16 for classes, of shallow trees too, and 26 for numbers, packed; a little more in files as small as these."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 10)).astype(np.float32)
    wave = X[:, 0] + np.sin(3 * X[:, 1]) * X[:, 2]
    classes = (wave + 0.5 * rng.normal(size=4000) > 0).astype(int)
    for forest, y, most in (
        (tw.RandomForestClassifier(8), classes, 11),
        (tw.RandomForestClassifier(30, max_depth=5), classes, 16),
        (tw.RandomForestRegressor(8, max_features=1 / 3), (wave + rng.normal(size=4000)).astype(np.float32), 28),
    ):
        forest.fit(X, y).save(tmp_path / "forest.json.gz")
        assert (tmp_path / "forest.json.gz").stat().st_size < most * forest.forest_.sizes["n_nodes"]
        content = gzip.decompress((tmp_path / "forest.json.gz").read_bytes())
        assert content.count(b'"names"') == 1


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda m: m["columns"].pop("first_child"), "first_child"),
        (lambda m: m["columns"].pop("column"), "'column'"),
        (lambda m: m["columns"].pop("cut_above"), "cut_below"),
        (lambda m: m["columns"]["cut_below"].update(double=[]), "does not know"),
        (lambda m: m["columns"].update(cut_below={"single": 3}), "cut_below"),
        (lambda m: m["columns"].update(cut_below={"single": [1e300] * 9}), "cut_below"),
        (lambda m: m["columns"]["cut_below"]["single"].pop(), "cut_below"),
        (lambda m: m.update(kind="value"), "no member of a forest"),
        (lambda m: m.update(kind="rules"), "does not know"),
        (lambda m: m.update(n_nodes=7), "first_child"),
        (lambda m: m["columns"].update(step=[5]), "step"),
        (lambda m: m["columns"].update(class_weight=[0.5] * len(m["columns"]["class_weight"])), "whole numbers"),
        (lambda m: m["columns"].update(class_weight=[2**31] * len(m["columns"]["class_weight"])), "whole numbers"),
        (lambda m: m["columns"].update(class_count=0, class_weight=[], class_id=[]), "whole numbers"),
    ],
)
def test_damaged_members_are_refused_by_number(edit: Any, said: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    tw.RandomForestClassifier(3).fit(X, rng.integers(0, 2, 60)).save(tmp_path / "forest.json")
    document = json.loads((tmp_path / "forest.json").read_text())
    edit(member(document, 1))
    (tmp_path / "edited.json").write_text(json.dumps(document))
    with pytest.raises(tw.ModelFormatError, match=f"member 1: .*{said}"):
        tw.load(tmp_path / "edited.json", edited=True)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda f: f.update(members=[]), "has members"),
        (lambda f: f.update(weights=[1.0]), "a weight for each"),
        (lambda f: f.update(weights=[1.0, -1.0, 1.0]), "above 0"),
        (lambda f: f.update(combine="median"), "combine classes by votes"),
        (lambda f: f.update(combine="loudest"), "no way to combine"),
        (lambda f: f.update(more=1), "does not know"),
        (lambda f: f["members"].reverse() or f["members"].append(f["members"][0]), "a weight for each"),
    ],
)
def test_damaged_forests_are_refused(edit: Any, said: str, tmp_path: Path) -> None:
    X, y, _ = mixed(80)
    tw.RandomForestClassifier(3).fit(X, y).save(tmp_path / "forest.json")
    document = json.loads((tmp_path / "forest.json").read_text())
    edit(document["model"]["learned"]["forest_"])
    (tmp_path / "edited.json").write_text(json.dumps(document))
    with pytest.raises(tw.ModelFormatError, match=said):
        tw.load(tmp_path / "edited.json", edited=True)


def test_forests_in_forests_are_not_endless(tmp_path: Path) -> None:
    X, y, _ = mixed(60)
    tw.BaggingClassifier(tw.RandomForestClassifier(2), 2).fit(X, y).save(tmp_path / "forest.json")
    document = json.loads((tmp_path / "forest.json").read_text())
    forest = document["model"]["learned"]["forest_"]
    for _ in range(20):
        inner = {"kind": "forest", **{name: forest[name] for name in ("combine", "weights", "members")}}
        forest = {**forest, "weights": [1.0], "members": [inner]}
    document["model"]["learned"]["forest_"] = forest
    (tmp_path / "edited.json").write_text(json.dumps(document))
    with pytest.raises(tw.ModelFormatError, match="nested more than"):
        tw.load(tmp_path / "edited.json", edited=True)
