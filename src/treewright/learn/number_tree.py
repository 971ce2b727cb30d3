"""Learners of trees for numbers, one or several per row: targets of leaves, and rows beyond a bound of the worst case."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright import _core
from treewright.errors import TreewrightWarning, warn_once
from treewright.learn.rounding import hint_at_rounding, rounding_spread
from treewright.learn.training import ReadTarget, Rows, Training
from treewright.learn.tree import TreeLearner
from treewright.learn.values import flag
from treewright.learn.vectors import node_means, set_vectors, takes_several
from treewright.model import Tree
from treewright.model.leaves import Vectors
from treewright.model.targets import leaf_targets
from treewright.prune.cut import nodes_left
from treewright.store.damage import need
from treewright.table.target import read_numbers, read_vectors, several_numbers

P = TypeVar("P")


class NumberTreeLearner(TreeLearner[P]):
    """Learners of trees for numbers."""

    stored: ClassVar[dict[str, str]] = {**TreeLearner.stored, "leaf_targets_": "leaf_targets", "beyond_bound_": "value"}
    # Whether the target may be several numbers per row.
    several: ClassVar[bool] = False

    @property
    def takes_several(self) -> bool:
        """Whether the target may be several numbers per row with these parameters."""
        return self.several and takes_several(self.chosen)

    @property
    def keeps_targets(self) -> bool:
        """Whether the training targets of every leaf are kept."""
        return flag("keep_targets", self.given.get("keep_targets", False))

    def read_target(self, y: Any, keep: Any) -> ReadTarget:
        """Read the numbers."""
        read = read_vectors if self.several and several_numbers(y) else read_numbers
        return *read(y, keep), None

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        settings = super().settings(training, rows)
        keeps = self.keeps_targets
        if training.target.outputs:
            set_vectors(settings, keeps)
        return settings

    def look_back(self, tree: Tree, training: Training, settings: _core.GrowSettings) -> tuple[Tree, dict[str, Any]]:
        """The tree with means of several numbers; targets of leaves, and rows beyond the bound of the worst case."""
        self.hint(tree, training)
        core = tree._core
        if training.target.outputs:
            means = node_means(core, training.cells[0], training.codes, training.weights)
            return Tree(core, tree.schema, tree.target, Vectors(core, tree.schema, tree.target, means)), {}
        worst = settings.criterion == "worst_case"
        facts: dict[str, Any] = {"beyond_bound_": 0} if worst else {}
        if not self.keeps_targets and not (worst and settings.min_impurity is not None):
            return tree, facts
        routes: Any = core.route(*training.cells, 1)
        leaf = np.asarray(routes[0])
        if self.keeps_targets:
            facts["leaf_targets_"] = leaf_targets(leaf, training.codes, training.weights, tree.n_nodes)
        if worst and settings.min_impurity is not None:
            off = np.abs(training.codes - tree.node_columns.value[leaf])
            beyond = off > settings.min_impurity * (1 + 1e-12)
            facts["beyond_bound_"] = int(np.count_nonzero(beyond))
            _warn_of_rows_beyond(facts["beyond_bound_"], settings.min_impurity, float(off.max()))
        return tree, facts

    def hint(self, tree: Tree, training: Training) -> None:
        """Hint at a target that differs by rounding, if a tree has grown from that."""
        if tree.n_leaves > 1 and (spread := rounding_spread(training.codes)) is not None:
            hint_at_rounding(spread, f"{tree.n_leaves} leaves", self.ends_at(tree))

    def ends_at(self, tree: Tree) -> str:
        """The option that ends a tree at its root."""
        return f"min_impurity={min(max(2 * tree.root.impurity, 5e-324), 1.7e308):.2g}"

    def cut_to(self, tree: Tree, learned: dict[str, Any]) -> dict[str, Any]:
        """The attributes of a fitted estimator once its tree was cut back to this one."""
        before, out = learned["tree_"], super().cut_to(tree, learned)
        if "leaf_targets_" in learned:
            out["leaf_targets_"] = learned["leaf_targets_"].moved(nodes_left(before, tree), tree.n_nodes)
        if tree.n_nodes < before.n_nodes and self.given.get("min_impurity") is not None:
            out.pop("beyond_bound_", None)  # the bound was that of the tree as it was grown
        return out

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        need(learned, learned["tree_"].target.classes is None, "its tree predicts classes")


def _warn_of_rows_beyond(count: int, bound: float, worst: float) -> None:
    """Say how many rows are off by more than the bound of the worst case."""
    if count:
        warn_once(
            f"{count} training {'row is' if count == 1 else 'rows are'} off by more than min_impurity={bound:g}, "
            f"by up to {worst:.6g}: "
            "rows of their leaves are equal in all columns, missing cells keep them together, "
            "or a limit such as max_depth stopped the growth",
            TreewrightWarning,
            ("min_impurity",),
        )
