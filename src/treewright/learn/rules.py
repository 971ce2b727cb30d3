"""What learners of rules share: reading the table, and rules scored on the training rows."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright import parts
from treewright.learn.learner import Learned, Learner
from treewright.learn.training import ReadTarget, Training, declared_levels, read_training
from treewright.model.rules import RuleSet
from treewright.store.damage import need
from treewright.table import TableSchema
from treewright.table.target import read_classes

P = TypeVar("P")


class RuleLearner(Learner[P]):
    """A learner of an ordered list of rules."""

    holds = "ruleset_"
    stored: ClassVar[dict[str, str]] = {**Learner.stored, "ruleset_": "rules"}
    # Kinds of columns that are read as nominal though they could be cut.
    by_level: ClassVar[tuple[str, ...]] = ("bool",)
    # Whether levels that were declared count as seen, whether they occur or not.
    sees_declared: ClassVar[bool] = False

    def read_target(self, y: Any, keep: Any) -> ReadTarget:
        """Read the target of the rows that are kept."""
        raise NotImplementedError  # pragma: no cover

    def find(self, training: Training, schema: TableSchema) -> tuple[RuleSet, dict[str, Any]]:
        """The rules of the training rows, and what else was found on the way."""
        raise NotImplementedError  # pragma: no cover

    def training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """The rows to learn from; those of weight 0 are none."""
        return read_training(X, y, sample_weight, self.given["categorical_features"], self.by_level, self.read_target)

    def known_levels(self, training: Training) -> tuple[tuple[int, ...], ...]:
        """Codes of the levels that rules of these rows know, by column."""
        return declared_levels(training) if self.sees_declared else training.occurring_levels

    def learn_from(self, training: Training) -> Learned:
        """Learn rules from rows."""
        unseen = parts.check_name("unseen", self.given["unseen"], parts.UNSEEN)
        schema = TableSchema(tuple(training.columns), training.named, self.known_levels(training), unseen, "ignore")
        rules, facts = self.find(training, schema)
        scored = rules._scored(training.arrays, len(training.codes), training.codes, training.weights)
        return Learned(scored, facts if training.classes is None else {**facts, "classes_": training.classes})

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        need(learned, "ruleset_" in learned, "it has no 'ruleset_'")
        width, columns = learned["n_features_in_"], len(learned["ruleset_"].schema.columns)
        need(columns, columns == width, f"its rules are over {columns} columns instead of {width}")


class ClassRuleLearner(RuleLearner[P]):
    """Learners of rules for classes."""

    stored: ClassVar[dict[str, str]] = {**RuleLearner.stored, "classes_": "value"}

    def read_target(self, y: Any, keep: Any) -> ReadTarget:
        """Read the classes."""
        return read_classes(y, keep)

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        classes, declared = learned.get("classes_"), learned["ruleset_"].target.classes or ()
        fits = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0
        fits = fits and all(label in declared for label in np.asarray(classes).tolist())
        need(classes, fits, "classes_ are not those of its rules")
