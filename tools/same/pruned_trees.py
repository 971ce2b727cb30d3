"""Trees that are cut back, by every method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from same.learner import LOSSES, UNEVEN, Learner, pruned


def pruned_trees() -> Iterator[Learner]:
    """All of them."""
    alone: list[tuple[str, dict[str, Any]]] = [
        ("cost_complexity", {"alpha": 0.01}), ("cost_complexity", {"alpha": 0.02, "risk": "impurity"}),
        ("cost_complexity", {"leaves": 6}), ("critical_value", {"value": 0.05}),
        ("critical_value", {"value": 0.1, "measure": "gain_ratio"}), ("minimum_error", {"m": 2}), ("description_length", {}),
        ("limits", {"max_depth": 3}), ("limits", {"min_samples": 12}), ("limits", {"min_merit": 0.02}),
    ]  # fmt: skip
    apart: list[tuple[str, dict[str, Any]]] = [
        ("reduced_error", {}), ("reduced_error", {"order": "greedy"}), ("cost_complexity", {}),
        ("cost_complexity", {"rule": "1se"}), ("critical_value", {}),
        ("critical_value", {"measure": "gain_ratio", "rule": "1se"}),
    ]  # fmt: skip
    grown: list[tuple[str, dict[str, Any]]] = [
        ("CARTClassifier", {}), ("CARTClassifier", {"missing": "surrogate", "priors": UNEVEN}),
        ("C45Classifier", {"pruned": False}), ("ID3Classifier", {"missing": "majority"}), ("CARTRegressor", {}),
        ("REPTreeRegressor", {"pruned": False}), ("CARTRegressor", {"criterion": "absolute_error"}),
    ]  # fmt: skip
    for name, options in grown:
        for method, how in alone:
            yield pruned(name, method, grown=options, **how)
        for method, how in apart:
            yield pruned(name, method, "apart", options, **how)
    for name, options in grown[:5]:
        yield pruned(name, "cost_complexity", "own", options, folds=5)
        yield pruned(name, "cost_complexity", "own", options, folds=4, rule="1se", random_state=2)
    for name, options in grown[:4]:
        yield pruned(name, "pessimistic", grown=options)
        yield pruned(name, "pessimistic", grown=options, slack=0.0)
        yield pruned(name, "minimum_error", grown=options)
        for how in ({}, {"raising": False, "confidence": 0.1}, {"estimate": "j48"}):
            yield pruned(name, "error_based", "own", options, **how)
    yield pruned("CARTClassifier", "cost_complexity", "apart", {"loss": LOSSES})
    yield pruned("CARTClassifier", "reduced_error", "apart", {"loss": LOSSES})
    yield pruned("LogisticTreeClassifier", "limits", "none", {"iterations": 3, "pruned": False}, max_depth=1)
    yield pruned("M5Regressor", "limits", "none", {"pruned": False}, max_depth=2)
