"""Ensembles on the command line: members are named by their algorithm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import treewright as tw
from tests.cli.runs import run, three_lines
from treewright.cli import main


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    iris = tw.datasets.load_iris()
    iris.X.assign(species=iris.y).to_csv("iris.csv", index=False)
    return "iris.csv"


@pytest.mark.parametrize(
    ("options", "made"),
    [
        (["--algo", "bagging", "--estimator", "c45"], tw.BaggingClassifier(tw.C45Classifier())),
        (
            ["--algo", "bagging", "--estimator", "j48", "--n-estimators", "4"],
            tw.BaggingClassifier(tw.C45Classifier(variant="j48"), 4),
        ),
        (["--algo", "committee", "--estimator", "part", "--folds", "3"], tw.CommitteeClassifier(tw.PartClassifier(), folds=3)),
        (["--algo", "adaboost", "--n-estimators", "5"], tw.AdaBoostClassifier(n_estimators=5)),
        (["--algo", "extratrees", "--n-estimators", "5"], tw.ExtraTreesClassifier(5)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_members_are_named_by_their_algorithm(table: str, options: list[str], made: Any) -> None:
    assert run("fit", table, "--target", "species", "-q", "-o", "model.json", *options) == 0
    iris = tw.datasets.load_iris()
    loaded = tw.load("model.json")
    assert loaded.predict_proba(iris.X).tolist() == made.fit(iris.X, iris.y).predict_proba(iris.X).tolist()
    assert run("eval", "model.json", table, "-q") == 0 and run("predict", "model.json", table, "-q") == 0


def test_unknown_members_are_refused(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", table, "--target", "species", "--algo", "bagging", "--estimator", "c46", "-o", "model.json") == 2
    assert three_lines(capsys.readouterr().err)[:2] == ["algorithm 'c46' is unknown", "--estimator"]
    assert run("fit", table, "--target", "species", "--algo", "bagging", "--estimator", "m5", "-o", "model.json") == 2
    assert three_lines(capsys.readouterr().err)[0] == "m5 cannot predict a target of classes"


@pytest.mark.parametrize("kind", [tw.StackingClassifier, tw.VotingClassifier])
def test_files_of_stacks_and_votes_are_valid_and_refused_by_name(
    kind: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    iris = tw.datasets.load_iris()
    data, path = str(tmp_path / "iris.csv"), str(tmp_path / "m.json")
    iris.frame().to_csv(data, index=False)
    kind([("tree", tw.C45Classifier()), ("rules", tw.RipperClassifier())]).fit(iris.X, iris.y).save(path)
    for command in ("check", "describe"):
        assert main([command, path]) == 0
        assert f"{kind.__name__}, members tree (C45Classifier), rules (RipperClassifier)" in capsys.readouterr().out
    assert main(["check", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["members"] == {"tree": "C45Classifier", "rules": "RipperClassifier"}
    for command in (["predict", path, data], ["eval", path, data], ["explain", path, data, "--row", "1"], ["show", path]):
        assert main(command) == 2
        assert f"holds a {kind.__name__}, models of several kinds" in capsys.readouterr().err
