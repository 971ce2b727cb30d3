"""Tables larger than memory on the command line: the model is the one of the same options in memory."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import run, three_lines
from tests.scale.tables import table


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    frame = table(1500, seed=1).drop(columns=["order"]).assign(w=1.5, few=range(1500))
    for at in range(3):
        frame.iloc[500 * at : 500 * at + 500].to_parquet(f"part{at}.parquet")
    frame.to_parquet("whole.parquet")
    frame.to_csv("whole.csv", index=False)
    return frame


FILES = ["part0.parquet", "part1.parquet", "part2.parquet"]
BINS = ["--max-bins", "40", "--algo", "cart"]


@pytest.mark.parametrize("files", [FILES, ["whole.parquet"], ["whole.csv"]], ids=lambda files: files[0])
@pytest.mark.parametrize("more", [[], ["--ignore", "w,few"], ["--seed", "3", "--max-features", "2"]], ids=str)
def test_files_in_parts(parts: pd.DataFrame, files: list[str], more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    whole = "whole.csv" if files == ["whole.csv"] else "whole.parquet"
    assert run("fit", *files, "--target", "y", "--memory", "100MB", "-q", "-o", "large.json", *BINS, *more) == 0
    assert run("fit", whole, "--target", "y", "-q", "-o", "small.json", "--keep-candidates", "false", *BINS, *more) == 0
    assert Path("large.json").read_bytes() == Path("small.json").read_bytes()
    assert "drawn to depth 6" in capsys.readouterr().out


def test_weights_numbers_and_forests(parts: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    large = ["--memory", "100MB", "--jobs", "2"]
    assert run("fit", *FILES, "--target", "single", "--weight", "w", *large, *BINS, "-o", "large.json") == 0
    est = tw.load("large.json")
    assert "w" not in est.feature_names_in_
    assert est.tree_.target.classes is None
    assert run("fit", *FILES, "--target", "y", *large, "--algo", "randomforest", "--n-estimators", "3", "-o", "f.json") == 0
    assert len(tw.load("f.json").forest_) == 3
    assert tw.load("f.json").max_bins == 255
    assert "trees" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([*FILES, "--target", "y"], "'part1.parquet' is a second file"),
        (["whole.parquet", "--target", "y", "--weight", "w"], "--weight is for tables that are learned from in parts"),
        ([*FILES, "--memory", "1GB"], "no target column is named"),
        ([*FILES, "--memory", "much", "--target", "y"], "--memory much is not allowed"),
        ([*FILES, "--memory", "1GB", "--target", "z"], "target 'z' is unknown"),
        ([*FILES, "--memory", "1GB", "--target", "y", "--weight", "v"], "weight: column 'v' is unknown"),
        ([*FILES, "--memory", "1GB", "--target", "y", "--ignore", "v"], "column 'v' is unknown"),
        ([*FILES, "--memory", "1GB", "--target", "y", "--algo", "ripper"], "is not learned from tables larger than memory"),
        ([*FILES, "--memory", "1GB", "--target", "y", "--cv", "5"], "--cv is about the tree that is cut back"),
        ([*FILES, "--memory", "1GB", "--target", "y", "--use", "a"], "--use is about the tree that is cut back"),
        (["none*.parquet", "--memory", "1GB", "--target", "y"], "there is no such file"),
    ],
    ids=lambda value: str(value)[-30:],
)
def test_what_cannot_be_is_said(parts: pd.DataFrame, argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", *argv) != 0
    assert words in three_lines(capsys.readouterr().err)[0]


def test_whole_numbers_that_are_few_are_classes(parts: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    parts.assign(y=range(1500)).assign(y=lambda frame: frame["y"] % 4).to_parquet("few.parquet")
    assert run("fit", "few.parquet", "--target", "y", "--memory", "100MB", "-q", "-o", "c.json", *BINS) == 0
    assert "are few and read as classes; --task numbers" in capsys.readouterr().err
    assert tw.load("c.json").tree_.target.classes == (0, 1, 2, 3)
    assert run("fit", "few.parquet", "--target", "y", "--memory", "100MB", "-q", "--task", "numbers", "-o", "n.json", *BINS) == 0
    assert tw.load("n.json").tree_.target.classes is None
