"""What --json gives: values (numbers, nulls, lists of conditions, counts), nothing that must be taken apart."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import run
from treewright.show.cells import cells


@pytest.fixture
def days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    n = np.arange(40)
    frame = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=40), "x": n % 7 / 2, "flag": n % 2 == 0})
    frame["town"] = np.where(n % 3 == 0, "a b", "c")
    frame["y"] = np.where(n < 20, "lo", np.where(n % 3 == 0, "hi", "up"))
    frame.loc[3, "x"] = np.nan
    frame.to_csv("d.csv", index=False)
    assert run("fit", "d.csv", "--target", "y", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    return frame


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    assert run(*argv, "--json", "-q") == 0
    return json.loads(capsys.readouterr().out)


def test_the_cells_and_conditions_of_an_explanation(days: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "explain", "m.json", "d.csv", "--row", "4")
    assert found["row"] == {"when": "2024-01-04T00:00:00", "x": None, "flag": False, "town": "a b"}
    assert found["steps"][0]["condition"]["high"] == {"value": "2024-01-20T12:00:00", "inclusive": True}
    assert found["steps"][0]["value"] == {"lo": 20.0}
    assert found["shares"] == {"hi": 0.0, "lo": 1.0, "up": 0.0}
    assert [part["leaf"] for part in found["parts"]] == [found["steps"][-1]["node"]]
    assert found["changes"][0]["conditions"][0]["low"]["value"] == "2024-01-20T12:00:00"


def test_a_threshold_between_days_is_said_as_a_day(days: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "m.json", "d.csv", "--row", "4", "-q") == 0
    out = capsys.readouterr().out
    assert "when <= 2024-01-20 " in out
    assert "12:00" not in out


def test_rules_and_nodes_are_values(days: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    model = tw.load("m.json")
    rules = told(capsys, "rules", "m.json")["rules"]
    assert [rule["leaf"] for rule in rules] == [rule.leaf for rule in model.tree_.to_rules()]
    assert [sum(rule["classes"].values()) for rule in rules] == [rule["rows"] for rule in rules]
    towns = [c["levels"] for rule in rules for c in rule["when"] if c["column"] == "town"]
    assert sorted(towns) == [["a b"], ["c"]]
    nodes = told(capsys, "show", "m.json")["nodes"]
    assert nodes[0]["asks"] == "when"
    ends = [(way["condition"]["low"], way["condition"]["high"]) for way in nodes[0]["branches"]]
    assert ends[0][0] is ends[1][1] is None
    assert ends[0][1]["value"] == ends[1][0]["value"]


def test_rules_say_what_they_miss(days: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["d.csv", "--target", "y", "--algo", "ripper", "--seed", "1"]
    found = told(capsys, "explain", *argv, "--row", "30")
    assert set(found["shares"]) == {"hi", "lo", "up"}
    assert all(isinstance(near["condition"], dict) for near in found["near"])


def test_why_tells_what_a_ratio_is_made_of(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["show", "tennis.csv", "--target", "play", "--algo", "c45", "--why", "root"]
    best = told(capsys, *argv)["candidates"][0]
    assert best["merit"] == pytest.approx(best["gain"] / best["split_info"])
    assert run(*argv, "-q") == 0
    assert capsys.readouterr().out.startswith("outlook      gain 0.247   split info 1.577   ratio 0.156   ◀ chosen")


def test_c45_says_how_many_errors_it_expects(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "tennis.csv", "--target", "play", "--algo", "c45", "-q") == 0
    frame = pd.read_csv("tennis.csv")
    expected = tw.C45Classifier().fit(frame.drop(columns="play"), frame["play"]).estimated_errors_
    assert capsys.readouterr().out.endswith(
        f"training errors 0 of 14; {expected:.1f} expected of as many new rows ({expected / 14:.1%})\n"
    )


def test_a_bad_model_is_a_value_too(days: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("m.json").read_text()
    Path("bad.json").write_text(text.replace('"step"', '"stop"'))
    assert run("check", "bad.json", "--json") == 4
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["valid"], found["exit_code"]) == (False, 4)
    assert "checksum" in found["fault"]
    assert found["remedy"] == "if you edited it on purpose: --edited"
    assert "load(" not in err
    assert run("check", "bad.json", "--json", "--edited") == 4
    assert "stop" in json.loads(capsys.readouterr().out)["fault"]
    Path("edited.json").write_text(text.replace('"sha256:', '"sha256:0'))
    assert told(capsys, "check", "edited.json", "--edited")["valid"]
    assert run("predict", "edited.json", "d.csv", "-q") == 4
    assert run("predict", "edited.json", "d.csv", "-q", "--edited") == 0


def test_a_model_describes_what_it_was_trained_on(days: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("describe", "m.json") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("m.json  CARTClassifier, target y, ")
    assert lines[1:] == [
        "  when  date",
        "  x     number",
        "  flag  bool",
        "  town  category  a b · c",
        "answers: hi · lo · up",
        "missing cells: learned; levels never seen: missing",
    ]
    found = told(capsys, "describe", "m.json")
    assert found["columns"][3] == {"name": "town", "kind": "category", "levels": ["a b", "c"]}
    assert (found["classes"], found["missing"]) == (["hi", "lo", "up"], "learned")


def test_exports_as_values(days: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "export", "m.json", "--to", "sql", "--dialect", "duckdb")
    assert (found["language"], found["dialect"]) == ("sql", "duckdb")
    assert found["program"] == tw.load("m.json").to_sql("duckdb")
    onnx = pytest.importorskip("onnx")
    program = b64decode(told(capsys, "export", "m.json", "--to", "onnx", "--force")["base64"])
    onnx.checker.check_model(onnx.load_from_string(program))


def test_explanations_and_notes_keep_to_the_width(days: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["explain", "m.json", "d.csv", "--row", "4"], ["demo", "iris"], ["describe", "d.csv"], ["rules", "m.json"]):
        assert run(*argv, "--width", "40") == 0
        assert max(map(len, capsys.readouterr().out.splitlines())) <= 40


def test_columns_of_wide_and_odd_names_stand_in_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"日本語": [1, 2], "a\nb": [1, 2], "e\u0301": [1, 2], "n" * 40: [1, 2]}).to_parquet("w.parquet")
    assert run("describe", "w.parquet") == 0
    out = capsys.readouterr().out.splitlines()[1:]
    assert len({cells(line[: line.index("number")]) for line in out}) == 1
