"""The complexity tables of rpart with their errors in cross-validation, as recorded by ``make peers``, to the last digit."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.peers.other_ties import reordered, sums_to
from tests.peers.test_rpart import EXACT, options, recorded, table
from treewright import _core
from treewright.learn import rpart
from treewright.table import TargetSchema

# Splits, or classes under priors, that are equally good in the tree of a fold: the digits of rpart are those of another one.
TIED = {
    "auto-mpg": "deep",
    "auto93": "deep",
    "car.test.frame": "deep",
    "column-3c": "deep",
    "ecoli": "deep",
    "glass": "deep",
    "haberman": "deep",
    "hayes-roth": "deep default known loss",
    "heart-statlog": "priors",
    "ionosphere": "loss priors",
    "lowbwt": "deep",
    "lymph": "deep",
    "monks-1": "loss",
    "penguins": "deep",
    "sonar": "loss priors",
    "soybean": "default",
    "wine": "priors",
}
TWICE = "rpart lists two complexities that differ by rounding only"
DIFFERENT = {
    ("primary-tumor", "priors"): TWICE,
    ("zoo", "priors"): TWICE,
    (
        "cu.summary",
        "deep",
    ): "two rows by 5e-5, a leaf of one fold: no other choice among equals that was tried gives rpart's digits",
}
ORDERS = 160  # of columns, levels and classes that are tried
CASES = [(name, variant) for name, variants in sorted(recorded()["trees"].items()) for variant in variants]


def has_errors(name: str, variant: str) -> bool:
    """Whether there is more than a lone leaf, of which rpart makes no cross-validation."""
    return len(recorded()["trees"][name][variant]["cptable"]) > 1


def fitted(shared: Path, name: str, variant: str) -> tuple[Any, pd.DataFrame, pd.Series]:
    X, y = table(shared, name)
    return learner(X, y, variant), X, y


def learner(X: pd.DataFrame, y: pd.Series, variant: str, **more: Any) -> Any:
    kind = tw.CARTClassifier if isinstance(y.dtype, pd.CategoricalDtype) else tw.CARTRegressor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.TreewrightWarning)  # tables of fewer rows than a split needs
        return kind(recipe="rpart", **options(variant, y), **more).fit(X, y)


def turned(target: TargetSchema) -> _core.Costs:
    """What errors cost with truth and answer exchanged."""
    k = len(target.classes or ())
    factors = np.array(target.factors or np.ones(k))
    return _core.Costs([], (factors[:, None] * np.array(target.losses).reshape(k, k).T).ravel().tolist(), target.measure)


@pytest.mark.parametrize(("name", "variant"), CASES)
def test_errors_in_cross_validation(shared: Path, monkeypatch: pytest.MonkeyPatch, name: str, variant: str) -> None:
    """In cross-validation rpart 4.1 exchanges truth and answer where it looks up a loss; so do ours here, to see the same."""
    est, X, y = fitted(shared, name, variant)
    if variant == "loss":
        monkeypatch.setattr(rpart, "row_costs", turned)
    wanted = np.array(recorded()["trees"][name][variant]["cptable"], float)
    found = np.array(est.cp_table(X, y, folds=X.index.to_numpy() % 10))
    if not has_errors(name, variant):
        assert wanted[0, 3:].tolist() == [0.0, 0.0]
        return
    same = found.shape == wanted.shape and np.allclose(found, wanted, rtol=EXACT, atol=EXACT)
    assert same == (variant not in TIED.get(name, "").split() and (name, variant) not in DIFFERENT)
    assert abs(found[:, 3].min() - wanted[:, 3].min()) < 0.06


@pytest.mark.parametrize(("name", "variant"), [(name, variant) for name, named in TIED.items() for variant in named.split()])
def test_ties_are_what_differs(shared: Path, monkeypatch: pytest.MonkeyPatch, name: str, variant: str) -> None:
    """In each fold another of equals may be taken: some of these trees together give the digits of rpart."""
    if variant == "loss":
        monkeypatch.setattr(rpart, "row_costs", turned)
    judged: list[Any] = []
    jobs = rpart.run_jobs
    monkeypatch.setattr(rpart, "run_jobs", lambda *given: judged.append(jobs(*given)) or judged[-1])
    X, y = table(shared, name)
    fold = X.index.to_numpy() % 10
    wanted = np.array(recorded()["trees"][name][variant]["cptable"], float)
    options_by_fold: list[dict[bytes, Any]] = [{} for _ in range(10)]
    for number, (columns, target) in enumerate(reordered(X, y, ORDERS)):
        est = learner(columns, target, variant, ties="seeded" if number % 2 else "first", random_state=number)
        own = np.array(est.cp_table())
        if own.shape != (len(wanted), 3) or not np.allclose(own, wanted[:, :3], rtol=EXACT, atol=EXACT):
            continue  # the whole tree has ties, too
        root = est.cp_table(columns, target, folds=fold)[0].xerror
        losses = [np.concatenate([loss[::-1], square[::-1]]) for loss, square in judged[-1]]
        unit = sum(loss[0] for loss in losses) / root
        before = sum(map(len, options_by_fold))
        for found, loss in zip(options_by_fold, losses, strict=True):
            found.setdefault(np.round(loss, 9).tobytes(), loss)
        error, spread = unit * wanted[:, 3], unit * wanted[:, 4]
        goal = np.concatenate([error, spread**2 + error**2 / len(X)])
        if sum(map(len, options_by_fold)) > before and sums_to([list(found.values()) for found in options_by_fold], goal):
            return
    raise AssertionError("no choice among equals gives the digits of rpart")


def test_most_tables_are_the_same_to_the_last_digit() -> None:
    assert len(CASES) - sum(len(variants.split()) for variants in TIED.values()) - len(DIFFERENT) >= 250


def test_losses_count_as_they_are_given() -> None:
    """A split that costs nothing to keep: who is ill is always found, at the price of one false alarm a fold."""
    X = pd.DataFrame({"x": [*range(40), *range(20, 60)]})
    y = np.array(["ill"] * 40 + ["well"] * 40)
    dear = tw.CARTClassifier(recipe="rpart", loss=[[0, 10], [1, 0]]).fit(X, y)
    rows = dear.cp_table(X, y, folds=np.arange(80) % 10)
    assert rows[0].xerror == pytest.approx(1.0)  # everybody is called ill: 40 of 40, not 400 of 40


def test_folds_and_rows_belong_together() -> None:
    est = tw.CARTClassifier(recipe="rpart").fit([[0.0], [1.0]] * 20, ["a", "b"] * 20)
    with pytest.raises(ValueError, match="pass X, y and folds, or none of them"):
        est.cp_table([[0.0], [1.0]] * 20, ["a", "b"] * 20)
    with pytest.raises(ValueError, match="pass X, y and folds, or none of them"):
        est.cp_table(folds=10)


def test_other_recipes_list_the_errors_of_their_path() -> None:
    iris = tw.datasets.load_iris()
    est = tw.CARTClassifier().fit(iris.X, iris.y)
    fold = np.arange(150) % 10
    rows, path = est.cp_table(iris.X, iris.y, folds=fold), est.pruning_path(iris.X, iris.y, folds=fold)
    assert path.cv is not None
    root = path.training_error[-1]
    assert [row.xerror for row in rows] == pytest.approx(path.cv.error[::-1] / root)
    assert [row.xstd for row in rows] == pytest.approx(path.cv.se[::-1] / root)
    assert [row[:3] for row in rows] == [tuple(row) for row in est.cp_table()]
