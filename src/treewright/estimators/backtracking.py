"""Trees that look several splits ahead before they make one."""

from __future__ import annotations

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.stored import own_constructor
from treewright.learn.backtracking import BacktrackingTreeLearner, BacktrackingTreeParameters


@own_constructor
class BacktrackingTreeClassifier(ClassifyingTree, BacktrackingTreeParameters):
    """A tree whose splits look ahead: each is tried with the best splits below it, taken back, and the best try is made.

    Greedy learners ask what a split gains by itself. Columns that tell something only together, as in XOR, gain nothing alone.
    Here every split of every column is tried, its branches are divided in turn, by all of their splits, down to ``depth`` levels,
    of which the last is greedy; what the whole try takes from the impurity decides. Of equal tries the one of fewer splits
    wins, then the first column. With a ``depth`` that no path of the best tree exceeds the search is exhaustive: on nominal
    columns it finds a smallest tree that is as right as any. The work grows with the power ``depth`` of the number of splits.

    Parameters
    ----------
    depth : int, default 2
        Levels that are tried, from 1 (greedy: ID3) to 32.
    criterion : str, default "info_gain"
        What impurity is, and which split the last level takes; see :class:`TreeClassifier`.
    nominal : str, default "multiway"
        How nominal columns are divided; see :class:`TreeClassifier`. Families of several divisions offer their best.
    max_thresholds : int, optional
        How many thresholds of a numeric column are tried at a node: so many, at even distances among its values, and the one
        that a greedy learner would take. Without it all are tried.
    max_steps : int, default 1000000000
        Cells that all tries together may look at; a search that needs more is an error, which says what to change.
    missing : str, optional
        Policy for missing cells, "refuse" without it; see :class:`TreeClassifier`. None that fills cells, no surrogates.
    ties : {"first", "seeded"} or callable, default "first"
        Which of equally good columns is taken.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, min_gain
        When to stop early; see :class:`TreeClassifier`. Tries stop there as well.
    categorical_features, unseen, keep_candidates, random_state, n_jobs, verbose
        As in :class:`TreeClassifier`. The merit of a candidate is what it gains a row together with the splits below it.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import treewright as tw
    >>> X = [[a, b, noise] for a in (0, 1) for b in (0, 1) for noise in (0, 1, 1)]
    >>> y = [a ^ b for a, b, _ in X]
    >>> tw.BacktrackingTreeClassifier().fit(X, y).tree_.n_splits
    3
    """

    _learner_class = BacktrackingTreeLearner
