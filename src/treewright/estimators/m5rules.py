"""M5Rules (Holmes, Hall and Frank 1999): a list of rules with equations, each the best leaf of a model tree of the rows left."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright import _core, parts
from treewright.errors import real
from treewright.estimators.m5 import LEAVES, VARIANTS
from treewright.estimators.rules import RuleEstimator
from treewright.estimators.settings import flag
from treewright.estimators.training import Training
from treewright.model.leaves import Equations
from treewright.model.leaves.linear import Smoothing
from treewright.model.node import Node
from treewright.model.rule import Rule, together
from treewright.model.rules import RuleSet
from treewright.progress import Bar
from treewright.store.damage import need
from treewright.table import TableSchema, TargetSchema
from treewright.table.target import check_heavy_squares, read_numbers

SMOOTHINGS = ("m5", "none")


class M5RulesRegressor(RegressorMixin, RuleEstimator):
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

    _knows_declared = True
    _by_level = ()  # equations take truth values as 0 and 1

    def __init__(
        self,
        *,
        variant: str = "m5p",
        min_samples_split: float = 4,
        min_deviation: float = 0.05,
        pruned: bool = True,
        leaf: str = "linear",
        smoothing: str | None = "m5",
        smoothing_constant: float = 15.0,
        categorical_features: Any = None,
        unseen: str = "missing",
        verbose: bool = False,
    ) -> None:
        self.variant = variant
        self.min_samples_split = min_samples_split
        self.min_deviation = min_deviation
        self.pruned = pruned
        self.leaf = leaf
        self.smoothing = smoothing
        self.smoothing_constant = smoothing_constant
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.verbose = verbose

    def _check_stored(self) -> None:
        super()._check_stored()
        need(self, self.ruleset_.target.classes is None, "its rules predict classes")

    def _read_target(self, y: Any, keep: Any) -> tuple[TargetSchema, NDArray[Any]]:
        return read_numbers(y, keep)

    def _learned(self, training: Training, schema: TableSchema) -> RuleSet:
        check_heavy_squares(training.codes, training.weights, "M5Rules")
        kind = parts.check_name("smoothing", "none" if self.smoothing is None else self.smoothing, SMOOTHINGS)
        smoothing = Smoothing(kind, real("smoothing_constant", self.smoothing_constant, 0.0))
        how = _core.M5Settings()
        how.prime = parts.check_name("variant", self.variant, VARIANTS) == "m5p"
        how.min_split = real("min_samples_split", self.min_samples_split, 0.0)
        how.min_deviation = real("min_deviation", self.min_deviation, 0.0)
        how.pruned = flag("pruned", self.pruned)
        how.linear = parts.check_name("leaf", self.leaf, LEAVES) == "linear"
        if self.verbose:
            with Bar("covering") as bar:
                found = _core.cover_m5(training.table(), how, bar)
        else:
            found = _core.cover_m5(training.table(), how)
        rules = []
        for core, models, leaf in found:
            tree = training.tree(core, "ignore")
            says = Equations(core, schema, training.target, models, smoothing).rule_value(leaf)
            rules.append(Rule(together(Node(tree, leaf).path), says))
        return RuleSet(tuple(rules[:-1]), schema, training.target, True, rules[-1])

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict what the equation of the first rule that holds gives."""
        X = self._checked(X)
        return np.asarray(self.ruleset_.predict(X), np.float64)
