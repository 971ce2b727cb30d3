"""Bagging (Breiman 1996) and cross-validated committees (Parmanto, Munro and Doyle 1996): any learner, many samples, one vote."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright import _core, parts
from treewright.learn.ensemble import SampledLearner, learner_of
from treewright.learn.learner import Learner
from treewright.learn.sampling import Chosen, Drawing, Rows, Samples, number_to_draw
from treewright.learn.training import Training
from treewright.learn.trees import TreeClassifierLearner, TreeRegressorLearner
from treewright.learn.values import flag
from treewright.model.combine import Combination, Mean, Vote
from treewright.table.folds import fold_rows

_OF_COLUMNS = 0xC01F  # keeps draws of columns apart from those of rows


@dataclass(eq=False, repr=False)
class BaggingRegressorParameters:
    """Parameters of ``BaggingRegressor``, which describes them."""

    estimator: Any = None
    n_estimators: int = 10
    _: KW_ONLY
    max_samples: Any = 1.0
    max_features: Any = 1.0
    bootstrap: bool = True
    bootstrap_features: bool = False
    oob_score: bool = False
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool = False


@dataclass(eq=False, repr=False)
class BaggingClassifierParameters(BaggingRegressorParameters):
    """Parameters of ``BaggingClassifier``, which describes them."""

    _: KW_ONLY
    voting: str = "hard"


@dataclass(eq=False, repr=False)
class CommitteeRegressorParameters:
    """Parameters of ``CommitteeRegressor``, which describes them."""

    estimator: Any = None
    _: KW_ONLY
    folds: Any = 10
    oob_score: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool = False


@dataclass(eq=False, repr=False)
class CommitteeClassifierParameters(CommitteeRegressorParameters):
    """Parameters of ``CommitteeClassifier``, which describes them."""

    _: KW_ONLY
    voting: str = "hard"


P = TypeVar("P")


class AnyMembers(SampledLearner[P]):
    """Ensembles whose members may be of any learner."""

    classifies: ClassVar[bool]

    @cached_property
    def base(self) -> Learner[Any]:
        """The learner that was given; trees by default."""
        given = self.given["estimator"]
        if given is None:
            default: type[Learner[Any]] = TreeClassifierLearner if self.classifies else TreeRegressorLearner
            given = default(default.Parameters())
        return learner_of(given, self.classifies)

    @property
    def combine(self) -> Combination:
        """Votes, or means of shares; means of numbers."""
        if not self.classifies:
            return Mean()
        return Vote() if parts.check_name("voting", self.given["voting"], ("hard", "soft")) == "hard" else Mean()

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at."""
        super().check(classes, n_columns, costs)
        _ = self.combine


class BaggingLearner(AnyMembers[P]):
    """Members of bootstrap samples, or of other draws of rows and columns."""

    def drawing(self, training: Training) -> Samples | None:
        """Rows drawn with or without replacement."""
        n_rows, replace = len(training.codes), flag("bootstrap", self.given["bootstrap"])
        draws = number_to_draw(self.given["max_samples"], n_rows)
        if not replace and draws == n_rows:
            if self.given["oob_score"] is not False:
                raise ValueError("oob_score needs bootstrap=True or max_samples below all rows: without draws no row is left out")
            return None
        return Drawing(n_rows, draws, self.seed, replace, kept=training.kept)

    def columns_of(self, member: int, n_columns: int) -> Rows | None:
        """Columns drawn with or without replacement; drawn twice, a column is seen once."""
        draws = number_to_draw(self.given["max_features"], n_columns, "max_features", "columns")
        seed = (self.seed + _OF_COLUMNS) % 2**64
        if self.given["bootstrap_features"]:
            return np.flatnonzero(_core.drawn_counts(seed, member, n_columns, draws)).astype(np.int64)
        return None if draws == n_columns else np.sort(_core.drawn_rows(seed, member, n_columns, draws)).astype(np.int64)

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at."""
        super().check(classes, n_columns, costs)
        self.columns_of(0, n_columns)
        number_to_draw(self.given["max_samples"], 2**32)


class BaggingClassifierLearner(BaggingLearner[BaggingClassifierParameters]):
    """Bagging for classes."""

    name = "BaggingClassifier"
    Parameters = BaggingClassifierParameters
    classifies = True


class BaggingRegressorLearner(BaggingLearner[BaggingRegressorParameters]):
    """Bagging for numbers."""

    name = "BaggingRegressor"
    Parameters = BaggingRegressorParameters
    classifies = False


class CommitteeLearner(AnyMembers[P]):
    """Members that each learn from all folds but one."""

    n_members = 1  # until the folds are known

    def drawing(self, training: Training) -> Chosen:
        """The rows outside of one fold for every member."""
        classes = training.codes if self.classifies else None
        folds = fold_rows(self.given["folds"], len(training.codes), classes, self.seed, training.kept)
        return Chosen(len(training.codes), tuple(rows for rows, _ in folds), kept=training.kept)

    def members_of(self, drawing: Samples | None) -> int:
        """As many members as folds."""
        assert isinstance(drawing, Chosen)
        return len(drawing.rows)


class CommitteeClassifierLearner(CommitteeLearner[CommitteeClassifierParameters]):
    """Committees for classes."""

    name = "CommitteeClassifier"
    Parameters = CommitteeClassifierParameters
    classifies = True


class CommitteeRegressorLearner(CommitteeLearner[CommitteeRegressorParameters]):
    """Committees for numbers."""

    name = "CommitteeRegressor"
    Parameters = CommitteeRegressorParameters
    classifies = False
