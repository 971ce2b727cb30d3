"""Distilling: a readable model fitted to the answers of any other, with the share of rows on which the two agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor

from treewright.estimators.cart import CARTRegressor
from treewright.estimators.rules import RipperClassifier
from treewright.table.frames import as_table, shape_of


@dataclass(frozen=True)
class Distilled:
    """What another model says, in rules or a tree.

    Attributes
    ----------
    estimator : estimator
        The readable model, fitted to the answers of the other on all rows.
    fidelity : float
        Share of rows on which both give the same class; for numbers, R2 of the readable model's answers against the other's.
        Measured on the rows it was fitted to.
    held_out_fidelity : float
        The same for rows that were not used: ten folds, row i in fold i modulo 10.
    """

    estimator: Any
    fidelity: float
    held_out_fidelity: float

    @property
    def ruleset(self) -> Any:
        """The rules: those learned, or those of the tree."""
        return self.estimator.ruleset_ if hasattr(self.estimator, "ruleset_") else self.estimator.tree_.to_rules()

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
    ask = model if callable(model) and not hasattr(model, "predict") else model.predict
    said = np.asarray(ask(X))
    n_rows = shape_of(as_table(X))[0]
    if said.shape != (n_rows,):
        raise ValueError(f"the model must give one answer for each of the {n_rows} rows, got an array of shape {said.shape}")
    if estimator is None:
        known = isinstance(model, BaseEstimator)
        numbers = is_regressor(model) if known and (is_regressor(model) or is_classifier(model)) else said.dtype.kind == "f"
        estimator = CARTRegressor(max_leaf_nodes=32) if numbers else RipperClassifier()
    whole = clone(estimator).fit(X, said, **_weights(sample_weight))
    fidelity = _agreement(whole, said, np.asarray(whole.predict(X)))
    fold = np.arange(n_rows) % min(10, n_rows)
    again = said.copy()
    for k in range(min(10, n_rows)) if n_rows > 1 else ():
        out = fold == k
        part = clone(estimator).fit(_rows(X, ~out), said[~out], **_weights(sample_weight, ~out))
        again[out] = part.predict(_rows(X, out))
    return Distilled(whole, fidelity, _agreement(whole, said, again))


def _weights(sample_weight: Any, rows: Any = None) -> dict[str, Any]:
    if sample_weight is None:
        return {}
    weights = np.asarray(sample_weight)
    return {"sample_weight": weights if rows is None else weights[rows]}


def _rows(X: Any, mask: Any) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[np.flatnonzero(mask)]
    if hasattr(X, "take") and not isinstance(X, np.ndarray):
        return X.take(np.flatnonzero(mask))
    if hasattr(X, "filter") and not isinstance(X, np.ndarray):
        return X.filter(mask)
    return np.asarray(X)[mask]


def _agreement(estimator: Any, said: Any, own: Any) -> float:
    if is_classifier(estimator):
        return float(np.mean(said == own))
    spread = float(np.sum((said - said.mean()) ** 2))
    left = float(np.sum((said - own) ** 2))
    return 1.0 - left / spread if spread > 0 else float(left == 0)
