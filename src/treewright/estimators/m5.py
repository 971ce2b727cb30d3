"""M5 (Quinlan 1992) and M5' (Wang and Witten 1997): trees with linear models in their leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.regression import RegressionTree
from treewright.estimators.stored import own_constructor
from treewright.learn.m5 import M5Learner, M5Parameters
from treewright.model.jumps import Jumps, find_jumps


@own_constructor
class M5Regressor(RegressionTree, M5Parameters):
    """Model trees: a linear equation in every leaf.

    A tree is grown by the fall of deviation, and every node gets a least-squares model of the columns tested in it and below,
    from which
    terms are dropped while that pays. From the leaves up, a node whose own model is expected to err no more than its subtree
    becomes a
    leaf. A nominal column of v levels counts as v - 1 columns of 0 and 1: its levels are ordered by their mean target and each
    says whether a level stands above one place of that order. Missing cells are read as the mean, or the most common level, of
    the
    training rows.

    Parameters
    ----------
    variant : {"m5p", "m5"}, default "m5p"
        "m5p" is M5' as Wang and Witten's program has it (WEKA's M5P): splits by the fall of the fifth root of the variance, at
        least a fifth
        of the rows on both sides, terms dropped by Akaike's criterion, errors judged by root mean square times
        (n + 2 v) / (n - v) for n rows and v parameters. "m5" is Quinlan's: splits by the fall of the standard deviation, at
        least two rows on both sides, terms dropped and errors judged by the mean absolute residual times (n + v) / (n - v).
    min_samples_split : float, default 4
        Nodes of less weight are leaves.
    min_deviation : float, default 0.05
        Nodes whose standard deviation is below this share of the whole target's are leaves.
    pruned : bool, default True
        Whether the tree is pruned.
    leaf : {"linear", "constant"}, default "linear"
        Equations, or means: a regression tree that is pruned the same way.
    smoothing : {"m5", "blend", "none"} or None, default "m5"
        "m5" mixes the model of a leaf with those above it: (n p + k q) / (n + k). "blend" mixes the answers of both branches,
        linearly,
        within a band around every threshold, so that there is no jump at all; there an equation is asked about rows beyond
        its leaf, of which it may say anything. "none" leaves jumps at the boundaries of leaves.
    smoothing_constant : float, default 15
        The k of "m5".
    band : float, default 0.1
        Half the width of the band of "blend", above 0, in standard deviations of the column among the training rows.
    categorical_features, unseen
        As in :class:`TreeRegressor`. Declared levels without training rows stand where the mean of all rows would.
    n_jobs : int, optional
        Threads that predict; -1 for all.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    tree_ : Tree
        The tree; ``tree_.models`` holds its equations, and text, rules and explanations write them.

    Examples
    --------
    >>> import numpy as np, treewright as tw
    >>> x = np.arange(40.0).reshape(-1, 1)
    >>> bent = tw.M5Regressor(smoothing="none").fit(x, np.where(x[:, 0] < 20, x[:, 0], 100 - 2 * x[:, 0]))
    >>> print(bent.tree_.to_rules())
    if x0 <= 19.5 then target = 0 + 1 * x0  (20 rows, ± 0)
    if x0 > 19.5 then target = 100 - 2 * x0  (20 rows, ± 0)
    """

    _learner_class = M5Learner

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict by the equation of the leaf of every row, smoothed."""
        return np.asarray(super().predict(X), np.float64)

    def jumps(self, X: Any) -> Jumps:
        """Report the largest jump of the prediction at a threshold of a number or date, without smoothing and with it.

        Splits by levels, truth values and ordered categories have nothing between their sides and are not asked about.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows at which to look: at every threshold those that come to its node and lie next to it, moved to the threshold.

        Returns
        -------
        Jumps
            ``before`` and ``after``.
        """
        return find_jumps(self.tree_, self._checked(X), self._threads())
