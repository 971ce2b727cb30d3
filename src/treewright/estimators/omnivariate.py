"""Trees that choose the kind of every node."""

from __future__ import annotations

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.stored import own_constructor
from treewright.learn.omnivariate import OmnivariateTreeLearner, OmnivariateTreeParameters


@own_constructor
class OmnivariateTreeClassifier(ClassifyingTree, OmnivariateTreeParameters):
    """Trees of classes whose nodes are of the simplest kind that will do (Yildiz and Alpaydin 2001).

    At every node one column, a linear score, a quadratic score and a small network compete. Five times the rows of the node are
    cut in halves, each kind learns from one half and errs on the other; a kind that is less simple is taken only where the
    combined 5x2cv F test says that it errs less. Or an information criterion decides.

    Parameters
    ----------
    choice : {"f", "aic", "bic"}, default "f"
        By the combined 5x2cv F test (Alpaydin 1999), or by the least -2 ln L + 2 p (Akaike) or -2 ln L + p ln n (Schwarz): L is
        the likelihood of the node's classes by their shares in the branches, p the numbers that the test is made of.
    alpha : float, default 0.05
        Level of the test.
    kinds : list of str, default ("univariate", "linear", "quadratic", "network")
        The kinds that compete. Linear and quadratic scores are Fisher's discriminants of two groups of classes, as those of
        ``ObliqueTreeClassifier(method="ldt")``, networks those of ``node="network"``.
    hidden : int, optional
        Sigmoids in the score of a network (default: half of the columns and one, from 3 to 8).
    pruned : bool, default True
        Hold rows out, prune the tree by their errors (reduced-error pruning), and count them too then.
    holdout : float, default 0.2
        The share of every class that is held out. Which rows that are depends on what stands in them, not on their order.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease
        As in scikit-learn's DecisionTreeClassifier, but the two minima count weight (see :class:`TreeClassifier`).
    class_weight : dict, "balanced" or None
        How much a row of each class counts: a weight of its rows, which minima count, too.
    missing : str, optional
        Policy for missing cells in splits of one column, as in :class:`TreeClassifier`; in scores they count as the mean of the
        column, or as its most common level.
    categorical_features, unseen
        As in :class:`TreeClassifier`.
    random_state : int, RandomState instance or None, default None
        Halves, first weights of networks, and which rows are held out; None is the seed 0.
    n_jobs : int, optional
        Threads; -1 for all. The tree is the same for any number.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree; ``tree_.node_kinds()`` counts its nodes by kind and depth.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import numpy as np, treewright as tw
    >>> X = np.random.default_rng(0).random((400, 2))
    >>> est = tw.OmnivariateTreeClassifier().fit(X, X[:, 0] + X[:, 1] > 1)
    >>> est.tree_.node_kinds()[0]
    {'linear': 1}
    """

    _learner_class = OmnivariateTreeLearner
