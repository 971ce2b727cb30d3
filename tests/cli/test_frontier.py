"""The command ``frontier``: a table, a page, or JSON; errors in three lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import treewright as tw
from tests.cli.runs import child, run, three_lines

FEW = ("--learners", "cart,Ripper", "--cv", "4", "--max-fits", "32")


@pytest.fixture
def iris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    tw.datasets.load_iris().frame().to_csv("iris.csv", index=False)
    return "iris.csv"


def test_table_and_page(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("frontier", iris, "--target", "species", *FEW, "--out", "page.html") == 0
    out, err = capsys.readouterr()
    assert "is the smallest readable model within one standard error of the best" in out and "wrote page.html" in err
    assert "max_fits=32 was reached" in out
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<h1>species: accuracy against size</h1>" in page
    data = tw.datasets.load_iris()
    same = tw.frontier(data.X, data.y, learners=["CART", "Ripper"], folds=4, max_fits=32)
    assert same.to_text() in out
    assert page == same.to_html(title="species: accuracy against size")
    assert run("frontier", iris, "--target", "species", *FEW, "-o", "page.html") == 2
    assert three_lines(capsys.readouterr().err)[0] == "the file is there already"


def test_json_and_standard_output(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("frontier", iris, "--target", "species", *FEW, "--json") == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert data["folds"] == 4 and data["fits"] == 32 and data["page"] is None and "sepal" in err
    done = child("frontier", iris, "--target", "species", *FEW, "-o", "-")
    assert done.returncode == 0 and done.stdout.startswith("<!doctype html>") and done.stdout.rstrip().endswith("</html>")
    assert "sepal" in done.stderr


def test_numbers(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("frontier", iris, "--target", "petal width (cm)", "--learners", "m5,cart", "--cv", "3", "-q") == 0
    assert "R²" in capsys.readouterr().out
    assert run("frontier", iris, "--target", "petal width (cm)", "--learners", "m5", "--cv", "3", "-q", "--ascii") == 0
    assert capsys.readouterr().out.isascii()


@pytest.mark.parametrize(
    ("more", "what", "where", "remedy"),
    [
        (["--learners", "crat"], "learner 'crat' is unknown", "--learners", "did you mean 'cart'?"),
        (["--cv", "1"], "--cv 1 folds are not possible", "the table has 150 rows", "a number from 2 to 150"),
        (["--max-fits", "0"], "nothing can be measured with 0", "--max-fits", "a number above 0"),
        (["--budget", "-1"], "nothing can be measured with -1", "--budget", "a number above 0"),
        (["--max-depth", "3"], "'--max-depth' is not understood", "treewright frontier", "see treewright frontier --help"),
    ],
)
def test_errors(iris: str, capsys: pytest.CaptureFixture[str], more: list[str], what: str, where: str, remedy: str) -> None:
    assert run("frontier", iris, "--target", "species", "-q", *more) == 2
    assert three_lines(capsys.readouterr().err) == [what, where, remedy]
    assert run("frontier", iris, "--target", "kind", "-q") == 3
    assert three_lines(capsys.readouterr().err)[0] == "target column 'kind' is not in iris.csv"


def test_nothing_that_could_be_measured_is_an_error_of_the_data(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("frontier", iris, "--target", "species", "-q", "--max-fits", "3") == 3
    assert three_lines(capsys.readouterr().err)[0] == "no readable model could be measured"
