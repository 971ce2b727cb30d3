"""M5 (Quinlan 1992) and M5' (Wang and Witten 1997): trees with linear models in their leaves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import TreewrightWarning, outside, real
from treewright.estimators.regression import RegressionTree
from treewright.estimators.settings import threads
from treewright.estimators.training import Training
from treewright.model import Tree
from treewright.model.jumps import Jumps, find_jumps
from treewright.model.leaves import Equations
from treewright.model.leaves.linear import SMOOTHINGS, Smoothing
from treewright.progress import Bar
from treewright.recipes import M5P
from treewright.table import TableSchema, TargetSchema
from treewright.table.target import check_heavy_squares

VARIANTS = ("m5p", "m5")
LEAVES = ("linear", "constant")


class M5Regressor(RegressionTree):
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

    _by_nodes = False

    _recipe = M5P

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
        band: float = 0.1,
        categorical_features: Any = None,
        unseen: str = "missing",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.variant = variant
        self.min_samples_split = min_samples_split
        self.min_deviation = min_deviation
        self.pruned = pruned
        self.leaf = leaf
        self.smoothing = smoothing
        self.smoothing_constant = smoothing_constant
        self.band = band
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _learned(self, training: Training, params: dict[str, Any], settings: _core.GrowSettings) -> _core.Tree:
        check_heavy_squares(training.codes, training.weights, "M5")
        self._smoothing()
        how = _core.M5Settings()
        how.prime = parts.check_name("variant", self.variant, VARIANTS) == "m5p"
        how.min_split = settings.min_split
        how.min_deviation = real("min_deviation", self.min_deviation, 0.0)
        how.pruned = bool(self.pruned)
        how.linear = parts.check_name("leaf", self.leaf, LEAVES) == "linear"
        if self.verbose:
            with Bar("growing") as bar:
                core, self._grown = _core.grow_m5(training.table(), how, bar)
        else:
            core, self._grown = _core.grow_m5(training.table(), how)
        grown: _core.Tree = core
        return grown

    def _smoothing(self) -> Smoothing:
        kind = parts.check_name("smoothing", "none" if self.smoothing is None else self.smoothing, SMOOTHINGS)
        k = real("smoothing_constant", self.smoothing_constant, 0.0)
        return Smoothing(kind, k, real("band", self.band, 0.0, above=True))

    def _tree_of(self, core: _core.Tree, schema: TableSchema, target: TargetSchema) -> Tree:
        return Tree(core, schema, target, Equations(core, schema, target, self.__dict__.pop("_grown"), self._smoothing()))

    def _look_back(self, training: Training, settings: _core.GrowSettings) -> None:
        tree = self.tree_
        assert isinstance(tree.leaf_model, Equations)
        models = tree.leaf_model.judged(training.arrays, training.codes, training.weights)
        self.tree_ = Tree(tree._core, tree.schema, tree.target, models)
        if models.smoothing.kind == "blend":
            _warn_of_answers_beyond(training.codes, models.answers(training.arrays, len(training.codes)), models.smoothing.band)

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
        return find_jumps(self.tree_, self._checked(X), threads(self.n_jobs))


def _warn_of_answers_beyond(target: NDArray[np.float64], said: NDArray[np.float64], band: float) -> None:
    """Say how many training rows are told numbers far from all targets: equations were asked about rows of another leaf."""
    low, high = float(target.min()), float(target.max())
    off = np.maximum(low / 2 - said / 2, said / 2 - high / 2)  # halves, lest differences overflow
    beyond = off > (high / 2 - low / 2) / 2
    if np.any(beyond):
        count, worst = int(np.count_nonzero(beyond)), float(said[int(np.argmax(off))])
        warnings.warn(
            f"{count} training {'row is' if count == 1 else 'rows are'} told numbers far beyond the targets, such as {worst:.6g} "
            f"where y reaches from {low:.6g} to {high:.6g}: within band={band:g} standard deviations of a threshold the "
            "equations of both sides are asked, each about rows it was not fitted to; use a smaller band, or smoothing='m5'",
            TreewrightWarning,
            stacklevel=outside(),
        )
