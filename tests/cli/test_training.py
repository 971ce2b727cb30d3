"""Training errors are counted in the leaves where these hold the rows as they are, and are what predicting says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.runs import run, three_lines
from treewright.cli import learn
from treewright.cli.options import parse
from treewright.cli.say import Talk
from treewright.cli.training import errors_in_leaves, training_text

_COUNTED = [
    ("cart", "--max-depth", "2"),
    ("cart", "--max-depth", "2", "--missing-policy", "majority"),
    ("id3", "--missing-policy", "own", "--max-depth", "1"),
    ("c45", "--missing-policy", "learned"),
]
_ASKED = [
    ("cart", "--max-depth", "1", "--class-weight", "balanced"),
    ("rpart", "--min-samples-split", "4"),
    ("c45",),
    ("c45", "--missing-policy", "learned", "--soft"),
    ("reptree",),
    ("ripper",),
    ("lmt",),
]


@pytest.mark.parametrize("options", [*_COUNTED, *_ASKED], ids=" ".join)
def test_training_errors(tmp_path: Path, options: tuple[str, ...]) -> None:
    rng = np.random.default_rng(5)
    table = rng.integers(0, 4, (120, 3))
    cells = [[*("?" if rng.random() < 0.2 else f"v{value}" for value in row[:2]), str(row[2])] for row in table.tolist()]
    said = ["yes" if (a + b + (rng.random() < 0.2)) % 2 else "no" for a, b, _ in table.tolist()]
    lines = ["p,q,r,y", *(",".join([*row, answer]) for row, answer in zip(cells, said, strict=True))]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    algo, *rest = options
    asked = parse(["fit", str(path), "--target", "y", "-q", "--algo", algo, *rest])
    learner, task, _ = learn.prepared(asked, Talk(asked))
    estimator = learn.fit(learner, task)
    wrong = int(np.sum(estimator.predict(task.X) != np.asarray(task.y)))
    assert errors_in_leaves(estimator, task) == (wrong if options in _COUNTED else None)
    assert training_text(estimator, task).startswith(f"training errors {wrong} of 120")


def test_fractions_are_no_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n1,1.0,0.5\n2,2.0,1.5\n3,3.0,0.5\n")
    assert run("fit", str(path), "--target", "y", "--task", "classes", "-q") == 3
    said = three_lines(capsys.readouterr().err)
    assert said == ["target 'y' holds numbers that are no classes", str(path), said[2]]
    assert "--categorical 'y'" in said[2]
    assert run("fit", str(path), "--target", "y", "--task", "classes", "-q", "--categorical", "y") == 0
    assert run("fit", str(path), "--target", "b", "--task", "classes", "-q") == 0


def test_a_saved_model_names_the_next_commands(tennis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "tennis.csv", "--target", "play", "-o", "my model.json") == 0
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == "next: treewright rules 'my model.json' · treewright explore 'my model.json' tennis.csv"
    assert run("fit", "tennis.csv", "--target", "play", "-o", "m.json", "-q") == 0
    assert "next" not in capsys.readouterr().err


@pytest.mark.parametrize("target", ["kind", "number"])
def test_the_error_of_folds_is_that_of_their_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str) -> None:
    rng = np.random.default_rng(1)
    lines = [f"{a:.3f},{'p' if a + e > 0 else 'q'},{a + e:.3f}" for a, e in rng.normal(size=(60, 2))]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,kind,number", *lines]) + "\n")
    other = "number" if target == "kind" else "kind"
    assert run("eval", str(path), "--target", target, "--ignore", other, "--cv", "4", "--json", "-q") == 0
    told = json.loads(capsys.readouterr().out)
    folds = told["folds"]
    mean = sum(folds) / 4
    assert told["standard_error"] == pytest.approx((sum((each - mean) ** 2 for each in folds) / 3 / 4) ** 0.5)
