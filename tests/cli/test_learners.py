"""Learners on the command line: their options by name, what the target is, how the table is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import run, three_lines
from treewright.cli.learn import algorithms
from treewright.cli.literals import literal


def test_options_of_the_learner_by_name(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def leaves(*options: str) -> int:
        assert run("show", "tennis.csv", "--target", "play", "--json", "-q", *options) == 0
        return int(json.loads(capsys.readouterr().out)["n_leaves"])

    X = pd.read_csv("tennis.csv")
    y = X.pop("play")
    assert leaves("--max-depth", "1") == 2
    assert (
        leaves("--max-depth=2", "--criterion", "info_gain")
        == tw.CARTClassifier(max_depth=2, criterion="info_gain").fit(X, y).get_n_leaves()
    )
    assert leaves("--algo", "tree", "--recipe", "id3", "--nominal", "one_vs_rest", "--missing-policy", "learned") == (
        tw.TreeClassifier(recipe="id3", nominal="one_vs_rest", missing="learned").fit(X, y).get_n_leaves()
    )
    assert leaves("--min-samples-leaf", "0.3") == tw.CARTClassifier(min_samples_leaf=0.3).fit(X, y).get_n_leaves()
    # Before or behind the table; switches need no value.
    assert run("show", "--max-depth", "1", "tennis.csv", "--target", "play", "-q", "--json") == 0
    assert json.loads(capsys.readouterr().out)["n_leaves"] == 2
    for switch in (["--grouped"], ["--grouped", "true"], ["--grouped=true"]):
        wanted = tw.C45Classifier(grouped=True).fit(X, y).get_n_leaves()
        assert leaves("--algo", "c45", *switch) == wanted
    assert leaves("--algo", "c45", "--no-pruned") == tw.C45Classifier(pruned=False).fit(X, y).get_n_leaves()
    assert leaves("--algo", "j48") == tw.C45Classifier(variant="j48").fit(X, y).get_n_leaves()
    rpart = tw.CARTClassifier(recipe="rpart", min_samples_split=2).fit(X, y)
    assert leaves("--algo", "rpart", "--min-samples-split", "2") == rpart.get_n_leaves()
    assert [literal(text) for text in ("3", "0.5", "true", "None", "gini", "1e3")] == [3, 0.5, True, None, "gini", 1000.0]


def test_trees_with_models_in_their_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    x = np.arange(60.0)
    bent = np.where(x < 30, x, 90 - 2 * x)
    frame = pd.DataFrame({"x": x, "z": np.sin(x), "y": bent, "side": np.where(np.sin(x) + x / 60 > 0.5, "up", "down")})
    frame.to_csv("t.csv", index=False)
    assert run("fit", "t.csv", "--target", "y", "--ignore", "side", "--algo", "m5", "--smoothing", "none", "-o", "m5.json") == 0
    capsys.readouterr()
    assert run("rules", "m5.json") == 0
    assert "then y = 0 + 1 * x" in capsys.readouterr().out
    assert run("show", "m5.json", "--json") == 0
    leaves = [node for node in json.loads(capsys.readouterr().out)["nodes"] if "asks" not in node]
    assert {leaf["node"]: leaf["equation"]["intercept"] for leaf in leaves} == {
        leaf.id: leaf.equation.intercept for leaf in tw.load("m5.json").tree_.leaves() if leaf.equation is not None
    }
    assert [leaf["deviation"] for leaf in leaves] == [tw.load("m5.json").tree_.node(leaf["node"]).deviation for leaf in leaves]
    assert {term["column"] for leaf in leaves for term in leaf["equation"]["terms"]} == {"x", "z"}
    assert run("explain", "m5.json", "t.csv", "--row", "2") == 0
    assert "y = 0 + 1 * x" in capsys.readouterr().out
    assert run("export", "m5.json", "--to", "python") == 0
    assert "coefficient" in capsys.readouterr().out
    assert run("fit", "t.csv", "--target", "side", "--ignore", "y", "--algo", "lmt", "-o", "lmt.json") == 0
    assert "score of up = " in capsys.readouterr().out
    assert run("show", "lmt.json", "--json") == 0
    assert set(json.loads(capsys.readouterr().out)["nodes"][-1]["scores"]) == {"up", "down"}
    assert run("predict", "lmt.json", "t.csv", "--proba") == 0
    shares = np.array([line.split(",")[1:] for line in capsys.readouterr().out.splitlines()[1:]], float)
    assert shares == pytest.approx(tw.load("lmt.json").predict_proba(frame[["x", "z"]]))
    for form in ("sql", "c", "python", "javascript"):
        assert run("export", "lmt.json", "--to", form) == 0
        assert capsys.readouterr().out == getattr(tw.load("lmt.json"), f"to_{form}")()
    assert run("export", "lmt.json", "--to", "sql", "--give", "shares") == 0
    assert capsys.readouterr().out == tw.load("lmt.json").to_sql(give="shares")


def test_models_of_several_numbers_are_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    x = np.arange(20.0)
    model = tw.CARTRegressor(max_depth=2).fit(x[:, None], np.column_stack([x**2, -x]))
    model.save("m.json")
    for form in ("sql", "c", "python", "javascript"):
        assert run("export", "m.json", "--to", form) == 0
        assert capsys.readouterr().out == getattr(model, f"to_{form}")()


def test_every_estimator_is_an_algorithm() -> None:
    found = algorithms()
    assert {"cart", "id3", "tree"} <= set(found)
    assert found["cart"] == {True: "CARTClassifier", False: "CARTRegressor"}
    names = [name for name in tw.__all__ if name.endswith(("Classifier", "Regressor"))]
    names.remove("TreeNeighborsClassifier")  # learns neither a tree nor rules
    names = [name for name in names if not name.startswith(("Stacking", "Voting"))]  # of estimators, which have no names there
    assert sorted(name for tasks in found.values() for name in tasks.values()) == sorted(names)


def test_targets_are_classes_or_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(i, i % 3, i * 0.5, "yes" if i % 2 else "no", i * 7) for i in range(40)]
    pd.DataFrame(rows, columns=["x", "few", "real", "word", "many"]).to_csv("t.csv", index=False)
    for target, more, classes in [
        ("few", [], True),
        ("word", [], True),
        ("real", [], False),
        ("many", [], False),
        ("few", ["--task", "numbers"], False),
        ("many", ["--task", "classes"], True),
    ]:
        assert run("show", "t.csv", "--target", target, "--json", "-q", *more) == 0
        out, err = capsys.readouterr()
        assert ("classes" in json.loads(out)["nodes"][0]) == classes
        assert ("are few and read as classes; --task numbers" in err) == (target == "few" and not more)


def test_rows_without_a_target_are_left_out(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("gaps.csv").write_text("a,b\n1,x\n2,\n3,y\n")
    assert run("show", "gaps.csv", "--target", "b", "--json") == 0
    out, err = capsys.readouterr()
    assert "warning: 1 of 3 rows have no 'b' and are left out" in err
    assert json.loads(out)["nodes"][0]["rows"] == 2


def test_declared_classes_and_targets_of_arff_and_c45(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("w.arff").write_text(
        "@relation w\n@attribute a numeric\n@attribute play {yes, no, never}\n@data\n1,no\n2,no\n3,yes\n4,yes\n"
    )
    assert run("fit", "w.arff") == 0
    out = capsys.readouterr().out
    assert "target play: yes 2 · no 2 · never 0" in out
    assert "a <= 2.5?      yes 2  no 2  ████████░░░░░░░░" in out
    Path("g.names").write_text("yes, no.\na: continuous.\n")
    Path("g.data").write_text("1, no\n2, no\n3, yes\n")
    assert run("rules", "g.data", "-q") == 0
    assert capsys.readouterr().out.splitlines()[0] == "if a <= 2.5 then class = no  (2 rows, 100% right)"


def test_reading_options(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("e.csv").write_bytes("größe;preis;weg;t\nS;1,5;1;a\nL;2,5;2;b\nM;-;3;a\n".encode("latin-1"))
    argv = ["--encoding", "latin-1", "--missing", "-", "--ordered", "größe=S<M<L", "--ignore", "weg", "--categorical", "t"]
    assert run("describe", "e.csv", *argv) == 0
    assert capsys.readouterr().out.splitlines() == [
        "e.csv  3 rows × 3 columns   semicolon-separated, decimal comma",
        "  größe  ordered   S 1 · M 1 · L 1",
        "  preis  number    1.5 to 2.5   1 missing",
        "  t      category  a 2 · b 1",
    ]
    Path("n.csv").write_text("a:b\nc:d\n")
    assert run("describe", "n.csv", "--delimiter", ":", "--no-header", "--json") == 0
    assert [column["name"] for column in json.loads(capsys.readouterr().out)["columns"]] == ["x0", "x1"]


@pytest.mark.parametrize("kind", ["text", "whole", "truth"])
@pytest.mark.parametrize(
    ("option", "written", "meant"),
    [
        ("class_weight", ["{a}=1,{b}=5", '{{"{a}": 1, "{b}": 5}}'], lambda a, b: {a: 1, b: 5}),
        ("priors", ["0.25,0.75", "[0.25, 0.75]"], lambda a, b: [0.25, 0.75]),
        ("priors", ["{b}=0.75,{a}=0.25", '{{"{a}": 0.25, "{b}": 0.75}}'], lambda a, b: {a: 0.25, b: 0.75}),
        ("loss", ["0,1;5,0", "[[0, 1], [5, 0]]"], lambda a, b: [[0, 1], [5, 0]]),
    ],
)
def test_what_is_said_of_classes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, option: str, written: list[str], meant: Any
) -> None:
    a, b = {"text": ("no", "yes"), "whole": (0, 1), "truth": (False, True)}[kind]
    rng = np.random.default_rng(0)
    x = rng.random(60)
    frame = pd.DataFrame({"x": x, "y": [b if cell else a for cell in rng.random(60) < x]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    wanted = tw.CARTClassifier(max_depth=2, **{option: meant(a, b)}).fit(frame[["x"]], frame["y"])
    plain = tw.CARTClassifier(max_depth=2).fit(frame[["x"]], frame["y"])
    assert wanted.tree_.to_text() != plain.tree_.to_text()
    model = str(tmp_path / "m.json")
    for text in written:
        argv = [f"--{option.replace('_', '-')}", text.format(a=a, b=b), "--max-depth", "2", "-o", model, "--force", "-q"]
        assert run("fit", str(tmp_path / "t.csv"), "--target", "y", *argv) == 0, capsys.readouterr().err
        assert tw.load(model).get_params()[option] == meant(a, b)
        assert tw.load(model).tree_.to_text() == wanted.tree_.to_text()


@pytest.mark.parametrize(
    ("option", "value", "what", "remedy"),
    [
        ("--priors", "half", "'half' says nothing of classes", "CLASS=NUMBER"),
        ("--priors", "no=0.5,yes=0.6", "--priors {'no': 0.5, 'yes': 0.6} sums to 1.1", "probabilities must sum to 1"),
        ("--class-weight", "no=2,yess=1", "class_weight names class 'yess', which does not occur", "['no', 'yes']"),
        ("--class-weight", "no=2,yes", "'no=2,yes' says nothing of classes", "balanced"),
        ("--class-weight", '{"no": 2', "is not JSON", "CLASS=NUMBER"),
        ("--loss", "0,1;x,0", "'0,1;x,0' says nothing of classes", "0,1;5,0"),
        ("--loss", "0,1", "--loss [[0, 1]] must be 2 x 2 numbers", "--help"),
    ],
)
def test_what_is_wrongly_said_of_classes(
    tennis: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, what: str, remedy: str
) -> None:
    assert run("fit", "tennis.csv", "--target", "play", option, value, "-q") == 2
    said = three_lines(capsys.readouterr().err)
    assert what in said[0]
    assert remedy in said[2]


def test_trees_of_scores_by_their_usual_names(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = np.random.default_rng(0).random((90, 2)).round(3), np.repeat(["a", "b", "c"], 30)
    X[:, 0] += np.repeat([0, 1, 2], 30) * 0.8
    frame = pd.DataFrame({"u": X[:, 0], "v": X[:, 1], "kind": y})
    frame.to_csv("s.csv", index=False)
    given = frame[["u", "v"]], frame["kind"]
    for algo, est in (
        ("fact", tw.ObliqueTreeClassifier(method="fact")),
        ("lmdt", tw.ObliqueTreeClassifier(method="lmdt")),
        ("network", tw.ObliqueTreeClassifier(node="network")),
        ("omnivariate", tw.OmnivariateTreeClassifier()),
        ("quest", tw.QuestTreeClassifier()),
    ):
        assert run("fit", "s.csv", "--target", "kind", "--algo", algo, "-q", "-o", "s.json", "--force") == 0
        assert tw.load("s.json").tree_ == est.fit(*given).tree_
    assert (
        run("fit", "s.csv", "--target", "kind", "--algo", "omnivariate", "--choice", "bic", "-q", "-o", "s.json", "--force") == 0
    )
    capsys.readouterr()
    assert run("show", "s.json") == 0 and run("rules", "s.json") == 0
