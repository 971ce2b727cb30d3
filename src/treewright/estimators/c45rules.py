"""C4.5rules (Quinlan 1993): the paths of an unpruned C4.5 tree, generalised, chosen by description length, put in order."""

from __future__ import annotations

from treewright.estimators.rules import RuleClassifier
from treewright.estimators.stored import own_constructor
from treewright.learn.c45rules import C45RulesLearner, C45RulesParameters


class FittedC45Rules(RuleClassifier):
    """What fitting C4.5rules sets besides the rules."""

    estimated_errors_: list[float]


@own_constructor
class C45RulesClassifier(FittedC45Rules, C45RulesParameters):
    """C4.5rules (Quinlan 1993, release 8): an ordered list of rules made of the unpruned C4.5 tree.

    Every path loses the conditions whose absence does not raise its pessimistic error; of each class the set of rules with the
    shortest description is kept (all sets are tried for up to ten rules, otherwise see ``choice``); classes are ordered by their
    false positives, rules by their pessimistic error, and rules that do harm on the training rows are dropped. A missing cell
    satisfies no condition. Ordered categories count as nominal.

    Parameters
    ----------
    confidence : float, default 0.25
        Confidence of the error estimates (``-c``, there in per cent).
    min_samples_leaf : int or float, default 2
        Of the tree: at least two branches must hold this weight (``-m``).
    criterion : {"gain_ratio", "info_gain"}, default "gain_ratio"
        Of the tree.
    grouped : bool, default False
        Of the tree: levels are merged into groups (``-s``).
    significance : float, optional
        A path also loses a condition where Fisher's exact test finds one of its conditions not significant at this level
        (``-F``, there in per cent). Weights count as whole rows. By default the test is not asked.
    redundancy : float, default 1
        How many columns say the same as another: the choice of a column takes so many times fewer bits (``-r``).
    choice : {"climb", "anneal"}, default "climb"
        How the rules of a class with more than ten are chosen: by adding and dropping rules one at a time from eleven random
        beginnings, or by simulated annealing (``-a``).
    categorical_features, unseen, random_state
        As in :class:`TreeClassifier`. The seed draws beginnings, and changes where rules are annealed;
        None and 0 are the seed 1, as in the C library that the program draws from.

    Attributes
    ----------
    ruleset_ : RuleSet
        The rules, an ordered list.
    estimated_errors_ : list of float
        Pessimistic error of every rule, in their order.
    classes_ : array
        The classes that occur, sorted.

    Examples
    --------
    >>> import treewright as tw
    >>> data = tw.datasets.load_play_tennis()
    >>> len(tw.C45RulesClassifier().fit(data.X, data.y).ruleset_)
    5
    """

    _learner_class = C45RulesLearner
