"""Soft trees: gates that send a row both ways, in shares that change smoothly."""

from __future__ import annotations

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.regression import RegressionTree
from treewright.estimators.stored import own_constructor
from treewright.learn.soft import (
    SoftTreeClassifierLearner,
    SoftTreeClassifierParameters,
    SoftTreeRegressorLearner,
    SoftTreeRegressorParameters,
)


@own_constructor
class SoftTreeClassifier(ClassifyingTree, SoftTreeClassifierParameters):
    """Soft decision trees for classes (Irsoy, Yildiz and Alpaydin 2012).

    Every node sends a row both ways, in shares that a logistic function of a score over several columns gives; the answer is
    what all leaves say, by the shares of the row that reach them. The tree is grown node by node: a leaf becomes a gate with two
    leaves, of which only the new parameters are trained, and stays one where rows held out are answered better; then the gates
    are trained once more, in the same order, on all rows. Columns are put on one scale inside; what a node says is in the units
    of the table. A missing cell counts as the mean of its column, or as its most common level.

    Parameters
    ----------
    ridge : float, default 1
        What large weights cost, in rows: half of this times the squared weights of gates (on columns of deviation 1) and the
        squared answers of leaves is added to the loss of all rows. Less of it gives steeper gates.
    restarts : int, default 3
        Random gates that training begins with, besides the best cut of a column and the direction in which the loss falls most.
    iterations : int, default 100
        Steps of training a gate, at most.
    refine : bool, default False
        Train all parameters of the grown tree together at last, as long as that helps on the rows held out. The authors do not.
    max_terms : int, optional
        Columns and levels that a gate may weigh: those of least weight go, a third of them at a time, and what stays is trained
        again, all together (backward elimination).
    holdout : float, default 0.2
        The share of every class that is held out. Which rows that are depends on what stands in them, not on their order. 0: the
        training rows decide themselves, and the tree grows as deep as it may.
    min_improvement : float, default 0.001
        A gate stays where the mean loss of the rows held out (the negative logarithm of the share of the right class) falls by
        more than this, the threshold of the authors' program.
    max_depth : int, optional
        Levels of gates.
    min_samples_leaf : float, optional
        The weight of rows that must come to a leaf, in shares (at least 1).
    class_weight : dict, "balanced" or None
        How much a row of each class counts: a weight of its rows.
    categorical_features, unseen
        As in :class:`TreeClassifier`.
    random_state : int, RandomState instance or None, default None
        Random gates, and which rows are held out; None is the seed 0.
    n_jobs : int, optional
        Threads; -1 for all. The tree is the same for any number.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree, with a :class:`SigmoidGate` at every test.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import numpy as np, treewright as tw
    >>> X = np.random.default_rng(0).random((200, 2))
    >>> est = tw.SoftTreeClassifier().fit(X, X[:, 0] + X[:, 1] > 1)
    >>> est.tree_.n_leaves, est.tree_.to_hard().gates
    (2, {})
    """

    _learner_class = SoftTreeClassifierLearner


@own_constructor
class SoftTreeRegressor(RegressionTree, SoftTreeRegressorParameters):
    """Soft decision trees for numbers: as :class:`SoftTreeClassifier`, by squared error; the answer changes without jumps.

    Parameters
    ----------
    ridge, restarts, iterations, refine, max_terms, holdout, min_improvement, max_depth, min_samples_leaf
        As in :class:`SoftTreeClassifier`; losses are squared errors on targets of variance 1, halved.
    categorical_features, unseen, random_state, n_jobs, verbose
        As in :class:`SoftTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree, with a :class:`SigmoidGate` at every test.
    """

    _learner_class = SoftTreeRegressorLearner
