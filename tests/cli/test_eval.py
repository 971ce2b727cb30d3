"""What `eval` tells beside accuracy agrees with scikit-learn's measures; budgets of `explore`; what `explain` puts together."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import treewright as tw
from tests.cli.runs import run


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(400), "b": rng.random(400)})
    y = np.where(X.a + 0.6 * rng.random(400) > 0.9, "yes", "no")
    X.assign(three=np.where(X.a > 0.7, "high", np.where(X.b > 0.5, "mid", "low")), y=y).to_csv("all.csv", index=False)
    frame = pd.read_csv("all.csv")
    frame[::2].drop(columns="three").to_csv("train.csv", index=False)
    frame[1::2].to_csv("test.csv", index=False)
    assert run("fit", "train.csv", "--target", "y", "--max-depth", "3", "-o", "m.json", "-q") == 0
    return tmp_path


def test_measures_are_those_of_scikit_learn(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("eval", "m.json", "test.csv", "--json", "-q") == 0
    told = json.loads(capsys.readouterr().out)
    test, est = pd.read_csv("test.csv"), tw.load("m.json")
    answer, shares = est.predict(test[["a", "b"]]), est.predict_proba(test[["a", "b"]])
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(test.y, answer)
    for k, label in enumerate(("no", "yes")):
        assert told["per_class"][label] == pytest.approx({"precision": precision[k], "recall": recall[k], "F1": f1[k]})
    assert told["auc"] == pytest.approx(metrics.roc_auc_score(test.y, shares[:, 1]))
    assert told["log_loss"] == pytest.approx(metrics.log_loss(test.y, shares))
    assert told["brier"] == pytest.approx(metrics.brier_score_loss(test.y, shares[:, 1], pos_label="yes"))
    found = tw.calibration(est, test[["a", "b"]], test.y)
    assert told["calibration_error"] == pytest.approx(found.error)
    assert sum(each["rows"] for each in told["calibration"]) == len(test)
    assert run("eval", "m.json", "test.csv", "-q") == 0
    text = capsys.readouterr().out
    assert f"AUC {told['auc']:.3f} (of yes)" in text
    assert "baseline (majority class): " in text
    assert f"{precision[0]:9.3f}  {recall[0]:6.3f}" in text


def test_three_classes_in_folds(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("eval", "all.csv", "--target", "three", "--max-depth", "1", "--cv", "4", "--json", "-q") == 0
    told = json.loads(capsys.readouterr().out)
    assert 0.6 < told["auc"] < 1 and told["log_loss"] < told["log_loss_baseline"] and told["brier"] < told["brier_baseline"]
    missed = [label for label, each in told["per_class"].items() if each["precision"] is None]
    assert missed == [
        label for label, row in zip(told["classes"], np.transpose(told["confusions"]), strict=True) if not row.any()
    ]


def test_costs_have_a_threshold(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("eval", "m.json", "test.csv", "--cost", "0,1;5,0", "--json", "-q") == 0
    costs = json.loads(capsys.readouterr().out)["costs"]
    test, est = pd.read_csv("test.csv"), tw.load("m.json")
    shares, actual = est.predict_proba(test[["a", "b"]])[:, 1], (test.y == "yes").to_numpy()

    def cost(answer: np.ndarray) -> float:
        return float(np.mean(np.where(actual, np.where(answer, 0, 5), np.where(answer, 1, 0))))

    tried = {float(t): cost(shares >= t) for t in {*shares.tolist(), 2.0}}
    assert costs["best"] == pytest.approx(min(tried.values()))
    assert tried[costs["threshold"]] == pytest.approx(costs["best"]) and costs["threshold"] < 0.5
    assert costs["given"] == pytest.approx(cost(est.predict(test[["a", "b"]]) == "yes"))
    assert costs["always"] == pytest.approx({"no": cost(np.zeros(len(actual), bool)), "yes": cost(np.ones(len(actual), bool))})
    for wrong in ("0,1", "0,1;x,0", "0,1,2;1,0,1;1,1,0", "0,1;inf,0"):
        assert run("eval", "m.json", "test.csv", "--cost", wrong) == 2
        assert "--cost" in capsys.readouterr().err


def test_pictures_of_scores(model: Path) -> None:
    for argv in (["eval", "m.json", "test.csv"], ["eval", "all.csv", "--target", "three"], ["eval", "all.csv", "--target", "a"]):
        assert run(*argv, "--svg", "s.svg", "--png", "s.png", "--force", "-q") == 0
        texts = "".join(ET.parse("s.svg").getroot().itertext())
        assert "predicted" in texts and "actual" in texts
        assert Path("s.png").read_bytes()[:4] == b"\x89PNG"
        first = Path("s.svg").read_bytes()
        assert run(*argv, "--svg", "s.svg", "--force", "-q") == 0
        assert Path("s.svg").read_bytes() == first


def test_depth_holds_for_pictures(model: Path) -> None:
    for depth, cards in [("1", 2), ("0", 1)]:
        assert run("show", "m.json", "--svg", "d.svg", "--depth", depth, "--force", "-q") == 0
        assert Path("d.svg").read_text() == tw.load("m.json").tree_.to_svg(max_depth=int(depth))
        assert cards
    assert run("show", "m.json", "--svg", "all.svg", "-q") == 0
    assert Path("all.svg").read_text() == tw.load("m.json").tree_.to_svg()


def test_explain_puts_conditions_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    age = np.repeat(np.arange(20, 70), 4)
    frame = pd.DataFrame({"age": age, "noise": np.arange(200) % 3, "y": np.where((age > 30) & (age <= 45), "yes", "no")})
    frame.to_csv("ages.csv", index=False)
    assert run("explain", "ages.csv", "--target", "y", "--row", "60", "-q") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "row 60: age=34  and 1 column that makes no difference",
        "  30.5 < age <= 45.5",
        "  → yes (100% of 60 rows)",
    ]
    assert run("explain", "ages.csv", "--target", "y", "--row", "60", "-q", "--steps") == 0
    assert [line.split("  ")[1] for line in capsys.readouterr().out.splitlines()[1:3]] == ["age <= 45.5", "age > 30.5"]
    frame.assign(y=["no", "yes"] * 100).to_csv("none.csv", index=False)
    assert run("explain", "none.csv", "--target", "y", "--row", "1", "-q") == 0
    assert "no change of a single column was found that would alter the answer" in capsys.readouterr().out


def test_explore_never_leaves_out_in_silence(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.random((30_000, 3)).round(2), columns=list("abc"))
    X.assign(y=np.where(X.a > X.b, "u", "v")).to_csv("large.csv", index=False)
    capsys.readouterr()
    argv = ["explore", "large.csv", "--target", "y", "--max-leaf-nodes", "30", "--force", "-o", "page.html"]
    assert run(*argv, "--budget", "0") == 0
    out, err = capsys.readouterr()
    assert "cross-validation is left out: it would take about" in (" ".join((out + err).split()))
    assert run(*argv) == 0
    out, err = capsys.readouterr()
    assert "left out" not in out + err
    assert len(Path("page.html").read_bytes()) > 10_000
