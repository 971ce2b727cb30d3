"""A saved tree and other rows on the command line: how they drift, and leaves renewed by them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import run, three_lines


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    frame = tw.datasets.load_play_tennis().frame()
    frame.to_csv("tennis.csv", index=False)
    assert run("fit", "tennis.csv", "--target", "play", "--algo", "id3", "-o", "m.json", "-q") == 0
    frame.iloc[4:].to_csv("rest.csv", index=False)
    capsys.readouterr()
    return frame


def test_drift_is_told_with_errors_where_the_truth_is_there(saved, capsys):
    assert run("drift", "m.json", "rest.csv") == 0
    out = capsys.readouterr().out
    assert "10 rows, training had 14" in out
    assert "error 0, in training 0" in out
    saved.drop(columns="play").to_csv("rows.csv", index=False)
    assert run("drift", "m.json", "rows.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["stability"] == 0
    assert found["error_now"] is None
    assert [node["share_now"] for node in found["nodes"]][:2] == [1.0, 4 / 14]


def test_refresh_writes_a_model_whose_leaves_are_renewed(saved, capsys):
    saved.assign(play="yes").to_csv("all.csv", index=False)
    assert run("refresh", "m.json", "all.csv", "-o", "new.json") == 0
    out, err = capsys.readouterr()
    assert "→ new.json" in err
    assert "error 0.3571, in training 0" in out
    new = tw.load("new.json")
    assert type(new) is tw.ID3Classifier
    assert set(new.predict(saved.drop(columns="play"))) == {"yes"}
    assert new.tree_.n_leaves == tw.load("m.json").tree_.n_leaves


def test_what_they_refuse(saved, capsys):
    saved.assign(play="maybe").to_csv("odd.csv", index=False)
    assert run("refresh", "m.json", "odd.csv") == 3
    assert "fit anew" in capsys.readouterr().err
    saved.drop(columns="play").to_csv("rows.csv", index=False)
    assert run("refresh", "m.json", "rows.csv") == 3
    three_lines(capsys.readouterr().err)
    assert run("fit", "tennis.csv", "--target", "play", "--algo", "ripper", "-o", "r.json", "-q") == 0
    assert run("drift", "r.json", "rest.csv") == 2
    assert "a list of rules, not a tree" in three_lines(capsys.readouterr().err)[0]
