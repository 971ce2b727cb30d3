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


MEMBERS = [("tree", tw.C45Classifier()), ("rules", tw.RipperClassifier())]


@pytest.mark.parametrize("kind", [tw.StackingClassifier, tw.VotingClassifier])
def test_files_of_stacks_and_votes_are_asked(kind: Any, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    iris = tw.datasets.load_iris()
    est = kind(MEMBERS).fit(iris.X, iris.y)
    est.save("m.json")
    for command in ("check", "describe"):
        assert main([command, "m.json"]) == 0
        assert f"{kind.__name__}, members tree (C45Classifier), rules (RipperClassifier)" in capsys.readouterr().out
    assert main(["check", "m.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["members"] == {"tree": "C45Classifier", "rules": "RipperClassifier"}
    assert main(["predict", "m.json", table, "-q"]) == 0
    assert capsys.readouterr().out.split() == ["species", *est.predict(iris.X).tolist()]
    assert main(["predict", "m.json", table, "-q", "--proba", "--explain"]) == 0
    assert capsys.readouterr().out.count("say") >= 150
    assert main(["eval", "m.json", table, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["right"] == int(sum(est.predict(iris.X) == iris.y))
    assert main(["explain", "m.json", table, "--row", "71", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["says"] == est.predict(iris.X.iloc[[70]])[0]
    assert main(["show", "m.json"]) == 0
    assert ("StackingClassifier" in kind.__name__) == ("LogisticTreeClassifier of what they say" in capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "made"),
    [
        (
            ["voting", "--estimators", "c45,ripper"],
            tw.VotingClassifier([("c45", tw.C45Classifier()), ("ripper", tw.RipperClassifier())]),
        ),
        (
            ["vote", "--estimators", "c45,j48,part", "--voting", "soft", "--weights", "2,1,1"],
            tw.VotingClassifier(
                [("c45", tw.C45Classifier()), ("j48", tw.C45Classifier(variant="j48")), ("part", tw.PartClassifier())],
                voting="soft",
                weights=[2, 1, 1],
            ),
        ),
        (
            ["stacking", "--estimators", "c45,c45", "--final-estimator", "cart", "--stack-method", "predict", "--folds", "3"],
            tw.StackingClassifier(
                [("c45", tw.C45Classifier()), ("c45 2", tw.C45Classifier())], tw.CARTClassifier(), cv=3, stack_method="predict"
            ),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_stacks_and_votes_are_learned(table: str, options: list[str], made: Any, capsys: pytest.CaptureFixture[str]) -> None:
    iris = tw.datasets.load_iris()
    assert run("fit", table, "--target", "species", "-q", "-o", "m.json", "--algo", *options) == 0
    loaded = tw.load("m.json")
    made.fit(iris.X, iris.y)
    assert type(loaded) is type(made) and list(loaded.named_estimators_) == list(made.named_estimators_)
    assert loaded.predict(iris.X).tolist() == made.predict(iris.X).tolist()
    assert run("fit", table, "--target", "species", "--algo", *options) == 0  # also without a file
    capsys.readouterr()
    assert run("eval", table, "--target", "species", "--cv", "3", "--json", "--algo", *options) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] > 0.85


def test_numbers_are_stacked_and_averaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    iris = tw.datasets.load_iris()
    iris.X.to_csv("n.csv", index=False)
    target = iris.X.columns[2]
    for algo in ("stacking", "voting"):
        assert run("fit", "n.csv", "--target", target, "--algo", algo, "-o", f"{algo}.json", "-q") == 0
        told = tw.load(f"{algo}.json").predict(iris.X.drop(columns=[target]))
        capsys.readouterr()
        assert run("predict", f"{algo}.json", "n.csv", "-q") == 0
        assert [float(line) for line in capsys.readouterr().out.split("\n")[1:-1]] == pytest.approx(told.tolist())


def test_a_vote_is_explored_and_exported_and_a_stack_refuses(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    for algo in ("voting", "stacking"):
        assert (
            run("fit", table, "--target", "species", "-q", "-o", f"{algo}.json", "--algo", algo, "--estimators", "cart,c45") == 0
        )
    capsys.readouterr()
    assert run("explore", "voting.json", table, "-o", "page.html", "-q") == 0 and Path("page.html").stat().st_size > 50_000
    assert run("export", "voting.json", "--to", "sql", "--dialect", "sqlite", "-q") == 0
    assert "setosa" in capsys.readouterr().out
    assert run("rules", "voting.json", "--member", "1", "-q") == 0
    assert "then species = setosa" in capsys.readouterr().out
    for command in (
        ["explore", "stacking.json", "-o", "p.html"],
        ["export", "stacking.json", "--to", "c"],
        ["rules", "stacking.json"],
    ):
        assert run(*command, "-q") == 2
        assert three_lines(capsys.readouterr().err)[0] == "a stack is several models, one learned from what the others say"
    assert not Path("p.html").exists()


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["voting", "--estimators", "c45,c46"], "algorithm 'c46' is unknown"),
        (["voting", "--estimators", "m5"], "m5 cannot predict a target of classes"),
        (["voting", "--estimators", "voting"], "algorithm 'voting' is unknown"),
        (["voting", "--estimators", ","], "voting has no members"),
        (["voting", "--weights", "1,2"], "'1,2' are not weights of 3 members"),
        (["voting", "--weights", "0,0,0"], "'0,0,0' are not weights of 3 members"),
        (["voting", "--voting", "loud"], "'loud' is not allowed"),
        (["voting", "--folds", "3"], "voting has no option 'folds'"),
        (["stacking", "--folds", "1"], "1 is no number of folds"),
        (["stacking", "--final-estimator", "x"], "algorithm 'x' is unknown"),
        (["stacking", "--stack-method", "decision_function"], "'decision_function' is not allowed"),
    ],
    ids=str,
)
def test_wrong_options_of_stacks_and_votes(
    table: str, options: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("fit", table, "--target", "species", "-q", "-o", "m.json", "--algo", *options) == 2
    assert three_lines(capsys.readouterr().err)[0] == fault and not Path("m.json").exists()
