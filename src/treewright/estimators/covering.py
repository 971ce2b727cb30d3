"""Sequential covering: IREP and RIPPER."""

from __future__ import annotations

from typing import Any

from treewright.estimators.rules import RuleClassifier
from treewright.estimators.stored import own_constructor
from treewright.learn.covering import IrepLearner, IrepParameters, RipperLearner, RipperParameters


class CoveringClassifier(RuleClassifier):
    """Learners by sequential covering."""

    class_order_: list[Any]
    optimised_: dict[str, int]
    visits_: int


@own_constructor
class RipperClassifier(CoveringClassifier, RipperParameters):
    """RIPPER (Cohen 1995): a short ordered list of rules, optimised by description length.

    Classes are taken in increasing weight; for each, rules are grown by FOIL's gain on two thirds of what is left, pruned on
    the other third, and added until the description is 64 bits longer than the shortest so far. Then every rule is compared
    with a replacement and a revision, and the one with the shortest description kept. The heaviest class is the default.
    Thresholds are values of the table: no binning. A missing cell satisfies no condition. The rules do not depend on the order
    of rows.

    Parameters
    ----------
    rounds : int, default 2
        Rounds of optimisation (Cohen's k; JRip's ``-O``).
    folds : int, default 3
        One part of so many is kept for pruning (``-F``).
    min_weight : float, default 2
        Least weight of positives a condition may leave (``-N``).
    variant : {"jrip", "cohen"}, default "jrip"
        Whose choice is followed where the paper and JRip differ; see ``docs/rules.md``. The next four default to it.
    gain : {"smoothed", "foil"}, optional
        Literal gain with rates (p + 1)/(t + 1), or p/t.
    worth : {"smoothed", "ripper", "irep"}, optional
        What pruning maximises: (p + 1)/(p + n + 2), (p - n)/(p + n), or (p + N - n)/(P + N).
    check_error : bool, optional
        Stop, too, at a rule that is wrong of at least half of what it covers (JRip; ``-E`` for False).
    delete_early : bool, optional
        Delete rules that lengthen the description after building, too, not only after every round (Cohen).
    stop : {"surplus", "explains", "error"}, default "surplus"
        Stop when the description exceeds the shortest by ``surplus`` bits; when a rule takes more bits than it saves; or when
        a rule is wrong of more than half of what it covers among the pruning rows.
    surplus : float, default 64
        Bits.
    prune : bool, default True
        Prune rules (``-P`` for False).
    categorical_features, unseen, random_state
        As in :class:`TreeClassifier`. The seed draws which rows prune.

    Attributes
    ----------
    ruleset_ : RuleSet
        The rules, an ordered list.
    classes_ : array
        The classes that occur, sorted.
    class_order_ : list
        The classes in the order they were learned; the last is the default.
    optimised_ : dict
        How many rules optimisation kept, revised, replaced, and added for rows that were left.
    visits_ : int
        Cells that were passed in the search for conditions: what the time of learning grows with.

    Examples
    --------
    >>> import treewright as tw
    >>> data = tw.datasets.load_play_tennis()
    >>> est = tw.RipperClassifier(random_state=1).fit(data.X, data.y)
    >>> est.class_order_
    ['no', 'yes']
    """

    _learner_class = RipperLearner


@own_constructor
class IrepClassifier(CoveringClassifier, IrepParameters):
    """IREP (Fürnkranz and Widmer 1994): rules grown and pruned one at a time, until one is wrong more often than right.

    As :class:`RipperClassifier` without description lengths and optimisation: pruning maximises (p + N - n)/(P + N), and
    learning of a class stops at the first rule that is wrong of more than half of what it covers among the pruning rows.

    Parameters
    ----------
    folds, min_weight, gain, worth, categorical_features, unseen, random_state
        As in :class:`RipperClassifier`.

    Attributes
    ----------
    ruleset_, classes_, class_order_, visits_
        As in :class:`RipperClassifier`.
    """

    _learner_class = IrepLearner
