"""Trees of any recipe, any component of which can be replaced, under scikit-learn's parameter names."""

from __future__ import annotations

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.complexity import ComplexityPath
from treewright.estimators.regression import RegressionTree
from treewright.estimators.stored import own_constructor
from treewright.learn.trees import (
    TreeClassifierLearner,
    TreeClassifierParameters,
    TreeRegressorLearner,
    TreeRegressorParameters,
)


@own_constructor
class TreeClassifier(ComplexityPath, ClassifyingTree, TreeClassifierParameters):
    """A classification tree of any recipe, any part of which can be replaced.

    Parameters
    ----------
    recipe : str or Recipe, default "cart"
        The named algorithm whose parts are used where nothing else is said.
    criterion : str or callable, optional
        How candidates are judged: "gini", "info_gain" (also "entropy", "log_loss"), "gain_ratio", "error", "risk",
        "generalised_gini", "twoing", "gain_over_rest". A function ``criterion(node, branches)`` of class weights (of the
        node, and a row per branch, in the order of ``classes_``) returns how good a division is, or None to refuse it; see
        ``docs/criteria.md``.
    numeric : {"threshold", "ternary", "discretised"}, optional
        How numeric columns are split.
    nominal : {"subset", "one_vs_rest", "multiway", "grouped"}, optional
        How nominal columns are split.
    threshold_at : {"midpoint", "observed", "training"}, optional
        Where a threshold lies between neighbouring values of the node: halfway, at the lower one (the higher for "<"), or at the
        largest value of the whole table up to halfway (C4.5).
    relation : {"<=", "<"}, optional
        How a value is compared with a threshold.
    missing : str, optional
        Policy for missing cells: learned, own, fraction, spread, majority, ignore, most_common, most_common_in_class,
        surrogate, refuse.
    chooser : {"best", "above_average", "quinlan", "weka"}, optional
        How one candidate is picked among those of all columns; the last two are those of C4.5 release 8 and J48.
    splitter : {"best", "random"}, default "best"
        Which split of a column is looked at: the best, or one that is drawn, a threshold evenly between the least and the
        largest value of the node, and two sets of levels by the toss of a coin each (extremely randomised trees, Geurts,
        Ernst and Wehenkel 2006).
    ties : {"first", "seeded"} or callable, default "first"
        Which of several equally good columns is taken. A callable gets the tied names and the path, and returns a name.
    discretise : {"mdlp", "equal_width", "equal_frequency"}, optional
        Method for ``numeric="discretised"``.
    bins : int, default 10
        Intervals of the two equal methods. (Here and elsewhere a parameter that changes nothing is warned about.)
    loss : array of shape (n_classes, n_classes), optional
        What each answer costs: rows are the truth, columns what is said, in the order of ``classes_``.
    priors, class_weight, max_surrogates, agreement, max_competitors, cp, ccp_alpha
        As in :class:`CARTClassifier`.
    max_depth, max_leaf_nodes : int, optional
        Limits of the tree. With ``max_leaf_nodes`` it grows best-first.
    min_samples_split, min_samples_leaf : int or float, optional
        Least weight of a node to be split, and of a leaf; by default those of the recipe (2 and 1 unless it says otherwise).
        A float below 1 is a share of the total weight.
    min_weight_fraction_leaf : float, default 0
        Least share of the total weight in a leaf. With ``class_weight`` that weight is meant; rows then weigh that much in all.
    min_impurity : float, optional
        A node of at most this impurity is a leaf.
    min_gain, min_impurity_decrease : float, default 0
        Least gain of a split, as such and weighted by the node's share of all rows.
    purity : float, optional
        A node in which one class has at least this share is a leaf.
    significance : float, optional
        Splits whose chi-square test has a larger p-value are not considered.
    max_features : int, float, "sqrt" or "log2", optional
        How many columns are looked at per node, drawn anew at each.
    forced : str or dict, optional
        First splits, which are made whatever the rows say: a condition such as ``"age <= 18"`` or the name of a column (its best
        split), or ``{"split": ..., "below": [...]}`` with the same again, or None, for every branch. Below them the tree grows as
        ever; ``max_depth`` counts them.
    monotonic_cst : array of shape (n_columns,) or dict, optional
        As in scikit-learn: 1 where answers (the share of the second class, or the number) may only rise with a column, -1 where
        they may only fall, 0 where they may do either; or these by the names of columns. For two classes or one number per row.
    interaction_cst : {"pairwise", "no_interactions"} or sequence of sets, optional
        Which columns may be asked for on one way from the root, by names or positions: only those of one set; columns in no set
        make up one more. "pairwise": any two; "no_interactions": one. As in scikit-learn's histogram boosting.
    max_bins : int, optional
        Put numbers in bins first, as in :class:`CARTClassifier`.
    categorical_features : sequence of names, positions or a mask, optional
        Columns to be read as nominal whatever their type.
    unseen : {"missing", "error"}, default "missing"
        What happens to levels at predict that never occurred in training.
    keep_candidates : bool, default False
        Keep the candidates of every node for ``node.candidates``.
    random_state : int, RandomState instance or None, default None
        Seed of ``ties="seeded"``, ``max_features`` and ``splitter="random"``; None is the seed 0.
    n_jobs : int, optional
        Threads; -1 for all. The tree is the same for any number.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if they have any.
    feature_importances_ : array
        Share of each column in the total fall of weighted impurity.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> tw.TreeClassifier(recipe="cart", criterion="twoing", max_depth=2).fit(iris.X, iris.y).tree_.n_leaves
    3
    """

    _learner_class = TreeClassifierLearner


@own_constructor
class TreeRegressor(ComplexityPath, RegressionTree, TreeRegressorParameters):
    """A regression tree of any recipe, any part of which can be replaced.

    The target may be several numbers per row: leaves say their means, and splits are judged by the sum of their variances
    (``criterion="variance"``, thresholds and two sets of levels, rows that go one way).

    Parameters
    ----------
    recipe : str or Recipe, default "cart"
        The named algorithm whose parts are used where nothing else is said.
    criterion : {"variance", "absolute_error", "worst_case", "poisson"}, optional
        How candidates are judged, and what leaves say: the mean ("variance", also "squared_error"); the median
        ("absolute_error"); the middle of the range ("worst_case": with ``min_impurity`` no training row is off by more than
        that, but for rows equal in all columns, which are counted in ``beyond_bound_`` and warned about). "poisson" is for
        counts and rates.
    numeric, nominal, threshold_at, relation, missing, chooser, splitter, ties, discretise, bins
        As in :class:`TreeClassifier`.
    max_surrogates, agreement, max_competitors, cp, ccp_alpha
        As in :class:`CARTRegressor`.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity, min_gain,
    min_impurity_decrease
        As in :class:`TreeClassifier`; impurity is what the criterion measures, so that growth stops at an
        acceptable error: variance, mean or largest deviation, or deviance.
    max_features, forced, monotonic_cst, interaction_cst, max_bins, categorical_features, unseen, keep_candidates, random_state,
    n_jobs, verbose
        As in :class:`TreeClassifier`.
    keep_targets : bool, default False
        Keep the training targets of every leaf, for ``predict_quantiles`` and ``predict_interval``.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if they have any.
    feature_importances_ : array
        Share of each column in the total fall of weighted variance.
    """

    _learner_class = TreeRegressorLearner
