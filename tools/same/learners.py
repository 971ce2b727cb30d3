"""All learners: every public estimator with many of its options, pruned trees, and what else makes models."""

from __future__ import annotations

from same.class_rules import rules_of_classes
from same.class_trees import trees_of_classes
from same.learner import Learner
from same.number_models import models_of_numbers
from same.other_models import other_models
from same.pruned_trees import pruned_trees


def learners() -> list[Learner]:
    """All of them; every name once."""
    found = [*trees_of_classes(), *rules_of_classes(), *models_of_numbers(), *pruned_trees(), *other_models()]
    return list({learner.name + " on all rows" * learner.whole: learner for learner in found}.values())
