"""Random forests (Breiman 2001) and extremely randomised trees (Geurts, Ernst and Wehenkel 2006)."""

from __future__ import annotations

from treewright.estimators.ensemble import EnsembleClassifier, EnsembleRegressor
from treewright.estimators.forest_facts import ForestFacts, ForestQuantiles
from treewright.estimators.stored import own_constructor
from treewright.learn.forests import (
    ExtraTreesClassifierLearner,
    ExtraTreesClassifierParameters,
    ExtraTreesRegressorLearner,
    ExtraTreesRegressorParameters,
    RandomForestClassifierLearner,
    RandomForestClassifierParameters,
    RandomForestRegressorLearner,
    RandomForestRegressorParameters,
)


@own_constructor
class RandomForestClassifier(ForestFacts, EnsembleClassifier, RandomForestClassifierParameters):
    """Random forest (Breiman 2001) for classes: many CART trees, each of a bootstrap sample, that look at some columns per node.

    Text, categories, dates and missing cells are taken as they are. The answer is the mean of the class shares of the trees. The
    table is encoded once; trees are grown in parallel, and the forest is the same for any number of threads.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease
        Of every tree, as in :class:`TreeClassifier`.
    max_features : "sqrt", "log2", int, float or None, default "sqrt"
        Columns that are looked at per node, drawn anew at every node.
    bootstrap : bool or "balanced", default True
        Whether trees are grown from as many rows as there are, drawn with replacement. "balanced": for every tree as many rows
        are drawn of each class as the rarest has (Chen, Liaw and Breiman 2004).
    oob_score : bool or callable, default False
        Judge every row by the trees that were grown without it; a function of the truth and what is predicted gives the score.
    n_jobs : int, optional
        Trees that are grown at the same time; -1 for all processors. The forest does not depend on it.
    random_state : int, RandomState instance or None, default None
        Which rows and columns are drawn; None is the seed 0. Rows are drawn by their number: the forest of a table whose rows
        stand in another order is another one.
    verbose : bool, default False
        Show progress of long fits on standard error.
    warm_start : bool, default False
        Keep the trees of the last fit and add to them until there are ``n_estimators``.
    class_weight : dict, "balanced", "balanced_subsample" or None, default None
        What a row of each class counts. "balanced": classes count alike in the table, "balanced_subsample": in every sample.
    max_samples : int, float or None, default None
        Rows that are drawn for every tree; a float is a share of all. With balanced draws, rows of all classes together.
    max_bins : int, optional
        Put numbers in bins first, once for all trees, as in :class:`CARTClassifier`.
    monotonic_cst, interaction_cst, recipe, missing, categorical_features, unseen
        As in :class:`TreeClassifier`.

    Attributes
    ----------
    forest_ : Forest
        The trees as one model.
    estimators_ : list of TreeClassifier
        The trees as fitted estimators.
    classes_ : array
        The classes that occur, sorted.
    oob_score_ : float
        Share of the rows that trees grown without them tell right; with ``oob_score=True``.
    oob_errors_ : array
        The share told wrong by the first trees, for every number of them; with ``oob_score=True``.
    oob_decision_function_ : array of shape (n_rows, n_classes)
        Class shares of every row by trees grown without it; with ``oob_score=True``.
    estimators_samples_ : list of array
        The rows that every tree was grown from.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> forest = tw.RandomForestClassifier(50, oob_score=True).fit(iris.X, iris.y)
    >>> forest.forest_
    <Forest: 50 trees, 836 nodes, 443 leaves, depth 8>
    >>> forest.oob_score_
    0.96
    """

    _learner_class = RandomForestClassifierLearner


@own_constructor
class RandomForestRegressor(ForestFacts, ForestQuantiles, EnsembleRegressor, RandomForestRegressorParameters):
    """Random forest (Breiman 2001) for numbers: many regression trees, each of a bootstrap sample.

    The answer is the mean of the trees' answers; a target may be several numbers per row.

    Parameters
    ----------
    n_estimators, bootstrap, oob_score, n_jobs, random_state, verbose, warm_start, max_samples
        As in :class:`RandomForestClassifier`; ``bootstrap`` is True or False.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease
        Of every tree, as in :class:`TreeRegressor`.
    max_features : "sqrt", "log2", int, float or None, default 1.0
        Columns that are looked at per node; all by default. Breiman recommends a third (``max_features=1/3``).
    max_bins : int, optional
        Put numbers in bins first, once for all trees, as in :class:`CARTClassifier`.
    keep_targets : bool, default False
        Keep the targets of all leaves, for ``predict_quantiles`` and ``predict_interval``.
    monotonic_cst, interaction_cst, recipe, missing, categorical_features, unseen
        As in :class:`TreeRegressor`.

    Attributes
    ----------
    forest_ : Forest
        The trees as one model.
    estimators_ : list of TreeRegressor
        The trees as fitted estimators.
    oob_score_ : float
        Share of the target's variance that trees explain of rows they were grown without (R²); with ``oob_score=True``.
    oob_errors_ : array
        The mean squared error of the first trees, for every number of them; with ``oob_score=True``.
    oob_prediction_ : array
        What trees grown without a row predict of it; with ``oob_score=True``.
    estimators_samples_ : list of array
        The rows that every tree was grown from.
    """

    _learner_class = RandomForestRegressorLearner


@own_constructor
class ExtraTreesClassifier(ForestFacts, EnsembleClassifier, ExtraTreesClassifierParameters):
    """Extremely randomised trees (Geurts, Ernst and Wehenkel 2006) for classes: every split is the best of a few drawn at random.

    At every node some columns are drawn, and of each one threshold between its least and its largest cell there, or one division
    of its levels; the best of these splits the node. Trees are grown from all rows.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features
        As in :class:`RandomForestClassifier`.
    max_leaf_nodes, min_impurity_decrease, oob_score, n_jobs, random_state, verbose, warm_start, class_weight, max_samples
        As in :class:`RandomForestClassifier`; ``oob_score`` and ``max_samples`` need ``bootstrap=True``.
    monotonic_cst, interaction_cst, recipe, missing, categorical_features, unseen
        As in :class:`RandomForestClassifier`.
    bootstrap : bool or "balanced", default False
        Whether trees are grown from bootstrap samples instead of all rows.

    Attributes
    ----------
    forest_, estimators_, classes_, oob_score_, oob_errors_, oob_decision_function_, estimators_samples_
        As in :class:`RandomForestClassifier`.
    """

    _learner_class = ExtraTreesClassifierLearner


@own_constructor
class ExtraTreesRegressor(ForestFacts, ForestQuantiles, EnsembleRegressor, ExtraTreesRegressorParameters):
    """Extremely randomised trees (Geurts, Ernst and Wehenkel 2006) for numbers: every split is the best of a few drawn at random.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features
        As in :class:`RandomForestRegressor`.
    max_leaf_nodes, min_impurity_decrease, oob_score, n_jobs, random_state, verbose, warm_start, max_samples, keep_targets
        As in :class:`RandomForestRegressor`; ``oob_score`` and ``max_samples`` need ``bootstrap=True``.
    monotonic_cst, interaction_cst, recipe, missing, categorical_features, unseen
        As in :class:`RandomForestRegressor`.
    bootstrap : bool, default False
        Whether trees are grown from bootstrap samples instead of all rows.

    Attributes
    ----------
    forest_, estimators_, oob_score_, oob_errors_, oob_prediction_, estimators_samples_
        As in :class:`RandomForestRegressor`.
    """

    _learner_class = ExtraTreesRegressorLearner
