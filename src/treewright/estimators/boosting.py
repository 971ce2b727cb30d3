"""AdaBoost for classes (Freund and Schapire 1996; SAMME; the trials of C5.0) and for numbers (Drucker 1997)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.ensemble import EnsembleClassifier, EnsembleEstimator, EnsembleRegressor
from treewright.estimators.stored import own_constructor
from treewright.learn.boosting import (
    AdaBoostClassifierLearner,
    AdaBoostClassifierParameters,
    AdaBoostRegressorLearner,
    AdaBoostRegressorParameters,
)


class _Staged(EnsembleEstimator):
    """What is known of members that were learned one after the other."""

    estimator_errors_: NDArray[np.float64]

    @property
    def estimator_weights_(self) -> NDArray[np.float64]:
        """What every member counts."""
        return np.array(self._model.weights)  # type: ignore[attr-defined]

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predictions of the first member, of the first two, and so on."""
        X = self._checked(X)
        for first in self.forest_.stages(X, self._threads()):
            yield first.astype(self.classes_.dtype, copy=False) if hasattr(self, "classes_") else first

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Scores, as of ``score``, of the first member, of the first two, and so on."""
        from sklearn.metrics import accuracy_score, r2_score

        score = accuracy_score if hasattr(self, "classes_") else r2_score
        for told in self.staged_predict(X):
            yield float(score(y, told, sample_weight=sample_weight))


@own_constructor
class AdaBoostClassifier(EnsembleClassifier, _Staged, AdaBoostClassifierParameters):
    """AdaBoost for classes: members one after the other, each learned from rows that weigh more where the one before it erred.

    Parameters
    ----------
    estimator : classifier of treewright, optional
        What members are; trees of one split by default. With ``algorithm="c5.0"`` use ``C45Classifier()``.
    n_estimators : int, default 50
        Most members there may be; a member without errors, or one no better than guessing, ends it earlier.
    learning_rate : float, default 1.0
        By how much every step is shortened.
    algorithm : {"samme", "m1", "c5.0"}, default "samme"
        "samme": of several classes a member must be better than a guess among all (Zhu and others 2009). "m1": it must be right
        more often than not (Freund and Schapire 1996); with two classes both are the same. "c5.0": the trials of C5.0, in which
        the weight of errors moves half-way to one half, members vote by the share of their class, and rows whose vote is lost
        are given up in the second half.
    resample : bool, default False
        Learn members from rows drawn by their weights instead of from weighted rows; a member no better than guessing is then
        learned from another draw, up to ten times.
    judge : {"member", "ensemble"}, default "member"
        Whose errors gain weight: those of the newest member, as published, or those of all members so far, with equal votes, as
        some courses teach it.
    random_state : int, RandomState instance or None, default None
        Draws of rows, and what members draw; None is the seed 0.
    n_jobs : int, optional
        Threads that every member may use; -1 for all processors. The model does not depend on it.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    forest_ : Forest
        The members as one model.
    estimators_ : list of estimators
        The members as fitted estimators.
    estimator_weights_ : array
        What every member counts in the vote: log((1 - error) / error), and log(classes - 1) more with "samme". One that makes no
        error counts more than all others together.
    estimator_errors_ : array
        The weighted share of rows that every member got wrong when it was learned.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> boosted = tw.AdaBoostClassifier(tw.TreeClassifier(max_depth=2), n_estimators=10).fit(iris.X, iris.y)
    >>> boosted.forest_
    <Forest: 10 trees, 62 nodes, 36 leaves, depth 2>
    """

    _learner_class = AdaBoostClassifierLearner


@own_constructor
class AdaBoostRegressor(EnsembleRegressor, _Staged, AdaBoostRegressorParameters):
    """AdaBoost.R2 (Drucker 1997) for numbers: members one after the other, more and more of rows with large errors.

    The answer is the weighted median of the members' answers.

    Parameters
    ----------
    estimator : regressor of treewright, optional
        What members are; trees of depth 3 by default.
    n_estimators, learning_rate, random_state, n_jobs, verbose
        As in :class:`AdaBoostClassifier`.
    loss : {"linear", "square", "exponential"}, default "linear"
        How errors count, as shares of the largest one.
    resample : bool, default True
        Learn members from rows drawn by their weights, as published; False: from weighted rows.

    Attributes
    ----------
    forest_ : Forest
        The members as one model.
    estimators_ : list of estimators
        The members as fitted estimators.
    estimator_weights_ : array
        What every member counts in the median.
    estimator_errors_ : array
        The mean loss of every member when it was learned.
    """

    _learner_class = AdaBoostRegressorLearner
