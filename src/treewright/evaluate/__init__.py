"""How good a learner is on rows it has not seen: rivals, sizes, parameters, numbers of rows, probabilities."""

from treewright.evaluate.calibrating import Calibration, calibration, plot_calibration
from treewright.evaluate.comparing import Comparison, compare
from treewright.evaluate.frontiers import Frontier, frontier
from treewright.evaluate.learning import LearningCurve, learning_curve
from treewright.evaluate.tuning import Tuned, tune

__all__ = [
    "Calibration",
    "Comparison",
    "Frontier",
    "LearningCurve",
    "Tuned",
    "calibration",
    "compare",
    "frontier",
    "learning_curve",
    "plot_calibration",
    "tune",
]
