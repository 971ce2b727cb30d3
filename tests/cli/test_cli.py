"""The command line: results as text and as JSON, of any width, with harmless names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import run
from tests.show.names import HOSTILE

FIT = """\
tennis.csv  14 rows × 5 columns   comma-separated   target play: no 5 · yes 9
  outlook      category  overcast 4 · rain 5 · sunny 5
  temperature  category  cool 4 · hot 4 · mild 6
  humidity     category  high 7 · normal 7
  wind         category  strong 6 · weak 8
id3: 8 nodes, 5 leaves, depth 2, TIME

outlook?              no 5  yes 9  ██████████░░░░░░
├─ overcast ──→ yes   no 0  yes 4  ████████████████
├─ rain   wind?       no 2  yes 3  ██████████░░░░░░
│  ├─ strong ─→ no    no 2  yes 0  ░░░░░░░░░░░░░░░░
│  └─ weak ───→ yes   no 0  yes 3  ████████████████
└─ sunny   humidity?  no 3  yes 2  ██████░░░░░░░░░░
   ├─ high ───→ no    no 3  yes 0  ░░░░░░░░░░░░░░░░
   └─ normal ─→ yes   no 0  yes 2  ████████████████
bar: █ yes, ░ no
training errors 0 of 14
"""


def test_fit_describes_learns_and_shows(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "tennis.csv", "--target", "play", "--algo", "id3") == 0
    out, err = capsys.readouterr()
    assert re.sub(r"[\d.]+ m?s\b", "TIME", out) == FIT
    assert err == ""


def test_quiet_says_the_result_only(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "tennis.csv", "--target", "play", "--algo", "id3", "-q") == 0
    assert capsys.readouterr().out == FIT.partition("TIME\n\n")[2]


def test_why_root(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "tennis.csv", "--target", "play", "--algo", "id3", "--why", "root", "-q") == 0
    assert capsys.readouterr().out.splitlines() == [
        "outlook      gain 0.247   ◀ chosen",
        "humidity     gain 0.152",
        "wind         gain 0.048",
        "temperature  gain 0.029",
    ]
    assert run("show", "tennis.csv", "--target", "play", "--why", "99") == 2
    assert "there is no node '99'" in capsys.readouterr().err


def test_explain_a_row(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["explain", "tennis.csv", "--target", "play", "--algo", "id3", "-q"]
    assert run(*argv, "--row", "6") == 0
    assert capsys.readouterr().out.splitlines() == [
        "row 6: outlook=rain  wind=strong  and 2 columns that make no difference",
        "  outlook = rain   5 of 14 rows   yes 3  no 2",
        "  wind = strong    2 of 5 rows    no 2",
        "  → no (100% of 2 rows)",
        "  would be yes if: outlook = overcast or sunny",
        "  would be yes if: wind = weak",
        "  true value: no ✓",
    ]
    assert run(*argv, "--row", "6", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["says"], found["truth"], found["share"]) == ("no", "no", 1.0)
    assert [change["column"] for change in found["changes"]] == ["outlook", "wind"]
    for row in ("0", "15", "-1"):
        assert run(*argv, "--row", row) == 2
        assert "a number from 1 to 14" in capsys.readouterr().err
    assert run(*argv) == 2


def test_rules_wrap_at_the_width(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "tennis.csv", "--target", "play", "--algo", "id3", "-q", "--width", "50") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 50
    data = tw.datasets.load_play_tennis()
    X = pd.read_csv("tennis.csv")
    wanted = tw.ID3Classifier().fit(X[list(data.X.columns)], X["play"].rename("play")).tree_.to_rules()
    assert " ".join(" ".join(lines).split()) == " ".join(wanted.to_text().split())


def test_json_is_alone_on_standard_output(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for argv, keys in [
        (["fit", "tennis.csv", "--target", "play"], {"target", "n_nodes", "n_leaves", "depth", "nodes", "training"}),
        (["show", "tennis.csv", "--target", "play"], {"target", "n_nodes", "n_leaves", "depth", "nodes"}),
        (["rules", "tennis.csv", "--target", "play"], {"target", "classes", "ordered", "rules", "otherwise"}),
        (["describe", "tennis.csv"], {"file", "format", "about", "rows", "columns"}),
        (["show", "tennis.csv", "--target", "play", "--why", "root"], {"node", "candidates"}),
        (["demo", "iris"], {"target", "n_nodes", "n_leaves", "depth", "nodes"}),
    ]:
        assert run(*argv, "--json") == 0
        out, err = capsys.readouterr()
        assert set(json.loads(out)) == keys
        assert ("category" in err) == (argv[0] in ("fit", "show", "rules"))
    assert run("fit", "tennis.csv", "--target", "play", "--algo", "id3", "--json", "-q") == 0
    tree = json.loads(capsys.readouterr().out)
    assert tree["training"] == {"rows": 14, "errors": 0}
    root = tree["nodes"][0]
    assert root["asks"] == "outlook"
    assert [(branch["node"], branch["condition"]["levels"]) for branch in root["branches"]] == [
        (1, ["overcast"]),
        (2, ["rain"]),
        (3, ["sunny"]),
    ]
    assert [tree["nodes"][i]["parent"] for i in [branch["node"] for branch in root["branches"]]] == [0, 0, 0]
    assert sum(node["rows"] for node in tree["nodes"] if "asks" not in node) == 14


def test_eval_by_folds_and_on_a_test_file(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tw.datasets.load_iris()
    data.frame().to_csv("iris.csv", index=False)
    assert run("eval", "iris.csv", "--target", "species", "--cv", "5", "--json", "-q") == 0
    scores = json.loads(capsys.readouterr().out)
    assert 0.85 < scores["accuracy"] < 1
    assert scores["rows"] == 150
    assert np.sum(scores["confusions"]) == 150
    assert scores["right"] == np.trace(scores["confusions"]) == round(scores["accuracy"] * 150)
    assert len(scores["folds"]) == 5
    assert scores["baseline"] == pytest.approx(1 / 3)
    assert run("eval", "iris.csv", "--target", "species", "--full", "--test", "iris.csv", "-q") == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "accuracy 1.000 on the 150 rows of iris.csv: 150 of 150 rows right (baseline (majority class): 0.333)"
    assert out[2:] == [
        "actual       predicted setosa  versicolor  virginica   precision  recall  F1",
        "setosa                     50           0          0       1.000   1.000  1.000",
        "versicolor                  0          50          0       1.000   1.000  1.000",
        "virginica                   0           0         50       1.000   1.000  1.000",
        "",
        "AUC 1.000 (each class against the rest)   log loss 0.000 (class shares alone: 1.099)   Brier score 0.000 (0.667)",
        "calibration: the probability of the predicted class is off by 0.000 on average",
    ]
    numbers = tw.datasets.load_diabetes()
    numbers.frame().to_csv("diabetes.csv", index=False)
    assert run("eval", "diabetes.csv", "--target", "progression", "--max-depth", "3", "--json", "-q") == 0
    scores = json.loads(capsys.readouterr().out)
    assert 50 < scores["rmse"] < 75
    assert 0.1 < scores["r2"] < 0.6
    assert len(scores["folds"]) == 10
    assert run("eval", "tennis.csv", "--target", "play", "--cv", "10") == 0
    out, err = capsys.readouterr()
    assert "warning: a class has only 5 rows for 10 folds" in err
    assert run("eval", "tennis.csv", "--target", "play", "--cv", "15") == 2
    Path("other.csv").write_text("outlook,play\nsunny,yes\n")
    assert run("eval", "tennis.csv", "--target", "play", "--test", "other.csv", "-q") == 3
    assert "columns of tennis.csv are not in other.csv: ['temperature', 'humidity', 'wind']" in capsys.readouterr().err


def test_demo_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "list") == 0
    names = capsys.readouterr().out.split()
    assert "play-tennis" in names
    for name in names:
        algo = "cart"
        assert run("demo", name, "--algo", algo, "-q") == 0
        assert capsys.readouterr().out
    assert run("demo", "irs") == 2
    assert "did you mean 'iris'" in capsys.readouterr().err


def test_pictures(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "tennis.csv", "--target", "play", "--svg", "t.svg", "--png", "t.png", "--kind", "icicle", "-q") == 0
    root = ET.parse("t.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert Path("t.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert capsys.readouterr() == ("", "")
    assert run("show", "tennis.csv", "--target", "play", "--svg", "-", "-q") == 0
    ET.fromstring(capsys.readouterr().out)


def test_many_and_long_levels_are_named_as_far_as_they_fit(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["Adm-clerical", "Craft-repair", "Exec-managerial", "Farming-fishing"]
    frame = pd.DataFrame(
        {"job": words * 10 + [words[0]] * 5 + [None], "n": range(46), "city": [f"city {i % 9}" for i in range(46)]}
    )
    frame.to_parquet("w.parquet")
    for width, lines in [
        (
            120,
            [
                "  job   category  Adm-clerical 15 · Craft-repair 10 · Exec-managerial 10 · Farming-fishing 10   1 missing",
                "  n     number    0 to 45",
                "  city  category  9 levels: city 0 6 · city 1 5 · city 2 5 · city 3 5 · …",
            ],
        ),
        (
            60,
            [
                "  job   category  4 levels: Adm-clerical 15 · …   1 missing",
                "  n     number    0 to 45",
                "  city  category  9 levels: city 0 6 · city 1 5 · …",
            ],
        ),
    ]:
        assert run("describe", "w.parquet", "--width", str(width)) == 0
        assert capsys.readouterr().out.partition("\nhint")[0].splitlines()[1:] == lines


def test_ascii_and_width(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "tennis.csv", "--target", "play", "--ascii", "--width", "60") == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert max(map(len, out.splitlines())) <= 60


def test_depth_says_what_it_hides(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "tennis.csv", "--target", "play", "--depth", "1", "-q") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "(drawn to depth 1 of 4: --depth 4 draws all)"


@pytest.mark.parametrize("name", [name for name in HOSTILE if "\0" not in name], ids=range(len(HOSTILE) - 1))
def test_x2_names_cannot_steer_the_terminal(tennis: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    frame = pd.DataFrame({name: [1.0, 2, 3, 4], "c": [name, "z", "z", "y"], "t": [name, "b", "b", "a"]})
    frame.to_parquet("h.parquet")
    for argv in (
        ["describe", "h.parquet"],
        ["fit", "h.parquet", "--target", "t"],
        ["rules", "h.parquet", "--target", "t"],
        ["show", "h.parquet", "--target", "t", "--why", "root"],
        ["fit", "h.parquet", "--target", name],
        ["fit", "h.parquet", "--target", f"{name}?"],
        ["eval", "h.parquet", "--target", "t", "--cv", "2"],
        ["explain", "h.parquet", "--target", "t", "--row", "1"],
        ["describe", "h.parquet", "--json"],
        ["fit", "h.parquet", "--target", "t", "--json"],
        ["rules", "h.parquet", "--target", "t", "--json"],
        ["show", "h.parquet", "--target", "t", "--svg", "-"],
    ):
        run(*argv)
        out, err = capsys.readouterr()
        assert all(line.isprintable() for line in (out + err).split("\n"))
        if argv[0] != "rules" and "--json" not in argv and "--svg" not in argv:
            assert all(len(line) < 1000 for line in (out + err).split("\n"))


def test_help_lists_the_options_of_the_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "x.csv", "--algo", "j48", "--help") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "options of j48, as they are unless given: --confidence 0.25" in said
    assert "--variant j48" in said
    assert run("fit", "--algo", "nonsense", "--help") == 0
