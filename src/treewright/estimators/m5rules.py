"""M5Rules (Holmes, Hall and Frank 1999): a list of rules with equations, each the best leaf of a model tree of the rows left."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.estimators.rules import RuleEstimator
from treewright.estimators.stored import own_constructor
from treewright.learn.m5rules import M5RulesLearner, M5RulesParameters


@own_constructor
class M5RulesRegressor(RegressorMixin, RuleEstimator, M5RulesParameters):
    """M5Rules: an ordered list of rules, each with a linear equation.

    A model tree is grown (:class:`M5Regressor`), the leaf of most weight becomes a rule, its rows leave, and so on with those
    that are left; the last rule has no conditions. Missing cells are read as the mean, or the most common level, of all
    training rows, in conditions and in equations.

    Parameters
    ----------
    variant, min_samples_split, min_deviation, pruned, leaf
        Of the trees, as in :class:`M5Regressor`. ``pruned=False`` gives very many rules.
    smoothing : {"m5", "none"} or None, default "m5"
        Whether the equation of a rule is mixed with those of the nodes above its leaf.
    smoothing_constant : float, default 15
        The k of (n p + k q) / (n + k).
    categorical_features, unseen
        As in :class:`TreeRegressor`.
    verbose : bool, default False
        Show progress of long fits on standard error.

    Attributes
    ----------
    ruleset_ : RuleSet
        The rules, an ordered list; what they say are equations, or numbers where an equation has no terms.

    Examples
    --------
    >>> import numpy as np, treewright as tw
    >>> x = np.arange(40.0).reshape(-1, 1)
    >>> bent = tw.M5RulesRegressor(smoothing="none").fit(x, np.where(x[:, 0] < 20, x[:, 0], 100 - 2 * x[:, 0]))
    >>> print(bent.ruleset_)
    if x0 <= 19.5 then target = 0 + 1 * x0  (20 rows, ± 0)
    else target = 100 - 2 * x0  (20 rows, ± 0)
    """

    _learner_class = M5RulesLearner

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict what the equation of the first rule that holds gives."""
        X = self._checked(X)
        return np.asarray(self.ruleset_.predict(X), np.float64)
