"""Learners that hold rows out, prune by them as they learn, and count them then."""

from __future__ import annotations

from typing import TypeVar

from treewright import _core
from treewright.errors import real
from treewright.learn.growing import Grown
from treewright.learn.jobs import Progress
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.learn.values import seed_of
from treewright.prune.costs import costs_of
from treewright.prune.held import cut_by_losses
from treewright.prune.rows import Losses, held_out
from treewright.table.dealing import hold_out

P = TypeVar("P")


class HeldOutPruning(TreeLearner[P]):
    """A learner with the parameters ``pruned``, ``holdout`` and ``random_state``."""

    @property
    def _weighs_rows(self) -> bool:
        """Class weights are weights of rows here, so that rows held out, and all of them afterwards, are counted alike."""
        return self.given.get("class_weight") is not None

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""
        self._share()

    def _share(self) -> float:
        return real("holdout", self.given["holdout"], 0.0, 0.5)

    def cut(self, core: _core.Tree, losses: Losses, costs: _core.Costs) -> _core.Tree:
        """The tree that is left where so much is lost on the rows held out."""
        return cut_by_losses(core, losses, costs)

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of the training rows, some of which are held out for pruning and then counted, too."""
        share = self._share()
        if not self.given["pruned"] or share == 0:
            return super().grow(training, settings, progress)
        training.check_all(settings.missing)
        keys, label = training.keys(seed_of(self.given["random_state"]))
        dealt = hold_out(keys, training.weights, label, share)
        judging, growing = (training.part(*dealt.of(fold)) for fold in (0, 1))
        if len(judging.codes) == 0 or len(growing.codes) == 0:  # too few rows for both
            return super().grow(training, settings, progress)
        core = super().grow(growing, self.settings(growing), progress).core
        costs = costs_of(training.target)
        core = self.cut(core, held_out(core, judging.table(), costs), costs)
        return Grown(_core.described_anew(core, training.table(), settings.criterion))
