"""A learner with what it learned: what a fitted estimator is, as a plain value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.learn.learner import Learner
from treewright.model import RuleSet, Tree
from treewright.table.frames import as_table, column_names, is_frame, shape_of


@dataclass(frozen=True, eq=False)
class Fitted:
    """A learner with what it learned.

    Attributes
    ----------
    learner : Learner
        The algorithm and its parameters.
    learned : dict
        The attributes of a fitted estimator, by name: the model and facts about it.
    """

    learner: Learner[Any]
    learned: dict[str, Any]

    @property
    def model(self) -> Tree | RuleSet:
        """The tree, or the rules."""
        held: Tree | RuleSet = self.learned[self.learner.holds]
        return held


def fit(learner: Learner[Any], X: Any, y: Any, sample_weight: Any = None) -> Fitted:
    """Learn from a table, and note its columns as scikit-learn's estimators do."""
    learned = learner.learn(X, y, sample_weight)
    return Fitted(learner, {**_columns(as_table(X)), **learner.attributes(learned)})


def _columns(X: Any) -> dict[str, Any]:
    """The number of columns, and their names where they are text."""
    out: dict[str, Any] = {"n_features_in_": shape_of(X)[1]}
    names = list(getattr(X, "columns", ())) if hasattr(X, "iloc") else column_names(X)
    if is_frame(X) and all(type(name) is str for name in names):
        out["feature_names_in_"] = np.asarray(names, dtype=object)
    return out
