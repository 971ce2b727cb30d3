"""Trees whose nodes look at several columns at once."""

from __future__ import annotations

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.regression import RegressionTree
from treewright.estimators.stored import own_constructor
from treewright.learn.oblique import (
    ObliqueTreeClassifierLearner,
    ObliqueTreeClassifierParameters,
    ObliqueTreeRegressorLearner,
    ObliqueTreeRegressorParameters,
)


@own_constructor
class ObliqueTreeClassifier(ClassifyingTree, ObliqueTreeClassifierParameters):
    """Trees of classes whose nodes compare a score of several columns with a number: OC1, linear combinations, discriminants.

    At every node the best split of one column competes, so that a plane is taken only where it tells the classes apart better.
    Columns are put on one scale while planes are looked for; what a node says is in the units of the table. A missing cell counts
    as the mean of its column, or as its most common level, in scores; a level counts 1 where it stands, and 0 elsewhere.

    Parameters
    ----------
    method : {"oc1", "cart-lc", "ldt", "quest", "fact", "lmdt", "centres", "backprop"}, optional
        How scores are found: OC1 (Murthy, Kasif and Salzberg 1994), the linear combinations of CART (Breiman et al. 1984),
        Fisher's discriminant of two groups of classes (Yildiz and Alpaydin 2000), QUEST's (Loh and Shih 1997), a score for every
        class of which the largest wins by linear discriminants (FACT, Loh and Vanichsetakul 1988) or by thermal training (linear
        machines, Brodley and Utgoff 1995), distances from means of classes and from rows, or backpropagation (Guo and Gelfand
        1992). None: OC1 for linear and sphere nodes, discriminants for quadratic ones, distances for ellipsoids, backpropagation
        for networks.
    node : {"linear", "quadratic", "sphere", "ellipsoid", "network"}, default "linear"
        What scores are made of: columns; their squares and products too; the distance from a point; that by the covariance of
        a class; or sigmoids of sums of columns.
    criterion : {"gini", "twoing", "info_gain", "error"}, optional
        How splits are judged (default: twoing for OC1, Gini for CART's, QUEST's and distances, else information gain).
    max_terms : int, optional
        Columns that a score may have: those that matter least are left out (backward elimination). Not for networks.
    restarts : int, optional
        Random planes from which OC1 starts, besides the best split of one column (default: 20 for linear nodes; none for curved
        ones, where it starts from distances and discriminants), or further weights from which networks are trained (default: 2).
    jumps : int, default 5
        Random directions that OC1 tries where no coefficient can be bettered.
    hidden : int, optional
        Sigmoids in the score of a network (default: half of the columns and one, from 3 to 8).
    pruned : bool, default True
        Hold rows out, take the tree of the cost-complexity path that errs least on them, and count them too then.
    holdout : float, default 0.1
        The share of every class that is held out. Which rows that are depends on what stands in them, not on their order.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease
        As in scikit-learn's DecisionTreeClassifier, but the two minima count weight (see :class:`TreeClassifier`).
    class_weight : dict, "balanced" or None
        How much a row of each class counts: a weight of its rows, which minima count, too.
    missing : str, optional
        Policy for missing cells in splits of one column, as in :class:`TreeClassifier`.
    categorical_features, unseen
        As in :class:`TreeClassifier`.
    random_state : int, RandomState instance or None, default None
        What OC1 draws, and which rows are held out; None is the seed 0.
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

    Examples
    --------
    >>> import numpy as np, treewright as tw
    >>> X = np.random.default_rng(0).random((200, 2))
    >>> est = tw.ObliqueTreeClassifier(method="ldt").fit(X, X[:, 0] + X[:, 1] > 1)
    >>> est.tree_.depth
    1
    """

    _learner_class = ObliqueTreeClassifierLearner


@own_constructor
class ObliqueTreeRegressor(RegressionTree, ObliqueTreeRegressorParameters):
    """Trees of numbers whose nodes compare a score of several columns with a number: OC1 and CART's linear combinations.

    As :class:`ObliqueTreeClassifier`, with the variance as what splits lower.

    Parameters
    ----------
    method : {"oc1", "cart-lc", "centres", "backprop"}, optional
        How scores are found (None: OC1 for linear and sphere nodes, CART's combinations for quadratic ones, distances for
        ellipsoids, backpropagation for networks).
    node : {"linear", "quadratic", "sphere", "ellipsoid", "network"}, default "linear"
        As in :class:`ObliqueTreeClassifier`.
    max_terms, restarts, jumps, hidden, pruned, holdout
        As in :class:`ObliqueTreeClassifier`.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease
        As in scikit-learn's DecisionTreeRegressor, but the two minima count weight (see :class:`TreeRegressor`).
    missing : str, optional
        Policy for missing cells in splits of one column, as in :class:`TreeRegressor`.
    categorical_features, unseen, random_state, n_jobs, verbose
        As in :class:`ObliqueTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    """

    _learner_class = ObliqueTreeRegressorLearner
