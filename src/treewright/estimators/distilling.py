"""Distilling: a readable model fitted to the answers of any other, with the share of rows on which the two agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor

from treewright.errors import shown
from treewright.estimators.cart import CARTRegressor
from treewright.estimators.covering import RipperClassifier
from treewright.estimators.stored import Stored
from treewright.table.files.target import TargetColumn
from treewright.table.frames import shape_of, take_rows
from treewright.table.streams import as_table


@dataclass(frozen=True)
class Distilled:
    """What another model says, in rules or a tree.

    Attributes
    ----------
    estimator : estimator
        The readable model, fitted to the answers of the other on all rows.
    fidelity : float
        Share of rows on which both give the same class; for numbers, R2 of the readable model's answers against the other's.
        Measured on the rows it was fitted to, by their weights.
    held_out_fidelity : float
        The same for rows that were not used: ten folds, row i in fold i modulo 10. NaN of a single row.
    """

    estimator: Any
    fidelity: float
    held_out_fidelity: float

    @property
    def ruleset(self) -> Any:
        """The rules: those learned, or those of the tree."""
        return self.estimator._model.to_rules()

    def __str__(self) -> str:
        return f"fidelity {self.fidelity:.4f}, held out {self.held_out_fidelity:.4f}\n{self.ruleset}"


def distil(model: Any, X: Any, estimator: Any = None, sample_weight: Any = None) -> Distilled:
    """Fit rules or a tree to the answers of any other model.

    Parameters
    ----------
    model : estimator or callable
        Anything with ``predict``, or a function of a table.
    X : array or frame
        The rows to ask it about; they need no target.
    estimator : estimator, optional
        The readable model. By default :class:`RipperClassifier` for classes and ``CARTRegressor(max_leaf_nodes=32)`` for numbers.
    sample_weight : array, optional
        Weights of the rows.

    Returns
    -------
    Distilled
        The fitted estimator and how faithful it is.
    """
    if not callable(ask := getattr(model, "predict", model)):
        raise TypeError(f"model must have predict, or be a function of a table, not {type(model).__name__}")
    answers = np.asarray(ask(X))
    table = as_table(X)
    n_rows = shape_of(table)[0]
    if answers.shape != (n_rows,):
        raise ValueError(f"the model must give one answer for each of the {n_rows} rows, got an array of shape {answers.shape}")
    if estimator is None:
        tagged = isinstance(model, BaseEstimator)
        numbers = is_regressor(model) if tagged and (is_regressor(model) or is_classifier(model)) else answers.dtype.kind == "f"
        estimator = CARTRegressor(max_leaf_nodes=32) if numbers else RipperClassifier()
    if not isinstance(estimator, BaseEstimator):
        raise TypeError(f"estimator must be one that can be fitted, such as RipperClassifier(), not {shown(estimator)}")
    if is_regressor(estimator) and answers.dtype.kind not in "biuf":
        what = f"the model says classes such as {shown(answers[0].item() if hasattr(answers[0], 'item') else answers[0])}"
        raise ValueError(f"{what}, and {type(estimator).__name__} learns numbers: use a classifier, such as RipperClassifier()")
    weights = None if sample_weight is None else np.asarray(sample_weight)
    goal = _named(model, answers) if isinstance(estimator, Stored) else answers
    whole = clone(estimator).fit(table, goal, **_weights(weights))
    fidelity = _agreement(whole, answers, np.asarray(whole.predict(table)), weights)
    if n_rows == 1:
        return Distilled(whole, fidelity, float("nan"))
    fold = np.arange(n_rows) % min(10, n_rows)
    again = np.empty(n_rows, answers.dtype if is_classifier(whole) else np.float64)
    for k in range(min(10, n_rows)):
        out = fold == k
        inside, outside = np.flatnonzero(~out), np.flatnonzero(out)
        fold_model = clone(estimator).fit(take_rows(table, inside), take_rows(goal, inside), **_weights(weights, inside))
        again[outside] = fold_model.predict(take_rows(table, outside))
    return Distilled(whole, fidelity, _agreement(whole, answers, again, weights))


def _named(model: Any, answers: Any) -> Any:
    """Answers under the name that the model has for them, which rules are read with."""
    value = getattr(model, "_model", None)
    if value is None:
        return answers
    import pyarrow as pa

    return TargetColumn(value.target.name, pa.array(answers.tolist()))


def _weights(weights: Any, rows: Any = None) -> dict[str, Any]:
    if weights is None:
        return {}
    return {"sample_weight": weights if rows is None else weights[rows]}


def _agreement(estimator: Any, answers: Any, own: Any, weights: Any) -> float:
    if is_classifier(estimator):
        return float(np.average(answers == own, weights=weights))
    spread = float(np.average((answers - np.average(answers, weights=weights)) ** 2, weights=weights))
    left = float(np.average((answers - own) ** 2, weights=weights))
    return 1.0 - left / spread if spread > 0 else float(left == 0)
