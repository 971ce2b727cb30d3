"""PART (Frank and Witten 1998): an ordered list of rules, each a leaf of a C4.5 tree that is grown only as far as needed."""

from __future__ import annotations

from treewright.estimators.rules import RuleClassifier
from treewright.estimators.stored import own_constructor
from treewright.learn.part import PartLearner, PartParameters


@own_constructor
class PartClassifier(RuleClassifier, PartParameters):
    """PART (Frank and Witten 1998): rules from partial C4.5 trees, without global optimisation.

    Of the rows that are left a tree is grown as J48 grows one, but only as far as it takes: the branches of a node are looked at
    in the order of their entropy, until one of them turns out not to be a leaf; where all of them are leaves, the node becomes
    one if it is not expected to err more. Of the leaves that were found the one of most weight becomes a rule, and its rows
    leave. A missing cell goes down all branches in part: a rule takes its part of such a row, and the rules behind it the rest.

    Parameters
    ----------
    confidence : float, default 0.25
        Confidence of the error estimates (WEKA's ``-C``).
    min_samples_leaf : int or float, default 2
        At least two branches of a split must hold this weight (``-M``).
    pruned : bool, default True
        Whether nodes become leaves again (``-U`` for False).
    penalty : bool, default True
        Thresholds pay log2(cuts tried) / weight (``-J`` for False).
    categorical_features, unseen
        As in :class:`TreeClassifier`. Ordered categories count as nominal.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    ruleset_ : RuleSet
        The rules, an ordered list.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import treewright as tw
    >>> data = tw.datasets.load_play_tennis()
    >>> print(tw.PartClassifier().fit(data.X, data.y).ruleset_)
    if outlook = overcast then play = yes  (4 rows, 100% right)
    else if humidity = high then play = no  (5 rows, 80% right)
    else play = yes  (5 rows, 80% right)
    """

    _learner_class = PartLearner
