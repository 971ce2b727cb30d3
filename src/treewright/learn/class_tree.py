"""Learners of trees for classes: priors, class weights and losses, and the classes that occur."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright import _core
from treewright.learn.constraints import refuse_several
from treewright.learn.costs import class_factors, set_class_costs
from treewright.learn.training import ReadTarget, Rows, Training
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.recipes import find
from treewright.store.damage import need
from treewright.table import TargetSchema
from treewright.table.target import read_classes
from treewright.table.weights import KEPT

P = TypeVar("P")


class ClassTreeLearner(TreeLearner[P]):
    """Learners of trees for classes."""

    stored: ClassVar[dict[str, str]] = {**TreeLearner.stored, "classes_": "value"}

    @property
    def _weighs_rows(self) -> bool:
        """Whether class weights are made weights of rows: where a limit counts them."""
        return self.given.get("class_weight") is not None and self.given.get("min_weight_fraction_leaf", 0.0) != 0.0

    def read_target(self, y: Any, keep: Any) -> ReadTarget:
        """Read the classes."""
        if self.chosen.get("monotonic_cst") is not None:
            refuse_several(y)
        return read_classes(y, keep)

    def training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """The rows to learn from; those of weight 0 are none."""
        training = super().training(X, y, sample_weight)
        if not self._weighs_rows:
            return training
        costs = _core.GrowSettings()
        set_class_costs(costs, self.chosen, "gini", training.target.classes, training.occurring)
        factors = class_factors(costs, training)
        assert factors is not None
        weights = factors[training.codes] * (1.0 if training.weights is None else training.weights)
        weights = np.maximum(weights, np.sum(weights) * KEPT)  # as little as the core keeps of a row
        return replace(training, weights=weights, factors=factors)

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        params = {**self.chosen, "class_weight": None} if self._weighs_rows else self.chosen
        settings = self._settings(params, training, rows)
        if rows is not None and settings.priors and find(self.chosen["recipe"]).as_rpart:
            # In rpart's folds a row counts what it counts in the whole table, whatever share its class has there.
            factors = class_factors(settings, training)
            assert factors is not None
            settings.class_weight, settings.priors = factors.tolist(), []
        return settings

    def judged_target(self, training: Training, settings: _core.GrowSettings) -> TargetSchema:
        """The target with what rows count and answers cost."""
        factors = class_factors(settings, training) if training.factors is None else training.factors
        return replace(training.target, factors=() if factors is None else tuple(factors.tolist()), losses=tuple(settings.loss))

    def look_back(self, tree: Tree, training: Training, settings: _core.GrowSettings) -> tuple[Tree, dict[str, Any]]:
        """The tree, and the classes that occur."""
        return tree, {"classes_": training.classes}

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        classes, declared = learned.get("classes_"), learned["tree_"].target.classes
        need(declared, declared is not None, "its tree predicts numbers")
        fits = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0
        labels = classes.tolist() if isinstance(classes, np.ndarray) and fits else []
        need(
            labels,
            fits and len(set(labels)) == len(labels) and set(labels) <= set(declared or ()),
            "classes_ are not its classes",
        )
