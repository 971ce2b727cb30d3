"""Tables of thousands of classes: work and memory grow with the rows, not with rows times classes."""

from __future__ import annotations

import json
import math
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.cli.runs import child

LEARNERS = {
    "cart": tw.CARTClassifier(),
    "id3": tw.ID3Classifier(),
    "c45": tw.C45Classifier(),
    "entropy": tw.CARTClassifier(criterion="info_gain"),
    "ratio": tw.TreeClassifier(criterion="gain_ratio"),
}


def table(classes: int, rows_each: int = 3) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    y = np.repeat(np.arange(classes), rows_each)
    X = draw.normal(size=(len(y), 5)) + y[:, None] * np.array([1, 0.37, 0.11, 0.05, 0.02]) / classes * 20
    order = draw.permutation(len(y))
    return np.round(X, 3)[order], y[order]


@pytest.mark.parametrize("name", LEARNERS)
def test_many_classes_do_not_hang(name: str) -> None:
    """Rows times classes would be minutes: 0.6 billion steps at every node of a long path."""
    X, y = table(8000)
    begin = time.process_time()
    assert LEARNERS[name].set_params(n_jobs=1).fit(X, y).tree_.n_leaves > 1000
    assert time.process_time() - begin < 60


def entropy(counts: np.ndarray) -> float:
    """Weight times entropy."""
    present = counts[counts > 0]
    return math.fsum(-present * np.log2(present / present.sum()))


@pytest.mark.parametrize("classes", [31, 32, 33, 300])
@pytest.mark.parametrize("missing", ["learned", "majority"])
@pytest.mark.parametrize("learner", [tw.ID3Classifier, tw.TreeClassifier])
def test_the_best_cut_is_found_where_classes_are_many(learner: Any, classes: int, missing: str) -> None:
    draw = np.random.default_rng(classes)
    y = draw.integers(0, classes, 900)
    x = np.round(draw.normal(size=900) + y / classes * 3, 1)
    options = {"criterion": "info_gain"} if learner is tw.TreeClassifier else {}
    root = learner(max_depth=1, missing=missing, **options).fit(x[:, None], y).tree_.root

    def after(cut: float) -> float:
        return entropy(np.bincount(y[x <= cut])) + entropy(np.bincount(y[x > cut]))

    values = np.unique(x)
    scores = [after(cut) for cut in (values[:-1] + values[1:]) / 2]
    assert after(root.split.cuts[0]) == pytest.approx(min(scores), rel=1e-12)


@pytest.mark.parametrize("n", [33, 101, 1001])
@pytest.mark.parametrize("criterion", ["info_gain", "gain_ratio"])
def test_of_equal_cuts_the_lower_is_taken_where_classes_are_many(n: int, criterion: str) -> None:
    """A row of its own for each class: the two cuts beside the middle are equal."""
    tree = tw.TreeClassifier(criterion=criterion, max_depth=1).fit(np.arange(n)[:, None], np.arange(n)).tree_
    assert tree.root.split.cuts == (n // 2 - 0.5,)


def test_scores_of_many_classes_take_no_table_of_all_pairs(tmp_path: Path) -> None:
    X, y = table(20_000, 1)
    rows = "".join(f"{a},{b},c{label}\n" for (a, b, *_), label in zip(X.tolist(), y.tolist(), strict=True))
    (tmp_path / "t.csv").write_text(f"a,b,y\n{rows}")
    assert child("fit", "t.csv", "--target", "y", "--algo", "c45", "-o", "m.json", "-q", cwd=tmp_path).returncode == 0
    limit = (2 << 30, 2 << 30)
    narrow = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, limit), "cwd": tmp_path}
    done = child("eval", "m.json", "t.csv", "--json", **narrow)
    found = json.loads(done.stdout)
    assert found["rows"] == 20_000
    assert len(found["classes"]) == 20_000
    assert found["confusions"] is None
