"""A named algorithm as data: the components it is made of, which are defaults that parameters may override."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from treewright import parts
from treewright.errors import out_of_range


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
    known_cuts : bool
        Where missing rows are spread over the branches, thresholds are placed by the rows whose cell is known, and columns are
        then compared with the others spread; otherwise these count wherever a threshold is tried.
    penalty : bool
        A threshold pays for the number of cuts it was chosen from.
    collapse : bool
        Splits that save no training error are undone.
    certain_blanks : bool
        An empty branch is sure of the class above it instead of repeating the distribution.
    ordered_as_nominal : bool
        Ordered categories and truth values are split by level instead of by threshold.
    min_samples_split, min_samples_leaf, max_depth
        Limits of growing where the estimator is given none.
    max_surrogates : int or None
        How many surrogates are kept at a node where missing cells are sent by them; None: all.
    agreement : {"all", "known"}
        Whether the agreement of a surrogate is a share of all rows the split knows, or of those that both know.
    as_rpart : bool
        Whether details are those of rpart 4.1: no split without gain; a nominal column is a surrogate if at least two rows agree
        with the split and two do not (otherwise it must send two rows either way); ``cp`` bounds what branches can save while
        the tree grows.
    max_competitors : int
        How many of the splits that were not chosen are kept at a node.
    exhaustive_levels : int
        Up to how many levels all divisions of a nominal column are tried where there are three classes or more.
    cp : float
        Splits that lower the risk of the whole tree by no more than this share of the root's risk each are pruned.
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
    known_cuts: bool = False
    penalty: bool = False
    collapse: bool = False
    certain_blanks: bool = False
    ordered_as_nominal: bool = False
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    max_depth: int | None = None
    max_surrogates: int | None = 5
    agreement: str = "all"
    as_rpart: bool = False
    max_competitors: int = 0
    exhaustive_levels: int = 8
    cp: float | None = None
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("name", "source"):
            if not isinstance(getattr(self, name), str):
                raise out_of_range(name, getattr(self, name), "text")
        self._check(_CHOICES)
        if "treewright._core" in sys.modules:  # names that the core knows are checked as soon as that loads nothing
            self.checked()
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise out_of_range(f"recipe {self.name!r}: {name}", getattr(self, name), "True or False")
        most, low, high = self.exhaustive_levels, 2, MOST_LEVELS
        if isinstance(most, bool) or not isinstance(most, int) or not low <= most <= high:
            raise out_of_range(f"recipe {self.name!r}: exhaustive_levels", most, f"a whole number from {low} to {high}")

    def _check(self, choices: dict[str, tuple[str, ...]]) -> None:
        for name, allowed in choices.items():
            parts.check_name(f"recipe {self.name!r}: {name}", getattr(self, name), allowed)

    def checked(self) -> Recipe:
        """Return the recipe; its criteria and its policy must be those of the core, which is loaded only here."""
        self._check(
            {
                "criterion": parts.criteria_for(classes=True),
                "regression_criterion": parts.criteria_for(classes=False),
                "numeric": parts.families(numeric=True),
                "nominal": parts.families(numeric=False),
                "missing": parts.missing_policies(),
                "chooser": parts.choosers(),
            }
        )
        return self


MOST_LEVELS = 20  # half a million divisions of every nominal column at every node
_FLAGS = ("known_cuts", "penalty", "collapse", "certain_blanks", "ordered_as_nominal", "as_rpart")
_CHOICES = {
    "threshold_at": parts.PLACES,
    "relation": parts.RELATIONS,
    "cuts": parts.CUTS,
    "agreement": parts.AGREEMENTS,
}
