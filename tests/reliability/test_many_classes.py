"""Tables of thousands of classes: work and memory grow with the rows, not with rows times classes."""

from __future__ import annotations

import json
import math
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.cli.runs import child
from treewright.prune.rows import Rows

LEARNERS = {
    "cart": tw.CARTClassifier(),
    "id3": tw.ID3Classifier(),
    "c45": tw.C45Classifier(),
    "entropy": tw.CARTClassifier(criterion="info_gain"),
    "ratio": tw.TreeClassifier(criterion="gain_ratio"),
    "j48": tw.C45Classifier(variant="j48"),
    "twoing": tw.CARTClassifier(criterion="twoing"),
    "error": tw.CARTClassifier(criterion="error"),
    "balanced": tw.CARTClassifier(class_weight="balanced"),
    "balanced entropy": tw.CARTClassifier(criterion="info_gain", class_weight="balanced"),
    "balanced twoing": tw.CARTClassifier(criterion="twoing", class_weight="balanced"),
    "reptree": tw.REPTreeClassifier(pruned=False, min_samples_leaf=1),
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


Scores = Callable[[np.ndarray, np.ndarray], float]  # of what lies on both sides, by class


def gini(left: np.ndarray, right: np.ndarray) -> float:
    return float((left @ left) / left.sum() + (right @ right) / right.sum())


def twoing(left: np.ndarray, right: np.ndarray) -> float:
    a, b = left.sum(), right.sum()
    return float(a * b / (a + b) ** 2 / 4 * np.abs(left / a - right / b).sum() ** 2)


MEASURES: dict[str, Scores] = {
    "gini": gini,
    "twoing": twoing,
    "error": lambda left, right: float(left.max() + right.max()),
    "info_gain": lambda left, right: -entropy(left) - entropy(right),
}


@pytest.mark.parametrize("classes", [31, 32, 300])
@pytest.mark.parametrize("counted", ["rows", "weights", "priors"])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_best_cut_is_the_one_that_trying_all_finds(classes: int, counted: str, measure: str) -> None:
    """Trying all in NumPy; a few rows are in a second column, where cells are missing, which go to either side."""
    for seed in range(4):
        draw = np.random.default_rng([classes, seed])
        y = draw.integers(0, classes, 700) * (draw.random(700) < 0.8)  # the first class is the largest
        x = np.round(draw.normal(size=700) + y / classes * 3, 2)
        weights = draw.random(700) * 3 if counted == "weights" else np.ones(700)
        options = {"class_weight": "balanced"} if counted == "priors" else {}
        fitted = tw.CARTClassifier(criterion=measure, max_depth=1, **options).fit(x[:, None], y, sample_weight=weights)
        each = weights * (700 / np.bincount(y, weights)[y] if counted == "priors" else 1)
        score = MEASURES[measure]

        def after(cut: float, x: Any = x, y: Any = y, each: Any = each, score: Scores = score) -> float:
            return score(*(np.bincount(y[side], each[side], minlength=y.max() + 1) for side in (x <= cut, x > cut)))

        values = np.unique(x)
        best = max(after(cut) for cut in (values[:-1] + values[1:]) / 2)
        assert after(fitted.tree_.root.split.cuts[0]) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("table", ["mixed", "plateau", "one row each", "waves"])
@pytest.mark.parametrize("variant", ["r8", "j48"])
def test_a_later_cut_must_be_better_by_a_margin(variant: str, table: str) -> None:
    """Which cut is best depends on those before it: what C4.5 and J48 go through, in NumPy."""
    draw = np.random.default_rng(1)
    y = {
        "mixed": np.sort(draw.integers(0, 40, 900) + draw.integers(0, 4, 900)),
        "plateau": np.tile(np.arange(40), 20),
        "one row each": np.arange(12001),  # at last every step to the middle is less than J48's margin
        "waves": np.r_[np.repeat(np.arange(300), 3), np.tile(np.arange(300), 3)],
    }[table]
    n, k = len(y), len(np.unique(y))
    tree = tw.C45Classifier(variant=variant, max_depth=1, pruned=False, penalty=False).fit(np.arange(float(n))[:, None], y).tree_
    least, margin = max(2.0, min(0.1 * n / k, 25)), (1e-6 if variant == "j48" else 1e-12) * n
    left, right = np.zeros(y.max() + 1), np.bincount(y).astype(float)
    bits = np.r_[0, np.arange(1, n + 1) * np.log2(np.arange(1, n + 1))]
    score, best, place = bits[right.astype(int)].sum(), -math.inf, 0
    for i in range(1, n):
        label = y[i - 1]
        a, b = int(left[label]), int(right[label])
        score += bits[a + 1] - bits[a] + bits[b - 1] - bits[b]
        left[label] += 1
        right[label] -= 1
        if least <= i <= n - least and (here := score - bits[i] - bits[n - i]) > best + margin + 1e-9:
            best, place = here, i
    assert tree.root.split is not None
    assert np.sum(np.arange(n) <= tree.root.split.cuts[0]) == place


@pytest.mark.parametrize("loss", [False, True])
def test_losses_of_other_rows_at_every_node(loss: bool) -> None:
    """A tree of more leaves than a class has rows: the losses of every node are those of the rows that pass it."""
    X, y = table(80, 4)
    X[::5, 0] = np.nan
    X, y = X[np.argsort(y)], np.sort(y)  # two rows of every class on either side
    costs = np.random.default_rng(0).random((80, 80)) + 0.5
    np.fill_diagonal(costs, 0)
    tree = tw.CARTClassifier(**({"loss": costs} if loss else {})).fit(X[::2], y[::2]).tree_
    weights = np.random.default_rng(1).integers(1, 4, 160).astype(float)
    found = Rows(X[1::2], y[1::2], weights).losses(tree)
    each = (costs if loss else 1 - np.eye(80))[y[1::2]][:, np.asarray(tree.node_columns.label)]  # rows x nodes
    passed = tree.decision_path(X[1::2]).toarray()
    assert tree.n_leaves > 16 * 4
    assert np.allclose(found.weight, weights @ passed, rtol=1e-12)
    assert np.allclose(found.loss, weights @ (passed * each), rtol=1e-12)


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


@pytest.mark.parametrize("classes", [65, 300, 2000])
def test_of_many_classes_the_first_that_counts_most_is_said(classes: int) -> None:
    for seed in range(5):
        draw = np.random.default_rng([classes, seed])
        y = np.r_[np.arange(classes), draw.integers(0, classes, 3 * classes)]
        weights = 2.0 ** draw.integers(-2, 2, classes)
        counts = weights * np.bincount(y)
        tree = (
            tw.CARTClassifier(class_weight=dict(enumerate(weights)), max_depth=1).fit(np.arange(len(y))[:, None] * 1.0, y).tree_
        )
        assert tree.root.prediction == np.argmax(counts)


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
