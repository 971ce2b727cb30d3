"""Models that are made in other ways: of plain arrays and several targets, guided by trees, tuned, distilled, taken over."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from same.learner import Learner, is_numbers, made, other, plain, shown
from same.tables import Table


def _array(name: str, kind: Any, order: str, **options: Any) -> Learner:
    """An estimator on a plain array of numbers."""

    def fit(table: Table) -> tuple[Any, Any]:
        X = np.asarray(table.numbers, dtype=kind, order=order)
        y = table.y.to_numpy() if is_numbers(name) else pd.factorize(table.y, sort=True)[0]
        return made(name, options, table).fit(X, y), X

    return other(f"{shown(name, options)} of an array {np.dtype(kind).name} {order}", fit, is_numbers(name))


def _several(table: Table) -> tuple[Any, Any]:
    y = table.y.to_numpy(np.float64)
    return tw.CARTRegressor(max_depth=6).fit(table.X, pd.DataFrame({"a": y, "b": np.abs(y - y.mean()), "c": -y})), table.X


def _guided(name: str, estimator: str, numbers: bool = False, **options: Any) -> Learner:
    def fit(table: Table) -> tuple[Any, Any]:
        inner = made(estimator, {}, table)
        return getattr(tw, name)(inner, **options).fit(table.X, table.y), table.X

    return other(f"{shown(name, options)} of {estimator}", fit, numbers)


def _tuned(name: str, over: str, **options: Any) -> Learner:
    def fit(table: Table) -> tuple[Any, Any]:
        return tw.tune(made(name, {}, table), table.X, table.y, over, folds=3, **options).estimator, table.X

    return other(f"tune({name}, {over}{''.join(f', {key}={v!r}' for key, v in options.items())})", fit, is_numbers(name), slow=2)


def _distilled(name: str) -> Learner:
    def fit(table: Table) -> tuple[Any, Any]:
        return tw.distil(made(name, {"max_depth": 5}, table).fit(table.X, table.y), table.X).estimator, table.X

    return other(f"distil({name})", fit, is_numbers(name), slow=2)


def _adopted(name: str, **options: Any) -> Learner:
    """A tree of scikit-learn, taken over."""

    def fit(table: Table) -> tuple[Any, Any]:
        from sklearn import tree

        X = table.numbers
        y = table.y.to_numpy() if is_numbers(name) else table.y.astype(str).to_numpy(object)
        return tw.from_sklearn(getattr(tree, name)(random_state=0, **options).fit(X, y)), X

    return other(f"from_sklearn({shown(name, options)})", fit, is_numbers(name))


def other_models() -> Iterator[Learner]:
    """All of them."""
    for name, kind, order in product(("CARTClassifier", "C45Classifier", "CARTRegressor"), (np.float32, np.float64), "CF"):
        yield _array(name, kind, order)
    for name in ("RipperClassifier", "PartClassifier", "C45RulesClassifier", "M5Regressor", "M5RulesRegressor"):
        yield _array(name, np.float64, "C")
    yield _array("LogisticTreeClassifier", np.float64, "C", iterations=4)
    yield plain("TreeNeighborsClassifier", everywhere=True)
    yield plain("TreeNeighborsClassifier", n_neighbors=3, weighted=True)
    yield _guided("TreeNeighborsClassifier", "CARTClassifier", n_neighbors=5)
    yield plain("TreeColumns", everywhere=True)
    yield _guided("TreeColumns", "CARTClassifier")
    yield _guided("TreeColumns", "M5Regressor", numbers=True)
    yield other("CARTRegressor of several targets", _several, numbers=True)
    yield _tuned("CARTClassifier", "max_depth")
    yield _tuned("ID3Classifier", "min_impurity", rule="1se")
    yield _tuned("CARTRegressor", "max_leaf_nodes", n_jobs=2)
    yield from (_distilled(name) for name in ("CARTClassifier", "CARTRegressor"))
    yield _adopted("DecisionTreeClassifier", max_depth=6)
    yield _adopted("DecisionTreeRegressor", min_samples_leaf=3)
