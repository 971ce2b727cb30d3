"""Omnivariate trees (Yildiz and Alpaydin 2001): which kind of test a node has is chosen at every node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treewright import _core, parts
from treewright.errors import real, shown
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.held_out import HeldOutPruning
from treewright.learn.score_room import check_room
from treewright.learn.training import Rows, Training
from treewright.learn.values import whole
from treewright.prune.rows import Losses

KINDS = ("univariate", "linear", "quadratic", "network")  # from the simplest on
CHOICES = ("f", "aic", "bic")


@dataclass(kw_only=True, eq=False, repr=False)
class OmnivariateTreeParameters:
    """Parameters of ``OmnivariateTreeClassifier``, which describes them."""

    choice: str = "f"
    alpha: float = 0.05
    kinds: Sequence[str] = KINDS
    hidden: int | None = None
    pruned: bool = True
    holdout: float = 0.2
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float | None = None
    min_samples_leaf: float | None = None
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    class_weight: Any = None
    missing: str | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


class OmnivariateTreeLearner(HeldOutPruning[OmnivariateTreeParameters], ClassTreeLearner[OmnivariateTreeParameters]):
    """Trees whose nodes are of the simplest kind that no other is significantly better than."""

    name = "OmnivariateTreeClassifier"
    Parameters = OmnivariateTreeParameters

    @property
    def chosen(self) -> dict[str, Any]:
        """The parameters that trees are grown with: those given, and what the algorithm makes of them."""
        return {**super().chosen, "criterion": "info_gain"}

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        settings = super().settings(training, rows)
        self._set_proposers(settings)
        check_room(training, self.params.kinds, moments=True)
        return settings

    def _set_proposers(self, settings: _core.GrowSettings) -> None:
        given = self.params.kinds
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) == 0:
            raise ValueError(f"kinds={shown(given)}: it must be a list of kinds of nodes, some of {', '.join(map(repr, KINDS))}")
        named = [parts.check_name("kinds", kind, KINDS) for kind in given]
        choice = parts.check_name("choice", self.params.choice, CHOICES)
        hidden = 0 if self.params.hidden is None else whole("hidden", self.params.hidden, 1, 1000)
        settings.proposers = ["omnivariate"]
        settings.kinds_of_nodes(
            [kind for kind in KINDS if kind in named], choice, real("alpha", self.params.alpha, 0.0, 1.0), hidden
        )

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""
        super().check_own()
        self._set_proposers(_core.GrowSettings())

    def cut(self, core: _core.Tree, losses: Losses, costs: _core.Costs) -> _core.Tree:
        """The tree whose branches go that do not pay on the rows held out (reduced-error pruning)."""
        return _core.prune("reduced_error", core, {}, costs, losses.loss)
