"""QUEST: trees whose columns are chosen by tests."""

from __future__ import annotations

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.stored import own_constructor
from treewright.learn.quest import QuestTreeLearner, QuestTreeParameters


@own_constructor
class QuestTreeClassifier(ClassifyingTree, QuestTreeParameters):
    """QUEST (Loh and Shih 1997) with one column per node: the column is chosen without favour for those with many cuts.

    A column is chosen by the least chance of an analysis of variance (numbers) or a chi-square test (levels); where none is
    significant at 0.05 over the number of columns, by Levene's test of unequal spread. Classes are gathered into two groups by
    their means, and the threshold lies where normal distributions of both are as likely. Levels are put on a line by the
    largest discriminant coordinate, and cut there. With several columns per node: ``ObliqueTreeClassifier(method="quest")``.

    Parameters
    ----------
    pruned : bool, default True
        Hold rows out, take the tree of the cost-complexity path that errs least on them, and count them too then. (The authors
        prune by cross-validation: ``pruned=False``, then ``est.prune("cost_complexity", X, y, folds=10, rule="1se")``.)
    holdout : float, default 0.1
        The share of every class that is held out. Which rows that are depends on what stands in them, not on their order.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease
        As in scikit-learn's DecisionTreeClassifier, but the two minima count weight (see :class:`TreeClassifier`).
    class_weight : dict, "balanced" or None
        How much a row of each class counts: a weight of its rows, which minima count, too.
    missing : str, default "majority"
        Policy for missing cells, as in :class:`TreeClassifier`; tests and discriminants look at known cells.
    categorical_features, unseen
        As in :class:`TreeClassifier`.
    random_state : int, RandomState instance or None, default None
        Which rows are held out; None is the seed 0.
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
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> tw.QuestTreeClassifier().fit(iris.X, iris.y).tree_.root.split.column
    'petal length (cm)'
    """

    _learner_class = QuestTreeLearner
