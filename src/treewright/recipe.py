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
    threshold_at : {"midpoint", "observed"}
        Where a threshold lies between two neighbouring values.
    relation : {"<=", "<"}
        How a value is compared with a threshold.
    missing : str
        What happens to missing cells.
    chooser : {"best", "above_average"}
        How one candidate is picked among those of all columns.
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
    ordered_as_nominal: bool = False
    source: str = ""
