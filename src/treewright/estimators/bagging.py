"""Bagging (Breiman 1996) and cross-validated committees (Parmanto, Munro and Doyle 1996)."""

from __future__ import annotations

from treewright.estimators.ensemble import EnsembleClassifier, EnsembleRegressor
from treewright.estimators.stored import own_constructor
from treewright.learn.bagging import (
    BaggingClassifierLearner,
    BaggingClassifierParameters,
    BaggingRegressorLearner,
    BaggingRegressorParameters,
    CommitteeClassifierLearner,
    CommitteeClassifierParameters,
    CommitteeRegressorLearner,
    CommitteeRegressorParameters,
)


@own_constructor
class BaggingClassifier(EnsembleClassifier, BaggingClassifierParameters):
    """Bagging (Breiman 1996) for classes: members of any kind, each of a bootstrap sample, vote.

    Parameters
    ----------
    estimator : classifier of treewright, optional
        What members are: trees or rules, such as ``C45Classifier()`` or ``RipperClassifier()``; ``TreeClassifier()`` by default.
    n_estimators : int, default 10
        Number of members.
    max_samples : int, float or None, default 1.0
        Rows that are drawn for every member; a float is a share of all.
    max_features : int, float or None, default 1.0
        Columns that every member sees; a float is a share of all. Members answer rows of the whole table all the same.
    bootstrap : bool, default True
        Whether rows are drawn with replacement.
    bootstrap_features : bool, default False
        Whether columns are drawn with replacement; a column that is drawn twice is seen once.
    oob_score : bool or callable, default False
        Judge every row by the members that were learned without it; a function of truth and prediction gives the score.
    warm_start : bool, default False
        Keep the members of the last fit and add to them until there are ``n_estimators``.
    n_jobs : int, optional
        Members that are learned at the same time; -1 for all processors. The model does not depend on it.
    random_state : int, RandomState instance or None, default None
        Which rows and columns are drawn; None is the seed 0. Rows are drawn by their number.
    verbose : bool, default False
        Show progress of long fits on standard error.
    voting : {"hard", "soft"}, default "hard"
        "hard": every member votes for the class it predicts, of equal votes the first class wins, and ``predict_proba`` is the
        share of votes. "soft": the mean of the members' class shares.

    Attributes
    ----------
    forest_ : Forest
        The members as one model.
    estimators_ : list of estimators
        The members as fitted estimators.
    estimators_features_ : list of array
        The columns that every member saw.
    classes_ : array
        The classes that occur, sorted.
    oob_score_, oob_errors_, oob_decision_function_, estimators_samples_
        As in :class:`RandomForestClassifier`.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> bagged = tw.BaggingClassifier(tw.C45Classifier(), 25, oob_score=True).fit(iris.X, iris.y)
    >>> bagged.forest_
    <Forest: 25 trees, 229 nodes, 127 leaves, depth 5>
    """

    _learner_class = BaggingClassifierLearner


@own_constructor
class BaggingRegressor(EnsembleRegressor, BaggingRegressorParameters):
    """Bagging (Breiman 1996) for numbers: the mean of members of any kind, each of a bootstrap sample.

    Parameters
    ----------
    estimator : regressor of treewright, optional
        What members are, such as ``M5Regressor()``; ``TreeRegressor()`` by default.
    n_estimators, max_samples, max_features, bootstrap, bootstrap_features, oob_score, warm_start, n_jobs, random_state, verbose
        As in :class:`BaggingClassifier`.

    Attributes
    ----------
    forest_ : Forest
        The members as one model.
    estimators_ : list of estimators
        The members as fitted estimators.
    estimators_features_ : list of array
        The columns that every member saw.
    oob_score_, oob_errors_, oob_prediction_, estimators_samples_
        As in :class:`RandomForestRegressor`.
    """

    _learner_class = BaggingRegressorLearner


@own_constructor
class CommitteeClassifier(EnsembleClassifier, CommitteeClassifierParameters):
    """Cross-validated committee (Parmanto, Munro and Doyle 1996) for classes: a member without every fold; they vote.

    Parameters
    ----------
    estimator : classifier of treewright, optional
        What members are; ``TreeClassifier()`` by default.
    folds : int, array or splitter, default 10
        How many folds, balanced by class; the fold of every row; or an object with scikit-learn's ``split``.
    oob_score : bool or callable, default False
        Judge every row by the member that was learned without its fold: the cross-validated score of a single member.
    n_jobs, random_state, verbose, voting
        As in :class:`BaggingClassifier`; ``random_state`` decides which rows share a fold.

    Attributes
    ----------
    forest_ : Forest
        The members as one model.
    estimators_ : list of estimators
        The members as fitted estimators.
    classes_ : array
        The classes that occur, sorted.
    oob_score_, oob_errors_, oob_decision_function_, estimators_samples_
        As in :class:`RandomForestClassifier`.
    """

    _learner_class = CommitteeClassifierLearner


@own_constructor
class CommitteeRegressor(EnsembleRegressor, CommitteeRegressorParameters):
    """Cross-validated committee (Parmanto, Munro and Doyle 1996) for numbers: the mean of a member without every fold.

    Parameters
    ----------
    estimator : regressor of treewright, optional
        What members are; ``TreeRegressor()`` by default.
    folds : int, array or splitter, default 10
        How many folds; the fold of every row; or an object with scikit-learn's ``split``.
    oob_score, n_jobs, random_state, verbose
        As in :class:`CommitteeClassifier`.

    Attributes
    ----------
    forest_ : Forest
        The members as one model.
    estimators_ : list of estimators
        The members as fitted estimators.
    oob_score_, oob_errors_, oob_prediction_, estimators_samples_
        As in :class:`RandomForestRegressor`.
    """

    _learner_class = CommitteeRegressorLearner
