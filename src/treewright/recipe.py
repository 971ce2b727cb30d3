"""A named algorithm as data: which parts it is made of. The values of a recipe are defaults that an estimator may override."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parts of a tree learner.

    Attributes
    ----------
    name : str
        What the recipe is called.
    criterion, regression_criterion : str
        The criterion for class targets and for numeric targets.
    numeric, nominal : str
        The split families for numeric and nominal columns.
    threshold_at : {"midpoint", "observed", "training"}
        Where a threshold lies between two neighbouring values of the node.
    relation : {"<=", "<"}
        How a value is compared with a threshold.
    missing : str
        What happens to missing cells.
    chooser : {"best", "above_average", "quinlan", "weka"}
        How one candidate is picked among those of all columns.
    cuts : {"all", "quinlan", "weka"}
        Which thresholds are weighed.
    penalty : bool
        A threshold pays for the number of cuts it was chosen from.
    collapse : bool
        Splits that save no training error are undone.
    certain_blanks : bool
        An empty branch is sure of the class above it instead of repeating the distribution.
    ordered_as_nominal : bool
        Ordered categories are split by level instead of by threshold.
    source : str
        The publication the recipe follows.
    """

    name: str
    criterion: str = "gini"
    regression_criterion: str = "variance"
    numeric: str = "threshold"
    nominal: str = "subset"
    threshold_at: str = "midpoint"
    relation: str = "<="
    missing: str = "learned"
    chooser: str = "best"
    cuts: str = "all"
    penalty: bool = False
    collapse: bool = False
    certain_blanks: bool = False
    ordered_as_nominal: bool = False
    source: str = ""
