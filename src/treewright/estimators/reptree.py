"""REPTree (WEKA): information gain or variance, reduced-error pruning on rows held out, which then return to the counts."""

from __future__ import annotations

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.regression import RegressionTree
from treewright.estimators.stored import own_constructor
from treewright.learn.reptree import (
    REPTreeClassifierLearner,
    REPTreeClassifierParameters,
    REPTreeRegressorLearner,
    REPTreeRegressorParameters,
)


@own_constructor
class REPTreeClassifier(ClassifyingTree, REPTreeClassifierParameters):
    """REPTree of WEKA for classes: a fast tree by information gain, cut back by reduced-error pruning on rows held out.

    Nominal columns get a branch per declared level, numeric ones are cut in two (``x < t``), rows with a missing cell go down
    every branch in parts. A third of the rows is held out, balanced by class; they decide which nodes end, and then return:
    every node tells of all rows.

    Parameters
    ----------
    min_samples_leaf : int or float, default 2
        Two branches must hold this weight, and a node twice as much to be split (WEKA's ``-M``). The best split is found
        first; if it falls short, the node is a leaf. A float below 1 is a share of the total weight.
    pruned : bool, default True
        Hold rows out and prune (``-P`` for False).
    folds : int or array, default 3
        One of so many parts is held out (``-N``). Which rows that are depends on what stands in them, not on the order of rows or
        columns; a row of weight 2 is the row twice, each dealt by itself. An array tells the part of every row; the one of the
        lowest number is held out.
    max_depth : int, optional
        Limit of the tree (``-L``).
    random_state : int, RandomState instance or None, default None
        Which rows are held out (``-S``); None is the seed 0.
    missing, ties, categorical_features, unseen, keep_candidates, n_jobs, verbose
        As in :class:`TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> tw.REPTreeClassifier().fit(iris.X, iris.y).tree_.n_leaves
    4
    """

    _learner_class = REPTreeClassifierLearner


@own_constructor
class REPTreeRegressor(RegressionTree, REPTreeRegressorParameters):
    """REPTree of WEKA for numbers: a fast tree by variance, cut back by reduced-error pruning on rows held out.

    As :class:`REPTreeClassifier`, but that a node is also a leaf when its variance is small.

    Parameters
    ----------
    min_samples_leaf, pruned, folds, max_depth, random_state
        As in :class:`REPTreeClassifier`.
    min_variance : float, default 0.001
        A node of less than this share of the variance of all growing rows is a leaf (``-V``).
    missing, ties, categorical_features, unseen, keep_candidates, n_jobs, verbose
        As in :class:`TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    """

    _learner_class = REPTreeRegressorLearner
