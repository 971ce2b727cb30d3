"""What the command does with a messy table where no algorithm is named."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from tests.cli.runs import run
from treewright.cli.commands import COMMANDS


def messy(path: Path, rows: int = 400, seed: int = 3) -> None:
    """A table as an analyst gets it: row numbers, codes, placeholders, and a column that is the answer in other words."""
    draw = random.Random(seed)
    lines = ["row,customer_id,age,plan,zip,income,region,joined,churn_flag,churn"]
    for i in range(rows):
        age, plan = draw.randint(18, 80), draw.choice(["basic", "pro", "team"])
        churn = (age < 45 and plan != "team") ^ (draw.random() < 0.1)
        cells = [
            str(i + 1),
            f"C-{draw.randint(10**6, 10**7)}",
            str(age) if draw.random() > 0.05 else "-",
            plan if draw.random() > 0.05 else "n/a",
            f"0{draw.randint(100, 199)}",
            "-999" if draw.random() < 0.08 else str(draw.randint(20_000, 90_000)),
            "EU",
            f"{draw.randint(1, 28):02}/{draw.randint(1, 12):02}/2023",
            str(int(churn)),
            draw.choice(["yes", "Yes", " yes"] if draw.random() < 0.4 else ["yes"]) if churn else "no",
        ]
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def churn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    messy(tmp_path / "churn.csv")
    return tmp_path / "churn.csv"


FIT = ["fit", "churn.csv", "--target", "churn", "--also-missing=-,n/a,-999"]


def test_fit_gives_an_analyst_a_small_tree_and_an_honest_line(churn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*FIT) == 0
    out = capsys.readouterr().out
    assert "left out: row (looks like a row number); customer_id (almost every value is unique)" in " ".join(out.split())
    assert "region (every cell is the same)" in out
    assert "churn_flag (a copy of the target)" in " ".join(out.split())
    assert "cut back from" in out
    line = next(line for line in out.splitlines() if line.startswith("10-fold cross-validation"))
    assert "wrong (always answering no: " in line
    assert "age" in out.split("ms, cut back")[1]
    assert run(*FIT, "--json", "-q") == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["left_out"]) == {"row", "customer_id", "region", "churn_flag"}
    judged = found["cross_validation"]
    assert judged["error"] < judged["baseline"] < 0.5
    assert found["n_leaves"] < judged["leaves_grown"] / 4


def test_the_tree_is_the_one_of_the_1se_rule(churn: Path) -> None:
    assert run(*FIT, "-o", "model.json", "-q") == 0
    table = tw.read_table("churn.csv", also_missing=["-", "n/a", "-999"])
    X = table.drop_columns(["churn", "row", "customer_id", "region", "churn_flag"])
    grown = tw.CARTClassifier().fit(X, table.column("churn").to_pylist())
    wanted = grown.prune(X=X, y=table.column("churn").to_pylist(), folds=10, rule="1se")
    assert tw.load("model.json").tree_.to_text() == wanted.tree_.to_text()


def test_named_algorithms_and_sizes_stay_as_they_are(churn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tw.read_table("churn.csv", also_missing=["-", "n/a", "-999"])
    X, y = table.drop_columns(["churn"]), table.column("churn").to_pylist()
    assert run(*FIT, "--algo", "cart", "-o", "all.json", "-q") == 0
    assert tw.load("all.json").tree_.to_text() == tw.CARTClassifier().fit(X, y).tree_.to_text()
    assert "cross-validation" not in capsys.readouterr().out
    kept = X.drop_columns(["row", "customer_id", "region", "churn_flag"])
    for options, parameters in [(["--full"], {}), (["--max-depth", "2"], {"max_depth": 2}), (["--cv", "0", "--full"], {})]:
        assert run(*FIT, *options, "-o", "some.json", "--force", "-q") == 0
        assert tw.load("some.json").tree_.to_text() == tw.CARTClassifier(**parameters).fit(kept, y).tree_.to_text()
        assert ("10-fold cross-validation" in capsys.readouterr().out) == ("--cv" not in options)


def test_use_keeps_a_column(churn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*FIT, "--use", "churn_flag,row", "--json", "-q") == 0
    assert set(json.loads(capsys.readouterr().out)["left_out"]) == {"customer_id", "region"}
    assert run(*FIT, "--use", "churn_fla") == 2
    assert "did you mean 'churn_flag'" in capsys.readouterr().err
    for option in (["--full"], ["--use", "row"], ["--cv", "5"]):
        assert run(*FIT, "--algo", "c45", *option) == 2
        assert "where no algorithm is named" in capsys.readouterr().err


def test_all_commands_learn_the_same_tree(churn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rest = FIT[1:]
    assert run(*FIT, "-o", "model.json", "-q") == 0
    capsys.readouterr()
    assert run("rules", *rest, "-q") == 0
    assert capsys.readouterr().out == f"{tw.load('model.json').tree_.to_rules()}\n"
    assert run("explain", *rest, "--row", "3", "-q") == 0
    of_table = capsys.readouterr().out
    assert run("explain", "model.json", "churn.csv", "--row", "3", "-q") == 0
    assert capsys.readouterr().out == of_table
    assert run("eval", *rest, "--json", "-q", "--cv", "5") == 0
    of_pruned = json.loads(capsys.readouterr().out)["accuracy"]
    assert run("eval", *rest, "--json", "-q", "--cv", "5", "--full") == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] < of_pruned


def test_noise_is_called_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    rows = [f"{a:.3f},{b:.3f},{'yes' if c < 0.3 else 'no'}" for a, b, c in draw.random((200, 3))]
    Path("noise.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    assert run("fit", "noise.csv", "--target", "y") == 0
    out = capsys.readouterr().out
    assert "1 node, 1 leaf" in out
    assert "no tree did better: --full shows the whole one" in " ".join(out.split())


def test_few_rows_and_numbers(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "tennis.csv", "--target", "play") == 0
    assert "14 rows are too few for cross-validation: this is the whole tree" in capsys.readouterr().out
    draw = np.random.default_rng(1)
    x = draw.integers(0, 50, 200)
    rows = [
        f"{a},{a // 10 + e:.2f},{100 * (a // 10 + round(float(e), 2)):.0f}"
        for a, e in zip(x, draw.normal(0, 0.1, 200), strict=True)
    ]
    Path("steps.csv").write_text("\n".join(["x,y,cents", *rows]) + "\n")
    assert run("fit", "steps.csv", "--target", "y") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "cents (a copy of the target)" in out
    assert "5 leaves" in out
    assert "10-fold cross-validation: root mean square error 0.09" in out


def test_nothing_but_identifiers_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ids.csv").write_text("id,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(60)))
    assert run("fit", "ids.csv", "--target", "y") == 3
    assert "no column can tell anything of new rows" in capsys.readouterr().err
    assert run("fit", "ids.csv", "--target", "y", "--use", "id", "-q") == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example_that_is_understood(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    from treewright.cli.options import parse

    assert run(command, "--help") == 0
    out = capsys.readouterr().out
    assert "None" not in out
    example = out.split("example:\n")[1].splitlines()[0].strip()
    assert parse(shlex.split(example)[1:]).command == command
