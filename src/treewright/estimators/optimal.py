"""Optimal trees: of all trees within given limits the one of least loss on the training rows."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.regression import RegressionTree
from treewright.estimators.stored import own_constructor
from treewright.estimators.tree import TreeEstimator
from treewright.learn.optimal import (
    OptimalTreeClassifierLearner,
    OptimalTreeClassifierParameters,
    OptimalTreeRegressorLearner,
    OptimalTreeRegressorParameters,
)


class Proven(TreeEstimator):
    """What is proven of a tree that was searched for."""

    optimal_: bool
    objective_: float
    lower_bound_: float
    steps_: int
    ended_: str

    @property
    def gap_(self) -> float:
        """By which share of the objective a better tree could still be: 0 where it is proven that there is none."""
        check_is_fitted(self, "objective_")
        return (self.objective_ - self.lower_bound_) / self.objective_ if self.objective_ > self.lower_bound_ else 0.0


@own_constructor
class OptimalTreeClassifier(Proven, ClassifyingTree, OptimalTreeClassifierParameters):
    """The tree that makes the least loss on the training rows, of all trees within the limits.

    The search is exact: every threshold of every numeric column, every level of every nominal one (against the rest), at every
    node. It takes memory and time that grow steeply with ``max_depth``: three levels are seconds for thousands of rows, four may
    be hours. Ended early, it gives the best tree it found, and what no tree can beat. See ``docs/optimal.md`` for when it is
    worth it.

    Parameters
    ----------
    max_depth : int, default 3
        Levels of splits, 0 to 20.
    max_splits : int, optional
        Splits of the whole tree.
    cost_per_leaf : float, default 0
        What every leaf costs besides its errors: as many rows from 1 up, a share of the weight of all rows below 1.
    class_weight : dict, "balanced" or None
        How much a row of each class counts.
    loss : array of shape (n_classes, n_classes), optional
        ``loss[i, j]``: what it costs to say class j where class i is right, in the order of ``classes_``.
    nominal : {"one_vs_rest", "subset"}, default "one_vs_rest"
        Whether one level of a nominal column is told from all others, or any set of levels (columns of at most ten).
    max_thresholds : int, optional
        Cuts per numeric column, at quantiles of the rows; None: every one there is.
    missing : {"learned", "majority", "refuse"}, optional
        Missing cells go where it serves best, and may be asked for; go with most of the node's known ones; or are refused.
        "majority" means another thing at every node: nothing that is known of one node bounds another, which takes far longer.
    max_steps : int, optional
        End the search after so much work (a step is one look at the rows of a node by one column). Always the same tree.
    time_limit : float, optional
        End the search after so many seconds. The tree then depends on the machine: the one exception to determinism.
    keep_on_interrupt : bool, default False
        On Ctrl-C return fitted with the best tree so far, instead of raising KeyboardInterrupt.
    cache_mb : int, default 256
        Memory for results that may be needed again; once full, it is emptied. Beside it the search holds up to sixty bytes per
        row and column of many values, four more for each level, and a byte per row and test of levels (refused by name beyond
        a gigabyte).
    categorical_features, unseen, verbose
        As in :class:`TreeClassifier`.
    n_jobs : int, optional
        Threads for reading the table and for predicting; the search uses one.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.
    optimal_ : bool
        Whether it is proven that no tree within the limits has a lower objective.
    objective_ : float
        Loss of the tree on the training rows, and the cost of its leaves.
    lower_bound_ : float
        No tree within the limits has a lower objective than this.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``.
    steps_ : int
        Steps the search took.
    ended_ : {"proven", "steps", "time", "interrupt", "rounding"}
        Why it ended; "rounding": all trees were compared, but rounding may hide more than 1e-5 of the objective.

    Examples
    --------
    >>> import treewright as tw
    >>> iris = tw.datasets.load_iris()
    >>> est = tw.OptimalTreeClassifier(max_depth=3).fit(iris.X, iris.y)
    >>> est.optimal_, est.objective_
    (True, 1.0)
    """

    _learner_class = OptimalTreeClassifierLearner


@own_constructor
class OptimalTreeRegressor(Proven, RegressionTree, OptimalTreeRegressorParameters):
    """The tree of least squared error on the training rows, of all trees within the limits.

    As :class:`OptimalTreeClassifier`, for numbers.

    Parameters
    ----------
    max_depth, max_splits, nominal, max_thresholds, missing, max_steps, time_limit, keep_on_interrupt, cache_mb
        As in :class:`OptimalTreeClassifier`.
    cost_per_leaf : float, default 0
        What every leaf costs besides its squared error: a share of the squared error without any split, from 0 to 1.
    categorical_features, unseen, verbose
        As in :class:`TreeClassifier`.
    n_jobs : int, optional
        Threads for reading the table and for predicting; the search uses one.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    optimal_ : bool
        Whether it is proven that no tree within the limits has a lower objective.
    objective_ : float
        Squared error of the tree on the training rows, and the cost of its leaves.
    lower_bound_ : float
        No tree within the limits has a lower objective than this.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``.
    steps_ : int
        Steps the search took.
    ended_ : {"proven", "steps", "time", "interrupt", "rounding"}
        Why it ended; "rounding": all trees were compared, but rounding may hide more than 1e-5 of the objective.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = [[1], [2], [3], [4]], [1.0, 1.0, 5.0, 7.0]
    >>> tw.OptimalTreeRegressor(max_depth=1).fit(X, y).objective_
    2.0
    """

    _learner_class = OptimalTreeRegressorLearner
