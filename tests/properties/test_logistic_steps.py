"""How many steps of boosting the nodes of a logistic model tree take, against the slow way from the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

Numbers = np.ndarray[Any, Any]
TERMS = ["a", "b", "c"]


def steps_from(Z: Numbers, y: Numbers, start: Numbers, n: int) -> list[Numbers]:
    """Models after 0 to n steps: for two classes an intercept and slopes of the second one's score, which the first mirrors."""
    design = np.column_stack([np.ones(len(y)), Z])
    models = [start]
    for _ in range(n):
        p = 1 / (1 + np.exp(-2 * design @ models[-1]))
        z = np.clip((y - p) / (p * (1 - p)), -3, 3)
        w = (y - p) / z
        tried = []
        for t in range(1, design.shape[1]):
            if np.ptp(design[:, t]) == 0:
                continue
            root = np.sqrt(w)[:, None]
            beta, *_ = np.linalg.lstsq(root * design[:, [0, t]], root[:, 0] * z, rcond=None)
            added = np.zeros(design.shape[1])
            added[[0, t]] = beta
            tried.append((float((w * (z - design @ added) ** 2).sum()), t, added))
        least = min(error for error, *_ in tried)
        models.append(models[-1] + 0.5 * next(added for error, _, added in tried if error <= least + 1e-9))
    return models


def said(model: Numbers, Z: Numbers) -> Numbers:
    return np.column_stack([np.ones(len(Z)), Z]) @ model > 1e-9


def best_steps(Z: Numbers, y: Numbers, fold: Numbers, start: Numbers, most: int) -> int:
    errors = np.zeros(most + 1)
    for k in np.unique(fold):
        judge = fold == k
        for step, model in enumerate(steps_from(Z[~judge], y[~judge], start, most)):
            errors[step] += np.mean(said(model, Z[judge]) != y[judge])
    return int(np.flatnonzero(errors <= errors.min() + 1e-9)[0])


def a_table(seed: int = 3, n: int = 150) -> tuple[pd.DataFrame, Numbers, Numbers]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=TERMS)
    y = (np.where(X["a"] > 0, X["b"], 1 - X["c"]) + 0.6 * rng.normal(size=n) > 0.5).astype(int)
    return X, y, rng.integers(0, 5, n)


@pytest.mark.parametrize("most", [3, 12])
def test_every_node_finds_its_own_steps(most: int) -> None:
    X, y, fold = a_table()
    Z = X.to_numpy()
    how = {"iterations": "nodes", "max_iterations": most, "folds": fold, "pruned": False, "max_depth": 1, "min_samples_leaf": 30}
    est = tw.LogisticTreeClassifier(**how).fit(X, y)
    assert est.n_iterations_ == 0 and est.tree_.n_leaves == 2
    at_root = best_steps(Z, y, fold, np.zeros(4), most)
    root = steps_from(Z, y, np.zeros(4), most)[at_root]
    leaf, found = est.apply(X), [at_root]
    for one in np.unique(leaf):
        here = leaf == one
        found.append(best_steps(Z[here], y[here], fold[here], root, most))
        model = steps_from(Z[here], y[here], root, most)[found[-1]]
        score = np.column_stack([np.ones(len(Z)), Z])[here] @ model
        assert est.predict_proba(X)[here, 1] == pytest.approx(1 / (1 + np.exp(-2 * score)), rel=1e-7)
    assert len(set(found)) > 1 and max(found) <= most


@pytest.mark.parametrize("most", [2, 12])
def test_the_root_finds_the_steps_of_all_nodes_among_so_many(most: int) -> None:
    X, y, fold = a_table()
    expected = best_steps(X.to_numpy(), y, fold, np.zeros(4), most)
    est = tw.LogisticTreeClassifier(max_iterations=most, folds=fold).fit(X, y)
    assert est.n_iterations_ == expected > 0
    assert (est.n_iterations_ <= 2) == (most == 2)
    given = tw.LogisticTreeClassifier(iterations=expected, folds=fold).fit(X, y)
    assert given.tree_ == est.tree_


def test_a_root_that_wants_no_steps_leaves_it_to_the_nodes() -> None:
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"b": rng.normal(size=120), "c": rng.choice(["u", "v"], 120)})
    y = np.where(X["c"] == "u", X["b"] > 0.3, X["b"] < -0.5).astype(int)
    folds = np.arange(120) % 5
    est = tw.LogisticTreeClassifier(folds=folds).fit(X, y)
    assert est.n_iterations_ == 0 and est.tree_.n_leaves == 2
    assert est.tree_ == tw.LogisticTreeClassifier(iterations="nodes", folds=folds).fit(X, y).tree_
    assert np.array_equal(est.predict(X), y)  # which the shares of the classes in the leaves do not tell


@pytest.mark.parametrize("wrong", [np.array([1, 2]), "often", 0, 2.5, None, True, ["root"]])
def test_what_is_no_number_of_steps_is_refused_by_name(wrong: Any) -> None:
    X, y, _ = a_table()
    with pytest.raises(ValueError, match=r'iterations=.* is not allowed: it must be (a whole number|"root", "nodes")'):
        tw.LogisticTreeClassifier(iterations=wrong).fit(X, y)
