"""How good a learner is on rows it has not seen: parameters chosen by cross-validation, and errors by the number of rows."""

from treewright.evaluate.learning import LearningCurve, learning_curve
from treewright.evaluate.tuning import Tuned, tune

__all__ = ["LearningCurve", "Tuned", "learning_curve", "tune"]
