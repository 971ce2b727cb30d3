"""C4.5 (Quinlan 1993) as release 8 has it, and as J48 has it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.stored import own_constructor
from treewright.learn.c45 import C45Learner, C45Parameters, soft_thresholds
from treewright.model.gates import SoftThreshold


class FittedC45(ClassifyingTree):
    """What fitting C4.5 sets besides the tree."""

    windows_: NDArray[np.int64]
    trial_errors_: NDArray[np.float64]


@own_constructor
class C45Classifier(FittedC45, C45Parameters):
    """C4.5 (Quinlan 1993, release 8): gain ratio among columns of at least average gain, fractional cases, error-based pruning.

    Nominal columns get a branch per declared level, once on a path; numeric columns are cut in two at a training value, and
    pay for the number of cuts they chose from (Quinlan 1996). Rows with a missing cell go down every branch in parts.
    Ordered categories and truth values count as nominal, as C4.5 knows no others.

    Parameters
    ----------
    confidence : float, default 0.25
        Confidence of the error estimates; smaller prunes more. C4.5's and J48's ``-c``/``-C`` (there in per cent).
    min_samples_leaf : int or float, default 2
        At least two branches must hold this weight (``-m``, ``-M``). A float below 1 is a share of the total weight.
    variant : {"r8", "j48"}, default "r8"
        Release 8 in double precision, or J48: see ``docs/c45.md`` for what differs.
    criterion : {"gain_ratio", "info_gain"}, default "gain_ratio"
        ``"info_gain"`` is C4.5's ``-g``: the best gain wins, no average is asked for. Not in J48. For a function of your own use
        ``TreeClassifier(recipe="c45", criterion=...)``.
    grouped : bool, default False
        Levels of nominal columns are merged into groups as long as the gain ratio rises (``-s``; not in J48).
    pruned : bool, default True
        Prune by estimated errors (J48: ``-U`` for False).
    raising : bool, default True
        Pruning may put the largest branch in its parent's place (J48: ``-S`` for False).
    collapse : bool, default True
        Undo splits that save no training error, whether pruned or not (J48: ``-O`` for False).
    penalty : bool, default True
        Thresholds pay log2(cuts tried) / weight (J48: ``-J`` for False).
    trials : int, default 0
        Windowing (``-t``): so many times a tree is grown from some of the rows, the window, and grown again with rows it got
        wrong; the tree with the least estimated errors is kept, the first of equals. 0 grows one tree from all rows, unless
        ``window`` or ``increment`` is given: these ask for windowing too, with 10 trials. Not in J48.
    window, increment : int, optional
        Rows of the first window (``-w``, default the larger of a fifth of the rows and twice the square root of their number),
        and how many are added to it at a time (``-i``, default a fifth of the window; half of those that were wrong if that is
        more).
    soft : bool, default False
        Soft thresholds (``-p``): a value near a threshold goes down both branches in parts. Not in J48.
    missing : str, default "fraction"
        Policy for missing cells; see :class:`TreeClassifier`.
    min_samples_split : int or float, optional
        Least weight of a node to be split; by default twice ``min_samples_leaf``.
    ties, max_depth, forced, categorical_features, unseen, keep_candidates, random_state, n_jobs, verbose
        As in :class:`TreeClassifier`. C4.5 has no limit of depth.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.
    soft_thresholds_ : dict of int to SoftThreshold
        With ``soft=True``, by node: from where to where each threshold is soft.
    windows_ : array of int, shape (trees, 3)
        With windowing, of every tree that was grown: the trial, the rows of its window, and how many of all rows it gets wrong.
    trial_errors_ : array of float, shape (trials,)
        With windowing, the estimated errors of each trial's pruned tree; ``tree_`` is of the first that has the least.
    estimated_errors_ : float
        Training rows the tree is expected to get wrong, were they new: the sum of its leaves' estimates.

    Examples
    --------
    >>> import treewright as tw
    >>> tennis = tw.datasets.load_play_tennis()
    >>> est = tw.C45Classifier().fit(tennis.X, tennis.y)
    >>> est.tree_.n_nodes, round(est.estimated_errors_ / 14, 3)
    (8, 0.385)
    """

    _learner_class = C45Learner

    @property
    def soft_thresholds_(self) -> dict[int, SoftThreshold]:
        """By node, from where to where each threshold is soft."""
        if not self.soft:
            raise AttributeError("the thresholds are hard: fit with soft=True")
        check_is_fitted(self, "tree_")
        return soft_thresholds(self.tree_)

    @property
    def estimated_errors_(self) -> float:
        """Training rows the tree is expected to get wrong, were they new."""
        check_is_fitted(self, "tree_")
        return C45Learner(self).estimated_errors(self.tree_._core, self.tree_.target)
