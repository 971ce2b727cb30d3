"""What is known of columns beforehand, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.cli.runs import run, three_lines


@pytest.fixture
def credit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(
        {"age": rng.integers(18, 80, 400), "debt": rng.normal(size=400).round(3), "jobs": rng.integers(0, 9, 400)}
    )
    sure = np.sin(rows["age"] / 9) + rows["age"] / 40 - rows["debt"] + 0.2 * rows["jobs"] + rng.normal(size=400)
    rows["paid"] = np.where(sure > 2, "yes", "no")
    rows.to_csv("credit.csv", index=False)
    return rows


@pytest.mark.parametrize(
    "order", [["--monotonic", "age=1,debt=-1"], ["--monotonic=1,-1,0"], ["--monotonic-cst", '{"age": 1, "debt": -1}']]
)
@pytest.mark.parametrize(
    "sets", [["--interactions", "age,debt;debt,jobs"], ["--interaction-cst", '[["age", "debt"], ["debt", "jobs"]]']]
)
def test_they_are_options_by_short_names_too(credit: pd.DataFrame, order: list[str], sets: list[str]) -> None:
    X, y = credit.drop(columns="paid"), credit["paid"]
    for algo, est in (("cart", tw.CARTClassifier), ("randomforest", tw.RandomForestClassifier)):
        more = [] if algo == "cart" else ["--n-estimators", "3"]
        assert (
            run("fit", "credit.csv", "--target", "paid", "--algo", algo, *order, *sets, *more, "-o", "m.json", "--force", "-q")
            == 0
        )
        known = {"monotonic_cst": {"age": 1, "debt": -1}, "interaction_cst": [["age", "debt"], ["debt", "jobs"]]}
        mine = est(**known) if algo == "cart" else est(3, **known)
        assert np.array_equal(tw.load("m.json").predict_proba(X), mine.fit(X, y).predict_proba(X))


def test_the_tree_that_is_learned_by_default_takes_them(credit: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(
            "fit",
            "credit.csv",
            "--target",
            "paid",
            "--monotonic",
            "age=1",
            "--interactions",
            "no_interactions",
            "-o",
            "m.json",
            "-q",
        )
        == 0
    )
    tree = tw.load("m.json").tree_
    assert tree.n_leaves > 1
    assert all(len({condition.column.name for condition in rule.when}) <= 1 for rule in tree.to_rules())
    assert run("fit", "--help") == 0
    assert "--monotonic, --interactions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--monotonic", "up"], "'up' says nothing of columns"),
        (["--monotonic", "{age: 1"], "'{age: 1' is not JSON"),
        (["--monotonic", "agee=1"], "monotonic_cst names column 'agee', which X does not have"),
        (["--monotonic", "age=3"], "monotonic_cst must be None or an array-like of -1, 0 or 1"),
        (["--interactions", "age,dept"], "interaction_cst names column 'dept', which X does not have"),
        (["--algo", "c45", "--monotonic", "age=1"], "c45 has no option 'monotonic_cst'"),
        (["--monotonic"], "option --monotonic has no value"),
    ],
)
def test_errors_name_option_and_column(
    credit: pd.DataFrame, options: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("fit", "credit.csv", "--target", "paid", *options) == (3 if "which X does not have" in error else 2)
    said = three_lines(capsys.readouterr().err)
    assert said[0].startswith(error)


def test_programs_of_the_used_columns(credit: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "credit.csv", "--target", "paid", "--algo", "cart", "--max-depth", "1", "-o", "m.json", "-q") == 0
    capsys.readouterr()
    for form in ("c", "python", "javascript"):
        assert run("export", "m.json", "--to", form, "--columns", "used") == 0
        assert capsys.readouterr().out.rstrip("\n") == getattr(tw.load("m.json"), f"to_{form}")(columns="used").rstrip("\n")
    assert run("export", "m.json", "--to", "sql", "--columns", "used", "-q") == 2
    assert "--columns is about rows that are handed over one by one" in three_lines(capsys.readouterr().err)[0]
    assert json.loads(Path("m.json").read_text())  # it is as it was
