"""The naive learner of the courses, which memorises its rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.stored import own_constructor
from treewright.learn.memorising import MemorisingTreeLearner, MemorisingTreeParameters


class FittedMemorisingTree(ClassifyingTree):
    """What memorising sets besides the tree."""

    splits_after_: NDArray[np.int64]


@own_constructor
class MemorisingTreeClassifier(FittedMemorisingTree, MemorisingTreeParameters):
    """The tree that memorises its rows: a path that tests every column for every row, and a drawn class where no row leads.

    Courses build it to show what a tree is not for: it is consistent with its rows, unless equal rows contradict each other, far
    larger than it need be, and says nothing about other rows. Nominal columns get a branch for every declared level; numeric
    ones are cut between all neighbouring values of the rows at the node. Which row comes first does not change the tree.

    Parameters
    ----------
    order : list of names or positions, optional
        The order in which every path tests the columns; without it that of the table.
    missing : {"refuse", "majority"}, optional
        Missing cells are refused (the default), or a row follows the branch that holds most rows.
    random_state : int or RandomState, optional
        Seed of the classes drawn for branches without rows, each equally likely among those that occur; without it 0.
    categorical_features, unseen, n_jobs, verbose
        As in :class:`TreeClassifier`; threads are used to predict.

    Attributes
    ----------
    tree_ : Tree
        The tree; ``tree_.trace()`` lists its splits in the order in which the rows made them.
    classes_ : array
        The classes that occur, sorted.
    splits_after_ : array of int
        How many splits the tree had once the first row, the first two rows, … had their paths.

    Examples
    --------
    >>> import treewright as tw
    >>> emails = tw.datasets.load_emails()
    >>> naive = tw.MemorisingTreeClassifier(random_state=0).fit(emails.X, emails.y)
    >>> naive.splits_after_.tolist()
    [5, 8, 10, 14, 16, 17, 20, 22, 24, 24]
    """

    _learner_class = MemorisingTreeLearner
