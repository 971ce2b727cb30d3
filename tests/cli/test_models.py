"""Model files on the command line: fit writes them; predict, show, rules, eval, explain and check read them."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import child, run
from treewright.cli.candidates import candidates_text, in_order
from treewright.model.node import Candidate


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    tw.datasets.load_play_tennis().frame().to_csv("tennis.csv", index=False)
    assert run("fit", "tennis.csv", "--target", "play", "--algo", "c45", "-o", "m.json.gz", "-q") == 0
    capsys.readouterr()
    return tmp_path / "m.json.gz"


def test_fit_saves_the_model_and_shows_the_tree(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert type(tw.load(model)) is tw.C45Classifier
    assert run("fit", "tennis.csv", "--target", "play", "-o", "m.json.gz") == 2
    assert "is there already" in capsys.readouterr().err
    assert run("fit", "tennis.csv", "--target", "play", "-o", "other.json") == 0
    out, err = capsys.readouterr()
    assert "outlook" in out
    assert "→ other.json (" in err


def test_a_model_goes_through_pipes(model: Path) -> None:
    fitted = child("fit", "tennis.csv", "--target", "play", "--algo", "c45", "-o", "-", cwd=model.parent)
    assert fitted.returncode == 0
    assert "training errors" in fitted.stderr
    done = child("predict", "-", "tennis.csv", cwd=model.parent, input=fitted.stdout)
    assert done.stdout.split() == ["play", *tw.load(model).predict(tw.datasets.load_play_tennis().X)]
    assert child("check", "-", cwd=model.parent, input=fitted.stdout[:-2]).returncode == 4


def test_predict(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tw.datasets.load_play_tennis()
    est = tw.load(model)
    assert run("predict", str(model), "tennis.csv", "--proba", "--explain", "--keep") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["predicted play"] for row in rows] == est.predict(data.X).tolist()
    assert [row["play"] for row in rows] == data.y.tolist()
    assert [float(row["probability_no"]) for row in rows] == est.predict_proba(data.X)[:, 0].tolist()
    assert rows[0]["reason"] == "outlook = sunny and humidity = high"
    assert run("predict", str(model), "tennis.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"play": est.predict(data.X).tolist()}


def test_columns_are_found_by_name_and_absent_ones_named(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.read_csv("tennis.csv")
    frame[["wind", "play", "humidity", "outlook", "temperature"]].assign(more=1).to_csv("other.csv", index=False)
    assert run("predict", str(model), "other.csv") == 0
    assert capsys.readouterr().out.split()[1:] == tw.load(model).predict(tw.datasets.load_play_tennis().X).tolist()
    frame.drop(columns="wind").to_csv("less.csv", index=False)
    assert run("predict", str(model), "less.csv") == 3
    assert "['wind']" in capsys.readouterr().err


def test_unseen_levels_are_told(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.read_csv("tennis.csv")
    frame.loc[0, "outlook"] = "7"
    frame.to_csv("odd.csv", index=False)
    assert run("predict", str(model), "odd.csv") == 0
    assert "'7' 1" in capsys.readouterr().err


@pytest.mark.parametrize("how", [["m.json.gz"], ["--model", "m.json.gz"]])
def test_show_rules_eval_and_explain_take_models(model: Path, how: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    est = tw.load(model)
    assert run("show", *how) == 0
    assert est.tree_.to_text() in capsys.readouterr().out
    assert run("rules", *how, "-q") == 0
    assert capsys.readouterr().out.strip() == est.tree_.to_rules().to_text()
    rows = [*how, "tennis.csv"]
    assert run("eval", *rows) == 0
    assert "accuracy 1.000 on the 14 rows of tennis.csv" in capsys.readouterr().out
    assert run("explain", *rows, "--row", "6") == 0
    out = capsys.readouterr().out
    assert "wind = strong" in out
    assert "true value: no ✓" in out


def test_a_tree_alone_is_a_model(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tw.load(model).tree_.save("tree.json")
    for argv in (["check", "tree.json"], ["show", "tree.json"], ["explain", "tree.json", "tennis.csv", "--row", "1"]):
        assert run(*argv) == 0
    assert run("predict", "tree.json", "tennis.csv") == 0
    assert "no" in capsys.readouterr().out


def test_models_of_numbers_and_arrays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(50, 2)).round(2)
    est = tw.CARTRegressor(max_depth=2).fit(X, X[:, 0])
    est.save("m.json")
    pd.DataFrame(X, columns=["p", "q"]).to_csv("rows.csv", index=False)
    assert run("predict", "m.json", "rows.csv") == 0
    assert [float(line) for line in capsys.readouterr().out.split()[1:]] == est.predict(X).tolist()
    assert run("predict", "m.json", "rows.csv", "--proba") == 2
    assert run("check", "m.json", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["valid"], facts["model"], facts["n_leaves"]) == (True, "CARTRegressor", 4)


@pytest.mark.parametrize(
    ("argv", "code", "told"),
    [
        (["check", "tennis.csv"], 4, "not a model file of treewright"),
        (["check", "absent.json"], 3, "No such file"),
        (["predict", "tennis.csv", "tennis.csv"], 4, "not a model file"),
        (["show"], 2, "no table and no model"),
        (["eval", "m.json.gz"], 2, "no table is named"),
        (["eval", "tennis.csv", "tennis.csv"], 2, "is no model file"),
        (["show", "m.json.gz", "--max-depth", "2"], 2, "learned already"),
        (["rules", "m.json.gz", "--format", "csv"], 2, "--format is about a table"),
        (["show", "m.json.gz", "--target", "play"], 2, "--target is about a table"),
        (["export", "m.json.gz", "--to", "python", "--algo", "id3"], 2, "--algo is about a table"),
        (["explain", "m.json.gz", "tennis.csv", "--row", "99"], 2, "there is no row 99"),
        (["eval", "--model", "m.json.gz", "a", "b"], 2, "one table too many"),
    ],
)
def test_errors(model: Path, argv: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*argv) == code
    err = capsys.readouterr().err
    assert told in err
    assert len(err.splitlines()) == 3


def test_a_damaged_model_is_exit_code_4(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tw.load(model).save("m.json")
    text = Path("m.json").read_text()
    Path("bad.json").write_text(text.replace('"weight": [14', '"weight": [15'))
    assert run("check", "bad.json") == 4
    err = capsys.readouterr().err.splitlines()
    assert err[0] == "error: bad.json is not a valid model"
    assert "checksum" in err[1]
    assert run("show", "bad.json") == 4


def test_D7_formulas_are_harmless_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hostile = ["=1+1", "+x", "-x", "@x", "\tx", "plain", "-5"]
    X = pd.DataFrame({"=v": np.arange(7.0) - 3})
    tw.CARTClassifier().fit(X, np.array(hostile, object)).save("m.json")
    X.to_csv("rows.csv", index=False)
    plain = child("predict", "m.json", "rows.csv", "--keep", cwd=tmp_path).stdout
    safe = child("predict", "m.json", "rows.csv", "--keep", "--safe-csv", cwd=tmp_path).stdout
    told = [row[1] for row in csv.reader(io.StringIO(plain))][1:]
    assert told == hostile
    head, *rows = csv.reader(io.StringIO(safe))
    assert head[0] == "'=v"
    assert [row[1] for row in rows] == ["'=1+1", "'+x", "'-x", "'@x", "'\tx", "plain", "'-5"]
    assert [float(row[0]) for row in rows] == X["=v"].tolist()


def test_rows_are_read_as_the_model_was_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("zip,y\n" + "01000,01\n02000,02\nA1,02\nB1,x\n" * 3)
    Path("new.csv").write_text("zip,y\n01000,01\n02000,02\n")
    assert run("fit", "t.csv", "--target", "y", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    assert run("predict", "m.json", "new.csv", "-q") == 0
    assert capsys.readouterr() == ("y\n01\n02\n", "")
    for command in (["eval"], ["explain", "--row", "2"], ["prune"], ["explore", "-o", "page.html"]):
        assert run(command[0], "m.json", "new.csv", *command[1:], "-q") == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert command[0] != "eval" or "2 of 2 rows right" in out
    assert run("eval", "t.csv", "--target", "y", "--test", "new.csv", "-q") == 0
    assert "2 of 2 rows right" in capsys.readouterr().out


def test_reasons_are_what_held_of_the_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,y\n" + "p,1.5,yes\nq,2.5,no\n" * 20 + "q,7.5,yes\n" * 10)
    (tmp_path / "n.csv").write_text("a,b\np,3\nalien,2\n,9\n")
    assert run("fit", "t.csv", "--target", "y", "--algo", "c45", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    assert run("predict", "m.json", "n.csv", "--explain", "--proba") == 0
    said = capsys.readouterr()
    assert said.err.count("never seen") == 1
    told = [line.split(",")[-1] for line in said.out.splitlines()[1:]]
    assert told == [
        "a = p",
        "30/50 × a = q and b <= 2.5 → no; 20/50 × a = p → yes",
        "30/50 × a = q and b > 2.5 → yes; 20/50 × a = p → yes",
    ]
    # Cells that training had none of go somewhere as well, though no rule says so.
    tw.CARTClassifier().fit(pd.DataFrame({"b": [1.0, 2, 8, 9]}), ["no", "no", "yes", "yes"]).save("c.json")
    (tmp_path / "c.csv").write_text("b,c\n8,0\n,0\n")
    assert run("predict", "c.json", "c.csv", "--explain") == 0
    assert [line.split(",")[-1] for line in capsys.readouterr().out.splitlines()[1:]] == ["b > 5", "b is missing"]
    rows = pd.DataFrame({"a": ["p"] * 10 + ["q"] * 30})
    tw.RipperClassifier().fit(rows, ["yes"] * 10 + ["no"] * 30).save("r.json")
    assert run("predict", "r.json", "n.csv", "--explain") == 0
    assert [line.split(",")[-1] for line in capsys.readouterr().out.splitlines()[1:]] == [
        "a = p",
        "no rule holds",
        "no rule holds",
    ]


def test_a_small_model_keeps_why_its_splits_were_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("\n".join(["m,n,y", *["a,x,1", "b,x,1", "b,x,0", "c,z,0"] * 9]))
    assert run("fit", "t.csv", "--target", "y", "--algo", "c45", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    assert run("show", "m.json", "--why", "root", "-q") == 0
    assert capsys.readouterr().out.splitlines()[0] == "m  gain 0.500   split info 1.500   ratio 0.333   ◀ chosen"
    assert run("fit", "t.csv", "--target", "y", "--no-keep-candidates", "-o", "n.json", "-q") == 0
    assert run("show", "n.json", "--why", "root", "-q") == 2


def test_why_names_the_rule_that_passed_over_a_better_ratio() -> None:
    one = Candidate("one", "multiway", 0.012, 0.0, 0.007, 1.7, 0.3, 4, 1, None, {}, True)
    two = replace(one, column="two", gain=0.008, merit=0.035, split_info=0.228, chosen=False)
    lines = candidates_text(in_order([two, one])).splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["one", "two"]
    assert lines[1].endswith("0.035   (gain below average)")
    assert "reaches the average of 0.010 (C4.5)" in lines[2]
    assert len(candidates_text(in_order([replace(one, merit=0.04), two])).splitlines()) == 2


def test_prune_says_that_a_size_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *["p,u,1", "p,v,0", "q,u,0", "q,v,1"] * 5]))
    assert run("fit", "t.csv", "--target", "y", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    assert run("prune", "m.json", "t.csv", "--leaves", "3", "--rule", "one-se") == 0
    said = capsys.readouterr()
    assert "no tree of this path has 3 leaves" in said.out
    assert "cross-validate with --cv 10" in said.err


def test_a_model_that_asks_nothing_says_so(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "tennis.csv", "--target", "play", "--algo", "c45", "--max-depth", "0", "-o", "leaf.json", "-q") == 0
    capsys.readouterr()
    assert run("predict", "leaf.json", "tennis.csv", "--explain", "-q") == 0
    assert set(capsys.readouterr().out.splitlines()[1:]) == {"yes,always"}


@pytest.mark.parametrize("threads", [1, 2])
def test_every_command_reads_the_file_of_training_as_fit_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], threads: int
) -> None:
    import pyarrow as pa

    monkeypatch.chdir(tmp_path)
    rows = [f'{i} %;$1,{i:03d}.50;{i + 1}/1/2024;"{i or ""}";-;1.{i // 4:03d},50 €' for i in range(12)]
    Path("t.csv").write_text("a;b;c;d;e;y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    Path("one.csv").write_text("a;b;c;d;e;y\n3 %;$2,000;3/4/2024;;-;1.002\n", encoding="utf-8")
    before = pa.cpu_count()
    pa.set_cpu_count(threads)
    try:
        assert run("fit", "t.csv", "--target", "y", "-o", "m.json", "-q", "--dates", "dmy", "--missing", "-") == 0
        for command in (["predict"], ["eval"], ["explain", "--row", "2"], ["explore", "-o", "page.html"], ["prune"]):
            name, *options = command
            assert run(name, "m.json", "t.csv", "-q", *options) == 0, (command, capsys.readouterr().err)
        capsys.readouterr()
        assert run("eval", "m.json", "one.csv", "-q") == 0
        assert "mean absolute error 1.5;" in capsys.readouterr().out  # 1000.5 is said, and 1.002 is a thousand and two
    finally:
        pa.set_cpu_count(before)
    model = tw.load("m.json")
    assert [model.tree_.schema.columns[j].kind for j in range(4)] == ["number", "number", "date", "number"]
