"""Co-training (Blum and Mitchell 1998)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.ensemble import EnsembleClassifier
from treewright.estimators.stored import own_constructor
from treewright.learn.cotraining import CoTrainingClassifierParameters, CoTrainingLearner


class _TwoViews(EnsembleClassifier):
    """What is known of members that labelled rows for each other."""

    labeled_iter_: NDArray[np.int64]
    transduction_: NDArray[Any]

    def _member(self, at: int) -> Any:
        """A member as a fitted estimator: of the learner of its view."""
        learner = self._ensemble_learner
        assert isinstance(learner, CoTrainingLearner)
        return self._fitted_member(learner.member(at, learner.bases[at]), at)


@own_constructor
class CoTrainingClassifier(_TwoViews, CoTrainingClassifierParameters):
    """Co-training (Blum and Mitchell 1998): few rows have a class, and two models that see different columns label the others.

    In every round each model labels the rows of a small pool that it is surest of, and both learn again from all rows that have a
    class by then. A row of which the two are sure of different classes gets the class of the surer one. The answer is the product
    of their class shares. In ``y``, -1 or a missing cell is a row without a class.

    Parameters
    ----------
    estimator : classifier of treewright, or a pair of them, optional
        What learns from each view; ``C45Classifier()`` by default, whose leaves tell how sure they are.
    views : pair of lists of columns, optional
        By name or position. By default the first half of the columns, and the rest. The views should be independent given the
        class, and each enough to tell it.
    rounds : int, default 30
        Rounds in which rows are labelled.
    pool_size : int, default 75
        Rows without a class from which the next ones are chosen; what leaves the pool is replaced by other rows.
    per_round : dict, optional
        How many rows of every class each model labels in a round. By default one of the rarest class, and of others as the
        labelled rows tell (Blum and Mitchell: 1 and 3).
    random_state : int, RandomState instance or None, default None
        In which order rows come into the pool; None is the seed 0.
    n_jobs : int, optional
        Threads that prediction may use.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    forest_ : Forest
        The two members as one model.
    estimators_ : list of estimators
        The members as fitted estimators.
    classes_ : array
        The classes that occur, sorted.
    labeled_iter_ : array
        In which round every row was labelled: 0 for those that had a class, -1 for those that have none.
    transduction_ : array
        The class of every row, as given or as labelled; -1, or None among text, where it has none.
    """

    _learner_class = CoTrainingLearner
