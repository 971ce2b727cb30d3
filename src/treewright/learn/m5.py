"""M5 (Quinlan 1992) and M5' (Wang and Witten 1997): trees with linear models in their leaves."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.errors import TreewrightWarning, outside, real
from treewright.learn.growing import Grown
from treewright.learn.jobs import Progress
from treewright.learn.number_tree import NumberTreeLearner
from treewright.learn.training import Training
from treewright.model import Tree
from treewright.model.leaves import Equations
from treewright.model.leaves.linear import SMOOTHINGS, Smoothing
from treewright.recipes import M5P
from treewright.table import TableSchema, TargetSchema
from treewright.table.target import check_heavy_squares

VARIANTS = ("m5p", "m5")
LEAVES = ("linear", "constant")


@dataclass(kw_only=True, eq=False, repr=False)
class M5Parameters:
    """Parameters of ``M5Regressor``, which describes them."""

    variant: str = "m5p"
    min_samples_split: float = 4
    min_deviation: float = 0.05
    pruned: bool = True
    leaf: str = "linear"
    smoothing: str | None = "m5"
    smoothing_constant: float = 15.0
    band: float = 0.1
    categorical_features: Any = None
    unseen: str = "missing"
    n_jobs: int | None = None
    verbose: bool = False


class M5Learner(NumberTreeLearner[M5Parameters]):
    """Model trees."""

    name = "M5Regressor"
    Parameters = M5Parameters
    recipe = M5P

    @property
    def not_by_nodes(self) -> str | None:
        """Nodes do not answer by their own training rows."""
        return "models in its leaves"

    @property
    def smoothing(self) -> Smoothing:
        """How models of leaves are smoothed."""
        given = self.params
        kind = parts.check_name("smoothing", "none" if given.smoothing is None else given.smoothing, SMOOTHINGS)
        k = real("smoothing_constant", given.smoothing_constant, 0.0)
        return Smoothing(kind, k, real("band", given.band, 0.0, above=True))

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of the training rows, with models in all nodes."""
        given = self.params
        check_heavy_squares(training.codes, training.counted, "M5")
        _ = self.smoothing  # refused, if it is wrong, before anything long starts
        how = _core.M5Settings()
        how.prime = parts.check_name("variant", given.variant, VARIANTS) == "m5p"
        how.min_split = settings.min_split
        how.min_deviation = real("min_deviation", given.min_deviation, 0.0)
        how.pruned = bool(given.pruned)
        how.linear = parts.check_name("leaf", given.leaf, LEAVES) == "linear"
        with progress.shown("growing") as tell:
            core, models = _core.grow_m5(training.table(), how, tell)
        return Grown(core, models)

    def tree_of(self, grown: Grown, schema: TableSchema, target: TargetSchema) -> Tree:
        """The grown tree as a value."""
        assert grown.models is not None
        return Tree(grown.core, schema, target, Equations(grown.core, schema, target, grown.models, self.smoothing))

    def ends_at(self, tree: Tree) -> str:
        """The option that ends a tree at its root, which counts in deviations of the whole target."""
        return "min_deviation=2"

    def look_back(self, tree: Tree, training: Training, settings: _core.GrowSettings) -> tuple[Tree, dict[str, Any]]:
        """The tree with the deviations of its leaves."""
        self.hint(tree, training)
        assert isinstance(tree.leaf_model, Equations)
        models = tree.leaf_model.judged(training.arrays, training.codes, training.weights)
        if models.smoothing.kind == "blend":
            _warn_of_answers_beyond(training.codes, models.answers(training.arrays, len(training.codes)), models.smoothing.band)
        return Tree(tree._core, tree.schema, tree.target, models), {}


def _warn_of_answers_beyond(target: NDArray[np.float64], answers: NDArray[np.float64], band: float) -> None:
    """Warn of training rows whose predictions lie far from all targets: equations are applied to rows of another leaf."""
    low, high = float(target.min()), float(target.max())
    off = np.maximum(low / 2 - answers / 2, answers / 2 - high / 2)  # halves, lest differences overflow
    beyond = off > (high / 2 - low / 2) / 2
    if np.any(beyond):
        count, worst = int(np.count_nonzero(beyond)), float(answers[int(np.argmax(off))])
        warnings.warn(
            f"{count} training {'row is' if count == 1 else 'rows are'} told numbers far beyond the targets, such as {worst:.6g} "
            f"where y reaches from {low:.6g} to {high:.6g}: within band={band:g} standard deviations of a threshold the "
            "equations of both sides are asked, each about rows it was not fitted to; use a smaller band, or smoothing='m5'",
            TreewrightWarning,
            stacklevel=outside(),
        )
