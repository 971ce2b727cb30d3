"""The command line: results, errors of three lines, exit codes, JSON, pipes, files written whole, harmless names."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.show.names import HOSTILE
from treewright.cli import main
from treewright.cli.learn import algorithms
from treewright.cli.options import literal, parser

SOURCE = str(Path(tw.__file__).resolve().parents[1])


@pytest.fixture
def tennis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = tw.datasets.load_play_tennis()
    data.frame().to_csv("tennis.csv", index=False)
    return tmp_path / "tennis.csv"


def run(*argv: str) -> int:
    return main(list(argv))


def child(*argv: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "treewright", *argv],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        **options,
    )


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
        "row 6: outlook=rain  temperature=cool  humidity=normal  wind=strong",
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
        (["fit", "tennis.csv", "--target", "play"], {"target", "n_nodes", "n_leaves", "depth", "nodes"}),
        (["show", "tennis.csv", "--target", "play"], {"target", "n_nodes", "n_leaves", "depth", "nodes"}),
        (["rules", "tennis.csv", "--target", "play"], {"target", "ordered", "rules"}),
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
    root = tree["nodes"][0]
    assert root["asks"] == "outlook"
    assert root["branches"] == {"overcast": 1, "rain": 2, "sunny": 3}
    assert [tree["nodes"][i]["parent"] for i in root["branches"].values()] == [0, 0, 0]
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
    assert run("eval", "iris.csv", "--target", "species", "--test", "iris.csv", "-q") == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "accuracy 1.000 on the 150 rows of iris.csv: 150 of 150 rows right (always the largest class: 0.333)"
    assert out[2:] == [
        "truth        said setosa  versicolor  virginica",
        "setosa                50           0          0",
        "versicolor             0          50          0",
        "virginica              0           0         50",
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


def three_lines(err: str) -> list[str]:
    lines = err.rstrip("\n").split("\n")
    assert len(lines) == 3
    assert lines[0].startswith("error: ")
    assert all(line.startswith("   ") and line.strip() for line in lines[1:])
    return [lines[0].removeprefix("error: "), *(line.strip() for line in lines[1:])]


@pytest.mark.parametrize(
    ("argv", "code", "what", "where", "remedy"),
    [
        (
            ["fit", "tennis.csv", "--target", "plays"],
            3,
            "target column 'plays' is not in tennis.csv",
            "columns: outlook",
            "--target play",
        ),
        (["fit", "tennis.csv", "--target", "zzz"], 3, "target column 'zzz'", "columns: outlook", "name one of them"),
        (["fit", "tennis.csv"], 2, "no target column is named", "columns: outlook, temp", "--target COLUMN"),
        (["fit", "nothing.csv", "--target", "a"], 3, "there is no such file", "nothing.csv", "check the path"),
        (["fit", ".", "--target", "a"], 3, "this is a directory", ".", "name one of the files"),
        (
            ["fit", "tennis.csv", "--target", "play", "--algo", "crt"],
            2,
            "algorithm 'crt' is unknown",
            "--algo",
            "did you mean 'cart'",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--max-dept", "3"],
            2,
            "cart has no option 'max_dept'",
            "--max-dept",
            "'max_depth'",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--max-depth", "x"],
            2,
            "max_depth='x' is not allowed",
            "options",
            "whole number",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--criterion", "ginni"],
            2,
            "criterion 'ginni' is unknown",
            "options",
            "'gini'",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--max-depth"],
            2,
            "option --max-depth has no value",
            "treewright fit",
            "VALUE",
        ),
        (["fit", "tennis.csv", "--target", "play", "extra"], 2, "'extra' is not understood", "treewright fit", "--help"),
        (
            ["fit", "tennis.csv", "--target", "play", "--ignore", "wnd"],
            2,
            "column 'wnd' is unknown",
            "tennis.csv",
            "did you mean 'wind'",
        ),
        (["fit", "tennis.csv", "--target", "play", "--ordered", "wind"], 2, "names no ordered levels", "--ordered", "A<B<C"),
        (
            ["fit", "tennis.csv", "--target", "play", "--encoding", "klingon"],
            2,
            "unknown encoding",
            "--encoding klingon",
            "utf-8",
        ),
        (
            ["fit", "tennis.csv", "--target", "play", "--task", "numbers"],
            3,
            "target 'play' holds no numbers",
            "tennis.csv",
            "--task",
        ),
        (["fit", "bad.csv", "--target", "b"], 3, "the line has 1 cell, the first has 2", "bad.csv:3:1", "mend the line"),
        (["fit", "gaps.csv", "--target", "b", "--algo", "id3"], 3, "missing", "gaps.csv", "missing"),
        (["fit", "inf.csv", "--target", "b"], 3, "'inf' is beyond all numbers", "inf.csv:3:1", "replace it"),
        (["fit", "one.csv", "--target", "a"], 3, "there is no column besides the target", "one.csv", "columns"),
        (["fit", "none.csv", "--target", "b"], 3, "every cell of the target 'b' is missing", "none.csv", "another column"),
        (["fit", "num.csv", "--target", "b", "--algo", "id3"], 2, "id3 does not learn numbers", "numbers", "--algo cart"),
        (["bogus"], 2, "invalid choice: 'bogus'", "treewright", "--help"),
        ([], 2, "required: COMMAND", "treewright", "--help"),
        (["describe"], 2, "required: DATA", "treewright describe", "--help"),
        (["describe", "tennis.csv", "--max-depth", "3"], 2, "'--max-depth' is not understood", "treewright describe", "--help"),
        (["describe", "tennis.csv", "--width", "3"], 2, "'3' is not a number from 20 up", "treewright describe", "--help"),
        (["describe", "tennis.csv", "-o", "tennis.csv"], 2, "the file is there already", "tennis.csv", "--force"),
        (["describe", "tennis.csv", "-o", "no/such/f.txt"], 2, "there is no such folder", "no/such", "make it first"),
        (
            ["show", "tennis.csv", "--target", "play", "--svg", "tennis.csv"],
            2,
            "the file is there already",
            "tennis.csv",
            "--force",
        ),
    ],
    ids=lambda value: "-".join(value)[:40] if isinstance(value, list) else None,
)
def test_errors_are_three_lines(
    tennis: Path, capsys: pytest.CaptureFixture[str], argv: list[str], code: int, what: str, where: str, remedy: str
) -> None:
    Path("bad.csv").write_text("a,b\n1,2\n3\n")
    Path("gaps.csv").write_text("a,b\nx,2\n,2\ny,3\n")
    Path("inf.csv").write_text("a,b\n1,2\ninf,3\n")
    Path("one.csv").write_text("a\n1\n2\n")
    Path("none.csv").write_text("a,b\n1,\n2,\n")
    Path("num.csv").write_text("a,b\n1,2.5\n2,3.5\n")
    before = tennis.read_bytes()
    assert run(*argv) == code
    err = capsys.readouterr().err
    lines = three_lines(err[err.index("error:") :])
    assert what in lines[0]
    assert where in lines[1]
    assert remedy in lines[2]
    assert tennis.read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == sorted(
        ["tennis.csv", "bad.csv", "gaps.csv", "inf.csv", "one.csv", "none.csv", "num.csv"]
    )


def test_internal_errors_and_memory(tennis: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(error: BaseException) -> None:
        def raises(*_: object) -> None:
            raise error

        monkeypatch.setattr("treewright.cli.learn.read", raises)

    for error, code, what in [
        (RuntimeError("boom"), 1, "internal error: RuntimeError: boom"),
        (MemoryError(), 5, "there is not enough memory"),
        (PermissionError(13, "Permission denied", "tennis.csv"), 3, "Permission denied"),
    ]:
        fail(error)
        assert run("describe", "tennis.csv") == code
        assert what in three_lines(capsys.readouterr().err)[0]
    fail(KeyboardInterrupt())
    assert run("describe", "tennis.csv") == 130
    assert re.search(r"interrupted after [\d.]+ s, nothing written", capsys.readouterr().err)
    fail(RuntimeError("boom"))
    with pytest.raises(RuntimeError, match="boom"):
        run("describe", "tennis.csv", "--debug")


def test_files_are_written_whole_or_not_at_all(
    tennis: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("rules", "tennis.csv", "--target", "play", "-o", "rules.txt") == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "category" in err
    first = Path("rules.txt").read_text()
    assert first.startswith("if ")
    assert "wrote rules.txt" in err
    assert run("rules", "tennis.csv", "--target", "play", "-o", "rules.txt", "--max-depth", "1") == 2
    assert Path("rules.txt").read_text() == first
    assert run("rules", "tennis.csv", "--target", "play", "-o", "rules.txt", "--max-depth", "1", "--force") == 0
    second = Path("rules.txt").read_text()
    assert second != first
    assert os.stat("rules.txt").st_mode & 0o777 == 0o666 & ~_umask()

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("treewright.cli.say.os.fsync", fails)
    assert run("rules", "tennis.csv", "--target", "play", "-o", "rules.txt", "--force") == 3
    assert Path("rules.txt").read_text() == second
    assert sorted(path.name for path in Path().iterdir()) == ["rules.txt", "tennis.csv"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_pictures(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "tennis.csv", "--target", "play", "--svg", "t.svg", "--png", "t.png", "--kind", "icicle", "-q") == 0
    root = ET.parse("t.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert Path("t.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert capsys.readouterr() == ("", "")
    assert run("show", "tennis.csv", "--target", "play", "--svg", "-", "-q") == 0
    ET.fromstring(capsys.readouterr().out)


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
    assert {leaf["node"]: leaf["equation"] for leaf in leaves} == {
        leaf.id: leaf.equation.text(17) for leaf in tw.load("m5.json").tree_.leaves() if leaf.equation is not None
    }
    assert run("explain", "m5.json", "t.csv", "--row", "2") == 0
    assert "y = 0 + 1 * x" in capsys.readouterr().out
    assert run("export", "m5.json", "--to", "python") == 0
    assert "coefficient" in capsys.readouterr().out
    assert run("fit", "t.csv", "--target", "side", "--ignore", "y", "--algo", "lmt", "-o", "lmt.json") == 0
    assert "score of up = " in capsys.readouterr().out
    assert run("show", "lmt.json", "--json") == 0
    assert set(json.loads(capsys.readouterr().out)["nodes"][0]["scores"]) == {"up", "down"}
    assert run("predict", "lmt.json", "t.csv", "--proba") == 0
    shares = np.array([line.split(",")[1:] for line in capsys.readouterr().out.splitlines()[1:]], float)
    assert shares == pytest.approx(tw.load("lmt.json").predict_proba(frame[["x", "z"]]))


def test_every_estimator_is_an_algorithm() -> None:
    found = algorithms()
    assert {"cart", "id3", "tree"} <= set(found)
    assert found["cart"] == {True: "CARTClassifier", False: "CARTRegressor"}
    names = [name for name in tw.__all__ if name.endswith(("Classifier", "Regressor"))]
    names.remove("TreeNeighborsClassifier")  # learns neither a tree nor rules
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
        assert capsys.readouterr().out.splitlines()[1:] == lines


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


# -- as a process ----------------------------------------------------------------------------------------------------------


def test_version_loads_next_to_nothing() -> None:
    done = child("--version")
    assert (done.returncode, done.stdout) == (0, f"treewright {tw.__version__}\n")
    heavy = {"numpy", "pyarrow", "sklearn", "treewright._core"}
    code = f"import sys; from treewright.cli import main; main(['--version']); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": SOURCE}, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_names_every_command_and_the_exit_codes() -> None:
    done = child("--help")
    assert done.returncode == 0
    for name in ("fit", "show", "rules", "eval", "explain", "describe", "demo"):
        assert f"\n    {name} " in done.stdout
        assert child(name, "--help").returncode == 0
    assert "exit codes: 0 done" in done.stdout
    assert parser().prog == "treewright"


def test_standard_input_and_pipes(tennis: Path) -> None:
    contents = tennis.read_bytes()
    for given in (contents, gzip.compress(contents)):
        done = subprocess.run(
            [sys.executable, "-m", "treewright", "rules", "-", "--target", "play", "--algo", "id3", "-q"],
            input=given,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": SOURCE},
            check=True,
        )
        assert done.stdout.decode().splitlines()[0] == "if outlook = overcast then play = yes  (4 rows, 100% right)"


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((5000, 3)), columns=list("abc")).assign(y=rng.integers(0, 2, 5000))
    frame.to_csv(tmp_path / "big.csv", index=False)
    writer = subprocess.Popen(
        [sys.executable, "-m", "treewright", "rules", str(tmp_path / "big.csv"), "--target", "y", "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert writer.stdout is not None and writer.stderr is not None
    writer.stdout.close()  # before anything is written
    err = writer.stderr.read()
    writer.stderr.close()
    assert writer.wait(60) == 141
    assert err == b""


def test_output_without_a_buffer_is_not_cut_in_silence(tmp_path: Path) -> None:
    """Where a file may not grow, a raw write stops half way: the command must say so, not end well."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((3000, 3)), columns=list("abc")).assign(y=rng.integers(0, 2, 3000))
    frame.to_csv(tmp_path / "big.csv", index=False)
    command = f"ulimit -f 20; {sys.executable} -m treewright rules {tmp_path}/big.csv --target y -q > {tmp_path}/rules.txt"
    env = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("error: File too large")


def test_t8_interrupt(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((400_000, 8))
    pd.DataFrame(X, columns=[f"c{j}" for j in range(8)]).assign(y=rng.random(400_000)).to_parquet(tmp_path / "big.parquet")
    runner = subprocess.Popen(
        [sys.executable, "-m", "treewright", "fit", "big.parquet", "--target", "y", "-o", "out.txt"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert runner.stderr is not None
    line = runner.stderr.readline()  # the columns are described before the tree grows
    assert "400000 rows × 9 columns" in line
    time.sleep(0.5)
    runner.send_signal(signal.SIGINT)
    _, err = runner.communicate(timeout=60)
    assert runner.returncode == 130
    assert "nothing written" in err.splitlines()[-1]
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["big.parquet"]


def on_terminal(argv: list[str], folder: Path, **environment: str) -> str:
    """What the command writes to a terminal of 70 columns."""
    leader, follower = pty.openpty()
    settings = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    done = subprocess.Popen(
        [sys.executable, "-m", "treewright", *argv],
        stdout=follower,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**settings, "PYTHONPATH": SOURCE, "TERM": "xterm", "COLUMNS": "70", "PYTHONIOENCODING": "utf-8", **environment},
    )
    os.close(follower)
    out = b""
    while True:
        try:
            piece = os.read(leader, 65_536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.close(leader)
    done.communicate(timeout=60)
    assert done.returncode == 0
    return out.decode()


def test_colours_only_where_they_are_wanted(tennis: Path) -> None:
    argv = ["fit", "tennis.csv", "--target", "play"]
    coloured = on_terminal(argv, tennis.parent)
    assert "\x1b[38;5;" in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert max(map(len, plain.splitlines())) <= 70
    assert "\x1b" not in on_terminal([*argv, "--no-color"], tennis.parent)
    assert "\x1b" not in on_terminal(argv, tennis.parent, NO_COLOR="1")
    assert "\x1b" not in on_terminal(argv, tennis.parent, TERM="dumb")
    assert "\x1b" not in child(*argv, cwd=tennis.parent).stdout


def test_terminals_without_unicode_get_ascii(tennis: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "treewright", "fit", "tennis.csv", "--target", "play"],
        capture_output=True,
        cwd=tennis.parent,
        env={**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert b"|- " in done.stdout
    assert done.stdout.isascii()


def test_export_writes_nothing_but_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import duckdb

    path = tmp_path / "iris.csv"
    iris = tw.datasets.load_iris()
    iris.frame().to_csv(path, index=False)
    common = ["export", str(path), "--target", "species", "--to"]
    assert main([*common, "sql", "--dialect", "duckdb", "--table", "flowers", "--keep", "petal width (cm)"]) == 0
    query = capsys.readouterr().out
    with duckdb.connect() as db:
        db.register("flowers", iris.X)
        said = db.execute(query).fetchall()
    expected = tw.CARTClassifier().fit(iris.X, iris.y).predict(iris.X).tolist()
    assert sorted(row[1] for row in said) == sorted(expected)
    assert main([*common, "c", "--name", "flower", "-o", str(tmp_path / "flower.c")]) == 0
    assert "flower_predict" in (tmp_path / "flower.c").read_text(encoding="ascii")
    assert main([*common, "onnx", "-o", str(tmp_path / "flower.onnx")]) == 0
    assert (tmp_path / "flower.onnx").stat().st_size > 500
    capsys.readouterr()
    assert main([*common, "sql", "--dialect", "dukdb"]) == 2
    assert "did you mean 'duckdb'?" in capsys.readouterr().err
