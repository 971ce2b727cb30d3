"""The explorer's page and pruning from the command line, of trees and of rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import treewright as tw
from tests.cli.runs import child, run
from tests.explore.test_document import held


@pytest.fixture
def iris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    tw.datasets.load_iris().frame().to_csv("iris.csv", index=False)
    assert run("fit", "iris.csv", "--target", "species", "-o", "iris.json", "-q") == 0
    capsys.readouterr()
    return tmp_path


def test_explore_a_table(iris: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explore", "iris.csv", "--target", "species") == 0
    out, err = capsys.readouterr()
    assert out.endswith(f"open it in a browser: {iris / 'iris.html'}\n") and "wrote iris.html (" in err
    document = held((iris / "iris.html").read_bytes())
    assert document["rows"] is None and len(document["path"]["cv"]) == 6 and document["why"]["0"][0][5] == 1
    assert run("explore", "iris.csv", "--target", "species") == 2
    assert "is there already" in capsys.readouterr().err


def test_explore_a_model(iris: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explore", "iris.json", "iris.csv", "--rows", "all", "--title", "Flowers", "-o", "page.html", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"page": str(iris / "page.html"), "bytes": (iris / "page.html").stat().st_size}
    document = held((iris / "page.html").read_bytes())
    assert document["title"] == "Flowers" and len(document["rows"]["number"]) == 150
    tw.load("iris.json").tree_.save("tree.json.gz")
    assert run("explore", "tree.json.gz", "-q") == 0
    assert held((iris / "tree.html").read_bytes())["nodes"] == document["nodes"]
    done = child("explore", "iris.json", "-o", "-", cwd=iris)
    assert done.returncode == 0 and done.stdout.startswith("<!doctype html>") and done.stdout.endswith("</html>\n")


def test_rules_go_through_every_command(iris: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "iris.csv", "--target", "species", "--algo", "ripper", "-o", "r.json", "--seed", "1") == 0
    model = tw.load("r.json")
    out, err = capsys.readouterr()
    assert f"ripper: {len(model.ruleset_)} rules and a default" in err and out.startswith("if ")
    for argv, said in (
        (["show", "r.json"], "else species = "),
        (["rules", "r.json"], "else species = "),
        (["explain", "r.json", "iris.csv", "--row", "1"], "row 1: species = setosa"),
        (["eval", "r.json", "iris.csv"], "accuracy 0.9"),
        (["check", "r.json"], "a valid model, RipperClassifier"),
        (["predict", "r.json", "iris.csv", "--explain"], "species,reason"),
    ):
        assert run(*argv) == 0
        assert said in capsys.readouterr().out
    assert run("rules", "r.json", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ordered"] and len(told["rules"]) == len(model.ruleset_)
    assert run("show", "r.json", "--svg", "x.svg") == 2
    assert capsys.readouterr().err.splitlines()[-3:] == [
        "error: this model is a list of rules, not a tree",
        "   --svg",
        "   leave it out, or see treewright rules and explore",
    ]
    model.ruleset_.save("alone.json")
    assert run("explore", "alone.json", "-q") == 0
    assert held((iris / "alone.html").read_bytes())["kind"] == "rules"


def test_prune_by_cross_validation_and_save(iris: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("prune", "iris.csv", "--target", "species", "--rule", "1se", "-o", "small.json", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    data = tw.datasets.load_iris()
    path = tw.CARTClassifier().fit(data.X, data.y).pruning_path(data.X, data.y, folds=10)
    assert told["path"]["n_leaves"] == path.n_leaves.tolist() and told["chosen"] == path.choose("1se")
    assert told["path"]["cv_error"] == pytest.approx(path.cv.error.tolist())
    assert tw.load("small.json").tree_.n_leaves == told["n_leaves"] == path.n_leaves[path.choose("1se")]


def test_prune_a_model_by_other_rows_and_by_size(iris: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = tw.datasets.load_iris().frame()
    frame[::2].to_csv("train.csv", index=False)
    frame[1::2].to_csv("rest.csv", index=False)
    assert run("fit", "train.csv", "--target", "species", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    assert run("prune", "m.json", "rest.csv", "-o", "p.json") == 0
    out, err = capsys.readouterr()
    model, X = tw.load("m.json"), frame.drop(columns="species")
    pruned = model.prune(X=X[1::2], y=frame.species[1::2])
    assert tw.load("p.json").tree_ == pruned.tree_
    assert "→ p.json (" in err and "on these rows" in out and out.count("◀") == 1
    assert run("prune", "m.json", "--leaves", "2", "-o", "two.json.gz", "-q") == 0
    assert tw.load("two.json.gz").tree_.n_leaves == 2
    assert run("prune", "m.json", "--alpha", "1e9", "-o", "-", "-q") == 0


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["prune", "iris.json", "-o", "x.json"], "nothing says how far to prune"),
        (["prune", "iris.json", "--leaves", "0"], "there is no tree of 0 leaves"),
        (["prune", "iris.json", "--leaves", "2", "--alpha", "1"], "--leaves and --alpha both say how far to go"),
        (["prune", "iris.json", "--cv", "5"], "--cv grows trees anew"),
        (["prune", "iris.csv", "--target", "species", "--algo", "ripper"], "a list of rules, not a tree"),
        (["explore", "iris.json", "--cv", "5"], "--cv grows trees anew"),
        (["explore", "iris.json", "--rows", "all"], "--rows puts rows into the page"),
        (["explore", "none.csv", "--target", "a"], "no such file"),
        (["explore"], "no table and no model is named"),
        (["explore", "iris.csv", "--target", "species", "-o", "no/where.html"], "there is no such folder"),
        (["explore", "iris.csv", "--target", "species", "--algo", "cart", "--cv", "1"], "1"),
    ],
)
def test_errors_are_three_lines(iris: Path, capsys: pytest.CaptureFixture[str], argv: list[str], said: str) -> None:
    assert run(*argv) in (2, 3)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-3].startswith("error: ") and said in lines[-3]
    assert all(line.startswith("   ") for line in lines[-2:])
    assert not list(iris.glob("*.html")) and not list(iris.glob("x.json"))


def test_a_model_with_a_hostile_name_is_still_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tw.datasets.load_play_tennis().frame().to_csv("<script>x.csv", index=False)
    assert run("explore", "<script>x.csv", "--target", "play", "-q") == 0
    assert (tmp_path / "<script>x.html").exists()
