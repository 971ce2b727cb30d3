"""LMT (Landwehr, Hall and Frank 2005): trees with logistic models in their leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.stored import own_constructor
from treewright.learn.logistic import LogisticTreeLearner, LogisticTreeParameters


class FittedLogisticTree(ClassifyingTree):
    """What fitting logistic model trees sets besides the tree."""

    n_iterations_: int


@own_constructor
class LogisticTreeClassifier(FittedLogisticTree, LogisticTreeParameters):
    """Logistic model trees: a score for every class in every leaf, linear in the columns.

    A tree is grown as C4.5 does (as WEKA has it), and every node goes on with the model of its parent on its own rows:
    LogitBoost,
    which adds a regression on one column per class and step. Then the tree is pruned by cost and complexity, with the errors of
    the models; often the root is all that is left, a plain logistic regression of few columns. The share of a class is the
    exponential of its score over the sum of all. A nominal column of three or more levels counts as a column of 0 and 1 a level;
    missing cells are read as the mean, or the most common level, of the training rows.

    Parameters
    ----------
    iterations : int, "root" or "nodes", default "root"
        Steps of boosting in every node. "root": as many as have the least error in cross-validation at the root; where that is
        none, "nodes". "nodes": found in every node for itself (WEKA's ``-C``).
    max_iterations : int, default 200
        How many steps cross-validation tries.
    min_samples_split : int or float, default 16
        Nodes of less weight are leaves (WEKA's ``-M`` and one more). A float below 1 is a share of the total weight.
    min_samples_leaf : int or float, default 2
        Least weight of two branches of a split.
    max_depth : int, optional
        Limit of the tree.
    impurity : {"classes", "posteriors"}, default "classes"
        What the impurity of a node is: the entropy of its classes, or the mean entropy of what its model says of its rows. A node
        whose model is sure of its rows is then as good as pure, whatever classes they are of.
    min_impurity : float, optional
        A node of at most this impurity is a leaf.
    pruned : bool, default True
        Whether the tree is pruned.
    folds : int, array or splitter, default 5
        Folds of both cross-validations. Of a number rows are dealt out one by one, equal ones too, and which rows go together
        does not depend on their order. An array tells the fold of every row.
    categorical_features, unseen
        As in :class:`TreeClassifier`.
    random_state : int, RandomState instance or None, default None
        Which rows go together; None is the seed 0.
    n_jobs : int, optional
        Threads; -1 for all. The tree is the same for any number.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree; ``tree_.models`` holds its scores, and text, rules and explanations write them.
    classes_ : array
        The classes that occur, sorted.
    n_iterations_ : int
        Steps of boosting in every node; 0 where they were found in every node.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> model = tw.LogisticTreeClassifier().fit(iris.X, iris.y)
    >>> int((model.predict(iris.X) != iris.y).sum()) < 5
    True
    """

    _learner_class = LogisticTreeLearner

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class by the scores of the leaf, in the order of ``classes_``."""
        return super().predict_proba(X)
