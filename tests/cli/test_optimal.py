"""The command ``optimal``, and the line of ``eval`` on request: how far a tree is from the best one."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest

import treewright as tw
from tests.cli.runs import run, three_lines


@pytest.fixture
def iris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    tw.datasets.load_iris().frame().to_csv("iris.csv", index=False)
    return "iris.csv"


def test_of_a_table_and_of_a_model(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("optimal", iris, "--target", "species", "--max-depth", "3", "-q") == 0
    table = capsys.readouterr().out
    assert table.startswith("this tree: errors 4 with") and "the best tree as deep: 1\n" in table
    assert run("fit", iris, "--target", "species", "--max-depth", "3", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    assert run("optimal", "m.json", iris, "-q") == 0
    assert capsys.readouterr().out == table
    assert run("optimal", "m.json", iris, "--json", "-q") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["loss"] == 4 and data["as_deep"] == {"bound": 1, "found": 1, "proven": True}


def test_a_line_of_eval(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("eval", iris, "--target", "species", "--max-depth", "2", "--gap", "10", "-q") == 0
    out = capsys.readouterr().out
    assert out.startswith("accuracy") and "the best tree as deep: 6, as this one" in out
    assert run("fit", iris, "--target", "species", "--max-depth", "3", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    assert run("eval", "m.json", iris, "--gap", "10", "--json", "-q") == 0
    assert json.loads(capsys.readouterr().out)["gap"]["as_deep"]["found"] == 1


def test_learned_by_name(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", iris, "--target", "species", "--algo", "optimaltree", "--max-depth", "2", "-q", "--json") == 0
    assert json.loads(capsys.readouterr().out)["training"]["errors"] == 6


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (["iris.csv", "--target", "species", "--algo", "ripper"], "a list of rules, not a tree"),
        (["iris.csv", "--target", "species", "--max-depth", "2", "--seconds", "-1"], "a search cannot end after -1 seconds"),
        (["m.json"], "which tree is best is a question about rows"),
    ],
)
def test_wrong_use(iris: str, capsys: pytest.CaptureFixture[str], more: list[str], what: str) -> None:
    assert run("fit", iris, "--target", "species", "--max-depth", "2", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    assert run("optimal", *more) == 2
    assert what in three_lines(capsys.readouterr().err)[0]


def test_a_mark_on_the_page(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explore", iris, "--target", "species", "--max-depth", "3", "--gap", "10", "-o", "with.html", "-q") == 0
    assert run("explore", iris, "--target", "species", "--max-depth", "3", "-o", "without.html", "-q") == 0
    bounds = []
    for name in ("with.html", "without.html"):
        packed = re.search(r'<script[^>]*type="application[^>]*>([A-Za-z0-9+/=]+)<', Path(name).read_text())
        assert packed is not None
        bounds.append(json.loads(gzip.decompress(base64.b64decode(packed[1])))["path"].get("bound"))
    assert bounds == [pytest.approx(1 / 150, rel=1e-5), None]
    assert run("fit", iris, "--target", "species", "--max-depth", "2", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    assert run("explore", "m.json", "--gap", "1", "-o", "never.html") == 2
    assert "--gap asks for the best tree of rows with answers" in three_lines(capsys.readouterr().err)[0]
