"""ID3 (Quinlan 1979, 1983, 1986)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.stored import own_constructor
from treewright.learn.id3 import ID3Learner, ID3Parameters


class FittedID3(ClassifyingTree):
    """What fitting ID3 sets besides the tree."""

    windows_: NDArray[np.int64]


@own_constructor
class ID3Classifier(FittedID3, ID3Parameters):
    """ID3 (Quinlan 1986): multiway splits on nominal columns by information gain, each used once on a path.

    Numeric columns are cut in two halfway between values (``x < t``) and may be tested again. Declared levels without
    rows get an empty branch that repeats the majority above it. Missing cells are refused unless ``missing`` says otherwise.

    Parameters
    ----------
    missing : str, default "refuse"
        Policy for missing cells; see :class:`TreeClassifier`.
    ties : {"first", "seeded"} or callable, default "first"
        Which of several equally good columns is taken; the paper does not say. A callable gets the tied names and the path.
    window : int or float, optional
        Windowing: the tree is grown from this many rows (or this share of them), drawn at random, and again with rows it got
        wrong, until it is right about every row outside the window. Without it all rows are used at once.
    window_keeps : {"all", "keys"}, default "all"
        Whether the window grows, or stays as large by keeping only key rows, one of each leaf of the current tree (Quinlan 1983).
    significance : float, optional
        Columns whose chi-square test of irrelevance has a larger p-value are not considered (the paper's 99 % is 0.01).
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_impurity, min_gain, purity
        When to stop early; see :class:`TreeClassifier`. The algorithm as published has none of these.
    categorical_features, unseen, keep_candidates, random_state, n_jobs, verbose
        As in :class:`TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.
    windows_ : array of int, shape (trees, 3)
        With ``window``, of every tree that was grown: 0, the rows of its window, and how many of all rows it gets wrong.

    Examples
    --------
    >>> import treewright as tw
    >>> tennis = tw.datasets.load_play_tennis()
    >>> print(tw.ID3Classifier().fit(tennis.X, tennis.y).tree_.to_rules())
    if outlook = sunny and humidity = high then play = no  (3 rows, 100% right)
    if outlook = sunny and humidity = normal then play = yes  (2 rows, 100% right)
    if outlook = overcast then play = yes  (4 rows, 100% right)
    if outlook = rain and wind = weak then play = yes  (3 rows, 100% right)
    if outlook = rain and wind = strong then play = no  (2 rows, 100% right)
    """

    _learner_class = ID3Learner
