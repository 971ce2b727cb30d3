"""Forests on the command line: every command takes them, or one of their members, or says what it cannot do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import three_lines
from treewright.cli import main


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame({"age": rng.integers(18, 80, n), "town": rng.choice(["Bonn", "Jena", "Köln"], n)})
    frame.loc[::9, "age"] = np.nan
    known = frame["age"].fillna(0)
    frame.assign(y=np.where((known > 40) & (frame["town"] == "Bonn"), "yes", "no")).to_csv("classes.csv", index=False)
    frame.assign(y=np.where(known > 40, 2 * known, 300 - known + 0.5) + rng.normal(size=n)).to_csv("numbers.csv", index=False)


def fitted(data: str, capsys: pytest.CaptureFixture[str]) -> Any:
    options = ["--algo", "randomforest", "--n-estimators", "7", "--seed", "1", "-o", "model.json"]
    assert main(["fit", data, "--target", "y", *options]) == 0
    told = capsys.readouterr()
    assert "mean of 7 trees" in told.out and "out of bag" in told.out and "training error" not in told.out
    assert "next: treewright explain model.json" in told.err
    return tw.load("model.json")


@pytest.mark.parametrize("data", ["classes.csv", "numbers.csv"])
def test_every_command_takes_forests(data: str, files: None, capsys: pytest.CaptureFixture[str]) -> None:
    est = fitted(data, capsys)
    frame = pd.read_csv(data)
    X = frame[["age", "town"]]
    assert main(["predict", "model.json", data, "--explain", "-q"]) == 0
    rows = pd.read_csv(pd.io.common.StringIO(capsys.readouterr().out))
    assert rows["y"].tolist() == est.predict(X).tolist() and rows["reason"].tolist() == est.forest_.reasons(X)
    assert main(["eval", "model.json", data]) == 0
    assert ("120 of 120 rows right" if data == "classes.csv" else "120 rows") in capsys.readouterr().out
    assert main(["show", "model.json", "-q"]) == 0
    assert capsys.readouterr().out.rstrip() == str(est.forest_)
    assert main(["show", "model.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(est.forest_.data()))
    assert main(["show", "model.json", "--svg", "forest.svg", "-q"]) == 0
    assert Path("forest.svg").read_text() == est.forest_.to_svg()
    assert main(["show", "model.json", "--png", "forest.png", "-q"]) == 0 and Path("forest.png").stat().st_size > 1000
    capsys.readouterr()
    assert main(["explain", "model.json", data, "--row", "3", "--width", "200"]) == 0
    assert est.explain(X.iloc[[2]]).to_text() in capsys.readouterr().out
    assert main(["explain", "model.json", data, "--row", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["answers"] == est.forest_.votes(X.iloc[[2]])[0].tolist() and told["truth"] == frame["y"][2]
    assert main(["check", "model.json"]) == 0
    assert "7 members" in capsys.readouterr().out


def test_the_page(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    fitted("classes.csv", capsys)
    assert main(["explore", "model.json", "classes.csv", "--title", "seven trees", "-q"]) == 0
    assert "<title>seven trees</title>" in Path("model.html").read_text(encoding="utf-8")
    assert main(["explore", "classes.csv", "--target", "y", "--algo", "rf", "--n-estimators", "3", "-q", "-o", "own.html"]) == 0
    assert Path("own.html").stat().st_size > 50_000


@pytest.mark.parametrize("language", ["python", "javascript", "c", "sql", "onnx"])
def test_exports(language: str, files: None, capsys: pytest.CaptureFixture[str]) -> None:
    est = fitted("classes.csv", capsys)
    more = {"sql": ["--dialect", "sqlite"]}.get(language, [])
    assert main(["export", "model.json", "--to", language, *more, "-o", "out", "-q"]) == 0
    made = est.to_sql("sqlite") if language == "sql" else getattr(est, f"to_{language}")()
    wanted = made.SerializeToString() if language == "onnx" else made.encode()
    assert Path("out").read_bytes().rstrip(b"\n") == wanted.rstrip(b"\n")


def test_one_member(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    est = fitted("classes.csv", capsys)
    member = est.forest_[3]
    assert main(["show", "model.json", "--member", "3", "-q"]) == 0
    assert capsys.readouterr().out.rstrip() == member.to_text(max_depth=6, width=80).rstrip()
    assert main(["rules", "model.json", "--member", "3", "--to", "full", "-q"]) == 0
    assert capsys.readouterr().out.rstrip() == member.to_rules().to_text(full=True)
    assert main(["export", "model.json", "--to", "dot", "--member", "3", "-q"]) == 0
    assert capsys.readouterr().out.rstrip() == tw.CARTClassifier()._take({"tree_": member}).to_dot().rstrip()
    X = pd.read_csv("classes.csv")[["age", "town"]]
    assert main(["explain", "model.json", "classes.csv", "--row", "3", "--member", "3", "--width", "200"]) == 0
    assert member.explain(X.iloc[[2]]).to_text() in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "lines"),
    [
        (["rules", "model.json"], ["a forest is no list of rules", "treewright rules", "name one member, such as --member 0"]),
        (["show", "model.json", "--member", "7"], ["there is no member 7", "--member", "a number from 0 to 6"]),
        (["show", "model.json", "--why", "root"], ["this model is a forest, not a tree", "--why", "name one member"]),
        (["prune", "model.json", "classes.csv"], ["this model is a forest, not a tree", "model.json", "only trees have sizes"]),
        (["export", "model.json", "--to", "dot"], ["this model is a forest, not a tree", "--to dot", "use --to sql, c"]),
        (["export", "model.json", "--to", "sql"], ["standard SQL cannot number rows", "--to sql", "such as --key id"]),
        (["show", "classes.csv", "--target", "y", "--member", "0"], ["this model has no members", "--member 0", "leave it out"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_a_command_cannot_do(argv: list[str], lines: list[str], files: None, capsys: pytest.CaptureFixture[str]) -> None:
    fitted("classes.csv", capsys)
    assert main([*argv, "-q"]) == 2
    for told, wanted in zip(three_lines(capsys.readouterr().err), lines, strict=True):
        assert wanted in told


@pytest.mark.parametrize("data", ["classes.csv", "numbers.csv"])
@pytest.mark.parametrize("algo", ["randomforest", "bagging"])
def test_an_ensemble_is_judged_out_of_bag(data: str, algo: str, files: None, capsys: pytest.CaptureFixture[str]) -> None:
    told = {}
    for more in (["-o", "model.json"], ["--json"]):
        assert main(["fit", data, "--target", "y", "--algo", algo, "--n-estimators", "30", "-q", *more]) == 0
        told["--json" in more] = capsys.readouterr().out
    est, frame = tw.load("model.json"), pd.read_csv(data)
    facts = json.loads(told[True])["training"]
    assert facts["rows"] == 120 and facts["out_of_bag"] is True
    kind = getattr(tw, type(est).__name__)(n_estimators=30, oob_score=True).fit(frame[["age", "town"]], frame["y"])
    if data == "classes.csv":
        wrong = np.sum(kind.classes_[np.argmax(kind.oob_decision_function_, axis=1)] != frame["y"])
        assert facts["errors"] == wrong and f"errors out of bag {wrong} of 120" in told[False]
    else:
        rmse = float(np.sqrt(np.mean((kind.oob_prediction_ - frame["y"]) ** 2)))
        assert (
            facts["rmse"] == pytest.approx(rmse) and f"error out of bag (root mean square) {rmse:.6g} of 120 rows" in told[False]
        )
    assert main(["fit", data, "--target", "y", "--algo", algo, "--no-bootstrap", "-q"]) == 0
    assert "training error" in capsys.readouterr().out


def test_rows_that_no_member_can_judge_are_told(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "classes.csv", "--target", "y", "--algo", "randomforest", "--n-estimators", "3"]) == 0
    told = capsys.readouterr()
    assert "(of 120, the others were drawn for every member)" in told.out and "nobody can judge" not in told.err
    assert main(["fit", "classes.csv", "--target", "y", "--algo", "randomforest", "--no-oob-score", "-q"]) == 0
    assert "training errors" in capsys.readouterr().out
