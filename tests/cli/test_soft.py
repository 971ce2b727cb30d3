"""``--algo soft``: fitted, explained, exported; rules are refused in three lines."""

from __future__ import annotations

from pathlib import Path

import pytest

import treewright as tw
from tests.cli.runs import run, three_lines


def test_fitted_explained_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    tw.datasets.load_iris().frame().to_csv("iris.csv", index=False)
    assert run("fit", "iris.csv", "--target", "species", "--algo", "soft", "--restarts", "1", "-o", "m.json") == 0
    captured = capsys.readouterr()
    assert " ± " in captured.out and "treewright explain m.json" in captured.out + captured.err
    assert run("explain", "m.json", "iris.csv", "--row", "3") == 0
    assert "below" in capsys.readouterr().out
    assert run("export", "m.json", "--to", "python") == 0
    assert "def predict" in capsys.readouterr().out
    assert run("rules", "m.json") != 0
    what, *_ = three_lines(capsys.readouterr().err)
    assert "the gates of a soft tree send a row both ways" in what
    assert run("fit", "iris.csv", "--target", "species", "--algo", "soft", "--holdout", "0.9") != 0
    assert "holdout" in three_lines(capsys.readouterr().err)[0]
